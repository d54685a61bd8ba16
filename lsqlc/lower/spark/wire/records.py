"""SQL that converts the columns of Spark's Kafka source into lines of JSON, and rows into Kafka's key and value.

Records become lines only for programs that skip bad records, where each part of a record is checked. All other programs
decode the columns (see `typed`).

A line is `{"ordinal":[time,offset,partition number],"timestamp":...,"key":...,"value":...}`. For the ordinal see
`lsqlc.plan.kafka_order`. The values of internal topics are such lines already, with other ordinals.

A record with the timestamp 0 is stored in Kafka with -1, because Kafka's clients replace 0 by the current time.
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

# The beginning of the error for bytes that cannot be decoded. The topic, partition, offset and reason follow.
UNREADABLE = "LSQLC-RECORD"


@dataclass(frozen=True, slots=True)
class TopicWire:
    """The encodings of the key and the value of a topic in Kafka; None for an absent facet.

    `by_time`: records are ordered by timestamp, then by offset; else by offset alone.
    """

    key: Decoding | None
    value: Decoding | None
    by_time: bool = True

    def as_ksqldb(self) -> TopicWire:
        """Return the encodings for a topic with the JSON of ksqlDB."""
        key, value = (None if each is None else each.as_ksqldb() for each in (self.key, self.value))
        return replace(self, key=key, value=value)


# SQL of the timestamp of a record of Spark's Kafka source, in epoch milliseconds. -1 in Kafka is 0.
TIME = "greatest(unix_millis(timestamp), 0L)"
# SQL of the text after the value in a line, from the same columns. It is empty for a record without headers.
HEADERS_MEMBER = "if(headers IS NULL, '', concat(',\"headers\":', to_json(headers, map('ignoreNullFields', 'false'))))"
# By the name of the topic. Topics that are not in it are internal: their values are lines.
Wires = Mapping[str, TopicWire]


def ordinal(wire: TopicWire, topic: str) -> str:
    """Return the SQL of the ordinal of a record, from the columns of a source of Kafka records (see `steps.Source`)."""
    return f"array({'_timestamp' if wire.by_time else '0L'}, _offset, {lane(topic)}L + _partition)"


def line(wire: TopicWire | None, topic: str, *, letters: bool = False) -> str:
    """Return the SQL of the line of a record, from the columns of Spark's Kafka source.

    `wire`: None for an internal topic. If the key or the value cannot be decoded, the line begins with `UNREAD`, the
    problem, and the members of `bad_records.Texts`. `letters`: every line begins so, with an empty problem for a valid
    record (see `letter_parts`).
    """
    if wire is None:
        return "CAST(value AS STRING)"
    order_time = TIME if wire.by_time else "0L"
    begin = f"'{{\"ordinal\":[', {order_time}, ',', offset, ',', {lane(topic)}L + partition"
    time = f"'],\"timestamp\":', {TIME}"
    python = _calls_python(wire.key) or _calls_python(wire.value)
    names = ("_p._k", "_p._v") if python else ("_k", "_v")
    (key, key_problem), (value, value_problem) = (
        _json_and_problem("key", names[0], wire.key),
        _json_and_problem("value", names[1], wire.value),
    )
    facets = f"',\"key\":', coalesce({key}, 'null'), ',\"value\":', coalesce({value}, 'null')"
    end = f"{HEADERS_MEMBER}, '}}'"
    valid_line = f"concat({begin}, {time}, {facets}, {end})"
    raw = f"',\"key\":', {_base64('key')}, ',\"value\":', {_base64('value')}"
    problem = f"concat_ws('; ', concat('key: ', {key_problem}), concat('value: ', {value_problem}))"
    members = (*_texts("key", key, key_problem, wire.key), *_texts("value", value, value_problem, wire.value))
    head = f"'{UNREAD}', {problem}, '\\t', to_json({struct(members)}), '\\t', {begin}, {time}"
    is_valid = f"{key_problem} IS NULL AND {value_problem} IS NULL"
    line = f"if({is_valid}, {valid_line}, concat({head}, {raw}, {end}))"
    if letters:
        line = f"concat({head}, if({is_valid}, concat({facets}), concat({raw})), {end})"
    if python:
        return _with_decoded_facets(line, wire)
    # A decoding without parts is the argument of a lambda, so that it runs once. Lambdas are slow in Spark, so that
    # decodings with parts have none.
    for column, name, encoding in (("value", "_v", wire.value), ("key", "_k", wire.key)):
        if encoding is not None and encoding.parts(column) is None:
            decoded = f"if({column} IS NULL, NULL, {encoding.read(column)})"
            line = f"get(transform(array({decoded}), {name} -> {line}), 0)"
    return line


def _with_decoded_facets(line: str, wire: TopicWire) -> str:
    """Return the SQL of a line that refers to the decoded facets as `_p._k` and `_p._v`.

    The facets are decoded outside of all lambdas, because Spark calls no Python function inside of one.
    """
    facets = (("_k", "key", wire.key), ("_v", "value", wire.value))
    decoded = tuple(
        (name, f"if({column} IS NULL, NULL, {encoding.read(column)})")
        for name, column, encoding in facets
        if encoding is not None and (encoding.parts(column) is None or encoding.functions)
    )
    return f"get(transform(array({struct(decoded)}), _p -> {line}), 0)"


def kafka_columns(wire: TopicWire, topic: Topic, *, table: bool) -> str:
    """Return the SQL of the columns that are written to Kafka, from the columns `_ord`, `_ts`, `k0` and `v0` of a row.

    They are `key` BINARY, `value` BINARY, `timestamp` BIGINT and `ordinal` ARRAY<BIGINT>. `table`: rows have the column
    `_live` too, and a row that is deleted becomes a tombstone.
    """
    key, value = _bytes("k0", wire.key), _bytes("v0", wire.value)
    if table:
        value = f"if(_live, {value}, NULL)"
    return f"{key} AS key, {value} AS value, _ts AS timestamp, {_ordinal(topic)} AS ordinal"


def internal_kafka_columns(line: str, key: str, topic: Topic) -> str:
    """Return the SQL of the same columns for an internal topic.

    `line`: SQL of the value, a line; `key`: SQL of the text that selects the partition. Compaction retains the last
    record of a key. It is the newest one only if all records of the key are in one partition.
    """
    columns = f"CAST({key} AS BINARY) AS key, CAST({line} AS BINARY) AS value, _ts AS timestamp"
    return f"{columns}, {_ordinal(topic)} AS ordinal"


def _ordinal(topic: Topic) -> str:
    return "array(_ord)" if topic.ordinal_width == 1 else "CAST(_ord AS ARRAY<BIGINT>)"


def _texts(name: str, json: str, problem: str, encoding: Decoding | None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the SQL of the text of a facet and of its encoding, each with its name in `bad_records.Texts`.

    `json`, `problem`: as returned by `_json_and_problem`.
    """
    if encoding is None:
        return (name, "CAST(NULL AS STRING)"), (f"{name}_encoding", "CAST(NULL AS STRING)")
    is_text = f"is_valid_utf8({name}) AND NOT CAST({name} AS STRING) RLIKE {text(CONTROLS)}"
    bytes_text = f"if({is_text}, CAST({name} AS STRING), {base64_of(name)})"
    value_text = f"nullif(trim(BOTH ' \\t\\r\\n' FROM regexp_replace({json}, '\\r\\n|\\r|\\n', ' ')), 'null')"
    if encoding.content == "text":
        value_text = f"CAST({name} AS STRING)"
    return (
        (name, f"if({problem} IS NULL, {value_text}, {bytes_text})"),
        (f"{name}_encoding", f"if({problem} IS NULL OR ({is_text}), NULL, '{BASE64}')"),
    )


