"""The keywords of standard SQL, by their position."""

from __future__ import annotations

import re

from lsqlc.syntax.keywords import Keywords

_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN")
# The clauses of AUTO CDC after its source.
_OF_CHANGES = ("APPLY AS DELETE WHEN", "SEQUENCE BY", "COLUMNS", "COLUMNS * EXCEPT (", "STORED AS SCD TYPE 1",
               "STORED AS SCD TYPE 2", "TRACK HISTORY ON", "IGNORE NULL UPDATES")  # fmt: skip
_FLOW = {
    "FROM": "FLOW",
    **{word: word for word in ("KEYS", "SEQUENCE", "APPLY", "COLUMNS", "STORED", "TRACK", "IGNORE")},
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

KEYWORDS = Keywords(
    statements=("SELECT", "WITH", "CREATE STREAMING TABLE", "CREATE OR REFRESH STREAMING TABLE",
                "CREATE MATERIALIZED VIEW", "CREATE OR REFRESH MATERIALIZED VIEW", "CREATE FLOW", "APPLY CHANGES INTO"),
    follows={
        ("CREATE",): (
            *("STREAMING TABLE", "OR REFRESH STREAMING TABLE"),
            *("MATERIALIZED VIEW", "OR REFRESH MATERIALIZED VIEW"),
            "FLOW",
        ),
        ("AUTO",): ("CDC INTO",),
        ("APPLY",): ("AS DELETE WHEN", "CHANGES INTO"),
        ("SEQUENCE",): ("BY",),
        ("STORED",): ("AS SCD TYPE 1", "AS SCD TYPE 2"),
        ("TRACK",): ("HISTORY ON",),
        ("GROUP",): ("BY",),
        ("UNION",): ("ALL",),
        ("FROM",): ("STREAM(",),
        ("LEFT",): ("JOIN",),
        ("RIGHT",): ("JOIN",),
        ("FULL",): ("OUTER JOIN",),
        ("LATERAL",): ("VIEW explode(", "VIEW OUTER explode("),
    },
    behind={
        "SELECT": ("AS", "FROM"),
        "FROM": ("AS", *_JOINS, "LATERAL VIEW", "WHERE", "GROUP BY", "UNION ALL"),
        "JOIN": ("AS", "ON"),
        "ON": (*_JOINS, "LATERAL VIEW", "WHERE", "GROUP BY", "UNION ALL"),
        "WHERE": ("GROUP BY", "QUALIFY", "UNION ALL"),
        "GROUP": ("HAVING",),
        "CREATE": ("AS SELECT", "AS AUTO CDC INTO"),
        "INTO": ("FROM",),
        "FLOW": ("AS", "KEYS ("),
        **dict.fromkeys(("KEYS", "SEQUENCE", "APPLY", "COLUMNS", "STORED", "TRACK", "IGNORE"), _OF_CHANGES),
    },
    string=r"'(?:[^'\\]|\\.)*(?:'|\Z)",
    quoted=r"`[^`\n]*`?",
    column=_NAME,
    topic=_NAME,
    reserved=frozenset(
        ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ON", "JOIN", "UNION", "AS", "AND", "OR", "NOT", "CASE", "WHEN",
         "THEN", "ELSE", "END", "IN", "IS", "NULL", "TRUE", "FALSE", "LIKE", "BETWEEN", "LEFT", "RIGHT", "FULL",
         "INNER", "WITH", "DISTINCT", "ALL", "WINDOW", "ORDER", "LIMIT")
    ),
    clauses={("CREATE", "FLOW"): _FLOW, ("APPLY", "CHANGES"): _FLOW, ("AUTO", "CDC"): _FLOW},
)  # fmt: skip
