"""Predicate pushdown: conditions move below a join, to the side that they read, to reduce its input.

A condition of WHERE may move to a side that the join preserves; for an INNER join, to both sides. On the optional side
it would turn a dropped row into an unmatched one. A condition of ON filters the optional side. It never filters the
preserved side (docs/reference/lenses.md, "Joins").
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from lsqlc.plan.expression import (
    Expression,
    Field,
    StructOf,
    conjunction,
    conjuncts,
    relations_of,
    rewrite,
    shift,
    walk,
)
from lsqlc.plan.nodes import Filter, Join, Node, Project, Repartition, inputs, with_inputs


def push_filters(node: Node) -> Node:
    """Return the node with every condition as low as possible."""
    if isinstance(node, Filter) and isinstance(node.input, Project):
        node = _below_columns(node, node.input)
    if isinstance(node, Filter) and isinstance(node.input, Join):
        node = _where(node, node.input)
    if isinstance(node, Join):
        node = _on(node)
    return with_inputs(node, tuple(push_filters(part) for part in inputs(node)))


def _below_columns(filter: Filter, columns: Project) -> Node:
    """Move conditions on unchanged columns of a TABLE join from above the projection to directly above the join."""
    inner = columns.input
    inner_conditions = conjuncts(inner.condition) if isinstance(inner, Filter) else ()
    below = inner.input if isinstance(inner, Filter) else inner
    if not isinstance(below, Join) or columns.semantics != "TABLE":
        return filter
    lowered_conditions: list[Expression] = []
    stay: list[Expression] = []
    for part in conjuncts(filter.condition):
        read = {field: projected(field, columns) for field in walk(part) if isinstance(field, Field)}
        if all(isinstance(source, Field) for source in read.values()):
            lowered_conditions.append(rewrite(part, partial(_replaced, sources=read)))
        else:
            stay.append(part)
    condition = conjunction((*inner_conditions, *lowered_conditions))
    if condition is None or not lowered_conditions:
        return filter
    lower = replace(columns, input=Filter(below, condition))
    rest = conjunction(tuple(stay))
    return lower if rest is None else Filter(lower, rest)


def _replaced(part: Expression, sources: Mapping[Field, Expression | None]) -> Expression:
    return (sources.get(part) if isinstance(part, Field) else None) or part


def projected(field: Field, columns: Project) -> Expression | None:
    """Return the expression of a projection's column; None for other fields, such as a whole facet."""
    source: Expression = columns.key if field.facet == "key" else columns.value
    for number, name in enumerate(field.path):
        if isinstance(source, Field):
            return replace(source, path=(*source.path, *field.path[number:]), type=field.type, nullable=field.nullable)
        if not isinstance(source, StructOf) or name not in source.names:
            return None
        source = source.values[source.names.index(name)]
    return source


def _where(filter: Filter, join: Join) -> Node:
    width = len(join.left.relations)
    lower: tuple[list[Expression], list[Expression]] = ([], [])
    stay: list[Expression] = []
    for part in conjuncts(filter.condition):
        sides = {number >= width for number in relations_of(part)}
        if sides == {False} and join.kind in ("INNER", "LEFT"):
            lower[0].append(part)
        elif sides == {True} and join.kind in ("INNER", "RIGHT"):
            lower[1].append(shift(part, -width))
        else:
            stay.append(part)
    lowered_join = replace(join, left=_filtered(join.left, lower[0]), right=_filtered(join.right, lower[1]))
    condition = conjunction(tuple(stay))
    return lowered_join if condition is None else Filter(lowered_join, condition)


def _on(join: Join) -> Join:
    if join.left_condition is not None and join.kind in ("INNER", "RIGHT"):
        join = replace(join, left=_filtered(join.left, [join.left_condition]), left_condition=None)
    if join.right_condition is not None and join.kind in ("INNER", "LEFT"):
        join = replace(join, right=_filtered(join.right, [join.right_condition]), right_condition=None)
    return join


def _filtered(node: Node, parts: list[Expression]) -> Node:
    """Return a filter above the node. It goes below a repartition, which then moves fewer records."""
    condition = conjunction(tuple(parts))
    if condition is None:
        return node
    if isinstance(node, Repartition):
        return replace(node, input=Filter(node.input, condition))
    return Filter(node, condition)
