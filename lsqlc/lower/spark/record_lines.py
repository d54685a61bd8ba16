"""Records as lines of JSON, read and written by Spark's own functions: no code of ours runs on the cluster.

A line is read with the fields that the scan asks for, and a line that does not fit them fails the query with the line
in the message (`from_json` in mode FAILFAST). TIMESTAMP is the one type whose form needs words of its own: the
language writes a fraction only where there is one.
"""

from __future__ import annotations

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.expressions import struct, text, ticked
from lsqlc.lower.spark.wire.json_text import json_of, worded
from lsqlc.lower.spark.wire.records import Wires, written, written_lines
from lsqlc.plan import nodes
from lsqlc.topics.lines import time_path
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import LATEST, NO_TIME, Facet, Topic

# How the names of topics between the stages of a model begin.
INTERNAL = "_lsqlc."


def parsed_records(*read: tuple[nodes.Scan, str]) -> str:
    """The columns `_r0`, `_r1`, ...: for each scan the record of a line, from an expression that is the line or null.

    They are taken from an array of one. As plain columns Spark would parse each line anew in the filters above, which
    it moves down to where the line is; over what was in an array it does not.
    """
    records = [_parsed(scan, line) for scan, line in read]
    if len(records) == 1:
        return f"explode(array({records[0]})) AS _r0"
    named = ", ".join(f"{record} AS _r{i}" for i, record in enumerate(records))
    return f"inline(array(struct({named})))"


def record_columns(scan: nodes.Scan, shift: int = 0) -> str:
    """The facets of the parsed record that `parsed_records` gave."""
    parsed = f"_r{shift}"
    key, value = _facet(scan, scan.key, parsed, "key"), _facet(scan, scan.value, parsed, "value")
    if scan.places:
        value = f"if({parsed}.value IS NULL, NULL, {_placed(scan, value)})"
    return f"{key} AS k{shift}, {value} AS v{shift}"


def place_columns(*scans: nodes.Scan) -> str:
    """What stands before the columns of parsed records, where a scan asks for their places."""
    return "_partition, _offset, " if any(scan.places for scan in scans) else ""


def _placed(scan: nodes.Scan, value: str) -> str:
    assert isinstance(scan.value.type, Struct)
    own = ((f.name, f"{value}.{ticked(f.name)}") for f in scan.value.type.fields)
    return struct((*own, *zip((f.name for f in nodes.PLACES), ("_partition", "_offset"), strict=True)))


def time_of(topic: Topic, shift: int = 0) -> str:
    """The record's time in milliseconds: its timestamp, or the field that the topic declares. A record whose time is
    none that a record can have fails the query; where such are passed over, it does not come here.
    """
    time = _declared_time(topic, shift)
    if topic.name.startswith(INTERNAL):
        return time
    said = text(f"{time_path(topic)} of a record of '{topic.name}': {NO_TIME}")
    return f"if({time} BETWEEN 0L AND {LATEST}L, {time}, raise_error({said}))"


def _declared_time(topic: Topic, shift: int) -> str:
    parsed = f"_r{shift}"
    if topic.event_time is None:
        return f"{parsed}.timestamp"
    field = ".".join([parsed, "value", *map(ticked, topic.event_time.split("."))])
    type = topic.value.type
    for name in topic.event_time.split("."):
        found = type.field(name) if isinstance(type, Struct) else None
        type = found.type if found else data.NULL
    millis = f"unix_millis(CAST({field} AS TIMESTAMP))" if type in (data.TIMESTAMP, data.DATE) else field
    return f"coalesce({millis}, {parsed}.timestamp)"


def written_columns(topic: Topic, wires: Wires | None, *, table: bool, cases: bool) -> str:
    """What is written of a row with the columns `_ord`, `_ts`, `k0` and `v0`: `_ord` and its `line`, or the columns
    that Kafka stores (see `steps.Write`).
    """
    if wires is None:
        return f"_ord, {written_line(topic, table=table, cases=cases)} AS line"
    wire = wires.get(topic.name)
    if wire is None:
        key = "NULL" if topic.key.is_absent else json_of("k0", topic.key.type)
        return written_lines(written_line(topic, table=table, cases=cases), key)
    return written(wire, topic, table=table)


def written_line(topic: Topic, *, table: bool, cases: bool) -> str:
    """The line of a row with the columns `_ord`, `_ts`, `k0` and `v0`; every field is written, nulls included."""
    value = worded("v0", topic.value.type)
    value = f"if(_live, {value}, NULL)" if table else value
    order = "_ord" if topic.ordinal_width == 1 else "CAST(_ord AS ARRAY<BIGINT>)"
    parts = (("ordinal", order), ("timestamp", "_ts"), ("key", worded("k0", topic.key.type)), ("value", value))
    if cases:
        parts = (("case", "_case"), *parts)  # type: ignore[assignment]
    return f"to_json({struct(parts)}, map('ignoreNullFields', 'false'))"


def _parsed(scan: nodes.Scan, line: str) -> str:
    order = "BIGINT" if scan.topic.ordinal_width == 1 else "ARRAY<BIGINT>"
    parts = [f"ordinal {order}", "timestamp BIGINT"]
    parts += [
        f"{name} {type_text('spark', f.type)}"
        for name, f in (("key", scan.key), ("value", scan.value))
        if not f.is_absent
    ]
    schema = ", ".join(parts)
    return f"from_json({line}, {text(schema)}, map('mode', 'FAILFAST'))"


def _facet(scan: nodes.Scan, facet: Facet, parsed: str, name: str) -> str:
    """A facet of the parsed record. `from_json` takes null for any type, so that NOT NULL is looked at here."""
    if facet.is_absent:
        return "CAST(NULL AS INT)"
    value = f"{parsed}.{name}"
    lacking = _lacking(value, facet.type)
    if not lacking or scan.topic.name.startswith(INTERNAL):
        return value
    said = text(f" of '{scan.topic.name}' has null in a field that is NOT NULL")
    bad = f"raise_error(concat('the record ', CAST({parsed}.ordinal AS STRING), {said}))"
    return f"if({value} IS NOT NULL AND ({' OR '.join(lacking)}), {bad}, {value})"


def _lacking(sql: str, type: DataType, depth: int = 0) -> list[str]:
    """Conditions that hold for a value, not null itself, with a null where its type has none."""
    found = []
    match type:
        case Struct(fields):
            for field in fields:
                part = f"{sql}.{ticked(field.name)}"
                inner = _lacking(part, field.type, depth)
                found += [] if field.nullable else [f"{part} IS NULL"]
                found += [f"({part} IS NOT NULL AND ({' OR '.join(inner)}))"] if inner else []
        case Array(element):
            inner = _lacking(f"n{depth}", element, depth + 1)
            found += [f"exists({sql}, n{depth} -> n{depth} IS NOT NULL AND ({' OR '.join(inner)}))"] if inner else []
        case Map(_, value):
            inner = _lacking(f"n{depth}", value, depth + 1)
            condition = f"n{depth} -> n{depth} IS NOT NULL AND ({' OR '.join(inner)})"
            found += [f"exists(map_values({sql}), {condition})"] if inner else []
    return found
