"""The records of topics as files of lines that grow, in the order in which a reader sees them.

A plan over these files is evaluated as though each look had been a batch: a record that is seen later is newer,
whatever its time and its partition are. So the result over more records continues the result over fewer.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.connectors.transport import Offsets, Positions
from lsqlc.plan import Plan
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.topic_lines import Segments, TopicLines

# The ordinal at the beginning of a line.
_ORDINAL = re.compile(rb'\s*\{\s*"ordinal"\s*:\s*(\[[-\d,\s]+\]|-?\d+)')
_FIRST = re.compile(rb"-?\d+")
# The part of a lane that is the partition.
_PARTITION = 0xFFFF_FFFF


@dataclass(slots=True)
class GrowingLines:
    """The files of the topics that a plan reads, other than topics of files. `plan`: has the ordinals of the target;
    `folder`: where files are written.
    """

    plan: Plan
    place: RunTarget
    folder: Path
    # By topic.
    _files: dict[str, tuple[Path, ...]] = field(default_factory=dict, init=False)
    _taken: set[Path] = field(default_factory=set, init=False)
    _since: dict[str, dict[int, int]] = field(default_factory=dict, init=False)
    # The ends and the ids of the topics at the last look; None before the first one.
    _marks: Mapping[str, Positions] | None = field(default=None, init=False)
    _ids: Mapping[str, str] = field(default_factory=dict, init=False)
    # The highest first number of an ordinal.
    _highest: int = field(default=0, init=False)

    @property
    def segments(self) -> Segments:
        """The files by topic, in order of the log."""
        return self._files

    def look(self) -> bool | None:
        """Add the records that are new, and return whether there are any. None: a topic was removed, and all topics
        are read again from their beginnings.

        Raises LsqlcError for a topic that cannot be read.
        """
        log = self.place.log
        names = [topic.name for topic in self.plan.inputs if topic.files is None]
        marks = {name: log.ends(name) for name in names}
        ids = {name: log.topic_id(name) for name in names}
        is_first = self._marks is None
        if (marks, ids) == (self._marks, self._ids):
            return False
        fresh = None if self._is_anew(marks, ids) else self._fresh()
        if fresh is None:
            self._files, self._since, self._highest = {}, {}, 0
            self._taken, self._marks, self._ids = set(), None, {}
            self.look()
            return None
        self._marks, self._ids = marks, ids
        every = (line for name, paths in fresh.items() for line in _lines(name, paths))
        if is_first:
            # The files stay as they are, and may be large.
            self._note(every)
            self._files = dict(fresh)
            return True
        lines = list(every)
        self._note(lines)
        self._append(lines)
        return bool(lines)

    def _is_anew(self, marks: Mapping[str, Positions], ids: Mapping[str, str]) -> bool:
        """Return whether a topic is another one than at the last look."""
        shorter = (
            marks[name].get(part, 0) < position
            for name, positions in (self._marks or {}).items()
            for part, position in positions.items()
        )
        return any(before and ids[name] != before for name, before in self._ids.items()) or any(shorter)

    def _fresh(self) -> Segments | None:
        """Return the files with new records; None if files that were read are no longer there."""
        begun: Mapping[str, Offsets | None] = {}
        if not self.place.capabilities.has_files:
            begun = self._since
        own = Path(tempfile.mkdtemp(dir=self.folder))
        plan, place = self.plan, self.place
        lines = TopicLines({plan.name: plan}, place.log, place.root, own, begun={plan.name: begun})
        visible = lines.of(self.plan)
        if not self.place.capabilities.has_files:
            return visible
        every = {path for paths in visible.values() for path in paths if own not in path.parents}
        if not self._taken <= every:
            return None
        fresh = {name: tuple(p for p in paths if p not in self._taken) for name, paths in visible.items()}
        self._taken |= every
        return fresh

    def _note(self, lines: Iterable[_Line]) -> None:
        """Note the positions behind some lines."""
        has_partitions = self.place.capabilities.has_partitions
        for line in lines:
            if not line.ordinal:
                continue
            since = self._since.setdefault(line.topic, {})
            if has_partitions:
                _, offset, lane_number = line.ordinal
                partition = lane_number & _PARTITION
            else:
                offset, partition = line.ordinal[0], 0
            since[partition] = max(since.get(partition, 0), offset + 1)
            self._highest = max(self._highest, line.ordinal[0])

    def _append(self, lines: list[_Line]) -> None:
        """Write new lines to files, with ordinals that are higher than those of all earlier lines."""
        lines.sort(key=lambda line: line.ordinal)
        own = Path(tempfile.mkdtemp(dir=self.folder))
        texts: dict[str, list[bytes]] = {}
        for line in lines:
            self._highest += 1
            texts.setdefault(line.topic, []).append(line.at(self._highest))
        for number, (topic, of_topic) in enumerate(texts.items()):
            path = own / f"{number}.jsonl"
            path.write_bytes(b"".join(of_topic))
            self._files[topic] = (*self._files[topic], path)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a topic, with the ordinal that it begins with; empty for a line that is broken."""

    topic: str
    ordinal: tuple[int, ...]
    text: bytes

    def at(self, first: int) -> bytes:
        """Return the line with another first number of its ordinal."""
        match = _FIRST.search(self.text) if self.ordinal else None
        if match is None:
            return self.text
        return self.text[: match.start()] + b"%d" % first + self.text[match.end() :]


def _lines(topic: str, paths: Iterable[Path]) -> Iterator[_Line]:
    for path in paths:
        with path.open("rb") as file:
            for text in file:
                match = _ORDINAL.match(text)
                numbers = match[1].strip(b"[]").split(b",") if match is not None else ()
                yield _Line(topic, tuple(map(int, numbers)), text)
