"""The thread that brings the rows of tables up to date with their topics.

Each topic is read from its beginning, and then followed. The newest record of a key is its row. A topic that was
replaced, or that has lost records which were not read, is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event, Lock

from lsqlc.connectors.transport import Positions, Transport
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.duckdb.current_rows import CurrentRows, MemoryLimitError
from lsqlc.serve.changes import ChangeLog, RowChange
from lsqlc.serve.tables import ServedTable
from lsqlc.types import codec
from lsqlc.types.record import Record, StoredRecord

# About so many records are written in one transaction.
RECORDS_PER_BATCH = 100_000


@dataclass(frozen=True, slots=True)
class Freshness:
    """The records that the rows of a table include, at least.

    `positions`: those after them, by partition, or by writer of a topic in a folder. `highest`: the highest first
    number of an ordinal that was read. `lag_records`: about how many records are not read, at the last look;
    `lag_seconds`: since when there were none, None before the topic was read once; `is_loaded`: it was. `read`: records
    so far; `skipped`: those that cannot be read. `problem`: why the topic cannot be read now. `replaced`: how often the
    rows were removed, to read the topic again.
    """

    positions: Positions
    highest: int
    lag_records: int
    lag_seconds: float | None
    is_loaded: bool
    read: int
    skipped: int
    problem: Diagnostic | None = None
    replaced: int = 0


@dataclass(slots=True)
class _Progress:
    """How far a table has come. `caught_up`: when nothing was left to read, in seconds."""

    positions: Positions = field(default_factory=dict)
    highest: int = -1
    left: int = 0
    caught_up: float | None = None
    topic_id: str = ""
    read: int = 0
    skipped: int = 0
    problem: Diagnostic | None = None
    replaced: int = 0


@dataclass(slots=True)
class Follower:
    """The tables that are followed. `now`: the time in seconds. `skips`: whether records that cannot be read are passed
    over; else the table stays as it is before such a record. `told`: is called after each look with news.
    """

    tables: tuple[ServedTable, ...]
    log: Transport
    rows: CurrentRows
    now: Callable[[], float]
    skips: bool = False
    told: Callable[[], object] = lambda: None
    most: int = RECORDS_PER_BATCH
    changes: Mapping[str, ChangeLog] = field(init=False)
    _progress: Mapping[str, _Progress] = field(init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def __post_init__(self) -> None:
        self.changes = {table.name: ChangeLog() for table in self.tables}
        self._progress = {table.name: _Progress() for table in self.tables}

    def freshness(self, name: str) -> Freshness:
        """Return what the rows of a table include."""
        with self._lock:
            p = self._progress[name]
            lag = None if p.caught_up is None else max(0.0, self.now() - p.caught_up)
            is_loaded = p.caught_up is not None
            return Freshness(p.positions, p.highest, p.left, lag, is_loaded, p.read, p.skipped, p.problem, p.replaced)

    def run(self, stop: Event, interval: float) -> None:
        """Follow the topics until `stop` is set. `interval`: seconds between two looks without news."""
        while not stop.is_set():
            if not self.look(stop.is_set):
                stop.wait(interval)

    def look(self, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Read the next records of each topic, and return whether there were any."""
        is_news = False
        for table in self.tables:
            if stopped():
                return False
            progress = self._progress[table.name]
            has_read, problem = self._read(table, progress)
            is_changed = problem != progress.problem
            with self._lock:
                progress.problem = problem
            if has_read or is_changed:
                self.told()
            is_news = is_news or has_read
        return is_news

    def _read(self, table: ServedTable, progress: _Progress) -> tuple[bool, Diagnostic | None]:
        """Read the next records of a topic, and return whether there were any, and why they cannot be read."""
        try:
            return self._step(table, progress), None
        except LsqlcError as error:
            return False, error.diagnostics[0]
        except MemoryLimitError:
            message = f"the rows of '{table.name}' do not fit into the memory of the service"
            help = "give it more with --memory, or select fewer tables"
            return False, Diagnostic("LSQ838", message, help=help)
        except Exception as error:
            # A thread that ends unseen would leave the rows as they are, and nobody would know.
            message = f"the rows of '{table.name}' cannot be brought up to date: {type(error).__name__}: {error}"
            help = "please report it; the service tries again"
            return False, Diagnostic("LSQ843", message, help=help)

    def _step(self, table: ServedTable, progress: _Progress) -> bool:
        """Read the next records of a topic, and return whether there were any. Raises LsqlcError."""
        name = table.name
        topic_id = self.log.topic_id(name)
        is_other = bool(progress.topic_id) and topic_id != progress.topic_id
        if is_other or (progress.positions and self.log.lost_part(name, progress.positions) is not None):
            self._begin_anew(name, progress)
        progress.topic_id = topic_id
        bad: list[Unreadable] = []
        take = bad.append if self.skips else None
        part = self.log.behind(table.topic, progress.positions, self.most, bad=take)
        if part is None:
            is_first = progress.caught_up is None
            with self._lock:
                progress.left, progress.caught_up = 0, self.now()
            if is_first:
                self.told()
            return False
        count, highest, newest = 0, progress.highest, dict[str, StoredRecord]()
        row_id = table.row_topic.row_ids()
        for record in part.records:
            count += 1
            highest = max(highest, record.ordinal[0])
            if record.key is not None:
                newest[row_id(record.key)] = record
        # A reader of changes has those after the topic was read once.
        changes = self._changes(table, newest) if progress.caught_up is not None else []
        self.rows.write(name, newest)
        with self._lock:
            progress.positions, progress.highest, progress.left = part.positions, highest, part.left
            progress.read += count
            progress.skipped += len(bad)
        self.changes[name].add(changes)
        return True

    def _begin_anew(self, name: str, progress: _Progress) -> None:
        with self._lock:
            progress.positions, progress.highest, progress.caught_up = {}, -1, None
            progress.replaced += 1
        self.rows.clear(name)
        self.changes[name].skip()

    def _changes(self, table: ServedTable, newest: Mapping[str, StoredRecord]) -> list[RowChange]:
        before = self.rows.before(table.name, newest)
        return [*_changes(table, before, newest.items())]


def _changes(
    table: ServedTable, before: Mapping[str, Record], newest: Iterable[tuple[str, StoredRecord]]
) -> Iterable[RowChange]:
    encode = codec.encoder(table.topic.value.type)
    for id, record in newest:
        old = before.get(id)
        if record.value is None:
            if old is not None:
                yield RowChange("delete", old)
        elif old is None:
            yield RowChange("insert", Record(table.name, record.key, record.value, record.timestamp))
        elif encode(old.value) != encode(record.value):
            yield RowChange("update", Record(table.name, record.key, record.value, record.timestamp))
