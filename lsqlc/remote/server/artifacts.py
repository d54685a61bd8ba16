"""The jars that lsqlc downloads, each with its version and its checksum: two sets, listed in `pinned/`.

A download has the bytes that were tested, or is an error, whatever mirror, proxy or repository it comes from.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

SetName = Literal["kafka-broker", "spark-kafka"]

_PINNED = Path(__file__).with_name("pinned")


@dataclass(frozen=True, slots=True)
class Artifact:
    """A jar of a Maven repository. `size` in bytes; `sha256` in lower-case hexadecimal digits."""

    organisation: str
    name: str
    version: str
    size: int
    sha256: str

    @property
    def file(self) -> str:
        """The name of the jar's file."""
        return f"{self.name}-{self.version}.jar"


@dataclass(frozen=True, slots=True)
class ArtifactSet:
    """Jars that are used together. `key`: the name of their folder, which depends on all jars of the set."""

    name: str
    artifacts: tuple[Artifact, ...]
    key: str

    @property
    def size(self) -> int:
        """The bytes of all jars."""
        return sum(artifact.size for artifact in self.artifacts)


def parse_set(name: str, text: str) -> ArtifactSet:
    """Parse a set: a line `organisation:name:version size sha256` for each jar; `#` begins a comment.

    >>> parse_set("one", "org.example:tool:1.0 12 00ff").artifacts[0].file
    'tool-1.0.jar'
    """
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    artifacts = tuple(_artifact(*line) for line in lines)
    digest = hashlib.sha256("\n".join(" ".join(line) for line in lines).encode()).hexdigest()
    return ArtifactSet(name, artifacts, f"{name}-{digest[:12]}")


def _artifact(coordinates: str, size: str, sha256: str) -> Artifact:
    organisation, name, version = coordinates.split(":")
    return Artifact(organisation, name, version, int(size), sha256)


@cache
def pinned(name: SetName) -> ArtifactSet:
    """Return a set by its name: `kafka-broker` for a broker, `spark-kafka` for the class path of a Spark server."""
    return parse_set(name, (_PINNED / f"{name}.txt").read_text("utf-8"))
