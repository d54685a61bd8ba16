"""Literals as the engines write them: DuckDB doubles a quote, Spark reads a backslash as an escape.

A line break is written as an escape: a statement is laid out in lines, and none of them begins within a literal.
"""

from __future__ import annotations

import re

from lsqlc.functions.signature import Engine

_INTEGER = re.compile(r"-?[0-9]+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LINE_BREAKS = {"n": "\n", "r": "\r"}


def quoted(engine: Engine, value: str) -> str:
    """The literal of a text."""
    broken = "\n" in value or "\r" in value
    if engine == "duckdb" and not broken:
        return "'" + value.replace("'", "''") + "'"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"E'{escaped}'" if engine == "duckdb" else f"'{escaped}'"


def string_value(engine: Engine, sql: str) -> str:
    """The text of a literal that `quoted` wrote; it is what a literal argument of a call looks like."""
    if engine == "duckdb" and not sql.startswith("E"):
        return sql[1:-1].replace("''", "'")
    return _ESCAPED.sub(lambda found: _LINE_BREAKS.get(found[1], found[1]), sql[sql.index("'") + 1 : -1])


def integer_value(sql: str) -> int:
    """The number of an integer literal, which may stand in a cast to its type, as `CAST(-1 AS INT)`."""
    found = _INTEGER.search(sql)
    assert found is not None, sql
    return int(found[0])
