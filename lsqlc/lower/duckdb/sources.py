"""Topics as tables of DuckDB: `_case`, `_ord`, `_ts`, `k` and `v`, typed by the topic's schema.

Records come in as JSON with the members `case`, `ordinal`, `timestamp`, `key` and `value`, and `headers` if they have
any, which become the column `_headers` of a topic whose headers are read. Their types are those of the schema, but for
BYTES, which stand there as base64. `from_json` reads them: it keeps all digits of a DECIMAL, which `read_json` takes
for a DOUBLE.
"""

from __future__ import annotations

from lsqlc.connectors.lines import time_path
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.plan import nodes
from lsqlc.scan.data_files import LATE, SHIFT
from lsqlc.sql.duckdb import json_text, quoted, struct, text
from lsqlc.sql.writer import nested
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct
from lsqlc.types.headers import LINE_HEADERS, HeaderColumn
from lsqlc.types.record import LATEST, NO_TIME, Topic


def table_name(topic: str) -> str:
    """Return the common table expression that holds a topic's records. Its name has the code points of the capital
    letters too, since names that differ in case alone are one to DuckDB, and two topics to Kafka.

    >>> table_name("Orders")
    '"topic Orders (4f)"'
    """
    capitals = " ".join(f"{ord(letter):x}" for letter in topic if letter != letter.lower())
    return quoted(f"topic {topic} ({capitals})" if capitals else f"topic {topic}")


def of_cases(topic: Topic, parameter: int, headers: bool = False) -> str:
    """Return the records of a topic in all cases, from a parameter that is one JSON array; with `headers` those too."""
    structure = text(f"[{_structure(topic, headers)}]")
    source = f"SELECT unnest(from_json(${parameter}, {structure})) AS r"
    return _records(topic, "r.case", source, headers=headers)


def of_files(topic: Topic, parameter: int) -> str:
    """Return the records of a topic of files from a parameter that is one JSON array; all belong to case 0, and their
    ordinals begin as `project.data_files` says.
    """
    structure = text(f"[{_structure(topic)}]")
    early = f"list_prepend(r.ordinal[1] - {LATE + SHIFT}, r.ordinal[2:])"
    return _records(topic, "0", f"SELECT unnest(from_json(${parameter}, {structure})) AS r", early)


def of_segments(topic: Topic, parameter: int, headers: bool = False) -> str:
    """Return the records of a topic from a parameter that is the list of its files of JSON lines, which may be empty;
    with `headers` those too. All belong to case 0.
    """
    lines = f"read_json_objects(${parameter}, format = 'newline_delimited')"
    # Unnested, it is computed once for a line; DuckDB would repeat it for each field that is used.
    source = f"SELECT unnest([from_json(json, {text(_structure(topic, headers))})]) AS r FROM {lines}"
    return _records(topic, "0", source, headers=headers)


def _structure(topic: Topic, headers: bool = False) -> str:
    order = '"BIGINT"' if topic.ordinal_width == 1 else '["BIGINT"]'
    key, value = _wire_structure(wire(topic.key.type)), _wire_structure(wire(topic.value.type))
    more = f',"headers":{_wire_structure(wire(LINE_HEADERS))}' if headers else ""
    return f'{{"case":"INTEGER","ordinal":{order},"timestamp":"BIGINT","key":{key},"value":{value}{more}}}'


def _records(topic: Topic, case: str, source: str, early: str = "r.ordinal", *, headers: bool = False) -> str:
    """`early`: the ordinal of a record of a file that is read as a TABLE."""
    key, value = restore("r.key", topic.key.type), restore("r.value", topic.value.type)
    ordinals = f"r.ordinal AS _ord, {early} AS _early" if topic.files else "r.ordinal AS _ord"
    more, own = (f", {restore('r.headers', LINE_HEADERS)} AS _headers", ", _headers") if headers else ("", "")
    select = f"SELECT {case} AS _case, {ordinals}, r.timestamp AS _ts, {key} AS k, {value} AS v{more}\nFROM ({source})"
    kept = "_ord, _early" if topic.files else "_ord"
    return f"SELECT _case, {kept}, {_known_time(topic)} AS _ts, k, v{own} FROM {nested(select)}"


