"""`lsqlc diff --fail-on`: which changes fail.

`different` is the change of an answer: some rows differ in a golden case, or over records that the search has found.

For the others there are two scales. One is the effect of a change on the readers of the topic, the categories of
plan/topic_changes.py. The other is its cost for the queries, by the verdict on their state (lower/spark/evolution.py):

- `replay`: a query has to begin at the start of its topics, so that `lsqlc run` refuses its checkpoint. A verdict
  that is `unknown` counts, as a run refuses that too.
- `reset`: a replay of queries that keep state. The state of records that the topics no longer have is lost.
- `incompatible`: the consumers of the topic cannot read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lsqlc.plan.topic_changes import CATEGORIES, Category

if TYPE_CHECKING:
    from lsqlc.lower.spark.evolution import Verdict
    from lsqlc.report.diff_report import Difference

Gate = Literal[Category, "replay", "reset", "incompatible", "different"]


def fails(difference: Difference, gate: Gate) -> bool:
    """Return whether the change of a model is of this kind, or a more severe one of the same scale."""
    if gate == "different":
        rows, search = difference.rows, difference.search
        return bool(rows and rows.differing) or (search is not None and search.answer == "different")
    if gate in CATEGORIES:
        return CATEGORIES.index(difference.change.category) >= CATEGORIES.index(gate)
    verdict = difference.verdict
    if verdict.standing == "cannot be read by the consumers of the topic":
        return True
    return gate != "incompatible" and _begins_again(verdict) and (gate == "replay" or verdict.stateful)


def _begins_again(verdict: Verdict) -> bool:
    return verdict.standing in ("unknown", "needs a new state and a replay")
