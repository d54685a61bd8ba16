"""Kafka Streams: a program of topologies, with two threads, exactly once and its own defaults otherwise."""

from __future__ import annotations

import os
from pathlib import Path

from lsqlc.remote.server.jars import jars as jars_for
from tools.bench.peers.engine import Command, Job
from tools.bench.peers.java import class_path, compiled, jars_of, java
from tools.bench.peers.workload import PARALLELISM, QUERIES
from tools.bench.process import environment

_HERE = Path(__file__).parent
_SOURCES = tuple(_HERE / f"{name}.java" for name in ("Drain", "Json", "Queries"))


class KafkaStreams:
    name = "Kafka Streams"
    promise = "exactly once"
    # The highest of the counts of a window is a maximum over what changes, for which it has no aggregation.
    queries = frozenset(QUERIES) - {"q05"}

    def install(self) -> None:
        classes()

    def output(self, query: str) -> tuple[str, bool]:
        return f"streams.{query}", True

    def command(self, job: Job) -> Command:
        words = drain(job.query, job.bootstrap, job.output, f"streams-{job.id}", job.folder / "state")
        return Command(words, environment(os.environ), job.folder)

    def reading(self, job: Job) -> float | None:
        """When it read its first record."""
        return moments((job.folder / "log.out").read_text("utf-8"))[1]


def drain(query: str, bootstrap: str, output: str, application: str, state: Path) -> list[str]:
    """The command that runs a query until all is read. Raises MissingError."""
    return [
        str(java()), "-Xmx2g", "-cp", class_path(classes(), *jars()), "Drain", bootstrap, query, output, application,
        str(state), str(PARALLELISM),
    ]  # fmt: skip


def moments(printed: str) -> tuple[float, float, float]:
    """When it started, read its first record and was done, in seconds since 1970."""
    started, first, ended = (int(word) / 1000 for word in printed.splitlines()[-1].split())
    return started, first, ended


def classes() -> Path:
    """The folder of the compiled program. Raises MissingError."""
    return compiled("streams", _SOURCES, jars())


def jars() -> tuple[Path, ...]:
    """Those of Kafka Streams. Raises MissingError."""
    return (*jars_of("kafka-streams", _HERE / "jars.txt"), *jars_for("kafka-broker", dict(os.environ)))
