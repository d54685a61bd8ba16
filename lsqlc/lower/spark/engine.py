"""Settings of a program for its engine, as Spark settings.

- `commit.interval.ms`: how often results become final. On Spark that is the time from one batch to the next, in a run
  that goes on and on.
- `num.stream.threads`: how many parts of the state are worked on side by side. On Spark these are the partitions of a
  shuffle, which belong to a checkpoint: another number asks for a full refresh.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lsqlc.lower.spark.steps import Stage

_PARTITIONS = "spark.sql.shuffle.partitions"


def carried(stage: Stage, settings: Mapping[str, str]) -> Stage:
    """Return the stage with the program's settings."""
    interval, threads = settings.get("commit.interval.ms"), settings.get("num.stream.threads")
    if interval is not None:
        stage = replace(stage, interval=int(interval))
    if threads is not None and stage.state:
        stage = replace(stage, settings=tuple(sorted({**dict(stage.settings), _PARTITIONS: threads}.items())))
    return stage
