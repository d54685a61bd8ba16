"""Run the models of a project on a place: prepare its topics, start the queries, start them again after a loss."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from lsqlc.connectors.record import Commits
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity, listing
from lsqlc.formats.catalogue import find_format
from lsqlc.golden.show import plural
from lsqlc.lower.spark import lower, unsupported
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
from lsqlc.remote.run.runner import RunOptions, run
from lsqlc.remote.run.standing import Standing
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.run.supervisor import Restarting, supervise
from lsqlc.tasks.absent_fields import absent_fields
from lsqlc.tasks.aligned import Aligned, graces
from lsqlc.tasks.backlog import fit
from lsqlc.tasks.checkpoint_place import check_checkpoints
from lsqlc.tasks.detached import Handover
from lsqlc.tasks.failed_models import failures
from lsqlc.tasks.histories import files_of, history_finder
from lsqlc.tasks.idle_run import Ended, nothing_to_read
from lsqlc.tasks.losses import check_accepted, forget_accepted, pass_losses
from lsqlc.tasks.native_writers import deliveries, guarantee, refusals
from lsqlc.tasks.real_time import check_version, latencies, prepared
from lsqlc.tasks.run_context import Attempt, Console, RunRequest, Watch
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.tasks.skipped_records import read_skips
from lsqlc.tasks.starts import beginnings, check_times, not_counted
from lsqlc.tasks.unread_segments import check_unread
from lsqlc.types.record import Topic


def run_models(
    place: RunTarget, compilation: Compilation, lowered: Mapping[str, SparkPlan], request: RunRequest, console: Console
) -> tuple[QuerySummary, ...]:
    """Run all models of a compilation that has no errors; a summary of each query over all attempts. Hold `run_lock`
    around it. Without `fail_fast` a summary says of its query with what it failed, or what it waits for.

    Raises LsqlcError as `lsqlc.remote.run.runner.run` does, LSQ066 for a refresh that leaves readers out, LSQ790
    for checkpoints of other topics, LSQ750 for a start in the future, and what the transport refuses.
    """
    check_checkpoints(place)
    check_times(request.starts, request.clock.wall())
    # What lies at an address waits for a session.
    store = place.store() if isinstance(place.checkpoints, Path) else None
    check_accepted(lowered, request.accept_loss)
    handover = Handover(place, compilation.project.config.name, request.detached, request.detach, console.say,
                        lambda found: console.show([found]), request.clock.wall)  # fmt: skip
    if request.full_refresh or request.accept_loss:
        handover.take_over()
    if request.full_refresh and store:
        check_readers(compilation, store)
    if request.full_refresh:
        forget_accepted(place.state, compilation.plans)
    for text in prepare_topics(compilation, place):
        console.say(text)
    if isinstance(place.checkpoints, Path):
        anew = request.full_refresh
        check_unread(lowered, place, None if anew else store, written_topics(lowered) if anew else ())
    if store and not request.full_refresh:
        pass_losses(lowered, place, store, request.accept_loss, request.clock.wall(), console.say)
    console.show(absent_fields(place.log, compilation.plans.values(), written_topics(lowered)))
    real = latencies(compilation, place).models if request.in_real_time else frozenset()
    kept = guarantee(deliveries(compilation, place.capabilities, real))
    if kept:
        console.say(kept)
    if request.detach and (batched := sorted(latencies(compilation, place).models)):
        console.say(f"a detached run has no real-time mode: {listing(batched)} in micro-batches")
    of_files = tuple({t.name: t for plan in compilation.plans.values() for t in plan.inputs if t.files}.values())
    histories = files_of(compilation, (start for of in request.starts.values() for start in of.values()))
    if request.full_refresh and store:
        drop_old_stages(lowered, place, store)
    elif of_files and isinstance(place.checkpoints, Path):
        stages = [stage for plan in lowered.values() for stage in plan.stages]
        folder = place.own_checkpoints
        assert isinstance(folder, Path)
        console.show(d for stage in stages for d in replaced(stage, place.root.resolve(), folder))
    until_read = not (request.continuous or request.detach or request.full_refresh or request.limit)
    quiet = nothing_to_read(place, compilation, request.clock.wall()) if until_read else None
    watch = console.watch()
    began = request.clock.monotonic()
    if quiet is not None:
        watch.skips(tuple(skip.text for skip in read_skips(place, compilation.project.config.name)))
        return _quiet(quiet, request, console, watch)
    try:
        fitting = partial(fit, lowered, place, anew=request.full_refresh, continuous=request.continuous)
        opened = partial(console.opened, (*of_files, *histories), fitting)
        last = _supervised(place, compilation, request, console, watch, opened, handover)
        if found := failures(last):
            watch.fail(found[-1].message)
    except LsqlcError as error:
        watch.fail("; ".join(d.message for d in error.diagnostics if d.is_error))
        raise
    finally:
        handover.close()
        watch.turn("detached" if handover.is_left else "ended")
    seconds = request.clock.monotonic() - began
    return tuple(_total(summary, watch.standings[summary.query], seconds) for summary in last)


def _quiet(quiet: Ended, request: RunRequest, console: Console, watch: Watch) -> tuple[QuerySummary, ...]:
    """Tell of a run that has nothing to read as of any other."""
    console.say("nothing to read: the topics have nothing new, and no query is started")
    with console.shown() as shown:
        for started, ended in quiet:
            for event in (started, ended):
                watch.take(event)
                shown(event)
            _tell_start(started, request, console)
    watch.turn("ended")
    return tuple(ended for _, ended in quiet)


def _tell_start(event: Started, request: RunRequest, console: Console) -> None:
    """Say that a query which continues does not begin where the command said."""
    if request.given and event.model in request.starts:
        console.show(filter(None, [not_counted(event, request.given)]))


def _supervised(
    place: RunTarget,
    compilation: Compilation,
    request: RunRequest,
    console: Console,
    watch: Watch,
    opened: Callable[[], Attempt],
    handover: Handover,
) -> tuple[QuerySummary, ...]:
    """The models until they end, started again from their checkpoints after a loss."""
    now = request.clock.wall()
    wanted = replace(options_of(compilation, request), beginnings=beginnings(request.starts, compilation, place, now))
    skips = read_skips(place, compilation.project.config.name)
    if skips:
        console.say(f"skipping {plural(len(skips), 'record')}: {listing(skip.text for skip in skips)}")
    watch.skips(tuple(skip.text for skip in skips))
    wanted = replace(wanted, history=history_finder(compilation, place), skips=skips)

    # What records had and the registry did not know; only a record of a schema that it has brings the run up again.
    rejected: frozenset[tuple[str, str, int]] = frozenset()

    told: set[str] = set()

    def started(event: Started) -> None:
        if event.query not in told:
            told.add(event.query)
            _tell_start(event, request, console)

    def attempt() -> tuple[QuerySummary, ...]:
        nonlocal place, rejected
        while True:
            try:
                return _attempted(place, compilation, wanted, console, watch, opened, handover, request, started)
            except UnknownSchemaError as error:
                topic, facet, id = error.schema
                if (topic, facet, id) in rejected:
                    raise
                place = again(place, compilation, rejected)
                if id not in place.schemas.of(topic, facet).writers:
                    rejected |= {(topic, facet, id)}
                    place = again(place, compilation, rejected)
                console.say(f"the {facet} of '{topic}' has the schema with the id {id}: the queries continue with it")

    def wait(seconds: float) -> bool:
        stopped = console.wait(seconds)
        if not stopped:
            watch.turn("running")
        return stopped

    def restarting(event: Restarting) -> None:
        watch.turn("restarting", event.found[0].message)
        console.restarting(event)

    def back(found: tuple[Diagnostic, ...], seconds: float) -> bool:
        assert console.back is not None, "it was looked at"
        watch.turn("restarting", found[0].message)
        stopped = console.back(found, seconds)
        if not stopped:
            watch.turn("running")
        return stopped

    return supervise(
        attempt, limit=request.restarts, progress=lambda: watch.batches, wait=wait, report=restarting,
        back=back if request.waits and console.back else None,
    )  # fmt: skip


def _attempted(
    place: RunTarget,
    compilation: Compilation,
    wanted: RunOptions,
    console: Console,
    watch: Watch,
    opened: Callable[[], Attempt],
    handover: Handover,
    request: RunRequest,
    started: Callable[[Started], None],
) -> tuple[QuerySummary, ...]:
    """The models on one session, until they end or something fails. `started`: told of each query that starts."""
    groups = group_commits(place, console, wanted)
    # Once a query has started, all that was to be refreshed is.
    options = replace(wanted, refresh=()) if watch.standings else wanted
    with opened() as (spark, shown):

        def report(event: Event) -> None:
            watch.take(event)
            shown(event)
            if isinstance(event, BatchProgress) and groups:
                groups.take(event.query, event.offsets)
            if isinstance(event, Started):
                started(event)
            if isinstance(event, Started) and event.changes:
                topic = tested_topic(event.model)
                if topic is None:
                    console.show([changed(event)])
                else:
                    console.say(f"the tests of '{topic}' have changed: those of now test what has come since")
            if isinstance(event, Failed) and tested_topic(event.model) is not None:
                console.show(replace(d, severity=Severity.WARNING) for d in event.found)
                console.say(f"the models continue without the tests of '{tested_topic(event.model)}'")
            elif isinstance(event, Failed) and not event.ends_run and not wanted.query.until_read:
                # The end, at which all failures are shown, may be far away.
                console.show(event.found)

        def asked() -> bool:
            watch.keep_up()
            if groups:
                groups.keep_up()
            return console.stop()

        # A server may be another one after a restart, and its version decides what it is given.
        wires, plans = place.wires, compilation.plans
        real = latencies(compilation, place).models
        now = real if request.in_real_time else frozenset()
        check_version(now, spark.version)
        if place.capabilities.stores_bytes and has_avro(plans.values()):
            check_avro(spark.session)
        lowered = {
            name: lower(plan, server=spark.version, wires=wires, real_time=name in now) for name, plan in plans.items()
        }
        lowered = prepared(lowered, place, real, spark.session, options.refresh)
        jobs = [Job(name, plan) for name, plan in lowered.items()]
        if place.capabilities.has_partitions:
            limit = Aligned(place, graces(nodes(jobs)), options.query.until_read, console.say, options.limit)
            options = replace(options, limit=limit)
        if options.refresh and not isinstance(place.checkpoints, Path):
            store = place.store(spark.session)
            check_readers(compilation, store)
            drop_old_stages(lowered, place, store)
        if not isinstance(place.checkpoints, Path):
            known = None if options.refresh else place.store(spark.session)
            check_unread(lowered, place, known, written_topics(lowered) if options.refresh else ())
        if not isinstance(place.checkpoints, Path) and not options.refresh:
            known = place.store(spark.session)
            pass_losses(lowered, place, known, request.accept_loss, request.clock.wall(), console.say)
        try:
            return run(
                spark.session, spark.address, jobs, place.streams(), place.own_checkpoints,
                options=handover.options(options, spark.address), report=report, stop=asked,
            )  # fmt: skip
        finally:
            if groups:
                groups.commit()


def has_avro(plans: Iterable[Plan]) -> bool:
    """Whether plans read or write a topic whose format needs Spark's module for Avro."""
    topics = (topic for plan in plans for topic in (*plan.inputs, *plan.outputs) if topic.files is None)
    formats = (find_format(facet.format) for topic in topics for facet in (topic.key, topic.value))
    return any(format is not None and format.needs_spark_avro for format in formats)


