"""Conversion of CSV cells to values, and the errors about them (see `types.cells`)."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.sql.duckdb import quoted, struct, text
from lsqlc.types import data
from lsqlc.types.cells import pattern
from lsqlc.types.data import Array, DataType, Field, Struct, quote


def value(cell: str, type: DataType) -> str:
    """Return SQL of the value of a cell, which may be null; null if the text is not valid for the type."""
    valid_text = pattern(type)
    if valid_text is None:
        return cell
    match type:
        case data.TIMESTAMP:
            converted = f"CAST(TRY_CAST({cell} AS TIMESTAMPTZ) AS TIMESTAMP)"
        case data.BOOLEAN:
            converted = f"lower({cell}) = 'true'"
        case data.BYTES:
            converted = f"from_base64({cell})"
        case _:
            converted = f"TRY_CAST({cell} AS {type_text('duckdb', type)})"
    return f"CASE WHEN regexp_full_match({cell}, {text(valid_text)}) THEN {converted} END"


def fault(cell: str, field: Field) -> str | None:
    """Return SQL of the error about a cell, or null; None if there can be none."""
    name = quote(field.name)
    missing = "NULL" if field.nullable else text(f"{name}: expected {field.type} NOT NULL")
    if pattern(field.type) is None:
        return None if field.nullable else f"CASE WHEN {cell} IS NULL THEN {missing} END"
    wrong = f"WHEN ({value(cell, field.type)}) IS NULL THEN {text(f'{name}: expected {field.type}')}"
    return f"CASE WHEN {cell} IS NULL THEN {missing} {wrong} END"


def worded(sql: str, type: DataType) -> str:
    """Return SQL of a value with TIMESTAMP and BYTES in their JSON form."""
    match type:
        case data.TIMESTAMP:
            return f"regexp_replace(strftime({sql}, '%Y-%m-%dT%H:%M:%S.%f'), '[.]?0*$', '') || 'Z'"
        case data.BYTES:
            return f"to_base64({sql})"
        case Struct(fields):
            inner = struct((f.name, worded(f"{sql}.{quoted(f.name)}", f.type)) for f in fields)
            return f"CASE WHEN {sql} IS NOT NULL THEN {inner} END"
        case Array(element):
            return f"list_transform({sql}, lambda e: {worded('e', element)})"
    return sql


def cell_text(value: Any) -> str | None:
    """Return the cell text of a default value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return ""
    return None if value is None else str(value)
