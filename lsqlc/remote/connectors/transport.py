"""The topics of a connector as streaming queries read and write them: the protocol that each connector implements."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

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
    """What ended a query; `passing`: it may do well when it is started again."""

    diagnostic: Diagnostic
    passing: bool


class Reader(Protocol):
    """Where a query's input comes from."""

    def read(self, spark: SparkSession, source: Source, *, segments_per_batch: int | None) -> DataFrame:
        """A stream of (`_topic` STRING, `_line` STRING) and what else `Source` says, in order of arrival over all
        topics of the source.
        """
        ...

    def read_files(self, spark: SparkSession, source: FileSource, *, files_per_batch: int | None) -> DataFrame:
        """A stream of the rows of files, see `FileSource`."""
        ...


def stream_reader(spark: SparkSession, source: Source) -> DataStreamReader:
    """What reads a source, with its name if it has one."""
    return spark.readStream.name(source.name) if source.name else spark.readStream


class Transport(Reader, Protocol):
    """What a query needs of any kind of topic. `project`: the folder where topics of files lie, without links; None:
    there are none.
    """

    def register_functions(self, spark: SparkSession) -> None:
        """Make the functions in Python that the SQL of queries calls known to a session. Safe to call again."""
        ...

    def beginning(self, places: Mapping[str, Offsets]) -> Reader:
        """The topics for a query that reads some of them from a place on, by their names."""
        ...

    @property
    def project(self) -> Path | None: ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a batch that `write` takes (see `steps.Write`), without that of headers."""
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
        """A function for foreachBatch that appends the records of a batch to the topic, exactly once. `guard` looks at
        each batch before it is computed. `ordered`: by their ordinals; else as the source had them, partition by
        partition, where the transport has partitions. `version`: what identifies the records that the query makes of a
        batch, for a transport that may write a batch in parts. `headers`: a batch has the column `_headers` too, for a
        transport that stores records by columns. Or a sink of Spark's own, which a batch reaches at least once.
        """
        ...

    def write_each(self, topic: str, generation: str, *, headers: bool, origins: Origins) -> SparkSink:
        """A sink of Spark's own that writes each record as it comes, at least once. `headers`: as of `write`;
        `origins`: the topics of which each record is made of one, whose place goes with it.
        """
        ...

    def real_time_began(self, topic: str, generation: str) -> Offsets | None:
        """From where on the topic may have records of `write_each` that the checkpoint does not know; None if it knows
        all, or if they do not tell their source, or not which query has written them.
        """
        ...

    def end_real_time(self, topic: str, generation: str) -> None:
        """Note that the checkpoint knows all records of `write_each`."""
        ...

    def without_written(
        self, batch: DataFrame, topic: str, origins: Origins, began: Offsets, since: int, read: Mapping[str, int]
    ) -> DataFrame:
        """A batch without those records that `write_each` has written with the same source. `origins`: as of
        `write_each`; `began`: as given by `real_time_began`; `since`: they are not older, epoch milliseconds; `read`:
        the next offset that the checkpoint has of each partition, by topic and number, such as `orders/3`.
        """
        ...

    def explain(
        self, error: str, model: str, topic: str, read: Sequence[str], skip_setting: str = SKIP_IN_CONFIG
    ) -> Explained | None:
        """What the text of an error says of this transport; None if it says nothing. `topic`: the one that the query
        writes; `read`: those that it reads; `skip_setting`: as that of the plan.
        """
        ...

    def noted(self, topic: str, generation: str, batch: int) -> int:
        """The number that the guard gave for a batch since the last `write`."""
        ...

    def newest_generation(self, topic: str, query: str) -> int:
        """The highest generation of that query that has records in the topic; 0 if it has none."""
        ...

    def last_generation(self, topic: str, query: str) -> int:
        """The highest generation of that query that the transport knows of, discarded ones too; 0 if there is none."""
        ...

    def last_batch(self, topic: str, generation: str) -> int:
        """The newest batch of a generation whose records are in the topic, as a whole; -1 if there is none."""
        ...

    def until_visible(self, topic: str) -> None:
        """Wait until those who read the topic see the batches that were written to it."""
        ...

    @property
    def knows_unread(self) -> bool:
        """Whether `unread` can say that there is nothing."""
        ...

    def unread(self, topic: str, read: Collection[str]) -> bool:
        """Whether there is something to read in a topic besides the files with these addresses; True where that is not
        known.
        """
        ...

    def discard(self, topic: str, query: str) -> None:
        """Remove from the topic what any generation of that query wrote."""
        ...

    def fence(self, topic: str, generation: str) -> None:
        """Have a writer of that generation, that lives on somewhere, write nothing more. One that is started anew
        writes again.
        """
        ...


def generation_name(query: str, number: int) -> str:
    """How the segments of a query's generation begin. Two queries that write one topic stay apart.

    >>> generation_name("orders/1", 3)
    'bc89b1d8_000003'
    """
    return f"{query_mark(query)}_{number:06d}"


def query_mark(query: str) -> str:
    """What all generations of a query begin with."""
    return hashlib.sha256(query.encode()).hexdigest()[:8]
