"""The result of an import: the project's files, and what could not be imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic

REPORT = "IMPORT.md"
UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """A model. `origins`: the positions of its statements. `path`: its file.

    A model that does not compile is written to the folder `unsupported`, which is not part of the project.
    """

    name: str
    path: str
    text: str
    origins: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_supported(self) -> bool:
        return not any(d.is_error for d in self.diagnostics)


@dataclass(frozen=True, slots=True)
class ImportedTopic:
    """A topic. Counts are None if unknown."""

    name: str
    formats: str
    partitions: int | None = None
    replicas: int | None = None
    written_by: str | None = None


@dataclass(frozen=True, slots=True)
class Omitted:
    """A part of the export that a project cannot have: its position, its first line, and the reason."""

    origin: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Imported:
    """`kind`: the system's name. `source`: the path or URL. `cases`: the number of cases written."""

    kind: str
    source: str
    models: tuple[ImportedModel, ...]
    topics: tuple[ImportedTopic, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    cases: int = 0

    @property
    def supported(self) -> tuple[ImportedModel, ...]:
        return tuple(m for m in self.models if m.is_supported)

    @property
    def unsupported(self) -> tuple[ImportedModel, ...]:
        return tuple(m for m in self.models if not m.is_supported)

    @property
    def texts(self) -> Mapping[str, str]:
        """The models' files by path, to print diagnostics with."""
        return {m.path: m.text for m in self.models}


def first_line(text: str, width: int = 100) -> str:
    """Return the beginning of a text on one line.

    >>> first_line("DROP STREAM\\n  orders;")
    'DROP STREAM orders;'
    """
    words = " ".join(text.split())
    return words if len(words) <= width else words[: width - 1] + "…"


def merged_origins(origins: Sequence[str]) -> str:
    """Return the positions of statements, grouped by file.

    >>> merged_origins(["a.sql:3", "a.sql:9", "b.sql:1"])
    'a.sql:3, 9; b.sql:1'
    """
    by_file: dict[str, list[str]] = {}
    for origin in origins:
        file, _, line = origin.rpartition(":")
        by_file.setdefault(file, []).append(line)
    return "; ".join(f"{file}:{', '.join(lines)}" for file, lines in by_file.items())
