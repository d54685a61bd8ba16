"""The service: its tables, its limits, and what it answers. The protocols are in front of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.lower.duckdb.current_rows import CurrentRows, InterruptedEvaluationError, MemorySizeError, Reader
from lsqlc.report.answers import Answer
from lsqlc.serve.follower import Follower, Freshness
from lsqlc.serve.keys import key_of
from lsqlc.serve.queries import QueryCompiler, RowLimit, ServedAnswer, query_answer, rows_where, table_condition
from lsqlc.serve.tables import ServedTable, Wanted, served_tables

if TYPE_CHECKING:
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.run_target import RunTarget

# Threads that read a row by its key. They never wait for a query.
POINT_READERS = 2
# Between two interrupts of a query that takes too long.
_INTERRUPT_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a service. `rows`: of an answer; `seconds`: of a query, and of a wait for a record; `memory`: of
    tables and queries together, as DuckDB writes it, None: its default; `queries`: at the same time; `requests`: at the
    same time; `body`: bytes of a request; `streams`: clients that follow changes at the same time.
    """

    rows: int = 10_000
    seconds: float = 30.0
    memory: str | None = None
    queries: int = 4
    requests: int = 64
    body: int = 1 << 20
    streams: int = 32


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """The service that a command asks for."""

    wanted: Wanted
    target: str | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Included:
    """A record that an answer must include: one of a partition, by its offset. In a folder, the partition is 0, and the
    offset is the number of the record.
    """

    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """An answer, and the freshness of the tables that it was made of, as it was before they were read."""

    answer: Answer
    has_more: bool
    freshness: Mapping[str, Freshness]


@dataclass(slots=True)
class Service:
    """An opened service. Its methods are called by any thread.

    Each raises LsqlcError: LSQ836 for an unknown table, LSQ838 for a limit, LSQ839 for a table that is not loaded yet,
    and as the function that it calls.
    """

    project: str
    target: str
    tables: Mapping[str, ServedTable]
    limits: Limits
    follower: Follower
    compiler: QueryCompiler
    rows: CurrentRows
    has_partitions: bool
    _points: SimpleQueue[Reader] = field(default_factory=SimpleQueue)
    _queries: SimpleQueue[Reader] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        for number, reader in enumerate(self.rows.readers):
            (self._points if number < POINT_READERS else self._queries).put(reader)

    def table(self, name: str) -> ServedTable:
        """Return a table by its name."""
        table = self.tables.get(name)
        if table is None:
            help = did_you_mean(name, self.tables) or f"the tables of this service are {listing(self.tables)}"
            raise LsqlcError([Diagnostic("LSQ836", f"the service has no table '{name}'", help=help)])
        return table

    def row(self, name: str, key: str) -> TableAnswer:
        """Return the row of a key, or none. `key`: see `key_of`, whose errors it raises."""
        table = self.table(name)
        id = table.row_topic.row_ids()(key_of(table.topic, key))
        freshness = self.fresh((name,))
        with self._reader(self._points) as reader:
            row = reader.row(name, id)
        self._check_kept(freshness)
        return TableAnswer(table.answer(() if row is None else (row,)), False, freshness)

    def rows_of(self, name: str, where: str | None, limit: int | None) -> TableAnswer:
        """Return the rows of a table by key. `where`: a condition, as of `lsqlc show --where`."""
        table = self.table(name)
        condition = None if where is None else table_condition(where, table.topic, self.compiler.workspace)
        freshness = self.fresh((name,))
        return self._answered(lambda r, now: rows_where(r, table, condition, self._limit(limit), now), freshness)

    def query(self, text: str, dialect: str | None = None, limit: int | None = None) -> TableAnswer:
        """Return the rows of a query, as `lsqlc query` does."""
        compiled = self.compiler.compiled(text, dialect)
        freshness = self.fresh(compiled.tables)
        return self._answered(lambda r, now: query_answer(r, compiled, self._limit(limit), now), freshness)

    def count(self, name: str) -> int:
        """Return the number of rows of a table."""
        with self._reader(self._points) as reader:
            return reader.count(name)

    def fresh(self, names: tuple[str, ...]) -> Mapping[str, Freshness]:
        """Return the freshness of some tables, which have been loaded."""
        freshness = {name: self.follower.freshness(name) for name in names}
        for name, each in freshness.items():
            if not each.is_loaded:
                message = f"the rows of '{name}' are still being read from its topic"
                reason = () if each.problem is None else (each.problem.message,)
                help = "try again later; `/ready` answers 200 when all tables have been read"
                raise LsqlcError([Diagnostic("LSQ839", message, notes=reason, help=help)])
        return freshness

    def includes(self, record: Included) -> bool:
        """Return whether the rows of a table include a record, and the table has been loaded."""
        self.table(record.topic)
        fresh = self.follower.freshness(record.topic)
        if not fresh.is_loaded:
            return False
        if self.has_partitions:
            return fresh.positions.get(str(record.partition), 0) > record.offset
        return fresh.highest >= record.offset

    def _check_kept(self, before: Mapping[str, Freshness]) -> None:
        """Raise LsqlcError LSQ839 if rows were removed since `before`: an answer may lack them."""
        if any(self.follower.freshness(name).replaced != each.replaced for name, each in before.items()):
            self.fresh(tuple(before))
            message = "a topic was read again while the answer was made"
            raise LsqlcError([Diagnostic("LSQ839", message, help="send the request again")])

    def _limit(self, asked: int | None) -> RowLimit:
        return RowLimit(asked, self.limits.rows)

    def _answered(
        self, evaluate: Callable[[Reader, int], ServedAnswer], freshness: Mapping[str, Freshness]
    ) -> TableAnswer:
        with self._reader(self._queries) as reader, _deadline(reader, self.limits.seconds):
            served = evaluate(reader, int(self.follower.now() * 1000))
        self._check_kept(freshness)
        return TableAnswer(served.answer, served.has_more, freshness)

    @contextmanager
    def _reader(self, readers: SimpleQueue[Reader]) -> Iterator[Reader]:
        try:
            reader = readers.get(timeout=self.limits.seconds)
        except Empty:
            message = f"no query has ended for {self.limits.seconds:g} s, so that this one could not begin"
            raise LsqlcError([Diagnostic("LSQ838", message, help="send fewer queries at the same time")]) from None
        try:
            yield reader
        finally:
            readers.put(reader)


