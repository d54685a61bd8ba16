"""Flink SQL for latency: one task slot, records sent between tasks at once, and RocksDB.

At least once, each result is written as it comes. Exactly once, it can be read when the next checkpoint has committed
its transaction: a second at most, and what a checkpoint takes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from tools.bench.changes import Received
from tools.bench.latency_waits import Live
from tools.bench.peers.flink.engine import SETTINGS, command, filled, install
from tools.bench.peers.live import LiveJob, process

_QUERIES = Path(__file__).with_name("latency")
# Flink sends buffers between tasks when they are full, or after this time; 0: with each record.
_AT_ONCE = {"parallelism.default": "1", "execution.buffer-timeout.interval": "0 ms"}


@dataclass(frozen=True, slots=True)
class FlinkLive:
    """`guarantee`: of its sink, in its own words; `interval`: seconds between checkpoints."""

    guarantee: str
    interval: int

    @property
    def name(self) -> str:
        return f"Flink, {self.guarantee.replace('-', ' ')}"

    @property
    def promise(self) -> str:
        return f"{self.guarantee.replace('-', ' ')}, a checkpoint every {self.interval} s"

    def install(self) -> None:
        install()

    def script(self, job: LiveJob) -> str:
        """The statements of a query, with the topics of the job."""
        values = {"bootstrap": job.bootstrap, "input": job.input, "output": job.output, "id": job.id}
        return filled((_QUERIES / f"{job.query.id}.sql").read_text("utf-8"), {**values, "guarantee": self.guarantee})

    def running(self, job: LiveJob) -> AbstractContextManager[Live]:
        checkpoints = {"execution.checkpointing.interval": f"{self.interval} s"}
        return process(command(self.script(job), job.folder, {**SETTINGS, **_AT_ONCE, **checkpoints}))

    def read(self, received: Sequence[Received]) -> list[Received]:
        return [replace(result, key=_group(result.key)) for result in received]


def _group(key: bytes) -> bytes:
    """The key itself, or of a window the group in it."""
    return str(json.loads(key)["g"]).encode() if key.startswith(b"{") else key
