"""A session of pyspark that does not block the end of the Python process."""

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
    """Return the class of lsqlc's sessions.

    A session of pyspark closes its channel when it is deleted. When Python ends, the threads of gRPC have been stopped
    before. One of them may hold the lock that closing needs, and the process would never end.
    """
    from pyspark.sql.connect.session import SparkSession

    class Session(SparkSession):
        def __del__(self) -> None:
            if not sys.is_finalizing():
                super().__del__()

    return Session


def imported_meanwhile() -> None:
    """Start to import the modules of a session in another thread. A failed import is reported where they are used."""

    def quietly() -> None:
        with suppress(ImportError):
            import_module("pyspark.sql.connect.session")

    threading.Thread(target=quietly, name="imports", daemon=True).start()
