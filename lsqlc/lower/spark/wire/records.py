"""Kafka's columns as lines, and rows as the key and value that Kafka stores.

A line is `{"ordinal":[time,offset,lane],"timestamp":...,"key":...,"value":...}`, see `lsqlc.plan.kafka_order`. Internal
topics hold lines as they are, with ordinals of their own.

A record of the time 0 has no time in Kafka, where it is -1: its clients take the time of sending for 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsqlc.lower.spark.expressions import text
from lsqlc.lower.spark.wire.encodings import Encoding
from lsqlc.plan.kafka_order import lane
from lsqlc.topics.bad_records import UNREAD
from lsqlc.types.record import Topic

# How an error begins about bytes that cannot be read; topic, partition, offset and the reason stand behind it.
UNREADABLE = "LSQLC-RECORD"


@dataclass(frozen=True, slots=True)
class TopicWire:
    """How the records of a topic lie in Kafka; None for an absent facet."""

    key: Encoding | None
    value: Encoding | None


# By the name of the topic; a topic that is not there is internal, and its values are lines.
Wires = Mapping[str, TopicWire]


def line(wire: TopicWire | None, topic: str, *, fails: bool = False) -> str:
    """SQL of the line of a record, from the columns of Spark's Kafka source. None: the topic is internal.
    `fails`: bytes that cannot be read fail the query with `UNREADABLE`; else their line says why.
    """
    if wire is None:
        return "CAST(value AS STRING)"
    place = f"'{{\"ordinal\":[', greatest(unix_millis(timestamp), 0L), ',', offset, ',', {lane(topic)}L + partition"
    time = "'],\"timestamp\":', greatest(unix_millis(timestamp), 0L)"
    facets = "',\"key\":', coalesce(_k.json, 'null'), ',\"value\":', coalesce(_v.json, 'null')"
    whole = f"concat({place}, {time}, {facets}, '}}')"
    raw = f"',\"key\":', {_base64('key')}, ',\"value\":', {_base64('value')}"
    wrong = "concat_ws('; ', concat('key: ', _k.wrong), concat('value: ', _v.wrong))"
    where = f"concat({text(f'{UNREADABLE}:{topic}:')}, partition, ':', offset, ': ', {wrong})"
    unread = f"raise_error({where})" if fails else f"concat('{UNREAD}', {wrong}, '\\t', {place}, {time}, {raw}, '}}')"
    # In lambdas, so that each facet is read once.
    found = f"if(_k.wrong IS NULL AND _v.wrong IS NULL, {whole}, {unread})"
    inner = f"get(transform(array({_read('value', wire.value)}), _v -> {found}), 0)"
    return f"get(transform(array({_read('key', wire.key)}), _k -> {inner}), 0)"


def written(wire: TopicWire, topic: Topic, *, table: bool) -> str:
    """The columns `key` BINARY, `value` BINARY, `timestamp` BIGINT and `ordinal` ARRAY<BIGINT> of a row with the
    columns `_ord`, `_ts`, `k0` and `v0`.
    """
    ordinal = "array(_ord)" if topic.ordinal_width == 1 else "CAST(_ord AS ARRAY<BIGINT>)"
    key, value = _bytes("k0", wire.key), _bytes("v0", wire.value)
    if table:
        value = f"if(_live, {value}, NULL)"
    return f"{key} AS key, {value} AS value, _ts AS timestamp, {ordinal} AS ordinal"


def written_lines(line: str, key: str) -> str:
    """The same columns for an internal topic: `line` is its value, and `key` the text that partitions it."""
    return f"CAST({key} AS BINARY) AS key, CAST({line} AS BINARY) AS value, _ts AS timestamp, array(0L) AS ordinal"


def reason(line: str, otherwise: str) -> str:
    """SQL of what is wrong with a line: why its bytes could not be read, or what `otherwise` finds."""
    begin = len(UNREAD) + 1
    return f"if(startswith({line}, '{UNREAD}'), substring_index(substring({line}, {begin}), '\\t', 1), {otherwise})"


def record(line: str) -> str:
    """SQL of the record of a line, without the reason why it could not be read."""
    return f"if(startswith({line}, '{UNREAD}'), substring({line}, locate('\\t', {line}) + 1), {line})"


def _read(column: str, encoding: Encoding | None) -> str:
    """SQL of the outcome of a facet's bytes; null of a null and of an absent facet."""
    nothing = "CAST(NULL AS STRUCT<json: STRING, wrong: STRING>)"
    return nothing if encoding is None else f"if({column} IS NULL, NULL, {encoding.read(column)})"


def _base64(name: str) -> str:
    """Bytes as a JSON string, or null."""
    return f"coalesce(concat('\"', replace(base64({name}), '\\r\\n', ''), '\"'), 'null')"


def _bytes(value: str, encoding: Encoding | None) -> str:
    if encoding is None:
        return "CAST(NULL AS BINARY)"
    return f"if({value} IS NULL, NULL, {encoding.bytes(value)})"
