"""`lsqlc fmt`: models in the one form, comments and templates kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.project.model import Model, Project


@dataclass(frozen=True, slots=True)
class _File:
    """A model's file: as it is, and as it should be (None: it is left alone, or has errors)."""

    path: str
    before: str
    after: str | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def status(self) -> str:
        if self.after is None:
            return "failed" if any(d.is_error for d in self.diagnostics) else "skipped"
        return "unchanged" if self.after == self.before else "formatted"


def command(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATHS]...", help="Files and folders of models.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="As --check, and print what would change.")] = False,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Format the models; without PATHS, all of them.

    A file with errors is not formatted and its errors are shown; a template that cannot be formatted around its tags is
    skipped. A second run changes nothing.
    """
    with shell("fmt", output, quiet) as sh:
        from lsqlc.cli.paths import models_at, write_model
        from lsqlc.diagnostics import order

        root = project.find(sh, project_dir)
        given = project.variables(sh, vars)
        loaded = project.load(sh, root, given)
        files = [_formatted(loaded, model) for model in sorted(models_at(loaded, paths), key=lambda m: m.path)]
        files = _rendered_alike(sh, root, given, loaded, files)
        found = order(d for file in files for d in file.diagnostics)
        changed = [file for file in files if file.status == "formatted"]
        problems = (
            ()
            if check or diff
            else tuple(d for file in changed for d in write_model(root, file.path, file.after or ""))
        )
        sh.show((*found, *problems))
        failed = problems or any(d.is_error for d in found) or ((check or diff) and changed)
        if sh.json:
            sh.document(_data(files, (*found, *problems), ok=not failed, diff=diff))
        elif diff:
            sh.result("".join(_patch(file) for file in changed))
        sh.say("\n".join(_summary(files, would=check or diff)))
        if failed:
            raise typer.Exit(1)


def _formatted(loaded: Project, model: Model) -> _File:
    from lsqlc.project.build.formatting import format_file

    formatted = format_file(model, loaded.diagnostics)
    return _File(model.path, model.raw, formatted.text, formatted.diagnostics)


def _rendered_alike(sh: Shell, root: Path, vars: Mapping[str, Any], loaded: Project, files: list[_File]) -> list[_File]:
    """The same files; those of templates that would render to another program are left alone."""
    from lsqlc.dialects import dialect
    from lsqlc.project.build.formatting import left_alone

    before = {m.path: m.text for m in loaded.models if m.text is not None and m.text is not m.raw}
    changed = {f.path: f.after.encode() for f in files if f.after and f.status == "formatted" and f.path in before}
    if not changed:
        return files
    languages = {m.path: dialect(m.dialect) for m in loaded.models}
    texts = dict(sh.texts)
    after = {m.path: m.text or "" for m in project.load(sh, root, vars, changed).models}
    sh.texts = texts
    result = []
    for file in files:
        language = languages[file.path]
        program = language.parse(before[file.path], file.path).program if file.path in changed else None
        if program is None or language.formatting.is_same(program, after[file.path]):
            result.append(file)
        else:
            said = left_alone(file.path, "its template would render to a different program")
            result.append(_File(file.path, file.before, None, (said,)))
    return result


def _patch(file: _File) -> str:
    lines = unified_diff(
        file.before.splitlines(keepends=True),
        (file.after or "").splitlines(keepends=True),
        f"a/{file.path}",
        f"b/{file.path}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _summary(files: list[_File], *, would: bool) -> list[str]:
    lines = [f"{'would format' if would else 'formatted'} {file.path}" for file in files if file.status == "formatted"]
    words = {
        "formatted": "would be formatted" if would else "formatted",
        "unchanged": "unchanged",
        "skipped": "not formatted",
        "failed": "in error",
    }
    count = {status: sum(file.status == status for file in files) for status in words}
    said = [f"{count[status]:,} {word}" for status, word in words.items() if count[status]]
    return [*lines, f"{len(files):,} file{'s' * (len(files) != 1)}" + (f": {', '.join(said)}" if said else "")]


def _data(files: list[_File], found: tuple[Diagnostic, ...], *, ok: bool, diff: bool) -> dict[str, Any]:
    from lsqlc.report.json_report import diagnostic_data

    rows = [
        {"path": f.path, "status": f.status, "diff": _patch(f) if diff and f.status == "formatted" else None}
        for f in files
    ]
    said = [diagnostic_data(d) for d in found]
    return {"version": 1, "command": "fmt", "ok": ok, "files": rows, "diagnostics": said}
