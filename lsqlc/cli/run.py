"""`lsqlc run`: the models as streaming queries on Spark, until all input is read or on and on."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.target import Target
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.run_context import RunContext


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `lsqlc run`."""

    target: options.Target = None
    continuous: Annotated[bool, typer.Option("--continuous", help="Continue until stopped, by Ctrl-C or SIGTERM.")] = (
        False
    )
    detach: Annotated[
        bool,
        typer.Option(
            "--detach", help="Start the queries, leave them to the Spark server, and end. They continue until stopped."
        ),
    ] = False
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="DURATION", help="Run again every 15m, 2h, ..., from start to start."),
    ] = None
    standby: Annotated[
        bool, typer.Option("--standby", help="Wait while another run is active, and take over when it ends.")
    ] = False
    full_refresh: options.FullRefresh = False
    since: options.From = None
    accept_loss: Annotated[
        list[str] | None,
        typer.Option(
            "--accept-loss",
            metavar="TOPIC",
            help="Continue behind the records that Kafka has removed from the topic before they were read.",
        ),
    ] = None
    confirm: options.Confirm = None
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare what Spark wrote with what DuckDB computes over the same topics.")
    ] = False
    files_per_batch: Annotated[
        int | None,
        typer.Option("--files-per-batch", min=1, help="Files per batch; by default what a model declares, or 128 MB."),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            metavar="N",
            help="Queries that read in parallel; by default one per processor, up to 4.",
        ),
    ] = None
    restarts: Annotated[
        int,
        typer.Option(
            "--restarts", min=0, metavar="N", help="Consecutive failures after which a query is not restarted."
        ),
    ] = 5
    fail_fast: options.FailFast = False
    skip_record: Annotated[
        list[str] | None,
        typer.Option(
            "--skip-record",
            metavar="TOPIC:PARTITION:OFFSET",
            help="Have no query read this record, now and later; of topics in folders TOPIC:ORDINAL. Repeatable.",
        ),
    ] = None
    unskip_record: Annotated[
        list[str] | None,
        typer.Option(
            "--unskip-record",
            metavar="TOPIC:PARTITION:OFFSET",
            help="No longer skip this record; queries that have passed it read it at a full refresh. Repeatable.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class BesideOptions:
    """The reports and the tests beside a run."""

    openlineage: Annotated[
        str | None,
        typer.Option(
            "--openlineage",
            metavar="FILE|env",
            help="Append events of OpenLineage to a file, or send them as its environment says.",
        ),
    ] = None
    tests: options.Tests = None


def command(
    selected: options.SelectedByState,
    own: RunOptions,
    served: options.Served,
    beside: BesideOptions,
    common: options.Common,
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
    with shell("run", common.output, common.quiet, lines=True) as sh:
        from lsqlc.cli.arguments import check_confirmed, parsed_records, parsed_start
        from lsqlc.cli.every import interval
        from lsqlc.cli.placed import placed
        from lsqlc.cli.run_loop import LoopOptions, RunLoop
        from lsqlc.remote.run.restarts import Clock
        from lsqlc.tasks.detached import check_target
        from lsqlc.tasks.placement import PlacementRequest, why_nothing_runs
        from lsqlc.tasks.run import check_plans
        from lsqlc.tasks.run_context import RunRequest, run_context
        from lsqlc.tasks.skipped_records import check_skips
        from lsqlc.tasks.starts import check_times, starts_at

        start = parsed_start(own.since)
        pause = interval(own.every, forbidden="--detach" if own.detach else "--continuous" if own.continuous else None)
        own = replace(own, continuous=own.continuous or own.detach)
        _check_options(own, served)
        workspace = project.opened(sh, common.project_dir, common.vars)
        _require_packages(workspace.target(own.target), served.otlp, beside.openlineage)
        with_tests = workspace.project.config.live_tests.run if beside.tests is None else beside.tests
        select, exclude = selected.select or (), selected.exclude or ()
        placed_models = PlacementRequest(own.target, select, exclude, selected.state, with_tests)
        placement = placed(sh, workspace, placed_models)
        compilation, place = placement.compilation, placement.place
        if own.full_refresh:
            check_confirmed(place.target, own.confirm, "the state and the results of the models are removed")
        if own.detach:
            check_target(place.target)
        partitions = place.capabilities.has_partitions
        loop_options = LoopOptions(
            pause, own.verify, own.standby, with_tests,
            skipped=parsed_records(own.skip_record, "--skip-record", with_partitions=partitions),
            unskipped=parsed_records(own.unskip_record, "--unskip-record", with_partitions=partitions),
            metrics=served.metrics, otlp=served.otlp, openlineage=beside.openlineage,
        )  # fmt: skip
        check_skips(place, compilation, loop_options.skipped)
        known_latencies = check_plans(placement.whole, place)
        if not compilation.plans:
            sh.say(why_nothing_runs(placement))
            return
        sh.show_errors(compilation.diagnostics)
        sh.show(known_latencies.found)
        request = RunRequest(
            # A query's start takes a processor for seconds, and Spark gives a Python worker ten of them to report.
            own.threads or min(4, os.cpu_count() or 1),
            own.continuous, own.full_refresh, own.files_per_batch, own.restarts, own.fail_fast,
            Clock(wall=time.time), own.detach,
            starts=starts_at(compilation, place, start), given=start, accept_loss=tuple(own.accept_loss or ()),
        )  # fmt: skip
        context = run_context(place, placement.whole, request, known_latencies)
        _write_sql(workspace, context, compilation)
        check_times(request.starts, time.time())
        RunLoop(sh, placement, context, loop_options).run()


def _check_options(own: RunOptions, served: options.Served) -> None:
    """Refuse options that exclude each other. Raises BadParameter."""
    from lsqlc.cli.metrics import address_of

    if own.verify and own.continuous:
        raise typer.BadParameter("a continuous run has no end at which to compare", param_hint="--verify")
    if own.detach and (served.metrics or served.otlp):
        hint = "--metrics" if served.metrics else "--otlp"
        raise typer.BadParameter("no process stays that has metrics; see `lsqlc status --metrics`", param_hint=hint)
    if own.accept_loss and own.full_refresh:
        raise typer.BadParameter("a full refresh reads what is there", param_hint="--accept-loss")
    if served.metrics is not None:
        address_of(served.metrics)


def _require_packages(target: Target, otlp: str | None, openlineage: str | None) -> None:
    """Raise LsqlcError LSQ099 unless all packages are installed that the run takes."""
    from lsqlc.cli.openlineage import OPENLINEAGE
    from lsqlc.cli.otlp import OTLP
    from lsqlc.cli.spark import require_packages

    require_packages(target, *((OTLP,) if otlp else ()), *((OPENLINEAGE,) if openlineage else ()))


def _write_sql(workspace: Workspace, context: RunContext, compilation: Compilation) -> None:
    """Write the SQL of the models below the project's target folder. Raises LsqlcError for an unwritable file."""
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.tasks.artifacts import write_sql
    from lsqlc.tasks.build import create_target_folder

    create_target_folder(workspace)
    problems = write_sql(compilation, "spark", whole=False, spark_plans=context.compiled_plans)
    if problems:
        raise LsqlcError(problems)
