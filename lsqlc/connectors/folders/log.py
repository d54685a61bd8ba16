"""Topics as folders of JSON lines under one root: the embedded transport.

The ordinal of a record is its position in the order of arrival over all topics of the root: one counter, in `.next`,
guarded by the lock on `.lock`. Readers take no lock. Ordinals are reserved before their records become visible, so a
crash may leave a gap, but no ordinal is used twice.
"""

from __future__ import annotations

import heapq
import json
import shutil
import tempfile
import uuid
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
from lsqlc.connectors.folders import segment_places, segments, sums, version_note
from lsqlc.connectors.folders.batches import link_batch
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
    """The folder of topics that an environment reads from another one: below `root`, which is `shown` in messages.

    The environment writes those in `own` itself. `target`: the name of the other one.
    """

    target: str
    root: Path
    shown: str
    own: frozenset[str]

    def has(self, topic: str) -> bool:
        """Return whether the topic is in the other folder. lsqlc's own topics never are."""
        return not naming.is_here(topic, self.own)


@dataclass(frozen=True, slots=True)
class FileLog(Transport):
    """All topics of a project.

    `root` is created by the first write; `shown` is its path in messages. `renamed`: topics in the folder of another
    name. `elsewhere`: the folder of those outside of `root`. Every method raises LsqlcError: LSQ404 for a name that no
    folder can have, LSQ405 for an error of the file system.
    """

    root: Path
    shown: str = ".lsqlc/topics"
    renamed: Mapping[str, str] = field(default_factory=dict)
    elsewhere: OtherFolder | None = None

    def names(self) -> tuple[str, ...]:
        """Return the topics that exist, sorted."""
        with file_errors("*", self.shown):
            try:
                folders = [f.name for f in self.root.iterdir() if (f / "data").is_dir()]
            except FileNotFoundError:
                return ()
        return tuple(sorted(name for name in map(naming.topic_name, folders) if name is not None))

    def data_dir(self, topic: str) -> Path:
        """Return the folder of the topic's segments, for a reader or a writer of files; created if missing.

        Prepared segments of an interrupted append become visible.
        """
        folder = self._own_folder(topic)
        with file_errors(topic, self._shown(folder)):
            segments.make_folders(folder)
            segments.finish_appends(folder)
        return folder / "data"

    def segments(self, topic: str) -> tuple[Path, ...]:
        """Return the visible segments, by name."""
        folder = self.folder(topic)
        with file_errors(topic, self._shown(folder)):
            segments.finish_appends(folder)
            return segments.listing(folder)

    def append(self, topic: Topic, records: Iterable[Record], *, segments_of: int | None = None) -> AppendResult:
        """Append records with the next ordinals and make them visible, all or none.

        They are in segments of `segments_of` records (None: one segment). The `topic` of a record is ignored. Other
        appends wait meanwhile. Raises LsqlcError with a LSQ400 for each invalid part.
        """
        with file_errors(topic.name, self._shown(self.folder(topic.name))), self._lock():
            return self._append(topic, records, segments_of)

    @contextmanager
    def feed(self, topic: Topic) -> Iterator[TopicWriter]:
        """Open a topic for appends inside the `with`: each is a segment."""
        check = record_checker(topic)

        def fits(record: Record) -> None:
            time, _, value = check(record)
            problem = time_problem(topic, value, time)
            if problem is not None:
                raise ValueProblems([problem])

        yield TopicWriter(fits, lambda records: self.append(topic, records))

    def append_runs(self, runs: Iterable[tuple[Topic, Iterable[Record], int]]) -> dict[str, AppendResult]:
        """Append runs of records of several topics in this order; return the results by topic.

        They are appended all or none, except after a crash of the machine. A run is divided into segments of `size`
        records. Raises LsqlcError with a LSQ400 for each invalid part in the first run that has one.
        """
        with file_errors("*", self.shown), self._lock():
            return self._append_runs(runs)

    def _append_runs(self, runs: Iterable[tuple[Topic, Iterable[Record], int]]) -> dict[str, AppendResult]:
        """Append as `append_runs`; the caller holds the lock."""
        first = ordinal = self._next_ordinal()
        staging_folders: dict[str, tuple[Path, Path]] = {}
        results: dict[str, AppendResult] = {}
        try:
            for topic, records, size in runs:
                folder = self._own_folder(topic.name)
                if topic.name not in staging_folders:
                    segments.make_folders(folder)
                    segments.finish_appends(folder)
                    staging_folders[topic.name] = folder, segments.new_staging(folder, first)
                with file_errors(topic.name, self._shown(folder)):
                    count = _stage(topic, iter(records), staging_folders[topic.name][1], ordinal, size)
                previous = results.get(topic.name, AppendResult(0, ordinal, ordinal))
                ordinal += count
                files = previous.files + -(-count // size)
                results[topic.name] = replace(previous, count=previous.count + count, end=ordinal, files=files)
            self._reserve(ordinal)
            for name, (folder, staging) in staging_folders.items():
                if results[name].count:
                    segments.publish(folder, staging)
        finally:
            for _, staging in staging_folders.values():
                shutil.rmtree(staging, ignore_errors=True)
        return results

    def append_together(
        self, id: str, read_topic: Topic, prepare: Callable[[], Sequence[tuple[Topic, Sequence[Record]]]]
    ) -> None:
        """Append records to several topics, while nobody else appends: all or none, except after a crash of the
        machine.
        """
        with file_errors("*", self.shown), self._lock():
            self._append_runs([(topic, records, max(1, len(records))) for topic, records in prepare()])

    def arrivals(self) -> int:
        """Return the ordinal of the next appended record, over all topics."""
        with file_errors("*", self.shown), self._lock():
            return self._next_ordinal()

    def append_unless_arrived(self, parts: Iterable[tuple[Topic, Iterable[Record]]], arrivals: int | None) -> bool:
        """Append as `Transport.append_unless_arrived`, under the lock of appends."""
        with file_errors("*", self.shown), self._lock():
            if self._next_ordinal() != arrivals:
                return False
            for topic, records in parts:
                self._append(topic, records, None)
            return True

    def _append(self, topic: Topic, records: Iterable[Record], segments_of: int | None) -> AppendResult:
        """Append as `append`; the caller holds the lock."""
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
        """Make a batch of derived records visible as one segment, with their ordinals.

        Return False, without a change, if that batch of that generation exists already; the records are consumed
        nevertheless. Raises LsqlcError with a LSQ400 for each invalid part.
        """
        folder, name = self._own_folder(topic.name), naming.batch_segment(generation, batch)
        last = _Last()
        with file_errors(topic.name, self._shown(folder)):
            return link_batch(folder, name, _lines(topic, last.watch(records)), lambda: last.ordinal)

    def versions(self, topic: str) -> Positions:
        """Return the positions of `Transport.versions`: those of segments, and of versions without records."""
        folder = self.folder(topic)
        positions = dict(_positions_behind(self.segments(topic)))
        with file_errors(topic, self._shown(folder)):
            for writer, version in version_note.read(folder).items():
                positions[writer] = max(version, positions.get(writer, 0))
        return positions

    def append_version(
        self, topic: Topic, records: Iterable[Record], *, writer: str, version: int, previous: int | None
    ) -> int | None:
        """Append as `Transport.append_version`. The segment has the name of its writer and its version.

        Raises LsqlcError with a LSQ400 for each invalid part.
        """
        folder = self._own_folder(topic.name)
        with file_errors(topic.name, self._shown(folder)), self._lock():
            if self.versions(topic.name).get(writer) != previous:
                return None
            first = ordinal = self._next_ordinal()
            segments.make_folders(folder)
            for stale in (folder / "tmp").glob("version-*"):
                # The process that wrote it has crashed: the lock is held.
                stale.unlink()
            # Its mode comes from that of its folder, so that a server of another user can read it.
            new_file = folder / "tmp" / f"version-{uuid.uuid4().hex}"
            try:
                lines = Summed(_lines(topic, ((record, (place,)) for place, record in enumerate(records, first))))
                segments.write(new_file, lines)
                ordinal += lines.sum.records
                if ordinal > first:
                    self._reserve(ordinal)
                    segments.stamp(new_file, ordinal - 1)
                    segment = folder / "data" / naming.batch_segment(writer, version)
                    segments.link(new_file, segment)
                    sums.store_sum(segment, lines.sum.content())
            finally:
                new_file.unlink(missing_ok=True)
            if ordinal == first:
                version_note.write(folder, writer, version + 1)
            return ordinal - first

    def read(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        """Yield the records that were visible at the call, in order of ordinals, then of their segments.

        After a bad line there are no more records, and at the end LsqlcError is raised with the problems of all of them
        (LSQ401, LSQ402, LSQ403), unless `bad` takes them. The same holds for a segment that is missing or changed
        (LSQ764), which `bad` does not take. A topic that does not exist is empty.
        """
        return self._records(topic, self.segments(topic.name), bad, self._lost(topic.name))

    def with_names(self, renamed: Mapping[str, str]) -> FileLog:
        """Return the log of `Transport.with_names`."""
        return replace(self, renamed=renamed)

    def dataset(self, topic: str) -> tuple[str, str]:
        """Return the dataset of `Transport.dataset`: the absolute path of the folder."""
        return "file", str(self.folder(topic).resolve())

    def exists(self, topic: str) -> bool:
        """Return the result of `Transport.exists`."""
        return (self.folder(topic) / "data").is_dir()

    def location(self, topic: str) -> Path:
        """Return the folder of `Transport.location`."""
        return self.folder(topic)

    def external_name(self, topic: str) -> str:
        """Return the name of `Transport.external_name`: the name of the folder."""
        return naming.folder_name(self.renamed.get(topic, topic)) or ""

    def contents(self, topic: str) -> Contents:
        """Return the contents of `Transport.contents`: the visible segments."""
        return Contents(files=self.segments(topic))

    def read_contents(self, topic: Topic, contents: Contents, bad: ToldOf | None = None) -> Iterator[StoredRecord]:
        """Yield the records of `Transport.read_contents`."""
        return self._records(topic, contents.files, bad)

    def read_until(self, topic: Topic, generation: str, batch: int) -> Iterator[StoredRecord]:
        """Yield the records of `Transport.read_until`: the name of a segment has its generation and batch."""
        mark, later = f"{generation}-", naming.batch_segment(generation, batch + 1)
        segments = [s for s in self.segments(topic.name) if not (s.name.startswith(mark) and s.name >= later)]
        return self.read_segments(topic, segments)

    def written_keys(self, topic: Topic) -> Iterator[object]:
        """Yield the keys of `Transport.written_keys`."""
        decode = codec.decoder(topic.key.type)
        lines = (line for segment in self.segments(topic.name) for line in segment.read_bytes().splitlines())
        keys = (json.loads(line)["key"] for line in lines)
        return (decode(json.dumps(key).encode()) for key in keys if key is not None)

    def append_rows(self, topic: Topic, rows: Iterable[Record]) -> None:
        """Append as `Transport.append_rows`: a batch, whose ordinals are zeros."""
        first = (0,) * topic.ordinal_width
        stored = (StoredRecord(topic.name, r.key, r.value, r.timestamp, first) for r in rows)
        self.append_batch(topic, stored, generation="kept", batch=0)

    def missing(self, topic: Topic, skip: Skip, folder: Path) -> Missing | None:
        """Return the reason of `Transport.missing`, by the first number of ordinals."""
        if topic.ordinal_width > 1:
            note = "its records are of joins, whose ordinals have several numbers"
            return Missing(note, "skip the record of the join's input that it is made of")
        for segment in self.segments_for(topic, folder):
            with segment.open(encoding="utf-8", errors="replace", newline="\n") as lines:
                if any(position(line)[0] == skip.place for line in lines):
                    return None
        return Missing("no line of the topic has that ordinal")

    def read_segments(self, topic: Topic, paths: Sequence[Path]) -> Iterator[StoredRecord]:
        """Yield the records of some segments, as `read`."""
        return self._records(topic, tuple(paths))

    def lost_part(self, topic: str, positions: Positions) -> str | None:
        """Return the reason of `Transport.lost_part`: the last segment that was read no longer exists."""
        present = {naming.segment_number(segment.name) for segment in self.segments(topic)}
        is_lost = any((writer, position - 1) not in present for writer, position in positions.items())
        return "files that have been read are no longer there" if is_lost else None

    def count_behind(self, topic: str, positions: Positions) -> int:
        """Return the count of `Transport.count_behind`: the lines of the unread segments."""
        return sum(map(_lines_in, self._unread(topic, positions)))

    def _unread(self, topic: str, positions: Positions) -> list[Path]:
        """Return the segments after some positions, in the order in which they appeared."""
        return [
            segment
            for segment in _in_order_of_arrival(self.segments(topic))
            if positions.get((place := naming.segment_number(segment.name))[0], 0) <= place[1]
        ]

    def ends(self, topic: str) -> Positions:
        """Return the positions of `Transport.ends`: by writer, the number after its last segment."""
        return _positions_behind(self.segments(topic))

    def is_whole(self, topic: str) -> bool:
        """Return True for `Transport.is_whole`: only whole topics are removed."""
        return True

    def behind(
        self,
        topic: Topic,
        positions: Positions,
        most: int,
        until: Positions | None = None,
        bad: ToldOf | None = None,
    ) -> LogPart | None:
        """Return the part of `Transport.behind`: the next segments, each as a whole. The number of records that follow
        is estimated by the sizes of their segments.
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
        parts = (self._records(topic, (segment,), bad, contents=contents) for segment in contents)
        records = chain.from_iterable(parts)
        lines = [Lines(content, naming.is_appended_segment(each.name)) for each, content in contents.items() if content]
        return LogPart(records, _positions_behind(contents, positions), left, lines)

    def _content(self, topic: str, segment: Path) -> bytes:
        """Return the content of a segment. Raises LsqlcError LSQ764 for a changed segment."""
        path = self._shown(segment)
        with file_errors(topic, path):
            content = segment.read_bytes()
            bad = Findings()
            bad.add(sums.changed(topic, segment, path, content))
        if bad:
            raise bad.error()
        return content

    def up_to(self, topic: Topic, positions: Positions) -> Iterator[StoredRecord]:
        """Yield the records of `Transport.up_to`."""
        unread = set(self._unread(topic.name, positions))
        for segment in self._unread(topic.name, _NO_POSITIONS):
            if segment not in unread:
                yield from self._records(topic, (segment,))

    def faults(self, topic: str, skipped: Callable[[Path], bool] = lambda segment: False) -> Iterator[Diagnostic]:
        """Yield LSQ764 for each segment that is missing or changed, by name.

        `skipped`: returns whether a segment, by its absolute path, is not checked. Those without a sum are not checked.
        """
        present = self.segments(topic)
        missing_segments = {
            segment: fault for segment, fault in self._lost(topic).items() if not skipped(segment.absolute())
        }
        for segment in sorted({*present, *missing_segments}):
            if segment in missing_segments:
                yield missing_segments[segment]
            elif not skipped(segment.absolute()):
                with file_errors(topic, self._shown(segment)):
                    yield from sums.changed(topic, segment, self._shown(segment))

    def has_checksum(self, file: Path) -> bool:
        """Return whether a segment can be checked."""
        return sums.sum_path(file).exists()

    def _lost(self, topic: str) -> dict[Path, Diagnostic]:
        folder = self.folder(topic)
        with file_errors(topic, self._shown(folder)):
            return sums.lost(topic, folder, self._shown(folder))

    def tail(self, topic: Topic, *, by_time: bool = True, bad: ToldOf | None = None) -> Callable[[], NewRecords]:
        """Return a function that returns the records of the segments that it has not returned yet."""
        previous: set[Path] = set()

        def news() -> NewRecords:
            nonlocal previous
            visible = self.segments(topic.name)
            anew = not previous.issubset(visible)
            fresh = visible if anew else tuple(segment for segment in visible if segment not in previous)
            # Later polls do not check all sums again.
            missing_segments = self._lost(topic.name) if anew or not previous else _NONE_LOST
            previous = set(visible)
            return NewRecords(self._records(topic, fresh, bad, missing_segments), anew)

        return news

    def end(self, topic: Topic) -> tuple[int, ...] | None:
        """Return the highest ordinal, or None for a topic without records. Raises as read does."""
        folder = self.folder(topic.name)
        with file_errors(topic.name, self._shown(folder)):
            segments.finish_appends(folder)
            try:
                return segments.last_ordinal(folder)
            except ValueError:
                # A line is broken, which reading reports.
                return max((r.ordinal for r in self.read(topic)), default=None)

    def newest_values(self, topic: str, count: int) -> Sequence[bytes]:
        """Return the values of `Transport.newest_values`."""
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
        """Return whether the topic has no segments."""
        return not self.segments(topic)

    def count(self, topic: str, since: Offsets = NOWHERE) -> int:
        """Return the number of lines of its segments."""
        if since:
            return segment_places.count_behind(self.segments(topic), since[0])
        return sum(_lines_in(segment) for segment in self.segments(topic))

    def prepare(self, topic: Topic) -> None:
        """Create the folder of a topic, unless it exists. A topic in another folder need not exist."""
        if self.elsewhere is None or not self.elsewhere.has(topic.name):
            self.data_dir(topic.name)

    def segments_for(
        self, topic: Topic, folder: Path, *, by_time: bool = True, since: Offsets = NOWHERE
    ) -> tuple[Path, ...]:
        """Return the visible segments themselves; those after a position are copied to `folder` if they differ."""
        visible = self.segments(topic.name)
        wrong = Findings()
        wrong.add(self.faults(topic.name))
        if wrong:
            raise wrong.error()
        if not since:
            return visible
        with file_errors(topic.name, self._shown(self.folder(topic.name))):
            return segment_places.behind(visible, since[0], folder)

    def place(self, topic: str, time: int | None) -> Offsets:
        """Return the offsets of `Transport.place`, by the timestamps of records. Invalid lines are ignored."""
        visible = self.segments(topic)
        if not visible:
            return {}
        with file_errors(topic, self._shown(self.folder(topic))):
            return {0: segment_places.first_at(visible, time)}

    def delete(self, topic: str) -> None:
        """Remove a topic with all its records, if it exists. Ordinals are not used again."""
        folder = self._own_folder(topic)
        with file_errors(topic, self._shown(folder)), self._lock():
            for left in self.root.glob(".deleted-*"):
                shutil.rmtree(left)
            if not folder.exists():
                return
            # The counter may have been lost; it must not be computed again without these records.
            self._reserve(self._next_ordinal())
            removed_folder = Path(tempfile.mkdtemp(prefix=".deleted-", dir=self.root))
            folder.rename(removed_folder / folder.name)
            shutil.rmtree(removed_folder)

    def folder(self, topic: str) -> Path:
        """Return the folder of the topic, which may not exist."""
        name = naming.folder_name(self.renamed.get(topic, topic))
        if name is None:
            raise findings.bad_name(topic)
        other = self.elsewhere
        return (other.root if other is not None and other.has(topic) else self.root) / name

    def _own_folder(self, topic: str) -> Path:
        """Return the folder of a topic for writing."""
        if self.elsewhere is not None and self.elsewhere.has(topic):
            raise findings.not_here(topic, self.elsewhere.target)
        return self.folder(topic)

    def _shown(self, path: Path) -> str:
        displayed_root, root = self.shown, self.root
        if self.elsewhere is not None and not path.is_relative_to(root):
            displayed_root, root = self.elsewhere.shown, self.elsewhere.root
        return f"{displayed_root}/{path.relative_to(root).as_posix()}"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Hold the lock, for one process and one thread at a time; the system releases it if its holder dies."""
        make_folder(self.root)
        # A file system without locks is an error: a file as a lock would outlive its holder.
        with FileLock(self.root / ".lock", poll_interval=0.01, fallback_to_soft=False):
            yield

    def _next_ordinal(self) -> int:
        try:
            return int((self.root / ".next").read_text("ascii"))
        except (FileNotFoundError, ValueError):
            # Lost or never created: it is after the highest ordinal of any record.
            ends = [self._end_of(self.root / f) for f in map(naming.folder_name, self.names()) if f]
            # Rows that exist before all records have negative ordinals.
            return max((-1, *ends)) + 1

    def _end_of(self, folder: Path) -> int:
        segments.finish_appends(folder)
        try:
            last = segments.last_ordinal(folder)
        except ValueError as error:
            raise findings.lost_counter(self._shown(folder)) from error
        return last[0] if last else -1

    def _reserve(self, ordinal: int) -> None:
        new_file = self.root / ".next.tmp"
        segments.write(new_file, [str(ordinal).encode()])
        new_file.replace(self.root / ".next")
        segments.sync_folder(self.root)

    def _records(
        self,
        topic: Topic,
        paths: tuple[Path, ...],
        on_bad: ToldOf | None = None,
        missing_segments: Mapping[Path, Diagnostic] = _NONE_LOST,
        contents: Mapping[Path, bytes] = _NO_CONTENTS,
    ) -> Iterator[StoredRecord]:
        """Yield the records of segments. `contents`: those of segments that have been read."""
        bad = Findings()
        bad.add(missing_segments.values())
        appended = [s for s in paths if naming.is_appended_segment(s.name)]
        others = [s for s in paths if not naming.is_appended_segment(s.name)]
        # Segments of a streaming query are in the order of batches, which is not that of the ordinals.
        derived = sorted(self._lines(topic, others, bad, contents), key=lambda r: r.ordinal)
        ordered = self._lines(topic, appended, bad, contents)
        for record in heapq.merge(ordered, derived, key=lambda r: r.ordinal) if derived else ordered:
            if isinstance(record, Unreadable):
                if on_bad is None:
                    bad.add(record.findings)
                else:
                    on_bad(record)
            elif on_bad is not None or not bad:
                yield record
        if bad:
            raise bad.error()

    def _lines(
        self, topic: Topic, paths: list[Path], bad: Findings, contents: Mapping[Path, bytes]
    ) -> Iterator[StoredRecord | Unreadable]:
        """Yield the lines of segments; problems of a segment as a whole are added to `bad` before its lines."""
        decode = line_decoder(topic)
        ordinal: tuple[int, ...] = ()
        for segment in paths:
            path = self._shown(segment)
            with file_errors(topic.name, path):
                content = contents.get(segment)
                if content is None:
                    bad.add(sums.changed(topic.name, segment, path))
                for number, line, whole in segments.numbered_lines(segment, content):
                    try:
                        record = decode(line)
                    except ValueProblems as problems:
                        diagnostics = tuple(findings.bad_line(topic.name, path, number, line, whole, problems))
                        yield unreadable_line(topic.name, path, number, line, ordinal, problems, diagnostics)
                        continue
                    ordinal = record.ordinal
                    yield record


class _Line(msgspec.Struct):
    """The part of a line that is needed for its value."""

    value: msgspec.Raw = msgspec.Raw(b"null")


def _value_of(line: bytes) -> bytes | None:
    try:
        value = bytes(msgspec.json.decode(line, type=_Line).value)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return None if value == b"null" else value


class _Last:
    """The highest first number of the ordinals so far."""

    def __init__(self) -> None:
        self.ordinal = 0

    def watch(self, records: Iterable[StoredRecord]) -> Iterator[tuple[StoredRecord, tuple[int, ...]]]:
        for record in records:
            self.ordinal = max(self.ordinal, record.ordinal[0] if record.ordinal else 0)
            yield record, record.ordinal


def _stage(topic: Topic, records: Iterator[Record], staging: Path, first: int, segments_of: int | None) -> int:
    """Write the segments; return the number of records."""
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


def _in_order_of_arrival(paths: Iterable[Path]) -> list[Path]:
    """Return segments by the times of their last ordinals, those of one writer by their numbers."""
    latest: dict[str, int] = {}
    times: dict[Path, int] = {}
    for segment in sorted(paths, key=lambda path: naming.segment_number(path.name)):
        writer, _ = naming.segment_number(segment.name)
        times[segment] = latest[writer] = max(segment.stat().st_mtime_ns, latest.get(writer, 0))
    return sorted(times, key=lambda segment: (times[segment], naming.segment_number(segment.name)))


def _positions_behind(paths: Iterable[Path], positions: Positions = _NO_POSITIONS) -> Positions:
    """Return the positions after segments that follow `positions`."""
    next_positions = dict(positions)
    for segment in paths:
        writer, number = naming.segment_number(segment.name)
        next_positions[writer] = max(number + 1, next_positions.get(writer, 0))
    return next_positions


def _size(paths: Iterable[Path]) -> int:
    """Return the bytes of segments; one that is removed meanwhile has none."""
    size = 0
    for segment in paths:
        with suppress(FileNotFoundError):
            size += segment.stat().st_size
    return size


def _lines_in(segment: Path) -> int:
    """Return the number of lines of a file; 0 for one that is removed meanwhile."""
    try:
        with segment.open("rb") as file:
            return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))
    except FileNotFoundError:
        return 0


def _lines(
    topic: Topic, records: Iterable[tuple[Record, tuple[int, ...]] | tuple[StoredRecord, tuple[int, ...]]]
) -> Iterator[bytes]:
    """Yield the records as lines; raises the problems of all of them after the last."""
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
