"""Random sequences of records for the topics of a plan: inserts, updates and deletes of few keys, at times that the
lengths of windows and joins divide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random
from typing import Any

from lsqlc.search.constants import Constants
from lsqlc.search.values import START, Values
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Record, Topic

_START = round(START.timestamp() * 1000)
# The lengths of short and of long sequences, and the share of long ones.
_SHORT, _LONG, _LONG_SHARE = 8, 24, 0.1
# The first number that can be a recent time in epoch milliseconds.
_FIRST_TIME = 100_000_000_000
# The share of tombstones among the records of topics with a key.
_TOMBSTONES = 0.12


@dataclass(frozen=True, slots=True)
class Sequences:
    """Draws sequences for topics. `constants`: those of the plans."""

    topics: Sequence[Topic]
    constants: Constants
    random: Random
    values: Values

    def draw(self) -> tuple[Record, ...]:
        """Return records in order of arrival."""
        is_long = self.random.random() < _LONG_SHARE
        size = self.random.randint(1, _LONG if is_long else _SHORT)
        # Few keys in a sequence: rows are updated, and rows of several topics meet. Long sequences also have many rows.
        count = size if is_long else 3
        keys = {topic.name: self._keys(topic, count) for topic in self.topics}
        time, records = self._start(), list[Record]()
        for _ in range(size):
            topic = self.random.choice(self.topics)
            time = max(0, time + self._step())
            records.append(self._record(topic, self.random.choice(keys[topic.name]), time))
        return tuple(records)

    def record(self, topic: Topic) -> Record:
        """Return a record of a topic with a key of its own, at the time before the first record of a sequence."""
        return self._record(topic, self.values.draw(topic.key.type, nullable=False), _START)

    def _keys(self, topic: Topic, count: int) -> list[Any]:
        if topic.key.type in (data.INT, data.BIGINT) and count > _SHORT:
            return list(range(count))
        return [self.values.draw(topic.key.type) for _ in range(count)]

    def _start(self) -> int:
        """Return the time before the first record: a usual one, or one near a constant that can be a time."""
        numbers = (each for each in self.constants.literals if isinstance(each, int))
        times = [number - 1 for number in numbers if number > _FIRST_TIME]
        return self.random.choice(times) if times and self.random.random() < 0.5 else _START

    def _step(self) -> int:
        lengths = self.constants.lengths
        if not lengths or self.random.random() < 0.5:
            return self.random.choice((0, 1, 1, 1_000))
        length = self.random.choice(lengths)
        return self.random.choice((length, length - 1, length + 1, length // 2, 2 * length, -length // 2))

    def _record(self, topic: Topic, key: Any, time: int) -> Record:
        has_key = topic.key.type != data.NULL
        if has_key and self.random.random() < _TOMBSTONES:
            return Record(topic.name, key, None, time)
        value = self.values.draw(topic.value.type, nullable=not isinstance(topic.value.type, Struct))
        return with_time(topic, Record(topic.name, key, value, time))


def with_time(topic: Topic, record: Record) -> Record:
    """Return a record whose field of the event time has the time of the record."""
    if topic.event_time is None or record.value is None:
        return record
    value = _with_time(topic.value.type, record.value, topic.event_time.split("."), record.timestamp)
    return replace(record, value=value)


def _with_time(type: DataType, value: Any, path: Sequence[str], millis: int) -> Any:
    if not path:
        return START + timedelta(milliseconds=millis - _START) if type == data.TIMESTAMP else millis
    if not isinstance(type, Struct) or value is None:
        return value
    (inner,) = (f.type for f in type.fields if f.name == path[0])
    return {**value, path[0]: _with_time(inner, value[path[0]], path[1:], millis)}
