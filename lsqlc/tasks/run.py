"""Run the models of a project on a place: prepare its topics, start the queries, start them again after a loss."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lsqlc.connectors.record import Commits
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity, listing
from lsqlc.formats.catalogue import find_format
from lsqlc.golden.show import plural
from lsqlc.lower.spark import unsupported
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.plan import Plan
from lsqlc.plan.tested import tested_topic
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.connectors.avro_functions import check_avro
from lsqlc.remote.connectors.record import NeededTopics
from lsqlc.remote.connectors.unknown_schema import UnknownSchemaError
from lsqlc.remote.connectors.unreadable_files import replaced
from lsqlc.remote.run.checkpoints import has_checkpoint, remove_checkpoint
from lsqlc.remote.run.events import Event, Failed, QuerySummary, Started
from lsqlc.remote.run.graph import Job, nodes
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.query_status import QueryStatus
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.run.supervisor import Restarting, RestartPolicy, supervise
from lsqlc.tasks.absent_fields import absent_fields
from lsqlc.tasks.aligned import Aligned, graces
from lsqlc.tasks.backlog import fit
from lsqlc.tasks.checkpoint_place import check_checkpoints
from lsqlc.tasks.delta_topics import Loaded, TableWatch, load_topics, refusal
from lsqlc.tasks.detached import Handover
from lsqlc.tasks.failed_models import failures
from lsqlc.tasks.histories import files_of, history_finder
from lsqlc.tasks.idle_run import Ended, nothing_to_read
from lsqlc.tasks.losses import check_accepted, forget_accepted, pass_losses
from lsqlc.tasks.native_writers import deliveries, guarantee, refusals
from lsqlc.tasks.real_time import Latencies, check_version, latencies, prepared
from lsqlc.tasks.run_context import Attempt, Console, RunContext, RunRequest, UnknownSchemas, Watch
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.skipped_records import read_skips
from lsqlc.tasks.starts import beginnings, check_times, not_counted
from lsqlc.tasks.unread_segments import check_unread
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class _Execution:
    """A run whose queries start.

    `options`: those of the queries at the first attempt; `files`: the topics of files that the server must see;
    `report_start`: called for each query that starts.
    """

    context: RunContext
    console: Console
    watch: Watch
    handover: Handover
    options: RunOptions
    files: tuple[Topic, ...]
    report_start: Callable[[Started], None]

    def open_session(self) -> Attempt:
        """Return a session for one attempt."""
        context, request = self.context, self.context.request
        fitting = partial(
            fit, context.spark_plans, context.place, anew=request.full_refresh, continuous=request.continuous
        )
        return self.console.opened(self.files, fitting)


def run_models(context: RunContext, console: Console) -> tuple[QuerySummary, ...]:
    """Run all models of a compilation that has no errors, and return a summary of each query over all attempts.

    Hold `run_lock` around it. Without `fail_fast` the summary of a query has its error, or the queries that it waits
    for.

    Raises LsqlcError as `lsqlc.remote.run.runner.run` and the transport do. Raises LSQ066 for a refresh that leaves
    readers out, LSQ790 for checkpoints of other topics, LSQ750 for a start in the future.
    """
    place, compilation, request = context.place, context.compilation, context.request
    check_checkpoints(place)
    check_times(request.starts, request.clock.wall())
    check_accepted(context.spark_plans, request.accept_loss)
    handover = Handover(place, context.project, request.detached, request.detach, console.say,
                        lambda diagnostic: console.show([diagnostic]), request.clock.wall)  # fmt: skip
    if request.full_refresh or request.accept_loss:
        handover.take_over()
    _prepare(context, console)
    until_read = not (request.continuous or request.detach or request.full_refresh or request.limit)
    quiet = nothing_to_read(context, request.clock.wall()) if until_read else None
    watch = console.watch()
    start = request.clock.monotonic()
    if quiet is not None:
        watch.skips(tuple(skip.text for skip in read_skips(place, context.project)))
        return _quiet(quiet, context, console, watch)
    histories = files_of(compilation, (start for of in request.starts.values() for start in of.values()))
    options, report_start = options_of(compilation, request), _start_reporter(context, console)
    files = (*_topics_of_files(context), *histories)
    execution = _Execution(context, console, watch, handover, options, files, report_start)
    try:
        last = _supervised(execution)
        if problems := failures(last):
            watch.fail(problems[-1].message)
    except LsqlcError as error:
        watch.fail("; ".join(d.message for d in error.diagnostics if d.is_error))
        raise
    finally:
        handover.close()
        watch.turn("detached" if handover.is_left else "ended")
    seconds = request.clock.monotonic() - start
    return tuple(_total(summary, watch.standings[summary.query], seconds) for summary in last)


def _prepare(context: RunContext, console: Console) -> None:
    """Check the checkpoints of the run and create its topics, and report what a user should know before it starts.

    Checkpoints at an address are checked once there is a session, by `_check_checkpoints_at_address`.
    """
    place, compilation, request = context.place, context.compilation, context.request
    plans = context.spark_plans
    store = place.store() if isinstance(place.checkpoints, Path) else None
    if request.full_refresh and store:
        check_readers(compilation, store)
    if request.full_refresh:
        forget_accepted(place.state, compilation.plans)
    _load_tables(context, lambda loaded: console.say(str(loaded)) if loaded.versions else None)
    for text in prepare_topics(compilation, place):
        console.say(text)
    if store:
        _check_positions(context, store, plans, console, is_refresh=request.full_refresh)
    console.show(absent_fields(place.log, compilation.plans.values(), written_topics(plans)))
    sentence = guarantee(deliveries(compilation, place.capabilities, context.real_time))
    if sentence:
        console.say(sentence)
    if request.detach and (models := sorted(context.latencies.models)):
        console.say(f"a detached run has no real-time mode: {listing(models)} in micro-batches")
    if request.full_refresh and store:
        drop_old_stages(plans, place, store)
    elif _topics_of_files(context) and store:
        stages = [stage for plan in plans.values() for stage in plan.stages]
        folder = place.own_checkpoints
        assert isinstance(folder, Path)
        console.show(d for stage in stages for d in replaced(stage, place.root.resolve(), folder))


def _check_positions(
    context: RunContext, store: CheckpointStore, plans: Mapping[str, SparkPlan], console: Console, *, is_refresh: bool
) -> None:
    """Refuse segments that no query has read, and move checkpoints past the losses that the user accepts."""
    place, request = context.place, context.request
    check_unread(plans, place, None if is_refresh else store, written_topics(plans) if is_refresh else ())
    if not is_refresh:
        pass_losses(plans, place, store, request.accept_loss, request.clock.wall(), console.say)


def _load_tables(context: RunContext, say: Callable[[Loaded], None] = lambda loaded: None) -> None:
    """Append the new versions of the Delta tables that the models read to their topics. `say`: as of `load_topics`."""
    inputs = {t.name for plan in context.compilation.plans.values() for t in plan.inputs}
    load_topics(context.compilation.project.topics, context.place, inputs, say=say)


def _topics_of_files(context: RunContext) -> tuple[Topic, ...]:
    """Return the topics that consist of files, each once."""
    plans = context.compilation.plans.values()
    return tuple({t.name: t for plan in plans for t in plan.inputs if t.files}.values())


def _quiet(quiet: Ended, context: RunContext, console: Console, watch: Watch) -> tuple[QuerySummary, ...]:
    """Report a run that has nothing to read like any other."""
    console.say("nothing to read: the topics have nothing new, and no query is started")
    report_start = _start_reporter(context, console)
    with console.shown() as show_event:
        for started, ended in quiet:
            for event in (started, ended):
                watch.take(event)
                show_event(event)
            report_start(started)
    watch.turn("ended")
    return tuple(ended for _, ended in quiet)


def _start_reporter(context: RunContext, console: Console) -> Callable[[Started], None]:
    """Return a function that warns, once for each query, of one that does not start where the command asked."""
    request, reported = context.request, set[str]()

    def report_start(event: Started) -> None:
        if event.query not in reported:
            reported.add(event.query)
            if request.given and event.model in request.starts:
                console.show(filter(None, [not_counted(event, request.given)]))

    return report_start


def _supervised(execution: _Execution) -> tuple[QuerySummary, ...]:
    """Run the models until they end. They are started again from their checkpoints after a loss."""
    context, console, watch = execution.context, execution.console, execution.watch
    place, compilation, request = context.place, context.compilation, context.request
    skips = read_skips(place, context.project)
    if skips:
        console.say(f"skipping {plural(len(skips), 'record')}: {listing(skip.text for skip in skips)}")
    watch.skips(tuple(skip.text for skip in skips))
    options = replace(
        execution.options,
        starts=beginnings(request.starts, compilation, place, request.clock.wall()),
        history=history_finder(compilation, place),
        skips=skips,
    )
    attempts = _Attempts(replace(execution, options=options))

    def wait(seconds: float) -> bool:
        stopped = console.wait(seconds)
        if not stopped:
            watch.turn("running")
        return stopped

    def restarting(event: Restarting) -> None:
        watch.turn("restarting", event.found[0].message)
        console.restarting(event)

    def back(diagnostics: tuple[Diagnostic, ...], seconds: float) -> bool:
        assert console.back is not None, "it was looked at"
        watch.turn("restarting", diagnostics[0].message)
        stopped = console.back(diagnostics, seconds)
        if not stopped:
            watch.turn("running")
        return stopped

    return supervise(
        attempts.run,
        RestartPolicy(
            limit=request.restarts,
            progress=lambda: watch.batches,
            wait=wait,
            report=restarting,
            back=back if request.waits and console.back else None,
        ),
    )


@dataclass(slots=True)
class _Attempts:
    """The attempts of a run. `rejected`: ids of schemas that the registry does not know; only a record with a schema of
    another id restarts the run once more.
    """

    execution: _Execution
    rejected: UnknownSchemas = frozenset()

    def run(self) -> tuple[QuerySummary, ...]:
        """Run the models until they end or something fails. A record with a newer schema does not end the attempt."""
        while True:
            try:
                return _attempted(self.execution)
            except UnknownSchemaError as error:
                if error.schema in self.rejected:
                    raise
                self._take_schema(*error.schema)

    def _take_schema(self, topic: str, facet: str, id: int) -> None:
        """Continue with the schemas that the registry has now."""
        context = self.execution.context.with_new_schemas(self.rejected)
        if id not in context.place.schemas.of(topic, facet).writers:
            self.rejected |= {(topic, facet, id)}
            context = context.with_new_schemas(self.rejected)
        self.execution = replace(self.execution, context=context)
        self.execution.console.say(
            f"the {facet} of '{topic}' has the schema with the id {id}: the queries continue with it"
        )


def _attempted(execution: _Execution) -> tuple[QuerySummary, ...]:
    """Run the models on one session, until they end or something fails."""
    context, console, watch = execution.context, execution.console, execution.watch
    place = context.place
    groups = group_commits(place, console, execution.options)
    tables = TableWatch(partial(_load_tables, context), context.request.clock.monotonic, console.show)
    # A refresh is complete once a query has started.
    options = replace(execution.options, refresh=()) if watch.standings else execution.options
    with execution.open_session() as (spark, show_event):

        def stop() -> bool:
            watch.keep_up()
            if groups:
                groups.keep_up()
            if context.request.continuous:
                tables.keep_up()
            return console.stop()

        check_version(context.real_time, spark.version)
        if place.capabilities.stores_bytes and has_avro(context.compilation.plans.values()):
            check_avro(spark.session)
        # A server may be another one after a restart, and the queries depend on its version.
        plans = context.plans_for(spark.version)
        plans = prepared(plans, place, context.latencies.models, spark.session, options.refresh)
        jobs = [Job(name, plan) for name, plan in plans.items()]
        if place.capabilities.has_partitions:
            limit = Aligned(place, graces(nodes(jobs)), options.query.until_read, console.say, options.limit)
            options = replace(options, limit=limit)
        if not isinstance(place.checkpoints, Path):
            _check_checkpoints_at_address(context, place.store(spark.session), plans, options, console)
        try:
            return run(
                RunResources(spark.session, spark.address, place.streams(), place.own_checkpoints),
                jobs,
                options=execution.handover.options(options, spark.address),
                report=_reporter(execution, show_event, groups),
                stop=stop,
            )
        finally:
            if groups:
                groups.commit()


def _check_checkpoints_at_address(
    context: RunContext, store: CheckpointStore, plans: Mapping[str, SparkPlan], options: RunOptions, console: Console
) -> None:
    """Do for checkpoints at an address, which need a session, what `_prepare` does for those in a folder."""
    is_refresh = bool(options.refresh)
    if is_refresh:
        check_readers(context.compilation, store)
        drop_old_stages(plans, context.place, store)
    _check_positions(context, store, plans, console, is_refresh=is_refresh)


def _reporter(
    execution: _Execution, show_event: Callable[[Event], None], groups: Commits | None
) -> Callable[[Event], None]:
    """Return a function that passes each event of the queries to all that follow the run."""
    console = execution.console

    def report(event: Event) -> None:
        execution.watch.take(event)
        show_event(event)
        match event:
            case BatchProgress() if groups:
                groups.take(event.query, event.offsets)
            case Started():
                execution.report_start(event)
                if event.changes:
                    _report_changes(event, console)
            case Failed():
                _report_failure(event, console, until_read=execution.options.query.until_read)

    return report


def _report_changes(event: Started, console: Console) -> None:
    """Report a query that continues from the checkpoint of another one."""
    topic = tested_topic(event.model)
    if topic is None:
        console.show([changed(event)])
    else:
        console.say(f"the tests of '{topic}' have changed: those of now test what has come since")


def _report_failure(event: Failed, console: Console, *, until_read: bool) -> None:
    """Report a query that has failed, unless the end of the run does."""
    topic = tested_topic(event.model)
    if topic is not None:
        console.show(replace(d, severity=Severity.WARNING) for d in event.found)
        console.say(f"the models continue without the tests of '{topic}'")
    elif not event.ends_run and not until_read:
        # The end, which shows all failures, may be far away.
        console.show(event.found)


def has_avro(plans: Iterable[Plan]) -> bool:
    """Return whether plans read or write a topic whose format needs Spark's module for Avro."""
    topics = (topic for plan in plans for topic in (*plan.inputs, *plan.outputs) if topic.files is None)
    formats = (find_format(facet.format) for topic in topics for facet in (topic.key, topic.value))
    return any(format is not None and format.needs_spark_avro for format in formats)


