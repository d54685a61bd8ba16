"""`lsqlc env`: the targets of a project, and those that read the topics of another one."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell
from lsqlc.diagnostics import Diagnostic

if TYPE_CHECKING:
    from lsqlc.project.declared.target import Target
    from lsqlc.remote.run.proofs import Proof
    from lsqlc.report.environment_report import TargetRow
    from lsqlc.tasks.deploy.staging import Deployer
    from lsqlc.tasks.placement import Placement
    from lsqlc.tasks.run_target import RunTarget

command = typer.Typer(
    help="List targets, compare environments with others, and remove them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@command.command("list")
def list_targets(
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """List the targets of profiles.yml: where their topics lie, which target they defer to, and who owns them."""
    with shell("env list", output, quiet) as sh:
        from lsqlc.report.environment_report import targets_text

        rows = _rows(project.find(sh, project_dir))
        if sh.json:
            targets = [row.to_json() for row in rows]
            sh.document({"version": 1, "command": sh.command, "ok": True, "targets": targets})
        elif rows:
            sh.result(targets_text(rows, sh.width))
        else:
            sh.say("the project has no profiles.yml: it runs on the embedded server")


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """The options of `lsqlc env diff`."""

    target: options.Target = None
    expect: options.Expect = None
    markdown: options.Markdown = None
    fail_on: Annotated[Literal["rows"] | None, typer.Option("--fail-on", help="Exit with 1 if a row differs.")] = None


@command.command("diff")
def diff(selected: options.Selected, own: DiffOptions, common: options.Common) -> None:
    """Run the models of an environment until all input is read. Then compare their rows with those of the target that
    it defers to, by key and column. Without --select: the models whose program is not live there, and their readers.
    """
    with shell("env diff", common.output, common.quiet, lines=True) as sh:
        from lsqlc.cli import reports
        from lsqlc.cli.arguments import read_expectations
        from lsqlc.cli.placed import placed
        from lsqlc.cli.spark import opened_store
        from lsqlc.diagnostics import LsqlcError
        from lsqlc.report.environment_report import proofs_markdown, proofs_text
        from lsqlc.tasks.deploy.staging import run_to_end
        from lsqlc.tasks.environment_diff import environment_proofs, pairs_at
        from lsqlc.tasks.placement import PlacementRequest, why_nothing_runs
        from lsqlc.tasks.run import check_plans
        from lsqlc.tasks.run_target import open_compiled

        expected = read_expectations(sh, own.expect)
        workspace = project.opened(sh, common.project_dir, common.vars)
        placement = placed(sh, workspace, PlacementRequest(own.target, selected.select or (), selected.exclude or ()))
        compilation, place = placement.compilation, placement.place
        other = place.target.defers
        if other is None:
            raise LsqlcError([_no_environment(place.target, "has nothing to be compared with")])
        check_plans(compilation, place)
        base = open_compiled(compilation, other)
        proofs: tuple[Proof, ...] = ()
        new: list[str] = []
        if compilation.plans:
            with opened_store(sh, base) as store:
                pairs = pairs_at(compilation, base, store, expected)
            both = {pair.name for pair in pairs}
            new = [t.name for plan in compilation.plans.values() for t in plan.outputs if t.name not in both]
            with _running(sh, placement) as runner:
                proofs = environment_proofs(base, place, pairs, lambda: run_to_end(runner, place, compilation))
        else:
            sh.say(why_nothing_runs(placement))
        names = other.name, place.target.name
        ok = all(proof.ok for proof in proofs)
        if own.markdown is not None:
            requested_reports = reports.wanted(None, None, own.markdown, None)
            unwritten = reports.write_markdown(requested_reports, proofs_markdown(proofs, new, *names))
            if unwritten:
                raise LsqlcError(unwritten)
        if sh.json:
            for proof in proofs:
                sh.line({"event": "proof", **proof.to_json()})
            sh.line({"event": "compared", "ok": ok, "new": new, "base": names[0], "target": names[1]})
        elif compilation.plans:
            sh.result(proofs_text(proofs, new, *names))
        if own.fail_on and not ok:
            raise typer.Exit(1)


@command.command("drop")
def drop(
    target: options.Target = None,
    confirm: options.Confirm = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Remove an environment: the topics that its models have written, their checkpoints and their status. Topics that
    it reads from another target stay. Refused while a run is active.
    """
    with shell("env drop", output, quiet) as sh:
        from lsqlc.cli.arguments import check_confirmed
        from lsqlc.cli.spark import opened_store
        from lsqlc.diagnostics import LsqlcError
        from lsqlc.project.declared.profiles import named_target
        from lsqlc.remote.run.locks import run_lock
        from lsqlc.tasks.detached import check_detached
        from lsqlc.tasks.environments import drop as dropped
        from lsqlc.tasks.environments import drop_records
        from lsqlc.tasks.run_target import open_target

        root = project.find(sh, project_dir)
        described_target = named_target(root, target, os.environ)
        if described_target.defers is None:
            raise LsqlcError([_no_environment(described_target, "is not removed as a whole")])
        check_confirmed(described_target, confirm, "its topics and checkpoints are removed")
        name = project.config(sh, root).name
        place = open_target(root, described_target)
        with run_lock(place.state), place.lease(name):
            check_detached(place, name, takes_over=False)
            with opened_store(sh, place) as store:
                topics = dropped(place, name, store)
        drop_records(place)
        _remove_folders(place)
        if sh.json:
            data = {"target": described_target.name, "topics": list(topics)}
            sh.document({"version": 1, "command": sh.command, "ok": True, **data})
        sh.say(f"removed the environment '{described_target.name}'" + (f": {', '.join(topics)}" if topics else ""))


