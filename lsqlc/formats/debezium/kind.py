"""The types of rows and of changes, and schemas of envelopes in a registry, whose columns are those of `after`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lsqlc.formats.record import SchemaKind
from lsqlc.formats.registered import FacetSchemas
from lsqlc.formats.schema_file import SchemaProblem, SchemaRead
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct

_TEXTS = (
    "version", "connector", "name", "snapshot", "db", "sequence", "schema", "table",
    # MySQL; SQL Server; MongoDB.
    "file", "gtid", "query", "change_lsn", "commit_lsn", "rs", "collection", "lsid",
)  # fmt: skip
_NUMBERS = (
    "ts_ms",
    # PostgreSQL; MySQL; SQL Server; MongoDB.
    "txId", "lsn", "xmin", "pos", "row", "server_id", "thread", "event_serial_no", "ord", "txnNumber", "wallTime",
)  # fmt: skip
# The members of `source` that the connectors of PostgreSQL, MySQL, SQL Server and MongoDB write.
SOURCE = Struct(
    (*(Field(name, data.STRING) for name in _TEXTS), *(Field(name, data.BIGINT) for name in _NUMBERS)),
)


def change_type(row: DataType, *, has_source: bool) -> Struct:
    """Return the type of changes of rows. `has_source`: it has the member `source`."""
    source = (Field("source", SOURCE),) if has_source else ()
    return Struct(
        (Field("op", data.STRING), Field("ts", data.TIMESTAMP), Field("before", row), Field("after", row), *source)
    )


def row_of(change: DataType) -> DataType:
    """Return the row in the type of a change; for another type NULL."""
    after = change.field("after") if isinstance(change, Struct) else None
    return data.NULL if after is None else after.type


# The logical types of Avro that the units of Debezium are. Nanoseconds have none here: they are BIGINT.
_LOGICAL: Mapping[str, tuple[str, str]] = {
    "io.debezium.time.Date": ("int", "date"),
    "io.debezium.time.Time": ("int", "time-millis"),
    "io.debezium.time.MicroTime": ("long", "time-micros"),
    "io.debezium.time.Timestamp": ("long", "timestamp-millis"),
    "io.debezium.time.MicroTimestamp": ("long", "timestamp-micros"),
}


def envelope_type(row: DataType, *, change: bool = False) -> Struct:
    """Return the members of an envelope that are read, around the type of a row. `change`: those of a whole change."""
    more = (Field("ts_ms", data.BIGINT), Field("before", row)) if change else ()
    return Struct((Field("op", data.STRING), *more, Field("after", row)))


def around_rows(inner: SchemaKind, *, change: bool, has_source: bool) -> SchemaKind:
    """Return the kind of schemas of envelopes, whose types are those of rows, or of changes."""
    units: Callable[[str], str] = with_units if inner.type == "AVRO" else str

    def read(text: str, message: str | None) -> SchemaRead:
        schema_read = inner.read(units(text), message)
        after = schema_read.type.field("after") if isinstance(schema_read.type, Struct) else None
        if schema_read.type is None or (after is not None and isinstance(after.type, Struct)):
            if after is None:
                return schema_read
            return SchemaRead(change_type(after.type, has_source=has_source) if change else after.type, ())
        return SchemaRead(None, (SchemaProblem("the schema has no columns in 'after'", "$", 0, 1, False),))

    def around(type: DataType) -> Struct:
        return envelope_type(row_of(type) if change else type, change=change)

    def for_reading(type: DataType, versions: Mapping[int, str], message: str | None) -> FacetSchemas | None:
        texts = {id: units(text) for id, text in versions.items()}
        return inner.for_reading(around(type), texts, message)

    def misfits(type: DataType, text: str, message: str | None) -> list[str]:
        assert inner.misfits is not None, "only called where it is there"
        return [why.replace("'after.", "'") for why in inner.misfits(around(type), units(text), message)]

    return replace(
        inner,
        read=read,
        for_reading=for_reading,
        misfits=None if inner.misfits is None else misfits,
        incompatible=None,
        endings=(),
        read_files=None,
    )


def with_units(text: str) -> str:
    """Return a schema of Avro in which the units of Debezium are logical types.

    >>> with_units('{"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"}')
    '{"type":"long","logicalType":"timestamp-micros"}'
    """
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        # Its reader reports the problem.
        return text
    return json.dumps(_with_units(schema), separators=(",", ":"))


def _with_units(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_units(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    unit = _LOGICAL.get(str(schema.get("connect.name")))
    if unit is not None and unit[0] == schema.get("type"):
        return {"type": unit[0], "logicalType": unit[1]}
    # A default is a value, not a schema.
    return {name: part if name == "default" else _with_units(part) for name, part in schema.items()}
