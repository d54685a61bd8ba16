"""Types of Protobuf schemas in the lock file.

A missing field of proto3 without `optional` has the default value of its kind, so that the column is NOT NULL. A field
with `optional`, a message, a member of a `oneof`, and a field of proto2 that is not `required` may be null.
"""

from __future__ import annotations

from lsqlc.formats.protobuf.fit import DATE, DECIMAL, KEYS, SCALARS, TIME, TIMESTAMP, WRAPPERS
from lsqlc.formats.protobuf.tree import ProtobufError, ProtoField, ProtoMessage, proto_tree
from lsqlc.formats.schema_file import SchemaProblem, SchemaRead
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct

_KNOWN: dict[str, DataType] = {TIMESTAMP: data.TIMESTAMP, DATE: data.DATE, TIME: data.TIME}
_MOST_DIGITS = 38


def read_protobuf(text: str, name: str | None = None) -> SchemaRead:
    """Return the type that a message of a schema describes (see `proto_tree`). Never raises for bad input."""
    try:
        return SchemaRead(_struct(proto_tree(text, name), ()), ())
    except ProtobufError as error:
        return SchemaRead(None, (SchemaProblem(str(error), "the message", 0, 0, False),))


def _struct(message: ProtoMessage, path: tuple[str, ...]) -> Struct:
    if not message.fields:
        raise ProtobufError(f"the message '{message.name}' has no fields")
    names: dict[str, str] = {}
    fields = []
    for field in message.fields:
        other = names.setdefault(field.name.casefold(), field.name)
        if other != field.name:
            raise ProtobufError(f"the fields '{other}' and '{field.name}' differ only in case")
        type = _type(field, (*path, field.name))
        fields.append(Field(field.name, type, field.presence and not field.is_required))
    return Struct(tuple(fields))


def _type(field: ProtoField, path: tuple[str, ...]) -> DataType:
    if field.label == "many":
        return Array(_one(field, path))
    if field.label == "map" and field.message is not None:
        key, value = field.message.fields
        of_key = _one(key, path)
        if of_key not in KEYS:
            raise ProtobufError(f"'{'.'.join(path)}' is a map whose keys are {key.kind}")
        return Map(of_key, _one(value, path))
    return _one(field, path)


def _one(field: ProtoField, path: tuple[str, ...]) -> DataType:
    message = field.message
    if message is None:
        return SCALARS[field.kind]
    if message.name == DECIMAL:
        if field.decimal is None or not 1 <= field.decimal[0] <= _MOST_DIGITS or field.decimal[1] > field.decimal[0]:
            where = ".".join(path)
            raise ProtobufError(f"'{where}' is a Decimal without a precision of 1 to {_MOST_DIGITS} and a scale")
        return Decimal(*field.decimal)
    if message.name in WRAPPERS:
        return SCALARS[WRAPPERS[message.name]]
    return _KNOWN.get(message.name) or _struct(message, path)
