"""Which keywords can stand where, by dialect: what completion offers beside names."""

from __future__ import annotations

from collections.abc import Mapping

OPERAND = ("CASE", "CAST(", "NOT", "NULL", "TRUE", "FALSE")
BEHIND_OPERAND = ("AND", "OR", "IS NULL", "IS NOT NULL", "IN (", "LIKE", "BETWEEN")
IN_CASE = ("WHEN", "THEN", "ELSE", "END")
TYPES = (
    "BOOLEAN", "INT", "BIGINT", "LONG", "FLOAT", "DOUBLE", "DECIMAL", "STRING", "BYTES", "DATE", "TIME", "TIMESTAMP",
    "ARRAY", "MAP", "STRUCT",
)  # fmt: skip
_JOINS = ("JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "OUTER JOIN")
_KSQL_JOINS = ("JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN")

STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "lenses": ("INSERT INTO", "SELECT STREAM", "SELECT TABLE", "SET", "WITH"),
    "ksql": (
        *("CREATE STREAM", "CREATE TABLE", "CREATE OR REPLACE STREAM", "CREATE OR REPLACE TABLE"),
        *("INSERT INTO", "SET"),
    ),
}

# What can follow these words, whatever comes before them.
FOLLOWS: Mapping[str, Mapping[tuple[str, ...], tuple[str, ...]]] = {
    "lenses": {
        ("SELECT",): ("STREAM", "TABLE"),
        ("INSERT",): ("INTO",),
        ("GROUP",): ("BY",),
        ("WINDOW",): ("BY",),
        ("EVENTTIME",): ("BY",),
        ("GRACE",): ("BY",),
        ("WINDOW", "BY"): ("TUMBLE", "HOP", "SESSION"),
        ("STORE",): ("KEY AS", "VALUE AS"),
        **{(word,): ("JOIN",) for word in ("INNER", "OUTER", "RIGHT", "LEFT")},
    },
    "ksql": {
        ("CREATE",): ("STREAM", "TABLE", "OR REPLACE STREAM", "OR REPLACE TABLE", "SOURCE STREAM", "SOURCE TABLE"),
        ("INSERT",): ("INTO",),
        ("GROUP",): ("BY",),
        ("PARTITION",): ("BY",),
        ("WINDOW",): ("TUMBLING (SIZE", "HOPPING (SIZE", "SESSION ("),
        ("EMIT",): ("CHANGES", "FINAL"),
        **{(word,): ("JOIN", "OUTER JOIN") for word in ("LEFT", "RIGHT", "FULL")},
        ("INNER",): ("JOIN",),
        ("OUTER",): ("JOIN",),
    },
}

# What can stand behind a complete operand, or a source, of a clause.
BEHIND: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "lenses": {
        "SELECT": ("AS", "FROM"),
        "FROM": ("AS", *_JOINS, "LATERAL", "EVENTTIME BY", "WHERE", "WINDOW BY", "GROUP BY"),
        "JOIN": ("AS", "ON", "WITHIN", "WHERE", "WINDOW BY", "GROUP BY"),
        "ON": ("WITHIN", "WHERE", "WINDOW BY", "GROUP BY"),
        "WITHIN": ("ON", "WHERE", "WINDOW BY", "GROUP BY"),
        "LATERAL": ("AS", "LATERAL", "WHERE", "WINDOW BY", "GROUP BY"),
        "EVENTTIME": ("LATERAL", "WHERE", "WINDOW BY", "GROUP BY"),
        "WHERE": ("WINDOW BY", "GROUP BY"),
        "WINDOW": ("GRACE BY", "GROUP BY"),
        "GROUP": ("AS", "HAVING"),
        "HAVING": (),
        "INTO": ("STORE", "SELECT STREAM", "SELECT TABLE"),
        "STORE": ("KEY AS", "VALUE AS", "SELECT STREAM", "SELECT TABLE"),
        "WITH": ("AS",),
    },
    "ksql": {
        "SELECT": ("AS", "FROM"),
        "FROM": ("AS", *_KSQL_JOINS, "WINDOW", "WHERE", "GROUP BY", "PARTITION BY", "EMIT CHANGES"),
        "JOIN": ("AS", "WITHIN", "ON"),
        "WITHIN": ("GRACE PERIOD", "ON"),
        "ON": (*_KSQL_JOINS, "WINDOW", "WHERE", "GROUP BY", "PARTITION BY", "EMIT CHANGES"),
        "WINDOW": ("WHERE", "GROUP BY"),
        "WHERE": ("GROUP BY", "PARTITION BY", "EMIT CHANGES"),
        "GROUP": ("HAVING", "EMIT CHANGES"),
        "PARTITION": ("EMIT CHANGES",),
        "HAVING": ("EMIT CHANGES", "EMIT FINAL"),
        "CREATE": ("WITH (", "AS SELECT"),
        "INTO": ("SELECT", "VALUES ("),
    },
}

# The clauses that hold expressions.
EXPRESSIONS = frozenset(("SELECT", "ON", "WHERE", "GROUP", "HAVING", "LATERAL", "EVENTTIME", "PARTITION", "VALUES"))
# Words behind which an operand is to come.
WANTS_OPERAND = frozenset(
    (
        *("STREAM", "TABLE", "WHERE", "AND", "OR", "NOT", "ON", "BY", "CASE", "WHEN", "THEN", "ELSE", "BETWEEN"),
        *("LIKE", "HAVING", "LATERAL", "SELECT"),
    )
)
