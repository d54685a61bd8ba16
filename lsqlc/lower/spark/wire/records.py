"""Kafka's columns as lines, and rows as the key and value that Kafka stores. Lines are made only where bad records are
skipped, so that what is wrong with their parts is found; in all other cases records are read from the columns (see
`typed`).

A line is `{"ordinal":[time,offset,lane],"timestamp":...,"key":...,"value":...}`, see `lsqlc.plan.kafka_order`. Internal
topics hold lines as they are, with ordinals of their own.

A record of the time 0 has no time in Kafka, where it is -1: its clients take the time of sending for 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from lsqlc.connectors.bad_records import BASE64, UNREAD, Texts
from lsqlc.connectors.bytes_text import CONTROLS
from lsqlc.formats.encoding import Decoding, Encoding, PythonFunction, base64_of
from lsqlc.plan.kafka_order import lane
from lsqlc.sql.spark import struct, text
from lsqlc.types.record import Topic

# How an error begins about bytes that cannot be read; topic, partition, offset and the reason stand behind it.
UNREADABLE = "LSQLC-RECORD"


@dataclass(frozen=True, slots=True)
class TopicWire:
    """How the records of a topic lie in Kafka; None for an absent facet. `by_time`: their times come first in their
    order; else only their offsets count.
    """

    key: Decoding | None
    value: Decoding | None
    by_time: bool = True

    def as_ksqldb(self) -> TopicWire:
        """The same for a topic whose JSON is ksqlDB's."""
        key, value = (None if each is None else each.as_ksqldb() for each in (self.key, self.value))
        return replace(self, key=key, value=value)


# SQL of the time of a record of Spark's Kafka source, in epoch milliseconds: a record of the time 0 has none in Kafka.
TIME = "greatest(unix_millis(timestamp), 0L)"
# SQL of what a line has behind the value, from the same columns: nothing for a record without headers.
HEADERS_MEMBER = "if(headers IS NULL, '', concat(',\"headers\":', to_json(headers, map('ignoreNullFields', 'false'))))"
# By the name of the topic; a topic that is not there is internal, and its values are lines.
Wires = Mapping[str, TopicWire]


def ordinal(wire: TopicWire, topic: str) -> str:
    """SQL of the ordinal of a record, from the columns of a source with Kafka's columns (see `steps.Source`)."""
    return f"array({'_timestamp' if wire.by_time else '0L'}, _offset, {lane(topic)}L + _partition)"


def line(wire: TopicWire | None, topic: str, *, letters: bool = False) -> str:
    """SQL of the line of a record, from the columns of Spark's Kafka source; that of bytes that cannot be read says
    why. None: the topic is internal. `letters`: every line says what is wrong with its bytes, or nothing, and has the
    members of `bad_records.Texts` (see `letter_parts`).
    """
    if wire is None:
        return "CAST(value AS STRING)"
    first = TIME if wire.by_time else "0L"
    place = f"'{{\"ordinal\":[', {first}, ',', offset, ',', {lane(topic)}L + partition"
    time = f"'],\"timestamp\":', {TIME}"
    python = _calls_python(wire.key) or _calls_python(wire.value)
    names = ("_p._k", "_p._v") if python else ("_k", "_v")
    (key, bad_key), (value, bad_value) = _parts("key", names[0], wire.key), _parts("value", names[1], wire.value)
    facets = f"',\"key\":', coalesce({key}, 'null'), ',\"value\":', coalesce({value}, 'null')"
    more = f"{HEADERS_MEMBER}, '}}'"
    whole = f"concat({place}, {time}, {facets}, {more})"
    raw = f"',\"key\":', {_base64('key')}, ',\"value\":', {_base64('value')}"
    wrong = f"concat_ws('; ', concat('key: ', {bad_key}), concat('value: ', {bad_value}))"
    members = (*_shown("key", key, bad_key, wire.key), *_shown("value", value, bad_value, wire.value))
    head = f"'{UNREAD}', {wrong}, '\\t', to_json({struct(members)}), '\\t', {place}, {time}"
    is_read = f"{bad_key} IS NULL AND {bad_value} IS NULL"
    found = f"if({is_read}, {whole}, concat({head}, {raw}, {more}))"
    if letters:
        found = f"concat({head}, if({is_read}, concat({facets}), concat({raw})), {more})"
    if python:
        return _outside(found, wire)
    # What is not read in parts stands in a lambda, so that it is read once. Spark runs these slowly.
    for column, name, encoding in (("value", "_v", wire.value), ("key", "_k", wire.key)):
        if encoding is not None and encoding.parts(column) is None:
            read = f"if({column} IS NULL, NULL, {encoding.read(column)})"
            found = f"get(transform(array({read}), {name} -> {found}), 0)"
    return found


def _outside(line: str, wire: TopicWire) -> str:
    """SQL of a line whose facets are read before it, in one place: functions of Python stand in no lambda."""
    facets = (("_k", "key", wire.key), ("_v", "value", wire.value))
    read = tuple(
        (name, f"if({column} IS NULL, NULL, {encoding.read(column)})")
        for name, column, encoding in facets
        if encoding is not None and (encoding.parts(column) is None or encoding.functions)
    )
    return f"get(transform(array({struct(read)}), _p -> {line}), 0)"


