"""Functions of ksqlDB over JSON texts. A text that is not JSON gives null, or false for a boolean result."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.data import (
    BOOLEAN,
    BYTES,
    DATE,
    INT,
    NULL,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    DataType,
    Map,
    Struct,
    is_numeric,
)

_TEXT = Parameter("text", "string")
# At most ten digits, which is enough for the index of an array.
_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\[0*([0-9]{1,10})\]|\['([^']*)'\]")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def _read(text: str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the value of a JSON text. `pairs`: creates an object from its members.

    Raises ValueError.
    """
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=pairs)
    except RecursionError as error:
        raise ValueError("too deep") from error


def _read_variant(text: str) -> Any:
    """Return the value of a JSON text as Spark's VARIANT has it.

    Raises ValueError, also for half of a surrogate pair, and for an object with a repeated name.
    """
    value = _read(text, _object)
    if _HALF.search(text):
        _written(value).encode()
    return value


def _encodable(text: str) -> str:
    """Return the text with a question mark for half of a surrogate pair, as Spark writes texts that are not
    VARIANTs.
    """
    return text.encode("utf-8", "replace").decode()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name stands twice")
    return members


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _written(value: Any) -> str:
    if isinstance(value, float) and math.isinf(value):
        # JSON has no number beyond DOUBLE, so it becomes a text.
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def json_field(text: str, path: str) -> str | None:
    """Return the value at a path such as `$.a[0].b` in a JSON text, as text; None if there is none."""
    try:
        value = _read(text)
    except ValueError:
        return None
    position = 1
    if not path.startswith("$"):
        return None
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            return None
        position = step.end()
        name = step[1] or step[3]
        if name is not None:
            if not isinstance(value, dict) or name not in value:
                return None
            value = value[name]
        else:
            index = int(step[2])
            if not isinstance(value, list) or index >= len(value):
                return None
            value = value[index]
    if value is None:
        return None
    result = value if isinstance(value, str) else _written(value)
    return result if _encodable(result) == result else None


def is_json(text: str) -> bool:
    try:
        _read_variant(text)
    except ValueError:
        return False
    return True


def array_length(text: str) -> int | None:
    try:
        value = _read(text)
    except ValueError:
        return None
    return len(value) if isinstance(value, list) else None


def array_contains(text: str, json_value: str) -> bool:
    """Return whether an array has a value, which is JSON. Numbers are equal by value, and true is not a number."""
    try:
        value, expected = _read_variant(text), _read(json_value)
    except ValueError:
        return False
    is_boolean = isinstance(expected, bool)
    return isinstance(value, list) and any(v == expected and isinstance(v, bool) == is_boolean for v in value)


def keys(text: str) -> list[str] | None:
    """Return the names of an object in order; a repeated name is repeated here."""
    try:
        pairs = _read(text, tuple)
    except ValueError:
        return None
    return [_encodable(name) for name, _ in pairs] if isinstance(pairs, tuple) else None


def values(text: str) -> list[str] | None:
    """Return the values of an object, each as JSON."""
    try:
        value = _read_variant(text)
    except ValueError:
        return None
    return [_written(v) for v in value.values()] if isinstance(value, dict) else None


def items(text: str) -> list[str] | None:
    """Return the elements of an array, each as JSON."""
    try:
        value = _read_variant(text)
    except ValueError:
        return None
    return [_written(v) for v in value] if isinstance(value, list) else None


def _form(name: str, function: object, *more: str, returns: str = "VARCHAR") -> PythonForm:
    assert callable(function)
    return PythonForm(f"lsqlc_ksql_json_{name}", function, ("VARCHAR", *more), returns)


_FIELD = _form("field", json_field, "VARCHAR")
_IS_JSON = _form("is", is_json, returns="BOOLEAN")
_LENGTH = _form("length", array_length, returns="INTEGER")
_CONTAINS = _form("contains", array_contains, "VARCHAR", returns="BOOLEAN")
_KEYS = _form("keys", keys, returns="VARCHAR[]")
_VALUES = _form("values", values, returns="VARCHAR[]")
_ITEMS = _form("items", items, returns="VARCHAR[]")


def json_text(engine: Engine, sql: str, type: DataType) -> str:
    """Return the SQL text of a value as JSON, without spaces; `null` for null."""
    return f"coalesce({_json(engine, sql, type, 0)}, 'null')"


def _string(engine: Engine, sql: str) -> str:
    if engine == "duckdb":
        return f"cast(to_json({sql}) as varchar)"
    # to_json does not accept a string alone.
    return f"regexp_replace(to_json(array({sql})), r'\\A\\[|\\]\\z', '')"


def _json(engine: Engine, sql: str, type: DataType, depth: int) -> str:
    if type == NULL:
        return "'null'"
    if type == BOOLEAN or is_numeric(type):
        return cast(engine, sql, type, STRING)
    if type in (DATE, TIMESTAMP, TIME, BYTES):
        return _string(engine, _as_text(engine, sql, type))
    arrow = "lambda {}: {}" if engine == "duckdb" else "{} -> {}"
    each = "list_transform" if engine == "duckdb" else "transform"
    joined = "array_to_string" if engine == "duckdb" else "array_join"
    name = f"j{depth}"
    match type:
        case Array(element):
            inner = f"coalesce({_json(engine, name, element, depth + 1)}, 'null')"
            return f"('[' || {joined}({each}({sql}, {arrow.format(name, inner)}), ',') || ']')"
        case Map(key, value):
            label = _string(engine, cast(engine, f"{name}.key", key, STRING))
            inner = f"coalesce({_json(engine, f'{name}.value', value, depth + 1)}, 'null')"
            pair = arrow.format(name, f"{label} || ':' || {inner}")
            return f"('{{' || {joined}({each}(map_entries({sql}), {pair}), ',') || '}}')"
        case Struct(fields):
            parts = [
                f"{engines.text(engine, _written(f.name) + ':')} || "
                f"coalesce({_json(engine, _field(engine, sql, f.name), f.type, depth)}, 'null')"
                for f in fields
            ]
            members = " || ',' || ".join(parts)
            return f"case when {sql} is not null then '{{' || {members} || '}}' end"
    return _string(engine, sql)