@contextmanager
def _running(sh: Shell, placement: Placement) -> Iterator[Deployer]:
    """Return the deployer that runs the models of an environment, while no other run does."""
    from lsqlc.cli.placed import services
    from lsqlc.cli.running import console, stopping
    from lsqlc.cli.spark import opened_store
    from lsqlc.remote.run.locks import run_lock
    from lsqlc.remote.run.restarts import Clock
    from lsqlc.tasks.deploy.staging import Deployer
    from lsqlc.tasks.detached import check_detached
    from lsqlc.tasks.placement import enter_environment
    from lsqlc.tasks.run_context import RunRequest

    place, name = placement.place, placement.compilation.project.config.name
    with run_lock(place.state), place.lease(name) as check_lease, stopping(check_lease) as stop:
        enter_environment(placement, services(sh), full_refresh=False)
        check_detached(place, name, takes_over=False)
        request = RunRequest(min(4, os.cpu_count() or 1), clock=Clock(wall=time.time))
        yield Deployer(place, placement.compilation, lambda: opened_store(sh, place), request, console(sh, place, stop))


def _rows(root: Path) -> list[TargetRow]:
    from lsqlc.project.declared.profiles import load_target, target_names
    from lsqlc.report.environment_report import TargetRow
    from lsqlc.tasks.run_target import topics_folder

    default, _ = load_target(root, None, dict(os.environ))
    rows = []
    for name in target_names(root):
        described_target, problems = load_target(root, name, dict(os.environ))
        is_default = default is not None and default.name == name
        if described_target is None:
            rows.append(TargetRow(name, is_default, problem=problems[0].message))
            continue
        folder = described_target.topics or topics_folder(root, described_target).relative_to(root).as_posix()
        topics = described_target.connector.summary(described_target.connection, folder)
        defers = described_target.defers.name if described_target.defers else None
        rows.append(
            TargetRow(
                name,
                is_default,
                described_target.type,
                topics,
                defers,
                described_target.owner,
                described_target.confirm,
            )
        )
    return rows


def _remove_folders(place: RunTarget) -> None:
    """Remove the files on this machine: locks, the status of the last run, empty folders of topics."""
    shutil.rmtree(place.state, ignore_errors=True)


def _no_environment(target: Target, what: str) -> Diagnostic:
    message = f"the target '{target.name}' defers to no other target, and {what}"
    help = "choose one that has `defer:` in profiles.yml, with `--target NAME`; `lsqlc env list` shows them"
    return Diagnostic("LSQ752", message, help=help)
