"""The records of a stream without those that a source skips."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lsqlc.connectors.skips import Skip
from lsqlc.lower.spark.steps import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# By what reason the status and the metrics count them.
SKIPPED = "skipped record"


def without_skipped(records: DataFrame, source: Source, is_one: Callable[[Skip], str]) -> DataFrame:
    """Return the records that `source` reads. `is_one`: SQL that holds for a skipped record, and for no other one."""
    if not source.skipped:
        return records
    from pyspark.sql.connect.functions import expr

    counted = [is_one(skip) for skip in source.skipped if skip.topic in source.counts_skipped]
    if counted:
        records = records.observe(f"{source.view}_skipped", expr(f"count_if({_any(counted)})").alias(SKIPPED))
    return records.where(f"NOT {_any([is_one(skip) for skip in source.skipped])}")


def _any(conditions: list[str]) -> str:
    """SQL that holds where one of the conditions does, and is never null."""
    return f"coalesce({' OR '.join(f'({condition})' for condition in conditions)}, FALSE)"
