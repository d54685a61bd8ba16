"""Topics as DuckDB tables: `_case`, `_ord`, `_ts`, `k` and `v`, typed by the topic's schema.

Records are JSON with the members `case`, `ordinal`, `timestamp`, `key`, `value` and optionally `headers`, which become
the column `_headers` if the plan reads them. Types follow the schema, except that BYTES are base64 text. They are read
with `from_json`, which keeps all digits of a DECIMAL; `read_json` would read a DOUBLE.
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
    """Return the name of a topic's common table expression.

    Names that differ only in case are equal in DuckDB, but are different topics in Kafka. So the name contains the code
    points of capital letters.

    >>> table_name("Orders")
    '"topic Orders (4f)"'
    """
    capitals = " ".join(f"{ord(letter):x}" for letter in topic if letter != letter.lower())
    return quoted(f"topic {topic} ({capitals})" if capitals else f"topic {topic}")


def of_cases(topic: Topic, parameter: int, headers: bool = False) -> str:
    """Return SQL of a topic's records in all cases, from a parameter with a JSON array. `headers`: include headers."""
    structure = text(f"[{_structure(topic, headers)}]")
    source = f"SELECT unnest(from_json(${parameter}, {structure})) AS r"
    return _records(topic, "r.case", source, headers=headers)


def of_rows(topic: Topic, parameter: int) -> str:
    """Return SQL of the rows of a TABLE, from a parameter with a JSON array. `_case` is the text that identifies a
    row.
    """
    structure = text(f"[{_structure(topic, case='VARCHAR')}]")
    return _records(topic, "r.case", f"SELECT unnest(from_json(${parameter}, {structure})) AS r")


def of_files(topic: Topic, parameter: int) -> str:
    """Return SQL of the records of a topic of files, from a parameter with a JSON array.

    All belong to case 0. Their ordinals begin as `project.data_files` defines.
    """
    structure = text(f"[{_structure(topic)}]")
    early = f"list_prepend(r.ordinal[1] - {LATE + SHIFT}, r.ordinal[2:])"
    return _records(topic, "0", f"SELECT unnest(from_json(${parameter}, {structure})) AS r", early)


def of_segments(topic: Topic, parameter: int, headers: bool = False) -> str:
    """Return SQL of a topic's records, from a parameter with the list of its files of JSON lines, which may be empty.

    All belong to case 0. `headers`: include headers.
    """
    lines = f"read_json_objects(${parameter}, format = 'newline_delimited')"
    # Unnesting computes it once per line. Otherwise DuckDB would repeat it for each field.
    source = f"SELECT unnest([from_json(json, {text(_structure(topic, headers))})]) AS r FROM {lines}"
    return _records(topic, "0", source, headers=headers)


def _structure(topic: Topic, headers: bool = False, case: str = "INTEGER") -> str:
    order = '"BIGINT"' if topic.ordinal_width == 1 else '["BIGINT"]'
    key, value = _wire_structure(wire(topic.key.type)), _wire_structure(wire(topic.value.type))
    more = f',"headers":{_wire_structure(wire(LINE_HEADERS))}' if headers else ""
    return f'{{"case":"{case}","ordinal":{order},"timestamp":"BIGINT","key":{key},"value":{value}{more}}}'


def _records(topic: Topic, case: str, source: str, early: str = "r.ordinal", *, headers: bool = False) -> str:
    """Return SQL of records. `early`: the ordinal for a record of a file that is read as a TABLE."""
    key, value = restore("r.key", topic.key.type), restore("r.value", topic.value.type)
    ordinals = f"r.ordinal AS _ord, {early} AS _early" if topic.files else "r.ordinal AS _ord"
    more, own = (f", {restore('r.headers', LINE_HEADERS)} AS _headers", ", _headers") if headers else ("", "")
    select = f"SELECT {case} AS _case, {ordinals}, r.timestamp AS _ts, {key} AS k, {value} AS v{more}\nFROM ({source})"
    ordinal_columns = "_ord, _early" if topic.files else "_ord"
    return f"SELECT _case, {ordinal_columns}, {_known_time(topic)} AS _ts, k, v{own} FROM {nested(select)}"


