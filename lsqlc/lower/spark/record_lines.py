"""Records as lines of JSON, read and written by Spark's own functions: no code of ours runs on the cluster.

A line is read with the fields that the scan asks for, and a line that does not fit them fails the query with the line
in the message (`from_json` in mode FAILFAST). TIMESTAMP is the one type whose form needs words of its own: the
language writes a fraction only where there is one.
"""

from __future__ import annotations

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.wire.json_text import json_of, worded
from lsqlc.lower.spark.wire.records import Wires, written, written_lines
from lsqlc.plan import nodes
from lsqlc.sql.spark import struct, text, ticked
from lsqlc.topics.lines import time_path
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import LATEST, NO_TIME, Facet, Topic

# How the names of topics between the stages of a model begin.
INTERNAL = "_lsqlc."


def parsed_records(*read: tuple[nodes.Scan, str], fails: bool) -> str:
    """The columns `_r0`, `_r1`, ...: for each scan the record of a line, from an expression that is the line or null.
    `fails`: a record that has no time, or a null where its topic has none, fails the query; else none comes here.

    They are taken from an array of one. As plain columns Spark would parse each line anew in the filters above, which
    it moves down to where the line is, and a record that they leave out would not be looked at; over what was in an
    array it does not.
    """
    records = [_parsed(scan, line) for scan, line in read]
    if fails:
        records = [_looked_at(scan, record) for (scan, _), record in zip(read, records, strict=True)]
    if len(records) == 1:
        return f"explode(array({records[0]})) AS _r0"
    named = ", ".join(f"{record} AS _r{i}" for i, record in enumerate(records))
    return f"inline(array(struct({named})))"


def record_columns(scan: nodes.Scan, shift: int = 0) -> str:
    """The facets of the parsed record that `parsed_records` gave."""
    parsed = f"_r{shift}"
    key, value = _facet(scan.key, f"{parsed}.key"), _facet(scan.value, f"{parsed}.value")
    if scan.places:
        value = f"if({parsed}.value IS NULL, NULL, {_placed(scan, value)})"
    return f"{key} AS k{shift}, {value} AS v{shift}"


def place_columns(*scans: nodes.Scan, also: bool = False) -> str:
    """What stands before the columns of parsed records, where a scan asks for their places, or the lowering `also`."""
    return "_partition, _offset, " if also or any(scan.places for scan in scans) else ""


def _placed(scan: nodes.Scan, value: str) -> str:
    assert isinstance(scan.value.type, Struct)
    own = ((f.name, f"{value}.{ticked(f.name)}") for f in scan.value.type.fields)
    return struct((*own, *zip((f.name for f in nodes.PLACES), ("_partition", "_offset"), strict=True)))


def time_of(topic: Topic, shift: int = 0) -> str:
    """The record's time in milliseconds: its timestamp, or the field that the topic declares."""
    field, millis = _declared_time(topic, f"_r{shift}")
    return f"coalesce({millis}, _r{shift}.timestamp)" if field else f"_r{shift}.timestamp"


def _declared_time(topic: Topic, parsed: str) -> tuple[str, str]:
    """The field that a topic declares as its records' time, and its milliseconds; empty where it declares none."""
    if topic.event_time is None:
        return "", ""
    field = ".".join([parsed, "value", *map(ticked, topic.event_time.split("."))])
    type = topic.value.type
    for name in topic.event_time.split("."):
        found = type.field(name) if isinstance(type, Struct) else None
        type = found.type if found else data.NULL
    return field, f"unix_millis(CAST({field} AS TIMESTAMP))" if type in (data.TIMESTAMP, data.DATE) else field


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


def _looked_at(scan: nodes.Scan, record: str) -> str:
    """A parsed record that has a time and all that its topic has NOT NULL, for which `from_json` takes null; any other
    one fails the query.
    """
    if scan.topic.name.startswith(INTERNAL):
        return record
    facets = (("key", scan.key), ("value", scan.value))
    lacking = [
        f"(r.{name} IS NOT NULL AND ({' OR '.join(parts)}))"
        for name, facet in facets
        if not facet.is_absent and (parts := _lacking(f"r.{name}", facet.type))
    ]
    whole = "r"
    if lacking:
        said = text(f" of '{scan.topic.name}' has null in a field that is NOT NULL")
        whole = f"if({' OR '.join(lacking)}, raise_error(concat('the record ', CAST(r.ordinal AS STRING), {said})), r)"
    field, millis = _declared_time(scan.topic, "r")
    time, where = "r.timestamp", text("timestamp")
    if field:
        time, where = f"coalesce({millis}, {time})", f"if({field} IS NULL, {where}, {text(time_path(scan.topic))})"
    said = f"concat({where}, {text(f' of a record of {scan.topic.name!r}: {NO_TIME}')})"
    timely = f"if({time} BETWEEN 0L AND {LATEST}L, {whole}, raise_error({said}))"
    return f"get(transform(array({record}), r -> if(r IS NULL, r, {timely})), 0)"


def _facet(facet: Facet, value: str) -> str:
    return "CAST(NULL AS INT)" if facet.is_absent else value


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
