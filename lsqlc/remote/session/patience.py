"""The end of waiting for a server that holds its socket open and answers no more.

A call of Spark Connect has no time limit, and none would fit: starting a query takes as long as its plan does. So what
is limited is the time between two signs of life of the caller; after it the connection is cut, and the call at hand
fails as one to a lost server does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def patience(seconds: float, cut: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """A function to call, inside the `with`, between one call to the server and the next.

    If it is not called for so many seconds, `cut` is, once, in a thread of its own.
    """
    last = time.monotonic()
    ended = threading.Event()

    def alive() -> None:
        nonlocal last
        last = time.monotonic()

    def wait() -> None:
        while not ended.wait(max(0.0, last + seconds - time.monotonic())):
            if time.monotonic() - last >= seconds:
                cut()
                return

    watching = threading.Thread(target=wait, name="lsqlc-patience", daemon=True)
    watching.start()
    try:
        yield alive
    finally:
        ended.set()
        watching.join()
