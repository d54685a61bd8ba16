"""A process that a watchdog ends when its starter dies: the common part of a Spark server and a Kafka broker."""

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


@dataclass(frozen=True, slots=True)
class Launch:
    """The start of a process. `folder`: its working directory; `grace`: seconds that it may take to shut down.

    `log`: the file to which its output is appended; `lock`: the file descriptor of a lock that it holds while it runs.
    """

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    log: Path
    grace: float
    lock: int | None = None


class Watched(ABC):
    """A context manager of a process, which runs inside of the `with`. Subclasses define `start`."""

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
        """Start the process and wait until it is ready."""

    def stop(self) -> None:
        """Shut the process down, and wait until it has ended. A second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        # The watchdog ends the process at the end of its own standard input.
        process.stdin.close()
        process.wait()
        process.stdout.close()

    def _launch(self, launch: Launch) -> None:
        """Start a process under a watchdog."""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", watchdog.__file__, f"{launch.grace:g}", str(launch.log), *launch.command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(launch.environment), cwd=launch.folder,
            start_new_session=True, pass_fds=() if launch.lock is None else (launch.lock,),
        )  # fmt: skip
        assert self._process.stdout is not None
        pid = self._process.stdout.readline().strip()
        self.pid = int(pid) if pid else 0

    def _death(self) -> Death | None:
        """Return how the process ended; None while it runs."""
        if self.alive:
            return None
        assert self._process is not None
        code = self._process.returncode
        if code > watchdog.KILLED:
            return Death(f"it was killed by signal {code - watchdog.KILLED}", killed=True)
        return Death(f"it ended with exit code {code}", killed=False)