def scan_ordinal(scan: nodes.Scan) -> str:
    """Return the ordinal of what a scan reads: the records of a TABLE of files go before those of any log."""
    return "_early AS _ord" if scan.topic.files and scan.semantics == "TABLE" else "_ord"


def scan_columns(scan: nodes.Scan) -> str:
    """What a scan reads of its topic's table: the facets, with the fields that the query uses."""
    key = _pruned("k", scan.topic.key.type, scan.key.type)
    places = tuple(zip((f.name for f in nodes.PLACES), ("0", "_offset"), strict=True)) if scan.places else ()
    headers = tuple((header.name, _header(header)) for header in scan.headers)
    value = _pruned("v", scan.topic.value.type, scan.value.type, (*places, *headers))
    return f"{key} AS k0, {value} AS v0"


def _header(column: HeaderColumn) -> str:
    """What a column of headers has of `_headers`."""
    if column.key is None:
        given = "list_transform(_headers, lambda h: {'KEY': h.key, 'VALUE': h.value})"
        return f"coalesce({given}, CAST([] AS {type_text('duckdb', column.type)}))"
    return f"list_filter(_headers, lambda h: h.key = {text(column.key)})[-1].value"


def _pruned(sql: str, whole: DataType, kept: DataType, more: tuple[tuple[str, str], ...] = ()) -> str:
    """Return a struct with only the kept fields, and `more` of them by name and SQL; null stays null."""
    if (whole == kept and not more) or not isinstance(kept, Struct) or not isinstance(whole, Struct):
        return sql
    types = {f.name: f.type for f in whole.fields}
    parts = [(f.name, _pruned(f"{sql}.{quoted(f.name)}", types[f.name], f.type)) for f in kept.fields]
    return f"CASE WHEN {sql} IS NOT NULL THEN {struct((*parts, *more))} END"


def with_offsets(source: str, offset: str) -> str:
    """Return a topic's records with `_offset`, their number in the topic."""
    return f"SELECT *, {offset} AS _offset FROM {nested(source)}"


def _known_time(topic: Topic) -> str:
    time, field = time_column(topic), _declared_field(topic, "v")
    where = text("timestamp")
    if field:
        where = f"CASE WHEN {field} IS NULL THEN {where} ELSE {text(time_path(topic))} END"
    said = f"{where} || {text(f' of a record of {topic.name!r}: {NO_TIME}')}"
    return f"CASE WHEN {time} BETWEEN 0 AND {LATEST} THEN {time} ELSE error({said}) END"


def time_column(topic: Topic, value: str = "v") -> str:
    """Return the record's time in milliseconds: its timestamp, or the field that the topic declares."""
    field = _declared_field(topic, value)
    if not field:
        return "_ts"
    type = topic.value.type
    for name in (topic.event_time or "").split("."):
        found = type.field(name) if isinstance(type, Struct) else None
        type = found.type if found else data.NULL
    return f"coalesce(epoch_ms({field}), _ts)" if type in (data.TIMESTAMP, data.DATE) else f"coalesce({field}, _ts)"


def _declared_field(topic: Topic, value: str) -> str:
    """Return the field that a topic declares as its records' time; empty where it declares none."""
    return "" if topic.event_time is None else ".".join([value, *map(quoted, topic.event_time.split("."))])


def wire(type: DataType) -> DataType:
    """Return the type in which a value is read from JSON: BYTES come as text."""
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


def _wire_structure(type: DataType) -> str:
    """Return the type as DuckDB's `from_json` takes it: JSON text."""
    match type:
        case Struct(fields):
            parts = ",".join(f"{json_text(f.name)}:{_wire_structure(f.type)}" for f in fields)
            return "{" + parts + "}"
        case Array(element):
            return f"[{_wire_structure(element)}]"
    return json_text(type_text("duckdb", type))


def restore(sql: str, type: DataType) -> str:
    """Return the value as its own type, from what JSON gave (see `wire`)."""
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
