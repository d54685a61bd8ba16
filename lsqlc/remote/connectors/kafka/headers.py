"""The header with the offset of a record's source, by which readers can detect records that were written twice."""

from __future__ import annotations

from collections.abc import Mapping

from lsqlc.plan.kafka_order import lane

# Its value is text: topic, partition, offset, and the indexes of array elements, separated by slashes.
SOURCE = "lsqlc.source"
_NONE = "CAST(array() AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"
_ORDINAL = 3


def with_source(headers: str, names: Mapping[str, str], *, dated: bool = False) -> str:
    """Return SQL of the headers of a record with the header of its source last, see `source_sql`.

    `headers`: the column of its present headers, empty if it has none. The header of an earlier source is replaced.
    """
    others = f"filter({headers}, h -> h.key <> '{SOURCE}')" if headers else "NULL"
    source = source_sql(names, dated=dated)
    return f"coalesce({others}, {_NONE}) || array(named_struct('key', '{SOURCE}', 'value', {source}))"


def source_of(headers: str) -> str:
    """Return SQL of the source in a column of headers, BINARY; null for a record without one."""
    return f"get(filter({headers}, h -> h.key = '{SOURCE}'), 0).value"


def is_behind(source: str, read: Mapping[str, int]) -> str:
    """Return SQL that is true for a source that has not been read yet.

    `source`: the column of sources; `read`: the next offset by topic and partition, such as `orders/3`. Other
    partitions have not been read.
    """
    parts = f"split(CAST({source} AS STRING), '/')"
    places = ", ".join(f"'{place}', {offset}L" for place, offset in sorted(read.items()))
    start = f"coalesce(try_element_at(map({places}), concat_ws('/', slice({parts}, 1, 2))), 0L)" if read else "0L"
    return f"coalesce(try_cast(get({parts}, 2) AS BIGINT) >= {start}, FALSE)"


def source_sql(names: Mapping[str, str], *, dated: bool = False) -> str:
    """Return SQL of the source of a record, BINARY, from the column `ordinal` (see `plan.kafka_order`).

    `names`: the topics' names in Kafka, by their names in the project; `dated`: whether the ordinal begins with the
    time of a batch.
    """
    offset, place, elements = (n + dated for n in (1, 2, _ORDINAL))
    topics = [f"WHEN {lane(topic) >> 32}L THEN '{name}'" for topic, name in sorted(names.items())]
    topic = f"CASE shiftright(ordinal[{place}], 32) {' '.join(topics)} END"
    partition = f"CAST(ordinal[{place}] & 4294967295L AS STRING)"
    parts = f"array({topic}, {partition}, CAST(ordinal[{offset}] AS STRING))"
    behind = f"transform(slice(ordinal, {elements + 1}, size(ordinal)), i -> CAST(i AS STRING))"
    return f"CAST(concat_ws('/', {parts} || {behind}) AS BINARY)"
