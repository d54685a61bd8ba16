"""The header that tells where in its source a record was, by which readers find records that were written twice."""

from __future__ import annotations

from collections.abc import Mapping

from lsqlc.plan.kafka_order import lane

# Its value is text: topic, partition and offset, and of the elements of arrays their numbers, parted by slashes.
SOURCE = "lsqlc.source"
_NONE = "CAST(array() AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"
_ORDINAL = 3


def with_source(headers: str, names: Mapping[str, str], *, dated: bool = False) -> str:
    """SQL of the headers of a record with that of its source last, see `source_sql`. `headers`: the column of the
    headers that it has, empty if it has none; one of an earlier source is replaced.
    """
    kept = f"filter({headers}, h -> h.key <> '{SOURCE}')" if headers else "NULL"
    source = source_sql(names, dated=dated)
    return f"coalesce({kept}, {_NONE}) || array(named_struct('key', '{SOURCE}', 'value', {source}))"


def source_of(headers: str) -> str:
    """SQL of the source that a column of headers names, BINARY; null for a record without one."""
    return f"get(filter({headers}, h -> h.key = '{SOURCE}'), 0).value"


def is_behind(source: str, read: Mapping[str, int]) -> str:
    """SQL of whether a column with sources names a record that is not read yet. `read`: by topic and partition, such as
    `orders/3`, the next offset to read; of others nothing is.
    """
    parts = f"split(CAST({source} AS STRING), '/')"
    places = ", ".join(f"'{place}', {offset}L" for place, offset in sorted(read.items()))
    start = f"coalesce(try_element_at(map({places}), concat_ws('/', slice({parts}, 1, 2))), 0L)" if read else "0L"
    return f"coalesce(try_cast(get({parts}, 2) AS BIGINT) >= {start}, FALSE)"


def source_sql(names: Mapping[str, str], *, dated: bool = False) -> str:
    """SQL of the source of a record, BINARY, from the column `ordinal` (see `plan.kafka_order`). `names`: of the topics
    in Kafka, by their names in the project; `dated`: the ordinal has the time of a batch before it.
    """
    offset, place, elements = (n + dated for n in (1, 2, _ORDINAL))
    topics = [f"WHEN {lane(topic) >> 32}L THEN '{name}'" for topic, name in sorted(names.items())]
    topic = f"CASE shiftright(ordinal[{place}], 32) {' '.join(topics)} END"
    partition = f"CAST(ordinal[{place}] & 4294967295L AS STRING)"
    parts = f"array({topic}, {partition}, CAST(ordinal[{offset}] AS STRING))"
    behind = f"transform(slice(ordinal, {elements + 1}, size(ordinal)), i -> CAST(i AS STRING))"
    return f"CAST(concat_ws('/', {parts} || {behind}) AS BINARY)"
