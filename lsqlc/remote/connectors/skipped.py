"""The records of a stream without those that a source skips."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lsqlc.connectors.skips import Skip
from lsqlc.lower.spark.steps import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The reason of these records in the status and in metrics.
SKIPPED = "skipped record"


def without_skipped(records: DataFrame, source: Source, is_one: Callable[[Skip], str]) -> DataFrame:
    """Return the records that `source` reads. `is_one`: returns SQL that is true for a skipped record only."""
    if not source.skipped:
        return records
    from pyspark.sql.connect.functions import expr

    conditions = [is_one(skip) for skip in source.skipped if skip.topic in source.counts_skipped]
    if conditions:
        records = records.observe(f"{source.view}_skipped", expr(f"count_if({_any(conditions)})").alias(SKIPPED))
    return records.where(f"NOT {_any([is_one(skip) for skip in source.skipped])}")


def _any(conditions: list[str]) -> str:
    """Return SQL that is true if one of the conditions is true, and that is never null."""
    return f"coalesce({' OR '.join(f'({condition})' for condition in conditions)}, FALSE)"
