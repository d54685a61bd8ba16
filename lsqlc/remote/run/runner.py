"""Run the stages of a project's models as streaming queries, watch them, and stop them in order.

Until all input is read: a stage starts when those that it reads from have finished, so that every record is there. On
and on: all run at once. One thread does it all, since a session's views and settings are shared. What happened is
handed to a callback as frozen data; nothing is printed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lsqlc.connectors.outages import is_away
from lsqlc.connectors.skips import Skip
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.evolution import STATE_PROVIDER
from lsqlc.lower.spark.history import History, with_histories
from lsqlc.lower.spark.real_time import origins
from lsqlc.lower.spark.record_lines import HEADERS
from lsqlc.lower.spark.skips import with_skips
from lsqlc.lower.spark.source_names import nameable
from lsqlc.lower.spark.steps import Stage
from lsqlc.plan.tested import name_of_tests, tested_topic
from lsqlc.remote.connectors.batch_files import told
from lsqlc.remote.connectors.publish import Publish
from lsqlc.remote.connectors.spark_sink import SparkSink
from lsqlc.remote.connectors.transport import Transport
from lsqlc.remote.connectors.unreadable_files import UnreadableFiles, open_files, unreadable
from lsqlc.remote.run.bad_rows import bad_row
from lsqlc.remote.run.beginnings import WHOLE, Beginning
from lsqlc.remote.run.checkpoints import (
    Checkpoint,
    Form,
    begin_anew,
    describe,
    drop,
    finish_refreshes,
    left_behind,
    note_history_read,
    open_checkpoint,
    refresh,
    reopened,
    take_up,
    unfit,
)
from lsqlc.remote.run.contact import Contact
from lsqlc.remote.run.detached_run import DetachedQuery
from lsqlc.remote.run.events import Event, Failed, Idle, QuerySummary, RestartingQuery, Started, Waiting
from lsqlc.remote.run.graph import Job, Node, longest_first, nodes, topics_of, waiting_for
from lsqlc.remote.run.histories import check_histories
from lsqlc.remote.run.idle import idle, idle_events, writes_letters
from lsqlc.remote.run.keep_alive import KeptAlive, seconds_between_calls
from lsqlc.remote.run.looks import Looks
from lsqlc.remote.run.progress import ProgressReader, added, counted
from lsqlc.remote.run.queries import QueryOptions, start
from lsqlc.remote.run.real_time import Unknown, unknown
from lsqlc.remote.run.rehearsal import rehearse
from lsqlc.remote.run.restarts import Clock, Restarts
from lsqlc.remote.run.server_clock import LONGEST_WAIT, clock_behind, seconds_behind
from lsqlc.remote.run.stores import store_of
from lsqlc.remote.session import failures
from lsqlc.remote.session.call_timeout import call_timeout
from lsqlc.remote.session.session import Address, server_version

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# From then on the newer format of state can be repartitioned too.
_NEWER_STATE = (4, 2)
_POLL_SECONDS = 0.2
# How often it is asked which queries of a run that goes on still run.
_ACTIVE_SECONDS = 2.0
# After that many seconds a query that has not ended counts as begun, although its first batch has not.
_BEGUN_SECONDS = 30.0


class Next(Enum):
    """How a query goes on: without a limit, with one batch that ends where it is to end, or not at all."""

    UNLIMITED = "unlimited"
    BATCH = "batch"
    READ = "read"


class Limit(Protocol):
    """How far queries read; those that it does not limit read to the end of their input, or on and on."""

    def prepare(self, node: Node, checkpoint: Checkpoint, session: SparkSession) -> Next:
        """Have the next batch of a query that does not run end where it is to end, if the query is limited, and has not
        read all that it is to read. Raises LsqlcError where that cannot be, PassingError where it may be when it is
        tried again.
        """
        ...


@dataclass(frozen=True, slots=True)
class RunOptions:
    """`query`: how each query runs. `files`: how many files make a batch of the queries of some models. `at_once`:
    queries that run side by side, at most, while reading until the end. `refresh`: names of models to start anew.
    `patience`: seconds after which a call without answer makes the server a lost one. `restarts`: how often in a row a
    query is started again that lost its worker; see `Restarts`. `fail_fast`: a query that fails for good ends the run;
    else the run continues with the queries that do not read from it, directly or not.

    `limit`: how far queries read (see `Limit`); None: none is limited. `beginnings`: where
    new queries of some models begin to read, else at the first record of each topic. `history`: gives the history of a
    topic by its name and that of the topic of files; raises LsqlcError for one that is not there. `skips`: records that
    no query reads.

    `before_start` is called once all checkpoints are known to fit, before anything is changed. `leave`: the queries are
    left to the server once all of them have begun, and this is called with them before the run ends; what it raises
    stops them. None: they are stopped with the run. `waits`: for brokers that do not answer, without end.
    """

    query: QueryOptions = field(default_factory=QueryOptions)
    files: Mapping[str, int] = field(default_factory=dict)
    at_once: int = 4
    refresh: Collection[str] = ()
    patience: float = 600.0
    restarts: int = 5
    fail_fast: bool = True
    clock: Clock = field(default_factory=Clock)
    limit: Limit | None = None
    beginnings: Mapping[str, Beginning] = field(default_factory=dict)
    history: Callable[[str, str], History] | None = None
    skips: tuple[Skip, ...] = ()
    before_start: Callable[[], None] = lambda: None
    leave: Callable[[tuple[DetachedQuery, ...]], None] | None = None
    waits: bool = False


def run(
    spark: SparkSession,
    address: Address,
    jobs: Iterable[Job],
    transport: Transport,
    checkpoints: Path | str,
    *,
    options: RunOptions | None = None,
    report: Callable[[Event], None] = lambda event: None,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[QuerySummary, ...]:
    """Run all stages of the jobs, and return a summary for each query that ran, in order of dependency.

    `checkpoints`: the folder where they lie, or an address that the server reaches. `stop` is asked several times a
    second; once true, the queries are stopped, and the next run goes on where they were; what it raises stops them as
    well. Hold `run_lock` around it, and the lease of a project whose topics are in Kafka.

    Raises LsqlcError: LSQ698 for what the server cannot run, LSQ660 and LSQ666 for checkpoints that do not fit, LSQ784
    for those that the server does not reach (all of these before anything starts), LSQ662 for a query that another
    client stopped, LSQ663 for a lost server; LastingError for a failed query: LSQ440 and LSQ441 for what is wrong in a
    file, LSQ667 for a record, LSQ665 for SQL that Spark rejects, LSQ669 where the server cannot write, LSQ661 for all
    else. The other queries are stopped first. Without `fail_fast` a failed query raises nothing: its summary has the
    failure, and those of the queries that read from it say what they wait for.
    """
    return _Run(spark, address, transport, checkpoints, options or RunOptions(), report).all(nodes(jobs), stop)


@dataclass(slots=True)
class _Running:
    node: Node
    began: float
    summary: QuerySummary
    checkpoint: Checkpoint
    files: UnreadableFiles | None
    restarts: Restarts
    # None while it waits to be started, until `due` on the monotonic clock.
    query: StreamingQuery | None = None
    reader: ProgressReader | None = None
    looks: Looks = field(default_factory=Looks)
    due: float = 0.0
    # It ends with the batch that it computes, and there may be another one.
    one_batch: bool = False
    # What it has written in real time, and its checkpoint does not know. It reads that to its end before it goes on.
    unknown: Unknown | None = None


class _Run:
    """The state of one run: what waits, what runs, what has ended."""

    def __init__(
        self,
        spark: SparkSession,
        address: Address,
        transport: Transport,
        checkpoints: Path | str,
        options: RunOptions,
        report: Callable[[Event], None],
    ) -> None:
        self._spark = spark
        self._transport = transport
        self._store = store_of(checkpoints, spark)
        self._in_folder = isinstance(checkpoints, Path)
        self._options = options
        self._report = report
        self._clock = options.clock
        self._running: list[_Running] = []
        self._paused: list[_Running] = []
        self._ended: dict[str, QuerySummary] = {}
        self._ordered: tuple[Node, ...] = ()
        self._contact = Contact(address, options.clock.monotonic)
        self._asked = float("-inf")
        self._queries = 1
        self._idle: frozenset[str] = frozenset()
        self._alive: Callable[[], None] = lambda: None

    def all(self, ordered: tuple[Node, ...], stop: Callable[[], bool]) -> tuple[QuerySummary, ...]:
        self._ordered = ordered
        try:
            with call_timeout(self._options.patience, self._spark.client.close) as self._alive:
                self._until_ended(ordered, stop)
        except LsqlcError:
            self._stop_all()
            raise
        except BaseException as error:
            if failures.is_lost(error):
                # Calls to a server that is gone take seconds to fail, each.
                self._running.clear()
                raise self._contact.lost() from None
            self._stop_all()
            raise
        self._stop_all()
        return tuple(self._ended[n.query] for n in ordered if n.query in self._ended)

    def _until_ended(self, ordered: tuple[Node, ...], stop: Callable[[], bool]) -> None:
        wanted = self._options
        ends = wanted.query.until_read and not wanted.refresh and wanted.limit is None
        if ends and self._transport.knows_unread:
            self._idle = idle(self._store, ordered, self._parts, self._transport.unread)
        busy = [node for node in ordered if node.query not in self._idle]
        self._transport.register_functions(self._spark)
        rehearse(self._spark, busy, server_version(self._spark.version))
        opened, self._queries = self._open(ordered), len(ordered)
        check_histories(ordered, opened)
        if not self._options.query.until_read and any(of.awaits_history for of in opened.values()):
            # What a stage reads of a history may meet what others make of theirs: each reads to its end before.
            self._options = replace(wanted, query=replace(wanted.query, until_read=True), leave=None)
            self._go(tuple(n for n in ordered if not n.stage.real_time), opened, stop)
            self._options = wanted
            opened = {query: reopened(self._store, query, of) for query, of in opened.items()}
            self._ended = {query: of for query, of in self._ended.items() if of.failure or of.waits_for}
        self._go(ordered, opened, stop)

    def _go(self, ordered: tuple[Node, ...], opened: Mapping[str, Checkpoint], stop: Callable[[], bool]) -> None:
        waiting = list(longest_first(ordered))
        while (waiting or self._running or self._paused) and not stop():
            self._start_ready(waiting, opened, stop)
            self._start_again()
            self._watch()
            if self._options.leave and not (waiting or self._paused) and all(map(_has_begun, self._running)):
                self._leave(self._options.leave)
                return
            if self._running or self._paused:
                self._clock.sleep(_POLL_SECONDS)

    def _leave(self, leave: Callable[[tuple[DetachedQuery, ...]], None]) -> None:
        """Have the server go on with the queries."""
        queries = tuple(map(_left_running, self._running))
        leave(queries)
        for running, left in zip(self._running, queries, strict=True):
            self._ended[left.query] = running.summary
            self._report(left)
        self._running.clear()

    def _parts(self, node: Node) -> Parts:
        partitions = self._spark.conf.get("spark.sql.shuffle.partitions") or 0
        stated = dict(node.stage.settings).get("spark.sql.shuffle.partitions", partitions)
        server = server_version(self._spark.version)
        return describe(node.stage, partitions=int(stated), server=server, model=node.model)

    def _form(self, node: Node) -> Form:
        """How a checkpoint of a query is kept that is made now."""
        server = server_version(self._spark.version)
        # Of the providers that come with Spark only this one knows the newer format.
        provider = dict(node.stage.settings).get(STATE_PROVIDER) or self._spark.conf.get(STATE_PROVIDER, None)
        of_rocks = "RocksDB" in (provider or "")
        newer = node.stage.held != "" and of_rocks and server >= _NEWER_STATE
        named = nameable(node.stage, server)
        return Form(named, 2 if newer else 1)

    def _open(self, ordered: tuple[Node, ...]) -> dict[str, Checkpoint]:
        """The checkpoint of each query; all that do not fit are told at once, before anything is touched."""
        parts = {node.query: self._parts(node) for node in ordered}
        opened: dict[str, Checkpoint] = {}
        gone = left_behind(self._store, parts)
        found = [unfit(query, of) for query, of in gone.items() if of.model not in self._options.refresh]

        def open_each(some: Iterable[Node]) -> None:
            for node in some:
                query, topic, tests = node.query, node.stage.write.topic, tested_topic(node.model) is not None
                read = self._options.beginnings.get(node.model, WHOLE).of(topics_of(node))
                try:
                    opened[query] = open_checkpoint(
                        self._store, query, topic, parts[query], self._transport, self._form(node), read, always=tests
                    )
                except LsqlcError as error:
                    found.extend(error.diagnostics)
            if found:
                raise LsqlcError(found)

        finish_refreshes(self._store, self._transport)
        fresh = [n for n in ordered if n.model in self._options.refresh]
        # The tests of what they write begin anew with it.
        rewritten = {n.stage.write.topic for n in fresh}
        again = [n for n in ordered if tested_topic(n.model) in rewritten]
        # Those to refresh come last: what they drop is gone even if another checkpoint is refused.
        open_each(n for n in ordered if n not in fresh and n not in again)
        self._options.before_start()
        for query, of in gone.items():
            drop(self._store, query, of, self._transport)
        for topic in rewritten:
            # Also if these tests do not run now.
            begin_anew(self._store, name_of_tests(topic))
        refresh(self._store, [(n.query, n.stage.write.topic, parts[n.query]) for n in fresh], self._transport)
        open_each((*fresh, *again))
        return opened

    def _start_ready(self, waiting: list[Node], opened: Mapping[str, Checkpoint], stop: Callable[[], bool]) -> None:
        until_read = self._options.query.until_read
        for node in list(waiting):
            if node.query in self._ended:
                # It waits for one that has failed.
                waiting.remove(node)
                continue
            room = not until_read or len(self._running) < self._options.at_once
            fed = not until_read or all(n in self._ended for n in node.needs)
            if not (room and fed) or stop():
                continue
            waiting.remove(node)
            self._start(node, opened[node.query])
            # Starting takes a second or two: look after the others in between.
            self._watch()

    def _start(self, node: Node, checkpoint: Checkpoint) -> None:
        if node.query in self._idle:
            started, ended = idle_events(node, checkpoint.begun, self._clock.wall())
            self._report(started)
            self._report(ended)
            self._ended[node.query] = ended
            return
        began = time.monotonic()
        topic = node.stage.write.topic
        if not checkpoint.noted:
            take_up(self._store, node.query, self._parts(node))
        files = open_files(node.stage, self._transport.project, checkpoint.folder)
        reads = {name: checkpoint.begun.get(name) for name in topics_of(node)}
        summary = QuerySummary(node.query, node.model, topic, resumed=checkpoint.resumed, reads=reads)
        running = _Running(node, began, summary, checkpoint, files, Restarts(self._options.restarts))
        with self._failing(running):
            self._launch(running)

    def _next(self, running: _Running) -> Next:
        limit = self._options.limit
        if limit is None or running.checkpoint.awaits_history:
            return Next.UNLIMITED
        return limit.prepare(running.node, running.checkpoint, self._spark)

    def _launch(self, running: _Running, *, tell: bool = True) -> None:
        """Start a query, or have it wait for its next start. Raises LastingError where it is given up."""
        try:
            following = self._next(running)
            if following is Next.READ:
                if running.reader is None:
                    # Those who watch know a query by its start.
                    topic, resumed = running.summary.topic, running.checkpoint.resumed
                    self._report(Started(running.node.query, running.node.model, topic, resumed, ()))
                self._end(running, finished=True)
                return
            running.one_batch = following is Next.BATCH
            stage, checkpoint = running.node.stage, running.checkpoint
            if behind := seconds_behind(stage, checkpoint, self._store, self._spark):
                self._await_clock(running, behind)
                return
            if running.reader is None or running.node.stage.real_time or running.unknown is not None:
                running.unknown = unknown(running.node, running.checkpoint, self._store, self._transport)
            running.query = self._begin(running)
        except failures.PassingError as error:
            self._pause(running, error.diagnostics, slow=True)
            return
        node, checkpoint = running.node, running.checkpoint
        # Later starts go on where the first one was.
        first = running.reader is None
        running.reader = ProgressReader(node.query, running.query)
        running.looks = Looks(checkpoint.folder if self._in_folder else None)
        self._running.append(running)
        if tell:
            changes = checkpoint.changes if first else ()
            resumed = checkpoint.resumed or not first
            letters = writes_letters(node)
            at = self._clock.wall()
            self._report(
                Started(node.query, node.model, running.summary.topic, resumed, changes, letters, at, checkpoint.begun)
            )

    def _start_again(self) -> None:
        """Start the queries whose pause is over."""
        for running in [p for p in self._paused if p.due <= self._clock.monotonic()]:
            if not any(running is other for other in self._paused):
                # It waits for one that has failed meanwhile.
                continue
            self._paused.remove(running)
            with self._failing(running):
                self._launch(running)
            self._watch()

    def _pause(self, running: _Running, found: Iterable[Diagnostic], *, slow: bool) -> None:
        """Have a query that lost its worker wait for its next start. Raises LastingError where it is given up."""
        batches = running.summary.batches
        found, chance = tuple(found), self._clock.chance()
        away = is_away(found)
        pause = running.restarts.pause(
            batches=batches, slow=slow, chance=chance, away=self._options.waits and away, late=slow and not away
        )
        if pause is None:
            raise failures.LastingError(found)
        running.query, running.due = None, self._clock.monotonic() + pause
        self._paused.append(running)
        node, many = running.node, running.restarts.failures
        at = self._clock.wall()
        self._report(RestartingQuery(node.query, node.model, running.summary.topic, many, pause, at, found))

    def _await_clock(self, running: _Running, behind: float) -> None:
        """Have a query wait until the server's clock has come to its newest batch, `behind` seconds from now. Raises
        LastingError LSQ608 where that takes too long.
        """
        node = running.node
        problem = clock_behind(node.model, node.query, behind)
        if behind > LONGEST_WAIT:
            raise failures.LastingError([problem])
        running.query, running.due = None, self._clock.monotonic() + behind
        self._paused.append(running)
        if behind >= 1:
            at = self._clock.wall()
            self._report(RestartingQuery(node.query, node.model, running.summary.topic, 0, behind, at, (problem,)))

    def _begin(self, running: _Running) -> StreamingQuery:
        node, checkpoint, files = running.node, running.checkpoint, running.files
        if running.unknown is not None:
            node = replace(node, stage=running.unknown.stage)
        guard = files.guard(checkpoint.folder) if files else None
        # A stage without state has the order of its source.
        ordered = node.stage.held != ""
        write = node.stage.write
        publish: Publish | SparkSink
        if node.stage.real_time:
            publish = self._transport.write_each(
                write.topic, checkpoint.generation, headers=write.headers, origins=origins(node.stage)
            )
        else:
            publish = self._transport.write(
                write.topic, checkpoint.generation, guard, ordered=ordered, version=node.stage.version,
                headers=write.headers,
            )  # fmt: skip
        if self._options.leave:
            assert not isinstance(publish, SparkSink), "a run that is left to the server has Python there"
            publish = KeptAlive(publish, seconds_between_calls(self._spark))
        every = self._options.query
        options = replace(
            every,
            until_read=every.until_read or running.unknown is not None,
            segments_per_batch=self._options.files.get(node.model, every.segments_per_batch),
            one_batch=running.one_batch,
            beside=self._queries,
        )
        places = {topic: dict(begun.places) for topic, begun in checkpoint.begun.items()}
        return start(
            self._spark,
            with_skips(
                self._with_histories(checkpoint.of(files.left_out() if files else node.stage), checkpoint),
                self._options.skips,
            ),
            self._transport.beginning(places),
            publish,
            checkpoint.location,
            model=node.model,
            options=options,
            columns=(*self._transport.columns, *((HEADERS,) if write.headers else ())),
            left=running.unknown.left if running.unknown else lambda rows: rows,
        )

    def _with_histories(self, stage: Stage, checkpoint: Checkpoint) -> Stage:
        """The stage over the topics with histories that its query has begun with."""
        past = {topic: begun for topic, begun in checkpoint.begun.items() if begun.history}
        if not past:
            return stage
        assert self._options.history is not None, "who begins with histories has them"
        awaited = {topic: begun.history for topic, begun in past.items() if begun.awaits_history}
        histories = {topic: self._options.history(topic, files) for topic, files in awaited.items()}
        return with_histories(stage, {topic: begun.time or 0 for topic, begun in past.items()}, histories)

    def _watch(self) -> None:
        self._alive()
        if not self._answers() or not self._running:
            return
        now = self._clock.monotonic()
        # Asked before the progress is read: what is inactive by now has told everything.
        ended = self._have_ended(now)
        for running in list(self._running):
            if not any(running is other for other in self._running):
                # It was stopped, since one has failed that it reads from.
                continue
            assert running.query is not None
            active = running.query.runId not in ended
            if not active or running.looks.due(now):
                with self._failing(running):
                    self._look_after(running, active)

    def _answers(self) -> bool:
        try:
            return self._contact.answers()
        except LsqlcError:
            # Calls that stop the queries of a lost server would block.
            self._running.clear()
            raise

    def _have_ended(self, now: float) -> frozenset[str]:
        """The runs of queries that have ended. What ends by itself is waited for by others, and asked for at once."""
        ending = self._options.query.until_read or any(r.one_batch or r.unknown for r in self._running)
        if not ending and now - self._asked < _ACTIVE_SECONDS:
            return frozenset()
        self._asked = now
        active = {query.runId for query in self._spark.streams.active}
        return frozenset(r.query.runId for r in self._running if r.query is not None).difference(active)

    def _look_after(self, running: _Running, active: bool) -> None:
        assert running.query is not None
        running.looks.looked(self._clock.monotonic(), found=self._take_progress(running))
        if active:
            return
        self._running.remove(running)
        error = running.query.exception()
        if error is not None:
            # What a transport says may sound like a lost server: brokers refuse connections too.
            if self._explained(running, error):
                return
            if failures.is_lost(error):
                raise self._contact.lost()
            if not self._again(running, str(error)):
                self._failed(running, error)
            return
        if running.one_batch:
            self._launch(running, tell=False)
            return
        if running.unknown is not None:
            self._transport.end_real_time(running.summary.topic, running.checkpoint.generation)
            running.checkpoint = replace(running.checkpoint, resumed=True)
            if not self._options.query.until_read:
                self._launch(running, tell=False)
                return
        elif not self._options.query.until_read:
            raise LsqlcError([failures.query_taken(running.node.model, running.node.query)])
        if running.checkpoint.awaits_history:
            # A kill before this is noted has the history looked through again, of which nothing is left.
            note_history_read(self._store, running.node.query)
            running.checkpoint = reopened(self._store, running.node.query, running.checkpoint)
            self._launch(running, tell=False)
            return
        self._end(running, finished=True)

    @contextmanager
    def _failing(self, running: _Running) -> Iterator[None]:
        """Report the query as failed where no further start mends it. The others continue without data tests, and
        unless the first failure is to end the run also without a query of a model and what reads from it.
        """
        try:
            yield
        except failures.LastingError as error:
            node, at, found = running.node, self._clock.wall(), tuple(error.diagnostics)
            tests = tested_topic(node.model) is not None
            ends_run = self._options.fail_fast and not tests
            self._report(Failed(node.query, node.model, running.summary.topic, at, found, ends_run))
            if ends_run:
                raise
            self._ended[node.query] = running.summary if tests else replace(running.summary, failure=found)
            if not tests:
                self._have_readers_wait()

    def _have_readers_wait(self) -> None:
        """Stop what reads from a failed query, directly or not, and do not start it: it would take what is there for
        all that there is.
        """
        failed = [query for query, of in self._ended.items() if of.failure]
        waits = waiting_for(self._ordered, failed)
        for node in self._ordered:
            before = self._ended.get(node.query)
            if node.query not in waits or (before is not None and not before.waits_for):
                continue
            topic, needs = node.stage.write.topic, waits[node.query]
            summary = before or self._halted(node.query) or QuerySummary(node.query, node.model, topic)
            self._ended[node.query] = replace(summary, waits_for=needs)
            if summary.waits_for != needs:
                self._report(Waiting(node.query, node.model, topic, self._clock.wall(), needs))

    def _halted(self, query: str) -> QuerySummary | None:
        """Stop a query that runs or is to be started again; what it has done. None if it did not run."""
        for running in [each for each in (*self._running, *self._paused) if each.node.query == query]:
            if running.query is None:
                self._paused.remove(running)
            else:
                self._running.remove(running)
                self._halt(running)
            return replace(running.summary, seconds=time.monotonic() - running.began)
        return None

    def _halt(self, running: _Running) -> None:
        """Stop a query after its batch. One that has failed by then is passed over."""
        assert running.query is not None
        try:
            running.query.stop()
            self._take_progress(running)
        except Exception as error:
            if failures.is_lost(error) or running.query.exception() is None:
                raise

    def _again(self, running: _Running, error: str) -> bool:
        """Start a query again that asked about files, and go on with it. Raises LsqlcError (LSQ441) for files that its
        policy does not pass over.
        """
        asked = told(error) if running.files else None
        if running.files is None or asked is None:
            return False
        if not running.files.answered(asked):
            if asked.kind in ("unread", "broken"):
                raise failures.LastingError(unreadable(running.node.model, asked, running.node.stage.skip_setting))
            return False
        self._launch(running, tell=False)
        return True

    def _explained(self, running: _Running, error: BaseException) -> bool:
        """Whether the transport knows the error: then the query waits for its next start. Raises LastingError for one
        that no further start mends.
        """
        node = running.node
        read = topics_of(node)
        stage = node.stage
        known = self._transport.explain(str(error), node.model, stage.write.topic, read, stage.skip_setting)
        if known is None:
            return False
        if not known.passing:
            raise failures.LastingError([known.diagnostic])
        self._pause(running, [known.diagnostic], slow=False)
        return True

    def _failed(self, running: _Running, error: BaseException) -> None:
        """Have a query wait for its next start if its worker was lost. Raises LastingError for any other failure."""
        node = running.node
        read = topics_of(node)
        found = [failures.query_failed(node.model, node.query, error, read, node.stage.skip_setting)]
        if failures.is_passing(error):
            self._pause(running, found, slow=failures.is_slow(error))
            return
        stage = self._with_histories(node.stage, running.checkpoint)
        if self._transport.project is not None:
            found = bad_row(node.model, str(error), stage, self._transport.project) or found
        raise failures.LastingError(found)

    def _take_progress(self, running: _Running) -> bool:
        """Report the batches since the last look, and say whether there were any."""
        assert running.reader is not None
        at = self._clock.wall()
        batches = running.reader.batches(at)
        if running.reader.is_idle:
            self._report(Idle(running.node.query, at))
        for batch in batches:
            if running.files:
                running.files.asked = 0
                noted = self._transport.noted(running.summary.topic, running.checkpoint.generation, batch.batch)
                batch = counted(batch, "bad record", noted)
            old = running.summary
            counts = {k: old.counts.get(k, 0) + batch.counts.get(k, 0) for k in {**old.counts, **batch.counts}}
            running.summary = replace(
                old, batches=old.batches + 1, rows=old.rows + batch.rows, seconds=time.monotonic() - running.began,
                state_rows=batch.state_rows, late_groups=old.late_groups + batch.late_groups, counts=counts,
                counted=added(old.counted, batch.counted),
            )  # fmt: skip
            self._report(batch)
        return bool(batches)

    def _end(self, running: _Running, *, finished: bool) -> None:
        if finished:
            # Who reads it next, another query of this run or a person, is to miss nothing.
            self._transport.until_visible(running.node.stage.write.topic)
        old = running.summary
        summary = replace(old, seconds=time.monotonic() - running.began, finished=finished)
        self._ended[old.query] = summary
        self._report(summary)

    def _stop_all(self) -> None:
        """Stop what runs. After a lost server there is nothing left to stop, so that failing calls are passed over."""
        while self._paused:
            self._end(self._paused.pop(), finished=False)
        while self._running:
            running = self._running.pop()
            try:
                self._halt(running)
            except Exception as error:
                if not failures.is_lost(error):
                    raise
                self._running.clear()
            self._end(running, finished=False)


def _has_begun(running: _Running) -> bool:
    """Whether a query has ended its first batch or found nothing to read, or is at its first batch for long: what fails
    at the start has failed by then. One that is to end, and to be started again, has not begun to go on.
    """
    assert running.reader is not None
    if running.one_batch or running.unknown:
        return False
    return running.reader.has_begun or time.monotonic() - running.began >= _BEGUN_SECONDS


def _left_running(running: _Running) -> DetachedQuery:
    assert running.query is not None
    node = running.node
    ids = str(running.query.id), str(running.query.runId)
    return DetachedQuery(node.query, node.model, running.summary.topic, *ids, topics_of(node))
