"""`lsqlc lint`: what could be improved in the models, and fixes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project, reports
from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic, Fix
    from lsqlc.lint import LintSettings
    from lsqlc.project.model import Project

# One fix can make way for another one; more rounds than this are none that come to an end.
_ROUNDS = 10
_CODES = re.compile(r"LSQ\w+(?:,LSQ\w+)*")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What was asked for: models, by selectors and by paths, and codes."""

    select: tuple[str, ...]
    exclude: tuple[str, ...]
    paths: tuple[Path, ...]
    codes: frozenset[str]
    ignore: frozenset[str]
    state: str | None


def command(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATHS]...", help="Files and folders of models.")
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", "-s", metavar="CODES|SELECTOR", help="Codes to report, or models as for other verbs."),
    ] = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="CODES", help="Codes not to report.")] = None,
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
    asked = reports.wanted(None, sarif, markdown, github)
    with reports.reporting("lint", output, quiet, asked) as sh:
        from lsqlc.cli.paths import write_model
        from lsqlc.report.json_report import diagnostic_data

        wanted = _wanted(paths, select, exclude, ignore, state)
        root = project.find(sh, project_dir)
        given = project.variables(sh, vars)
        loaded = project.load(sh, root, given)
        found = _found(loaded, wanted, given)
        fixed: dict[str, str] = {}
        count = 0
        if fix:
            found, fixed, count = _fixed(sh, root, given, loaded, found, wanted)
        problems = [d for path, text in fixed.items() for d in write_model(root, path, text)]
        told = (*found, *problems)
        problems += reports.publish(sh, asked, ok=not told, diagnostics=told)
        sh.show((*found, *problems))
        if sh.json:
            said = [diagnostic_data(d) for d in (*found, *problems)]
            data = {"version": 1, "command": "lint", "ok": not said, "fixed": count, "files": sorted(fixed)}
            sh.document({**data, "diagnostics": said})
        sh.say(_summary(found, count, len(fixed)))
        if found or problems:
            sh.end((*found, *problems))


def _wanted(
    paths: list[Path] | None,
    select: list[str] | None,
    exclude: list[str] | None,
    ignore: list[str] | None,
    state: str | None,
) -> _Wanted:
    """The options read. Raises LsqlcError LSQ065 for a code that there is not."""
    words = [word for given in select or () for word in given.split()]
    codes = [c for word in words if _CODES.fullmatch(word.upper()) for c in word.upper().split(",")]
    models = [word for word in words if not _CODES.fullmatch(word.upper())]
    left_out = [c for given in ignore or () for c in given.upper().replace(",", " ").split()]
    _check((*codes, *left_out))
    chosen = (tuple(models), tuple(exclude or ()), tuple(paths or ()))
    return _Wanted(*chosen, frozenset(codes), frozenset(left_out), state)


def _check(codes: Sequence[str]) -> None:
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean
    from lsqlc.lint import rules

    help = "`lsqlc explain` lists all codes; those of findings start with LSQ8"
    wrong = [
        Diagnostic("LSQ065", f"unknown finding '{code}'", help=did_you_mean(code, rules()) or help)
        for code in codes
        if code not in rules()
    ]
    if wrong:
        raise LsqlcError(wrong)


def _found(loaded: Project, wanted: _Wanted, vars: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """All errors, and the findings that are wanted of the models that are wanted, in order of place."""
    from lsqlc.cli.paths import models_at
    from lsqlc.diagnostics import LsqlcError, order
    from lsqlc.lint import LintSettings
    from lsqlc.project.build.linting import lint_models

    chosen = (wanted.select, wanted.exclude)
    compilation = project.compiled(loaded, *chosen, plans=False, state=wanted.state, vars=vars)
    wrong = [d for d in compilation.diagnostics if d.code in ("LSQ040", "LSQ041")]
    if wrong:
        raise LsqlcError(wrong)
    models = [m for m in models_at(loaded, wanted.paths) if m.name in compilation.selected]
    linted = lint_models(compilation, models)
    settings = loaded.config.lint
    settings = LintSettings(wanted.codes or settings.select, settings.ignore | wanted.ignore)
    paths = {m.path for m in models}
    return order(d for d in (*compilation.diagnostics, *linted) if _is_wanted(d, settings, paths))


def _is_wanted(diagnostic: Diagnostic, settings: LintSettings, paths: set[str]) -> bool:
    if diagnostic.is_error:
        return True
    return settings.wants(diagnostic.code) and (diagnostic.span is None or diagnostic.span.path in paths)


def _fixed(
    sh: Shell,
    root: Path,
    vars: Mapping[str, Any],
    loaded: Project,
    found: tuple[Diagnostic, ...],
    wanted: _Wanted,
) -> tuple[tuple[Diagnostic, ...], dict[str, str], int]:
    """What is left after the fixes were made, the new texts by path, and how many edits that were. A round of edits
    that brings new errors is taken back.
    """
    from lsqlc.lint import apply_fixes

    texts: dict[str, str] = {}
    total = 0
    current = loaded.texts
    for _ in range(_ROUNDS):
        edits: dict[str, list[Fix]] = {}
        for edit in (d.fix for d in found if d.fix):
            edits.setdefault(edit.span.path, []).append(edit)
        made = {path: apply_fixes(current[path], fixes) for path, fixes in edits.items()}
        if not made:
            break
        tried = {**texts, **{path: text for path, (text, _) in made.items()}}
        before = dict(sh.texts)
        again = project.load(sh, root, vars, {path: text.encode() for path, text in tried.items()})
        after = _found(again, wanted, vars)
        if _errors(after) > _errors(found):
            sh.texts = before
            break
        texts, found, current = tried, after, again.texts
        total += sum(count for _, count in made.values())
    return found, texts, total


def _errors(diagnostics: Iterable[Diagnostic]) -> int:
    return sum(d.is_error for d in diagnostics)


def _summary(found: Sequence[Diagnostic], fixed: int, files: int) -> str:
    lines = [f"{fixed:,} fixed in {files:,} file{'s' * (files != 1)}"] if fixed else []
    count = len(found)
    lines.append(f"{count:,} finding{'s' * (count != 1)}" if count else "no findings")
    fixable = sum(d.fix is not None for d in found)
    if fixable:
        lines.append(f"{fixable:,} of them fixable with --fix")
    return "\n".join(lines)
