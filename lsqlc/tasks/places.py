"""Where a project runs: the one module that decides, from a target, which transport holds the topics.

Commands ask for a `Place` and talk to protocols; none of them constructs a transport itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.tasks import STATE_FOLDER
from lsqlc.topics.log import FileLog
from lsqlc.topics.transport import Transport

if TYPE_CHECKING:
    from lsqlc.project.declared.profiles import Target
    from lsqlc.remote.topics.transport import Transport as StreamTransport


@dataclass(frozen=True, slots=True)
class Place:
    """A target of a project. `root`: the project's folder; `log`: its topics as the client sees them; `checkpoints`:
    where the checkpoints of queries lie.
    """

    root: Path
    target: Target
    log: Transport
    checkpoints: Path

    @property
    def state(self) -> Path:
        """The folder of the project's own state: locks, the status of a run, embedded servers."""
        return self.root / STATE_FOLDER

    @property
    def shared(self) -> Mapping[str, Path]:
        """The folders that a server must see under the same path as the client, by what lies in them."""
        return {"checkpoints": self.checkpoints, "topics": topics_folder(self.root, self.target)}

    def streams(self) -> StreamTransport:
        """The topics as streaming queries read and write them."""
        from lsqlc.remote.topics.transport import FileTransport

        return FileTransport(topics_folder(self.root, self.target), self.root)


def place_of(root: Path, target: Target) -> Place:
    """The place that a target describes. Nothing is opened or created."""
    log = FileLog(topics_folder(root, target), target.topics or f"{STATE_FOLDER}/topics")
    return Place(root, target, log, checkpoints_folder(root, target))


def topics_folder(root: Path, target: Target) -> Path:
    """Where the embedded topics of a target lie; server and client see it under the same path."""
    return root / target.topics if target.topics else root / STATE_FOLDER / "topics"


def checkpoints_folder(root: Path, target: Target) -> Path:
    """Where the checkpoints of a target's queries lie."""
    return root / target.checkpoints if target.checkpoints else root / STATE_FOLDER / "checkpoints"
