"""The wait for a server whose clock is behind the newest batch of a query.

Some queries order rows by the time of their batch. Their batches must not begin before an earlier one (see
`merge_order`). Such a batch is noted in the checkpoint, and each later start of the query fails. So a query starts when
the server's clock has reached its newest batch. After a failover to a host with another clock this takes a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic
from lsqlc.lower.spark.merge_order import CLOCK_SET_BACK
from lsqlc.lower.spark.steps import Stage, View
from lsqlc.remote.run.batch_log import UnknownLogError
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.stores import CheckpointStore

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

LONGEST_WAIT = 600.0
"""Seconds by which a clock may be behind for a query to wait for it."""


def server_time(session: SparkSession) -> int:
    """Return the server's time in epoch milliseconds. Raises the errors of pyspark if the server has ended."""
    [row] = session.sql("SELECT unix_millis(current_timestamp())").collect()
    return int(row[0])


def seconds_behind(stage: Stage, checkpoint: Checkpoint, store: CheckpointStore, session: SparkSession) -> float:
    """Return the seconds by which the server's clock is behind the newest batch of a query.

    Return 0 for a query that does not depend on the time of its batches. Raises LsqlcError LSQ784 as the store does,
    and the errors of pyspark if the server has ended.
    """
    if not checkpoint.resumed or not _compares_batches(stage):
        return 0.0
    log = store.batches(checkpoint.location)
    if log.last < 0:
        return 0.0
    try:
        newest = int(log.about(log.last)["batchTimestampMs"])
    except (UnknownLogError, KeyError):
        # The start of the query reports the error.
        return 0.0
    return max(0, newest - server_time(session)) / 1000


def clock_behind(model: str, query: str, seconds: float) -> Diagnostic:
    """Return LSQ608."""
    return Diagnostic(
        "LSQ608",
        f"the clock of the Spark server is {seconds:.0f} s behind the newest batch of model '{model}'",
        notes=(f"the query is '{query}'; a batch that begins before an earlier one ends it for good (LSQ670)",),
        help="set the clock of the server's host by NTP, and run again: the query continues where it stopped",
    )


def _compares_batches(stage: Stage) -> bool:
    return any(isinstance(step, View) and CLOCK_SET_BACK in step.sql for step in stage.steps)
