"""Processes of tests that end with the test, however that ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lsqlc.remote.server.watched import Launch, Watched

# Seconds; a busy machine starts a Spark server in a minute.
_TIMEOUT = 150.0


class Process(Watched):
    """A context manager: a command that runs inside the `with`. `log`: the file of what it prints; `ready`: whether it
    serves; `grace`: seconds that it has to end by itself. Entering raises AssertionError, with the end of its log,
    where it does not come to serve.
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str],
        ready: Callable[[], bool],
        *,
        grace: float = 5.0,
    ) -> None:
        super().__init__()
        self.log = log
        self._command, self._environment, self._ready, self._grace = command, environment, ready, grace

    def start(self) -> None:
        self._launch(Launch(self._command, self.log.parent, self._environment, self.log, self._grace))
        deadline = time.monotonic() + _TIMEOUT
        while not self._ready():
            death = self._death()
            if death is not None or time.monotonic() > deadline:
                self.stop()
                why = death.reason if death is not None else f"it was not ready within {_TIMEOUT:g} seconds"
                raise AssertionError(f"{why}\n{self.text()[-6000:]}")
            time.sleep(0.1)

    def text(self) -> str:
        """What it has printed."""
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""