@contextmanager
def _deadline(reader: Reader, seconds: float) -> Iterator[None]:
    """Interrupt the reader after some seconds. Raises LsqlcError LSQ838 then.

    An interrupt has no effect before the reader evaluates, and DuckDB drops one between two statements. So interrupts
    are repeated until the reader has ended.
    """
    ended = Event()

    def interrupt() -> None:
        pause = seconds
        while not ended.wait(pause):
            reader.interrupt()
            pause = _INTERRUPT_SECONDS

    thread = Thread(target=interrupt, name="deadline", daemon=True)
    thread.start()
    try:
        yield
    except InterruptedEvaluationError:
        message = f"the query takes longer than {seconds:g} s, and was ended"
        help = "select fewer rows, or start the service with a larger --timeout"
        raise LsqlcError([Diagnostic("LSQ838", message, help=help)]) from None
    finally:
        ended.set()
        thread.join()


@contextmanager
def open_service(workspace: Workspace, request: ServiceRequest, now: Callable[[], float]) -> Iterator[Service]:
    """Open a service inside the `with`. It reads its topics inside of `following`. `now`: the time in seconds.

    Raises LsqlcError: LSQ811 for topics that cannot be followed, LSQ837 for a memory limit that is none, and as
    `served_tables` and the target do; ProjectError for models with errors.
    """
    from lsqlc.project.workspace import sound

    compilation = sound(workspace.compilation)
    place = _opened(workspace, request)
    served = served_tables(compilation, request.wanted, has_partitions=place.capabilities.has_partitions)
    limits = request.limits
    try:
        rows = CurrentRows((t.row_topic for t in served), POINT_READERS + limits.queries, limits.memory)
    except MemorySizeError as error:
        message = f"'{limits.memory}' cannot be the memory of the service: {error}"
        raise LsqlcError([Diagnostic("LSQ837", message, help="write a size, such as --memory 4GB")]) from None
    tables = {table.name: table for table in served}
    skips = compilation.project.config.defaults.errors.policy not in (None, "fail")
    follower = Follower(served, place.log, rows, now, skips)
    compiler = QueryCompiler(workspace, tables, place.ordered)
    service = Service(
        workspace.name, place.target.name, tables, limits, follower, compiler, rows, place.capabilities.has_partitions
    )
    try:
        yield service
    finally:
        rows.close()


@contextmanager
def following(service: Service, interval: float) -> Iterator[None]:
    """Read the topics of a service, by a thread, inside the `with`. `interval`: see `Follower.run`."""
    stop = Event()
    thread = Thread(target=service.follower.run, args=(stop, interval), name="follower", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _opened(workspace: Workspace, request: ServiceRequest) -> RunTarget:
    from lsqlc.tasks.run_target import open_compiled

    place = open_compiled(workspace.compilation, workspace.target(request.target))
    if not place.capabilities.can_follow:
        message = f"the topics of the target '{place.target.name}' cannot be followed"
        raise LsqlcError([Diagnostic("LSQ811", message, help="choose another target: --target NAME")])
    return place
