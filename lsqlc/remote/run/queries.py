"""Run a `Stage` as a named, checkpointed streaming query.

Spark takes a view's plan when the view is made, and a query's plan when it starts. So the views of two queries may have
the same names, as long as one is started before the next is built: both happen in one go, under a lock. Views stay
until the next one of that name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.steps import FileSource, Observe, Source, Stage, Step, View, Watermark
from lsqlc.remote.connectors.publish import Publish
from lsqlc.remote.connectors.spark_sink import SparkSink
from lsqlc.remote.connectors.transport import Reader
from lsqlc.remote.run.progress import WRITTEN
from lsqlc.remote.run.python_functions import register_python
from lsqlc.remote.session.failures import LastingError, PassingError, is_lost, is_passing, query_failed, query_refused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter


_LINE = ("line",)
# How long a query that has read everything waits before it looks for more, in milliseconds. Spark's own 10 ms list the
# folders of a topic, or ask its brokers, a hundred times a second, for each query.
_SHORTEST_POLLING, _LONGEST_POLLING = 200, 1_000
# That of each query of a run, so that all queries of a run together look some 14 times a second.
_POLLING_OF_EACH = 70
_CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
# Views and settings belong to a session, and a process talks to one server.
_building = threading.Lock()
# How often a query in real time notes what it has read, in milliseconds, and how often Spark lets it.
_NOTED, _LEAST = 30_000, 5_000


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """`segments_per_batch`: files that make a batch, at most; None: 128 MB of them, and all that are there where
    records of several topics meet (see `Source`). `until_read`: end when the input that existed at the start has been
    read; otherwise continue until stopped. `one_batch`: end after one batch. `interval`: milliseconds between batches
    of one that goes on; 0: at once.
    """

    segments_per_batch: int | None = None
    until_read: bool = True
    one_batch: bool = False
    interval: int = 0
    beside: int = 1

    @property
    def polling(self) -> int:
        """Milliseconds from one look for more to read to the next, of a query that goes on.

        >>> [QueryOptions(beside=queries).polling for queries in (1, 3, 11, 100)]
        [200, 210, 770, 1000]
        """
        return min(max(_SHORTEST_POLLING, _POLLING_OF_EACH * self.beside), _LONGEST_POLLING)


def start(
    spark: SparkSession,
    stage: Stage,
    reader: Reader,
    publish: Publish | SparkSink,
    checkpoint: str,
    *,
    model: str,
    options: QueryOptions,
    columns: tuple[str, ...] = _LINE,
    left: Callable[[DataFrame], DataFrame] = lambda rows: rows,
) -> StreamingQuery:
    """Start the query, under the stage's name. `checkpoint`: its location; `columns`: those of the last view that
    `publish` takes; `left`: the rows of a batch that are to be written.

    Raises LastingError: LSQ665 if Spark refuses a step, LSQ761 if the server has no Python for `publish`; PassingError
    LSQ661 if the server is too busy to start it; a lost server raises what pyspark raises.
    """

    def begin(lines: DataFrame) -> StreamingQuery:
        from pyspark.sql.connect.functions import expr

        # Counted here, since Spark does not know what a Python function writes.
        lines = left(lines).observe(WRITTEN, expr("count(1)").alias(WRITTEN))
        batch = publish.rows(lines) if isinstance(publish, SparkSink) else lines
        writer = batch.writeStream.queryName(stage.name).option("checkpointLocation", checkpoint)
        if isinstance(publish, SparkSink):
            return _begin(writer.format(publish.format).options(**publish.options), stage, options)
        return _begin(writer.foreachBatch(publish), stage, options)

    settings = dict(stage.settings) | dict(publish.settings if isinstance(publish, SparkSink) else ())
    # The next run would replay what this one has changed; a snapshot it only links.
    settings |= {_CHANGELOG: "false"} if options.one_batch else {}
    # One that ends when all is read does not look again.
    settings |= {} if options.until_read else {"spark.sql.streaming.pollingDelay": f"{options.polling}ms"}
    return _start(spark, stage, reader, begin, model, options, tuple(settings.items()), columns)


def start_in_memory(
    spark: SparkSession,
    stage: Stage,
    reader: Reader,
    name: str,
    *,
    model: str,
    options: QueryOptions,
    settings: tuple[tuple[str, str], ...],
    checkpoint: str | None = None,
) -> StreamingQuery:
    """Start a query that writes its lines to a temporary view of that name, and its state to a new `checkpoint`, if one
    is asked for. Raises as `start`.
    """

    def begin(lines: DataFrame) -> StreamingQuery:
        writer = lines.writeStream.format("memory").queryName(name)
        return _begin(writer.option("checkpointLocation", checkpoint) if checkpoint else writer, stage, options)

    return _start(spark, stage, reader, begin, model, options, settings)


def _begin(writer: DataStreamWriter, stage: Stage, options: QueryOptions) -> StreamingQuery:
    mode = writer.outputMode(stage.write.mode)
    if stage.real_time:
        assert not (options.one_batch or options.until_read), "a query in real time has no end"
        interval = _NOTED if stage.interval is None else max(stage.interval, _LEAST)
        # The types of pyspark do not have it yet.
        trigger: dict[str, Any] = {"realTime": f"{interval} milliseconds"}
        return mode.trigger(**trigger).start()
    if options.one_batch:
        return mode.trigger(once=True).start()
    if options.until_read:
        return mode.trigger(availableNow=True).start()
    interval = options.interval if stage.interval is None else stage.interval
    return mode.trigger(processingTime=f"{interval} milliseconds").start()


def _start(
    spark: SparkSession,
    stage: Stage,
    reader: Reader,
    begin: Callable[[DataFrame], StreamingQuery],
    model: str,
    options: QueryOptions,
    settings: tuple[tuple[str, str], ...],
    columns: tuple[str, ...] = _LINE,
) -> StreamingQuery:
    step = "the start"
    with _building:
        try:
            with held(spark, settings):
                register_python(spark, stage.python_calls)
                for each in _beside(stage):
                    step = f"'{each.view if isinstance(each, Source | FileSource) else each.name}'"
                    name, frame = _frame(spark, each, reader, options)
                    frame.createOrReplaceTempView(name)
                step = "the start"
                return begin(spark.table(stage.write.view).select(*columns))
        except Exception as error:
            if is_lost(error) or isinstance(error, LsqlcError):
                raise
            if is_passing(error):
                raise PassingError([query_failed(model, stage.name, error)]) from None
            raise LastingError([query_refused(model, stage.name, step, error)]) from None


def _beside(stage: Stage) -> tuple[Step, ...]:
    """The steps of a stage; the sources of one without state know whether there are several."""
    if stage.held != "" or sum(isinstance(step, Source) for step in stage.steps) < 2:
        return stage.steps
    return tuple(replace(step, beside=True) if isinstance(step, Source) else step for step in stage.steps)


@contextmanager
def held(spark: SparkSession, settings: tuple[tuple[str, str], ...]) -> Iterator[None]:
    """Spark settings inside the `with`, and what they were before after it."""
    before: Mapping[str, str | None] = {key: spark.conf.get(key, None) for key, _ in settings}
    try:
        for key, value in settings:
            spark.conf.set(key, value)
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


def _frame(spark: SparkSession, step: Step, reader: Reader, options: QueryOptions) -> tuple[str, DataFrame]:
    from pyspark.sql.connect.functions import expr

    match step:
        case Source(view=name):
            return name, reader.read(spark, step, segments_per_batch=options.segments_per_batch)
        case FileSource(view=name):
            return name, reader.read_files(spark, step, files_per_batch=options.segments_per_batch)
        case View(name=name, sql=sql):
            return name, spark.sql(sql)
        case Watermark(name=name, view=view, column=column, delay=delay):
            return name, spark.table(view).withWatermark(column, f"{delay} milliseconds")
        case Observe(name=name, view=view, metrics=metrics):
            counts = [expr(sql).alias(metric) for metric, sql in metrics]
            return name, spark.table(view).observe(name, *counts)
