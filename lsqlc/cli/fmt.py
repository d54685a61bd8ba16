"""`lsqlc fmt`: models in the one form, comments and templates kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsqlc.diagnostics import Diagnostic
    from lsqlc.tasks.fmt import FormattedFile


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """The options of `lsqlc fmt`."""

    paths: Annotated[list[Path] | None, typer.Argument(metavar="[PATHS]...", help="Files and folders of models.")] = (
        None
    )
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")] = False
    diff: Annotated[bool, typer.Option("--diff", help="As --check, and print what would change.")] = False


def command(own: FormatOptions, common: options.Common) -> None:
    """Format the models; without PATHS, all of them.

    A file with errors is not formatted and its errors are shown; a template that cannot be formatted around its tags is
    skipped. A second run changes nothing.
    """
    with shell("fmt", common.output, common.quiet) as sh:
        from lsqlc.diagnostics import order
        from lsqlc.tasks.fmt import formatted
        from lsqlc.tasks.model_files import models_at, write_model

        workspace = project.opened(sh, common.project_dir, common.vars)
        files = formatted(workspace, models_at(workspace.project, own.paths))
        diagnostics = order(d for file in files for d in file.diagnostics)
        changed = [file for file in files if file.status == "formatted"]
        problems = (
            ()
            if own.check or own.diff
            else tuple(d for file in changed for d in write_model(workspace.root, file.path, file.after or ""))
        )
        sh.show((*diagnostics, *problems))
        failed = problems or any(d.is_error for d in diagnostics) or ((own.check or own.diff) and changed)
        if sh.json:
            sh.document(_data(files, (*diagnostics, *problems), ok=not failed, diff=own.diff))
        elif own.diff:
            sh.result("".join(f"{line}\n" for file in changed for line in _shown(file.patch, sh.result_colour)))
        sh.say("\n".join(_summary(files, would=own.check or own.diff)))
        if failed:
            raise typer.Exit(1)


def _shown(patch: str, colour: bool) -> Iterator[str]:
    from lsqlc.diagnostics.paint import Paint
    from lsqlc.report.text import patch_lines

    return patch_lines(patch.removesuffix("\n").split("\n"), Paint(colour))


def _summary(files: list[FormattedFile], *, would: bool) -> list[str]:
    lines = [f"{'would format' if would else 'formatted'} {file.path}" for file in files if file.status == "formatted"]
    words = {
        "formatted": "would be formatted" if would else "formatted",
        "unchanged": "unchanged",
        "skipped": "not formatted",
        "failed": "in error",
    }
    count = {status: sum(file.status == status for file in files) for status in words}
    counts = [f"{count[status]:,} {word}" for status, word in words.items() if count[status]]
    return [*lines, f"{len(files):,} file{'s' * (len(files) != 1)}" + (f": {', '.join(counts)}" if counts else "")]


def _data(files: list[FormattedFile], diagnostics: tuple[Diagnostic, ...], *, ok: bool, diff: bool) -> dict[str, Any]:
    from lsqlc.report.json_report import diagnostic_data

    rows = [
        {"path": f.path, "status": f.status, "diff": f.patch if diff and f.status == "formatted" else None}
        for f in files
    ]
    data = [diagnostic_data(d) for d in diagnostics]
    return {"version": 1, "command": "fmt", "ok": ok, "files": rows, "diagnostics": data}
