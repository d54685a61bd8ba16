"""The topics of a connector as streaming queries read and write them: the protocol that each connector implements."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lsqlc.connectors.transport import Offsets
from lsqlc.diagnostics import Diagnostic
from lsqlc.lower.spark.real_time import Origins
from lsqlc.lower.spark.steps import FileSource, Source
from lsqlc.remote.connectors.publish import Guard, Publish
from lsqlc.remote.connectors.spark_sink import SparkSink
from lsqlc.types.error_policy import SKIP_IN_CONFIG

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.connect.streaming.readwriter import DataStreamReader


@dataclass(frozen=True, slots=True)
class Explained:
    """The error that ended a query. `passing`: whether another start may succeed."""

    diagnostic: Diagnostic
    passing: bool


class Reader(Protocol):
    """The input of queries."""

    def read(self, spark: SparkSession, source: Source, *, segments_per_batch: int | None) -> DataFrame:
        """Return a stream of (`_topic` STRING, `_line` STRING) and the further columns of `Source`.

        The records of all topics of the source are in order of arrival.
        """
        ...

    def read_files(self, spark: SparkSession, source: FileSource, *, files_per_batch: int | None) -> DataFrame:
        """Return a stream of the rows of files, see `FileSource`."""
        ...


def stream_reader(spark: SparkSession, source: Source) -> DataStreamReader:
    """Return Spark's reader for a source, with the name of the source if it has one."""
    return spark.readStream.name(source.name) if source.name else spark.readStream


class Transport(Reader, Protocol):
    """The topics of a connector.

    `project`: the folder of topics of files, without symbolic links; None: no such topics.
    """

    def register_functions(self, spark: SparkSession) -> None:
        """Register the Python functions that the SQL of queries calls. A second call replaces them."""
        ...

    def beginning(self, places: Mapping[str, Offsets]) -> Reader:
        """Return a reader for a query that reads some topics from these offsets on. `places`: by topic."""
        ...

    @property
    def project(self) -> Path | None: ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the batches for `write` (see `steps.Write`), without that of headers."""
        ...

    def write(
        self,
        topic: str,
        generation: str,
        guard: Guard | None = None,
        *,
        ordered: bool = True,
        version: str = "",
        headers: bool = False,
    ) -> Publish | SparkSink:
        """Return a function for foreachBatch that appends the records of a batch to the topic, exactly once.

        Some transports return a sink of Spark, which appends the records at least once.

        - `guard`: called before each batch.
        - `ordered`: whether records are sorted by their ordinals. Otherwise they have the order of the source, in each
          partition.
        - `version`: identifies the plan of the query, for a transport that may write a batch in parts.
        - `headers`: whether a batch has the column `_headers`.
        """
        ...

    def write_first(self, topic: str, generation: str, rows: Sequence[Sequence[Any]]) -> None:
        """Append the rows that a query has before its first record, unless the generation has them already.

        `rows`: values of `columns`, in this order. Call it after `write` could be called, and before the query starts.
        """
        ...

    def first_generations(self, topic: str, query: str) -> frozenset[int]:
        """Return the generations of a query whose rows of `write_first` are in the topic."""
        ...

    def write_each(self, topic: str, generation: str, *, headers: bool, origins: Origins) -> SparkSink:
        """Return a sink of Spark that writes each record at once, at least once.

        `headers`: as of `write`; `origins`: the source topics. Each record is stored with the offset of its source
        record.
        """
        ...

    def real_time_began(self, topic: str, generation: str) -> Offsets | None:
        """Return the offsets after which the topic may have records of `write_each` that the checkpoint does not cover.

        Return None if there are none, or if records have no source offsets, or if several queries write the topic.
        """
        ...

    def end_real_time(self, topic: str, generation: str) -> None:
        """Record that the checkpoint covers all records of `write_each`."""
        ...

    def without_written(
        self, batch: DataFrame, topic: str, origins: Origins, began: Offsets, since: int, read: Mapping[str, int]
    ) -> DataFrame:
        """Remove the records from a batch that `write_each` has written with the same source record.

        `origins`: as of `write_each`; `began`: the result of `real_time_began`; `since`: the minimum time of these
        records, in epoch milliseconds; `read`: the next offset of each partition in the checkpoint, by topic and
        number, such as `orders/3`.
        """
        ...

    def explain(
        self, error: str, model: str, topic: str, read: Sequence[str], skip_setting: str = SKIP_IN_CONFIG
    ) -> Explained | None:
        """Return the explanation of an error of this transport, from its text; None for any other error.

        `topic`: the output topic of the query; `read`: its input topics; `skip_setting`: that of the plan.
        """
        ...

    def noted(self, topic: str, generation: str, batch: int) -> int:
        """Return the number of the guard for a batch since the last `write`."""
        ...

    def newest_generation(self, topic: str, query: str) -> int:
        """Return the highest generation of a query that has records of batches in the topic; 0 if there is none."""
        ...

    def last_generation(self, topic: str, query: str) -> int:
        """Return the highest generation of a query, including discarded ones; 0 if there is none."""
        ...

    def last_batch(self, topic: str, generation: str) -> int:
        """Return the newest batch of a generation that is completely in the topic; -1 if there is none."""
        ...

    def until_visible(self, topic: str) -> None:
        """Wait until readers of the topic see all complete batches."""
        ...

    @property
    def knows_unread(self) -> bool:
        """Whether `unread` can be false."""
        ...

    def unread(self, topic: str, read: Collection[str]) -> bool:
        """Return whether a topic has files other than those with these addresses; True if this is not known."""
        ...

    def discard(self, topic: str, query: str) -> None:
        """Remove the records of all generations of a query from the topic."""
        ...

    def fence(self, topic: str, generation: str) -> None:
        """Make sure that a writer of that generation that still runs writes nothing any more. A new one can write."""
        ...


def generation_name(query: str, number: int) -> str:
    """Return the name of a query's generation, which differs for two queries that write the same topic.

    >>> generation_name("orders/1", 3)
    'bc89b1d8_000003'
    """
    return f"{query_mark(query)}_{number:06d}"


def generation_number(generation: str) -> int:
    """Return the number in a name of `generation_name`.

    >>> generation_number("bc89b1d8_000003")
    3
    """
    return int(generation.rpartition("_")[2])


def query_mark(query: str) -> str:
    """Return the prefix of all generations of a query."""
    return hashlib.sha256(query.encode()).hexdigest()[:8]
