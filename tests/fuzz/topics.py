"""What random programs read: topics of every kind of facet, random records for them, and random cuts into batches.

Values are few in kind, so that keys, join values and times collide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal as Number
from random import Random
from typing import Any

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct
from lsqlc.types.record import Case, Facet, Record, Topic
from tests.lower_duckdb.programs import TOPICS as SMALL

_INNER = Struct((Field("p", data.INT), Field("q", data.STRING)))
_WIDE = Struct(
    (
        Field("i", data.INT),
        Field("l", data.BIGINT),
        Field("x", data.DOUBLE),
        Field("f", data.BOOLEAN),
        Field("s", data.STRING),
        Field("t", data.TIMESTAMP),
        Field("d", data.DATE),
        Field("m", Decimal(5, 2)),
        Field("u", _INNER),
        Field("us", Array(_INNER)),
    )
)
_DATED = Struct((Field("id", data.INT), Field("at", data.BIGINT, False), Field("w", data.INT)))
_KEY = Facet(data.STRING, "string")
# Two that are joined and have other numbers of partitions, so that plans show a Repartition.
_PARTITIONS = {"a": 2, "b": 2, "c": 3}

TOPICS: dict[str, Topic] = {
    **{name: replace(topic, partitions=_PARTITIONS.get(name)) for name, topic in SMALL.items()},
    "wide": Topic("wide", _KEY, Facet(_WIDE, "json")),
    "other": Topic("other", _KEY, Facet(_WIDE, "json")),
    "dated": Topic("dated", _KEY, Facet(_DATED, "json"), event_time="at"),
    "texts": Topic("texts", Facet(data.INT, "int"), Facet(data.STRING, "string")),
}

# Where a record's time may lie behind the newest one, in milliseconds.
_BACK = 6
_VALUES: dict[DataType, Sequence[Any]] = {
    data.INT: (0, 1, 2),
    data.BIGINT: (0, 1, 2, 2**40),
    data.DOUBLE: (0.0, 0.5, 1.0, -2.25, -0.0, 1e16, -1e16, 1e308, 5e-324),
    data.BOOLEAN: (True, False),
    data.STRING: ("p", "q", "r", "P", "", "1"),
    data.TIMESTAMP: tuple(datetime(1970, 1, 1, 0, 0, 0, n * 1000, tzinfo=UTC) for n in (0, 4, 9)),
    data.DATE: (date(1970, 1, 1), date(2024, 2, 29)),
}


def value(type: DataType, random: Random, *, nullable: bool = True) -> Any:
    """One of few values of a type, or null."""
    if type == data.NULL:
        return None
    if isinstance(type, Struct):
        return {f.name: value(f.type, random, nullable=f.nullable) for f in type.fields}
    if nullable and random.random() < 0.15:
        return None
    if isinstance(type, Map):
        return {key: value(type.value, random) for key in random.sample("pqr", random.randrange(3))}
    if isinstance(type, Array):
        return [value(type.element, random) for _ in range(random.randrange(3))]
    if isinstance(type, Decimal):
        return Number(random.choice(("0.00", "1.50", "-2.25")))
    # Of text, the first are the likelier: they are what keys meet by.
    values = _VALUES[type]
    return random.choice(values[:3]) if random.random() < 0.8 else random.choice(values)


def some_records(
    topics: Sequence[Topic], random: Random, most: int = 14, *, times: Mapping[str, str] | None = None,
    orderly: bool = False,
) -> tuple[Record, ...]:  # fmt: skip
    """Records in order of arrival: tombstones, null keys, ties in time, times that go forth and often a step back.

    `times`: the fields that give records of a topic their time, by topic; `orderly`: no time is a step back.
    """
    times = {t.name: t.event_time for t in topics if t.event_time is not None} | dict(times or {})
    found: list[Record] = []
    for place in range(random.randrange(2, most + 1)):
        topic = random.choice(topics)
        struct = isinstance(topic.value.type, Struct)
        facet = None if random.random() < 0.2 else value(topic.value.type, random, nullable=not struct)
        time = max(0, 2 * place + random.randrange(-_BACK, _BACK + 1))
        if found and random.random() < 0.2:
            time = found[-1].timestamp
        if orderly and found:
            time = max(time, found[-1].timestamp)
        if facet is not None and topic.name in times:
            facet[times[topic.name]] = time
        found.append(Record(topic.name, value(topic.key.type, random), facet, time))
    return tuple(found)


def cut(records: Sequence[Record], random: Random) -> tuple[tuple[Record, ...], ...]:
    """The records in a few batches."""
    batches: list[list[Record]] = [[]]
    for record in records:
        if batches[-1] and random.random() < 0.25 and len(batches) < 4:
            batches.append([])
        batches[-1].append(record)
    return tuple(map(tuple, batches))


def one_by_one(records: Sequence[Record]) -> tuple[tuple[Record, ...], ...]:
    """A batch for each record."""
    return tuple((record,) for record in records)


def some_cases(
    topics: Sequence[Topic], random: Random, number: int, *, single: bool, times: Mapping[str, str] | None = None,
    orderly: bool = False,
) -> list[Case]:  # fmt: skip
    """Cases of random records; `single`: in batches of one record; the others as for `some_records`."""
    found = []
    for place in range(number):
        records = some_records(topics, random, 6 if single else 14, times=times, orderly=orderly)
        found.append(Case(str(place), one_by_one(records) if single else cut(records, random)))
    return found
