"""Measure how long the Python process of a server takes until it can write a batch.

Spark gives it ten seconds to start and to import pyspark. No setting changes this limit.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from lsqlc.remote.connectors.publish import by_value, placeless

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

LIMIT = 10.0


def python_seconds(session: SparkSession) -> float:
    """Return the seconds until a query with `foreachBatch` has started.

    Raises the errors of pyspark, also if the worker did not start in time.
    """
    by_value()
    rows = session.readStream.format("rate").load()
    start = time.monotonic()
    query = rows.writeStream.foreachBatch(placeless(_nothing)).start()
    seconds = time.monotonic() - start
    query.stop()
    return seconds


def _nothing(batch: Any, number: int) -> None:
    return None
