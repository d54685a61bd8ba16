"""lsqlc as a user runs it, in micro-batches or in real time: `lsqlc run --continuous` over a server that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from tools.bench.changes import Received
from tools.bench.latency import INPUT, OUTPUT, Place, running, write_model
from tools.bench.latency_waits import Live
from tools.bench.peers.live import LiveJob

# In real time it is noted what has been read as often as Flink takes a checkpoint here, the least that Spark allows.
_OFTEN = "SET commit.interval.ms=5000;\n"


@dataclass(frozen=True, slots=True)
class LsqlcLive:
    """`address`: of the server; `mode`: `micro-batch` or `real-time`."""

    address: str
    mode: str

    @property
    def name(self) -> str:
        return f"lsqlc, {self.mode}"

    @property
    def promise(self) -> str:
        return "exactly once" if self.mode == "micro-batch" else "at least once, noted every 5 s"

    def install(self) -> None:
        """It is there."""

    def running(self, job: LiveJob) -> AbstractContextManager[Live]:
        assert (job.input, job.output) == (f"{job.id}.{INPUT}", f"{job.id}.{OUTPUT}")
        often = _OFTEN if self.mode == "real-time" else ""
        query = replace(job.query, sql=often + job.query.sql)
        write_model(job.folder, Place(job.folder, job.bootstrap, self.address), query, self.mode, f"{job.id}.")
        return running(job.folder)

    def read(self, received: Sequence[Received]) -> list[Received]:
        return list(received)
