"""The dialects, and how the text of each becomes a program."""

from __future__ import annotations

import re
from typing import Literal

from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql_tree

Dialect = Literal["lenses", "ksql"]
DIALECTS: tuple[Dialect, ...] = ("lenses", "ksql")

Program = tree.Program | ksql_tree.Program
Parsed = tree.Parsed | ksql_tree.Parsed


_KSQL_WRITES = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:STREAM|TABLE)\s+(`[^`]+`|\w+)\s*(?:WITH\s*\(([^)]*)\)\s*)?AS\b", re.IGNORECASE
)
_KSQL_TOPIC = re.compile(r"KAFKA_TOPIC\s*=\s*'([^']+)'", re.IGNORECASE)


def ksql_writes(text: str) -> tuple[str, ...]:
    """The topics that a program of ksqlDB seems to write, read off a text that may not parse."""
    found = []
    for name, properties in _KSQL_WRITES.findall(text):
        topic = _KSQL_TOPIC.search(properties)
        found.append(topic[1] if topic else name.strip("`") if name.startswith("`") else name.upper())
    return tuple(sorted(set(found)))


def parse(text: str, path: str, dialect: str) -> Parsed:
    """Read a program of a dialect, one of DIALECTS. `path` names the text in messages."""
    # A parser is imported by who needs it.
    if dialect == "ksql":
        from lsqlc.syntax.ksql import parser as ksql

        return ksql.parse(text, path)
    from lsqlc.syntax.lenses import parser as lenses

    return lenses.parse(text, path)


def readable(text: str, path: str, dialect: str) -> Program:
    """The statements of a program that can be read, whatever is wrong with the others: for an editor."""
    if dialect == "ksql":
        from lsqlc.syntax.ksql import parser as ksql

        return ksql.readable(text, path)
    from lsqlc.syntax.lenses import parser as lenses

    return lenses.readable(text, path)
