"""Register the Python functions that the SQL of a query calls with its session.

Formats without a function of Spark, such as PROTOBUF, need them. The functions run in the Python processes of tasks, on
the executors. These processes need no other package than google.protobuf.
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
    """Register functions with a session, by their names. A second call replaces them."""
    if not functions:
        return
    # `pyspark.sql.functions` would need an active session.
    from pyspark.sql.connect.functions import udf
    from pyspark.sql.types import BinaryType, StringType

    types = {"read": StringType(), "write": BinaryType()}
    by_value(__name__, *{function.module: None for function in functions})
    for function in functions:
        spark.udf.register(function.name, udf(_function(function), types[function.kind], useArrow=True))


def _function(function: PythonFunction) -> Callable[[Any], Any]:
    """Return the function that Spark calls for each record. Descriptors are created at the first record of a task."""
    module = import_module(function.module)
    make = getattr(module, function.maker)
    # The function must not refer to the module, which would be pickled as a whole.
    arguments, bad_value, mark = function.arguments, module.BadValue, UNWRITABLE
    cache: list[Callable[[Any], Any]] = []

    def call(value: Any) -> Any:
        if not cache:
            cache.append(make(*arguments))
        try:
            return cache[0](value)
        except bad_value as bad:
            raise ValueError(f"{mark}: {bad}") from None

    return call
