"""Removal of projections that output each record unchanged, such as `WITH x AS (SELECT TABLE * FROM t)`."""

from __future__ import annotations

from lsqlc.plan.expression import Field
from lsqlc.plan.nodes import Node, Project, inputs, with_inputs


def drop_identities(node: Node) -> Node:
    """Return the node without projections that change nothing."""
    node = with_inputs(node, tuple(drop_identities(part) for part in inputs(node)))
    if not isinstance(node, Project) or len(node.input.relations) != 1:
        return node
    whole = (_whole(node.key, "key"), _whole(node.value, "value"))
    below = node.input.relations[0]
    same = all(whole) and (node.key_format, node.value_format) == (below.key.format, below.value.format)
    return node.input if same else node


def _whole(expression: object, facet: str) -> bool:
    return isinstance(expression, Field) and (expression.facet, expression.path) == (facet, ())
