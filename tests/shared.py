"""A server that all worker processes of a test run use: the first that needs it starts it, and stops it last.

Worker processes of pytest-xdist have temporary folders below one that they share. There lie three files for each
server: its address, and two locks. `NAME.start` is held while the server starts, so that one process starts it.
`NAME.uses` is held, shared, by every process that uses the server, so that its owner can wait for them. The kernel
releases both when a process dies.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
"""The name of this worker process, `gw0`; empty where there is only one process."""


@dataclass(frozen=True, slots=True)
class SharedServer:
    """A Spark Connect server. `address`: `sc://localhost:15002`, with the token; `folder`: of its files."""

    address: str
    folder: Path

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return urlsplit(self.address).port or 0


@dataclass(frozen=True, slots=True)
class SharedBroker:
    """A Kafka broker. `bootstrap`: `127.0.0.1:9092`."""

    bootstrap: str

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.bootstrap.rpartition(":")[2])


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the temporary folder that the worker processes of this run have in common."""
    base = factory.getbasetemp()
    return base.parent if WORKER else base


@contextmanager
def shared(folder: Path, name: str, start: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """Yield the address of the server with that name; start it if no process of this run has.

    `folder`: as `shared_folder` gives it. `start`: a context manager inside which the server serves at the address that
    it yields. What it raises is raised here, and the next process tries again. Where the environment has
    `LSQLC_TEST_NAME`, that is the address of a server which runs anyway (`python -m tests.servers`).
    """
    outside = os.environ.get(f"LSQLC_TEST_{name.upper()}")
    if outside is not None:
        yield outside
        return
    address_file = folder / f"{name}.address"
    with (folder / f"{name}.start").open("a") as starting, (folder / f"{name}.uses").open("a") as uses:
        fcntl.flock(starting, fcntl.LOCK_EX)
        if address_file.exists():
            fcntl.flock(uses, fcntl.LOCK_SH)
            fcntl.flock(starting, fcntl.LOCK_UN)
            yield address_file.read_text("utf-8")
            return
        with start() as address:
            address_file.write_text(address, "utf-8")
            fcntl.flock(starting, fcntl.LOCK_UN)
            try:
                yield address
            finally:
                # Nobody else begins to use it; who does already is waited for.
                fcntl.flock(starting, fcntl.LOCK_EX)
                address_file.unlink()
                fcntl.flock(starting, fcntl.LOCK_UN)
                fcntl.flock(uses, fcntl.LOCK_EX)
