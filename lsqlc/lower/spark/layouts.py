"""Versions of the state layouts of stateful operators: part of the identity of every checkpoint with such an operator.

A checkpoint holds rows of state in the layout of the lowering that wrote them. The nodes of a plan define the
computation, not the storage. So each kind of lowering has a version of its layout here. The lowering reports its kind
(`Builder.holds`), also if that depends on nodes above the operator, or on earlier stages.

Raise the version of a kind when a query of the new release could not read the state of the old one correctly:

- another column, type, order or nesting of the state of an operator, another key, another number of operators;
- another Spark aggregate (its buffer is the state), another partitioning before the operator;
- the same layout with another meaning: other ordinals, other weights, other batches counted.

Do not raise it for other text with the same state: names of views, comments, white space, a function above the
operator, a corrected computation of a value. Rows that were computed before keep their old value then. `tests/history`
shows whether the layout is the same: it resumes checkpoints of older releases on Spark.

A raised version asks every user of the construct for a full refresh (LSQ660). Say why in HISTORY: users read it. A
kind that replaces another one for some queries, in another layout, begins with version 2 for the same reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lsqlc.lower.spark.sums import is_split
from lsqlc.plan import nodes
from lsqlc.plan.expression import Aggregation
from lsqlc.types.data import Decimal

Kind = Literal[
    "STREAM aggregation",
    "STREAM aggregation in time windows",
    "STREAM aggregation in time windows, written once closed",
    "STREAM aggregation in session windows",
    "TABLE aggregation",
    "TABLE aggregation with times",
    "TABLE aggregation below new keys",
    "LATERAL on a TABLE",
    "rekeyed TABLE",
    "rekeyed TABLE of last versions",
    "rekeyed join of TABLEs",
    "rekeyed join of TABLEs of last versions",
    "join of a STREAM and a TABLE on its key",
    "join of a STREAM and a TABLE on other columns",
    "join of TABLEs on their keys",
    "join of TABLEs in pairs",
    "join of TABLEs in pairs below new keys",
    "join of TABLEs in ranked pairs below new keys",
    "join of TABLEs under new keys",
    "join of STREAMs",
    "join of STREAMs, unmatched at once",
    "ordinals of files",
]
LAYOUTS: Mapping[Kind, int] = {
    "STREAM aggregation": 1,
    "STREAM aggregation in time windows": 1,
    "STREAM aggregation in time windows, written once closed": 1,
    "STREAM aggregation in session windows": 1,
    "TABLE aggregation": 1,
    # If the time of a group is read, all versions of a row take part, and not only the newest.
    "TABLE aggregation with times": 1,
    # Likewise if the ordinal of a group counts.
    "TABLE aggregation below new keys": 1,
    "LATERAL on a TABLE": 1,
    "rekeyed TABLE": 1,
    # If some versions of the rows are not known.
    "rekeyed TABLE of last versions": 1,
    # In one query with the join, whose kind is "join of TABLEs under new keys".
    "rekeyed join of TABLEs": 1,
    "rekeyed join of TABLEs of last versions": 1,
    "join of a STREAM and a TABLE on its key": 1,
    "join of a STREAM and a TABLE on other columns": 1,
    "join of TABLEs on their keys": 1,
    # On other columns than both keys.
    "join of TABLEs in pairs": 1,
    # On their keys, if each version of a row counts.
    "join of TABLEs in pairs below new keys": 1,
    # On any columns. Its ordinals have ranks.
    "join of TABLEs in ranked pairs below new keys": 1,
    "join of TABLEs under new keys": 1,
    "join of STREAMs": 1,
    "join of STREAMs, unmatched at once": 1,
    # The numbers by which state orders the rows of files.
    "ordinals of files": 1,
}
# The version of an aggregate function, by its input, with the name from `function_form`: its buffer is in the state of
# the group. A function that is missing here has version 1.
AGGREGATES: Mapping[str, int] = {}
# The reason for each version above 1: a clause behind "the stored form of ... has changed:", or, of a kind that did not
# exist before, "... is new:". Keys are a kind or a function with its version: "TABLE aggregation 2".
HISTORY: Mapping[str, str] = {}


def function_form(call: Aggregation, over: nodes.Semantics) -> str:
    """Return the part of an aggregate function that has a layout, such as "SUM of wide DECIMAL over a TABLE"."""
    if call.function not in ("SUM", "AVG"):
        return f"{call.function} over a {over}"
    type = call.arguments[0].type
    values = str(type) if not isinstance(type, Decimal) else "wide DECIMAL" if is_split(type) else "DECIMAL"
    return f"{call.function} of {values} over a {over}"


def versioned(node: nodes.Node, kind: Kind) -> tuple[tuple[str, str], ...]:
    """Return the parts of a stateful operator that have a layout, with that layout.

    These are pairs such as ("TABLE aggregation", "TABLE aggregation 1").
    """
    layouts: dict[str, int] = {kind: LAYOUTS[kind]}
    if isinstance(node, nodes.Aggregate):
        forms = (function_form(call, node.input.semantics) for call in node.aggregates)
        layouts |= {form: AGGREGATES.get(form, 1) for form in forms}
    return tuple((name, f"{name} {version}") for name, version in layouts.items())
