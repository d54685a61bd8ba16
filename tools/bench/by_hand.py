"""The queries as a user of PySpark would write them by hand: Spark's own operators where there are such, else a
stateful processor in Python.

Each gives frames with the columns `ordinal`, `timestamp`, `key` and `value`, which are written as lsqlc writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsqlc.lower.spark.steps import Source
from lsqlc.remote.connectors.folders.transport import FileTransport

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession

ByHand = Callable[["SparkSession", FileTransport, int], "DataFrame"]

_ORDER = "country STRING, amount INT"


def stateless(spark: SparkSession, topics: FileTransport, files: int) -> DataFrame:
    return (
        _records(spark, topics, files, "country STRING, item STRING, amount INT", "orders")
        .where("value.amount > 100")
        .selectExpr(
            "ordinal", "timestamp", "key",
            "named_struct('item', value.item, 'country', upper(value.country), 'twice', value.amount * 2) AS value",
        )
    )  # fmt: skip


def aggregation(spark: SparkSession, topics: FileTransport, files: int) -> DataFrame:
    from pyspark.sql.connect.functions import expr

    orders = _records(spark, topics, files, _ORDER, "orders").where("value IS NOT NULL")
    return (
        orders.groupBy("key")
        .agg(expr("max(ordinal) AS ordinal"), expr("max(timestamp) AS timestamp"), *_totals())
        .selectExpr("ordinal", "timestamp", "key", "named_struct('n', n, 'total', total) AS value")
    )


def windows(spark: SparkSession, topics: FileTransport, files: int) -> DataFrame:
    from pyspark.sql.connect.functions import expr, window

    orders = _records(spark, topics, files, _ORDER, "orders").where("value IS NOT NULL")
    return (
        orders.selectExpr("*", "timestamp_millis(timestamp) AS at")
        .withWatermark("at", "1 minute")
        .groupBy("key", window("at", "1 minute"))
        .agg(expr("max(ordinal) AS ordinal"), expr("max(timestamp) AS timestamp"), *_totals())
        .selectExpr(
            "ordinal", "timestamp",
            "named_struct('key', key, 'start', unix_millis(window.start), 'end', unix_millis(window.end)) AS key",
            "named_struct('n', n, 'total', total) AS value",
        )
    )  # fmt: skip


def stream_table(spark: SparkSession, topics: FileTransport, files: int) -> DataFrame:
    """Spark has no join that meets the row of a table as it stood: so a processor that keeps it."""
    from pyspark import cloudpickle

    from tools.bench import stateful_join

    cloudpickle.register_pickle_by_value(sys.modules[stateful_join.__name__])  # type: ignore[no-untyped-call]
    fields = "item STRING, amount INT, tier STRING"
    events = _records(spark, topics, files, fields, "orders", "customers").selectExpr(
        "key", "ordinal", "timestamp", "_topic = 'orders' AS is_order", "value.item", "value.amount", "value.tier"
    )
    return (
        events.groupBy("key")
        .transformWithState(stateful_join.MeetNewest(), stateful_join.MET, "Append", "None")
        .selectExpr(
            "ordinal", "timestamp", "key", "named_struct('item', item, 'amount', amount, 'tier', tier) AS value"
        )
    )


def table_table(spark: SparkSession, topics: FileTransport, files: int) -> DataFrame:
    from pyspark.sql.connect.functions import expr

    rows = _records(spark, topics, files, "tier STRING, points INT", "customers", "accounts")

    def newest(topic: str) -> str:
        return f"max_by(struct(value AS v), ordinal) FILTER (WHERE _topic = '{topic}').v"

    return (
        rows.where("key IS NOT NULL")
        .groupBy("key")
        .agg(
            expr("max(ordinal) AS ordinal"), expr("max(timestamp) AS timestamp"),
            expr(f"{newest('customers')} AS l"), expr(f"{newest('accounts')} AS r"),
        )
        .selectExpr(
            "ordinal", "timestamp", "key",
            "if(l IS NULL OR r IS NULL, NULL, named_struct('tier', l.tier, 'points', r.points)) AS value",
        )
    )  # fmt: skip


def lines(frame: DataFrame) -> DataFrame:
    """The one column that is written to a topic."""
    parts = ", ".join(f"'{name}', {name}" for name in ("ordinal", "timestamp", "key", "value"))
    return frame.selectExpr(f"to_json(named_struct({parts}), map('ignoreNullFields', 'false')) AS line")


def _totals() -> list[Any]:
    from pyspark.sql.connect.functions import expr

    return [expr("count(*) AS n"), expr("sum(value.amount) AS total")]


def _records(spark: SparkSession, topics: FileTransport, files: int, fields: str, *names: str) -> DataFrame:
    """The records of topics, with no more of them parsed than is needed."""
    read = topics.read(spark, Source("lines", names), segments_per_batch=files)
    schema = f"ordinal BIGINT, timestamp BIGINT, key STRING, value STRUCT<{fields}>"
    return read.selectExpr("_topic", f"inline(array(from_json(_line, '{schema}')))")
