"""Rewrites of a plan that change no result. Each is a module with one function, from a node to a node."""

from __future__ import annotations

from lsqlc.plan.nodes import Node
from lsqlc.plan.passes.drop_identities import drop_identities
from lsqlc.plan.passes.fold_constants import fold_constants
from lsqlc.plan.passes.prune_scans import prune_scans
from lsqlc.plan.passes.push_filters import push_filters

# Filters move before scans are pruned, since a scan must read what the filters above it use.
PASSES = (drop_identities, fold_constants, push_filters, prune_scans)


def optimise(node: Node) -> Node:
    """Return all passes, in order."""
    for rewrite in PASSES:
        node = rewrite(node)
    return node
