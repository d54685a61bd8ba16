"""Make each scan ask for what the query uses of its topic, and no more: projections on the way lose what nobody reads.

The whole key of a TABLE is always used: it tells the rows apart.
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

# Facet and path, by the number of the relation that they are read from.
Use = tuple[str, Path]
Uses = dict[int, set[Use]]

_ALL: frozenset[Use] = frozenset({("key", ()), ("value", ())})


def prune_scans(node: Node) -> Node:
    """Return the same node over pruned scans."""
    return _prune(node, {number: set(_ALL) for number in range(len(node.relations))})


def _prune(node: Node, used: Uses) -> Node:
    """`used`: what the consumers read of the node's relations."""
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
        # Conditions and equalities of a side speak of its own relations.
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
    """Without the fields of the value that no consumer reads; one stays, since a value of no field is none."""
    fields = [path[0] if path else None for facet, path in used if facet == "value"]
    if None in fields or not isinstance(project.value, StructOf):
        return project
    names = project.value.names
    kept = [i for i, name in enumerate(names) if name in fields] or [0]
    value = StructOf(tuple(names[i] for i in kept), tuple(project.value.values[i] for i in kept))
    return replace(project, value=value)


def _scan(scan: Scan, used: set[Use]) -> Scan:
    key, value = ([path for facet, path in used if facet == which] for which in ("key", "value"))
    event_time = scan.topic.event_time
    if event_time:
        value.append(tuple(event_time.split(".")))
    if scan.topic.files and not value:
        value = [(free_column(scan.topic),)]
    keep_key = scan.semantics == "TABLE" or not key
    placed = {(), *((f.name,) for f in PLACES)}
    return replace(
        scan,
        places=scan.places and not placed.isdisjoint(value),
        headers=tuple(h for h in scan.headers if any(path[:1] in ((), (h.name,)) for path in value)),
        key=scan.key if keep_key else replace(scan.key, type=prune(scan.key.type, key)),
        value=replace(scan.value, type=prune(scan.value.type, value)),
    )


def _own(node: Node) -> Uses:
    """What the node's own expressions read; a join's are its sides' affair."""
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
            # Each field tells as much.
            yield whole.relation, (whole.facet, (first.name,))
        case Field():
            yield expression.relation, (expression.facet, expression.path)
        case _:
            for part in children(expression):
                yield from _read(part)
