"""Two plans compared, node by node: what was added, removed or altered, in the order of the tree.

Nodes are the same if they do the same to whatever feeds them, whatever a query calls its sources: white space, comments
and aliases are no change, and a change shows at its own node and not at those above it.
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
    """A node of a plan without what feeds it: how deep it stands, its class, its own fingerprint, and its text."""

    depth: int
    node: str
    fingerprint: str
    text: str


@dataclass(frozen=True, slots=True)
class NodeChange:
    """What became of a node. `before` is None for `added`, `after` for `removed`; `depth` is that of the newer plan, of
    the older one for `removed`. The texts of an altered node can be equal: they leave out what no reader looks for.
    """

    kind: Kind
    depth: int
    before: str | None
    after: str | None


def outline(plan: Plan) -> tuple[OutlineNode, ...]:
    """Return the settings and the nodes of a plan from its sinks down to its scans, each before what feeds it."""
    found = [OutlineNode(0, "Set", f"{name}={value}", f"set {name} = {value}") for name, value in plan.settings]
    for sink in plan.sinks:
        found.append(OutlineNode(0, "Sink", own_fingerprint(sink), sink_text(sink)))
        for node in sink.inputs:
            found += _outline(node, 1)
    return tuple(found)


def plan_changes(old: tuple[OutlineNode, ...], new: tuple[OutlineNode, ...]) -> tuple[NodeChange, ...]:
    """Return every node of both plans with what became of it; `same` ones give the tree its shape."""
    found: list[NodeChange] = []
    before, after = ([(n.node, n.fingerprint) for n in nodes] for nodes in (old, new))
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [NodeChange("same", n.depth, o.text, n.text) for o, n in zip(old[a:b], new[c:d], strict=True)]
        else:
            found += _replaced(old[a:b], new[c:d])
    return tuple(found)


def _outline(node: nodes.Node, depth: int) -> list[OutlineNode]:
    found = [OutlineNode(depth, type(node).__name__, own_fingerprint(node), node_text(node))]
    for part in nodes.inputs(node):
        found += _outline(part, depth + 1)
    return found


def _replaced(old: tuple[OutlineNode, ...], new: tuple[OutlineNode, ...]) -> list[NodeChange]:
    """Return nodes of the same class are one that was altered, the others came or went."""
    found: list[NodeChange] = []
    matcher = SequenceMatcher(None, [n.node for n in old], [n.node for n in new], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(old[a:b], new[c:d], strict=True)
            found += [NodeChange("altered", n.depth, o.text, n.text) for o, n in pairs]
        else:
            found += [NodeChange("removed", n.depth, n.text, None) for n in old[a:b]]
            found += [NodeChange("added", n.depth, None, n.text) for n in new[c:d]]
    return found