def group_commits(place: RunTarget, console: Console, options: RunOptions) -> Commits | None:
    """Where what queries have read is committed to consumer groups; None for a target that does not ask for it, and for
    queries beside the live ones, whose groups these are.
    """
    if place.overlay.aside:
        return None
    return place.commits(lambda found: console.show([found]), options.clock.monotonic)


def again(place: RunTarget, compilation: Compilation, rejected: frozenset[tuple[str, str, int]]) -> RunTarget:
    """The same place with the schemas that the registry has now."""
    topics = compilation.topics.values()
    found = open_target(place.root, place.target, place.plans, topics, compilation.project, rejected)
    return found.under(place.overlay)


def options_of(compilation: Compilation, request: RunRequest) -> RunOptions:
    """How the queries of these models run."""
    of_model = {m.name: m.files_per_batch for m in compilation.project.models if m.files_per_batch}
    return RunOptions(
        query=QueryOptions(segments_per_batch=request.files_per_batch, until_read=not request.continuous),
        files={} if request.files_per_batch else of_model,
        at_once=request.threads,
        refresh=frozenset(n for n in compilation.plans if tested_topic(n) is None) if request.full_refresh else (),
        restarts=request.restarts,
        # Of a detached run nobody is left to report a failed model.
        fail_fast=request.fail_fast or request.detach,
        clock=request.clock,
        limit=request.limit,
        waits=request.waits,
    )


