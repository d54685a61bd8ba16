"""Open projects with their last snapshots.

This is the only module of the room with state. Snapshots are computed in a thread, one at a time per project, so that
messages are read meanwhile. Later edits are part of the next snapshot.
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
    """An open document. `uri`: as the client names it."""

    uri: str
    text: str
    version: int | None


@dataclass(slots=True)
class OpenProject:
    """An open project.

    `opened`: documents by path. `published`: the diagnostics that the client has by path, with the text that they refer
    to.
    """

    root: Path
    opened: dict[str, Opened] = field(default_factory=dict)
    snapshot: Snapshot | None = None
    stale: bool = True
    work: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None
    published: dict[str, tuple[tuple[Diagnostic, ...], str | None]] = field(default_factory=dict)

    @property
    def texts(self) -> Mapping[str, str]:
        return {path: document.text for path, document in self.opened.items()}

    async def fresh(self, surroundings: Surroundings) -> Snapshot:
        """Return a snapshot with all edits so far."""
        while self.snapshot is None or self.stale:
            if self.work is None:
                self.stale = False
                self.work = asyncio.create_task(self._take(surroundings))
            # Cancelling one request does not cancel the snapshot, because other requests wait for it.
            await asyncio.shield(self.work)
        return self.snapshot

    async def _take(self, surroundings: Surroundings) -> None:
        try:
            self.snapshot = await asyncio.to_thread(take, self.root, self.texts, surroundings, self.snapshot)
        finally:
            self.work = None

    async def typed(self, surroundings: Surroundings) -> Snapshot:
        """Return the last snapshot with the current texts, for requests on each keystroke."""
        snapshot = self.snapshot or await self.fresh(surroundings)
        return snapshot.typed(self.texts)


class Projects:
    """All open projects, by root."""

    def __init__(self) -> None:
        self.by_root: dict[Path, OpenProject] = {}

    def at(self, root: Path) -> OpenProject:
        """Return the project at a root, opened if needed."""
        return self.by_root.setdefault(root, OpenProject(root))

    def of(self, file: Path) -> tuple[OpenProject, str] | None:
        """Return the project of a file and the file's path in it; None outside of projects."""
        # Links are not resolved: the client must recognise the paths of diagnostics. `isfile` accepts invalid names,
        # which a client may send.
        root = next((f for f in file.parents if os.path.isfile(f / PROJECT_FILE)), None)  # noqa: PTH113
        if root is None:
            return None
        return self.at(root), file.relative_to(root).as_posix()

    def below(self, folder: Path) -> Iterator[OpenProject]:
        """Yield the open projects in a folder."""
        return (p for root, p in list(self.by_root.items()) if root == folder or folder in root.parents)
