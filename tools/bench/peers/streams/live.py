"""Kafka Streams for latency: one thread, and each change is written as it comes.

Exactly once, a result can be read when its transaction has been committed, which Kafka Streams does ten times a second.
Between two steps with a topic in the middle that happens twice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tools.bench.changes import Received
from tools.bench.latency_waits import Live
from tools.bench.peers.engine import Command
from tools.bench.peers.java import class_path, compiled, java
from tools.bench.peers.live import LiveJob, process
from tools.bench.peers.streams.engine import jars
from tools.bench.process import environment

_SOURCES = tuple(Path(__file__).with_name(f"{name}.java") for name in ("Live", "Json"))


@dataclass(frozen=True, slots=True)
class KafkaStreamsLive:
    """`guarantee`: in its own words."""

    guarantee: str

    @property
    def name(self) -> str:
        return f"Kafka Streams, {self._said}"

    @property
    def promise(self) -> str:
        return self._said if self.guarantee == "at_least_once" else f"{self._said}, a commit every 0.1 s"

    def install(self) -> None:
        compiled("streams-live", _SOURCES, jars())

    def running(self, job: LiveJob) -> AbstractContextManager[Live]:
        classes = class_path(compiled("streams-live", _SOURCES, jars()), *jars())
        words = [
            str(java()), "-Xmx2g", "-cp", classes, "Live", job.bootstrap, job.query.id, job.input, job.output,
            f"streams-{job.id}", str(job.folder / "state"), self.guarantee,
        ]  # fmt: skip
        return process(Command(words, environment(os.environ), job.folder))

    def read(self, received: Sequence[Received]) -> list[Received]:
        return list(received)

    @property
    def _said(self) -> str:
        return self.guarantee.removesuffix("_v2").replace("_", " ")
