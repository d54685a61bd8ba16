"""JSON Schema (draft 7) of types, from which `read_json_schema` returns the same type.

The schema accepts the JSON of the codec: numbers that are not finite are texts, BYTES is base64, TIME is microseconds,
the keys of a MAP are texts. `required` lists the fields that are NOT NULL; a nullable field may be missing.
"""

from __future__ import annotations

import json
from typing import Any

from lsqlc.formats.json_schema.scalars import KEY_FORMATS, NOT_FINITE
from lsqlc.types import data
from lsqlc.types.codec_text import BIGINT_RANGE, INT_RANGE, TIME_RANGE
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

_DIALECT = "http://json-schema.org/draft-07/schema#"
_NUMBER = {"type": ["number", "string"], "pattern": NOT_FINITE}
_PRIMITIVES: dict[DataType, dict[str, Any]] = {
    data.NULL: {"type": "null"},
    data.BOOLEAN: {"type": "boolean"},
    data.INT: {"type": "integer", "minimum": INT_RANGE[0], "maximum": INT_RANGE[1]},
    data.BIGINT: {"type": "integer", "minimum": BIGINT_RANGE[0], "maximum": BIGINT_RANGE[1]},
    data.FLOAT: {**_NUMBER, "format": "float"},
    data.DOUBLE: _NUMBER,
    data.STRING: {"type": "string"},
    data.BYTES: {"type": "string", "contentEncoding": "base64"},
    data.DATE: {"type": "string", "format": "date"},
    data.TIME: {"type": "integer", "format": "time-micros", "minimum": TIME_RANGE[0], "maximum": TIME_RANGE[1]},
    data.TIMESTAMP: {"type": "string", "format": "date-time"},
}
_KEYS = {type: {"format": format} for format, type in KEY_FORMATS.items()}


def json_schema(type: DataType, title: str | None = None, *, closed: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of a type, JSON-ready. `title`: the name of the records; `closed`: objects have no other
    fields. Raises ValueError for a MAP whose keys are no primitive, which cannot be represented in JSON.
    """
    return {"$schema": _DIALECT, **({"title": title} if title else {}), **_schema(type, closed)}


def json_schema_text(type: DataType, title: str | None = None) -> str:
    """Return the text of json_schema for a file: indented, with a line feed at its end."""
    return json.dumps(json_schema(type, title), indent=2, ensure_ascii=False) + "\n"


def closed_json_schema(type: DataType, title: str) -> str:
    """Return the schema that is registered for records in JSON_SR, in one line. It is closed: older records of an open
    object may have a new field with another type, so that registries reject the field in the mode BACKWARD.
    """
    return json.dumps(json_schema(type, title, closed=True), separators=(",", ":"))


def is_same_json_schema(a: str, b: str) -> bool:
    """Return whether two texts are one schema: some registries sort the keys of the schemas that they store.

    False for a text that is not JSON.
    """
    try:
        return bool(json.loads(a) == json.loads(b))
    except (ValueError, RecursionError):
        return False


def _schema(type: DataType, closed: bool = False) -> dict[str, Any]:
    match type:
        case Struct(fields):
            required = [f.name for f in fields if not f.nullable]
            own = {f.name: _schema(f.type, closed) for f in fields}
            properties = {f.name: _nullable(own[f.name]) if f.nullable else own[f.name] for f in fields}
            rest = {
                **({"required": required} if required else {}),
                **({"additionalProperties": False} if closed else {}),
            }
            return {"type": "object", "properties": properties, **rest}
        case Array(element):
            return {"type": "array", "items": _nullable(_schema(element, closed))}
        case Map(key, value):
            names = {} if key == data.STRING else {"propertyNames": _key(key)}
            return {"type": "object", "additionalProperties": _nullable(_schema(value, closed)), **names}
        case Decimal(precision, scale):
            return {"type": "number", "format": "decimal", "precision": precision, "scale": scale}
        case _:
            return _PRIMITIVES[type]


def _key(type: DataType) -> dict[str, Any]:
    if isinstance(type, Decimal):
        return {"format": "decimal", "precision": type.precision, "scale": type.scale}
    if type == data.BYTES:
        return {"contentEncoding": "base64"}
    if type not in _KEYS:
        raise ValueError(f"a MAP with keys of {type} cannot be represented in JSON")
    return _KEYS[type]


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    words = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return schema if "null" in words else {**schema, "type": [*words, "null"]}
