"""Whether the plan bounds the rows that the state of a query keeps.

A window over a STREAM is kept until the newest time is its end and the grace behind, a record that waits for one of
another STREAM as long as it may be matched. So such a state has no more rows than records came within that time, times
the windows that a record is in. Any other state has rows for each key, and grows as the keys do.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.lower.spark.bounds import keeps_state
from lsqlc.lower.spark.steps import Stage
from lsqlc.plan import nodes
from lsqlc.plan.windows import Session


@dataclass(frozen=True, slots=True)
class StateBound:
    """What bounds the state of a stage: its rows are at most `rows_per_record` times the records of the last `horizon`
    milliseconds of event time.
    """

    horizon: int
    rows_per_record: int


def has_state(stage: Stage) -> bool:
    """Whether the query keeps state."""
    return bool(stage.state)


def state_bound(stage: Stage) -> StateBound | None:
    """The bound of a stage's state; None where the plan gives none, or the stage has no state.

    Over what gives several records for one, such as a LATERAL, nothing is known of the rows for each record.
    """
    bounds = [_bound(node) for fed in stage.origin.fed for node in _all(fed) if keeps_state(node)]
    known = [bound for bound in bounds if bound is not None]
    if not known or len(known) < len(bounds):
        return None
    return StateBound(max(b.horizon for b in known), sum(b.rows_per_record for b in known))


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
