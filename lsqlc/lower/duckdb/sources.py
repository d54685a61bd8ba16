"""Topics as tables of DuckDB: `_case`, `_ord`, `_ts`, `k` and `v`, typed by the topic's schema.

Records come in as JSON, whose types are those of the schema, but for BYTES, which stand there as base64.
"""

from __future__ import annotations

from lsqlc.functions.engine_types import type_text
from lsqlc.lower.duckdb.expressions import quoted, struct
from lsqlc.plan import nodes
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct
from lsqlc.types.record import Topic


def table_name(topic: str) -> str:
    """The table that holds a topic's records."""
    return quoted(f"topic {topic}")


def scan_columns(scan: nodes.Scan) -> str:
    """What a scan reads of its topic's table: the facets, with the fields that the query uses."""
    key = _pruned("k", scan.topic.key.type, scan.key.type)
    value = _pruned("v", scan.topic.value.type, scan.value.type)
    return f"{key} AS k0, {value} AS v0"


def _pruned(sql: str, whole: DataType, kept: DataType) -> str:
    """A struct with the kept fields alone; null stays null."""
    if whole == kept or not isinstance(kept, Struct) or not isinstance(whole, Struct):
        return sql
    types = {f.name: f.type for f in whole.fields}
    parts = struct((f.name, _pruned(f"{sql}.{quoted(f.name)}", types[f.name], f.type)) for f in kept.fields)
    return f"CASE WHEN {sql} IS NOT NULL THEN {parts} END"


def time_column(topic: Topic, value: str = "v") -> str:
    """The record's time in milliseconds: its timestamp, or the field that the topic declares."""
    if topic.event_time is None:
        return "_ts"
    path = topic.event_time.split(".")
    field = ".".join([value, *map(quoted, path)])
    type = topic.value.type
    for name in path:
        found = type.field(name) if isinstance(type, Struct) else None
        type = found.type if found else data.NULL
    return f"coalesce(epoch_ms({field}), _ts)" if type in (data.TIMESTAMP, data.DATE) else f"coalesce({field}, _ts)"


def wire(type: DataType) -> DataType:
    """The type in which a value is read from JSON: BYTES come as text."""
    match type:
        case data.BYTES:
            return data.STRING
        case Array(element):
            return Array(wire(element))
        case Map(key, value):
            return Map(wire(key), wire(value))
        case Struct(fields):
            return Struct(tuple(Field(f.name, wire(f.type)) for f in fields))
    return type


def wire_structure(type: DataType) -> str:
    """The type as DuckDB's `from_json` wants it: JSON text."""
    match type:
        case Struct(fields):
            parts = ",".join(f"{_json_text(f.name)}:{wire_structure(f.type)}" for f in fields)
            return "{" + parts + "}"
        case Array(element):
            return f"[{wire_structure(element)}]"
    return _json_text(type_text("duckdb", type))


def _json_text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def restore(sql: str, type: DataType) -> str:
    """The value as its own type, from what JSON gave (see `wire`)."""
    if wire(type) == type:
        return sql
    match type:
        case Struct(fields):
            parts = struct((f.name, restore(f"{sql}.{quoted(f.name)}", f.type)) for f in fields)
            return f"CASE WHEN {sql} IS NOT NULL THEN {parts} END"
        case Array(element):
            return f"list_transform({sql}, lambda e: {restore('e', element)})"
        case Map(_, value):
            inner = f"{{'key': e.key, 'value': {restore('e.value', value)}}}"
            return f"map_from_entries(list_transform(map_entries({sql}), lambda e: {inner}))"
    return f"from_base64({sql})"
