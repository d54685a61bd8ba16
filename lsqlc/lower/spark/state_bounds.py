"""Bounds of the rows that the state of a query keeps, by its plan.

A window over a STREAM is kept until the newest time is its end plus the grace; a record that waits for one of another
STREAM as long as it may be matched. So such a state has at most the records within that time, times the windows of a
record. Any other state has rows for each key, and grows as the keys do.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.lower.spark.bounds import keeps_state
from lsqlc.lower.spark.steps import Stage
from lsqlc.plan import nodes
from lsqlc.plan.windows import Session


@dataclass(frozen=True, slots=True)
class StateBound:
    """The bound of the state of a stage: `rows_per_record` times the records of the last `horizon` ms of event time."""

    horizon: int
    rows_per_record: int


def has_state(stage: Stage) -> bool:
    """Return True if the query keeps state."""
    return bool(stage.state)


def state_bound(stage: Stage) -> StateBound | None:
    """Return the bound of a stage's state; None if the plan has none, or the stage has no state.

    For an operator with several output records for one input, such as a LATERAL, the rows per record are unknown.
    """
    bounds = [_bound(node) for root in stage.origin.fed for node in _all(root) if keeps_state(node)]
    finite = [bound for bound in bounds if bound is not None]
    if not finite or len(finite) < len(bounds):
        return None
    return StateBound(max(b.horizon for b in finite), sum(b.rows_per_record for b in finite))


def _bound(node: nodes.Node) -> StateBound | None:
    below = [part for input in nodes.inputs(node) for part in _all(input)]
    if any(isinstance(part, nodes.Lateral) or keeps_state(part) for part in below):
        return None
    match node:
        case nodes.Aggregate(window=Session(gap, grace)) if node.input.semantics == "STREAM":
            return StateBound(gap + max(0, grace - gap), 1)
        case nodes.Aggregate(window=window) if window is not None and node.input.semantics == "STREAM":
            assert not isinstance(window, Session)
            return StateBound(window.size + window.grace, -(-window.size // window.advance))
        case nodes.Join(style="stream-stream", eager=False, expires=False):
            return StateBound(max(node.spread) + node.grace, 1)
    return None


def _all(node: nodes.Node) -> list[nodes.Node]:
    return [node, *(part for input in nodes.inputs(node) for part in _all(input))]
