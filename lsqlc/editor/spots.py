"""What is at a place of a program: a topic, a query that is read by name, a column, a function, a setting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lsqlc.bind.trace import TracedQuery
from lsqlc.diagnostics.source import Extent
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view
from lsqlc.functions import catalogue
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, FacetName, Field
from lsqlc.syntax import tree
from lsqlc.syntax.outline import NameKind

# `query` is a WITH, or a stream or table of ksqlDB; `element` the alias of a LATERAL.
SpotKind = Literal["topic", "query", "alias", "column", "function", "setting", "statement"]

_WORD = re.compile(r"[A-Za-z_]\w*")
_STATEMENT = frozenset(("SELECT", "STREAM", "TABLE", "INSERT", "INTO", "CREATE", "WITH"))


@dataclass(frozen=True, slots=True)
class Spot:
    """`name`: what is named, without quotes; `at`: its words in the program's text. `expression`: of a column, and of
    what is computed; over the input of its query, unless it is `grouped`.
    """

    kind: SpotKind
    name: str
    at: Extent
    expression: Expression | None = None
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a column that a query reads: a topic, or a query of the same program."""

    kind: Literal["topic", "query"]
    name: str
    facet: FacetName
    path: tuple[str, ...]


def found_at(snapshot: Snapshot, path: str, offset: int) -> tuple[View, Spot] | None:
    """What is at an offset of a model's file, and the view of it; None as in `spot_at`."""
    seen = view(snapshot, path)
    place = seen.inward(offset) if seen else None
    spot = spot_at(seen, place) if seen and place is not None else None
    return (seen, spot) if seen and spot else None


def spot_at(view: View, offset: int) -> Spot | None:
    """What is at an offset of the program's text; None if there is no answer for it."""
    for kind, name in names(view):
        if _holds(name.at, offset):
            return Spot(kind, view.topic_of(name.text) if kind == "topic" else name.text, name.at)
    word = _word(view.text, offset)
    if word and _is_function(view, word):
        return Spot("function", view.text[slice(*word)], word, *_expression(view, offset))
    found = _smallest(view, offset)
    if found is not None:
        at, expression, grouped = found
        label = _qualifier(view, at, offset, expression)
        if label is not None:
            return label
        return Spot("column", view.text[slice(*at)], at, expression, grouped)
    if word and view.text[slice(*word)].upper() in _STATEMENT:
        return Spot("statement", view.text[slice(*word)].upper(), word)
    return None


def names(view: View) -> Iterator[tuple[NameKind, tree.Name]]:
    """Yield the names of a program's statements with what each is, in no order."""
    yield from (("setting", setting.key) for setting in view.program.settings)
    yield from view.dialect.outline().names(view.program)


def selects(view: View) -> Iterator[tuple[Extent, tuple[tree.Source, ...]]]:
    """Yield every SELECT with its sources."""
    return view.dialect.outline().selects(view.program)


def source_called(view: View, offset: int, label: str) -> tree.Source | None:
    """Return the source that the query around an offset calls so."""
    around = [(at, sources) for at, sources in selects(view) if _holds(at, offset)]
    return next((s for _, sources in around for s in sources if s.label == label), None)


def query_at(view: View, offset: int) -> TracedQuery | None:
    """Return the input of the query around an offset, as far as it was bound."""
    return next((query for at, query in view.trace.queries.items() if _holds(at, offset)), None)


def origin(view: View, at: Extent, field: Field) -> Origin | None:
    """Return the origin of the column that a field of the query at an extent reads."""
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
    """Return the node that makes a relation."""
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
    found = _WORD.match(text, start)
    return found.span() if found and found.end() >= offset else None


def _is_function(view: View, word: Extent) -> bool:
    called = re.compile(r"\s*\(").match(view.text, word[1])
    name = view.text[slice(*word)]
    known = catalogue.scalar(name, view.dialect.name) or catalogue.aggregate(name, view.dialect.name)
    return called is not None and (known is not None or name.upper() in view.functions)


def _smallest(view: View, offset: int) -> tuple[Extent, Expression, bool] | None:
    holding = [(at[1] - at[0], at) for at in view.trace.expressions if _holds(at, offset)]
    if not holding:
        return None
    at = min(holding)[1]
    traced = view.trace.expressions[at]
    return at, traced.expression, traced.grouped


def _expression(view: View, offset: int) -> tuple[Expression | None, bool]:
    found = _smallest(view, offset)
    return (found[1], found[2]) if found else (None, False)


def _qualifier(view: View, at: Extent, offset: int, expression: Expression) -> Spot | None:
    """Return the source in front of a column, if the offset lies in that part of it."""
    if not isinstance(expression, Field):
        return None
    labels = [s.label for around, sources in selects(view) if _holds(around, at[0]) for s in sources]
    text = view.text[slice(*at)]
    for label in labels:
        for word in (label, f"`{label}`"):
            begins = text[: len(word) + 1]
            if f"{word}." in (begins, view.dialect.fold(begins)):
                end = at[0] + len(word)
                return Spot("alias", label, (at[0], end)) if offset <= end else None
    return None
