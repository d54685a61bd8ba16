"""Heartbeats by which the queries of a session keep it open without a client.

A server closes a session without calls after a timeout, an hour by default, and stops its queries. Each query has a
Python process on the server that writes its batches. The process has a client of the query's session, and a thread in
it makes a small call at regular intervals. The thread starts when the process loads the function of the batches, before
the first batch. It ends with the process, which Spark ends with the query. So the session stays open as long as one of
its queries runs.
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


class WithHeartbeat:
    """A function that writes the batches of a query, and sends heartbeats once it is loaded on the server.

    `seconds`: between two heartbeats.
    """

    def __init__(self, publish: Publish, seconds: float) -> None:
        self._publish = publish
        self._seconds = seconds

    def __reduce__(self) -> Any:
        # Pickle calls this function on the server to load the object.
        return placeless(_start_heartbeats), (self._publish, self._seconds)

    def __call__(self, batch: Any, number: int) -> None:
        self._publish(batch, number)


def seconds_between_calls(spark: SparkSession) -> float:
    """Return the seconds between two heartbeats that keep a session of this server open."""
    return pause_within(spark.conf.get(TIMEOUT, "60m") or "60m")


def pause_within(timeout: str) -> float:
    """Return the seconds between heartbeats for a timeout in Spark's notation: a third of it, and at most a minute.

    >>> [pause_within(text) for text in ("60m", "20s", "1500ms", "1", "-1", "-1s")]
    [60.0, 6.666666666666667, 0.5, 0.1, 60.0, 60.0]
    """
    match = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", timeout.lower())
    # A negative timeout means that there is no limit.
    limit = float(match[1]) * _UNITS.get(match[2], 1.0) if match else float("inf")
    return max(0.1, min(_LONGEST, limit / 3))


def _start_heartbeats(publish: Any, seconds: float) -> Any:
    """Start the heartbeats, and return the function that writes the batches. Runs on the server."""
    import threading
    import time

    from pyspark.sql import SparkSession

    # The session of the query. On newer servers, batches have another session.
    session = SparkSession.active()

    def send_heartbeats() -> None:
        while True:
            time.sleep(seconds)
            try:
                session.conf.get("spark.sql.session.timeZone")
            except Exception:
                # The server is busy, or the session has ended, and this process ends too.
                continue

    threading.Thread(target=send_heartbeats, name="lsqlc-heartbeat", daemon=True).start()
    return publish
