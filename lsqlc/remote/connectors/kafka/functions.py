"""Functions of Python that the SQL of a query calls, registered with its session.

Only formats that Spark has no function for need them, such as PROTOBUF. They run in the Python of the tasks, on the
executors, and come with all that they need but google.protobuf.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lsqlc.formats.encoding import UNWRITABLE, PythonFunction
from lsqlc.remote.connectors.publish import by_value

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def register(spark: SparkSession, functions: Sequence[PythonFunction]) -> None:
    """Make functions known to a session by their names. Safe to call again."""
    if not functions:
        return
    # Not `pyspark.sql.functions`, which asks for a session that is active.
    from pyspark.sql.connect.functions import udf
    from pyspark.sql.types import BinaryType, StringType

    types = {"read": StringType(), "write": BinaryType()}
    by_value(__name__, *{function.module: None for function in functions})
    for function in functions:
        made = udf(_function(function), types[function.kind], useArrow=True)
        spark.udf.register(function.name, made)


def _function(function: PythonFunction) -> Callable[[Any], Any]:
    """The function that Spark calls for each record. Descriptors are made at the first record of a task."""
    module = import_module(function.module)
    make = getattr(module, function.maker)
    # The function names no module, which would be pickled with all that it holds.
    arguments, bad_value, mark = function.arguments, module.BadValue, UNWRITABLE
    made: list[Callable[[Any], Any]] = []

    def call(value: Any) -> Any:
        if not made:
            made.append(make(*arguments))
        try:
            return made[0](value)
        except bad_value as bad:
            raise ValueError(f"{mark}: {bad}") from None

    return call