def group_commits(place: RunTarget, console: Console, options: RunOptions) -> Commits | None:
    """Return the consumer groups to which the progress of queries is committed; None for a target that does not ask for
    it.

    Queries beside the live ones have none, as the groups belong to the live ones.
    """
    if place.overlay.aside:
        return None
    return place.commits(lambda diagnostic: console.show([diagnostic]), options.clock.monotonic)


def options_of(compilation: Compilation, request: RunRequest) -> RunOptions:
    """Return the options of the queries of these models."""
    of_model = {m.name: m.files_per_batch for m in compilation.project.models if m.files_per_batch}
    return RunOptions(
        query=QueryOptions(segments_per_batch=request.files_per_batch, until_read=not request.continuous),
        files={} if request.files_per_batch else of_model,
        at_once=request.threads,
        refresh=frozenset(n for n in compilation.plans if tested_topic(n) is None) if request.full_refresh else (),
        restarts=request.restarts,
        # A detached run has no process that reports a failed model.
        fail_fast=request.fail_fast or request.detach,
        clock=request.clock,
        limit=request.limit,
        waits=request.waits,
    )


def prepare_topics(compilation: Compilation, place: RunTarget) -> tuple[str, ...]:
    """Create the topics that are missing. Return a sentence for each new topic, and for each input topic without
    records.

    Raises LsqlcError for topics that the models cannot run over.
    """
    output_topics = {topic.name for plan in compilation.plans.values() for topic in plan.outputs}
    seeded = {t.topic.name for t in compilation.project.topics if t.seed is not None}
    seeded |= {record.topic for plan in compilation.plans.values() for record in plan.inserts}
    inputs = {t.name: t for plan in compilation.plans.values() for t in plan.inputs if t.files is None}
    messages = list(_created(compilation, place))
    for name in sorted(inputs):
        if not place.capabilities.has_topic_settings:
            place.log.prepare(inputs[name])
        if name not in output_topics and place.log.is_empty(name):
            how = f"; `lsqlc seed {name}` loads its sample records" if name in seeded else ""
            messages.append(f"the topic '{name}' has no records yet{how}")
    return tuple(messages)


