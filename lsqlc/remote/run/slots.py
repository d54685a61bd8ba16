"""Determine the number of tasks that a server can run at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# More rows than any server has slots.
_ROWS = 8_192
# Settings that override the number of partitions of a range.
_PARALLELISM = ("spark.default.parallelism", "spark.sql.leafNodeDefaultParallelism")


def slots_of(spark: SparkSession) -> int | None:
    """Return the number of slots of the present executors; None if it cannot be determined.

    Spark splits a range into as many partitions as it has slots, unless a setting overrides this. A session has no
    other way to get the number.
    """
    cpus = int(spark.conf.get("spark.task.cpus", None) or 1)
    if any(spark.conf.get(key, None) for key in _PARALLELISM):
        instances, cores = (spark.conf.get(f"spark.executor.{key}", None) for key in ("instances", "cores"))
        return int(instances) * (int(cores) // cpus) if instances and cores else None
    partitions = spark.range(_ROWS).selectExpr("spark_partition_id() AS p").toArrow().column("p")
    return len(set(partitions.to_pylist())) // cpus
