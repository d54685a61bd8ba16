"""lsqlc as a user runs it: `lsqlc run` of one model over Kafka, on an embedded server that it starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tools.bench.peers.engine import Command, Job
from tools.bench.peers.workload import QUERIES, project
from tools.bench.process import environment


class Lsqlc:
    name = "lsqlc"
    promise = "exactly once"
    queries = frozenset(QUERIES)

    def install(self) -> None:
        """The connector, and the archive of classes that a user would make once."""
        subprocess.run([sys.executable, "-m", "lsqlc", "server", "prepare", "--kafka"], check=True)

    def output(self, query: str) -> tuple[str, bool]:
        """The model's own topic, which lsqlc makes."""
        return query, False

    def command(self, job: Job) -> Command:
        root = project(job.folder / "project")
        words = (sys.executable, "-m", "lsqlc", "run", "--select", job.query, "--output", "json")
        return Command(words, {**environment(os.environ), "LSQLC_KAFKA": job.bootstrap}, root)

    def reading(self, job: Job) -> float | None:
        """When its first query started."""
        lines = (json.loads(line) for line in _printed(job.folder).splitlines())
        return min((line["at"] for line in lines if line["event"] == "started"), default=None)


def _printed(folder: Path) -> str:
    return (folder / "log.out").read_text("utf-8")
