"""Models in the one form, comments and templates kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from lsqlc.dialects import dialect
from lsqlc.project.build.formatting import format_file, left_alone

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.project.model import Model, Project
    from lsqlc.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """A model's file: as it is, and as it should be (None: it is not formatted, or has errors)."""

    path: str
    before: str
    after: str | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def status(self) -> str:
        if self.after is None:
            return "failed" if any(d.is_error for d in self.diagnostics) else "skipped"
        return "unchanged" if self.after == self.before else "formatted"

    @property
    def patch(self) -> str:
        """The change as a unified diff; empty if there is none."""
        lines = unified_diff(
            self.before.splitlines(keepends=True),
            (self.after or "").splitlines(keepends=True),
            f"a/{self.path}",
            f"b/{self.path}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def formatted(workspace: Workspace, models: Iterable[Model]) -> list[FormattedFile]:
    """Format the files of some models, and return them in order of their paths. Nothing is written. A template that
    would render to another program is not formatted.
    """
    project = workspace.project
    files = [_formatted(project, model) for model in sorted(models, key=lambda m: m.path)]
    before = {m.path: m.text for m in project.models if m.text is not None and m.text is not m.raw}
    changed = {f.path: f.after.encode() for f in files if f.after and f.status == "formatted" and f.path in before}
    if not changed:
        return files
    languages = {m.path: dialect(m.dialect) for m in project.models}
    after = {m.path: m.text or "" for m in workspace.with_files(changed).project.models}
    result = []
    for file in files:
        language = languages[file.path]
        program = language.parse(before[file.path], file.path).program if file.path in changed else None
        if program is None or language.formatting.is_same(program, after[file.path]):
            result.append(file)
        else:
            reason = left_alone(file.path, "its template would render to a different program")
            result.append(FormattedFile(file.path, file.before, None, (reason,)))
    return result


def _formatted(project: Project, model: Model) -> FormattedFile:
    outcome = format_file(model, project.diagnostics)
    return FormattedFile(model.path, model.raw, outcome.text, outcome.diagnostics)
