"""How long the time windows in the keys of topics are: the bytes of such a key in Kafka have the start only."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan
from lsqlc.plan.windows import Hop, Tumble


def window_sizes(plans: Collection[Plan]) -> Mapping[str, int]:
    """Return milliseconds, by the name of each topic with such keys: those of the query that writes the topic, else
    those that a program declares for it. Sessions are left out: their bytes have both bounds.
    """
    declared: dict[str, int] = {}
    for plan in plans:
        declared |= {t.name: t.window_size for t in plan.inputs if t.window_size is not None}
    written: dict[str, int] = {}
    for plan in plans:
        for sink in plan.sinks:
            if sink.topic.key.format.startswith("tw["):
                sizes = [size for node in sink.inputs if (size := _size(node)) is not None]
                written |= {sink.topic.name: sizes[0]} if sizes else {}
    return {**declared, **written}


def _size(node: nodes.Node) -> int | None:
    """Of the windows of the nearest groups below, or of a topic whose size is declared."""
    if isinstance(node, nodes.Aggregate) and isinstance(node.window, Tumble | Hop):
        return node.window.size
    if isinstance(node, nodes.Scan):
        return node.topic.window_size
    return next((size for part in nodes.inputs(node) if (size := _size(part)) is not None), None)
