"""The keywords of the Lenses language, by their position."""

from __future__ import annotations

import re

from lsqlc.syntax.keywords import Keywords
from lsqlc.syntax.lenses.expressions import RESERVED

_JOINS = ("JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "OUTER JOIN")

KEYWORDS = Keywords(
    statements=("INSERT INTO", "SELECT STREAM", "SELECT TABLE", "SET", "WITH"),
    follows={
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
    behind={
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
    string=r"'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)",
    quoted=r"`[^`\n]*`?",
    column=re.compile(r"[A-Za-z_]\w*(?:-\w+)*"),
    topic=re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*"),
    reserved=RESERVED,
)
