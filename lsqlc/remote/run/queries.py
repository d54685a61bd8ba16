"""Run a `Stage` as a named, checkpointed streaming query.

Spark fixes the plan of a view when the view is created, and the plan of a query when the query starts. So the views of
two queries may have the same names if one query has started before the views of the next one are created. A lock
guarantees this. A view exists until another one with its name replaces it.
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
# The pause in milliseconds before an idle query polls its topics again. With Spark's default of 10 ms, each query would
# list the folders of its topics, or send requests to the brokers, a hundred times a second.
_SHORTEST_POLLING, _LONGEST_POLLING = 200, 1_000
# The share of each query of a run, so that all queries of a run together poll about 14 times a second.
_POLLING_OF_EACH = 70
_CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
# Views and settings belong to a session, and a process has only one server.
building = threading.Lock()
# The interval in milliseconds at which a query in real-time mode writes its offsets, and the minimum that Spark allows.
_REAL_TIME_INTERVAL, _LEAST = 30_000, 5_000


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of a query.

    - `segments_per_batch`: the maximum of files in a batch; None: 128 MB of files, or all files if records of several
      topics are combined (see `Source`).
    - `until_read`: end when the input that existed at the start has been read; otherwise continue until stopped.
    - `one_batch`: end after one batch.
    - `interval`: milliseconds between the starts of batches; 0: start the next batch at once.
    - `beside`: the number of queries in the run.
    """

    segments_per_batch: int | None = None
    until_read: bool = True
    one_batch: bool = False
    interval: int = 0
    beside: int = 1

    @property
    def polling(self) -> int:
        """Milliseconds between two polls of an idle query that continues until stopped.

        >>> [QueryOptions(beside=queries).polling for queries in (1, 3, 11, 100)]
        [200, 210, 770, 1000]
        """
        return min(max(_SHORTEST_POLLING, _POLLING_OF_EACH * self.beside), _LONGEST_POLLING)


@dataclass(frozen=True, slots=True)
class Query:
    """A stage of a model that is to run as a query. `reader`: reads its sources; `columns`: those of its output."""

    model: str
    stage: Stage
    reader: Reader
    options: QueryOptions
    columns: tuple[str, ...] = _LINE


def start(
    spark: SparkSession,
    query: Query,
    publish: Publish | SparkSink,
    checkpoint: str,
    unwritten: Callable[[DataFrame], DataFrame] = lambda rows: rows,
) -> StreamingQuery:
    """Start a query, under the stage's name.

    `publish`: writes the query's columns; `checkpoint`: the location of the checkpoint; `unwritten`: returns the rows
    of a batch that must be written.

    Raises LastingError: LSQ665 if Spark rejects a step, LSQ761 if the server has no Python for `publish`. Raises
    PassingError LSQ661 if the server is too busy to start the query. Raises the errors of pyspark if the server has
    ended.
    """
    stage, options = query.stage, query.options

    def begin(lines: DataFrame) -> StreamingQuery:
        from pyspark.sql.connect.functions import expr

        # Spark does not count the records that a Python function writes, so its input is counted.
        lines = unwritten(lines).observe(WRITTEN, expr("count(1)").alias(WRITTEN))
        batch = publish.rows(lines) if isinstance(publish, SparkSink) else lines
        writer = batch.writeStream.queryName(stage.name).option("checkpointLocation", checkpoint)
        if isinstance(publish, SparkSink):
            return _begin(writer.format(publish.format).options(**publish.options), query)
        return _begin(writer.foreachBatch(publish), query)

    settings = dict(stage.settings) | dict(publish.settings if isinstance(publish, SparkSink) else ())
    # With a changelog, the next run would replay the changes of this one. A snapshot is only linked.
    settings |= {_CHANGELOG: "false"} if options.one_batch else {}
    # A query that ends after all input does not poll.
    settings |= {} if options.until_read else {"spark.sql.streaming.pollingDelay": f"{options.polling}ms"}
    return _start(spark, query, begin, tuple(settings.items()))


def start_in_memory(
    spark: SparkSession,
    query: Query,
    name: str,
    settings: tuple[tuple[str, str], ...],
    checkpoint: str | None = None,
) -> StreamingQuery:
    """Start a query that writes its lines to a temporary view of that name.

    `settings`: those of Spark; `checkpoint`: the location of a new checkpoint; None: the server deletes the state.
    Raises as `start` does.
    """

    def begin(lines: DataFrame) -> StreamingQuery:
        writer = lines.writeStream.format("memory").queryName(name)
        return _begin(writer.option("checkpointLocation", checkpoint) if checkpoint else writer, query)

    return _start(spark, query, begin, settings)


def _begin(writer: DataStreamWriter, query: Query) -> StreamingQuery:
    stage, options = query.stage, query.options
    mode = writer.outputMode(stage.write.mode)
    if stage.real_time:
        assert not (options.one_batch or options.until_read), "a query in real-time mode has no end"
        interval = _REAL_TIME_INTERVAL if stage.interval is None else max(stage.interval, _LEAST)
        # The type annotations of pyspark do not have this trigger yet.
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
    query: Query,
    begin: Callable[[DataFrame], StreamingQuery],
    settings: tuple[tuple[str, str], ...],
) -> StreamingQuery:
    """Create the views of a query's steps and start it, with these settings of Spark."""
    stage, step = query.stage, "the start"
    with building:
        try:
            with session_settings(spark, settings):
                register_python(spark, stage.python_calls)
                for each in _steps(stage):
                    step = f"'{each.view if isinstance(each, Source | FileSource) else each.name}'"
                    name, frame = _frame(spark, each, query)
                    frame.createOrReplaceTempView(name)
                step = "the start"
                return begin(spark.table(stage.write.view).select(*query.columns))
        except Exception as error:
            if is_lost(error) or isinstance(error, LsqlcError):
                raise
            if is_passing(error):
                raise PassingError([query_failed(query.model, stage.name, error)]) from None
            raise LastingError([query_refused(query.model, stage.name, step, error)]) from None


def _steps(stage: Stage) -> tuple[Step, ...]:
    """Return the steps of a stage. Mark the sources of a stage without state that has several of them."""
    if stage.held != "" or sum(isinstance(step, Source) for step in stage.steps) < 2:
        return stage.steps
    return tuple(replace(step, beside=True) if isinstance(step, Source) else step for step in stage.steps)


@contextmanager
def session_settings(spark: SparkSession, settings: tuple[tuple[str, str], ...]) -> Iterator[None]:
    """Change settings of Spark inside of the `with`, and restore them at its end."""
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


def _frame(spark: SparkSession, step: Step, query: Query) -> tuple[str, DataFrame]:
    """Return the name of a step's view, and its rows."""
    from pyspark.sql.connect.functions import expr

    match step:
        case Source(view=name):
            return name, query.reader.read(spark, step, segments_per_batch=query.options.segments_per_batch)
        case FileSource(view=name):
            return name, query.reader.read_files(spark, step, files_per_batch=query.options.segments_per_batch)
        case View(name=name, sql=sql):
            return name, spark.sql(sql)
        case Watermark(name=name, view=view, column=column, delay=delay):
            return name, spark.table(view).withWatermark(column, f"{delay} milliseconds")
        case Observe(name=name, view=view, metrics=metrics):
            counts = [expr(sql).alias(metric) for metric, sql in metrics]
            return name, spark.table(view).observe(name, *counts)
