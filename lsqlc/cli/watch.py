"""The status file of a run, `.lsqlc/run.json`: what `lsqlc status` shows from another terminal."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.project.files import read_bytes
from lsqlc.remote.run.locks import write_errors
from lsqlc.remote.run.query_status import QueryStatuses, RunStatus, State, after, status_data, status_of

if TYPE_CHECKING:
    from lsqlc.remote.run.events import Event

# Batches may be quick; a file a second is enough for who looks.
_SECONDS = 1.0


def status_path(folder: Path) -> Path:
    """Return the file with the status of a project's last run; `folder` is the project's `.lsqlc`."""
    return folder / "run.json"


def read_status(folder: Path) -> RunStatus | None:
    """Return the status of the last run, or None if there is none that this version can read."""
    try:
        return status_of(json.loads(read_bytes(status_path(folder))))
    except (OSError, ValueError, RecursionError):
        # One that cannot be read says nothing; who holds the project is another question.
        return None


def note_waiting(folder: Path, until: float) -> None:
    """Note that the run whose status it is has ended, and when the next one begins, in seconds since 1970. `folder`:
    the project's `.lsqlc`.
    """
    status = read_status(folder)
    if status is not None:
        _written(status_path(folder), replace(status, state="waiting", updated=time.time(), until=until))


def _written(path: Path, status: RunStatus) -> None:
    file = path.with_name(f"run.json.{os.getpid()}")
    text = json.dumps(status_data(status), ensure_ascii=False, indent=1) + "\n"
    with write_errors(path):
        file.write_bytes(text.encode("utf-8", "replace"))
        file.replace(path)


class Watch:
    """Adds up a run's events and keeps the status file."""

    def __init__(self, folder: Path, target: str = "", project: str = "") -> None:
        self.standings: QueryStatuses = {}
        self._path = status_path(folder)
        now = time.time()
        self._status = RunStatus(os.getpid(), now, now, "running", target=target, project=project)
        self._written = 0.0
        self._stale = True
        self._write()

    @property
    def batches(self) -> int:
        """How many batches there were so far."""
        return sum(s.batches for s in self.standings.values())

    @property
    def status(self) -> RunStatus:
        """The run as it is now."""
        return replace(self._status, queries=tuple(self.standings.values()))

    def take(self, event: Event) -> None:
        self.standings = after(self.standings, event)
        self._stale = True

    def keep_up(self) -> None:
        """Write what has happened, if the file is old enough; call it now and then."""
        if self._stale and time.monotonic() - self._written >= _SECONDS:
            self._write()

    def turn(self, state: State, trouble: str | None = None) -> None:
        """Note a new state of the run, and with `trouble` what it is restarted after."""
        if trouble is not None:
            many = self._status.restarts + 1
            self._status = replace(self._status, trouble=trouble, restarts=many, failed=time.time())
        self._status = replace(self._status, state=state)
        self._write()

    def fail(self, trouble: str) -> None:
        """Note what the run ends after."""
        self._status = replace(self._status, trouble=trouble, failed=time.time())

    def skips(self, records: tuple[str, ...]) -> None:
        """Note the records that no query reads."""
        self._status = replace(self._status, skips=records)

    def _write(self) -> None:
        self._written, self._stale = time.monotonic(), False
        self._status = replace(self.status, updated=time.time())
        _written(self._path, self._status)
