"""The lint findings in models, and their fixes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, errors, order
from lsqlc.lint import LintSettings, apply_fixes, rules
from lsqlc.project.build.linting import lint_models
from lsqlc.project.workspace import Workspace, sound
from lsqlc.tasks.model_files import models_at, write_model
from lsqlc.tasks.selection import ALL_MODELS, ModelSelection, compile_selection

if TYPE_CHECKING:
    from lsqlc.diagnostics import Fix
    from lsqlc.project.build.compile import Compilation

# One fix can make way for another one; more rounds than this are none that come to an end.
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class LintRequest:
    """The findings that a command asks for.

    `selection`: the models; `paths`: files and folders of models, all if empty; `codes`: those to report, those of the
    project's settings if empty; `ignore`: those not to report, in addition to the project's; `fix`: apply and write the
    fixes; `must_compile`: models with errors are refused, and not reported as findings.
    """

    selection: ModelSelection = ALL_MODELS
    paths: tuple[Path, ...] = ()
    codes: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    fix: bool = False
    must_compile: bool = False


@dataclass(frozen=True, slots=True)
class LintResult:
    """The remaining findings, the texts of all files and of changed ones by path, and the number of edits.

    `unwritten`: a diagnostic for each file that cannot be written.
    """

    findings: tuple[Diagnostic, ...]
    texts: Mapping[str, str]
    changed: Mapping[str, str] = field(default_factory=dict)
    edits: int = 0
    unwritten: tuple[Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The remaining findings, and what could not be written."""
        return (*self.findings, *self.unwritten)


def lint_project(workspace: Workspace, request: LintRequest) -> LintResult:
    """Return all errors, and the requested findings of the selected models; with `fix`, apply and write the fixes.

    Raises LsqlcError LSQ063 for a path without a model, and for a selection without one. Raises ProjectError for models
    with errors if they must compile.
    """
    compilation = compile_selection(workspace, request.selection, plans=False)
    if request.must_compile:
        sound(compilation)
    result = LintResult(_findings(compilation, request), workspace.project.texts)
    if not request.fix:
        return result
    result = _fixed(workspace, request, result)
    unwritten = (d for path, text in result.changed.items() for d in write_model(workspace.root, path, text))
    return replace(result, unwritten=tuple(unwritten))


def check_codes(codes: Sequence[str]) -> None:
    """Raise LsqlcError LSQ065 for what is not the code of a finding."""
    help = "`lsqlc explain` lists all codes; those of findings start with LSQ8"
    wrong = [
        Diagnostic("LSQ065", f"unknown finding '{code}'", help=did_you_mean(code, rules()) or help)
        for code in codes
        if code not in rules()
    ]
    if wrong:
        raise LsqlcError(wrong)


def _findings(compilation: Compilation, request: LintRequest) -> tuple[Diagnostic, ...]:
    """Return all errors, and the requested findings of the selected models, in order of their positions."""
    wrong = [d for d in compilation.diagnostics if d.code in ("LSQ040", "LSQ041")]
    if wrong:
        raise LsqlcError(wrong)
    project = compilation.project
    models = [m for m in models_at(project, request.paths) if m.name in compilation.selected]
    settings = project.config.lint
    settings = LintSettings(request.codes or settings.select, settings.ignore | request.ignore)
    paths = {m.path for m in models}
    linted = lint_models(compilation, models)
    return order(d for d in (*compilation.diagnostics, *linted) if _is_wanted(d, settings, paths))


def _fixed(workspace: Workspace, request: LintRequest, result: LintResult) -> LintResult:
    """Apply the fixes of findings in rounds, and write nothing. A round that brings new errors is undone."""
    for _ in range(_ROUNDS):
        edits: dict[str, list[Fix]] = {}
        for edit in (d.fix for d in result.findings if d.fix):
            edits.setdefault(edit.span.path, []).append(edit)
        edited = {path: apply_fixes(result.texts[path], fixes) for path, fixes in edits.items()}
        if not edited:
            break
        changed = {**result.changed, **{path: text for path, (text, _) in edited.items()}}
        again = workspace.with_files({path: text.encode() for path, text in changed.items()})
        after = _findings(compile_selection(again, request.selection, plans=False), request)
        if len(errors(after)) > len(errors(result.findings)):
            break
        count = result.edits + sum(count for _, count in edited.values())
        result = LintResult(after, again.project.texts, changed, count)
    return result


def _is_wanted(diagnostic: Diagnostic, settings: LintSettings, paths: set[str]) -> bool:
    if diagnostic.is_error:
        return True
    return settings.wants(diagnostic.code) and (diagnostic.span is None or diagnostic.span.path in paths)
