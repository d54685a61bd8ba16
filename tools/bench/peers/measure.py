"""A process watched from outside while it drains its topics: what the broker shows of its result, and what Linux counts
of the process and of all that it starts.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench.peers.engine import Command
from tools.bench.peers.output import Output
from tools.bench.spent import below, processes

# Seconds between two looks, and those that a query may take.
_STEP = 0.1
LONGEST = 600.0


class FailedError(Exception):
    """A process that ended with an error or did not end; the message has the end of what it printed."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen at a moment: seconds since 1970, processor seconds so far, bytes in memory, records that a reader
    of committed records can see in the output.
    """

    at: float
    processor: float
    memory: int
    visible: int


@dataclass(frozen=True, slots=True)
class Watched:
    """Looks at a process, from before it started until it ended. `memory`: the peak."""

    looks: Sequence[Look]

    @property
    def began(self) -> float:
        return self.looks[0].at

    @property
    def first(self) -> float:
        """When something of the result could first be read."""
        return next((look.at for look in self.looks if look.visible), self.looks[-1].at)

    @property
    def complete(self) -> float:
        """When nothing more came."""
        return next(look.at for look in self.looks if look.visible == self.looks[-1].visible)

    @property
    def memory(self) -> int:
        return max(look.memory for look in self.looks)

    def processor(self, since: float, until: float) -> float:
        """Processor seconds between two moments."""
        return self._spent(until) - self._spent(since)

    def _spent(self, moment: float) -> float:
        return next((look.processor for look in self.looks if look.at >= moment), self.looks[-1].processor)


def watched(command: Command, output: Output, log: Path) -> Watched:
    """Run a command to its end. Its stdout and stderr go to files beside `log`. Raises FailedError."""
    with log.open("wb") as errors, log.with_suffix(".out").open("wb") as out:
        looks = [Look(time.time(), 0.0, 0, 0)]
        process = subprocess.Popen(
            command.words, cwd=command.folder, env=dict(command.environment), stdout=out, stderr=errors,
            start_new_session=True,
        )  # fmt: skip
        try:
            while process.poll() is None:
                looks.append(_look(process.pid, looks[-1], output))
                if looks[-1].at - looks[0].at > LONGEST:
                    raise FailedError(f"did not end within {LONGEST:g} s: {_tail(log)}")
                time.sleep(_STEP)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
    if code:
        raise FailedError(f"ended with {code}: {_tail(log)}")
    looks.append(Look(time.time(), looks[-1].processor, 0, output.visible()))
    return Watched(looks)


def _look(root: int, last: Look, output: Output) -> Look:
    found = below(root, processes())
    processor = sum(each.own + each.ended for each in found) / os.sysconf("SC_CLK_TCK")
    memory = sum(each.pages for each in found) * os.sysconf("SC_PAGE_SIZE")
    # What has ended may be seen no more before its parent has counted it.
    return Look(time.time(), max(processor, last.processor), memory, max(output.visible(), last.visible))


def _tail(log: Path) -> str:
    """The last reason that a Java program gives, or the end of what was printed."""
    printed = "".join(path.read_text("utf-8", "replace") for path in (log.with_suffix(".out"), log))
    reasons = [line for line in printed.splitlines() if line.startswith("Caused by:")]
    return reasons[-1] if reasons else printed[-1000:]