def _created(compilation: Compilation, place: RunTarget) -> Iterator[str]:
    """Create the topics that models write, where topics have settings; a sentence for each."""
    requirements = NeededTopics(compilation.plans, own_writers(place, compilation), place.overlay.written)
    return place.spark_connector.create_topics(requirements, place.target.connection)


def own_writers(place: RunTarget, compilation: Compilation) -> Collection[str]:
    """Return the topics that models of the project write on a target. Topics of another target are not among them."""
    return [topic for topic in compilation.graph.writers if place.read_from(topic) is None]


def written_topics(plans: Mapping[str, SparkPlan]) -> frozenset[str]:
    """Return the topics that the queries of these models write, those between stages too."""
    return frozenset(stage.write.topic for plan in plans.values() for stage in plan.stages)


def check_readers(compilation: Compilation, store: CheckpointStore) -> None:
    """Refuse (LSQ066) to refresh models whose readers have a checkpoint and are left out: they would read everything
    twice.
    """
    selected = compilation.selected
    left_out = compilation.graph.below(selected) - selected
    ran = [n for n in left_out if any(has_checkpoint(store, query) for query in (n, f"{n}.stage1"))]
    if ran:
        message = f"the models {listing(ran)} have read what would be recomputed"
        notes = ("they would read the same results a second time",)
        help = "refresh them too: add `+` after the selector, such as `--select model+`"
        raise LsqlcError([Diagnostic("LSQ066", message, notes=notes, help=help)])


