"""Signature help: the function call around an offset, and its active argument."""

from __future__ import annotations

from lsqlc.editor.answers import Call
from lsqlc.editor.signatures import function_named, parameter_names, signature
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.statements import Statement, Word, statement_at
from lsqlc.editor.view import view_of


def call_at(snapshot: Snapshot, path: str, offset: int) -> Call | None:
    """Return the innermost call around an offset of a model; None outside of calls of known functions."""
    view = view_of(snapshot, path)
    place = view.inward(offset) if view else None
    if view is None or place is None:
        return None
    open_call = _open_call(statement_at(view.text, place, view.dialect.keywords()))
    if open_call is None:
        return None
    name, number = open_call
    function = function_named(name.text, view.dialect.name)
    if function is None:
        return None
    names = parameter_names(function)
    active = min(number, len(names) - 1) if names else 0
    return Call(signature(function), function.doc, names, active)


def _open_call(statement: Statement) -> tuple[Word, int] | None:
    """Return the function name before the last open parenthesis, and the number of commas after it."""
    depth = commas = 0
    for number in range(len(statement.before) - 1, -1, -1):
        word = statement.before[number]
        if word.kind != "mark":
            continue
        if word.text in (")", "]"):
            depth += 1
        elif word.text in ("(", "["):
            if depth == 0:
                name = statement.before[number - 1] if number and word.text == "(" else None
                return (name, commas) if name and name.kind == "word" else None
            depth -= 1
        elif word.text == "," and depth == 0:
            commas += 1
    return None
