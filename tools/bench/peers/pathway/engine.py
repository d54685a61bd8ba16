"""Pathway: a program in a venv of its own, with two threads. It writes what changes, at least once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from lsqlc.project.user_cache import cache_folder
from lsqlc.remote.server.jars import OFFLINE
from tools.bench.peers.engine import Command, Job, MissingError
from tools.bench.peers.workload import PARALLELISM, QUERIES
from tools.bench.process import environment

VERSION = "0.33.0"
_PROGRAM = Path(__file__).with_name("program.py")


class Pathway:
    name = "Pathway"
    promise = "at least once"
    queries = frozenset(QUERIES)

    def install(self) -> None:
        place = _venv()
        if place.exists():
            return
        if os.environ.get(OFFLINE) == "1":
            raise MissingError(f"'{place}' is not there, and {OFFLINE}=1 disables downloads")
        print(f"installing pathway {VERSION} (1.6 GB) into '{place}'", flush=True)
        # A venv cannot be moved: it gets its mark when it is whole.
        shutil.rmtree(place.parent, ignore_errors=True)
        for words in (
            [sys.executable, "-m", "venv", str(place.parent)],
            [str(python()), "-m", "pip", "install", "--quiet", f"pathway=={VERSION}"],
        ):
            ran = subprocess.run(words, capture_output=True, text=True)
            if ran.returncode:
                raise MissingError(f"pip cannot install pathway {VERSION}: {ran.stderr.strip()[-300:]}")
        place.touch()

    def output(self, query: str) -> tuple[str, bool]:
        return f"pathway.{query}", True

    def command(self, job: Job) -> Command:
        words = [str(python()), str(_PROGRAM), job.bootstrap, job.query, job.output]
        threads = {"PATHWAY_THREADS": str(PARALLELISM), "DO_NOT_TRACK": "1", "PYTHONUNBUFFERED": "1"}
        return Command(words, {**environment(os.environ), **threads}, job.folder)

    def reading(self, job: Job) -> float | None:
        """When its program was built."""
        first = (job.folder / "log.out").read_text("utf-8").split()
        return float(first[0]) if first else None


def python() -> Path:
    """The program of its venv, which `install` makes."""
    return _venv().parent / "bin" / "python"


def _venv() -> Path:
    """The file that is there when the venv beside it is whole."""
    return cache_folder(dict(os.environ)) / "peers" / f"pathway-{VERSION}" / "whole"
