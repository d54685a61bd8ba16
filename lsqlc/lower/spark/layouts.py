"""Versions of what stateful operators store: part of the identity of every checkpoint with such an operator.

A checkpoint holds rows of state in the layout of the lowering that wrote them. The nodes of a plan say what is
computed, not how it is stored, so each kind of lowering has a version here that stands for the layout.

Raise the version of a kind when a query of the new release would read the state of the old one wrongly or not at all:

- another column, type, order or nesting of what an operator keeps, another key, another number of operators, another
  Spark aggregate (its buffer is the state), another partitioning before the operator;
- the same layout with another meaning: other ordinals, other weights, other batches counted.

Do not raise it for other text with the same state: names of views, comments, white space, a function above the
operator, a wrong answer mended in how a value is computed. Rows that were computed before keep their old value then.
Whether the layout is the same is shown by `tests/history`, whose checkpoints of older releases are resumed on Spark.

A raised version asks every user of the construct for a full refresh (LSQ660). Say why in HISTORY: users read it.
"""

from __future__ import annotations

from collections.abc import Mapping

from lsqlc.lower.spark.stream_table import meets_key
from lsqlc.lower.spark.tables import once_closed
from lsqlc.plan import nodes
from lsqlc.plan.identity import keyed_by_identity

LAYOUTS: Mapping[str, int] = {
    "STREAM aggregation": 1,
    "STREAM aggregation in time windows": 1,
    "STREAM aggregation in time windows, written once closed": 1,
    "STREAM aggregation in session windows": 1,
    "TABLE aggregation": 1,
    # Where the time of a group is read, all versions of a row take part, and not only the newest.
    "TABLE aggregation with times": 1,
    "LATERAL on a TABLE": 1,
    "rekeyed TABLE": 1,
    "join of a STREAM and a TABLE on its key": 1,
    "join of a STREAM and a TABLE on other columns": 1,
    "join of TABLEs on their keys": 1,
    "join of TABLEs on other columns": 1,
    "join of STREAMs": 1,
    "join of STREAMs, unmatched at once": 1,
    # The numbers by which state orders the rows of files.
    "ordinals of files": 1,
}
# Of an aggregate function by what it runs over, such as ("AVG", "TABLE"): its buffer is in the state of the group. A
# function that is not here has version 1.
AGGREGATES: Mapping[tuple[str, nodes.Semantics], int] = {}
# What changed with each version above 1, in a clause that completes "its state is stored in another layout: ...". Keys
# are a kind with its version as they are written in a checkpoint, such as "TABLE aggregation 2" or "SUM of a TABLE 2".
HISTORY: Mapping[str, str] = {}


def layout(node: nodes.Node, *, group_times: bool = False) -> str:
    """The kind of lowering of an operator with state: a key of LAYOUTS. `group_times`: the plan reads the time of the
    groups of a TABLE.
    """
    match node:
        case nodes.Aggregate() if node.input.semantics == "TABLE":
            return "TABLE aggregation with times" if group_times else "TABLE aggregation"
        case nodes.Aggregate(window=None):
            return "STREAM aggregation"
        case nodes.Aggregate(window=window) if window is not None:
            if window.kind == "SESSION":
                return "STREAM aggregation in session windows"
            return f"STREAM aggregation in time windows{', written once closed' if once_closed(window) else ''}"
        case nodes.Lateral():
            return "LATERAL on a TABLE"
        case nodes.Rekey():
            return "rekeyed TABLE"
        case nodes.Join(style="table-table"):
            return f"join of TABLEs on {'their keys' if keyed_by_identity(node) else 'other columns'}"
        case nodes.Join(style="stream-stream"):
            return "join of STREAMs, unmatched at once" if node.eager else "join of STREAMs"
        case nodes.Join():
            return f"join of a STREAM and a TABLE on {'its key' if meets_key(node) else 'other columns'}"
    raise AssertionError(f"{type(node).__name__} keeps no state")


def versioned(node: nodes.Node, *, group_times: bool = False) -> tuple[tuple[str, str], ...]:
    """What of an operator with state has a layout, and that layout: pairs such as ("TABLE aggregation", "TABLE
    aggregation 1").
    """
    kind = layout(node, group_times=group_times)
    found = {kind: LAYOUTS[kind]}
    if isinstance(node, nodes.Aggregate):
        over = node.input.semantics
        found |= {f"{c.function} of a {over}": AGGREGATES.get((c.function, over), 1) for c in node.aggregates}
    return tuple((name, f"{name} {version}") for name, version in found.items())
