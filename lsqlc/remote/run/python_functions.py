"""Functions in Python of a project, registered with a session of Spark. They run in the Python of the tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsqlc.functions import python_code
from lsqlc.functions.forms.arrow_types import arrow_type
from lsqlc.plan.expression import PythonCall
from lsqlc.remote.connectors.publish import by_value

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def register_python(spark: SparkSession, calls: Mapping[str, PythonCall]) -> None:
    """Make the functions of calls known to a session by their names in SQL. Safe to call again."""
    if not calls:
        return
    # Not `pyspark.sql.functions`, which asks for a session that is active.
    import pyarrow as pa
    from pyspark.sql.connect.functions import arrow_udf  # type: ignore[attr-defined]
    from pyspark.sql.pandas.types import from_arrow_type

    by_value(python_code.__name__)
    for name, call in calls.items():
        takes, gives = [arrow_type(a.type) for a in call.arguments], arrow_type(call.type)
        run = python_code.runner(call.function, call.source, takes, gives, gives)
        # The hints by which Spark knows that it takes and gives arrays. A type as text would need an active session.
        run.__annotations__ = {"arguments": pa.Array, "return": pa.Array}
        spark.udf.register(name, arrow_udf(run, from_arrow_type(gives)))