def prepare_topics(compilation: Compilation, place: RunTarget) -> tuple[str, ...]:
    """Create the topics that are missing; a sentence for each that was created, and for each that nothing will fill.
    Raises LsqlcError for topics that the models cannot run over.
    """
    written = {topic.name for plan in compilation.plans.values() for topic in plan.outputs}
    seeded = {t.topic.name for t in compilation.project.topics if t.seed is not None}
    seeded |= {record.topic for plan in compilation.plans.values() for record in plan.inserts}
    inputs = {t.name: t for plan in compilation.plans.values() for t in plan.inputs if t.files is None}
    said = list(_created(compilation, place))
    for name in sorted(inputs):
        if not place.capabilities.has_topic_settings:
            place.log.prepare(inputs[name])
        if name not in written and place.log.is_empty(name):
            how = f"; `lsqlc seed {name}` loads its sample records" if name in seeded else ""
            said.append(f"the topic '{name}' has no records yet{how}")
    return tuple(said)


def _created(compilation: Compilation, place: RunTarget) -> Iterator[str]:
    """Create the topics that models write, where topics have settings; a sentence for each."""
    needed = NeededTopics(compilation.plans, own_writers(place, compilation), place.overlay.written)
    return place.spark_connector.create_topics(needed, place.target.connection)


