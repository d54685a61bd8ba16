"""What the names of a model are, for colours that a grammar cannot know: topics, queries, columns, functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, get_args

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.spots import names
from lsqlc.editor.view import View, view
from lsqlc.functions import catalogue
from lsqlc.plan.expression import Field

# The names of the protocol, in the order of its legend.
TokenKind = Literal["class", "struct", "variable", "property", "function", "parameter"]
LEGEND: tuple[TokenKind, ...] = get_args(TokenKind)
_KINDS: dict[str, TokenKind] = {"topic": "class", "query": "struct", "alias": "variable", "setting": "parameter"}
_CALLED = re.compile(r"(?<![\w.`])[A-Za-z_]\w*(?=\s*\()")
_TEXTS = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'", re.DOTALL)
_LINE = re.compile(r"[^\r\n]+")


def tokens(snapshot: Snapshot, path: str) -> tuple[tuple[Extent, TokenKind], ...]:
    """Return the names of a model's file, in order, none over another, each within a line; empty for any other file."""
    seen = view(snapshot, path)
    if seen is None:
        return ()
    found: dict[Extent, TokenKind] = {}
    for at, kind in _named(seen):
        # In a template several names of the program can come from one tag, which has no colour of its own then.
        outside = seen.outward(at)
        if seen.raw[slice(*outside)] == seen.text[slice(*at)]:
            found.setdefault(outside, kind)
    kept: list[tuple[Extent, TokenKind]] = []
    for extent, kind in sorted(found.items(), key=lambda item: (item[0][0], -item[0][1])):
        if not kept or kept[-1][0][1] <= extent[0]:
            kept.append((extent, kind))
    return tuple(
        ((extent[0] + line.start(), extent[0] + line.end()), kind)
        for extent, kind in kept
        for line in _LINE.finditer(seen.raw[slice(*extent)])
    )


def _named(seen: View) -> Iterator[tuple[Extent, TokenKind]]:
    for kind, name in names(seen):
        yield name.at, _KINDS[kind]
    for at, traced in seen.trace.expressions.items():
        # The result of an aggregate is a field too, and what stands there is a call.
        if isinstance(traced.expression, Field) and not traced.grouped:
            yield at, "property"
    for statement in seen.dialect.outline().statements(seen.program):
        for column in statement.columns:
            yield column.name_at, "property"
    masked = without_texts(seen.text)
    for call in _CALLED.finditer(masked):
        called = call[0]
        if catalogue.scalar(called, seen.dialect.name) or catalogue.aggregate(called, seen.dialect.name):
            yield call.span(), "function"


def without_texts(text: str) -> str:
    """Return the text with blanks for comments and strings, of the same length."""
    return _TEXTS.sub(lambda found: " " * len(found[0]), text)
