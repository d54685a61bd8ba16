"""`lsqlc run`: the models as streaming queries on Spark, until all input is read or on and on."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.cli.verify import Verified
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.lower.spark.steps import SparkPlan
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.remote.run.runner import QuerySummary, Started
    from lsqlc.remote.run.standing import Standing
    from lsqlc.remote.run.supervisor import Restarting
    from lsqlc.topics.log import FileLog


def command(
    select: options.Select = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    target: options.Target = None,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Go on until stopped, by Ctrl-C or SIGTERM.")
    ] = False,
    full_refresh: options.FullRefresh = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare what Spark wrote with what DuckDB computes over the same topics.")
    ] = False,
    files_per_batch: Annotated[
        int | None,
        typer.Option("--files-per-batch", min=1, help="Topic files that make a batch; 1, or what a model declares."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option("--threads", min=1, metavar="N", help="Queries that read side by side; up to 4, one a processor."),
    ] = None,
    restarts: Annotated[
        int,
        typer.Option("--restarts", min=0, metavar="N", help="Failures in a row after which it is not started again."),
    ] = 5,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Run the models on Spark until all input is read, and go on from there the next time.

    Ctrl-C stops after the batch at hand; nothing is lost or doubled. With --full-refresh state and results of the
    selected models are dropped first. With --output json, one object a line. After a failed query, a lost server or an
    expired session it starts again from the checkpoints; `lsqlc status` and `lsqlc stop` reach it from elsewhere.
    """
    with shell("run", output, quiet, lines=True) as sh:
        from lsqlc.diagnostics import LsqlcError
        from lsqlc.lower.spark import lower, unsupported

        if verify and continuous:
            raise typer.BadParameter("a run that goes on has no end to compare at", param_hint="--verify")
        root = project.find(sh, project_dir)
        given = project.variables(sh, vars)
        loaded = project.load(sh, root, given)
        compilation = project.compiled(loaded, select, exclude, state=state, vars=given)
        if not compilation.ok:
            raise LsqlcError(compilation.diagnostics)
        problems = [d for plan in compilation.plans.values() for d in (*unsupported(plan), *_elsewhere(plan))]
        if problems:
            raise LsqlcError(problems)
        if not compilation.plans:
            sh.say("no model is selected" if loaded.models else "the project has no models to run")
            return
        sh.show(compilation.diagnostics)
        lowered = {name: lower(plan) for name, plan in compilation.plans.items()}
        _run(sh, compilation, lowered, target, continuous, full_refresh, verify, files_per_batch, threads, restarts)


