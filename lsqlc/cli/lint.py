"""`lsqlc lint`: what could be improved in the models, and fixes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import completing, options, project, reports

if TYPE_CHECKING:
    from lsqlc.tasks.lint import LintRequest, LintResult
    from lsqlc.tasks.selection import ModelSelection

_CODES = re.compile(r"LSQ\w+(?:,LSQ\w+)*")


@dataclass(frozen=True, slots=True)
class LintOptions:
    """The options of `lsqlc lint`."""

    paths: Annotated[list[Path] | None, typer.Argument(metavar="[PATHS]...", help="Files and folders of models.")] = (
        None
    )
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            "-s",
            metavar="CODES|SELECTOR",
            help="Codes to report, or models as for other verbs.",
            autocompletion=completing.codes_and_selectors,
        ),
    ] = None
    exclude: options.Exclude = None
    state: options.State = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="CODES",
            help="Codes not to report.",
            autocompletion=completing.codes,
        ),
    ] = None
    fix: Annotated[bool, typer.Option("--fix", help="Apply the fixes of the findings.")] = False


def command(
    own: LintOptions, in_project: options.InProject, *, sarif: options.Sarif = None, reporting: options.Reporting
) -> None:
    """Report what could be improved in the models; without PATHS or --select, in all of them.

    Errors are reported as well. The exit code is 1 if any finding remains that --fix has not fixed.
    """
    requested_reports = reports.wanted(None, sarif, reporting.markdown, reporting.github)
    with reports.reporting("lint", reporting.output, reporting.quiet, requested_reports) as sh:
        from lsqlc.report.command_result import CommandResult
        from lsqlc.report.json_report import diagnostic_data
        from lsqlc.tasks.lint import check_codes, lint_project
        from lsqlc.tasks.selection import ModelSelection

        request = _request(own.select, ModelSelection(exclude=own.exclude or (), state=own.state))
        ignored = frozenset(code for value in own.ignore or () for code in value.upper().replace(",", " ").split())
        request = replace(request, paths=tuple(own.paths or ()), ignore=ignored, fix=own.fix)
        check_codes((*request.codes, *request.ignore))
        workspace = project.opened(sh, in_project.project_dir, in_project.vars)
        result = lint_project(workspace, request)
        sh.texts.update(result.texts)
        reported = result.diagnostics
        unwritten = reports.publish(sh, requested_reports, CommandResult(None, diagnostics=reported), ok=not reported)
        findings = (*reported, *unwritten)
        sh.show(findings)
        if sh.json:
            items = [diagnostic_data(d) for d in findings]
            files = sorted(result.changed)
            data = {"version": 1, "command": "lint", "ok": not items, "fixed": result.edits, "files": files}
            sh.document({**data, "diagnostics": items})
        sh.say(_summary(result))
        if findings:
            sh.end(findings)


def _request(select: list[str] | None, models: ModelSelection) -> LintRequest:
    """Return the findings in the models of `--select`, which has codes and selectors."""
    from lsqlc.tasks.lint import LintRequest

    words = [word for value in select or () for word in value.split()]
    codes = [code for word in words if _CODES.fullmatch(word.upper()) for code in word.upper().split(",")]
    selectors = tuple(word for word in words if not _CODES.fullmatch(word.upper()))
    return LintRequest(replace(models, select=selectors), codes=frozenset(codes))


def _summary(result: LintResult) -> str:
    files = len(result.changed)
    lines = [f"{result.edits:,} fixed in {files:,} file{'s' * (files != 1)}"] if result.edits else []
    count = len(result.findings)
    lines.append(f"{count:,} finding{'s' * (count != 1)}" if count else "no findings")
    fixable = sum(d.fix is not None for d in result.findings)
    if fixable:
        lines.append(f"{fixable:,} of them fixable with --fix")
    return "\n".join(lines)