def letter_parts(line: str) -> tuple[str, str, str]:
    """Return the SQL of the parts of a line with `letters`.

    They are the problem of the bytes or null, a struct with the members of `bad_records.Texts`, and the record.
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
    """Return the SQL of the problem of a line: the problem of its bytes, or else the SQL `otherwise`."""
    begin = len(UNREAD) + 1
    return f"if(startswith({line}, '{UNREAD}'), substring_index(substring({line}, {begin}), '\\t', 1), {otherwise})"


def unread_record(line: str) -> str:
    """Return the SQL of the record in a line, without the problem of its bytes."""
    return f"if(startswith({line}, '{UNREAD}'), substring_index({line}, '\\t', -1), {line})"


def _json_and_problem(column: str, name: str, encoding: Decoding | None) -> tuple[str, str]:
    """Return the SQL of the JSON text of a facet, and of the problem of its bytes or null.

    Both are null for a null and for an absent facet. `name`: the lambda variable with the result of a decoding without
    parts.
    """
    if encoding is None:
        return "CAST(NULL AS STRING)", "CAST(NULL AS STRING)"
    parts = None if encoding.functions else encoding.parts(column)
    if parts is None:
        return f"{name}.json", f"{name}.wrong"
    json, problem = parts
    return f"if({column} IS NULL, NULL, {json})", f"if({column} IS NULL, NULL, {problem})"


def python_functions(wires: Wires) -> tuple[PythonFunction, ...]:
    """Return the Python functions that the SQL for reading and writing topics calls, without duplicates."""
    encodings = (encoding for wire in wires.values() for encoding in (wire.key, wire.value) if encoding is not None)
    return tuple({function.name: function for each in encodings for function in each.functions}.values())


def _calls_python(encoding: Decoding | None) -> bool:
    return encoding is not None and bool(encoding.functions)


def _base64(name: str) -> str:
    """Return the SQL of BYTES as JSON text: a string with their base64, or `null`."""
    return f"coalesce(concat('\"', {base64_of(name)}, '\"'), 'null')"


def _bytes(value: str, encoding: Decoding | None) -> str:
    if encoding is None:
        return "CAST(NULL AS BINARY)"
    assert isinstance(encoding, Encoding), "models write no format that is only read"
    return f"if({value} IS NULL, NULL, {encoding.bytes(value)})"
