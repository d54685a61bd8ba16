"""Run the stages of a project's models as streaming queries, monitor them, and stop them.

In a run until all input is read, a stage starts when the stages that it reads from have finished. In a continuous run,
all stages run at the same time. There is only one thread, because queries share the views and settings of a session.
Events are passed to a callback as frozen data; nothing is printed.
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
from lsqlc.remote.connectors.transport import Transport, generation_number
from lsqlc.remote.connectors.unreadable_files import UnreadableFiles, open_files, unreadable
from lsqlc.remote.run.bad_rows import bad_row
from lsqlc.remote.run.checkpoints import (
    Checkpoint,
    CheckpointRequest,
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
from lsqlc.remote.run.detached_run import DetachedQuery
from lsqlc.remote.run.events import Event, Failed, Idle, QuerySummary, RestartingQuery, Started, Waiting
from lsqlc.remote.run.first_rows import first_rows
from lsqlc.remote.run.graph import Job, Node, longest_first, nodes, topics_of, waiting_for
from lsqlc.remote.run.histories import check_histories
from lsqlc.remote.run.idle import idle, idle_events, writes_letters
from lsqlc.remote.run.liveness import Liveness
from lsqlc.remote.run.poll_schedule import PollSchedule
from lsqlc.remote.run.preflight import check_supported
from lsqlc.remote.run.progress import ProgressReader, added, counted
from lsqlc.remote.run.queries import Query, QueryOptions, start
from lsqlc.remote.run.real_time import Recovery, recovery_of
from lsqlc.remote.run.restarts import Clock, Restarts
from lsqlc.remote.run.server_clock import LONGEST_WAIT, clock_behind, seconds_behind
from lsqlc.remote.run.session_heartbeat import WithHeartbeat, seconds_between_calls
from lsqlc.remote.run.start_offsets import WHOLE, StartOffsets
from lsqlc.remote.run.stores import store_of
from lsqlc.remote.session import failures
from lsqlc.remote.session.call_timeout import call_timeout
from lsqlc.remote.session.session import Address, server_version

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# The first version in which states of the newer format can be repartitioned.
_NEWER_STATE = (4, 2)
_POLL_SECONDS = 0.2
# Seconds between two requests for the active queries of a continuous run.
_ACTIVE_SECONDS = 2.0
# Seconds after which a running query is regarded as started successfully, even if its first batch is not complete.
_BEGUN_SECONDS = 30.0


class Next(Enum):
    """The next work of a query: run without a limit, run one batch up to the limit, or none."""

    UNLIMITED = "unlimited"
    BATCH = "batch"
    READ = "read"


class Limit(Protocol):
    """A limit for the records that some queries read."""

    def prepare(self, node: Node, checkpoint: Checkpoint, session: SparkSession) -> Next:
        """Set the end of a query's next batch to the limit, and return the next work. The query must not run.

        Raises LsqlcError if the end cannot be set, and PassingError if another attempt may succeed.
        """
        ...


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run.

    - `query`: the options of each query.
    - `files`: by model, the maximum of files in a batch.
    - `at_once`: the maximum of concurrent queries in a run until all input is read.
    - `refresh`: names of models whose state and results are computed again.
    - `call_timeout`: seconds without an answer to a call after which the server is regarded as lost.
    - `restarts`: how often in a row a query is started again after the loss of its worker; see `Restarts`.
    - `fail_fast`: whether a failed query ends the run. Otherwise the run continues with the queries that do not read
      from it, directly or not.
    - `clock`: the sources of time and random numbers.
    - `limit`: a limit for the records that queries read.
    - `starts`: by model, the start offsets of new queries. By default they start at the first record of each topic.
    - `history`: returns the history of a topic, by its name and that of the topic of files. Raises LsqlcError for a
      history that does not exist.
    - `skips`: records that no query reads.
    - `before_start`: called after all checkpoints were checked, and before the first change.
    - `leave`: called with all queries once they have started. Then the run ends, and the queries continue on the
      server. An error of this call stops them. None: the queries are stopped at the end of the run.
    - `waits`: whether to wait without a limit for brokers that do not answer.
    """

    query: QueryOptions = field(default_factory=QueryOptions)
    files: Mapping[str, int] = field(default_factory=dict)
    at_once: int = 4
    refresh: Collection[str] = ()
    call_timeout: float = 600.0
    restarts: int = 5
    fail_fast: bool = True
    clock: Clock = field(default_factory=Clock)
    limit: Limit | None = None
    starts: Mapping[str, StartOffsets] = field(default_factory=dict)
    history: Callable[[str, str], History] | None = None
    skips: tuple[Skip, ...] = ()
    before_start: Callable[[], None] = lambda: None
    leave: Callable[[tuple[DetachedQuery, ...]], None] | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class RunResources:
    """The server, topics and checkpoints of a run.

    `spark`: a session of the server at `address`; `checkpoints`: their folder, or an address that the server can
    access.
    """

    spark: SparkSession
    address: Address
    transport: Transport
    checkpoints: Path | str


