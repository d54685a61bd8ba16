"""Rewrites of a plan that do not change results. Each is a module with one function from node to node."""

from __future__ import annotations

from lsqlc.plan.nodes import Node
from lsqlc.plan.passes.drop_identities import drop_identities
from lsqlc.plan.passes.fold_constants import fold_constants
from lsqlc.plan.passes.prune_scans import prune_scans
from lsqlc.plan.passes.push_filters import push_filters

# Filters are pushed before scans are pruned, because a scan must read the columns of the filters above it.
PASSES = (drop_identities, fold_constants, push_filters, prune_scans)


def optimise(node: Node) -> Node:
    """Apply all passes, in order."""
    for rewrite in PASSES:
        node = rewrite(node)
    return node
