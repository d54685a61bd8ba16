"""Compute the rows that a stage has before its first record (see `lower.spark.first_rows`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsqlc.lower.spark.steps import Stage
from lsqlc.remote.run.python_functions import register_python
from lsqlc.remote.run.queries import building
from lsqlc.remote.session.failures import LastingError, is_lost, query_refused

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def first_rows(spark: SparkSession, model: str, stage: Stage, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the values of these columns of the rows of `Stage.first`.

    Raises LastingError LSQ665 if Spark
    rejects the SQL, and the errors of pyspark if the server has ended.
    """
    try:
        register_python(spark, stage.python_calls)
        # Views of other queries have the same names.
        with building:
            for view in stage.first:
                spark.sql(view.sql).createOrReplaceTempView(view.name)
            rows = spark.table(stage.first[-1].name).select(*columns).toArrow().to_pylist()
    except Exception as error:
        if is_lost(error):
            raise
        raise LastingError([query_refused(model, stage.name, f"'{stage.first[-1].name}'", error)]) from None
    return [tuple(row[column] for column in columns) for row in rows]