def drop_old_stages(plans: Mapping[str, SparkPlan], place: RunTarget, store: CheckpointStore) -> None:
    """Remove the internal topics and checkpoints of stages that a model no longer has."""
    current = {stage.write.topic for plan in plans.values() for stage in plan.stages}
    names = place.log.names()
    for model in plans:
        internal = re.compile(re.escape(f"{INTERNAL}{model}.") + r"(\d+)")
        for match in filter(None, map(internal.fullmatch, names)):
            if match[0] not in current:
                remove_checkpoint(store, f"{model}.stage{match[1]}")
                place.log.delete(match[0])


def check_plans(compilation: Compilation, place: RunTarget) -> Latencies:
    """Return the latencies of models, all of which can run on a target.

    Raises LsqlcError for those that Spark cannot run, as `elsewhere` says, and as `native_writers` does. Also for a
    target whose topics no query can read or write: LSQ812, LSQ813.
    """
    place.check_writable()
    _ = place.spark_connector
    problems = [d for plan in compilation.plans.values() for d in (*unsupported(plan), *elsewhere(plan, place))]
    problems += refusals(compilation, place.capabilities)
    result = latencies(compilation, place)
    problems += result.errors
    if problems:
        raise LsqlcError(problems)
    return result


def elsewhere(plan: Plan, place: RunTarget) -> tuple[Diagnostic, ...]:
    """Return an error for each topic of the plan that the place cannot hold (LSQ601).

    The error is LSQ609 for the topic of a Delta table, and LSQ780 for one of files that the place does not see.
    """
    topics = sorted({t.name: t for t in (*plan.inputs, *plan.outputs)}.values(), key=lambda t: t.name)
    unseen = () if isinstance(place.checkpoints, Path) else tuple(t for t in topics if t.files is not None)
    of_tables = () if place.capabilities.takes_versions else tuple(t for t in topics if t.connector == "delta")
    errors = (*(_unseen(plan, topic, place) for topic in unseen), *(refusal(topic, place) for topic in of_tables))
    return errors + tuple(
        Diagnostic(
            "LSQ601",
            f"the model '{plan.name}' cannot run: the topic '{topic.name}' is in {topic.connector}",
            notes=(
                f"the topics of the target '{place.target.name}' are {place.connector.where}; "
                "compile, build and test support any",
            ),
            help=f"add `{topic.connector}:` to the target, or run on a target that has it",
        )
        for topic in topics
        if not place.connector.holds(topic.connector)
    )


