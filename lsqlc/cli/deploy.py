"""`lsqlc deploy`: changed models beside those that run, compared with them, promoted, and taken back."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.arguments import check_confirmed, read_expectations
from lsqlc.cli.placed import who
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lsqlc.project.declared.expectations import Expectation
    from lsqlc.project.declared.target import Target
    from lsqlc.remote.run.proofs import Proof
    from lsqlc.tasks.deploy.deployment import DeployServices, DeployTarget
    from lsqlc.tasks.deploy.promotion import Promoted
    from lsqlc.tasks.run_context import Console
    from lsqlc.tasks.run_target import RunTarget

command = typer.Typer(
    help="Stage changed models, prove, promote and roll back.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@command.command("stage")
def stage(
    selected: options.Selected, *, target: options.Target = None, served: options.Served, common: options.Common
) -> None:
    """Run the models that have changed beside those that run, until all input is read. They read the same topics, and
    write aside. Without --select: those that a run would rebuild, and TABLEs with old rows that would stay.
    """
    with (
        shell("deploy stage", common.output, common.quiet, lines=True) as sh,
        _opened(sh, target, common, served) as deployment,
    ):
        models = _stage(sh, deployment, selected)
        if sh.json:
            sh.line({"event": "staged", "ok": True, "models": list(models)})
        elif models:
            sh.say(f"next: `lsqlc deploy prove{deployment.of_target}` compares the rows with the live ones")


@command.command("prove")
def prove(
    *,
    expect: options.Expect = None,
    compared: options.Compared = 100,
    target: options.Target = None,
    common: options.Common,
) -> None:
    """Compare the rows of the staged models with the live ones, by key, and show what differs. Exit code 1 if anything
    does, or if a row was not compared.
    """
    with (
        shell("deploy prove", common.output, common.quiet, lines=True) as sh,
        _opened(sh, target, common) as deployment,
    ):
        proofs = _prove(sh, deployment, read_expectations(sh, expect), compared / 100)
        ok = all(proof.ok for proof in proofs)
        if sh.json:
            sh.line({"event": "proved", "ok": ok})
        else:
            sh.say(f"next: `lsqlc deploy promote{deployment.of_target}`, or `lsqlc deploy abort{deployment.of_target}`")
        if not ok:
            raise typer.Exit(1)


@command.command("promote")
def promote(*, target: options.Target = None, confirm: options.Confirm = None, common: options.Common) -> None:
    """Promote the staged models: write the rows that differ to the live topics, and continue from the staged state. No
    run may be active. The former live models are kept for `lsqlc deploy rollback`.
    """
    with (
        shell("deploy promote", common.output, common.quiet, lines=True) as sh,
        _opened(sh, target, common) as deployment,
    ):
        from lsqlc.tasks.deploy.deployment import promote_staged

        check_confirmed(deployment.target, confirm, "the live models are replaced")
        _report(sh, deployment, promote_staged(deployment.opened, deployment.services))


@command.command("rollback")
def rollback(*, target: options.Target = None, confirm: options.Confirm = None, common: options.Common) -> None:
    """Have the models of before the last promotion take over again, with their state. The project must be in the
    version of before. No run may be active.
    """
    with (
        shell("deploy rollback", common.output, common.quiet, lines=True) as sh,
        _opened(sh, target, common) as deployment,
    ):
        from lsqlc.tasks.deploy.deployment import roll_back

        check_confirmed(deployment.target, confirm, "the live models are replaced")
        _report(sh, deployment, roll_back(deployment.opened, deployment.services))


@command.command("abort")
def abort(*, target: options.Target = None, common: options.Common) -> None:
    """Remove the staged models, with their topics and checkpoints. The live models do not change."""
    with (
        shell("deploy abort", common.output, common.quiet) as sh,
        _opened(sh, target, common) as deployment,
    ):
        from lsqlc.tasks.deploy.deployment import remove_staged

        line = remove_staged(deployment.opened, deployment.services)
        if sh.json:
            sh.document({"version": 1, "command": sh.command, "ok": True, "models": sorted(line.models)})
        sh.say(f"removed what was staged: {', '.join(sorted(line.models))}")


@command.command("forget")
def forget(*, target: options.Target = None, confirm: options.Confirm = None, common: options.Common) -> None:
    """Remove what the last promotion has kept. It cannot be rolled back afterwards."""
    with (
        shell("deploy forget", common.output, common.quiet) as sh,
        _opened(sh, target, common) as deployment,
    ):
        from lsqlc.tasks.deploy.deployment import remove_kept

        check_confirmed(deployment.target, confirm, "what a rollback needs is removed")
        line = remove_kept(deployment.opened, deployment.services)
        if sh.json:
            models = sorted(line.models) if line else []
            sh.document({"version": 1, "command": sh.command, "ok": True, "models": models})
        sh.say(f"removed what was kept: {', '.join(sorted(line.models))}" if line else "nothing is kept")


@command.command("status")
def status(*, target: options.Target = None, common: options.Common) -> None:
    """Show which models are staged, by whom and since when, and which are kept for a rollback."""
    with (
        shell("deploy status", common.output, common.quiet) as sh,
        _opened(sh, target, common) as deployment,
    ):
        from lsqlc.report.deploy_report import lines_text

        lines = deployment.opened.lines()
        if sh.json:
            data = {
                what: None
                if line is None
                else {
                    "id": line.id,
                    "models": sorted(line.models),
                    "phase": line.phase,
                    "by": line.by,
                    "since": line.since,
                }
                for what, line in (("staged", lines.staged), ("kept", lines.kept))
            }
            sh.document({"version": 1, "command": sh.command, "ok": True, **data})
        else:
            sh.result(lines_text(lines.staged, lines.kept, time.time()))


@dataclass(frozen=True, slots=True)
class ProofOptions:
    """The proof that a promotion needs."""

    accept: Annotated[
        bool, typer.Option("--accept", help="Promote the models although rows differ from the live ones.")
    ] = False
    expect: options.Expect = None
    compared: options.Compared = 100


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """The target of a promotion."""

    target: options.Target = None
    confirm: options.Confirm = None


@command.command("run")
def run(
    own: ProofOptions, selected: options.Selected, on: TargetOptions, served: options.Served, common: options.Common
) -> None:
    """Stage, prove and promote in one command. It ends with exit code 1 before the promotion if rows differ, or were
    not compared, unless --accept is given; with --expect only those count that are not expected.
    """
    with (
        shell("deploy run", common.output, common.quiet, lines=True) as sh,
        _opened(sh, on.target, common, served) as deployment,
    ):
        from lsqlc.tasks.deploy.deployment import promote_staged

        check_confirmed(deployment.target, on.confirm, "the live models are replaced")
        expected = read_expectations(sh, own.expect)
        has_started = (staged_line := deployment.opened.lines().staged) is not None and staged_line.phase != "staged"
        if not has_started:
            if not _stage(sh, deployment, selected):
                return
            proofs = _prove(sh, deployment, expected, own.compared / 100)
            if not own.accept and not all(proof.ok for proof in proofs):
                why = "rows differ" if any(proof.differing for proof in proofs) else "not all rows were compared"
                sh.say(
                    f"not promoted: {why}; `lsqlc deploy promote` does so all the same, `lsqlc deploy abort` does not"
                )
                raise typer.Exit(1)
        _report(sh, deployment, promote_staged(deployment.opened, deployment.services))


@dataclass(frozen=True, slots=True)
class _Deployment:
    """The project on a target, and the services of the command. `of_target`: how commands name the target."""

    opened: DeployTarget
    services: DeployServices
    of_target: str

    @property
    def target(self) -> Target:
        """The target as profiles.yml declares it."""
        return self.opened.place.target


@contextmanager
def _opened(
    sh: Shell, target: str | None, common: options.Common, served: options.Served | None = None
) -> Iterator[_Deployment]:
    """Return the project on a target. The status of what is staged is published meanwhile, as `served` says."""
    from lsqlc.cli.metrics import Board, address_of, published
    from lsqlc.cli.running import TerminalOptions, console, stopping
    from lsqlc.cli.spark import opened_store
    from lsqlc.remote.run.query_status import RunStatus
    from lsqlc.tasks.deploy.deployment import DeployServices, open_deployment

    metrics, otlp = (served.metrics, served.otlp) if served else (None, None)
    if metrics is not None:
        address_of(metrics)
    opened = open_deployment(project.opened(sh, common.project_dir, common.vars), target)
    of_target, now = f" --target {target}" if target else "", time.time()
    status_of = f"{opened.place.target.name}/deploy"
    board = Board(RunStatus(os.getpid(), now, now, "running", target=status_of, project=opened.name))

    @contextmanager
    def terminal(place: RunTarget, check_lease: Callable[[], None]) -> Iterator[Console]:
        with stopping(check_lease) as stop:
            yield console(sh, place, stop, TerminalOptions(purpose="deploy", board=board))

    services = DeployServices(partial(opened_store, sh), terminal, sh.say, who(), time.time)
    with published(sh, board, metrics=metrics, otlp=otlp):
        yield _Deployment(opened, services, of_target)


def _stage(sh: Shell, deployment: _Deployment, selected: options.Selected) -> tuple[str, ...]:
    """Stage the selected models, or those that have changed; their names."""
    from lsqlc.tasks.deploy.deployment import stage_models
    from lsqlc.tasks.selection import ModelSelection

    selection = ModelSelection(selected.select or (), selected.exclude or ())
    models = stage_models(deployment.opened, deployment.services, selection)
    if not models:
        sh.say("no model has to be staged: `lsqlc plan` shows what a run does")
    return models


def _prove(
    sh: Shell, deployment: _Deployment, expected: Mapping[str, Expectation] | None, share: float
) -> tuple[Proof, ...]:
    from lsqlc.report.deploy_report import proof_text
    from lsqlc.tasks.deploy.deployment import prove_staged

    proofs = prove_staged(deployment.opened, deployment.services, expected, share)
    if sh.json:
        for proof in proofs:
            sh.line({"event": "proof", **proof.to_json()})
    else:
        sh.result("\n".join(map(proof_text, proofs)))
    return proofs


def _report(sh: Shell, deployment: _Deployment, promoted_topics: tuple[Promoted, ...]) -> None:
    from lsqlc.report.deploy_report import promoted_line

    if sh.json:
        data = [
            {"topic": each.topic, "written": each.written, "deleted": each.deleted, "rows": each.rows}
            for each in promoted_topics
        ]
        sh.line({"event": "promoted", "ok": True, "topics": data})
    for each in promoted_topics:
        sh.say(promoted_line(each.topic, each.written, each.deleted, each.rows))
    sh.say(f"next: `lsqlc run{deployment.of_target}` continues; what was live before is kept for a rollback")