def written(wire: TopicWire, topic: Topic, *, table: bool) -> str:
    """The columns `key` BINARY, `value` BINARY, `timestamp` BIGINT and `ordinal` ARRAY<BIGINT> of a row with the
    columns `_ord`, `_ts`, `k0` and `v0`.
    """
    key, value = _bytes("k0", wire.key), _bytes("v0", wire.value)
    if table:
        value = f"if(_live, {value}, NULL)"
    return f"{key} AS key, {value} AS value, _ts AS timestamp, {_ordinal(topic)} AS ordinal"


def written_lines(line: str, key: str, topic: Topic) -> str:
    """The same columns for an internal topic: `line` is its value, and `key` the text that partitions it.

    The last record of a key has to be its newest, as it is the one that compaction keeps.
    """
    columns = f"CAST({key} AS BINARY) AS key, CAST({line} AS BINARY) AS value, _ts AS timestamp"
    return f"{columns}, {_ordinal(topic)} AS ordinal"


def _ordinal(topic: Topic) -> str:
    return "array(_ord)" if topic.ordinal_width == 1 else "CAST(_ord AS ARRAY<BIGINT>)"


def _shown(name: str, json: str, wrong: str, encoding: Decoding | None) -> tuple[tuple[str, str], tuple[str, str]]:
    """The text of a facet and its encoding, by their names in `bad_records.Texts`."""
    if encoding is None:
        return (name, "CAST(NULL AS STRING)"), (f"{name}_encoding", "CAST(NULL AS STRING)")
    is_text = f"is_valid_utf8({name}) AND NOT CAST({name} AS STRING) RLIKE {text(CONTROLS)}"
    of_bytes = f"if({is_text}, CAST({name} AS STRING), {base64_of(name)})"
    read = f"nullif(trim(BOTH ' \\t\\r\\n' FROM regexp_replace({json}, '\\r\\n|\\r|\\n', ' ')), 'null')"
    if encoding.content == "text":
        read = f"CAST({name} AS STRING)"
    return (
        (name, f"if({wrong} IS NULL, {read}, {of_bytes})"),
        (f"{name}_encoding", f"if({wrong} IS NULL OR ({is_text}), NULL, '{BASE64}')"),
    )


def letter_parts(line: str) -> tuple[str, str, str]:
    """SQL of what is wrong with the bytes of a record, or null, of a struct with the members of `bad_records.Texts`,
    and of the record, from a line that `line` made for letters.
    """
    begin = len(UNREAD) + 1
    first = f"locate('\\t', {line})"
    second = f"locate('\\t', {line}, {first} + 1)"
    members = ", ".join(f"{field.name} STRING" for field in fields(Texts))
    return (
        f"nullif(substring({line}, {begin}, {first} - {begin}), '')",
        f"from_json(substring({line}, {first} + 1, {second} - {first} - 1), '{members}')",
        f"substring({line}, {second} + 1)",
    )


def reason(line: str, otherwise: str) -> str:
    """SQL of what is wrong with a line: why its bytes could not be read, or what `otherwise` finds."""
    begin = len(UNREAD) + 1
    return f"if(startswith({line}, '{UNREAD}'), substring_index(substring({line}, {begin}), '\\t', 1), {otherwise})"


def unread_record(line: str) -> str:
    """SQL of the record of a line, which may say why its bytes could not be read."""
    return f"if(startswith({line}, '{UNREAD}'), substring_index({line}, '\\t', -1), {line})"


def _parts(column: str, name: str, encoding: Decoding | None) -> tuple[str, str]:
    """SQL of the JSON text of a facet, and of what is wrong with its bytes; null of a null and of an absent facet.
    `name`: of the outcome of one that is not read in parts.
    """
    if encoding is None:
        return "CAST(NULL AS STRING)", "CAST(NULL AS STRING)"
    parts = None if encoding.functions else encoding.parts(column)
    if parts is None:
        return f"{name}.json", f"{name}.wrong"
    json, wrong = parts
    return f"if({column} IS NULL, NULL, {json})", f"if({column} IS NULL, NULL, {wrong})"


def python_functions(wires: Wires) -> tuple[PythonFunction, ...]:
    """The functions that reading and writing topics calls, each once."""
    encodings = (encoding for wire in wires.values() for encoding in (wire.key, wire.value) if encoding is not None)
    return tuple({function.name: function for each in encodings for function in each.functions}.values())


def _calls_python(encoding: Decoding | None) -> bool:
    return encoding is not None and bool(encoding.functions)


def _base64(name: str) -> str:
    """Bytes as a JSON string, or null."""
    return f"coalesce(concat('\"', {base64_of(name)}, '\"'), 'null')"


def _bytes(value: str, encoding: Decoding | None) -> str:
    if encoding is None:
        return "CAST(NULL AS BINARY)"
    assert isinstance(encoding, Encoding), "models write no format that is only read"
    return f"if({value} IS NULL, NULL, {encoding.bytes(value)})"
