"""Semantic tokens: topics, queries, columns and functions, which a grammar cannot distinguish."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, get_args

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.cursor_target import names
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view_of
from lsqlc.functions import catalogue
from lsqlc.plan.expression import Field

# Token types of the protocol, in the order of the legend.
TokenKind = Literal["class", "struct", "variable", "property", "function", "parameter"]
LEGEND: tuple[TokenKind, ...] = get_args(TokenKind)
_KINDS: dict[str, TokenKind] = {"topic": "class", "query": "struct", "alias": "variable", "setting": "parameter"}
_CALLED = re.compile(r"(?<![\w.`])[A-Za-z_]\w*(?=\s*\()")
_TEXTS = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'", re.DOTALL)
_LINE = re.compile(r"[^\r\n]+")


def tokens(snapshot: Snapshot, path: str) -> tuple[tuple[Extent, TokenKind], ...]:
    """Return the tokens of a model's file: in order, disjoint, each on one line; empty for other files."""
    view = view_of(snapshot, path)
    if view is None:
        return ()
    kinds: dict[Extent, TokenKind] = {}
    for at, kind in _named(view):
        # One tag of a template can produce several names. Such a tag has no token.
        outside = view.outward(at)
        if view.raw[slice(*outside)] == view.text[slice(*at)]:
            kinds.setdefault(outside, kind)
    disjoint: list[tuple[Extent, TokenKind]] = []
    for extent, kind in sorted(kinds.items(), key=lambda item: (item[0][0], -item[0][1])):
        if not disjoint or disjoint[-1][0][1] <= extent[0]:
            disjoint.append((extent, kind))
    return tuple(
        ((extent[0] + line.start(), extent[0] + line.end()), kind)
        for extent, kind in disjoint
        for line in _LINE.finditer(view.raw[slice(*extent)])
    )


def _named(view: View) -> Iterator[tuple[Extent, TokenKind]]:
    for kind, name in names(view):
        yield name.at, _KINDS[kind]
    for at, expression in view.trace.expressions.items():
        # The result of an aggregate is a field too, but its text is a call.
        if isinstance(expression.expression, Field) and not expression.grouped:
            yield at, "property"
    for statement in view.dialect.outline().statements(view.program):
        for column in statement.columns:
            yield column.name_at, "property"
    masked = without_texts(view.text)
    for call in _CALLED.finditer(masked):
        if catalogue.scalar(call[0], view.dialect.name) or catalogue.aggregate(call[0], view.dialect.name):
            yield call.span(), "function"


def without_texts(text: str) -> str:
    """Return the text with comments and strings replaced by blanks of the same length."""
    return _TEXTS.sub(lambda match: " " * len(match[0]), text)
