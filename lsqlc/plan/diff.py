"""Comparison of two plans, node by node: added, removed and altered nodes, in the order of the tree.

Two nodes are equal if they do the same to their input. White space, comments and aliases are no changes. A change
affects its own node, not the nodes above.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from lsqlc.plan import nodes
from lsqlc.plan.fingerprint import own_fingerprint
from lsqlc.plan.plan import Plan
from lsqlc.plan.printing import node_text, sink_text

Kind = Literal["same", "added", "removed", "altered"]


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A node of a plan without its inputs: its depth, class, own fingerprint, and text."""

    depth: int
    node: str
    fingerprint: str
    text: str


@dataclass(frozen=True, slots=True)
class NodeChange:
    """The change of one node.

    `before` is None for `added`, `after` for `removed`. `depth`: in the newer plan, for `removed` in the older one. The
    texts of an altered node can be equal, because they omit details.
    """

    kind: Kind
    depth: int
    before: str | None
    after: str | None


def outline(plan: Plan) -> tuple[OutlineNode, ...]:
    """Return the settings and the nodes of a plan, from the sinks to the scans."""
    outline_nodes = [OutlineNode(0, "Set", f"{name}={value}", f"set {name} = {value}") for name, value in plan.settings]
    for sink in plan.sinks:
        outline_nodes.append(OutlineNode(0, "Sink", own_fingerprint(sink), sink_text(sink)))
        for node in sink.inputs:
            outline_nodes += _outline(node, 1)
    return tuple(outline_nodes)


def plan_changes(old: tuple[OutlineNode, ...], new: tuple[OutlineNode, ...]) -> tuple[NodeChange, ...]:
    """Return all nodes of both plans with their changes. Nodes with `same` give the tree its shape."""
    changes: list[NodeChange] = []
    before, after = ([(n.node, n.fingerprint) for n in nodes] for nodes in (old, new))
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            changes += [NodeChange("same", n.depth, o.text, n.text) for o, n in zip(old[a:b], new[c:d], strict=True)]
        else:
            changes += _replaced(old[a:b], new[c:d])
    return tuple(changes)


def _outline(node: nodes.Node, depth: int) -> list[OutlineNode]:
    outline_nodes = [OutlineNode(depth, type(node).__name__, own_fingerprint(node), node_text(node))]
    for part in nodes.inputs(node):
        outline_nodes += _outline(part, depth + 1)
    return outline_nodes


def _replaced(old: tuple[OutlineNode, ...], new: tuple[OutlineNode, ...]) -> list[NodeChange]:
    """Pair nodes of the same class as altered. The others are added or removed."""
    changes: list[NodeChange] = []
    matcher = SequenceMatcher(None, [n.node for n in old], [n.node for n in new], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(old[a:b], new[c:d], strict=True)
            changes += [NodeChange("altered", n.depth, o.text, n.text) for o, n in pairs]
        else:
            changes += [NodeChange("removed", n.depth, n.text, None) for n in old[a:b]]
            changes += [NodeChange("added", n.depth, None, n.text) for n in new[c:d]]
    return changes
