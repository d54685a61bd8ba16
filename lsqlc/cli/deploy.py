"""`lsqlc deploy`: changed models beside those that run, compared with them, promoted, and taken back."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.confirmed import check_confirmed
from lsqlc.cli.expected import read_file
from lsqlc.cli.shell import Shell, shell
from lsqlc.cli.who import who

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from lsqlc.cli.metrics import Board
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.expectations import Expectation
    from lsqlc.project.workspace import Workspace
    from lsqlc.remote.run.proofs import Proof
    from lsqlc.remote.run.stores import CheckpointStore
    from lsqlc.tasks.deploy.promotion import Promoted
    from lsqlc.tasks.deploy.staging import Deployer
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
        _opened(sh, target, common.vars, common.project_dir, served.metrics, served.otlp) as deployment,
    ):
        models = _stage(sh, deployment, selected.select, selected.exclude)
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
        _opened(sh, target, common.vars, common.project_dir) as deployment,
    ):
        proofs = _prove(sh, deployment, read_file(sh, expect), compared / 100)
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
        _opened(sh, target, common.vars, common.project_dir) as deployment,
    ):
        from lsqlc.tasks.deploy.promotion import promote as promoted

        check_confirmed(deployment.place.target, confirm, "the live models are replaced")
        with deployment.exclusive() as deployer:
            _report(sh, deployment, promoted(deployer))


@command.command("rollback")
def rollback(*, target: options.Target = None, confirm: options.Confirm = None, common: options.Common) -> None:
    """Have the models of before the last promotion take over again, with their state. The project must be in the
    version of before. No run may be active.
    """
    with (
        shell("deploy rollback", common.output, common.quiet, lines=True) as sh,
        _opened(sh, target, common.vars, common.project_dir) as deployment,
    ):
        from lsqlc.tasks.deploy.promotion import rollback as rolled_back

        check_confirmed(deployment.place.target, confirm, "the live models are replaced")
        with deployment.exclusive() as deployer:
            _report(sh, deployment, rolled_back(deployer, id=_new_id(), by=who(), at=time.time()))


@command.command("abort")
def abort(*, target: options.Target = None, common: options.Common) -> None:
    """Remove the staged models, with their topics and checkpoints. The live models do not change."""
    with (
        shell("deploy abort", common.output, common.quiet) as sh,
        _opened(sh, target, common.vars, common.project_dir) as deployment,
    ):
        from lsqlc.tasks.deploy.promotion import abort as aborted

        with deployment.beside() as deployer:
            line = aborted(deployer)
        if sh.json:
            sh.document({"version": 1, "command": sh.command, "ok": True, "models": sorted(line.models)})
        sh.say(f"removed what was staged: {', '.join(sorted(line.models))}")


@command.command("forget")
def forget(*, target: options.Target = None, confirm: options.Confirm = None, common: options.Common) -> None:
    """Remove what the last promotion has kept. It cannot be rolled back afterwards."""
    with (
        shell("deploy forget", common.output, common.quiet) as sh,
        _opened(sh, target, common.vars, common.project_dir) as deployment,
    ):
        from lsqlc.tasks.deploy.promotion import forget_kept

        check_confirmed(deployment.place.target, confirm, "what a rollback needs is removed")
        with deployment.beside() as deployer:
            line = forget_kept(deployer)
        if sh.json:
            models = sorted(line.models) if line else []
            sh.document({"version": 1, "command": sh.command, "ok": True, "models": models})
        sh.say(f"removed what was kept: {', '.join(sorted(line.models))}" if line else "nothing is kept")


@command.command("status")
def status(*, target: options.Target = None, common: options.Common) -> None:
    """Show which models are staged, by whom and since when, and which are kept for a rollback."""
    with (
        shell("deploy status", common.output, common.quiet) as sh,
        _opened(sh, target, common.vars, common.project_dir) as deployment,
    ):
        from lsqlc.report.deploy_report import lines_text

        lines = deployment.lines()
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
        _opened(sh, on.target, common.vars, common.project_dir, served.metrics, served.otlp) as deployment,
    ):
        from lsqlc.tasks.deploy.promotion import promote as promoted

        check_confirmed(deployment.place.target, on.confirm, "the live models are replaced")
        expected = read_file(sh, own.expect)
        has_started = (staged_line := deployment.lines().staged) is not None and staged_line.phase != "staged"
        if not has_started:
            if not _stage(sh, deployment, selected.select, selected.exclude):
                return
            proofs = _prove(sh, deployment, expected, own.compared / 100)
            if not own.accept and not all(proof.ok for proof in proofs):
                why = "rows differ" if any(proof.differing for proof in proofs) else "not all rows were compared"
                sh.say(
                    f"not promoted: {why}; `lsqlc deploy promote` does so all the same, `lsqlc deploy abort` does not"
                )
                raise typer.Exit(1)
        with deployment.exclusive() as deployer:
            _report(sh, deployment, promoted(deployer))


@dataclass(frozen=True, slots=True)
class _Deployment:
    """The project on a target. `of_target`: how commands name it; `stores`: opens its checkpoints; `board`: where the
    status of what is staged is published.
    """

    shell: Shell
    workspace: Workspace
    place: RunTarget
    compilation: Compilation
    of_target: str
    stores: Callable[[], AbstractContextManager[CheckpointStore]]
    board: Board

    @property
    def name(self) -> str:
        return self.compilation.project.config.name

    def lines(self) -> Any:
        from lsqlc.tasks.deploy.note import read_lines

        return read_lines(self.place, self.name)

    @contextmanager
    def beside(self) -> Iterator[Deployer]:
        """Return the deployer, who keeps others from deploying. The models may run meanwhile."""
        with self._locked() as check_lease, self._deployer(check_lease) as deployer:
            yield deployer

    @contextmanager
    def _locked(self) -> Iterator[Callable[[], None]]:
        """Keep others from deploying, and return a function that raises LsqlcError once that lease is lost."""
        from lsqlc.remote.run.locks import run_lock

        with run_lock(self.place.state / "deploy", "deployed"), self.place.lease(self.name, "deployed") as check_lease:
            yield check_lease

    @contextmanager
    def exclusive(self) -> Iterator[Deployer]:
        """Return the deployer, while neither a model runs nor anybody else deploys."""
        from lsqlc.remote.run.locks import run_lock
        from lsqlc.tasks.detached import check_detached

        with run_lock(self.place.state), self.place.lease(self.name) as check_lease, self._locked():
            check_detached(self.place, self.name, takes_over=False)
            with self._deployer(check_lease) as deployer:
                yield deployer

    @contextmanager
    def _deployer(self, check_lease: Callable[[], None]) -> Iterator[Deployer]:
        from lsqlc.cli.running import console, stopping
        from lsqlc.remote.run.restarts import Clock
        from lsqlc.tasks.deploy.staging import Deployer
        from lsqlc.tasks.run_context import RunRequest

        with stopping(check_lease) as stop:
            terminal = console(self.shell, self.place, stop, purpose="deploy", board=self.board)
            request = RunRequest(min(4, os.cpu_count() or 1), clock=Clock(wall=time.time))
            yield Deployer(self.place, self.compilation, self.stores, request, terminal)


@contextmanager
def _opened(
    sh: Shell,
    target: str | None,
    vars: str | None,
    project_dir: Any,
    metrics: str | None = None,
    otlp: str | None = None,
) -> Iterator[_Deployment]:
    from lsqlc.cli.metrics import Board, address_of, published
    from lsqlc.cli.spark import opened_store
    from lsqlc.project.workspace import sound
    from lsqlc.remote.run.standing import RunStatus
    from lsqlc.tasks.run import check_plans
    from lsqlc.tasks.run_target import open_compiled

    if metrics is not None:
        address_of(metrics)
    workspace = project.opened(sh, project_dir, vars)
    compilation = sound(workspace.compilation)
    place = open_compiled(compilation, workspace.target(target))
    check_plans(compilation, place)
    of_target, now = f" --target {target}" if target else "", time.time()
    name = compilation.project.config.name
    board = Board(RunStatus(os.getpid(), now, now, "running", target=f"{place.target.name}/deploy", project=name))
    with published(sh, board, metrics=metrics, otlp=otlp):
        yield _Deployment(sh, workspace, place, compilation, of_target, lambda: opened_store(sh, place), board)


def _stage(sh: Shell, deployment: _Deployment, select: Any, exclude: Any) -> tuple[str, ...]:
    """Stage the selected models, or those that have changed; their names."""
    from lsqlc.tasks.deploy.note import live_place
    from lsqlc.tasks.deploy.staging import stage as staged
    from lsqlc.tasks.deploy.staging import worth_staging
    from lsqlc.tasks.deployment import steps
    from lsqlc.tasks.selection import ModelSelection, compile_selection

    lines = deployment.lines()
    if lines.staged is not None and not (select or exclude):
        models = tuple(lines.staged.models)
    elif select or exclude:
        selection = ModelSelection(select or (), exclude or ())
        models = tuple(compile_selection(deployment.workspace, selection).plans)
    else:
        with deployment.stores() as store:
            next_steps = steps(deployment.compilation, live_place(deployment.place, lines), store)
        models = worth_staging(next_steps, deployment.compilation)
    if not models:
        sh.say("no model has to be staged: `lsqlc plan` shows what a run does")
        return ()
    sh.say(f"staging {', '.join(models)}")
    with deployment.beside() as deployer:
        staged(deployer, models, id=_new_id(), by=who(), at=time.time())
    return models


def _prove(
    sh: Shell, deployment: _Deployment, expected: Mapping[str, Expectation] | None, required: float
) -> tuple[Proof, ...]:
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.report.deploy_report import proof_text
    from lsqlc.tasks.deploy.note import check_no_promotion
    from lsqlc.tasks.deploy.promotion import nothing
    from lsqlc.tasks.deploy.proof import prove as proved

    lines = deployment.lines()
    if lines.staged is None:
        raise LsqlcError([nothing("staged", "`lsqlc deploy stage` stages the models that have changed")])
    check_no_promotion(lines)
    with deployment.beside() as deployer:
        proofs = proved(deployer, expected, required)
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


def _new_id() -> str:
    return uuid.uuid4().hex[:6]
