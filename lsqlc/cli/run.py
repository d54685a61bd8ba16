"""`lsqlc run`: the models as streaming queries on Spark, until all input is read or on and on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc import __version__
from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.project.build.compile import Compilation
    from lsqlc.remote.run.events import QuerySummary
    from lsqlc.tasks.run_context import RunContext
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.tasks.verify import Verified


def command(
    select: options.Select = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    target: options.Target = None,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Continue until stopped, by Ctrl-C or SIGTERM.")
    ] = False,
    detach: Annotated[
        bool,
        typer.Option(
            "--detach", help="Start the queries, leave them to the Spark server, and end. They continue until stopped."
        ),
    ] = False,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="DURATION", help="Run again every 15m, 2h, ..., from start to start."),
    ] = None,
    standby: Annotated[
        bool, typer.Option("--standby", help="Wait while another run is active, and take over when it ends.")
    ] = False,
    full_refresh: options.FullRefresh = False,
    since: options.From = None,
    accept_loss: Annotated[
        list[str] | None,
        typer.Option(
            "--accept-loss",
            metavar="TOPIC",
            help="Continue behind the records that Kafka has removed from the topic before they were read.",
        ),
    ] = None,
    confirm: options.Confirm = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare what Spark wrote with what DuckDB computes over the same topics.")
    ] = False,
    files_per_batch: Annotated[
        int | None,
        typer.Option("--files-per-batch", min=1, help="Files per batch; by default what a model declares, or 128 MB."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            metavar="N",
            help="Queries that read in parallel; by default one per processor, up to 4.",
        ),
    ] = None,
    restarts: Annotated[
        int,
        typer.Option(
            "--restarts", min=0, metavar="N", help="Consecutive failures after which a query is not restarted."
        ),
    ] = 5,
    fail_fast: options.FailFast = False,
    skip_record: Annotated[
        list[str] | None,
        typer.Option(
            "--skip-record",
            metavar="TOPIC:PARTITION:OFFSET",
            help="Have no query read this record, now and later; of topics in folders TOPIC:ORDINAL. Repeatable.",
        ),
    ] = None,
    unskip_record: Annotated[
        list[str] | None,
        typer.Option(
            "--unskip-record",
            metavar="TOPIC:PARTITION:OFFSET",
            help="No longer skip this record; queries that have passed it read it at a full refresh. Repeatable.",
        ),
    ] = None,
    metrics: options.Metrics = None,
    otlp: options.Otlp = None,
    openlineage: Annotated[
        str | None,
        typer.Option(
            "--openlineage",
            metavar="FILE|env",
            help="Append events of OpenLineage to a file, or send them as its environment says.",
        ),
    ] = None,
    tests: options.Tests = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Run the models on Spark until all input is read; the next run continues from there. Ctrl-C stops after the
    current batch; nothing is lost or duplicated. With --full-refresh state and results of the selected models are
    dropped first; --from says where queries without a checkpoint begin to read. With --output json, one object a line.
    After a lost worker, a lost server or an expired session it restarts from the checkpoints; `lsqlc status` and
    `lsqlc stop` reach it from elsewhere. A model that fails, as at a record that it cannot read, does not stop those
    that do not depend on it; the exit code is 1 then. With --every it runs again and again, and nothing runs in
    between; Ctrl-C ends it, also between two runs. With --detach the queries continue on the server without this
    command, and nothing restarts one that fails.
    """
    with shell("run", output, quiet, lines=True) as sh:
        from lsqlc.cli.confirmed import check_confirmed
        from lsqlc.cli.every import interval, wait_until
        from lsqlc.cli.given import given_records, given_start
        from lsqlc.cli.metrics import Board, address_of, published
        from lsqlc.cli.openlineage import OPENLINEAGE, lineage_sent
        from lsqlc.cli.otlp import OTLP
        from lsqlc.cli.placed import enter, nothing_to_run, placed
        from lsqlc.cli.running import console, stopping
        from lsqlc.cli.spark import require_packages
        from lsqlc.cli.standby import alone
        from lsqlc.diagnostics import LsqlcError
        from lsqlc.remote.run.restarts import Clock
        from lsqlc.remote.run.standing import RunStatus
        from lsqlc.report.progress import summary_text
        from lsqlc.tasks.artifacts import note_run, write_sql
        from lsqlc.tasks.deploy.note import running_place
        from lsqlc.tasks.detached import check_detached, check_target
        from lsqlc.tasks.failed_models import failures
        from lsqlc.tasks.real_time import wanted_slots
        from lsqlc.tasks.run import check_plans, run_models
        from lsqlc.tasks.run_context import RunRequest, run_context
        from lsqlc.tasks.skipped_records import change_skips, check_skips
        from lsqlc.tasks.starts import check_times, starts_at

        start = given_start(since)
        pause = interval(every, forbidden="--detach" if detach else "--continuous" if continuous else None)
        continuous = continuous or detach
        if verify and continuous:
            raise typer.BadParameter("a continuous run has no end at which to compare", param_hint="--verify")
        if detach and (metrics or otlp):
            hint = "--metrics" if metrics else "--otlp"
            raise typer.BadParameter("no process stays that has metrics; see `lsqlc status --metrics`", param_hint=hint)
        if accept_loss and full_refresh:
            raise typer.BadParameter("a full refresh reads what is there", param_hint="--accept-loss")
        if metrics is not None:
            address_of(metrics)
        workspace = project.opened(sh, project_dir, vars)
        root, loaded = workspace.root, workspace.project
        also = (*((OTLP,) if otlp else ()), *((OPENLINEAGE,) if openlineage else ()))
        require_packages(workspace.target(target), *also)
        with_tests = loaded.config.live_tests.run if tests is None else tests
        placement = placed(sh, workspace, target, select, exclude, state=state, tests=with_tests)
        compilation, place, whole = placement.compilation, placement.place, placement.whole
        if full_refresh:
            check_confirmed(place.target, confirm, "the state and the results of the models are removed")
        if detach:
            check_target(place.target)
        partitions = place.capabilities.has_partitions
        skipped = given_records(skip_record, "--skip-record", with_partitions=partitions)
        unskipped = given_records(unskip_record, "--unskip-record", with_partitions=partitions)
        check_skips(place, compilation, skipped)
        model_latencies = check_plans(whole, place)
        if not compilation.plans:
            sh.say(nothing_to_run(placement, loaded))
            return
        sh.show_errors(compilation.diagnostics)
        sh.show(model_latencies.found)
        request = RunRequest(
            # A query's start takes a processor for seconds, and Spark gives a Python worker ten of them to report.
            threads or min(4, os.cpu_count() or 1),
            continuous, full_refresh, files_per_batch, restarts, fail_fast, Clock(wall=time.time), detach,
            starts=starts_at(compilation, place, start), given=start, accept_loss=tuple(accept_loss or ()),
        )  # fmt: skip
        context = run_context(place, whole, request, model_latencies)
        project.create_target(compilation.project)
        unwritten = write_sql(
            root, compilation.project.config.target_path, compilation, "spark",
            whole=False, spark_plans=context.compiled_plans,
        )  # fmt: skip
        if unwritten:
            raise LsqlcError(unwritten)
        check_times(request.starts, time.time())
        name, now = loaded.config.name, time.time()
        board = Board(RunStatus(os.getpid(), now, now, "running", target=place.target.name, project=name))
        with (
            alone(sh, place, name, standby=standby, waits=request.waits) as lease,
            stopping(lease, lease.silence) as stop,
            published(sh, board, metrics=metrics, otlp=otlp),
        ):  # fmt: skip
            place = running_place(place, name, compilation.plans if full_refresh else ())
            request = replace(request, detached=check_detached(place, name, takes_over=continuous))
            context = replace(context, place=place, request=request)
            change_skips(place, name, skipped=skipped, read=unskipped)
            enter(sh, placement, full_refresh=full_refresh)
            if with_tests:
                sh.say(placement.tests.text)
            while True:
                began, at = time.monotonic(), time.time()
                verified: list[Verified] = []
                with lineage_sent(sh, openlineage, place, compilation, context.spark_plans) as sent:
                    terminal = console(
                        sh, place, stop, detach=detach, board=board, also=sent,
                        slots=partial(wanted_slots, context.spark_plans, place, context.real_time),
                    )  # fmt: skip
                    try:
                        summaries = run_models(context, terminal)
                    except LsqlcError as error:
                        seconds = time.monotonic() - began
                        note_run(
                            root,
                            compilation,
                            (),
                            began=at,
                            seconds=seconds,
                            diagnostics=error.diagnostics,
                            release=__version__,
                        )
                        raise
                seconds = time.monotonic() - began
                if detach and not stop.signal:
                    _detached(sh, place, name)
                    return
                sh.say(summary_text(summaries, width=sh.said_width, seconds=seconds))
                failed = failures(summaries)
                note_run(
                    root, compilation, summaries, began=at, seconds=seconds, diagnostics=failed, release=__version__
                )
                if verify and not stop.asked():
                    verified += _compared(sh, context, compilation, summaries)
                _end(sh, summaries, seconds, verified if verify else None, failed)
                if pause is None or stop.asked():
                    break
                # The next run tries them again.
                sh.show(failed)
                if not wait_until(sh, place, stop, began + pause):
                    if failed:
                        raise typer.Exit(1)
                    break
                # The first run has done these.
                request = replace(request, full_refresh=False, detached=None, accept_loss=())
                context = replace(context, request=request)
        if stop.signal and not continuous and pause is None:
            sh.show(failed)
            raise typer.Exit(128 + stop.signal)
        if failed:
            raise LsqlcError(failed)


