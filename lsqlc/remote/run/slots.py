"""How many tasks a server runs at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# More rows than any server has slots.
_ROWS = 8_192
# Settings that say into how many partitions a range is cut.
_SAID = ("spark.default.parallelism", "spark.sql.leafNodeDefaultParallelism")


def slots_of(spark: SparkSession) -> int | None:
    """The slots of the executors that the server has by now; None where nothing tells. A session has no other way to
    ask: Spark cuts a range into as many partitions as it has slots, unless a setting says how many.
    """
    cpus = int(spark.conf.get("spark.task.cpus", None) or 1)
    if any(spark.conf.get(key, None) for key in _SAID):
        instances, cores = (spark.conf.get(f"spark.executor.{key}", None) for key in ("instances", "cores"))
        return int(instances) * (int(cores) // cpus) if instances and cores else None
    found = spark.range(_ROWS).selectExpr("spark_partition_id() AS p").toArrow().column("p")
    return len(set(found.to_pylist())) // cpus