def _field(engine: Engine, sql: str, name: str) -> str:
    if engine == "duckdb":
        return f"struct_extract({sql}, {engines.text(engine, name)})"
    return f"({sql}).{engines.name(engine, name)}"


_PATTERNS = {
    DATE: ("%Y-%m-%d", "yyyy-MM-dd"),
    TIMESTAMP: ("%Y-%m-%dT%H:%M:%S.%g", "yyyy-MM-dd'T'HH:mm:ss.SSS"),
    TIME: ("%H:%M:%S", "HH:mm:ss"),
}


def _as_text(engine: Engine, sql: str, type: DataType) -> str:
    """Return a date, a time or bytes as ksqlDB's text in JSON."""
    if type == BYTES:
        return f"to_base64({sql})" if engine == "duckdb" else f"base64({sql})"
    duckdb, spark = next(p for t, p in _PATTERNS.items() if t == type)
    if engine == "duckdb":
        return f"strftime({f'make_timestamp({sql})' if type == TIME else sql}, '{duckdb}')"
    return f"date_format({f'timestamp_micros({sql})' if type == TIME else sql}, {engines.text('spark', spark)})"


def _to_json(engine: Engine) -> Render:
    return lambda texts, types: json_text(engine, texts[0], types[0])


def _contains(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        text, target = texts
        if engine == "duckdb":
            return f"coalesce({_CONTAINS.call([text, json_text(engine, target, types[1])])}, false)"
        elements = f"try_variant_get(try_parse_json({text}), '$', 'array<variant>')"
        kind, type = "not in ('STRING', 'BOOLEAN')", "double"
        if types[1] in (STRING, BOOLEAN):
            kind, type = f"= '{types[1]}'", str(types[1]).lower()
        same = f"schema_of_variant(j) {kind} and try_variant_get(j, '$', '{type}') = cast({target} as {type})"
        is_equal = f"case when {target} is null then to_json(j) = 'null' else coalesce({same}, false) end"
        return f"coalesce(exists({elements}, j -> {is_equal}), false)"

    return render


def _records_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    keys = _KEYS.call(texts)
    return f"case when {keys} is not null then map({keys}, {_VALUES.call(texts)}) end"


# Spark raises for an index that is not a BIGINT; valid indexes have at most ten digits.
_FIELD_ON_SPARK = r"case when not {1} rlike '\\[0*[1-9][0-9]{{10,}}\\]' then get_json_object({0}, {1}) end"
_OBJECT = "try_variant_get(try_parse_json({0}), '$', 'map<string,variant>')"

JSON_FUNCTIONS: tuple[Function, ...] = (
    Function("EXTRACTJSONFIELD", (_TEXT, Parameter("path", "string")), always(STRING), _FIELD,
             _FIELD_ON_SPARK, "what stands at a path of a JSON text, such as $.a[0].b, as text",
             nulls=Nulls.MAY),
    Function("IS_JSON_STRING", (_TEXT,), always(BOOLEAN),
             lambda texts, types: f"coalesce({_IS_JSON.call(texts)}, false)", "(try_parse_json({0}) is not null)",
             "whether a text is JSON", nulls=Nulls.NEVER, uses=(_IS_JSON,)),
    Function("JSON_ARRAY_LENGTH", (_TEXT,), always(INT), _LENGTH, "json_array_length({0})",
             "how many elements the array of a JSON text has; null for anything else", nulls=Nulls.MAY),
    Function("JSON_ARRAY_CONTAINS", (_TEXT, Parameter("value", "scalar")), always(BOOLEAN), _contains("duckdb"),
             _contains("spark"), "whether the array of a JSON text has a value; false for anything else",
             nulls=Nulls.NEVER, uses=(_CONTAINS,)),
    Function("JSON_KEYS", (_TEXT,), always(Array(STRING)), _KEYS, "json_object_keys({0})",
             "the names in the object of a JSON text; null for anything else", nulls=Nulls.MAY),
    Function("JSON_RECORDS", (_TEXT,), always(Map(STRING, STRING)), _records_duckdb,
             f"transform_values({_OBJECT}, (k, j) -> to_json(j))",
             "the object of a JSON text as a map of names to JSON texts; null for anything else", nulls=Nulls.MAY,
             uses=(_KEYS, _VALUES)),
    Function("JSON_ITEMS", (_TEXT,), always(Array(STRING)), _ITEMS,
             "transform(try_variant_get(try_parse_json({0}), '$', 'array<variant>'), j -> to_json(j))",
             "the elements of the array of a JSON text, as JSON texts; null for anything else", nulls=Nulls.MAY),
    Function("TO_JSON_STRING", (Parameter("value", "any"),), always(STRING), _to_json("duckdb"), _to_json("spark"),
             "a value as JSON; null is `null`", nulls=Nulls.NEVER),
)  # fmt: skip
