"""Write the end offsets of a query's next batch into a checkpoint at an address that only the server can access.

lsqlc cannot write a file with a given name there. But Spark writes the end offsets of a batch before it plans the
batch. So lsqlc starts a query with that checkpoint and Python data sources, which report the required end offsets.
Spark writes them unchanged, in the form of its own Kafka source. Then the batch fails, because the sources have no
data. The real query finds end offsets without a commit, and repeats that batch. docs/internals/spark-notes.md has the
experiments.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from typing import TYPE_CHECKING, Any

from lsqlc.remote.connectors.publish import by_value
from lsqlc.remote.session.failures import is_lost

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_NAME = "lsqlc_batch_end"
_SECONDS = 120


def note_end(spark: SparkSession, checkpoint: str, lines: Sequence[tuple[str, str]]) -> Exception | None:
    """Write the end offsets of a query's next batch. Return the error of the attempt, which always ends with one.

    `lines`: for each source, in order, its name, or an empty text, and the line of the checkpoint. The session must
    have the settings of the query. The query must not run, and must not have an incomplete batch. Only the checkpoint
    shows whether the offsets were written, since the server may have failed before. Raises the errors of pyspark if the
    server has ended.
    """
    by_value(__name__)
    spark.dataSource.register(_source())
    readers = [(spark.readStream.name(name) if name else spark.readStream, line) for name, line in lines]
    reads = [reader.format(_NAME).option("end", line).load() for reader, line in readers]
    frame: Any = reduce(_union, reads)
    writer = frame.writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.trigger(once=True).start()
    try:
        if query.awaitTermination(_SECONDS):
            return None
        return TimeoutError(f"the server has not written the end of a batch within {_SECONDS} s")
    except Exception as error:
        if is_lost(error):
            raise
        return error
    finally:
        with suppress(Exception):
            query.stop()


def _union(one: Any, other: Any) -> Any:
    return one.union(other)


def _source() -> type[Any]:
    from pyspark.sql.datasource import DataSource, DataSourceStreamReader

    class Reader(DataSourceStreamReader):
        def __init__(self, end: str) -> None:
            self._end: dict[str, Any] = json.loads(end)

        def initialOffset(self) -> dict[str, Any]:
            return {}

        # All versions of Spark accept this signature. Newer ones have more parameters.
        def latestOffset(self) -> dict[str, Any]:  # type: ignore[override]
            return self._end

        def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[Any]:
            # Spark plans the last complete batch too, before it asks for the next one.
            if end == self._end:
                raise RuntimeError("the end of the batch is written")
            return []

        def read(self, partition: Any) -> Any:
            raise AssertionError("there is no partition")

    class Source(DataSource):
        @classmethod
        def name(cls) -> str:
            return _NAME

        def schema(self) -> str:
            return "nothing INT"

        def streamReader(self, schema: Any) -> Reader:
            return Reader(self.options["end"])

    return Source
