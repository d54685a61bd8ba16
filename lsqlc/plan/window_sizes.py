"""How long the time windows in the keys of topics are: the bytes of such a key in Kafka have the start only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan
from lsqlc.plan.windows import Hop, Tumble


def window_sizes(plans: Iterable[Plan]) -> Mapping[str, int]:
    """Milliseconds, by the name of each topic with such keys. Sessions are left out: their bytes have both bounds."""
    found = {}
    for plan in plans:
        for sink in plan.sinks:
            if sink.topic.key.format.startswith("tw["):
                sizes = [size for node in sink.inputs if (size := _size(node)) is not None]
                found.update({sink.topic.name: sizes[0]} if sizes else {})
    return found


def _size(node: nodes.Node) -> int | None:
    """Of the windows of the nearest groups below."""
    if isinstance(node, nodes.Aggregate) and isinstance(node.window, Tumble | Hop):
        return node.window.size
    return next((size for part in nodes.inputs(node) if (size := _size(part)) is not None), None)
