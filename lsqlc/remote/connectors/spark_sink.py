"""A query whose batches Spark's own sink writes: without Python on the server, and without a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Spark refuses to sort the rows of a streaming query, which concerns all of its rows; each batch is sorted by itself.
_SORTS = (("spark.sql.streaming.unsupportedOperationCheck", "false"),)


@dataclass(frozen=True, slots=True)
class SparkSink:
    """`format`: of Spark's sink, and `options`, which may hold secrets. `ordered`: the records of a key are written in
    the order of their ordinals; else as they come. `headers`: SQL of the headers over the columns of a batch, empty if
    there are none. `idle`: columns that the sink passes over. Spark leaves out of a state what nothing is made of, so
    that without them it would be another state than where transactions write.
    """

    format: str
    options: Mapping[str, str] = field(repr=False)
    ordered: bool = True
    headers: str = ""
    idle: tuple[str, ...] = ()

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Spark settings to hold while the query starts."""
        return _SORTS if self.ordered else ()

    def rows(self, batch: DataFrame) -> DataFrame:
        """What the sink takes of the columns `key`, `value`, `ordinal` and that of the headers. A task writes in the
        order of its rows, so that all rows of a key belong to one task.
        """
        if self.ordered:
            batch = batch.repartition("key").sortWithinPartitions("ordinal")
        headers = [f"{self.headers} as headers"] if self.headers else []
        return batch.selectExpr("key", "value", *(f"{column} AS _{column}" for column in self.idle), *headers)
