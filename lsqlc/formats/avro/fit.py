"""Whether the declared columns of a topic match an Avro schema: fields by name, and types without loss.

`read_avro` returns the type of a schema. A topic may be declared with other columns: with fewer columns, with nullable
columns, or with the columns of ksqlDB, whose names are upper case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsqlc.formats.avro.tree import Avro, Member
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

# Years 1 to 9999, as days and microseconds since 1970.
DAYS = (-719_162, 2_932_896)
MICROS = (-62_135_596_800_000_000, 253_402_300_799_999_999)
# The schemas without a logical type from which a type is read.
_KINDS: Mapping[DataType, tuple[str, ...]] = {
    data.BOOLEAN: ("boolean",), data.INT: ("int",), data.BIGINT: ("long",), data.FLOAT: ("float",),
    data.DOUBLE: ("double",), data.STRING: ("string", "enum"), data.BYTES: ("bytes", "fixed"),
}  # fmt: skip
_LOGICAL_OF: Mapping[DataType, tuple[str, ...]] = {
    data.DATE: ("date",), data.TIME: ("time-millis", "time-micros"),
    data.TIMESTAMP: ("timestamp-millis", "timestamp-micros"),
}  # fmt: skip
_WIDER: Mapping[DataType, tuple[str, ...]] = {data.INT: ("int", "long"), data.FLOAT: ("float", "double")}
_UNITS = ("decimal", *(name for names in _LOGICAL_OF.values() for name in names))


def member_of(schema: Avro, name: str) -> Member:
    """Return the field of a record by its name, or else by its name in another case. Raises ValueError."""
    if schema.kind != "record":
        raise ValueError(f"{schema} has no fields")
    same = [m for m in schema.members if m.name == name] or [
        m for m in schema.members if m.name.upper() == name.upper()
    ]
    if not same:
        raise ValueError(f"the {schema} has no field '{name}'")
    return same[0]


def gives(schema: Avro, type: DataType) -> bool:
    """Return whether values of the schema can be read as the type."""
    if isinstance(type, Decimal):
        same = schema.precision - schema.scale <= type.precision - type.scale and schema.scale <= type.scale
        return schema.logical == "decimal" and same
    if type in _LOGICAL_OF:
        return schema.logical in _LOGICAL_OF[type]
    return schema.kind in _KINDS.get(type, ()) and schema.logical not in _UNITS


def takes(schema: Avro, type: DataType) -> bool:
    """Return whether values of the type can be written with the schema. Only fractions of a time may be lost."""
    if isinstance(type, Decimal):
        enough = type.precision - type.scale <= schema.precision - schema.scale and type.scale <= schema.scale
        return schema.logical == "decimal" and enough
    if type in _WIDER:
        return schema.kind in _WIDER[type] and schema.logical not in _UNITS
    return gives(schema, type)


def misfits(type: DataType, schema: Avro, path: str = "") -> Iterator[str]:
    """Yield why values of a schema cannot be read as a type, one clause per field."""
    schema, at = schema.present, f"'{path}'" if path else "the value"
    match type:
        case Struct(fields) if schema.kind == "record":
            for f in fields:
                where = f"{path}.{f.name}" if path else f.name
                try:
                    member = member_of(schema, f.name)
                except ValueError:
                    yield f"'{where}' is {f.type} here, and is not in the schema"
                    continue
                if member.schema.may_be_null and not f.nullable:
                    yield f"'{where}' is NOT NULL here, and may be null in the schema"
                yield from misfits(f.type, member.schema, where)
        case Array(element) if schema.kind == "array":
            yield from misfits(element, schema.inner[0], f"{path}[]")
        case Map(data.STRING, value) if schema.kind == "map":
            yield from misfits(value, schema.inner[0], f"{path}[]")
        case Map(key, value) if schema.kind == "array" and schema.logical == "map":
            entry = schema.inner[0].present
            for name, part in (("key", key), ("value", value)):
                yield from misfits(part, member_of(entry, name).schema, f"{path}[]")
        case _ if not gives(schema, type):
            yield f"{at} is {type} here, and {schema} in the schema"
