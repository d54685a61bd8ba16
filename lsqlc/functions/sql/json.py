"""Functions over JSON by Spark's names."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, InvalidOperation
from decimal import Decimal as Number
from functools import lru_cache
from typing import Any

from lsqlc.functions.forms.cast_forms import double_text
from lsqlc.functions.forms.casts import cast
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.ksql.json import JSON_FUNCTIONS
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, ValueForm
from lsqlc.functions.sql.scalars import of
from lsqlc.sql import engines
from lsqlc.types import data
from lsqlc.types.data import BOOLEAN, INT, STRING, Array, DataType, Decimal, Map, Struct, is_integer, is_numeric, parts
from lsqlc.types.ddl import DdlError, parse_type_or_columns

_QUOTED = re.compile(r""""(?:\\.|[^"\\])*"|'((?:\\.|[^'\\])*)'""", re.DOTALL)
_WORDS = {
    "NaN": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
    "INF": math.inf,
    "-INF": -math.inf,
    "+INF": math.inf,
}
_READ = (STRING, BOOLEAN, data.DOUBLE, data.FLOAT)


class _Bad(ValueError):
    """A value outside of the range of its type."""


class _Text(str):
    """A number with its text in the JSON."""


def _double_quoted(match: re.Match[str]) -> str:
    inner = match[1]
    return match[0] if inner is None else '"' + inner.replace("\\'", "'").replace('"', '\\"') + '"'


def read(text: str, schema: str) -> str | None:
    """Return a JSON text of the value that Spark reads with a schema, in a member `x`; None for no value."""
    type = _schema(schema)
    assert type is not None
    if not text.strip():
        return None
    try:
        plain = _QUOTED.sub(_double_quoted, text).lstrip()
        decoder = json.JSONDecoder(parse_float=_Text, parse_int=_Text, parse_constant=_Text)
        value, _ = decoder.raw_decode(plain)
    except (ValueError, RecursionError):
        value = None
    if isinstance(type, Array) and isinstance(type.element, Struct) and isinstance(value, dict):
        value = [value]
    try:
        result = _value(value, type)
    except _Bad:
        result = None
    if result is None and isinstance(type, Struct):
        result = {f.name: None for f in type.fields}
    return None if result is None else json.dumps({"x": result})


def _value(value: Any, type: DataType) -> Any:
    """Return a value as JSON that DuckDB converts.

    Raises _Bad.
    """
    if value is None:
        return None
    match type:
        case Struct(fields):
            if not isinstance(value, dict):
                raise _Bad
            return {f.name: _or_null(value.get(f.name), f.type) for f in fields}
        case Array(element):
            if not isinstance(value, list):
                raise _Bad
            return [_value(each, element) for each in value]
        case Map(_, element):
            if not isinstance(value, dict):
                raise _Bad
            return {key: _value(each, element) for key, each in value.items()}
        case Decimal():
            return _decimal(value, type)
    if type == STRING:
        return value if isinstance(value, str) and not isinstance(value, _Text) else written(value)
    if type == BOOLEAN:
        if not isinstance(value, bool):
            raise _Bad
        return value
    if is_integer(type):
        bits = 31 if type == INT else 63
        if (
            not isinstance(value, _Text)
            or not re.fullmatch("-?[0-9]+", value)
            or not -(2**bits) <= int(value) < 2**bits
        ):
            raise _Bad
        return int(value)
    return _floating(value)


def _or_null(value: Any, type: DataType) -> Any:
    """Return a field of a struct, None if it is invalid."""
    try:
        return _value(value, type)
    except _Bad:
        return None


def _floating(value: Any) -> float | str:
    if value in _WORDS:
        return str(_WORDS[value])
    if not isinstance(value, _Text):
        raise _Bad
    number = float(value)
    return number if math.isfinite(number) else str(number)


def _decimal(value: Any, type: Decimal) -> str:
    if not isinstance(value, str):
        raise _Bad
    try:
        number = Number(value.replace(",", "")).quantize(Number(1).scaleb(-type.scale), ROUND_HALF_UP)
    except InvalidOperation:
        raise _Bad from None
    if not number.is_finite() or abs(number) >= Number(10) ** (type.precision - type.scale):
        raise _Bad
    return str(number)