def _run(
    sh: Shell,
    compilation: Compilation,
    lowered: Mapping[str, SparkPlan],
    target: str | None,
    continuous: bool,
    full_refresh: bool,
    verify: bool,
    files_per_batch: int | None,
    threads: int | None,
    restarts: int,
) -> None:
    from lsqlc.cli.artifacts import write_sql
    from lsqlc.cli.live import display, event_data
    from lsqlc.cli.spark import checkpoints_folder, open_target, opened, topics_folder
    from lsqlc.cli.watch import Watch
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.lower.spark import lower
    from lsqlc.remote.run.graph import Job
    from lsqlc.remote.run.locks import run_lock
    from lsqlc.remote.run.queries import QueryOptions
    from lsqlc.remote.run.restarts import Clock
    from lsqlc.remote.run.runner import Event, RunOptions, Started, run
    from lsqlc.remote.run.supervisor import supervise
    from lsqlc.remote.topics.transport import FileTransport
    from lsqlc.remote.topics.unreadable_files import replaced
    from lsqlc.report.progress import restarting_line, summary_text
    from lsqlc.topics.log import FileLog

    root, began = compilation.project.root, time.monotonic()
    place = open_target(root, target, dict(os.environ), default=True)
    folder, checkpoints = topics_folder(root, place), checkpoints_folder(root, place)
    log = FileLog(folder, place.topics or ".lsqlc/topics")
    if full_refresh:
        _check_readers(compilation, checkpoints)
    problems = write_sql(root, compilation.project.config.target_path, compilation, "spark", whole=False)
    if problems:
        raise LsqlcError(problems)
    _prepare_inputs(sh, compilation, log)
    read = {topic.name: topic for plan in compilation.plans.values() for topic in plan.inputs}
    of_files = [topic for topic in read.values() if topic.files]
    wanted = RunOptions(
        query=QueryOptions(segments_per_batch=files_per_batch or 1, until_read=not continuous),
        files={
            m.name: m.files_per_batch for m in compilation.project.models if m.files_per_batch and not files_per_batch
        },
        # A query's start takes a processor for seconds, and Spark gives a Python worker ten of them to report.
        at_once=threads or min(4, os.cpu_count() or 1),
        refresh=frozenset(lowered) if full_refresh else (),
        restarts=restarts,
        clock=Clock(wall=time.time),
    )
    with run_lock(root / project.STATE_FOLDER), _stopping() as stop:
        if full_refresh:
            _drop_old_stages(lowered, log, checkpoints)
        elif of_files:
            stages = [stage for plan in lowered.values() for stage in plan.stages]
            sh.show(d for stage in stages for d in replaced(stage, root.resolve(), checkpoints))
        watch = Watch(root / project.STATE_FOLDER)

        def attempt() -> tuple[QuerySummary, ...]:
            # Once a query has started, all that was to be refreshed is.
            options = replace(wanted, refresh=()) if watch.standings else wanted
            with (
                opened(sh, root, place, "run", for_long=continuous, files=of_files) as spark,
                display(sh) as shown,
            ):

                def report(event: Event) -> None:
                    watch.take(event)
                    shown(event)
                    if isinstance(event, Started) and event.changes:
                        sh.show([_changed(event)])

                def asked() -> bool:
                    watch.keep_up()
                    return stop.asked()

                # A server may be another one after a restart, and its version decides what it is given.
                jobs = [Job(n, lower(plan, server=spark.version)) for n, plan in compilation.plans.items()]
                return run(
                    spark.session, spark.address, jobs, FileTransport(folder, root), checkpoints,
                    options=options, report=report, stop=asked,
                )  # fmt: skip

        def wait(seconds: float) -> bool:
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline and not stop.asked():
                time.sleep(0.1)
            if not stop.asked():
                watch.turn("running")
            return stop.asked()

        def restarting(event: Restarting) -> None:
            watch.turn("restarting", event.found[0].message)
            sh.say(restarting_line(event))
            if sh.json:
                sh.line({"event": "restarting", **asdict(event), "found": [d.message for d in event.found]})

        try:
            last = supervise(attempt, limit=restarts, progress=lambda: watch.batches, wait=wait, report=restarting)
        finally:
            watch.turn("ended")
        seconds = time.monotonic() - began
        summaries = [_total(summary, watch.standings[summary.query], seconds) for summary in last]
        sh.say(summary_text(summaries, width=sh.said_width, seconds=seconds))
        verified = _verified(sh, compilation, lowered, log) if verify and not stop.asked() else []
    ok = all(v.ok for v in verified)
    if sh.json:
        ended = [event_data(s) for s in summaries]
        data: dict[str, Any] = {"event": "summary", "ok": ok, "seconds": round(seconds, 3), "queries": ended}
        sh.line({**data, "verified": [_verified_data(v) for v in verified]} if verify else data)
    if not ok:
        sh.show(v.diagnostic for v in verified if not v.ok)
        raise typer.Exit(1)
    if stop.signal and not continuous:
        raise typer.Exit(128 + stop.signal)


def _total(last: QuerySummary, standing: Standing, seconds: float) -> QuerySummary:
    """The summary of a query over all its starts; of one that was started again, over all of the run's time."""
    if standing.starts == 1:
        return last
    return replace(
        last, batches=standing.batches, rows=standing.rows, seconds=seconds, state_rows=standing.state_rows,
        late_groups=standing.late_groups, counts=standing.counts,
    )  # fmt: skip


def _changed(event: Started) -> Diagnostic:
    """LSQ860 for a query that goes on from the checkpoint of another one."""
    from lsqlc.diagnostics import Diagnostic, Severity

    more = len(event.changes) - 3
    return Diagnostic(
        "LSQ860",
        f"the query '{event.query}' has changed, and goes on from its checkpoint",
        severity=Severity.WARNING,
        notes=(
            *event.changes[:3],
            *([f"and {more:,} more"] if more > 0 else ()),
            f"what is in '{event.topic}' stays as it was written; what comes is computed by the new program",
        ),
        help="run with `--full-refresh` to compute all of it anew",
    )