def _compared(
    sh: Shell,
    context: RunContext,
    compilation: Compilation,
    summaries: tuple[QuerySummary, ...],
) -> Iterator[Verified]:
    """Compare the records of Spark with those that DuckDB computes, and report each topic.

    Left out are models that have failed or wait, and models over topics of which a record is skipped. Raises LsqlcError
    for a topic that cannot be read.
    """
    from lsqlc.diagnostics import listing
    from lsqlc.tasks.failed_models import not_complete
    from lsqlc.tasks.histories import ended
    from lsqlc.tasks.skipped_records import read_skips
    from lsqlc.tasks.starts import common_places
    from lsqlc.tasks.verify import verify

    place = context.place
    sh.say("\ncomparing with DuckDB ...")
    left_out = not_complete(summaries)
    if left_out:
        sh.say(f"not compared, since they failed or wait: {listing(left_out)}")
    loaded = compilation.project
    topics = {skip.topic for skip in read_skips(place, loaded.config.name)}
    over = {n for n, p in compilation.plans.items() if topics & {t.name for t in p.inputs}} - left_out
    if over:
        sh.say(f"not compared, since a record of their topics is skipped: {listing(over)}")
        left_out |= over
    plans = {n: place.ordered(p) for n, p in compilation.plans.items() if n not in left_out}
    has_times = place.capabilities.keeps_times
    starts, past = common_places(summaries), ended(compilation, summaries)
    for one in verify(plans, context.spark_plans, place.log, loaded.root, timed=has_times, begun=starts, ended=past):
        sh.say(one.text)
        yield one


