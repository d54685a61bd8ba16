"""Avro schemas of types, from which `read_avro` returns the same type.

A nullable field is a union with null, whose default is null. A nested record is named after its path, so that names are
unique and the same on every run. A MAP whose keys are no STRING is an array of entries with the logical type `map`,
since the keys of Avro's maps are texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lsqlc.formats.record import PLAIN_NAME
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

_PRIMITIVES: dict[DataType, Any] = {
    data.NULL: "null",
    data.BOOLEAN: "boolean",
    data.INT: "int",
    data.BIGINT: "long",
    data.FLOAT: "float",
    data.DOUBLE: "double",
    data.STRING: "string",
    data.BYTES: "bytes",
    data.DATE: {"type": "int", "logicalType": "date"},
    data.TIME: {"type": "long", "logicalType": "time-micros"},
    data.TIMESTAMP: {"type": "long", "logicalType": "timestamp-micros"},
}


def avro_schema(type: DataType, name: str, namespace: str | None = None) -> Any:
    """Return the Avro schema of a type, JSON-ready. `name`: of the record, if the type is one; characters that Avro
    does not allow become `_`. Raises ValueError for the name of a field that Avro does not allow.
    """
    top = avro_name(name)
    schema = _schema(type, top, _Names())
    if not namespace or not _is_record(schema):
        return schema
    return {"type": "record", "name": top, "namespace": namespace, "fields": schema["fields"]}


def avro_text(type: DataType, name: str, namespace: str | None = None) -> str:
    """Return the text of avro_schema for a file: indented, with a line feed at its end."""
    return json.dumps(avro_schema(type, name, namespace), indent=2, ensure_ascii=False) + "\n"


def avro_name(text: str) -> str:
    """Return a valid name in Avro for a text: `a-topic.v2` gives `a_topic_v2`."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return name if PLAIN_NAME.fullmatch(name) else f"_{name}"


class _Names:
    """Unique names of records."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, preferred: str) -> str:
        name = next(n for n in _numbered(preferred) if n not in self._taken)
        self._taken.add(name)
        return name


def _numbered(name: str) -> Iterator[str]:
    """Yield a name, then the same with a number at its end."""
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1


def _schema(type: DataType, name: str, names: _Names) -> Any:
    """Return the schema of a type. `name`: that of the record, if the type is or has one."""
    match type:
        case Struct():
            return _record(type, names.free(name), names)
        case Array(element):
            return {"type": "array", "items": _nullable(_schema(element, name, names))}
        case Map(data.STRING, value):
            return {"type": "map", "values": _nullable(_schema(value, name, names))}
        case Map(key, value):
            entry = Struct((data.Field("key", key, False), data.Field("value", value)))
            return {"type": "array", "logicalType": "map", "items": _record(entry, names.free(name), names)}
        case Decimal(precision, scale):
            return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
        case _:
            return _PRIMITIVES[type]


def _record(struct: Struct, name: str, names: _Names) -> dict[str, Any]:
    fields = []
    for field in struct.fields:
        if not PLAIN_NAME.fullmatch(field.name):
            raise ValueError(f"'{field.name}' is not a valid name in AVRO")
        schema = _schema(field.type, f"{name}_{field.name}", names)
        default = {"default": None} if field.nullable else {}
        fields.append({"name": field.name, "type": _nullable(schema) if field.nullable else schema, **default})
    return {"type": "record", "name": name, "fields": fields}


def _nullable(schema: Any) -> Any:
    return schema if schema == "null" else ["null", schema]


def _is_record(schema: Any) -> bool:
    return isinstance(schema, dict) and schema["type"] == "record"
