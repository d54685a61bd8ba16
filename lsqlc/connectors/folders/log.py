"""Topics as folders of JSON lines under one root: the embedded transport.

The ordinal of a record is its place in arrival over all topics of the root: one counter, in `.next`, guarded by the
lock on `.lock`. Readers take no lock. Ordinals are reserved before their records become visible, so a crash may leave a
gap, never a number given twice.
"""

from __future__ import annotations

import heapq
import json
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType

import msgspec
from filelock import FileLock

from lsqlc.connectors import findings, naming
from lsqlc.connectors.bad_records import position
from lsqlc.connectors.findings import Findings, file_errors
from lsqlc.connectors.folders import segment_places, segments, sums
from lsqlc.connectors.folders.sums import Summed
from lsqlc.connectors.lines import line_decoder, line_encoder, record_checker, time_problem
from lsqlc.connectors.shared import make_folder
from lsqlc.connectors.skips import Skip
from lsqlc.connectors.transport import (
    NOWHERE,
    AppendResult,
    Contents,
    Lines,
    LogPart,
    Missing,
    NewRecords,
    Offsets,
    Positions,
    TopicWriter,
    Transport,
)
from lsqlc.connectors.unreadable import ToldOf, Unreadable, unreadable_line
from lsqlc.diagnostics import Diagnostic
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.record import Record, StoredRecord, Topic

