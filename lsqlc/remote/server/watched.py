"""A process that a watchdog ends when its starter dies: what a Spark server and a broker of our own have in common."""

from __future__ import annotations

import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from lsqlc.remote.server import watchdog


@dataclass(frozen=True, slots=True)
class Death:
    """How a process ended, as a clause; `killed`: by a signal."""

    reason: str
    killed: bool


class Watched(ABC):
    """A context manager: the process runs inside the `with`, and is gone after it. `start` is each subclass's own."""

    def __init__(self) -> None:
        self.pid = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        """Whether the process runs; it may still be starting or stopping."""
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @abstractmethod
    def start(self) -> None:
        """Start it and wait until it serves."""

    def stop(self) -> None:
        """End it in order, and wait until it has gone. Safe to call again."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        # The watchdog ends the process once its own input ends.
        process.stdin.close()
        process.wait()
        process.stdout.close()

    def _launch(
        self,
        command: Sequence[str],
        *,
        log: Path,
        grace: float,
        folder: Path,
        environment: Mapping[str, str],
        lock: int | None,
    ) -> None:
        """Start the command under a watchdog, which writes what it prints to `log`. `grace`: seconds that it has to end
        by itself; `lock`: the descriptor of a lock that it holds for as long as it lives.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", watchdog.__file__, f"{grace:g}", str(log), *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment), cwd=folder, start_new_session=True,
            pass_fds=() if lock is None else (lock,),
        )  # fmt: skip
        assert self._process.stdout is not None
        pid = self._process.stdout.readline().strip()
        self.pid = int(pid) if pid else 0

    def _death(self) -> Death | None:
        """How the process ended; None while it runs."""
        if self.alive:
            return None
        assert self._process is not None
        code = self._process.returncode
        if code > watchdog.KILLED:
            return Death(f"it was killed by signal {code - watchdog.KILLED}", killed=True)
        return Death(f"it ended with exit code {code}", killed=False)