def _unseen(plan: Plan, topic: Topic, place: RunTarget) -> Diagnostic:
    return Diagnostic(
        "LSQ780",
        f"the model '{plan.name}' cannot run: the topic '{topic.name}' consists of files",
        notes=(
            f"the server of the target '{place.target.name}' does not share a folder with lsqlc: its checkpoints are"
            f" at '{place.checkpoints}'",
        ),
        help="put the records into a topic in Kafka, or run on an embedded target with a folder as `checkpoints`",
    )


def changed(event: Started) -> Diagnostic:
    """LSQ860 for a query that continues from the checkpoint of another one."""
    more = len(event.changes) - 3
    return Diagnostic(
        "LSQ860",
        f"the query '{event.query}' has changed, and continues from its checkpoint",
        severity=Severity.WARNING,
        notes=(
            *event.changes[:3],
            *([f"and {more:,} more"] if more > 0 else ()),
            f"the records of '{event.topic}' are kept; new ones are computed by the new program",
        ),
        help="run with `--full-refresh` to recompute all of it",
    )


def _total(last: QuerySummary, standing: QueryStatus, seconds: float) -> QuerySummary:
    """Return the summary of a query over all its starts. One that was started again has the time of the whole run."""
    if standing.starts == 1:
        return last
    return replace(
        last, batches=standing.batches, rows=standing.rows, seconds=seconds, state_rows=standing.state_rows,
        late_groups=standing.late_groups, counts=standing.counts, counted=standing.counted,
    )  # fmt: skip
