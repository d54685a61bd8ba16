"""A session that its own queries keep alive, without a client.

A server closes a session that nobody has called for a while, an hour unless it is set otherwise, and the queries of the
session end with it. Each query has a Python process on the server that carries its batches, and that process has a
client of the query's session: a thread in it makes a small call now and then. The thread starts when the process loads
the function of the batches, before there is a batch, and ends with the process, which Spark ends with the query. So the
session lives as long as one of its queries does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lsqlc.remote.connectors.publish import Publish, placeless

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TIMEOUT = "spark.connect.session.manager.defaultSessionTimeout"
_UNITS = {"us": 1e-6, "ms": 1e-3, "": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = 60.0


class KeptAlive:
    """What carries the batches of a query, and keeps the query's session alive once it is loaded on the server.
    `seconds`: between two calls.
    """

    def __init__(self, publish: Publish, seconds: float) -> None:
        self._publish = publish
        self._seconds = seconds

    def __reduce__(self) -> Any:
        # What is called to load it is called on the server.
        return placeless(_loaded), (self._publish, self._seconds)

    def __call__(self, batch: Any, number: int) -> None:
        self._publish(batch, number)


def seconds_between_calls(spark: SparkSession) -> float:
    """How often a session of this server has to be called to stay alive."""
    return pause_within(spark.conf.get(TIMEOUT, "60m") or "60m")


def pause_within(timeout: str) -> float:
    """Seconds between calls for a time limit as Spark writes it: a third of the limit, and at most a minute.

    >>> [pause_within(text) for text in ("60m", "20s", "1500ms", "1", "-1", "-1s")]
    [60.0, 6.666666666666667, 0.5, 0.1, 60.0, 60.0]
    """
    found = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", timeout.lower())
    # A negative limit is none.
    limit = float(found[1]) * _UNITS.get(found[2], 1.0) if found else float("inf")
    return max(0.1, min(_LONGEST, limit / 3))


def _loaded(publish: Any, seconds: float) -> Any:
    """On the server: start the calls, and return what carries the batches."""
    import threading
    import time

    from pyspark.sql import SparkSession

    # That of the query; batches come with a session of their own on newer servers.
    session = SparkSession.active()

    def keep() -> None:
        while True:
            time.sleep(seconds)
            try:
                session.conf.get("spark.sql.session.timeZone")
            except Exception:
                # The server is busy, or the session is gone, and this process with it.
                continue

    threading.Thread(target=keep, name="lsqlc-keep-alive", daemon=True).start()
    return publish