def _end(
    sh: Shell,
    summaries: tuple[QuerySummary, ...],
    seconds: float,
    verified: list[Verified] | None,
    failed: tuple[Diagnostic, ...],
) -> None:
    """Print the last object of JSON, and the differences between the engines. `verified`: None without `--verify`;
    `failed`: the errors of failed models.
    """
    from lsqlc.cli.live import event_data

    wrong = [v.diagnostic for v in verified or () if not v.ok]
    if sh.json:
        ended = [event_data(s) for s in summaries]
        data = {"event": "summary", "ok": not (wrong or failed), "seconds": round(seconds, 3), "queries": ended}
        sh.line(data if verified is None else {**data, "verified": [{**asdict(v), "ok": v.ok} for v in verified]})
    if wrong:
        sh.show((*failed, *wrong))
        raise typer.Exit(1)


def _detached(sh: Shell, place: RunTarget, project: str) -> None:
    """Report where the queries run, and how they are reached."""
    from lsqlc.tasks.detached import queries_text, read_detached

    run = read_detached(place, project)
    assert run is not None, "the run has noted it"
    verb = "continues" if len(run.queries) == 1 else "continue"
    sh.say(f"detached: {queries_text(len(run.queries))} {verb} on the server '{run.server}'")
    sh.say(
        f"next: `lsqlc status --target {run.target}`, `lsqlc stop --target {run.target}`, or a run that is supervised:"
    )
    sh.say(f"`lsqlc run --continuous --target {run.target}` takes them over")
    if sh.json:
        sh.line({"event": "left", "ok": True, **asdict(run)})
