"""Kafka Streams: a program of topologies, with two threads, exactly once and its own defaults otherwise."""

from __future__ import annotations

import os
from pathlib import Path

from bench.peers.engine import Command, Job
from bench.peers.java import class_path, compiled, jars_of, java
from bench.peers.workload import PARALLELISM, QUERIES
from bench.process import environment
from lsqlc.remote.server.jars import jars

_HERE = Path(__file__).parent
_SOURCES = tuple(_HERE / f"{name}.java" for name in ("Drain", "Json", "Queries"))


class KafkaStreams:
    name = "Kafka Streams"
    promise = "exactly once"
    # The highest of the counts of a window is a maximum over what changes, for which it has no aggregation.
    queries = frozenset(QUERIES) - {"q05"}

    def install(self) -> None:
        self._classes()

    def output(self, query: str) -> tuple[str, bool]:
        return f"streams.{query}", True

    def command(self, job: Job) -> Command:
        words = [
            str(java()), "-Xmx2g", "-cp", class_path(self._classes(), *_jars()), "Drain", job.bootstrap, job.query,
            job.output, f"streams-{job.id}", str(job.folder / "state"), str(PARALLELISM),
        ]  # fmt: skip
        return Command(words, environment(os.environ), job.folder)

    def reading(self, job: Job) -> float | None:
        """When it read its first record."""
        printed = [line for line in (job.folder / "log.out").read_text("utf-8").splitlines() if line.isdigit()]
        return int(printed[-1]) / 1000 if printed else None

    def _classes(self) -> Path:
        return compiled("streams", _SOURCES, _jars())


def _jars() -> tuple[Path, ...]:
    return (*jars("kafka-broker", dict(os.environ)), *jars_of("kafka-streams", _HERE / "jars.txt"))
