"""Whether a plan looks at time: windows close, and streams wait for each other, as the time of records goes on."""

from __future__ import annotations

from lsqlc.plan.nodes import Aggregate, Join, Node, inputs
from lsqlc.plan.plan import Plan


def has_clock(plan: Plan) -> bool:
    """Whether what becomes of a record can depend on the times of those that came before it."""
    return any(_has_clock(node) for sink in plan.sinks for node in sink.inputs)


def _has_clock(node: Node) -> bool:
    if isinstance(node, Aggregate) and node.window is not None:
        return True
    if isinstance(node, Join) and node.style == "stream-stream":
        return True
    return any(map(_has_clock, inputs(node)))