def run(
    resources: RunResources,
    jobs: Iterable[Job],
    *,
    options: RunOptions | None = None,
    report: Callable[[Event], None] = lambda event: None,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[QuerySummary, ...]:
    """Run all stages of the jobs, and return a summary of each query, in order of dependency.

    `stop` is called several times a second. When it returns true, the queries are stopped, and the next run continues
    from their checkpoints. An error of it stops them as well. The caller must hold `run_lock`, and the lease of a
    project whose topics are in Kafka.

    Raises LsqlcError before any query starts:

    - LSQ698: the server does not support a query.
    - LSQ660, LSQ666: a checkpoint is not compatible, or is missing.
    - LSQ784: the server cannot access the checkpoints.

    Raises LsqlcError for a running query, after the others were stopped:

    - LSQ662: another client has stopped it.
    - LSQ663: the server has ended.

    Raises LastingError for a failed query, after the others were stopped:

    - LSQ440, LSQ441: a file has errors. LSQ667: a record has errors.
    - LSQ665: Spark rejects its SQL. LSQ669: the server cannot write.
    - LSQ661: any other error.

    Without `fail_fast`, a failed query raises no error: its summary has the failure. The summaries of the queries that
    read from it have its name.
    """
    return _Run(resources, options or RunOptions(), report).all(nodes(jobs), stop)


@dataclass(slots=True)
class _Running:
    node: Node
    began: float
    summary: QuerySummary
    checkpoint: Checkpoint
    files: UnreadableFiles | None
    restarts: Restarts
    # None while the query waits for its start, at `due` on the monotonic clock.
    query: StreamingQuery | None = None
    reader: ProgressReader | None = None
    schedule: PollSchedule = field(default_factory=PollSchedule)
    due: float = 0.0
    # It ends with the current batch, and may be started for another batch.
    one_batch: bool = False
    # The incomplete batch that a query in real-time mode has to complete in micro-batches first.
    recovery: Recovery | None = None


class _Run:
    """The state of a run: the queries that wait, that run, and that have ended."""

    def __init__(self, resources: RunResources, options: RunOptions, report: Callable[[Event], None]) -> None:
        self._spark = resources.spark
        self._transport = resources.transport
        self._store = store_of(resources.checkpoints, resources.spark)
        self._in_folder = isinstance(resources.checkpoints, Path)
        self._options = options
        self._report = report
        self._clock = options.clock
        self._running: list[_Running] = []
        self._paused: list[_Running] = []
        self._ended: dict[str, QuerySummary] = {}
        self._ordered: tuple[Node, ...] = ()
        self._liveness = Liveness(resources.address, options.clock.monotonic)
        self._last_request = float("-inf")
        self._queries = 1
        self._idle: frozenset[str] = frozenset()
        self._alive: Callable[[], None] = lambda: None

    def all(self, ordered: tuple[Node, ...], stop: Callable[[], bool]) -> tuple[QuerySummary, ...]:
        self._ordered = ordered
        try:
            with call_timeout(self._options.call_timeout, self._spark.client.close) as self._alive:
                self._until_ended(ordered, stop)
        except LsqlcError:
            self._stop_all()
            raise
        except BaseException as error:
            if failures.is_lost(error):
                # Each call to a server that has ended takes seconds to fail.
                self._running.clear()
                raise self._liveness.lost() from None
            self._stop_all()
            raise
        self._stop_all()
        return tuple(self._ended[n.query] for n in ordered if n.query in self._ended)

    def _until_ended(self, ordered: tuple[Node, ...], stop: Callable[[], bool]) -> None:
        options = self._options
        ends = options.query.until_read and not options.refresh and options.limit is None
        if ends and self._transport.knows_unread:
            self._idle = idle(self._store, ordered, self._parts, self._transport)
        busy = [node for node in ordered if node.query not in self._idle]
        self._transport.register_functions(self._spark)
        check_supported(self._spark, busy, server_version(self._spark.version))
        opened, self._queries = self._open(ordered), len(ordered)
        check_histories(ordered, opened)
        for node in ordered:
            if node.stage.first and not opened[node.query].resumed:
                self._write_first(node, opened[node.query])
        if not self._options.query.until_read and any(of.awaits_history for of in opened.values()):
            # Stages may join each other's backfill, so all backfills finish first.
            self._options = replace(options, query=replace(options.query, until_read=True), leave=None)
            self._go(tuple(n for n in ordered if not n.stage.real_time), opened, stop)
            self._options = options
            opened = {query: reopened(self._store, query, of) for query, of in opened.items()}
            self._ended = {query: of for query, of in self._ended.items() if of.failure or of.waits_for}
        self._go(ordered, opened, stop)

    def _write_first(self, node: Node, checkpoint: Checkpoint) -> None:
        """Write the rows that exist before the first record of a new query, before any query can read the topic.

        A start that was interrupted has written them already. Those of an earlier plan, whose query has had no batch,
        are removed. In Kafka, a generation of a staged version may be among them, which writes another topic.
        """
        transport, topic = self._transport, node.stage.write.topic
        generations = transport.first_generations(topic, node.query)
        if generation_number(checkpoint.generation) in generations:
            return
        if generations:
            transport.discard(topic, node.query)
        rows = first_rows(self._spark, node.model, node.stage, transport.columns)
        transport.write_first(topic, checkpoint.generation, rows)

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
        """Detach the queries, which continue on the server."""
        queries = tuple(map(_detached, self._running))
        leave(queries)
        for running, query in zip(self._running, queries, strict=True):
            self._ended[query.query] = running.summary
            self._report(query)
        self._running.clear()

    def _parts(self, node: Node) -> Parts:
        partitions = self._spark.conf.get("spark.sql.shuffle.partitions") or 0
        partitions = dict(node.stage.settings).get("spark.sql.shuffle.partitions", partitions)
        server = server_version(self._spark.version)
        return describe(node.stage, partitions=int(partitions), server=server, model=node.model)

    def _form(self, node: Node) -> Form:
        """Return the format of a new checkpoint."""
        server = server_version(self._spark.version)
        # Only RocksDB of Spark's providers supports the newer format.
        provider = dict(node.stage.settings).get(STATE_PROVIDER) or self._spark.conf.get(STATE_PROVIDER, None)
        of_rocks = "RocksDB" in (provider or "")
        newer = node.stage.held != "" and of_rocks and server >= _NEWER_STATE
        return Form(nameable(node.stage, server), 2 if newer else 1)

    def _open(self, ordered: tuple[Node, ...]) -> dict[str, Checkpoint]:
        """Open the checkpoint of each query. The errors of all checkpoints are raised at once, before any change."""
        parts = {node.query: self._parts(node) for node in ordered}
        opened: dict[str, Checkpoint] = {}
        former = left_behind(self._store, parts)
        diagnostics = [unfit(query, of) for query, of in former.items() if of.model not in self._options.refresh]

        def open_each(some: Iterable[Node]) -> None:
            for node in some:
                starts = self._options.starts.get(node.model, WHOLE).of(topics_of(node))
                request = CheckpointRequest(
                    node.query, node.stage.write.topic, parts[node.query], self._form(node), starts,
                    always=tested_topic(node.model) is not None,
                )  # fmt: skip
                try:
                    opened[node.query] = open_checkpoint(self._store, self._transport, request)
                except LsqlcError as error:
                    diagnostics.extend(error.diagnostics)
            if diagnostics:
                raise LsqlcError(diagnostics)

        finish_refreshes(self._store, self._transport)
        refreshed = [n for n in ordered if n.model in self._options.refresh]
        # Data tests of a refreshed topic start again too.
        rewritten = {n.stage.write.topic for n in refreshed}
        tests = [n for n in ordered if tested_topic(n.model) in rewritten]
        # Refreshed queries come last, because their removals cannot be undone if another checkpoint is rejected.
        open_each(n for n in ordered if n not in refreshed and n not in tests)
        self._options.before_start()
        for query, of in former.items():
            drop(self._store, query, of, self._transport)
        for topic in rewritten:
            # Even if these tests do not run now.
            begin_anew(self._store, name_of_tests(topic))
        refresh(self._store, [(n.query, n.stage.write.topic, parts[n.query]) for n in refreshed], self._transport)
        open_each((*refreshed, *tests))
        return opened

    def _start_ready(self, waiting: list[Node], opened: Mapping[str, Checkpoint], stop: Callable[[], bool]) -> None:
        until_read = self._options.query.until_read
        for node in list(waiting):
            if node.query in self._ended:
                # A query that it reads from has failed.
                waiting.remove(node)
                continue
            has_slot = not until_read or len(self._running) < self._options.at_once
            has_input = not until_read or all(n in self._ended for n in node.needs)
            if not (has_slot and has_input) or stop():
                continue
            waiting.remove(node)
            self._start(node, opened[node.query])
            # A start takes one or two seconds, so the other queries are polled in between.
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
        """Start a query, or schedule its next start. `tell`: whether to report the start.

        Raises LastingError if it is not started again.
        """
        try:
            following = self._next(running)
            if following is Next.READ:
                if running.reader is None:
                    # Consumers of events expect the start of a query before its end.
                    topic, resumed = running.summary.topic, running.checkpoint.resumed
                    self._report(Started(running.node.query, running.node.model, topic, resumed, ()))
                self._end(running, finished=True)
                return
            running.one_batch = following is Next.BATCH
            stage, checkpoint = running.node.stage, running.checkpoint
            if behind := seconds_behind(stage, checkpoint, self._store, self._spark):
                self._await_clock(running, behind)
                return
            if running.reader is None or running.node.stage.real_time or running.recovery is not None:
                running.recovery = recovery_of(running.node, running.checkpoint, self._store, self._transport)
            running.query = self._begin(running)
        except failures.PassingError as error:
            self._pause(running, error.diagnostics, slow=True)
            return
        node, checkpoint = running.node, running.checkpoint
        # Later starts continue from the first one.
        first = running.reader is None
        running.reader = ProgressReader(node.query, running.query)
        running.schedule = PollSchedule(checkpoint.folder if self._in_folder else None)
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
                # A query that it reads from has failed in between.
                continue
            self._paused.remove(running)
            with self._failing(running):
                self._launch(running)
            self._watch()

    def _pause(self, running: _Running, diagnostics: Iterable[Diagnostic], *, slow: bool) -> None:
        """Schedule the next start of a query that has lost its worker.

        Raises LastingError if it is not started again.
        """
        batches = running.summary.batches
        diagnostics, chance = tuple(diagnostics), self._clock.chance()
        away = is_away(diagnostics)
        pause = running.restarts.pause(
            batches=batches, slow=slow, chance=chance, away=self._options.waits and away, late=slow and not away
        )
        if pause is None:
            raise failures.LastingError(diagnostics)
        running.query, running.due = None, self._clock.monotonic() + pause
        self._paused.append(running)
        node, many = running.node, running.restarts.failures
        at = self._clock.wall()
        self._report(RestartingQuery(node.query, node.model, running.summary.topic, many, pause, at, diagnostics))

    def _await_clock(self, running: _Running, behind: float) -> None:
        """Schedule the start of a query for the time when the server's clock has reached its newest batch.

        `behind`: the seconds until then. Raises LastingError LSQ608 if that takes too long.
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
        if running.recovery is not None:
            node = replace(node, stage=running.recovery.stage)
        publish = self._publish(node.stage, checkpoint, files)
        every = self._options.query
        options = replace(
            every,
            until_read=every.until_read or running.recovery is not None,
            segments_per_batch=self._options.files.get(node.model, every.segments_per_batch),
            one_batch=running.one_batch,
            beside=self._queries,
        )
        stage = checkpoint.of(files.left_out() if files else node.stage)
        offsets = {topic: dict(each.places) for topic, each in checkpoint.begun.items()}
        query = Query(
            node.model,
            with_skips(self._with_histories(stage, checkpoint), self._options.skips),
            self._transport.beginning(offsets),
            options,
            (*self._transport.columns, *((HEADERS,) if node.stage.write.headers else ())),
        )
        if running.recovery is None:
            return start(self._spark, query, publish, checkpoint.location)
        return start(self._spark, query, publish, checkpoint.location, running.recovery.unwritten)

    def _publish(self, stage: Stage, checkpoint: Checkpoint, files: UnreadableFiles | None) -> Publish | SparkSink:
        """Return the function, or the sink, that writes the output of a query."""
        write = stage.write
        publish: Publish | SparkSink
        if stage.real_time:
            publish = self._transport.write_each(
                write.topic, checkpoint.generation, headers=write.headers, origins=origins(stage)
            )
        else:
            # The output of a stage without state has the order of its source already.
            guard, ordered = files.guard(checkpoint.folder) if files else None, stage.held != ""
            publish = self._transport.write(
                write.topic, checkpoint.generation, guard, ordered=ordered, version=stage.version,
                headers=write.headers,
            )  # fmt: skip
        if self._options.leave:
            assert not isinstance(publish, SparkSink), "a detached run writes by Python"
            publish = WithHeartbeat(publish, seconds_between_calls(self._spark))
        return publish

    def _with_histories(self, stage: Stage, checkpoint: Checkpoint) -> Stage:
        """Return the stage with the histories of its topics, if its query started with them."""
        past = {topic: offsets for topic, offsets in checkpoint.begun.items() if offsets.history}
        if not past:
            return stage
        assert self._options.history is not None, "a run with histories has this option"
        awaited = {topic: offsets.history for topic, offsets in past.items() if offsets.awaits_history}
        histories = {topic: self._options.history(topic, files) for topic, files in awaited.items()}
        return with_histories(stage, {topic: offsets.time or 0 for topic, offsets in past.items()}, histories)

    def _watch(self) -> None:
        self._alive()
        if not self._answers() or not self._running:
            return
        now = self._clock.monotonic()
        # This must precede the poll: a query that is inactive by now has reported all its batches.
        ended = self._have_ended(now)
        for running in list(self._running):
            if not any(running is other for other in self._running):
                # It was stopped because a query that it reads from has failed.
                continue
            assert running.query is not None
            active = running.query.runId not in ended
            if not active or running.schedule.due(now):
                with self._failing(running):
                    self._poll(running, active)

    def _answers(self) -> bool:
        try:
            return self._liveness.answers()
        except LsqlcError:
            # Calls to stop the queries of a lost server would block.
            self._running.clear()
            raise

    def _have_ended(self, now: float) -> frozenset[str]:
        """Return the run ids of queries that have ended.

        If queries end by themselves, other queries may wait for them, and the server is called each time.
        """
        ending = self._options.query.until_read or any(r.one_batch or r.recovery for r in self._running)
        if not ending and now - self._last_request < _ACTIVE_SECONDS:
            return frozenset()
        self._last_request = now
        active = {query.runId for query in self._spark.streams.active}
        return frozenset(r.query.runId for r in self._running if r.query is not None).difference(active)

    def _poll(self, running: _Running, active: bool) -> None:
        """Report the progress of a query, and handle the end of one that is not active any more."""
        assert running.query is not None
        running.schedule.polled(self._clock.monotonic(), has_batch=self._take_progress(running))
        if active:
            return
        self._running.remove(running)
        error = running.query.exception()
        if error is None:
            self._continue(running)
        else:
            self._handle_error(running, error)

    def _handle_error(self, running: _Running, error: BaseException) -> None:
        """Start a failed query again, or schedule its start. Raises LsqlcError for a final error."""
        # The transport checks the error first: refused connections to brokers look like a lost server.
        if self._explained(running, error):
            return
        if failures.is_lost(error):
            raise self._liveness.lost()
        if not self._again(running, str(error)):
            self._failed(running, error)

    def _continue(self, running: _Running) -> None:
        """Start the next part of a query that has ended without an error, or record its end."""
        if running.one_batch:
            self._launch(running, tell=False)
            return
        if running.recovery is not None:
            self._transport.end_real_time(running.summary.topic, running.checkpoint.generation)
            running.checkpoint = replace(running.checkpoint, resumed=True)
            if not self._options.query.until_read:
                self._launch(running, tell=False)
                return
        elif not self._options.query.until_read:
            raise LsqlcError([failures.query_taken(running.node.model, running.node.query)])
        if running.checkpoint.awaits_history:
            # After a kill before this line, the history is checked again, and has no unread record.
            note_history_read(self._store, running.node.query)
            running.checkpoint = reopened(self._store, running.node.query, running.checkpoint)
            self._launch(running, tell=False)
            return
        self._end(running, finished=True)

    @contextmanager
    def _failing(self, running: _Running) -> Iterator[None]:
        """Report a LastingError of a query, and raise it if it ends the run.

        The other queries continue after a failure of data tests. Without `fail_fast` they also continue after a failure
        of a model, except the queries that read from it.
        """
        try:
            yield
        except failures.LastingError as error:
            node, at, diagnostics = running.node, self._clock.wall(), tuple(error.diagnostics)
            tests = tested_topic(node.model) is not None
            ends_run = self._options.fail_fast and not tests
            self._report(Failed(node.query, node.model, running.summary.topic, at, diagnostics, ends_run))
            if ends_run:
                raise
            self._ended[node.query] = running.summary if tests else replace(running.summary, failure=diagnostics)
            if not tests:
                self._stop_readers()

    def _stop_readers(self) -> None:
        """Stop the queries that read from failed ones, directly or not, and do not start them.

        They would regard incomplete input as complete.
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
        """Stop a query that runs, or that waits for its next start. Return its summary, or None if it did not run."""
        for running in [each for each in (*self._running, *self._paused) if each.node.query == query]:
            if running.query is None:
                self._paused.remove(running)
            else:
                self._running.remove(running)
                self._halt(running)
            return replace(running.summary, seconds=time.monotonic() - running.began)
        return None

    def _halt(self, running: _Running) -> None:
        """Stop a query after its batch. A failure of the query in between is ignored."""
        assert running.query is not None
        try:
            running.query.stop()
            self._take_progress(running)
        except Exception as error:
            if failures.is_lost(error) or running.query.exception() is None:
                raise

    def _again(self, running: _Running, error: str) -> bool:
        """Start a query again that has stopped with a request about files, and return whether it was one.

        Raises LastingError LSQ441 for files that the model's policy does not skip.
        """
        request = told(error) if running.files else None
        if running.files is None or request is None:
            return False
        if not running.files.answered(request):
            if request.kind in ("unread", "broken"):
                raise failures.LastingError(unreadable(running.node.model, request, running.node.stage.skip_setting))
            return False
        self._launch(running, tell=False)
        return True

    def _explained(self, running: _Running, error: BaseException) -> bool:
        """Schedule the next start of a query after a temporary error of the transport.

        Return whether it was an error of the transport. Raises LastingError for a permanent one.
        """
        node = running.node
        read = topics_of(node)
        stage = node.stage
        explanation = self._transport.explain(str(error), node.model, stage.write.topic, read, stage.skip_setting)
        if explanation is None:
            return False
        if not explanation.passing:
            raise failures.LastingError([explanation.diagnostic])
        self._pause(running, [explanation.diagnostic], slow=False)
        return True

    def _failed(self, running: _Running, error: BaseException) -> None:
        """Schedule the next start of a query whose worker was lost. Raises LastingError for any other failure."""
        node = running.node
        read = topics_of(node)
        diagnostics = [failures.query_failed(node.model, node.query, error, read, node.stage.skip_setting)]
        if failures.is_passing(error):
            self._pause(running, diagnostics, slow=failures.is_slow(error))
            return
        stage = self._with_histories(node.stage, running.checkpoint)
        if self._transport.project is not None:
            diagnostics = bad_row(node.model, str(error), stage, self._transport.project) or diagnostics
        raise failures.LastingError(diagnostics)

    def _take_progress(self, running: _Running) -> bool:
        """Report the batches since the last poll, and return whether there were any."""
        assert running.reader is not None
        at = self._clock.wall()
        batches = running.reader.batches(at)
        if running.reader.is_idle:
            self._report(Idle(running.node.query, at))
        for batch in batches:
            if running.files:
                running.files.asked = 0
                bad = self._transport.noted(running.summary.topic, running.checkpoint.generation, batch.batch)
                batch = counted(batch, "bad record", bad)
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
            # The next reader, such as another query of this run, must see all records.
            self._transport.until_visible(running.node.stage.write.topic)
        old = running.summary
        summary = replace(old, seconds=time.monotonic() - running.began, finished=finished)
        self._ended[old.query] = summary
        self._report(summary)

    def _stop_all(self) -> None:
        """Stop all queries. Errors of a lost server are ignored, because its queries have ended with it."""
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
    """Return whether a query has completed its first batch, has had nothing to read, or has run for a while.

    Errors at the start have occurred by then. A query that will be started again has not started its continuous work.
    """
    assert running.reader is not None
    if running.one_batch or running.recovery:
        return False
    return running.reader.has_begun or time.monotonic() - running.began >= _BEGUN_SECONDS


def _detached(running: _Running) -> DetachedQuery:
    assert running.query is not None
    node = running.node
    ids = str(running.query.id), str(running.query.runId)
    return DetachedQuery(node.query, node.model, running.summary.topic, *ids, topics_of(node))
