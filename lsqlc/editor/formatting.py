"""Formatting of a model's file, as `lsqlc fmt` does it."""

from __future__ import annotations

from lsqlc.dialects import dialect
from lsqlc.editor.snapshot import Snapshot
from lsqlc.project.build.formatting import format_file
from lsqlc.project.workspace import ProjectError, open_workspace


def format_model(snapshot: Snapshot, path: str) -> str | None:
    """Return the format_model text of a model; None if it does not change.

    A model with errors is not changed, nor a template that would render to another program.
    """
    compilation = snapshot.compilation
    model = next((m for m in compilation.project.models if m.path == path), None) if compilation else None
    if compilation is None or model is None:
        return None
    text = format_file(model, compilation.project.diagnostics).text
    if text is None or text == model.raw:
        return None
    if model.text is None or model.text == model.raw:
        return text
    contents = {p: t.encode("utf-8", "surrogatepass") for p, t in {**snapshot.opened, path: text}.items()}
    outside = snapshot.surroundings
    try:
        again = open_workspace(
            snapshot.root, vars=outside.vars, environment=outside.environment, contents=contents
        ).project
    except ProjectError:
        # The unsaved project file cannot be read.
        return None
    after = next((m.text for m in again.models if m.path == path), None)
    language = dialect(model.dialect)
    program = language.parse(model.text, path).program
    is_same = after is not None and program is not None and language.formatting.is_same(program, after)
    return text if is_same else None
