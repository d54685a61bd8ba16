"""The language's JSON text of a value, in SQL of both engines.

BYTES are base64. Numbers that are not finite are strings. A DECIMAL has all its digits. A TIMESTAMP has a fraction only
if the fraction is not zero.
"""

from __future__ import annotations

from msgspec import structs

from lsqlc.sql import duckdb
from lsqlc.sql.spark import struct, ticked
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Primitive, Struct

_INSTANT = "yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS"
# Types whose values DuckDB's to_json writes in another form.
_OTHERWISE = (data.TIMESTAMP, data.BYTES, data.FLOAT, data.DOUBLE)


def json_of(sql: str, type: DataType, *, times_as_numbers: bool = False) -> str:
    """Return Spark's SQL for the JSON text of a value, with all its nulls; NULL for a NULL.

    For a field of a struct that is converted as a whole, `worded` is enough. `times_as_numbers`: a DATE in days since
    1970, a TIME and a TIMESTAMP in milliseconds.
    """
    if times_as_numbers and _has(type, tuple(_NUMBERS)):
        return json_of(_numbered(sql, type), _number_type(type))
    options = "map('ignoreNullFields', 'false')"
    if isinstance(type, Struct | Array | Map):
        return f"to_json({worded(sql, type)}, {options})"
    # to_json takes no primitives: the value stands between {"v": and }.
    whole = f"to_json({struct((('v', worded(sql, type)),))}, {options})"
    return f"if({sql} IS NULL, NULL, substring({whole}, 6, length({whole}) - 6))"


_NUMBERS = {data.DATE: data.INT, data.TIME: data.BIGINT, data.TIMESTAMP: data.BIGINT}


def _number_type(type: DataType) -> DataType:
    match type:
        case Struct(fields):
            return Struct(tuple(structs.replace(f, type=_number_type(f.type)) for f in fields))
        case Array(element):
            return Array(_number_type(element))
        case Map(key, value):
            return Map(key, _number_type(value))
        case Primitive():
            return _NUMBERS.get(type, type)
    return type


def _numbered(sql: str, type: DataType, depth: int = 0) -> str:
    """Return Spark's SQL for a value with each DATE, TIME and TIMESTAMP as a number.

    `depth` makes the variables of nested lambdas unique.
    """
    if not _has(type, tuple(_NUMBERS)):
        return sql
    e = f"e{depth}"
    match type:
        case Struct(fields):
            inner = struct(tuple((f.name, _numbered(f"{sql}.{ticked(f.name)}", f.type, depth)) for f in fields))
            return f"if({sql} IS NULL, NULL, {inner})"
        case Array(element):
            return f"transform({sql}, {e} -> {_numbered(e, element, depth + 1)})"
        case Map(_, value):
            return f"transform_values({sql}, (k, {e}) -> {_numbered(e, value, depth + 1)})"
        case data.DATE:
            return f"unix_date({sql})"
        case data.TIME:
            return f"({sql} DIV 1000)"
    return f"unix_millis({sql})"


def worded(sql: str, type: DataType) -> str:
    """Return Spark's SQL for a value with each TIMESTAMP as the language's text."""
    if not _has(type, (data.TIMESTAMP,)):
        return sql
    match type:
        case Struct(fields):
            inner = struct(tuple((f.name, worded(f"{sql}.{ticked(f.name)}", f.type)) for f in fields))
            return f"if({sql} IS NULL, NULL, {inner})"
        case Array(element):
            return f"transform({sql}, e -> {worded('e', element)})"
        case Map(_, value):
            return f"transform_values({sql}, (k, e) -> {worded('e', value)})"
    return f"regexp_replace(date_format({sql}, '{_INSTANT}'), '[.]?0*$', '') || 'Z'"


def duckdb_json_of(sql: str, type: DataType) -> str:
    """Return DuckDB's SQL for the JSON text of a value."""
    return f"CAST(to_json({_duckdb_worded(sql, type, 0)}) AS VARCHAR)"


def _duckdb_worded(sql: str, type: DataType, depth: int) -> str:
    """Return DuckDB's SQL for a value in which the parts that `to_json` writes in another form are texts.

    `depth` makes the variables of nested lambdas unique.
    """
    if not _has(type, _OTHERWISE):
        return sql
    e = f"e{depth}"
    match type:
        case Struct(fields):
            parts = [(f.name, _duckdb_worded(f"{sql}.{duckdb.quoted(f.name)}", f.type, depth)) for f in fields]
            return f"CASE WHEN {sql} IS NOT NULL THEN {duckdb.struct(parts)} END"
        case Array(element):
            return f"list_transform({sql}, lambda {e}: {_duckdb_worded(e, element, depth + 1)})"
        case Map(_, value):
            entry = duckdb.struct((("k", f"{e}.key"), ("v", _duckdb_worded(f"{e}.value", value, depth + 1))))
            return f"map_from_entries(list_transform(map_entries({sql}), lambda {e}: {entry}))"
        case data.BYTES:
            return f"to_base64({sql})"
        case data.TIMESTAMP:
            return f"regexp_replace(strftime({sql}, '%Y-%m-%dT%H:%M:%S.%f'), '[.]?0*$', '') || 'Z'"
    special_number = f"CASE WHEN isnan({sql}) THEN 'NaN' WHEN {sql} > 0 THEN 'Infinity' ELSE '-Infinity' END"
    return f"CASE WHEN {sql} IS NULL OR isfinite({sql}) THEN to_json({sql}) ELSE to_json({special_number}) END"


def _has(type: DataType, kinds: tuple[DataType, ...]) -> bool:
    """Return whether a type, or a part of it, is one of `kinds`."""
    match type:
        case Struct(fields):
            return any(_has(f.type, kinds) for f in fields)
        case Array(element):
            return _has(element, kinds)
        case Map(_, value):
            return _has(value, kinds)
    return type in kinds