def written(value: Any) -> str:
    """Return a part of a JSON text as a text."""
    if isinstance(value, _Text):
        return str(value) if re.fullmatch("-?[0-9]+", value) else _WORDS_OF.get(value) or double_text(float(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return "null"


_WORDS_OF = {"NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity"}


@lru_cache(maxsize=256)
def _schema(text: str) -> DataType | None:
    """Return the type of a schema; None for an unsupported one."""
    try:
        type = parse_type_or_columns(text)
    except DdlError:
        return None
    if not isinstance(type, Struct | Array | Map):
        return None
    leaves = [part for part in parts(type) if not isinstance(part, Struct | Array | Map)]
    has_readable_leaves = all(leaf in _READ or is_integer(leaf) or isinstance(leaf, Decimal) for leaf in leaves)
    keys = all(part.key == STRING for part in parts(type) if isinstance(part, Map))
    return type if has_readable_leaves and keys else None


_FORM = PythonForm("lsqlc_sql_from_json", read, ("VARCHAR", "VARCHAR"), "VARCHAR")


def _schema_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return _schema(str(literals[1]))


def _from_duckdb(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    type = _schema(str(values[1]))
    assert type is not None
    whole = f"CAST(CAST({_FORM.call(texts)} AS JSON) AS STRUCT(x {type_text('duckdb', type)}))"
    return f"struct_extract({whole}, 'x')"


def _from_spark(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    type = _schema(str(values[1]))
    assert type is not None
    return f"from_json({texts[0]}, {engines.text('spark', type_text('spark', type))})"


def _to_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    type = types[0]
    keys = all(not isinstance(p.key, Struct | Array | Map) for p in parts(type) if isinstance(p, Map))
    return STRING if isinstance(type, Struct | Array | Map) and keys and data.TIME not in parts(type) else None


def _to_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return _json(texts[0], types[0], 0)


def _text(sql: str) -> str:
    return f"cast(to_json({sql}) as varchar)"


def _json(sql: str, type: DataType, depth: int) -> str:
    """Return DuckDB's SQL for a value as JSON; NULL for a NULL."""
    name = f"j{depth}"
    match type:
        case Array(element):
            inner = f"coalesce({_json(name, element, depth + 1)}, 'null')"
            return f"('[' || array_to_string(list_transform({sql}, lambda {name}: {inner}), ',') || ']')"
        case Map(key, value):
            label = _text(cast("duckdb", f"{name}.key", key, STRING))
            inner = f"{label} || ':' || coalesce({_json(f'{name}.value', value, depth + 1)}, 'null')"
            return f"('{{' || array_to_string(list_transform(map_entries({sql}), lambda {name}: {inner}), ',') || '}}')"
        case Struct(fields):
            members = []
            for field in fields:
                inner = _json(f"struct_extract({sql}, {engines.text('duckdb', field.name)})", field.type, depth)
                label = engines.text("duckdb", json.dumps(field.name, ensure_ascii=False) + ":")
                members.append(f"{label} || {inner}")
            present_members = f"list_filter([{', '.join(members)}], lambda {name}: {name} is not null)"
            return f"case when {sql} is not null then '{{' || array_to_string({present_members}, ',') || '}}' end"
    if type in (data.DOUBLE, data.FLOAT):
        number = cast("duckdb", sql, type, STRING)
        return f"case when isfinite({sql}) then {number} else '\"' || {number} || '\"' end"
    if type == BOOLEAN or is_numeric(type):
        return cast("duckdb", sql, type, STRING)
    if type == data.DATE:
        return _text(f"strftime({sql}, '%Y-%m-%d')")
    if type == data.TIMESTAMP:
        return _text(f"strftime({sql}, '%Y-%m-%dT%H:%M:%S.%gZ')")
    if type == data.BYTES:
        return _text(f"to_base64({sql})")
    return "cast(null as varchar)" if type == data.NULL else _text(sql)


_ITEM = of(JSON_FUNCTIONS, "EXTRACTJSONFIELD")
JSON: tuple[Function, ...] = (
    Function("GET_JSON_OBJECT", (Parameter("text", "string"), Parameter("path", "path in json", literal=True)),
             always(STRING), _ITEM.duckdb, _ITEM.spark,
             "what stands at a path of a JSON text, such as $.a[0].b, as text; null for nothing", nulls=Nulls.MAY),
    Function("FROM_JSON", (Parameter("text", "string"), Parameter("schema", "string", literal=True)), _schema_type,
             ValueForm(_from_duckdb), ValueForm(_from_spark),
             "a JSON text as a value of a schema such as 'a INT, b ARRAY<STRING>', of texts, numbers and booleans; what"
             " does not fit is null", nulls=Nulls.MAY, uses=(_FORM,)),
    Function("TO_JSON", (Parameter("value", "any"),), _to_type, _to_duckdb, "to_json({0})",
             "a struct, an array or a map as JSON, without the fields of structs that are null"),
)  # fmt: skip
