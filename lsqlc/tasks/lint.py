"""The lint findings in models, and their fixes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, errors, order
from lsqlc.lint import LintSettings, apply_fixes, rules
from lsqlc.project.build.linting import lint_models
from lsqlc.tasks.model_files import models_at

if TYPE_CHECKING:
    from lsqlc.diagnostics import Fix
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace

# One fix can make way for another one; more rounds than this are none that come to an end.
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested findings.

    `paths`: files and folders of models, all if empty; `codes`: those to report, those of the project's settings if
    empty; `ignore`: those not to report, in addition to the project's.
    """

    paths: tuple[Path, ...] = ()
    codes: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Fixed:
    """The result of fixes: the remaining findings, the texts of all files and of changed ones by path, and the number
    of edits.
    """

    found: tuple[Diagnostic, ...]
    texts: Mapping[str, str]
    changed: Mapping[str, str] = field(default_factory=dict)
    edits: int = 0


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


def findings(compilation: Compilation, request: Wanted) -> tuple[Diagnostic, ...]:
    """Return all errors, and the requested findings of the selected models, in order of their positions.

    Raises LsqlcError LSQ063 for a path without a model, and for a selection without one.
    """
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


def fixed(
    workspace: Workspace, diagnostics: tuple[Diagnostic, ...], look: Callable[[Workspace], tuple[Diagnostic, ...]]
) -> Fixed:
    """Apply the fixes of some findings of a project in rounds, and write nothing. A round that brings new errors is
    undone. `look`: returns the findings of a project.
    """
    result = Fixed(diagnostics, workspace.project.texts)
    for _ in range(_ROUNDS):
        edits: dict[str, list[Fix]] = {}
        for edit in (d.fix for d in result.found if d.fix):
            edits.setdefault(edit.span.path, []).append(edit)
        edited = {path: apply_fixes(result.texts[path], fixes) for path, fixes in edits.items()}
        if not edited:
            break
        changed = {**result.changed, **{path: text for path, (text, _) in edited.items()}}
        again = workspace.with_files({path: text.encode() for path, text in changed.items()})
        after = look(again)
        if len(errors(after)) > len(errors(result.found)):
            break
        result = Fixed(after, again.project.texts, changed, result.edits + sum(count for _, count in edited.values()))
    return result


def _is_wanted(diagnostic: Diagnostic, settings: LintSettings, paths: set[str]) -> bool:
    if diagnostic.is_error:
        return True
    return settings.wants(diagnostic.code) and (diagnostic.span is None or diagnostic.span.path in paths)
