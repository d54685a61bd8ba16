"""The models of an import as a project that compiles: what does not is taken out, with what the compiler says of it.

Models are compiled together, as they will be. One that fails is taken out and the others are compiled again, since each
declares what it reads and can stand without the others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lsqlc.diagnostics import Diagnostic
from lsqlc.imports.imported import UNSUPPORTED, ImportedModel
from lsqlc.project.build.compile import Compilation
from lsqlc.project.workspace import open_workspace


def compiled_models(
    models: Sequence[ImportedModel], files: Mapping[str, str]
) -> tuple[tuple[ImportedModel, ...], Compilation | None]:
    """The models with what the compiler says, and the project of those that compile; None where there is none. `files`:
    the project's others, by path.
    """
    kept = {m.path: m for m in models}
    refused: dict[str, ImportedModel] = {}
    compilation: Compilation | None = None
    while kept:
        compilation = compiled({**files, **{path: m.text for path, m in kept.items()}})
        said = _by_path(compilation)
        failed = [path for path in kept if any(d.is_error for d in said.get(path, ()))]
        if not failed:
            kept = {path: _judged(m, said.get(path, ()), compilation) for path, m in kept.items()}
            break
        for path in failed:
            refused[path] = _refused(kept.pop(path), said[path])
    found = {**kept, **refused}
    return tuple(found[m.path] for m in models), compilation if kept else None


def compiled(files: Mapping[str, str]) -> Compilation:
    """The project of some files, by path."""
    with tempfile.TemporaryDirectory(prefix="lsqlc-import-") as folder:
        root = Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8", newline="\n")
        return open_workspace(root).compilation


def _by_path(compilation: Compilation) -> Mapping[str, tuple[Diagnostic, ...]]:
    found: dict[str, tuple[Diagnostic, ...]] = {}
    for diagnostic in compilation.diagnostics:
        if diagnostic.span is not None:
            found[diagnostic.span.path] = (*found.get(diagnostic.span.path, ()), diagnostic)
    return found


def _judged(model: ImportedModel, said: Sequence[Diagnostic], compilation: Compilation) -> ImportedModel:
    outputs = compilation.models[model.name].outputs
    return replace(model, writes=tuple(t.name for t in outputs), diagnostics=tuple(said))


def _refused(model: ImportedModel, said: Sequence[Diagnostic]) -> ImportedModel:
    """The model outside of the project, with its errors at their places in that file."""
    path = f"{UNSUPPORTED}/{Path(model.path).name}"
    moved = (replace(d, span=replace(d.span, path=path) if d.span else None, fix=None) for d in said)
    return replace(model, path=path, diagnostics=tuple(moved))
