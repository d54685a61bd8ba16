"""Register the Python functions of a project with a session of Spark. They run in the Python processes of tasks."""

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
    """Register the functions of calls with a session, by their names in SQL. A second call replaces them."""
    if not calls:
        return
    # `pyspark.sql.functions` would need an active session.
    import pyarrow as pa
    from pyspark.sql.connect.functions import arrow_udf  # type: ignore[attr-defined]
    from pyspark.sql.pandas.types import from_arrow_type

    by_value(python_code.__name__)
    for name, call in calls.items():
        takes, gives = [arrow_type(a.type) for a in call.arguments], arrow_type(call.type)
        run = python_code.runner(call.function, call.source, takes, gives, gives)
        # By these annotations Spark detects that the function has Arrow arrays. A type as text needs an active session.
        run.__annotations__ = {"arguments": pa.Array, "return": pa.Array}
        spark.udf.register(name, arrow_udf(run, from_arrow_type(gives)))