def _elsewhere(plan: Plan) -> Iterator[Diagnostic]:
    """LSQ601 for each topic of the plan that is not embedded."""
    from lsqlc.diagnostics import Diagnostic

    for topic in sorted({t.name: t for t in (*plan.inputs, *plan.outputs)}.values(), key=lambda t: t.name):
        if topic.connector not in ("embedded", "files"):
            yield Diagnostic(
                "LSQ601",
                f"the model '{plan.name}' cannot run: the topic '{topic.name}' lies on {topic.connector}",
                notes=("embedded topics alone can be run yet; compile, build and test take any",),
                help=f"leave `connector: {topic.connector}` out to run the model over embedded topics",
            )


def _prepare_inputs(sh: Shell, compilation: Compilation, log: FileLog) -> None:
    """Make the folders of topics that nobody has written to yet, and say which of them nothing will fill."""
    written = {topic.name for plan in compilation.plans.values() for topic in plan.outputs}
    seeded = {t.topic.name for t in compilation.project.topics if t.seed is not None}
    seeded |= {record.topic for plan in compilation.plans.values() for record in plan.inserts}
    inputs = (topic for plan in compilation.plans.values() for topic in plan.inputs)
    for name in sorted({topic.name for topic in inputs if topic.files is None}):
        log.data_dir(name)
        if name not in written and not log.segments(name):
            how = f"; `lsqlc seed {name}` loads its sample records" if name in seeded else ""
            sh.say(f"the topic '{name}' has no records yet{how}")


def _check_readers(compilation: Compilation, checkpoints: Path) -> None:
    """Refuse to refresh models whose readers have a checkpoint and are left out: they would read everything twice."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
    from lsqlc.remote.run.checkpoints import checkpoint_name

    selected = compilation.selected
    left_out = compilation.graph.below(selected) - selected
    ran = [n for n in left_out if any((checkpoints / checkpoint_name(q)).exists() for q in (n, f"{n}.stage1"))]
    if ran:
        message = f"the models {listing(ran)} have read what would be computed anew"
        notes = ("they would read the same results a second time",)
        help = "refresh them too: add `+` behind the selector, such as `--select model+`"
        raise LsqlcError([Diagnostic("LSQ066", message, notes=notes, help=help)])


def _drop_old_stages(lowered: Mapping[str, SparkPlan], log: FileLog, checkpoints: Path) -> None:
    """Remove the internal topics and checkpoints of stages that a model no longer has."""
    from lsqlc.lower.spark.lines import INTERNAL
    from lsqlc.remote.run.checkpoints import remove_checkpoint

    kept = {stage.write.topic for plan in lowered.values() for stage in plan.stages}
    names = log.names()
    for model in lowered:
        internal = re.compile(re.escape(f"{INTERNAL}{model}.") + r"(\d+)")
        for found in filter(None, map(internal.fullmatch, names)):
            if found[0] not in kept:
                remove_checkpoint(checkpoints, f"{model}.stage{found[1]}")
                log.delete(found[0])


def _verified(sh: Shell, compilation: Compilation, lowered: Mapping[str, SparkPlan], log: FileLog) -> list[Verified]:
    from lsqlc.cli.verify import verify

    sh.say("\ncomparing with DuckDB ...")
    found = []
    for each in verify(compilation.plans, lowered, log, compilation.project.root):
        sh.say(each.text)
        found.append(each)
    return found


def _verified_data(found: Verified) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(found), "ok": found.ok}


@dataclass(slots=True)
class _Stop:
    """Whether a signal has asked to stop, and which."""

    signal: int = 0

    def asked(self) -> bool:
        return self.signal != 0


@contextmanager
def _stopping() -> Iterator[_Stop]:
    """SIGINT and SIGTERM ask to stop; a second one ends the command at once."""
    stop = _Stop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        stop.signal = number
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield stop
    finally:
        restore()
