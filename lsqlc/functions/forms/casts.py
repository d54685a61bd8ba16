"""CAST on both engines with try semantics: a failed cast returns null.

A number truncates to an integer. A string casts to an integer only as `[+-]?[0-9]+`. A DOUBLE becomes Java's text. A
number for a TIMESTAMP is epoch milliseconds. Where the language does not decide, Spark's `try_cast` defines the
meaning, and DuckDB imitates it. A string for a DATE or TIMESTAMP starts with a year from 0001 to 9999, which is
Python's range. A time of day alone returns null, because Spark would complete it from the clock.
"""

from __future__ import annotations

from lsqlc.functions.forms import cast_forms as forms
from lsqlc.functions.forms.attempts import attempt
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.sql.engines import Engine
from lsqlc.sql.spark import struct, ticked
from lsqlc.types.data import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Decimal,
    Map,
    Struct,
    is_integer,
    is_numeric,
    parts,
    unify,
)

# Milliseconds of the years 1 to 9999, which both engines and Python can hold.
_EARLIEST, _LATEST = -62135596800000, 253402300799999
_YEAR_FIRST = r"(?s)\A[\x00-\x20]*[+]?(?!0000)[0-9]{4}(?![0-9]).*"
_INTEGER_TEXT = r"\A[+-]?[0-9]+\z"
_MAX_BIGINT = 9223372036854775807


def castable(source: DataType, target: DataType) -> bool:
    """Return whether the language has a CAST from one type to the other."""
    if source in (target, NULL):
        return True
    if isinstance(source, Array) and isinstance(target, Array):
        return unify(source, target) == target
    if is_numeric(source) or source == BOOLEAN:
        millis = source == BIGINT and target == TIMESTAMP
        return is_numeric(target) or target in (BOOLEAN, STRING) or millis
    if source == STRING:
        return is_numeric(target) or target in (BOOLEAN, BYTES, DATE, TIMESTAMP)
    if source == BYTES:
        return target == STRING
    if source == DATE:
        return target in (STRING, TIMESTAMP)
    if source == TIMESTAMP:
        return target in (STRING, DATE, BIGINT)
    return False


def cast(engine: Engine, sql: str, source: DataType, target: DataType) -> str:
    """Return the SQL text that converts `sql` from one type to the other; the pair must be `castable`."""
    if source == target:
        return sql
    if source == NULL:
        return f"cast(NULL as {type_text(engine, target)})"
    return _duckdb(sql, source, target) if engine == "duckdb" else _spark(sql, source, target)


def widen(engine: Engine, sql: str, source: DataType, target: DataType) -> str:
    """Return the SQL text of a cast to a wider type by `unify`, also of arrays, maps and structs."""
    if engine == "spark" and source not in (target, NULL) and NULL in parts(source):
        return _retyped(sql, source, target)
    if source in (target, NULL) or castable(source, target):
        return cast(engine, sql, source, target)
    return f"cast({sql} as {type_text(engine, target)})"


def _retyped(sql: str, source: DataType, target: DataType, depth: int = 0) -> str:
    """Return Spark's SQL for a value with parts of type NULL, such as the elements of `ARRAY[NULL]`.

    Spark has INTs there, which it casts to few types. `depth`: the number of lambdas around the value.
    """
    if source == target or NULL not in parts(source):
        return widen("spark", sql, source, target)
    one, two = f"n{depth}", f"m{depth}"
    match source, target:
        case Array(), Array():
            return f"transform({sql}, {one} -> {_retyped(one, source.element, target.element, depth + 1)})"
        case Map(), Map():
            key, value = (
                _retyped(one, source.key, target.key, depth + 1),
                _retyped(two, source.value, target.value, depth + 1),
            )
            return f"transform_values(transform_keys({sql}, ({one}, {two}) -> {key}), ({one}, {two}) -> {value})"
        case Struct(), Struct():
            pairs = zip(source.fields, target.fields, strict=True)
            fields = [(f.name, _retyped(f"{one}.{ticked(f.name)}", f.type, t.type, depth + 1)) for f, t in pairs]
            copy = f"if({one} is null, NULL, {struct(fields)})"
            return f"transform(array({sql}), {one} -> {copy})[0]"
    return cast("spark", sql, source, target)


