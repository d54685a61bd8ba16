"""The runs of one `lsqlc run`: one, or with `--every` one after another."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial

import typer

from lsqlc import __version__
from lsqlc.cli.every import wait_until
from lsqlc.cli.live import event_data
from lsqlc.cli.metrics import Board, published
from lsqlc.cli.openlineage import lineage_sent
from lsqlc.cli.placed import services
from lsqlc.cli.running import Stop, TerminalOptions, console, stopping
from lsqlc.cli.shell import Shell
from lsqlc.cli.standby import alone
from lsqlc.connectors.skips import Skip
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.events import QuerySummary
from lsqlc.remote.run.query_status import RunStatus
from lsqlc.report.progress import summary_text
from lsqlc.tasks.artifacts import note_run
from lsqlc.tasks.deploy.note import running_place
from lsqlc.tasks.detached import check_detached, queries_text, read_detached
from lsqlc.tasks.failed_models import failures
from lsqlc.tasks.placement import Placement, enter_environment
from lsqlc.tasks.real_time import wanted_slots
from lsqlc.tasks.run import run_models
from lsqlc.tasks.run_context import RunContext
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.run_verification import verify_run
from lsqlc.tasks.skipped_records import change_skips
from lsqlc.tasks.verify import Verified


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """Options of `lsqlc run` that its request does not have.

    `pause`: seconds from the start of a run to that of the next, None for one run; `skipped`, `unskipped`: records that
    queries skip from now on, or no longer; the others: the values of the options.
    """

    pause: float | None = None
    verify: bool = False
    standby: bool = False
    with_tests: bool = False
    skipped: tuple[Skip, ...] = ()
    unskipped: tuple[Skip, ...] = ()
    metrics: str | None = None
    otlp: str | None = None
    openlineage: str | None = None


@dataclass(frozen=True, slots=True)
class RunLoop:
    """The runs of a command. `context`: that of the first run, before the lock of the project is held."""

    shell: Shell
    placement: Placement
    context: RunContext
    options: LoopOptions

    def run(self) -> None:
        """Run the models until no further run follows.

        Raises LsqlcError for models that have failed, and as a run does. Raises Exit for a signal that has ended a run
        before the end of its input.
        """
        sh, request = self.shell, self.context.request
        with self._alone() as (stop, board):
            failed = self._repeat(self._entered(), stop, board)
        if stop.signal and not request.continuous and self.options.pause is None:
            sh.show(failed)
            raise typer.Exit(128 + stop.signal)
        if failed:
            raise LsqlcError(failed)

    @contextmanager
    def _alone(self) -> Iterator[tuple[Stop, Board]]:
        """Hold the lock and the lease of the project, handle signals, and publish the status inside the `with`."""
        sh, options, place, name = self.shell, self.options, self.context.place, self.context.project
        now = time.time()
        board = Board(RunStatus(os.getpid(), now, now, "running", target=place.target.name, project=name))
        with (
            alone(sh, place, name, standby=options.standby, waits=self.context.request.waits) as lease,
            stopping(lease, lease.silence) as stop,
            published(sh, board, metrics=options.metrics, otlp=options.otlp),
        ):
            yield stop, board

    def _entered(self) -> RunContext:
        """Return the context of the first run under the lock, and note the changes that it brings to the target."""
        context, options, name = self.context, self.options, self.context.project
        request = context.request
        models = self.placement.compilation.plans
        place = running_place(context.place, name, models if request.full_refresh else ())
        request = replace(request, detached=check_detached(place, name, takes_over=request.continuous))
        change_skips(place, name, skipped=options.skipped, read=options.unskipped)
        enter_environment(self.placement, services(self.shell), full_refresh=request.full_refresh)
        if options.with_tests:
            self.shell.say(self.placement.tests.text)
        return replace(context, place=place, request=request)

    def _repeat(self, context: RunContext, stop: Stop, board: Board) -> tuple[Diagnostic, ...]:
        """Return the errors of the models in the last run. Raises Exit if a signal ends the pause after an error."""
        while True:
            start = time.monotonic()
            failed = self._run(context, stop, board)
            if self.options.pause is None or stop.asked():
                return failed
            # The next run tries them again.
            self.shell.show(failed)
            if not wait_until(self.shell, context.place, stop, start + self.options.pause):
                if failed:
                    raise typer.Exit(1)
                return ()
            # The first run has completed these.
            request = replace(context.request, full_refresh=False, detached=None, accept_loss=())
            context = replace(context, request=request)

    def _run(self, context: RunContext, stop: Stop, board: Board) -> tuple[Diagnostic, ...]:
        """Run the models once, and return the errors of those that have failed."""
        sh, place, compilation = self.shell, context.place, self.placement.compilation
        start, at = time.monotonic(), time.time()
        note = partial(note_run, place.root, compilation, began=at, release=__version__)
        with lineage_sent(sh, self.options.openlineage, place, compilation, context.spark_plans) as send_event:
            slots = partial(wanted_slots, context.spark_plans, place, context.real_time)
            options = TerminalOptions(context.request.detach, board=board, also=send_event, slots=slots)
            terminal = console(sh, place, stop, options)
            try:
                summaries = run_models(context, terminal)
            except LsqlcError as error:
                note((), seconds=time.monotonic() - start, diagnostics=error.diagnostics)
                raise
        seconds = time.monotonic() - start
        if context.request.detach and not stop.signal:
            _report_detached(sh, place, context.project)
            return ()
        sh.say(summary_text(summaries, width=sh.said_width, seconds=seconds))
        failed = failures(summaries)
        note(summaries, seconds=seconds, diagnostics=failed)
        verified = list(self._verified(context, summaries)) if self.options.verify and not stop.asked() else []
        _report_end(sh, summaries, seconds, verified if self.options.verify else None, failed)
        return failed

    def _verified(self, context: RunContext, summaries: tuple[QuerySummary, ...]) -> Iterator[Verified]:
        """Compare the records of Spark with those of DuckDB, and report each topic."""
        self.shell.say("\ncomparing with DuckDB ...")
        for topic in verify_run(context, self.placement.compilation, summaries, self.shell.say):
            self.shell.say(topic.text)
            yield topic


def _report_end(
    sh: Shell,
    summaries: tuple[QuerySummary, ...],
    seconds: float,
    verified: list[Verified] | None,
    failed: tuple[Diagnostic, ...],
) -> None:
    """Print the last object of JSON, and the differences between the engines. `verified`: None without `--verify`;
    `failed`: the errors of failed models. Raises Exit for a difference.
    """
    wrong = [v.diagnostic for v in verified or () if not v.ok]
    if sh.json:
        queries = [event_data(summary) for summary in summaries]
        data = {"event": "summary", "ok": not (wrong or failed), "seconds": round(seconds, 3), "queries": queries}
        sh.line(data if verified is None else {**data, "verified": [{**asdict(v), "ok": v.ok} for v in verified]})
    if wrong:
        sh.show((*failed, *wrong))
        raise typer.Exit(1)


def _report_detached(sh: Shell, place: RunTarget, project: str) -> None:
    """Report where the queries run, and how they are reached."""
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
