"""`lsqlc state copy`: states to a folder, back from one, and to an environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import completing, options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.state_copied import Copied

_PLACE = "TARGET|FOLDER"


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """The options of `lsqlc state copy`."""

    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL]...", help="The models; by default all that are there.", autocompletion=completing.models
        ),
    ] = None
    source: Annotated[
        str | None,
        typer.Option("--from", metavar=_PLACE, help="Where the states are; by default on the default target."),
    ] = None
    to: Annotated[
        str | None,
        typer.Option("--to", metavar=_PLACE, help="Where they go; a folder has a `/` in its name, such as ./backup."),
    ] = None
    confirm: options.Confirm = None


def copy(own: CopyOptions, common: options.Common) -> None:
    """Copy the states of models: from a target to a folder, from such a folder to a target, and from a target to an
    environment that defers to it. Each is copied as its last completed batch has left it. A run may be active where it
    is copied from, and not where it goes.
    """
    with shell("state copy", common.output, common.quiet) as sh:
        from lsqlc.project.declared.profiles import target_names

        workspace = project.opened(sh, common.project_dir, common.vars)
        names = target_names(workspace.root)
        there, here = _folder(own.source, names, "--from"), _folder(own.to, names, "--to")
        if there is not None and here is not None:
            raise typer.BadParameter("one of the two must be a target", param_hint="--to")
        if own.source is None and own.to is None:
            raise typer.BadParameter("where do the states go?", param_hint="--to")
        names_of_models = tuple(dict.fromkeys(own.models)) if own.models else None
        if here is not None:
            copies, next = _back_up(sh, workspace, own.source, names_of_models, here), ""
        elif there is not None:
            copies, next = _restore(sh, workspace, own, names_of_models, there), "run"
        else:
            copies, next = _preview(sh, workspace, own.source, own.to, names_of_models), "run"
        if sh.json:
            data = [each.to_json() for each in copies]
            sh.document({"version": 1, "command": "state copy", "ok": True, "queries": data})
        for each in copies:
            more = "" if each.records is None else f", and {each.records:,} records of its topic"
            sh.say(f"{each.query}: the state after batch {each.batch}{more}")
        if next:
            sh.say(f"next: `lsqlc {next}{f' --target {own.to}' if own.to else ''}` continues from there")


def _folder(value: str | None, targets: tuple[str, ...], option: str) -> Path | None:
    """Return the folder of a value; None for the name of a target."""
    if value is None or value in targets:
        return None
    if "/" not in value and os.sep not in value:
        raise typer.BadParameter(
            f"'{value}' is not a target of profiles.yml; a folder is written with a `/`, such as './{value}'",
            param_hint=option,
        )
    return Path(value).absolute()


def _back_up(
    sh: Shell, workspace: Workspace, source: str | None, models: tuple[str, ...] | None, folder: Path
) -> tuple[Copied, ...]:
    from lsqlc.tasks.deploy.note import running_place
    from lsqlc.tasks.run_target import open_target
    from lsqlc.tasks.state_backup import back_up

    place = running_place(open_target(workspace.root, workspace.target(source)), workspace.name)
    copies = back_up(place, models, folder)
    sh.say(f"copied from the target '{place.target.name}' to '{folder}':")
    return copies


def _restore(
    sh: Shell, workspace: Workspace, own: CopyOptions, models: tuple[str, ...] | None, folder: Path
) -> tuple[Copied, ...]:
    from lsqlc.cli.arguments import check_confirmed
    from lsqlc.cli.standby import alone_with_state
    from lsqlc.tasks.run_target import open_compiled
    from lsqlc.tasks.selection import ModelSelection, sound_selection
    from lsqlc.tasks.state_backup import models_in, restore

    names = {each.name for each in workspace.project.models}
    there = models_in(folder)
    selection = [name for name in there if name in names] if models is None else list(models)
    for name in there if models is None else ():
        if name not in names:
            sh.say(f"'{name}' is left out: the project has no such model")
    compilation = sound_selection(workspace, ModelSelection(selection))
    place = open_compiled(compilation, workspace.target(own.to))
    check_confirmed(place.target, own.confirm, "the checkpoints of the models are replaced")
    with alone_with_state(sh, place, workspace.name) as live:
        copies = restore(live, compilation, folder)
    sh.say(f"copied from '{folder}' to the target '{place.target.name}':")
    return copies


def _preview(
    sh: Shell, workspace: Workspace, source: str | None, target: str | None, models: tuple[str, ...] | None
) -> tuple[Copied, ...]:
    from lsqlc.cli.placed import placed, services
    from lsqlc.cli.standby import alone_with_state
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.tasks.deploy.note import running_place
    from lsqlc.tasks.placement import PlacementRequest, enter_environment
    from lsqlc.tasks.run_target import open_compiled
    from lsqlc.tasks.state_preview import check_copies, copy_to_environment

    placement = placed(sh, workspace, PlacementRequest(target, models or ()))
    place, compilation = placement.place, placement.compilation
    other = place.target.defers
    if other is None or source not in (None, other.name):
        message = f"the target '{place.target.name}' does not defer to '{source or 'another one'}'"
        note = "only an environment reads the same topics, at the same offsets, as the target that it defers to"
        help = "declare `defer:` in profiles.yml, or copy to a folder and from there"
        raise LsqlcError([Diagnostic("LSQ898", message, notes=(note,), help=help)])
    base = running_place(open_compiled(compilation, other), workspace.name)
    with alone_with_state(sh, place, workspace.name) as live:
        check_copies(base, live, compilation, placement.before)
        enter_environment(placement, services(sh), full_refresh=False)
        copies = tuple(copy_to_environment(base, live, compilation))
    sh.say(f"copied from the target '{other.name}' to the environment '{place.target.name}':")
    return copies
