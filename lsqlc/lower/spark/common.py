"""Groups that a plan computes more than once, such as those of a WITH that two parts of a query read.

One stage computes them, and the others read its internal topic. A WITH is not a node of a plan: each part of a query
that reads it has a copy, with the columns that this part needs. Only the projections above the groups differ, since an
aggregate has only its key and its aggregate values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from lsqlc.lower.spark.bounds import keeps_state
from lsqlc.plan import nodes
from lsqlc.plan.fingerprint import fingerprint


def common_groups(outputs: Iterable[nodes.Node]) -> frozenset[str]:
    """Return the fingerprints of the aggregates that occur more than once in the output nodes.

    Only those are included of which one is an input of another stateful operator, and would be a stage of its own
    anyway.
    """
    places = [place for node in outputs for place in _places(node)]
    if len(places) < 2:
        return frozenset()
    prints = [(fingerprint(node), feeds) for node, feeds in places]
    times = Counter(name for name, _ in prints)
    return frozenset(name for name, feeds in prints if feeds and times[name] > 1)


def common_group(node: nodes.Node, groups: frozenset[str]) -> str:
    """Return the fingerprint of the node if it is one of these groups, else an empty string."""
    name = fingerprint(node) if groups and isinstance(node, nodes.Aggregate) else ""
    return name if name in groups else ""


def _places(node: nodes.Node, *, feeds: bool = False) -> Iterator[tuple[nodes.Aggregate, bool]]:
    """Yield each occurrence of an aggregate, and whether it is an input of a stateful operator."""
    if isinstance(node, nodes.Aggregate):
        yield node, feeds
    for part in nodes.inputs(node):
        yield from _places(part, feeds=feeds or keeps_state(node))
