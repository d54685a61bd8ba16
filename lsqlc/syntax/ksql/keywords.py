"""The keywords of ksqlDB, by their position."""

from __future__ import annotations

import re

from lsqlc.syntax.keywords import Keywords
from lsqlc.syntax.ksql.expressions import RESERVED

_JOINS = ("JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN")
# Other names must be quoted; a name in lower case would become upper case.
_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")

KEYWORDS = Keywords(
    statements=(
        *("CREATE STREAM", "CREATE TABLE", "CREATE OR REPLACE STREAM", "CREATE OR REPLACE TABLE"),
        *("INSERT INTO", "SET"),
    ),
    follows={
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
    behind={
        "SELECT": ("AS", "FROM"),
        "FROM": ("AS", *_JOINS, "WINDOW", "WHERE", "GROUP BY", "PARTITION BY", "EMIT CHANGES"),
        "JOIN": ("AS", "WITHIN", "ON"),
        "WITHIN": ("GRACE PERIOD", "ON"),
        "ON": (*_JOINS, "WINDOW", "WHERE", "GROUP BY", "PARTITION BY", "EMIT CHANGES"),
        "WINDOW": ("WHERE", "GROUP BY"),
        "WHERE": ("GROUP BY", "PARTITION BY", "EMIT CHANGES"),
        "GROUP": ("HAVING", "EMIT CHANGES"),
        "PARTITION": ("EMIT CHANGES",),
        "HAVING": ("EMIT CHANGES", "EMIT FINAL"),
        "CREATE": ("WITH (", "AS SELECT"),
        "INTO": ("SELECT", "VALUES ("),
    },
    string=r"'(?:[^']|'')*(?:'|\Z)",
    quoted=r"`[^`\n]*`?|\"[^\"\n]*\"?",
    column=_NAME,
    topic=_NAME,
    reserved=RESERVED,
)
