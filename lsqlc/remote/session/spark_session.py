"""pyspark's session, which Python's end does not wait for."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


@cache
def session_type() -> type[SparkSession]:
    """The class of our sessions.

    A session of pyspark closes its channel when it is deleted. At Python's end the threads of gRPC have been cut off,
    perhaps one that holds the lock which closing takes: the process would not end.
    """
    from pyspark.sql.connect.session import SparkSession

    class Session(SparkSession):
        def __del__(self) -> None:
            if not sys.is_finalizing():
                super().__del__()

    return Session


def imported_meanwhile() -> None:
    """Begin to import what a session takes, beside what the caller waits for. An error of it comes up where it is
    needed.
    """

    def quietly() -> None:
        with suppress(ImportError):
            import_module("pyspark.sql.connect.session")

    threading.Thread(target=quietly, name="imports", daemon=True).start()
