"""How long the Python of a server takes until it can write a batch. Spark gives it ten seconds, in which it has to
start and to import pyspark, and no setting changes that.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from lsqlc.remote.connectors.publish import by_value, placeless

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

LIMIT = 10.0


def python_seconds(session: SparkSession) -> float:
    """Seconds until a query whose batches Python writes has started. Raises what pyspark raises, also where the worker
    did not come up in time.
    """
    by_value()
    rows = session.readStream.format("rate").load()
    began = time.monotonic()
    query = rows.writeStream.foreachBatch(placeless(_nothing)).start()
    taken = time.monotonic() - began
    query.stop()
    return taken


def _nothing(batch: Any, number: int) -> None:
    return None
