"""A sink of Spark for the batches of a query: it needs no Python on the server, and has no transactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Spark rejects a sort of streaming rows, because it would apply to all rows. Here each batch is sorted separately.
_SORTS = (("spark.sql.streaming.unsupportedOperationCheck", "false"),)


@dataclass(frozen=True, slots=True)
class SparkSink:
    """A sink of Spark.

    - `format`, `options`: those of Spark. The options may contain secrets.
    - `ordered`: whether the records of a key are sorted by their ordinals.
    - `headers`: the SQL of the headers over the columns of a batch, empty without headers.
    - `idle`: columns that the sink ignores. Spark removes unused columns from a state. With these columns the state is
      the same as for a query that writes in transactions.
    """

    format: str
    options: Mapping[str, str] = field(repr=False)
    ordered: bool = True
    headers: str = ""
    idle: tuple[str, ...] = ()

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Settings of Spark for the start of the query."""
        return _SORTS if self.ordered else ()

    def rows(self, batch: DataFrame) -> DataFrame:
        """Return the rows for the sink, from the columns `key`, `value`, `ordinal` and that of the headers.

        A task writes its rows in order, so all rows of a key must be in the same task.
        """
        if self.ordered:
            batch = batch.repartition("key").sortWithinPartitions("ordinal")
        headers = [f"{self.headers} as headers"] if self.headers else []
        return batch.selectExpr("key", "value", *(f"{column} AS _{column}" for column in self.idle), *headers)