def own_writers(place: RunTarget, compilation: Compilation) -> Collection[str]:
    """The topics that models of the project write at a place: what it reads from another target is not among them."""
    return [topic for topic in compilation.graph.writers if place.read_from(topic) is None]


def written_topics(lowered: Mapping[str, SparkPlan]) -> frozenset[str]:
    """The topics that the queries of these models write, those between stages too."""
    return frozenset(stage.write.topic for plan in lowered.values() for stage in plan.stages)


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


def drop_old_stages(lowered: Mapping[str, SparkPlan], place: RunTarget, store: CheckpointStore) -> None:
    """Remove the internal topics and checkpoints of stages that a model no longer has."""
    kept = {stage.write.topic for plan in lowered.values() for stage in plan.stages}
    names = place.log.names()
    for model in lowered:
        internal = re.compile(re.escape(f"{INTERNAL}{model}.") + r"(\d+)")
        for found in filter(None, map(internal.fullmatch, names)):
            if found[0] not in kept:
                remove_checkpoint(store, f"{model}.stage{found[1]}")
                place.log.delete(found[0])


def check_plans(compilation: Compilation, place: RunTarget) -> None:
    """Raise LsqlcError for the models that cannot run there: those that Spark cannot run, as `elsewhere` says, and as
    `native_writers` does. Also for a target whose topics no query can read or write: LSQ812, LSQ813.
    """
    place.check_writable()
    _ = place.spark_connector
    problems = [d for plan in compilation.plans.values() for d in (*unsupported(plan), *elsewhere(plan, place))]
    problems += refusals(compilation, place.capabilities)
    problems += latencies(compilation, place).errors
    if problems:
        raise LsqlcError(problems)


def elsewhere(plan: Plan, place: RunTarget) -> tuple[Diagnostic, ...]:
    """LSQ601 for each topic of the plan that the place cannot hold, LSQ780 for each of files that it does not see."""
    found = sorted({t.name: t for t in (*plan.inputs, *plan.outputs)}.values(), key=lambda t: t.name)
    unseen = () if isinstance(place.checkpoints, Path) else tuple(t for t in found if t.files is not None)
    return tuple(_unseen(plan, topic, place) for topic in unseen) + tuple(
        Diagnostic(
            "LSQ601",
            f"the model '{plan.name}' cannot run: the topic '{topic.name}' is in {topic.connector}",
            notes=(
                f"the topics of the target '{place.target.name}' are {place.connector.where}; "
                "compile, build and test support any",
            ),
            help=f"add `{topic.connector}:` to the target, or run on a target that has it",
        )
        for topic in found
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


def _total(last: QuerySummary, standing: Standing, seconds: float) -> QuerySummary:
    """The summary of a query over all its starts; of one that was started again, over all of the run's time."""
    if standing.starts == 1:
        return last
    return replace(
        last, batches=standing.batches, rows=standing.rows, seconds=seconds, state_rows=standing.state_rows,
        late_groups=standing.late_groups, counts=standing.counts, counted=standing.counted,
    )  # fmt: skip
