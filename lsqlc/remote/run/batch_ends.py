"""Write where the next batch of a query ends, into a checkpoint at an address that only the server reaches.

Nothing there can be written by a file's name. But Spark itself notes the end of a batch before it plans the batch: so
a query is started with that checkpoint whose sources are of Python, and say that there is data up to the wanted end.
What they say is noted as it is, which is the form of Spark's own source of Kafka. Then the batch fails, as they give no
data, and the real query finds an end without its commit. What was tried is in docs/internals/spark-notes.md.
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
    """Have the next batch of a query end there; gives what ended the attempt, which is to end by its nature. `lines`:
    the name of each source, if it has one, and what the checkpoint is to have for it, in order.

    Settings that the query starts with must be held. The query must not run, nor have begun a batch. Whether the end is
    noted, the checkpoint says: the server may have failed before. A lost server raises what pyspark raises.
    """
    by_value(__name__)
    spark.dataSource.register(_source())
    readers = [(spark.readStream.name(name) if name else spark.readStream, line) for name, line in lines]
    reads = [reader.format(_NAME).option("end", line).load() for reader, line in readers]
    ended: Any = reduce(_union, reads)
    writer = ended.writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.trigger(once=True).start()
    try:
        if query.awaitTermination(_SECONDS):
            return None
        return TimeoutError(f"the server has not noted the end of a batch within {_SECONDS} s")
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

        # Without the arguments that newer versions of Spark know: all take it so.
        def latestOffset(self) -> dict[str, Any]:  # type: ignore[override]
            return self._end

        def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[Any]:
            # Spark plans the last batch that is done, too, before it looks for another one.
            if end == self._end:
                raise RuntimeError("the end of the batch is noted")
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
