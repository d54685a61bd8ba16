"""Pathway for latency: one thread, which gathers records for five milliseconds, and keeps what it has read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.bench.changes import Received
from tools.bench.latency_waits import Live
from tools.bench.peers.engine import Command
from tools.bench.peers.live import LiveJob, process
from tools.bench.peers.pathway.engine import Pathway, python
from tools.bench.process import environment

_PROGRAM = Path(__file__).with_name("live_program.py")
# How a row changes; and the columns of the query without groups and of those with, beside its keys.
_DIFF, _BARE, _GROUPED = "diff", ("g", "n"), ("c", "s")


@dataclass(frozen=True, slots=True)
class PathwayLive:
    name: str = "Pathway"
    promise: str = "at least once, a snapshot every second"

    def install(self) -> None:
        Pathway().install()

    def running(self, job: LiveJob) -> AbstractContextManager[Live]:
        kept = str(job.folder / "kept")
        words = [str(python()), str(_PROGRAM), job.bootstrap, job.query.id, job.input, job.output, kept]
        threads = {"PATHWAY_THREADS": "1", "DO_NOT_TRACK": "1", "PYTHONUNBUFFERED": "1"}
        return process(Command(words, {**environment(os.environ), **threads}, job.folder))

    def read(self, received: Sequence[Received]) -> list[Received]:
        """Rows that come. One that goes must be the last that came of its key; the one in its place may come before."""
        found: list[Received] = []
        there: dict[bytes, list[Any]] = {}
        for result in received:
            row = json.loads(result.value or b"null")
            value = {name: row[name] for name in (_BARE if "n" in row else _GROUPED)}
            rows = there.setdefault(result.key, [])
            if row[_DIFF] > 0:
                rows.append(value)
                found.append(replace(result, value=json.dumps(value).encode()))
            elif value in rows:
                rows.remove(value)
            else:
                raise RuntimeError(f"the row {result.key!r}: {value} goes, and is not there")
        return found