def scan_ordinal(scan: nodes.Scan) -> str:
    """Return the ordinal of a scan's records. Records of a TABLE of files come before those of any log."""
    return "_early AS _ord" if scan.topic.files and scan.semantics == "TABLE" else "_ord"


def scan_columns(scan: nodes.Scan) -> str:
    """Return the columns of a scan: the facets, with the fields that the query uses."""
    key = _pruned("k", scan.topic.key.type, scan.key.type)
    places = tuple(zip((f.name for f in nodes.PLACES), ("0", "_offset"), strict=True)) if scan.places else ()
    headers = tuple((header.name, _header(header)) for header in scan.headers)
    value = _pruned("v", scan.topic.value.type, scan.value.type, (*places, *headers))
    return f"{key} AS k0, {value} AS v0"


def _header(column: HeaderColumn) -> str:
    """Return SQL of a header column."""
    if column.key is None:
        all_headers = "list_transform(_headers, lambda h: {'KEY': h.key, 'VALUE': h.value})"
        return f"coalesce({all_headers}, CAST([] AS {type_text('duckdb', column.type)}))"
    return f"list_filter(_headers, lambda h: h.key = {text(column.key)})[-1].value"


def _pruned(sql: str, whole: DataType, part: DataType, more: tuple[tuple[str, str], ...] = ()) -> str:
    """Return a struct with only the remaining fields, and with `more` fields by name and SQL; null stays null."""
    if (whole == part and not more) or not isinstance(part, Struct) or not isinstance(whole, Struct):
        return sql
    types = {f.name: f.type for f in whole.fields}
    parts = [(f.name, _pruned(f"{sql}.{quoted(f.name)}", types[f.name], f.type)) for f in part.fields]
    return f"CASE WHEN {sql} IS NOT NULL THEN {struct((*parts, *more))} END"


def with_offsets(source: str, offset: str) -> str:
    """Return a topic's records with `_offset`, their index in the topic."""
    return f"SELECT *, {offset} AS _offset FROM {nested(source)}"


def _known_time(topic: Topic) -> str:
    time, field = time_column(topic), _declared_field(topic, "v")
    where = text("timestamp")
    if field:
        where = f"CASE WHEN {field} IS NULL THEN {where} ELSE {text(time_path(topic))} END"
    message = f"{where} || {text(f' of a record of {topic.name!r}: {NO_TIME}')}"
    return f"CASE WHEN {time} BETWEEN 0 AND {LATEST} THEN {time} ELSE error({message}) END"


def time_column(topic: Topic, value: str = "v") -> str:
    """Return SQL of the record's time in milliseconds: its timestamp, or the field that the topic declares."""
    field = _declared_field(topic, value)
    if not field:
        return "_ts"
    type = topic.value.type
    for name in (topic.event_time or "").split("."):
        field_type = type.field(name) if isinstance(type, Struct) else None
        type = field_type.type if field_type else data.NULL
    return f"coalesce(epoch_ms({field}), _ts)" if type in (data.TIMESTAMP, data.DATE) else f"coalesce({field}, _ts)"


def _declared_field(topic: Topic, value: str) -> str:
    """Return the field that a topic declares as its event time; empty if there is none."""
    return "" if topic.event_time is None else ".".join([value, *map(quoted, topic.event_time.split("."))])


def wire(type: DataType) -> DataType:
    """Return the type for reading a value from JSON: BYTES are text."""
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
    """Return a type as JSON text for DuckDB's `from_json`."""
    match type:
        case Struct(fields):
            parts = ",".join(f"{json_text(f.name)}:{_wire_structure(f.type)}" for f in fields)
            return "{" + parts + "}"
        case Array(element):
            return f"[{_wire_structure(element)}]"
    return json_text(type_text("duckdb", type))


def restore(sql: str, type: DataType) -> str:
    """Return SQL that converts a value from its JSON type (see `wire`)."""
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