_NONE_LOST: Mapping[Path, Diagnostic] = MappingProxyType({})
_NO_POSITIONS: Positions = MappingProxyType({})
_NO_CONTENTS: Mapping[Path, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class OtherFolder:
    """Where the topics lie that an environment reads from another one: below `root`, which messages call `shown`. Those
    in `own` it writes itself. `target`: what the other one is called.
    """

    target: str
    root: Path
    shown: str
    own: frozenset[str]

    def has(self, topic: str) -> bool:
        """Whether the topic lies there. What lsqlc makes for itself never does."""
        return not naming.is_here(topic, self.own)


@dataclass(frozen=True, slots=True)
class FileLog(Transport):
    """All topics of a project. `root` is created when first written to; `shown` is how messages call it. `renamed`:
    topics that lie in the folder of another name; `elsewhere`: where those lie that are not below `root`.

    Every method raises LsqlcError: LSQ404 for a name that no folder can have, LSQ405 where the file system refuses.
    """

    root: Path
    shown: str = ".lsqlc/topics"
    renamed: Mapping[str, str] = field(default_factory=dict)
    elsewhere: OtherFolder | None = None

    def names(self) -> tuple[str, ...]:
        """The topics that exist, in order of their names."""
        with file_errors("*", self.shown):
            try:
                folders = [f.name for f in self.root.iterdir() if (f / "data").is_dir()]
            except FileNotFoundError:
                return ()
        return tuple(sorted(name for name in map(naming.topic_name, folders) if name is not None))

    def data_dir(self, topic: str) -> Path:
        """The folder of the topic's segments, for a reader or a writer of files; created if missing. What an
        interrupted append left ready is visible afterwards.
        """
        folder = self._own_folder(topic)
        with file_errors(topic, self._shown(folder)):
            segments.make_folders(folder)
            segments.finish_appends(folder)
        return folder / "data"

    def segments(self, topic: str) -> tuple[Path, ...]:
        """The visible segments, by name."""
        folder = self.folder(topic)
        with file_errors(topic, self._shown(folder)):
            segments.finish_appends(folder)
            return segments.listing(folder)

    def append(self, topic: Topic, records: Iterable[Record], *, segments_of: int | None = None) -> AppendResult:
        """Give records the next ordinals and make them visible, all or none, in segments of `segments_of` records
        (None: one segment). Values are as `Record` says; the `topic` of a record is not looked at. Other
        appends wait meanwhile.

        Raises LsqlcError with a LSQ400 for each thing that does not fit.
        """
        with file_errors(topic.name, self._shown(self.folder(topic.name))), self._lock():
            return self._append(topic, records, segments_of)

    @contextmanager
    def feed(self, topic: Topic) -> Iterator[TopicWriter]:
        """A topic open for appends inside the `with`: each is a segment."""
        check = record_checker(topic)

        def fits(record: Record) -> None:
            time, _, value = check(record)
            problem = time_problem(topic, value, time)
            if problem is not None:
                raise ValueProblems([problem])

        yield TopicWriter(fits, lambda records: self.append(topic, records))

    def append_runs(self, runs: Iterable[tuple[Topic, Iterable[Record], int]]) -> dict[str, AppendResult]:
        """Append runs of records of several topics, one after the other, with ordinals in that order, all or none but
        for a crash of the machine. A run is cut into segments of so many records. What was written, by topic.

        Raises LsqlcError with a LSQ400 for each thing that does not fit in the first run that has one.
        """
        with file_errors("*", self.shown), self._lock():
            return self._append_runs(runs)

    def _append_runs(self, runs: Iterable[tuple[Topic, Iterable[Record], int]]) -> dict[str, AppendResult]:
        """As `append_runs`, by who holds the lock."""
        first = ordinal = self._next_ordinal()
        staged: dict[str, tuple[Path, Path]] = {}
        done: dict[str, AppendResult] = {}
        try:
            for topic, records, size in runs:
                folder = self._own_folder(topic.name)
                if topic.name not in staged:
                    segments.make_folders(folder)
                    segments.finish_appends(folder)
                    staged[topic.name] = folder, segments.new_staging(folder, first)
                with file_errors(topic.name, self._shown(folder)):
                    count = _stage(topic, iter(records), staged[topic.name][1], ordinal, size)
                known = done.get(topic.name, AppendResult(0, ordinal, ordinal))
                ordinal += count
                files = known.files + -(-count // size)
                done[topic.name] = replace(known, count=known.count + count, end=ordinal, files=files)
            self._reserve(ordinal)
            for name, (folder, staging) in staged.items():
                if done[name].count:
                    segments.publish(folder, staging)
        finally:
            for _, staging in staged.values():
                shutil.rmtree(staging, ignore_errors=True)
        return done

    def append_together(
        self, id: str, seen: Topic, prepare: Callable[[], Sequence[tuple[Topic, Sequence[Record]]]]
    ) -> None:
        """Append records to several topics, all or none but for a crash of the machine, while nobody else appends."""
        with file_errors("*", self.shown), self._lock():
            self._append_runs([(topic, records, max(1, len(records))) for topic, records in prepare()])

    def arrivals(self) -> int:
        """The ordinal of the next record that is appended, over all topics."""
        with file_errors("*", self.shown), self._lock():
            return self._next_ordinal()

    def append_unless_arrived(self, parts: Iterable[tuple[Topic, Iterable[Record]]], arrivals: int | None) -> bool:
        """As `Transport.append_unless_arrived`, under the lock of appends."""
        with file_errors("*", self.shown), self._lock():
            if self._next_ordinal() != arrivals:
                return False
            for topic, records in parts:
                self._append(topic, records, None)
            return True

    def _append(self, topic: Topic, records: Iterable[Record], segments_of: int | None) -> AppendResult:
        """As `append`, by who holds the lock."""
        folder = self._own_folder(topic.name)
        with file_errors(topic.name, self._shown(folder)):
            segments.make_folders(folder)
            segments.finish_appends(folder)
            first = self._next_ordinal()
            staging = segments.new_staging(folder, first)
            try:
                count = _stage(topic, iter(records), staging, first, segments_of)
                if count:
                    self._reserve(first + count)
                    segments.publish(folder, staging)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
        files = -(-count // (segments_of or count)) if count else 0
        return AppendResult(count, first, first + count, files)

    def append_batch(self, topic: Topic, records: Iterable[StoredRecord], *, generation: str, batch: int) -> bool:
        """Make a batch of derived records visible as one segment, with the ordinals that they have. False, with nothing
        changed, if that batch of that generation is there already; the records are consumed all the same.

        Raises LsqlcError with a LSQ400 for each thing that does not fit.
        """
        folder = self._own_folder(topic.name)
        segment = folder / "data" / naming.batch_segment(generation, batch)
        with file_errors(topic.name, self._shown(folder)):
            segments.make_folders(folder)
            handle, name = tempfile.mkstemp(prefix="batch-", dir=folder / "tmp")
            os.close(handle)
            made = Path(name)
            try:
                last = _Last()
                lines = Summed(_lines(topic, last.watch(records)))
                segments.write(made, lines)
                segments.stamp(made, last.ordinal)
                new = segments.link(made, segment)
                if new:
                    sums.store_sum(segment, lines.sum.content())
                elif not sums.sum_path(segment).exists():
                    # A crash came between the segment and its sum.
                    sums.store_sum(segment, sums.sum_of(segment).content())
                return new
            finally:
                made.unlink()

    def read(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        """What was visible at the call, in order of ordinals; records of equal ordinal in the order of their segments.

        Once a line is bad no more records come, and at the end LsqlcError is raised with what is wrong in all of them
        (LSQ401, LSQ402, LSQ403), unless `bad` takes them. So it is with a segment that is missing or not as it was
        written (LSQ764), which `bad` does not take. A topic that does not exist is empty.
        """
        return self._records(topic, self.segments(topic.name), bad, self._lost(topic.name))

    def with_names(self, renamed: Mapping[str, str]) -> FileLog:
        """As `Transport.with_names`."""
        return replace(self, renamed=renamed)

    def dataset(self, topic: str) -> tuple[str, str]:
        """As `Transport.dataset`: the absolute path of the folder."""
        return "file", str(self.folder(topic).resolve())

    def exists(self, topic: str) -> bool:
        """As `Transport.exists`."""
        return (self.folder(topic) / "data").is_dir()

    def location(self, topic: str) -> Path:
        """As `Transport.location`."""
        return self.folder(topic)

    def external_name(self, topic: str) -> str:
        """As `Transport.external_name`: the name of the folder."""
        return naming.folder_name(self.renamed.get(topic, topic)) or ""

    def contents(self, topic: str) -> Contents:
        """As `Transport.contents`: the visible segments."""
        return Contents(files=self.segments(topic))

    def read_contents(self, topic: Topic, contents: Contents) -> Iterator[StoredRecord]:
        """As `Transport.read_contents`."""
        return self.read_segments(topic, contents.files)

    def read_until(self, topic: Topic, generation: str, batch: int) -> Iterator[StoredRecord]:
        """As `Transport.read_until`: the name of a segment has its generation and batch."""
        mark, later = f"{generation}-", naming.batch_segment(generation, batch + 1)
        segments = [s for s in self.segments(topic.name) if not (s.name.startswith(mark) and s.name >= later)]
        return self.read_segments(topic, segments)

    def written_keys(self, topic: Topic) -> Iterator[object]:
        """As `Transport.written_keys`."""
        decode = codec.decoder(topic.key.type)
        lines = (line for segment in self.segments(topic.name) for line in segment.read_bytes().splitlines())
        keys = (json.loads(line)["key"] for line in lines)
        return (decode(json.dumps(key).encode()) for key in keys if key is not None)

    def append_rows(self, topic: Topic, rows: Iterable[Record]) -> None:
        """As `Transport.append_rows`: a batch, whose ordinals are zeros."""
        first = (0,) * topic.ordinal_width
        stored = (StoredRecord(topic.name, r.key, r.value, r.timestamp, first) for r in rows)
        self.append_batch(topic, stored, generation="kept", batch=0)

    def missing(self, topic: Topic, skip: Skip, folder: Path) -> Missing | None:
        """As `Transport.missing`: by the first number of ordinals."""
        if topic.ordinal_width > 1:
            note = "its records are of joins, whose ordinals have several numbers"
            return Missing(note, "skip the record of the join's input that it is made of")
        for segment in self.segments_for(topic, folder):
            with segment.open(encoding="utf-8", errors="replace", newline="\n") as lines:
                if any(position(line)[0] == skip.place for line in lines):
                    return None
        return Missing("no line of the topic has that ordinal")

    def read_segments(self, topic: Topic, found: Sequence[Path]) -> Iterator[StoredRecord]:
        """As `read`, of some of its segments."""
        return self._records(topic, tuple(found))

    def lost_part(self, topic: str, positions: Positions) -> str | None:
        """As `Transport.lost_part`: the last segment that was read is still there."""
        present = {naming.segment_number(segment.name) for segment in self.segments(topic)}
        is_lost = any((writer, position - 1) not in present for writer, position in positions.items())
        return "files that have been read are no longer there" if is_lost else None

    def count_behind(self, topic: str, positions: Positions) -> int:
        """As `Transport.count_behind`: the lines of the segments that have not been read."""
        return sum(map(_lines_in, self._unread(topic, positions)))

    def _unread(self, topic: str, positions: Positions) -> list[Path]:
        """The segments behind some positions, in the order in which they appeared."""
        return [
            segment
            for segment in _in_order_of_arrival(self.segments(topic))
            if positions.get((place := naming.segment_number(segment.name))[0], 0) <= place[1]
        ]

    def ends(self, topic: str) -> Positions:
        """As `Transport.ends`: by writer, the number behind its last segment."""
        return _positions_behind(self.segments(topic))

    def is_whole(self, topic: str) -> bool:
        """As `Transport.is_whole`: only whole topics are removed."""
        return True

    def behind(self, topic: Topic, positions: Positions, most: int, until: Positions | None = None) -> LogPart | None:
        """As `Transport.behind`: the next segments, each as a whole. Records that follow are estimated by the sizes of
        their segments.
        """
        unread = self._unread(topic.name, positions)
        if until is not None:
            places = {segment: naming.segment_number(segment.name) for segment in unread}
            unread = [segment for segment in unread if places[segment][1] < until.get(places[segment][0], 0)]
        contents: dict[Path, bytes] = {}
        count = 0
        for segment in unread:
            if count >= most:
                break
            contents[segment] = content = self._content(topic.name, segment)
            count += content.count(b"\n")
        if not contents:
            return None
        rest = _size(unread[len(contents) :])
        left = -(-rest * count // max(1, sum(map(len, contents.values()))))
        records = (record for segment in contents for record in self._records(topic, (segment,), contents=contents))
        lines = [Lines(content, naming.is_appended_segment(each.name)) for each, content in contents.items() if content]
        return LogPart(records, _positions_behind(contents, positions), left, lines)

    def _content(self, topic: str, segment: Path) -> bytes:
        """A segment as a whole. Raises LsqlcError LSQ764 for one that is not as it was written."""
        path = self._shown(segment)
        with file_errors(topic, path):
            content = segment.read_bytes()
            bad = Findings()
            bad.add(sums.changed(topic, segment, path, content))
        if bad:
            raise bad.error()
        return content

    def up_to(self, topic: Topic, positions: Positions) -> Iterator[StoredRecord]:
        """As `Transport.up_to`."""
        unread = set(self._unread(topic.name, positions))
        for segment in self._unread(topic.name, _NO_POSITIONS):
            if segment not in unread:
                yield from self._records(topic, (segment,))

    def faults(self, topic: str, skipped: Callable[[Path], bool] = lambda segment: False) -> Iterator[Diagnostic]:
        """LSQ764 for each segment that is missing or not as it was written, by name. `skipped`: whether one is not
        looked at, by its absolute path. Those without a sum are not checked.
        """
        present = self.segments(topic)
        lost = {segment: fault for segment, fault in self._lost(topic).items() if not skipped(segment.absolute())}
        for segment in sorted({*present, *lost}):
            if segment in lost:
                yield lost[segment]
            elif not skipped(segment.absolute()):
                with file_errors(topic, self._shown(segment)):
                    yield from sums.changed(topic, segment, self._shown(segment))

    def has_checksum(self, file: Path) -> bool:
        """Whether a segment can be checked."""
        return sums.sum_path(file).exists()

    def _lost(self, topic: str) -> dict[Path, Diagnostic]:
        folder = self.folder(topic)
        with file_errors(topic, self._shown(folder)):
            return sums.lost(topic, folder, self._shown(folder))

    def tail(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Callable[[], NewRecords]:
        """A function that gives the records of the segments that it has not seen yet."""
        seen: set[Path] = set()

        def news() -> NewRecords:
            nonlocal seen
            found = self.segments(topic.name)
            anew = not seen.issubset(found)
            fresh = found if anew else tuple(segment for segment in found if segment not in seen)
            # Later polls do not look at all sums again.
            lost = self._lost(topic.name) if anew or not seen else _NONE_LOST
            seen = set(found)
            return NewRecords(self._records(topic, fresh, bad, lost), anew)

        return news

    def end(self, topic: Topic) -> tuple[int, ...] | None:
        """The highest ordinal, or None for a topic without records. Raises as read does."""
        folder = self.folder(topic.name)
        with file_errors(topic.name, self._shown(folder)):
            segments.finish_appends(folder)
            try:
                return segments.last_ordinal(folder)
            except ValueError:
                # Some line is broken, and reading says which.
                return max((r.ordinal for r in self.read(topic)), default=None)

    def newest_values(self, topic: str, count: int) -> Sequence[bytes]:
        """As `Transport.newest_values`."""
        lines: list[bytes] = []
        for segment in reversed(self.segments(topic)):
            with file_errors(topic, self._shown(segment)):
                last = deque((line for _, line, _ in segments.numbered_lines(segment)), maxlen=count - len(lines))
            lines += reversed(last)
            if len(lines) >= count:
                break
        values = (_value_of(line) for line in lines)
        return [value for value in values if value is not None]

    def is_empty(self, topic: str) -> bool:
        """Whether the topic has no segments."""
        return not self.segments(topic)

    def count(self, topic: str, since: Offsets = NOWHERE) -> int:
        """The lines of its segments."""
        if since:
            return segment_places.count_behind(self.segments(topic), since[0])
        return sum(_lines_in(segment) for segment in self.segments(topic))

    def prepare(self, topic: Topic) -> None:
        """Make the folder of a topic, unless it is there. One that is read from elsewhere need not exist."""
        if self.elsewhere is None or not self.elsewhere.has(topic.name):
            self.data_dir(topic.name)

    def segments_for(
        self, topic: Topic, folder: Path, *, by_time: bool = True, since: Offsets = NOWHERE
    ) -> tuple[Path, ...]:
        """The visible segments themselves; those behind a place are written to `folder`, as far as they differ."""
        found = self.segments(topic.name)
        wrong = Findings()
        wrong.add(self.faults(topic.name))
        if wrong:
            raise wrong.error()
        if not since:
            return found
        with file_errors(topic.name, self._shown(self.folder(topic.name))):
            return segment_places.behind(found, since[0], folder)

    def place(self, topic: str, time: int | None) -> Offsets:
        """As `Transport.place`, by the timestamps of records. A line that is none is not looked at."""
        found = self.segments(topic)
        if not found:
            return {}
        with file_errors(topic, self._shown(self.folder(topic))):
            return {0: segment_places.first_at(found, time)}

    def delete(self, topic: str) -> None:
        """Remove a topic with all its records; none of that name is no error. Ordinals are not used again."""
        folder = self._own_folder(topic)
        with file_errors(topic, self._shown(folder)), self._lock():
            for left in self.root.glob(".deleted-*"):
                shutil.rmtree(left)
            if not folder.exists():
                return
            # The counter may have been lost; it must not be counted anew without these records.
            self._reserve(self._next_ordinal())
            gone = Path(tempfile.mkdtemp(prefix=".deleted-", dir=self.root))
            folder.rename(gone / folder.name)
            shutil.rmtree(gone)

    def folder(self, topic: str) -> Path:
        """Where the topic lies, or would lie."""
        name = naming.folder_name(self.renamed.get(topic, topic))
        if name is None:
            raise findings.bad_name(topic)
        other = self.elsewhere
        return (other.root if other is not None and other.has(topic) else self.root) / name

    def _own_folder(self, topic: str) -> Path:
        """As `folder`, of a topic that is to be written."""
        if self.elsewhere is not None and self.elsewhere.has(topic):
            raise findings.not_here(topic, self.elsewhere.target)
        return self.folder(topic)

    def _shown(self, path: Path) -> str:
        shown, root = self.shown, self.root
        if self.elsewhere is not None and not path.is_relative_to(root):
            shown, root = self.elsewhere.shown, self.elsewhere.root
        return f"{shown}/{path.relative_to(root).as_posix()}"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Held by one process and one thread at a time; the system lets go of it when its holder dies."""
        make_folder(self.root)
        # Where the file system has no locks, that is an error: a file that stands for a lock outlives its holder.
        with FileLock(self.root / ".lock", poll_interval=0.01, fallback_to_soft=False):
            yield

    def _next_ordinal(self) -> int:
        try:
            return int((self.root / ".next").read_text("ascii"))
        except (FileNotFoundError, ValueError):
            # Lost or never there: after the highest ordinal that any record has.
            ends = [self._end_of(self.root / f) for f in map(naming.folder_name, self.names()) if f]
            return max(ends, default=-1) + 1

    def _end_of(self, folder: Path) -> int:
        segments.finish_appends(folder)
        try:
            last = segments.last_ordinal(folder)
        except ValueError as error:
            raise findings.lost_counter(self._shown(folder)) from error
        return last[0] if last else -1

    def _reserve(self, ordinal: int) -> None:
        made = self.root / ".next.tmp"
        segments.write(made, [str(ordinal).encode()])
        made.replace(self.root / ".next")
        segments.sync_folder(self.root)

    def _records(
        self,
        topic: Topic,
        found: tuple[Path, ...],
        told: ToldOf | None = None,
        lost: Mapping[Path, Diagnostic] = _NONE_LOST,
        contents: Mapping[Path, bytes] = _NO_CONTENTS,
    ) -> Iterator[StoredRecord]:
        """The records of segments. `contents`: of segments that have been read."""
        bad = Findings()
        bad.add(lost.values())
        appended = [s for s in found if naming.is_appended_segment(s.name)]
        others = [s for s in found if not naming.is_appended_segment(s.name)]
        # Those of a streaming query come in the order of batches, which is not that of the ordinals.
        derived = sorted(self._lines(topic, others, bad, contents), key=lambda r: r.ordinal)
        ordered = self._lines(topic, appended, bad, contents)
        for record in heapq.merge(ordered, derived, key=lambda r: r.ordinal) if derived else ordered:
            if isinstance(record, Unreadable):
                if told is None:
                    bad.add(record.findings)
                else:
                    told(record)
            elif told is not None or not bad:
                yield record
        if bad:
            raise bad.error()

    def _lines(
        self, topic: Topic, found: list[Path], bad: Findings, contents: Mapping[Path, bytes]
    ) -> Iterator[StoredRecord | Unreadable]:
        """The lines of segments; what is wrong with a segment as a whole is added to `bad` before its lines come."""
        decode = line_decoder(topic)
        ordinal: tuple[int, ...] = ()
        for segment in found:
            path = self._shown(segment)
            with file_errors(topic.name, path):
                content = contents.get(segment)
                if content is None:
                    bad.add(sums.changed(topic.name, segment, path))
                for number, line, whole in segments.numbered_lines(segment, content):
                    try:
                        record = decode(line)
                    except ValueProblems as problems:
                        told = tuple(findings.bad_line(topic.name, path, number, line, whole, problems))
                        yield unreadable_line(topic.name, path, number, line, ordinal, problems, told)
                        continue
                    ordinal = record.ordinal
                    yield record


class _Line(msgspec.Struct):
    """What counts of a line whose value is wanted."""

    value: msgspec.Raw = msgspec.Raw(b"null")


def _value_of(line: bytes) -> bytes | None:
    try:
        value = bytes(msgspec.json.decode(line, type=_Line).value)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return None if value == b"null" else value


class _Last:
    """The highest first number of the ordinals that went by."""

    def __init__(self) -> None:
        self.ordinal = 0

    def watch(self, records: Iterable[StoredRecord]) -> Iterator[tuple[StoredRecord, tuple[int, ...]]]:
        for record in records:
            self.ordinal = max(self.ordinal, record.ordinal[0] if record.ordinal else 0)
            yield record, record.ordinal


def _stage(topic: Topic, records: Iterator[Record], staging: Path, first: int, segments_of: int | None) -> int:
    """Write the segments; how many records there were."""
    width = (0,) * (topic.ordinal_width - 1)
    numbered = ((record, (ordinal, *width)) for ordinal, record in enumerate(records, first))
    lines = _lines(topic, numbered)
    ordinal = first
    for line in lines:
        segment = staging / naming.appended_segment(ordinal)
        summed = Summed(chain([line], lines if segments_of is None else islice(lines, segments_of - 1)))
        segments.write(segment, summed)
        segment.with_suffix(sums.ENDING).write_bytes(summed.sum.content())
        ordinal += summed.sum.records
        segments.stamp(segment, ordinal - 1)
    return ordinal - first


def _in_order_of_arrival(found: Iterable[Path]) -> list[Path]:
    """Segments by the times of their last ordinals, those of one writer by their numbers."""
    latest: dict[str, int] = {}
    times: dict[Path, int] = {}
    for segment in sorted(found, key=lambda path: naming.segment_number(path.name)):
        writer, _ = naming.segment_number(segment.name)
        times[segment] = latest[writer] = max(segment.stat().st_mtime_ns, latest.get(writer, 0))
    return sorted(times, key=lambda segment: (times[segment], naming.segment_number(segment.name)))


def _positions_behind(found: Iterable[Path], positions: Positions = _NO_POSITIONS) -> Positions:
    """The positions behind segments, and behind those that come before them."""
    reached = dict(positions)
    for segment in found:
        writer, number = naming.segment_number(segment.name)
        reached[writer] = max(number + 1, reached.get(writer, 0))
    return reached


def _size(found: Iterable[Path]) -> int:
    """The bytes of segments. One that is removed meanwhile has none."""
    size = 0
    for segment in found:
        with suppress(FileNotFoundError):
            size += segment.stat().st_size
    return size


def _lines_in(segment: Path) -> int:
    """How many lines a file has. One that is removed meanwhile has none."""
    try:
        with segment.open("rb") as file:
            return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))
    except FileNotFoundError:
        return 0


def _lines(
    topic: Topic, records: Iterable[tuple[Record, tuple[int, ...]] | tuple[StoredRecord, tuple[int, ...]]]
) -> Iterator[bytes]:
    """The records as lines; raises what is wrong with any of them after the last."""
    encode = line_encoder(topic)
    bad = Findings()
    for index, (record, ordinal) in enumerate(records):
        try:
            line = encode(record, ordinal)
        except ValueProblems as problems:
            bad.add(findings.misfits(topic.name, index, problems))
            continue
        if not bad:
            yield line
    if bad:
        raise bad.error()
