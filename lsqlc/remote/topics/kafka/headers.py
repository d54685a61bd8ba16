"""The header that tells where in its source a record was, by which readers find records that were written twice."""

from __future__ import annotations

from collections.abc import Mapping

from lsqlc.plan.kafka_order import lane

# Its value is text: topic, partition and offset, and of the elements of arrays their numbers, parted by slashes.
SOURCE = "lsqlc.source"
_NONE = "CAST(array() AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"
_ORDINAL = 3


def with_source(headers: str, names: Mapping[str, str]) -> str:
    """SQL of the headers of a record with that of its source last, from the column `ordinal` (see `plan.kafka_order`).
    `headers`: the column of the headers that it has, empty if it has none; one of an earlier source is replaced.
    `names`: of the topics in Kafka, by their names in the project.
    """
    topics = [f"WHEN {lane(topic) >> 32}L THEN '{name}'" for topic, name in sorted(names.items())]
    topic = f"CASE shiftright(ordinal[2], 32) {' '.join(topics)} END"
    place = f"array({topic}, CAST(ordinal[2] & 4294967295L AS STRING), CAST(ordinal[1] AS STRING))"
    elements = f"transform(slice(ordinal, {_ORDINAL + 1}, size(ordinal)), i -> CAST(i AS STRING))"
    source = f"CAST(concat_ws('/', {place} || {elements}) AS BINARY)"
    kept = f"filter({headers}, h -> h.key <> '{SOURCE}')" if headers else "NULL"
    return f"coalesce({kept}, {_NONE}) || array(named_struct('key', '{SOURCE}', 'value', {source}))"
