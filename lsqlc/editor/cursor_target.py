"""The element of a program at an offset: a topic, a query, an alias, a column, a function, a setting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lsqlc.bind.trace import TracedQuery
from lsqlc.diagnostics.source import Extent
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view_of
from lsqlc.functions import catalogue
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, FacetName, Field
from lsqlc.syntax import tree
from lsqlc.syntax.outline import NameKind

# `query` is a WITH, or a stream or table of ksqlDB.
TargetKind = Literal["topic", "query", "alias", "column", "function", "setting", "statement"]

_WORD = re.compile(r"[A-Za-z_]\w*")
_STATEMENT = frozenset(("SELECT", "STREAM", "TABLE", "INSERT", "INTO", "CREATE", "WITH"))


@dataclass(frozen=True, slots=True)
class CursorTarget:
    """The element of a program at an offset.

    `name`: without quotes. `at`: its extent in the program's text. `expression`: of a column or a computed value, over
    the input of its query, or if `grouped` over the result of the aggregation.
    """

    kind: TargetKind
    name: str
    at: Extent
    expression: Expression | None = None
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a column: a topic, or a query of the same program."""

    kind: Literal["topic", "query"]
    name: str
    facet: FacetName
    path: tuple[str, ...]


def target_in_file(snapshot: Snapshot, path: str, offset: int) -> tuple[View, CursorTarget] | None:
    """Return the element at an offset of a model's file, with the view of the model; None if there is none."""
    view = view_of(snapshot, path)
    place = view.inward(offset) if view else None
    target = target_at(view, place) if view and place is not None else None
    return (view, target) if view and target else None


def target_at(view: View, offset: int) -> CursorTarget | None:
    """Return the element at an offset of the program's text; None if there is none."""
    for kind, name in names(view):
        if _holds(name.at, offset):
            return CursorTarget(kind, view.topic_of(name.text) if kind == "topic" else name.text, name.at)
    word = _word(view.text, offset)
    if word and _is_function(view, word):
        return CursorTarget("function", view.text[slice(*word)], word, *_expression(view, offset))
    expression_match = _smallest(view, offset)
    if expression_match is not None:
        at, expression, grouped = expression_match
        label = _qualifier(view, at, offset, expression)
        if label is not None:
            return label
        return CursorTarget("column", view.text[slice(*at)], at, expression, grouped)
    if word and view.text[slice(*word)].upper() in _STATEMENT:
        return CursorTarget("statement", view.text[slice(*word)].upper(), word)
    return None


def names(view: View) -> Iterator[tuple[NameKind, tree.Name]]:
    """Yield the names in a program's statements with their kinds, in any order."""
    yield from (("setting", setting.key) for setting in view.program.settings)
    yield from view.dialect.outline().names(view.program)


def selects(view: View) -> Iterator[tuple[Extent, tuple[tree.Source, ...]]]:
    """Yield every SELECT with its sources."""
    return view.dialect.outline().selects(view.program)


def source_called(view: View, offset: int, label: str) -> tree.Source | None:
    """Return the source with this label in the query around an offset."""
    around = [(at, sources) for at, sources in selects(view) if _holds(at, offset)]
    return next((s for _, sources in around for s in sources if s.label == label), None)


def query_at(view: View, offset: int) -> TracedQuery | None:
    """Return the input of the query around an offset, as far as it could be bound."""
    return next((query for at, query in view.trace.queries.items() if _holds(at, offset)), None)


def origin(view: View, at: Extent, field: Field) -> Origin | None:
    """Return the source of the column that a field reads. `at`: the extent of the field."""
    query = query_at(view, at[0])
    if query is None or field.relation >= len(query.relations):
        return None
    leaf = _leaf(query.node, field.relation)
    if isinstance(leaf, nodes.Scan):
        return Origin("topic", leaf.topic.name, field.facet, field.path)
    if isinstance(leaf, nodes.Project):
        return Origin("query", leaf.name, field.facet, field.path)
    return None


def _leaf(node: nodes.Node, relation: int) -> nodes.Node:
    """Return the node that computes a relation."""
    while True:
        match node:
            case nodes.Join():
                width = len(node.left.relations)
                if relation < width:
                    node = node.left
                else:
                    node, relation = node.right, relation - width
            case nodes.Lateral() if relation == len(node.input.relations):
                return node
            case nodes.Scan() | nodes.Project() | nodes.Aggregate() | nodes.Union():
                return node
            case _:
                node = node.input


def _holds(at: Extent, offset: int) -> bool:
    return at[0] <= offset <= at[1]


def _word(text: str, offset: int) -> Extent | None:
    start = offset
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    match = _WORD.match(text, start)
    return match.span() if match and match.end() >= offset else None


def _is_function(view: View, word: Extent) -> bool:
    parenthesis = re.compile(r"\s*\(").match(view.text, word[1])
    name = view.text[slice(*word)]
    function = catalogue.scalar(name, view.dialect.name) or catalogue.aggregate(name, view.dialect.name)
    return parenthesis is not None and (function is not None or name.upper() in view.functions)


def _smallest(view: View, offset: int) -> tuple[Extent, Expression, bool] | None:
    holding = [(at[1] - at[0], at) for at in view.trace.expressions if _holds(at, offset)]
    if not holding:
        return None
    at = min(holding)[1]
    innermost = view.trace.expressions[at]
    return at, innermost.expression, innermost.grouped


def _expression(view: View, offset: int) -> tuple[Expression | None, bool]:
    innermost = _smallest(view, offset)
    return (innermost[1], innermost[2]) if innermost else (None, False)


def _qualifier(view: View, at: Extent, offset: int, expression: Expression) -> CursorTarget | None:
    """Return the source before a column, if the offset lies in that part."""
    if not isinstance(expression, Field):
        return None
    labels = [s.label for around, sources in selects(view) if _holds(around, at[0]) for s in sources]
    text = view.text[slice(*at)]
    for label in labels:
        for word in (label, f"`{label}`"):
            begins = text[: len(word) + 1]
            if f"{word}." in (begins, view.dialect.fold(begins)):
                end = at[0] + len(word)
                return CursorTarget("alias", label, (at[0], end)) if offset <= end else None
    return None
