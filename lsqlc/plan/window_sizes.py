"""The sizes of time windows in the keys of topics. In Kafka, the bytes of such a key have the start only."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan
from lsqlc.plan.windows import Hop, Tumble


def window_sizes(plans: Collection[Plan]) -> Mapping[str, int]:
    """Return the window size in milliseconds of each topic with windowed keys.

    The query that writes the topic determines it, else the declaration in a program. Sessions are left out, because
    their bytes have both bounds.
    """
    declared: dict[str, int] = {}
    for plan in plans:
        declared |= {t.name: t.window_size for t in plan.inputs if t.window_size is not None}
    outputs: dict[str, int] = {}
    for plan in plans:
        for sink in plan.sinks:
            if sink.topic.key.format.startswith("tw["):
                sizes = [size for node in sink.inputs if (size := _size(node)) is not None]
                outputs |= {sink.topic.name: sizes[0]} if sizes else {}
    return {**declared, **outputs}


def _size(node: nodes.Node) -> int | None:
    """Return the window size of the nearest aggregates below, or of a topic with a declared size."""
    if isinstance(node, nodes.Aggregate) and isinstance(node.window, Tumble | Hop):
        return node.window.size
    if isinstance(node, nodes.Scan):
        return node.topic.window_size
    return next((size for part in nodes.inputs(node) if (size := _size(part)) is not None), None)
