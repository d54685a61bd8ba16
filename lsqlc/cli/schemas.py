"""`lsqlc schemas`: the schema registry of a target, and its schemas in the lock file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from lsqlc.formats.subjects import Subject
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.target import Target
    from lsqlc.project.workspace import Workspace
    from lsqlc.registry.registry import Registry


@dataclass(frozen=True, slots=True)
class SchemasOptions:
    """The options of `lsqlc schemas`."""

    target: options.Target = None
    select: options.Select = None
    exclude: options.Exclude = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With register: only show what would be registered.")] = (
        False
    )


def command(
    action: Annotated[Literal["list", "pull", "check", "register"], typer.Argument(help="The action.")],
    own: SchemasOptions,
    common: options.Common,
) -> None:
    """Use the schema registry of a target.

    list: the subjects. pull: write the schemas that the project uses into the lock file, from which every other command
    takes them. check: whether the lock file is up to date, and whether what the models write is compatible. register:
    register what the selected models write, then pull.
    """
    with shell("schemas", common.output, common.quiet) as sh:
        from lsqlc.registry.client import RestRegistry
        from lsqlc.tasks.registry import registry_target

        root = project.find(sh, common.project_dir)
        described_target, address = registry_target(root, own.target, os.environ)
        registry = RestRegistry(address)
        if action == "list":
            names = registry.subjects()
            if sh.json:
                sh.document({**_head(action), "ok": True, "subjects": list(names)})
            elif names:
                sh.result("\n".join(names))
            else:
                sh.say("the registry has no subjects")
            return
        if action != "register" and own.dry_run:
            raise typer.BadParameter("it is only an option of `lsqlc schemas register`", param_hint="--dry-run")
        request = _Request(
            sh, root, project.variables(sh, common.vars), described_target, registry, own.select, own.exclude
        )
        if action == "pull":
            subjects = _pull(request)
            if sh.json:
                sh.document({**_head(action), "ok": True, "subjects": _subjects_data(subjects)})
        elif action == "check":
            _check(request)
        else:
            _register(request, own.dry_run)


@dataclass(frozen=True, slots=True)
class _Request:
    shell: Shell
    root: Path
    vars: Mapping[str, Any]
    target: Target
    registry: Registry
    select: list[str] | None
    exclude: list[str] | None

    def reopen(self) -> Workspace:
        return project.opened_at(self.shell, self.root, self.vars)

    def selected(self, workspace: Workspace) -> Compilation:
        from lsqlc.tasks.selection import ModelSelection, compile_selection

        return compile_selection(workspace, ModelSelection(self.select or (), self.exclude or ()))

    def names(self, workspace: Workspace) -> Callable[[str], str]:
        from lsqlc.tasks.registry import subject_names

        return subject_names(self.target, self.selected(workspace))


def _head(action: str) -> dict[str, Any]:
    return {"version": 1, "command": "schemas", "action": action}


def _subjects_data(subjects: Mapping[str, Subject]) -> list[dict[str, Any]]:
    from lsqlc.report.registry_report import subject_data

    return [subject_data(subjects[name]) for name in sorted(subjects)]


def _pull(request: _Request) -> Mapping[str, Subject]:
    from lsqlc.project.declared.lock import LOCK_FILE
    from lsqlc.tasks.registry import pull

    pulled = pull(request.registry, request.reopen, request.names)
    if pulled.is_changed:
        request.shell.say(f"{LOCK_FILE} written: review it, and commit it")
    else:
        message = "the lock file is up to date" if pulled.subjects else "the project uses no schema of the registry"
        request.shell.say(message)
    return pulled.subjects


def _check(request: _Request) -> None:
    from lsqlc.report.registry_report import standing_data, standing_text
    from lsqlc.tasks.registry import check

    sh, workspace = request.shell, request.reopen()
    result = check(request.registry, workspace.compilation, request.selected(workspace), request.names(workspace))
    if sh.json:
        data = [standing_data(s) for s in result.standings]
        sh.document({**_head("check"), "ok": result.ok, "drift": list(result.drift), "written": data})
    else:
        sh.result("\n".join([*(f"lock file: {line}" for line in result.drift), *map(standing_text, result.standings)]))
    sh.show(result.diagnostics)
    if result.drift:
        sh.say("the lock file is not up to date: `lsqlc schemas pull`")
    if not result.ok:
        raise typer.Exit(1)
    sh.say("the lock file is up to date, and what the models write is compatible")


def _register(request: _Request, dry_run: bool) -> None:
    from lsqlc.report.registry_report import standing_data, standing_text
    from lsqlc.tasks.registry import register, standings

    sh = request.shell
    workspace = request.reopen()
    written_schemas = standings(request.registry, request.selected(workspace), request.names(workspace))
    if not sh.json or any(s.conflicts for s in written_schemas):
        sh.say(
            "\n".join(map(standing_text, written_schemas)) or "the models write no topic in AVRO, JSON_SR or PROTOBUF"
        )
    # A dry run only fails like the real one.
    ids_by_subject = register(
        request.registry, [s for s in written_schemas if s.conflicts] if dry_run else written_schemas
    )
    if ids_by_subject:
        _pull(request)
    if sh.json:
        ids = {**{s.schema.subject: s.id for s in written_schemas}, **ids_by_subject}
        data = [{**standing_data(s), "id": ids[s.schema.subject]} for s in written_schemas]
        sh.document({**_head("register"), "ok": True, "dry_run": dry_run, "written": data})
        return
    for subject, id in ids_by_subject.items():
        sh.result(f"{subject}: registered, with the id {id}")
