"""Move conditions below a join, to the side that they read, so that fewer records reach it.

A condition of WHERE may move below a join on a side that the join preserves, or on both of an inner one: on the
optional side it would turn a dropped row into an unmatched one. A condition of ON on the side that may be missing is
a filter of that side; on the side that the join preserves it never is (docs/reference/lenses.md, "Joins").
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
    """Return the same node with every condition as low as it may be."""
    if isinstance(node, Filter) and isinstance(node.input, Project):
        node = _below_columns(node, node.input)
    if isinstance(node, Filter) and isinstance(node.input, Join):
        node = _where(node, node.input)
    if isinstance(node, Join):
        node = _on(node)
    return with_inputs(node, tuple(push_filters(part) for part in inputs(node)))


def _below_columns(filter: Filter, columns: Project) -> Node:
    """Return the conditions on columns that a join of TABLEs has as they are, right above that join."""
    inner = columns.input
    known = conjuncts(inner.condition) if isinstance(inner, Filter) else ()
    below = inner.input if isinstance(inner, Filter) else inner
    if not isinstance(below, Join) or columns.semantics != "TABLE":
        return filter
    moved: list[Expression] = []
    stay: list[Expression] = []
    for part in conjuncts(filter.condition):
        read = {field: _made(field, columns) for field in walk(part) if isinstance(field, Field)}
        if all(isinstance(made, Field) for made in read.values()):
            moved.append(rewrite(part, partial(_replaced, made=read)))
        else:
            stay.append(part)
    condition = conjunction((*known, *moved))
    if condition is None or not moved:
        return filter
    lower = replace(columns, input=Filter(below, condition))
    rest = conjunction(tuple(stay))
    return lower if rest is None else Filter(lower, rest)


def _replaced(part: Expression, made: Mapping[Field, Expression | None]) -> Expression:
    return (made.get(part) if isinstance(part, Field) else None) or part


def _made(field: Field, columns: Project) -> Expression | None:
    """What a column of a projection is made of; None for what is no column."""
    made: Expression = columns.key if field.facet == "key" else columns.value
    for number, name in enumerate(field.path):
        if isinstance(made, Field):
            return replace(made, path=(*made.path, *field.path[number:]), type=field.type, nullable=field.nullable)
        if not isinstance(made, StructOf) or name not in made.names:
            return None
        made = made.values[made.names.index(name)]
    return made


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
    moved = replace(join, left=_filtered(join.left, lower[0]), right=_filtered(join.right, lower[1]))
    condition = conjunction(tuple(stay))
    return moved if condition is None else Filter(moved, condition)


def _on(join: Join) -> Join:
    if join.left_condition is not None and join.kind in ("INNER", "RIGHT"):
        join = replace(join, left=_filtered(join.left, [join.left_condition]), left_condition=None)
    if join.right_condition is not None and join.kind in ("INNER", "LEFT"):
        join = replace(join, right=_filtered(join.right, [join.right_condition]), right_condition=None)
    return join


def _filtered(node: Node, parts: list[Expression]) -> Node:
    """Return a filter above the node; below its repartition, where fewer records then move."""
    condition = conjunction(tuple(parts))
    if condition is None:
        return node
    if isinstance(node, Repartition):
        return replace(node, input=Filter(node.input, condition))
    return Filter(node, condition)