def _spark(sql: str, source: DataType, target: DataType) -> str:
    name = type_text("spark", target)
    if source == STRING and is_integer(target):
        return f"try_cast(regexp_extract({sql}, r'{_INTEGER_TEXT}', 0) as {name})"
    if source == STRING and target in (DATE, TIMESTAMP):
        return f"try_cast(regexp_extract({sql}, r'{_YEAR_FIRST}', 0) as {name})"
    if source == STRING and target == BYTES:
        return f"cast({sql} as binary)"
    if source == BYTES:
        return f"try_validate_utf8(cast({sql} as string))"
    if source == TIMESTAMP and target == BIGINT:
        return f"unix_millis({sql})"
    if source == BIGINT and target == TIMESTAMP:
        return f"timestamp_millis(case when {sql} between {_EARLIEST} and {_LATEST} then {sql} end)"
    return f"try_cast({sql} as {name})"


def _duckdb(sql: str, source: DataType, target: DataType) -> str:
    name = type_text("duckdb", target)
    if source == STRING:
        return _duckdb_from_string(sql, target)
    if target == STRING:
        return _duckdb_to_string(sql, source)
    if source in (FLOAT, DOUBLE):
        return _duckdb_from_double(sql, source, target)
    if isinstance(source, Decimal) and is_integer(target):
        return f"try_cast(trunc({sql}) as {name})"
    if target == BOOLEAN:
        return f"(({sql}) <> 0)"
    if source == TIMESTAMP and target == BIGINT:
        return f"epoch_ms(date_trunc('millisecond', {sql}))"
    if source == BIGINT and target == TIMESTAMP:
        return f"epoch_ms(case when {sql} between {_EARLIEST} and {_LATEST} then {sql} end)"
    if source == BOOLEAN:
        return f"try_cast(cast({sql} as integer) as {name})"
    return f"try_cast({sql} as {name})"


def _duckdb_from_string(sql: str, target: DataType) -> str:
    name = type_text("duckdb", target)
    if is_integer(target):
        return f"try_cast(regexp_extract({sql}, '{_INTEGER_TEXT}') as {name})"
    if target == BYTES:
        return f"encode({sql})"
    if isinstance(target, Decimal):
        return f"try_cast({forms.DECIMAL.call([sql, str(target.precision), str(target.scale)])} as {name})"
    if target == BOOLEAN:
        return forms.BOOLEAN.call([sql])
    if target == DOUBLE:
        return f"cast({forms.DOUBLE.call([sql])} as double)"
    if target == FLOAT:
        return _duckdb_from_double(_duckdb_from_string(sql, DOUBLE), DOUBLE, FLOAT)
    return f"try_cast({(forms.DATE if target == DATE else forms.TIMESTAMP).call([sql])} as {name})"


def _duckdb_to_string(sql: str, source: DataType) -> str:
    if source == BYTES:
        return attempt("decode({0})", sql)
    if source == DOUBLE:
        return forms.DOUBLE_TEXT.call([sql])
    if source == FLOAT:
        return forms.FLOAT_TEXT.call([sql])
    if isinstance(source, Decimal) and source.precision == source.scale:
        # DuckDB omits the zero before the point.
        return f"regexp_replace(cast({sql} as varchar), '^(-?)[.]', '\\10.')"
    return f"cast({sql} as varchar)"


def _duckdb_from_double(sql: str, source: DataType, target: DataType) -> str:
    name = type_text("duckdb", target)
    if target == INT:
        return f"try_cast(trunc({sql}) as {name})"
    if target == BIGINT:
        # As a double, the largest BIGINT is 2^63, which Java converts to the largest BIGINT.
        largest = f"when ({sql}) = {_MAX_BIGINT + 1}::double then {_MAX_BIGINT}"
        return f"(case {largest} else try_cast(trunc({sql}) as bigint) end)"
    if target == BOOLEAN:
        return f"(({sql}) <> 0)"
    if target == FLOAT:
        # Java rounds numbers that are too large to an infinity.
        beyond = f"(case when ({sql}) > 0 then 'Infinity' when ({sql}) < 0 then '-Infinity' end)::float"
        return f"coalesce(try_cast({sql} as float), {beyond})"
    if isinstance(target, Decimal):
        text = forms.DOUBLE_TEXT.call([f"cast({sql} as double)"])
        return f"try_cast({forms.DECIMAL.call([text, str(target.precision), str(target.scale)])} as {name})"
    return f"try_cast({sql} as {name})"
