"""Column pruning: each scan reads only the columns that the query uses, and projections drop unused columns.

The whole key of a TABLE is always used, because it identifies rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from lsqlc.plan.expression import Aggregation, Expression, Field, Operation, StructOf, children
from lsqlc.plan.nodes import (
    PLACES,
    Aggregate,
    Join,
    Lateral,
    Node,
    Project,
    Scan,
    inputs,
    with_inputs,
)
from lsqlc.scan.file_topics import free_column
from lsqlc.scan.prune import Path, prune
from lsqlc.types.data import Struct

# Facet and path, by relation number.
Use = tuple[str, Path]
Uses = dict[int, set[Use]]

_ALL: frozenset[Use] = frozenset({("key", ()), ("value", ())})


def prune_scans(node: Node) -> Node:
    """Return the node with pruned scans."""
    return _prune(node, {number: set(_ALL) for number in range(len(node.relations))})


def _prune(node: Node, used: Uses) -> Node:
    """Prune a node. `used`: the parts of its relations that nodes above read."""
    if isinstance(node, Scan):
        return _scan(node, used.get(0, set()))
    if isinstance(node, Project):
        node = _narrowed(node, used.get(0, set()))
    below = _own(node)
    if not isinstance(node, Project | Aggregate):
        for number, paths in used.items():
            below.setdefault(number, set()).update(paths)
    if isinstance(node, Join):
        width = len(node.left.relations)
        # Conditions and equalities of a side refer to its own relations.
        left = {n: p for n, p in below.items() if n < width}
        right = {n - width: p for n, p in below.items() if n >= width}
        for condition in (node.left_condition, *(a for a, _ in node.equalities)):
            _gather(condition, left)
        for condition in (node.right_condition, *(b for _, b in node.equalities)):
            _gather(condition, right)
        return replace(node, left=_prune(node.left, left), right=_prune(node.right, right))
    if isinstance(node, Lateral):
        below.pop(len(node.input.relations), None)
    return with_inputs(node, tuple(_prune(part, below) for part in inputs(node)))


def _narrowed(project: Project, used: set[Use]) -> Project:
    """Remove the unused fields of the value. One field stays, because a value without fields is not valid."""
    fields = [path[0] if path else None for facet, path in used if facet == "value"]
    if None in fields or not isinstance(project.value, StructOf):
        return project
    names = project.value.names
    indexes = [i for i, name in enumerate(names) if name in fields] or [0]
    value = StructOf(tuple(names[i] for i in indexes), tuple(project.value.values[i] for i in indexes))
    return replace(project, value=value)


def _scan(scan: Scan, used: set[Use]) -> Scan:
    key, value = ([path for facet, path in used if facet == which] for which in ("key", "value"))
    event_time = scan.topic.event_time
    if event_time:
        value.append(tuple(event_time.split(".")))
    if scan.topic.files and not value:
        value = [(free_column(scan.topic),)]
    keep_key = scan.semantics == "TABLE" or not key
    position_paths = {(), *((f.name,) for f in PLACES)}
    return replace(
        scan,
        places=scan.places and not position_paths.isdisjoint(value),
        headers=tuple(h for h in scan.headers if any(path[:1] in ((), (h.name,)) for path in value)),
        key=scan.key if keep_key else replace(scan.key, type=prune(scan.key.type, key)),
        value=replace(scan.value, type=prune(scan.value.type, value)),
    )


def _own(node: Node) -> Uses:
    """Return the uses of the node's own expressions. Those of a join belong to its sides."""
    uses: Uses = {}
    if not isinstance(node, Join):
        for name in node.__struct_fields__:
            _gather(getattr(node, name), uses)
    return uses


def _gather(value: object, uses: Uses) -> None:
    if isinstance(value, tuple):
        for part in value:
            _gather(part, uses)
    elif isinstance(value, Aggregation):
        _gather(value.arguments, uses)
    elif isinstance(value, Expression):
        for relation, use in _read(value):
            uses.setdefault(relation, set()).add(use)


def _read(expression: Expression) -> Iterator[tuple[int, Use]]:
    match expression:
        case Operation("IS NULL" | "IS NOT NULL", (Field(path=(), type=Struct((first, *_))) as whole,)):
            # Any field tells whether the struct is null.
            yield whole.relation, (whole.facet, (first.name,))
        case Field():
            yield expression.relation, (expression.facet, expression.path)
        case _:
            for part in children(expression):
                yield from _read(part)
