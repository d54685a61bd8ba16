"""Reports for CI: which are requested, and where they are written.

They are written whatever the outcome, also if the project cannot be read. Annotations are written to stderr, which
GitHub reads like stdout: with `--output json` stdout only has JSON. All other output is protected from being read as
GitHub's commands. Names and records in it come from the author of the pull request, and a line that begins with `::`
would be a command.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lsqlc import __version__
from lsqlc.cli.shell import Shell, shell
from lsqlc.cli.workflow_commands import is_listening, new_token, released, stopped
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.project.build import cache
from lsqlc.report.command_result import CommandResult

_HELP = "choose a file in a writable folder"


@dataclass(frozen=True, slots=True)
class Reports:
    """The requested files, and whether annotations are written for GitHub. `summary`: the job's summary, which is
    appended to; `workspace`: the repository's root there; `token`: an unguessable word that ends the output in which
    GitHub ignores commands; empty outside of GitHub.
    """

    junit: Path | None = None
    sarif: Path | None = None
    markdown: Path | None = None
    github: bool = False
    summary: Path | None = None
    workspace: Path | None = None
    token: str = ""

    def __bool__(self) -> bool:
        return self.github or any((self.junit, self.sarif, self.markdown))


def wanted(junit: Path | None, sarif: Path | None, markdown: Path | None, github: bool | None) -> Reports:
    """Return the requested reports, from the options and GitHub's environment. `github` None: if this is a workflow of
    GitHub's.
    """
    listens = is_listening()
    github = listens if github is None else github
    summary = os.environ.get("GITHUB_STEP_SUMMARY") if github else None
    workspace = os.environ.get("GITHUB_WORKSPACE") if github else None
    return Reports(
        junit,
        sarif,
        markdown,
        github,
        Path(summary) if summary else None,
        Path(workspace) if workspace else None,
        new_token() if github or listens else "",
    )


@contextmanager
def reporting(command: str, output: str, quiet: bool, reports: Reports) -> Iterator[Shell]:
    """Return the shell of a command that reports; see `shell`."""
    with stopped(reports.token), shell(command, output, quiet, stops=False) as sh, _reported(sh, reports):
        yield sh


@contextmanager
def _reported(sh: Shell, reports: Reports) -> Iterator[None]:
    """Report bad input that is raised inside as well, before it is shown."""
    try:
        yield
    except LsqlcError as error:
        failure = CommandResult(None, diagnostics=error.diagnostics)
        raise LsqlcError((*error.diagnostics, *publish(sh, reports, failure, ok=False))) from None


def publish(sh: Shell, reports: Reports, result: CommandResult, *, ok: bool) -> tuple[Diagnostic, ...]:
    """Write the requested reports, and return a diagnostic for each that cannot be written. `ok`: the exit code so far
    is 0.
    """
    if not reports:
        return ()
    from lsqlc.report.findings import all_findings

    findings = all_findings(result.compilation, result.run, result.diagnostics)
    prefix = _prefix(sh.root, reports.workspace)
    problems: list[Diagnostic] = []
    if reports.junit:
        from lsqlc.report.junit import junit_xml

        text = junit_xml(result, sh.texts, command=sh.command)
        problems += write(reports.junit, text)
    if reports.sarif:
        from lsqlc.report.sarif import sarif_log

        log = sarif_log(findings, lsqlc=__version__, prefix=prefix, otherwise="lsqlc.yml" if sh.root else None)
        problems += write(reports.sarif, json.dumps(log, ensure_ascii=False, indent=1) + "\n")
    if reports.markdown or reports.summary:
        from lsqlc.report.markdown import build_markdown

        text = build_markdown(result, sh.texts, command=sh.command, ok=ok)
        problems += write_markdown(reports, text)
    if reports.github:
        from lsqlc.report.github import annotation_lines

        annotated = [d for d in (*findings, *problems) if d.is_error or not sh.quiet]
        lines = list(annotation_lines(annotated, prefix=prefix))
        if lines:
            with released(reports.token):
                sh.error("\n".join(lines))
    return tuple(problems)


def _prefix(root: Path | None, workspace: Path | None) -> str:
    """Return the project's folder in its repository: below GitHub's workspace, else below the nearest folder with a
    `.git`.
    """
    if root is None:
        return ""
    here = root.resolve()
    above = [workspace.resolve()] if workspace else []
    above += [folder for folder in (here, *here.parents) if (folder / ".git").exists()]
    top = next((folder for folder in above if here.is_relative_to(folder)), here)
    return "" if top == here else here.relative_to(top).as_posix()


def write_markdown(reports: Reports, text: str) -> tuple[Diagnostic, ...]:
    """Write a report to the requested files in Markdown, and return a diagnostic for each that cannot be written."""
    problems = write(reports.markdown, text) if reports.markdown else ()
    return (*problems, *(_append(reports.summary, text) if reports.summary else ()))


def write(file: Path, text: str) -> tuple[Diagnostic, ...]:
    """Write a report to a file, and return a diagnostic (LSQ068) if it cannot be written."""
    # A lone surrogate, such as a file name that is no UTF-8 has, must not cost the report.
    content = text.encode("utf-8", errors="backslashreplace")
    if file.is_symlink() or (file.exists() and not file.is_file() and not file.is_dir()):
        # A link, a pipe or a device, such as /dev/stdout: what is put in its place nobody reads.
        return _put(file, content, "wb")
    if not file.name:
        # The current folder, or a root, and so no file.
        return (Diagnostic("LSQ068", f"cannot write '{file}': is a directory", help=_HELP),)
    problems = cache.write(file, content, str(file))
    return tuple(replace(d, code="LSQ068", help=_HELP) for d in problems)


def _append(file: Path, text: str) -> tuple[Diagnostic, ...]:
    problems = _put(file, text.encode("utf-8", errors="backslashreplace"), "ab")
    help = "GITHUB_STEP_SUMMARY names this file; --no-github omits it"
    return tuple(replace(d, severity=Severity.WARNING, help=help) for d in problems)


def _put(file: Path, content: bytes, mode: str) -> tuple[Diagnostic, ...]:
    try:
        with file.open(mode) as stream:
            stream.write(content)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return (Diagnostic("LSQ068", f"cannot write '{file}': {reason}", help=_HELP),)
    return ()
