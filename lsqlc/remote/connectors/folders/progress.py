"""Progress in topics of folders: the set of the files that have been read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Self

from lsqlc.connectors.transport import Transport
from lsqlc.remote.connectors.progress import Goal, Reached
from lsqlc.remote.run.batch_log import BatchLog, End, Files, FilesEnd, file_address

# The estimated bytes of a record in a folder, which is a line of JSON.
_BYTES = 300


@dataclass(frozen=True, slots=True)
class FilesRead:
    """The files that have been read, an implementation of `Reached`."""

    files: Files = field(default_factory=dict)

    def covers(self, other: Self) -> bool:
        return other.files.keys() <= self.files.keys()

    def shared(self, others: Sequence[Self]) -> Self:
        return type(self)({p: time for p, time in self.files.items() if all(p in each.files for each in others)})

    def is_same(self, other: Self) -> bool:
        return self.files.keys() == other.files.keys()


class FilesProgress:
    """An implementation of `Progress`."""

    def nothing(self) -> FilesRead:
        return FilesRead()

    def read(self, log: BatchLog, batch: int, number: int, names: Mapping[str, str]) -> Mapping[str, FilesRead]:
        of_folder: dict[str, dict[str, int]] = {}
        for path, time in log.files(batch, number).items():
            # <folder of the topic>/data/<segment>
            of_folder.setdefault(path.split("/")[-3], {})[path] = time
        return {topic: FilesRead(of_folder.get(folder, {})) for topic, folder in names.items()}

    def is_at_end(self, log: Transport, topic: str, positions: Iterable[Reached]) -> bool:
        count = len(_files(log, topic))
        return all(len(_read(each)) >= count for each in positions)

    def left(self, log: Transport, topics: Collection[str]) -> Callable[[str, Reached], int]:
        sizes = cache(lambda topic: {file_address(s.absolute()): s.stat().st_size for s in _files(log, topic)})

        def left(topic: str, position: Reached) -> int:
            read = _read(position)
            return sum(size for segment, size in sizes(topic).items() if segment not in read) // _BYTES

        return left

    def ends(self, goals: Sequence[Goal], log: Transport, records_per_batch: int | None) -> Sequence[End]:
        ends: list[End] = []
        for goal in goals:
            files: dict[str, int] = {}
            for topic, (of, position) in goal.topics.items():
                files |= _all_files(of, topic) if position is None else _read(position)
            ends.append(FilesEnd(files))
        return ends


def _files(log: Transport, topic: str) -> tuple[Path, ...]:
    contents = log.contents(topic)
    return () if contents is None else contents.files


def _read(position: Reached) -> Files:
    assert isinstance(position, FilesRead), "the progress of this connector is a set of files"
    return position.files


def _all_files(log: Transport, topic: str) -> Files:
    files = ((path.absolute(), path.stat().st_mtime_ns // 1_000_000) for path in _files(log, topic))
    return {file_address(path): time for path, time in files}
