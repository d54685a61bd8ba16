"""A time limit for calls to a server that keeps its socket open and does not answer any more.

Calls of Spark Connect have no time limit. No fixed limit would fit, since the start of a query takes longer for a
larger plan. So the limit is for the time between two reports of the caller. After it the connection is closed, and the
pending call fails like a call to a server that has ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def call_timeout(seconds: float, disconnect: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """Yield a function to call between one call to the server and the next.

    If it is not called for that many seconds, `disconnect` is called, once, in another thread.
    """
    last = time.monotonic()
    ended = threading.Event()

    def alive() -> None:
        nonlocal last
        last = time.monotonic()

    def wait() -> None:
        while not ended.wait(max(0.0, last + seconds - time.monotonic())):
            if time.monotonic() - last >= seconds:
                disconnect()
                return

    watching = threading.Thread(target=wait, name="lsqlc-call-timeout", daemon=True)
    watching.start()
    try:
        yield alive
    finally:
        ended.set()
        watching.join()
