"""What the latency benchmark needs of an engine: a query that runs until it is ended, as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tools.bench.changes import Received
from tools.bench.latency import Query
from tools.bench.latency_waits import Live
from tools.bench.peers.engine import Command


@dataclass(frozen=True, slots=True)
class LiveJob:
    """One query, once, from one topic of one partition to another. `folder`: empty, for its state and its log; `id`: no
    other job has it.
    """

    query: Query
    bootstrap: str
    input: str
    output: str
    folder: Path
    id: str


class LiveEngine(Protocol):
    """`promise`: how often it writes a record, whatever fails, and what that takes."""

    @property
    def name(self) -> str: ...

    @property
    def promise(self) -> str: ...

    def install(self) -> None:
        """Fetch what it takes, into the cache. Raises MissingError."""

    def running(self, job: LiveJob) -> AbstractContextManager[Live]:
        """The query runs inside the `with`. What it keeps is not used again."""

    def read(self, received: Sequence[Received]) -> list[Received]:
        """Its results, with text as keys and a value of the columns of the query. Raises RuntimeError for those that
        are wrong.
        """


@dataclass(frozen=True, slots=True)
class _Process:
    process: subprocess.Popen[bytes]
    log: Path

    def check(self) -> None:
        if self.process.poll() is not None:
            raise RuntimeError(f"it has ended with {self.process.returncode}:\n{self.state()}")

    def state(self) -> str:
        return self.log.read_text("utf-8", "replace")[-4000:]


@contextmanager
def process(command: Command) -> Iterator[Live]:
    """The command runs inside the `with`. What it prints goes into the file `log.txt` of its folder."""
    log = command.folder / "log.txt"
    with log.open("wb") as out:
        started = subprocess.Popen(
            command.words, cwd=command.folder, env=dict(command.environment), stdout=out, stderr=out,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            yield _Process(started, log)
        finally:
            if started.poll() is None:
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()
