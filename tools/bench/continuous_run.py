"""`lsqlc run --continuous` as a process beside a benchmark, and what it reports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.bench.process import environment


@dataclass
class ContinuousRun:
    """A run that goes on, and what it has reported: its batches, with the monotonic time of the last one. `said`: the
    lines of its stderr.
    """

    process: subprocess.Popen[bytes]
    queries: int = 0
    batches: list[Mapping[str, Any]] = field(default_factory=list)
    last: float = field(default_factory=time.monotonic)
    said: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Raise RuntimeError, with what it said, for one that has ended."""
        if self.process.poll() is not None:
            raise RuntimeError(f"the run has ended:\n{''.join(self.said)[-4000:]}")

    def listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "started":
                self.queries += 1
                self.last = time.monotonic()
            elif event["event"] == "batch":
                self.batches.append(event)
                self.last = time.monotonic()

    def hear(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.decode())


@contextmanager
def continuous_run(root: Path, *words: str) -> Iterator[ContinuousRun]:
    """The project in that folder runs inside the `with`. `words`: more of the command."""
    command = (sys.executable, "-m", "lsqlc", "run", "--continuous", "--output", "json", *words)
    with subprocess.Popen(
        command, cwd=root, env=environment(os.environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        running = ContinuousRun(process)
        threads = [threading.Thread(target=target, daemon=True) for target in (running.listen, running.hear)]
        for thread in threads:
            thread.start()
        try:
            yield running
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
            for thread in threads:
                thread.join()
