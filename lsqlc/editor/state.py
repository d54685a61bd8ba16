"""The projects that are open, each with its last snapshot: which files belong to which project, what is stale, what was
published.

The one place of the room with a state. Snapshots are taken in a thread, one at a time for a project, so that messages
are read meanwhile; what was typed since makes the next one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.diagnostics import Diagnostic
from lsqlc.editor.snapshot import Snapshot, Surroundings, take
from lsqlc.project.declared.config import PROJECT_FILE


@dataclass(frozen=True, slots=True)
class Opened:
    """An open document: the URI that the client calls it by."""

    uri: str
    text: str
    version: int | None


@dataclass(slots=True)
class OpenProject:
    """`opened`: the documents of the project by path below the root. `told`: by path the findings that the client has,
    with the text that they are of.
    """

    root: Path
    opened: dict[str, Opened] = field(default_factory=dict)
    snapshot: Snapshot | None = None
    stale: bool = True
    work: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None
    told: dict[str, tuple[tuple[Diagnostic, ...], str | None]] = field(default_factory=dict)

    @property
    def texts(self) -> Mapping[str, str]:
        return {path: document.text for path, document in self.opened.items()}

    async def fresh(self, surroundings: Surroundings) -> Snapshot:
        """Return the project with all that was typed so far."""
        while self.snapshot is None or self.stale:
            if self.work is None:
                self.stale = False
                self.work = asyncio.create_task(self._take(surroundings))
            # A request that is cancelled leaves the work to the others.
            await asyncio.shield(self.work)
        return self.snapshot

    async def _take(self, surroundings: Surroundings) -> None:
        try:
            self.snapshot = await asyncio.to_thread(take, self.root, self.texts, surroundings, self.snapshot)
        finally:
            self.work = None

    async def typed(self, surroundings: Surroundings) -> Snapshot:
        """Return the last snapshot with the texts as they are now: for answers that each key asks for."""
        snapshot = self.snapshot or await self.fresh(surroundings)
        return snapshot.typed(self.texts)


class Projects:
    """All open projects, by root."""

    def __init__(self) -> None:
        self.by_root: dict[Path, OpenProject] = {}

    def at(self, root: Path) -> OpenProject:
        """Return the project at a root, opened if need be."""
        return self.by_root.setdefault(root, OpenProject(root))

    def of(self, file: Path) -> tuple[OpenProject, str] | None:
        """Return the project of a file and its path there, whatever file it is; None for one outside of all
        projects.
        """
        # As the client writes it, links and all, so that what it is told about is the same file to it.
        # `isfile` takes names that no file can have, which a client may send.
        root = next((f for f in file.parents if os.path.isfile(f / PROJECT_FILE)), None)  # noqa: PTH113
        if root is None:
            return None
        return self.at(root), file.relative_to(root).as_posix()

    def below(self, folder: Path) -> Iterator[OpenProject]:
        """Yield the open projects in a folder."""
        return (p for root, p in list(self.by_root.items()) if root == folder or folder in root.parents)
