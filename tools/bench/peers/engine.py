"""What the benchmark needs of an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class MissingError(Exception):
    """An engine cannot be had on this machine; the message says why."""


class Installed(Protocol):
    """What has to be fetched before it can run."""

    @property
    def name(self) -> str: ...

    def install(self) -> None:
        """Fetch what it takes, into the cache. Raises MissingError."""


def is_installed(engine: Installed) -> bool:
    """Whether an engine can be had on this machine; if not, it is said why."""
    try:
        engine.install()
    except MissingError as reason:
        print(f"{engine.name} is left out: {reason}", flush=True)
        return False
    return True


@dataclass(frozen=True, slots=True)
class Job:
    """One query, once. `output`: the topic of its result; `folder`: empty, for its state and its log; `id`: no other
    job has it.
    """

    query: str
    bootstrap: str
    output: str
    folder: Path
    id: str


@dataclass(frozen=True, slots=True)
class Command:
    """A process that ends when the whole result is in the output topic."""

    words: Sequence[str]
    environment: Mapping[str, str]
    folder: Path


class Engine(Protocol):
    """`queries`: those that it has; `promise`: how often it writes a record, whatever fails."""

    name: str
    promise: str
    queries: frozenset[str]

    def install(self) -> None:
        """Fetch what it takes, into the cache. Raises MissingError."""

    def output(self, query: str) -> tuple[str, bool]:
        """The topic of the result, and whether it has to be made before."""

    def command(self, job: Job) -> Command: ...

    def reading(self, job: Job) -> float | None:
        """When it began to read, in seconds since 1970, by its own word; None if it did not say."""
