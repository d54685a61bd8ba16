"""A stage without some records of its topics.

They are left out as a source is read, before any step. So the steps of the stage, its state and its identity are
unchanged: a batch that failed at such a record is computed again without it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from lsqlc.connectors.skips import Skip
from lsqlc.lower.spark.steps import Source, Stage, Step


def with_skips(stage: Stage, skips: Collection[Skip]) -> Stage:
    """Return the stage without these records. The first source of a topic counts them."""
    if not skips:
        return stage
    topics_with_counts: set[str] = set()
    steps: list[Step] = []
    for step in stage.steps:
        if isinstance(step, Source):
            own = tuple(sorted(skip for skip in skips if skip.topic in step.topics))
            fresh = frozenset(skip.topic for skip in own) - topics_with_counts
            topics_with_counts |= fresh
            steps.append(replace(step, skipped=own, counts_skipped=fresh))
        else:
            steps.append(step)
    return replace(stage, steps=tuple(steps))
