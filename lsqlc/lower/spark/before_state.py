"""Making a plan divisible into stages: the input of a stateful operator is one relation with the columns it needs.

An internal topic contains records with one key and one value. So a join that is the direct input of an aggregate or a
rekeying gets a projection in between.
"""

from __future__ import annotations

from msgspec.structs import replace

from lsqlc.plan import nodes
from lsqlc.plan.expression import Call, Expression, Field, StructOf


def narrowed(node: nodes.Node) -> nodes.Node:
    """Return the same node with such projections."""
    node = nodes.with_inputs(node, tuple(narrowed(part) for part in nodes.inputs(node)))
    if isinstance(node, nodes.Aggregate) and len(node.input.relations) > 1:
        return _aggregate(node)
    if isinstance(node, nodes.Rekey) and isinstance(node.input, nodes.Project) and len(node.input.input.relations) > 1:
        return replace(node, input=_rekeyed(node.input))
    return node


def _identity(node: nodes.Node) -> Expression:
    """Return the key of a joined row: that of the side that is not null."""
    keys = [Field(i, "key", (), r.key.type, True) for i, r in enumerate(node.relations)]
    return Call("COALESCE", tuple(keys[:2]), keys[0].type, True) if keys[0].type == keys[1].type else keys[0]


def _between(node: nodes.Node, values: tuple[Expression, ...]) -> tuple[nodes.Project, tuple[Field, ...]]:
    """Return a projection of these values, and a reference to each."""
    names = tuple(f"x{i}" for i in range(len(values)))
    project = nodes.Project(node, _identity(node), StructOf(names, values), "json", "json", False, "")
    return project, tuple(Field(0, "value", (n,), v.type, v.nullable) for n, v in zip(names, values, strict=True))


def _aggregate(node: nodes.Aggregate) -> nodes.Aggregate:
    arguments = tuple(a for call in node.aggregates for a in call.arguments[:1])
    project, fields = _between(node.input, (*node.keys, *arguments))
    keys, rest = fields[: len(node.keys)], iter(fields[len(node.keys) :])
    calls = tuple(
        replace(call, arguments=(next(rest), *call.arguments[1:])) if call.arguments else call
        for call in node.aggregates
    )
    return replace(node, input=project, keys=keys, aggregates=calls)


def _rekeyed(project: nodes.Project) -> nodes.Project:
    below, (key, value) = _between(project.input, (project.key, project.value))
    return replace(project, input=below, key=key, value=value)
