"""The log of topics in memory: lines by partition. The key of a record decides its partition."""

from __future__ import annotations

import json
import threading
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from lsqlc.connectors.aligned import left
from lsqlc.connectors.findings import Findings, misfits
from lsqlc.connectors.lines import line_decoder, line_encoder, record_checker, time_problem
from lsqlc.connectors.transport import (
    NOWHERE,
    AppendResult,
    Contents,
    NewRecords,
    Offsets,
    TopicWriter,
    Transport,
)
from lsqlc.connectors.unreadable import ToldOf
from lsqlc.plan.kafka_order import ORDINAL_WIDTH, lane
from lsqlc.types.codec import ValueProblems
from lsqlc.types.record import Record, StoredRecord, Topic


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The store that a target names, and the partitions of a topic that declares none."""

    connector: ClassVar[str] = "memory"

    store: str
    partitions: int = 1
    is_source: bool = False


@dataclass(slots=True)
class Store:
    """The partitions of topics, and the newest batch of each topic and generation."""

    topics: dict[str, list[list[bytes]]] = field(default_factory=dict)
    batches: dict[tuple[str, str], int] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)


STORES: defaultdict[str, Store] = defaultdict(Store)


@dataclass(frozen=True, slots=True)
class MemoryLog(Transport):
    """The topics of a store."""

    settings: MemorySettings
    renamed: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._store.topics))

    def append(self, topic: Topic, records: Iterable[Record], *, segments_of: int | None = None) -> AppendResult:
        lines = _encoded(topic, records)
        with self._store.lock:
            self._append(topic, lines)
        return AppendResult(len(lines))

    @contextmanager
    def feed(self, topic: Topic) -> Iterator[TopicWriter]:
        check = record_checker(topic)

        def fits(record: Record) -> None:
            time, _, value = check(record)
            problem = time_problem(topic, value, time)
            if problem is not None:
                raise ValueProblems([problem])

        yield TopicWriter(fits, lambda records: self.append(topic, records))

    def append_together(
        self, id: str, read_topic: Topic, prepare: Callable[[], Sequence[tuple[Topic, Sequence[Record]]]]
    ) -> None:
        with self._store.lock:
            parts = [(topic, _encoded(topic, records)) for topic, records in prepare()]
            for topic, lines in parts:
                self._append(topic, lines)

    def append_batch(self, topic: Topic, records: Iterable[StoredRecord], *, generation: str, batch: int) -> bool:
        store, key = self._store, (self._name(topic.name), generation)
        with store.lock:
            if store.batches.get(key, -1) >= batch:
                deque(records, maxlen=0)
                return False
            given = list(records)
            encode = line_encoder(topic)
            bad = Findings()
            for index, record in enumerate(given):
                try:
                    encode(record, record.ordinal)
                except ValueProblems as problems:
                    bad.add(misfits(topic.name, index, problems))
            if bad:
                raise bad.error()
            given.sort(key=lambda record: record.ordinal)
            self._append(topic, _encoded(topic, given))
            store.batches[key] = batch
            return True

    def read(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        return self._records(topic, self.offsets(topic.name), by_time)

    def tail(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Callable[[], NewRecords]:
        done: dict[int, int] = {}

        def news() -> NewRecords:
            nonlocal done
            ends = {p: end for p, (_, end) in self.offsets(topic.name).items()}
            anew = any(ends.get(p, 0) < end for p, end in done.items())
            start = {} if anew else done
            done = ends
            return NewRecords(self._records(topic, {p: (start.get(p, 0), e) for p, e in ends.items()}, by_time), anew)

        return news

    def newest_values(self, topic: str, count: int) -> Sequence[bytes]:
        values = [json.loads(line)["value"] for lines in self._partitions(topic) for line in lines[-count:]]
        return [json.dumps(value).encode() for value in values if value is not None]

    def end(self, topic: Topic) -> tuple[int, ...] | None:
        return max((record.ordinal for record in self.read(topic)), default=None)

    def is_empty(self, topic: str) -> bool:
        return not any(self._partitions(topic))

    def count(self, topic: str, since: Offsets = NOWHERE) -> int:
        return left(self.offsets(topic), since)

    def place(self, topic: str, time: int | None) -> Offsets:
        return {
            p: next((n for n, line in enumerate(lines) if time is not None and _time(line) >= time), len(lines))
            for p, lines in enumerate(self._partitions(topic))
        }

    def prepare(self, topic: Topic) -> None:
        with self._store.lock:
            self._append(topic, [])

    def segments_for(
        self, topic: Topic, folder: Path, *, by_time: bool = True, since: Offsets = NOWHERE
    ) -> tuple[Path, ...]:
        encode = line_encoder(replace(topic, ordinal_width=ORDINAL_WIDTH))
        spans = {p: (since.get(p, first), end) for p, (first, end) in self.offsets(topic.name).items()}
        path = folder / f"{self._name(topic.name)}.jsonl"
        path.write_bytes(b"".join(encode(r, r.ordinal) for r in self._records(topic, spans, by_time)))
        return (path,)

    def delete(self, topic: str) -> None:
        store, name = self._store, self._name(topic)
        with store.lock:
            store.topics.pop(name, None)
            for key in [key for key in store.batches if key[0] == name]:
                del store.batches[key]

    def with_names(self, renamed: Mapping[str, str]) -> MemoryLog:
        return replace(self, renamed=renamed)

    def dataset(self, topic: str) -> tuple[str, str]:
        return f"memory://{self.settings.store}", self._name(topic)

    def external_name(self, topic: str) -> str:
        return self._name(topic)

    def ordinal_width(self, topic: Topic) -> int:
        return ORDINAL_WIDTH

    def offsets(self, topic: str) -> Mapping[int, tuple[int, int]]:
        return {p: (0, len(lines)) for p, lines in enumerate(self._partitions(topic))}

    def read_contents(self, topic: Topic, contents: Contents, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        return self._records(topic, contents.spans, False)

    @property
    def _store(self) -> Store:
        return STORES[self.settings.store]

    def _name(self, topic: str) -> str:
        return self.renamed.get(topic, topic)

    def _partitions(self, topic: str) -> list[list[bytes]]:
        return self._store.topics.get(self._name(topic), [])

    def _append(self, topic: Topic, lines: Iterable[bytes]) -> None:
        count = topic.partitions or self.settings.partitions
        partitions = self._store.topics.setdefault(self._name(topic.name), [[] for _ in range(count)])
        for line in lines:
            key = json.dumps(json.loads(line)["key"], sort_keys=True)
            partitions[zlib.crc32(key.encode()) % len(partitions)].append(line)

    def _records(self, topic: Topic, spans: Mapping[int, tuple[int, int]], by_time: bool) -> Iterator[StoredRecord]:
        decode = line_decoder(replace(topic, ordinal_width=1))
        if topic.value.is_absent:
            decode = _keys_only(decode)
        lines = [
            (_time(line) if by_time else 0, offset, lane(topic.name, p), line)
            for p, (first, end) in spans.items()
            for offset, line in enumerate(self._partitions(topic.name)[p][first:end], first)
        ]
        return (replace(decode(line), ordinal=tuple(ordinal)) for *ordinal, line in sorted(lines))


def _keys_only(decode: Callable[[bytes], StoredRecord]) -> Callable[[bytes], StoredRecord]:
    return lambda line: decode(json.dumps({**json.loads(line), "value": None}).encode())


def _encoded(topic: Topic, records: Iterable[Record | StoredRecord]) -> list[bytes]:
    """The lines of records, without their newlines. Raises LsqlcError with all that does not fit."""
    # The store assigns ordinals when it is read.
    encode, ordinal = line_encoder(replace(topic, ordinal_width=1)), (0,)
    bad, lines = Findings(), []
    for index, record in enumerate(records):
        try:
            lines.append(encode(record, ordinal).rstrip(b"\n"))
        except ValueProblems as problems:
            bad.add(misfits(topic.name, index, problems))
    if bad:
        raise bad.error()
    return lines


def _time(line: bytes) -> int:
    found: Any = json.loads(line)["timestamp"]
    return int(found)
