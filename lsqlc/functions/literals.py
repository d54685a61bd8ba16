"""Literals as the engines write them: DuckDB doubles a quote, Spark reads a backslash as an escape."""

from __future__ import annotations

import re

from lsqlc.functions.signature import Engine

_INTEGER = re.compile(r"-?[0-9]+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def quoted(engine: Engine, value: str) -> str:
    """The literal of a text."""
    if engine == "duckdb":
        return "'" + value.replace("'", "''") + "'"
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def string_value(engine: Engine, sql: str) -> str:
    """The text of a literal that `quoted` wrote; it is what a literal argument of a call looks like."""
    inner = sql[1:-1]
    return inner.replace("''", "'") if engine == "duckdb" else _ESCAPED.sub(r"\1", inner)


def integer_value(sql: str) -> int:
    """The number of an integer literal, which may stand in a cast to its type, as `CAST(-1 AS INT)`."""
    found = _INTEGER.search(sql)
    assert found is not None, sql
    return int(found[0])
