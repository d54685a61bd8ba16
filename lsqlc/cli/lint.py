"""`lsqlc lint`: what could be improved in the models, and fixes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import completing, options, project, reports

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.lint import Wanted

_CODES = re.compile(r"LSQ\w+(?:,LSQ\w+)*")


def command(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATHS]...", help="Files and folders of models.")
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            "-s",
            metavar="CODES|SELECTOR",
            help="Codes to report, or models as for other verbs.",
            autocompletion=completing.codes_and_selectors,
        ),
    ] = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="CODES",
            help="Codes not to report.",
            autocompletion=completing.codes,
        ),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Apply the fixes of the findings.")] = False,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    sarif: options.Sarif = None,
    markdown: options.Markdown = None,
    github: options.Github = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Report what could be improved in the models; without PATHS or --select, in all of them.

    Errors are reported as well. The exit code is 1 if any finding remains that --fix has not fixed.
    """
    requested_reports = reports.wanted(None, sarif, markdown, github)
    with reports.reporting("lint", output, quiet, requested_reports) as sh:
        from lsqlc.report.command_result import CommandResult
        from lsqlc.report.json_report import diagnostic_data
        from lsqlc.tasks.lint import Fixed, findings, fixed
        from lsqlc.tasks.model_files import write_model
        from lsqlc.tasks.selection import ModelSelection, compile_selection

        request, models = _wanted(paths, select, ignore)
        workspace = project.opened(sh, project_dir, vars)

        selection = ModelSelection(models, exclude or (), state)

        def look(workspace: Workspace) -> tuple[Diagnostic, ...]:
            return findings(compile_selection(workspace, selection, plans=False), request)

        result = Fixed(look(workspace), workspace.project.texts)
        if fix:
            result = fixed(workspace, result.found, look)
            sh.texts.update(result.texts)
        remaining, changed = result.found, result.changed
        problems = [d for path, text in changed.items() for d in write_model(workspace.root, path, text)]
        reported = (*remaining, *problems)
        problems += reports.publish(sh, requested_reports, CommandResult(None, diagnostics=reported), ok=not reported)
        sh.show((*remaining, *problems))
        if sh.json:
            items = [diagnostic_data(d) for d in (*remaining, *problems)]
            data = {"version": 1, "command": "lint", "ok": not items, "fixed": result.edits, "files": sorted(changed)}
            sh.document({**data, "diagnostics": items})
        sh.say(_summary(remaining, result.edits, len(changed)))
        if remaining or problems:
            sh.end((*remaining, *problems))


def _wanted(
    paths: list[Path] | None, select: list[str] | None, ignore: list[str] | None
) -> tuple[Wanted, tuple[str, ...]]:
    """Return the requested findings, and the selectors of models that stand among the codes. Raises LsqlcError LSQ065
    for an unknown code.
    """
    from lsqlc.tasks.lint import Wanted, check_codes

    words = [word for value in select or () for word in value.split()]
    codes = [c for word in words if _CODES.fullmatch(word.upper()) for c in word.upper().split(",")]
    models = tuple(word for word in words if not _CODES.fullmatch(word.upper()))
    left_out = [c for value in ignore or () for c in value.upper().replace(",", " ").split()]
    check_codes((*codes, *left_out))
    return Wanted(tuple(paths or ()), frozenset(codes), frozenset(left_out)), models


def _summary(findings: Sequence[Diagnostic], fixed: int, files: int) -> str:
    lines = [f"{fixed:,} fixed in {files:,} file{'s' * (files != 1)}"] if fixed else []
    count = len(findings)
    lines.append(f"{count:,} finding{'s' * (count != 1)}" if count else "no findings")
    fixable = sum(d.fix is not None for d in findings)
    if fixable:
        lines.append(f"{fixable:,} of them fixable with --fix")
    return "\n".join(lines)
