"""The files of the verbs that change them: which models are at PATHS, and how a model is written."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project import files
from lsqlc.project.model import Model, Project


def models_at(project: Project, paths: Sequence[Path] | None) -> tuple[Model, ...]:
    """Return the models of some files and folders; all without paths. Raises LsqlcError LSQ063 for a path without a
    model.
    """
    if not paths:
        return project.models
    root = project.root.resolve()
    selection: dict[str, Model] = {}
    wrong = []
    for path in paths:
        there = path.resolve()
        models = [m for m in project.models if there in ((root / m.path), *(root / m.path).parents)]
        if not models:
            help = "give a model's file, or a folder with models; `lsqlc ls` lists them"
            wrong.append(Diagnostic("LSQ063", f"no model at '{path}'", help=help))
        selection.update((m.path, m) for m in models)
    if wrong:
        raise LsqlcError(wrong)
    return tuple(m for m in project.models if m.path in selection)


def write_model(root: Path, path: str, text: str) -> tuple[Diagnostic, ...]:
    """Write a model whole or not at all, with the mode and the byte order mark that its file has."""
    # A link stays one: what it leads to lies in the project, or the file would not have been read.
    there = (root / path).resolve()
    try:
        mark = codecs.BOM_UTF8 if there.read_bytes().startswith(codecs.BOM_UTF8) else b""
        files.replace(there, mark + text.encode(), there.stat().st_mode)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return (Diagnostic("LSQ043", f"cannot write '{path}': {reason}", help="make the file writable"),)
    return ()
