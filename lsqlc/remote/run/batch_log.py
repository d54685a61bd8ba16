"""How far a query has read, by what Spark keeps in its checkpoint, and how to have it read up to a place.

Spark notes where a batch ends in `offsets/<batch>` before it computes the batch, and writes `commits/<batch>` once it
is done. A query that starts and finds an end without its commit computes that batch, up to that end. So an end that is
written here makes the query read up to a chosen place; with a trigger of one batch it ends there.

An end is a text: a version, an object of JSON about the batch, and a line for each source, in order of the sources; in
version 2, of sources with names, each line begins with its name and a colon.
Spark's source of Kafka notes the next offset of each partition there. Its source of files notes the number of an entry
in a log of its own, `sources/<source>/<number>`, which lists the files that it has come to.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.connectors.transport import Offsets

_VERSION = "v1"
_BY_NAME = "v2"
# The line of a source that has not read anything.
_NOTHING = "-"
_BATCH = re.compile(r"(offsets|commits)/(\d+)")
_FILES = re.compile(r"sources/([^/]+)/(\d+)(?:\.compact)?")
# Spark writes all files that a source has come to anew with each tenth entry of its log.
_COMPACT = 10

# The files of a topic in a folder by their addresses, with the times of their last change in epoch milliseconds.
Files = Mapping[str, int]


class UnknownLogError(Exception):
    """A checkpoint whose batches are noted in a form that is not known here."""


@dataclass(frozen=True, slots=True)
class BatchLog:
    """The batches of a checkpoint. `texts`: what Spark keeps of them, by path: `offsets/3`, `commits/3`,
    `sources/0/3`. `names`: those of the sources, in the order by which callers count them, where they have some.
    """

    texts: Mapping[str, str]
    names: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The newest batch that was begun, -1 if there is none."""
        return max(self._numbers("offsets"), default=-1)

    @property
    def committed(self) -> int:
        """The newest batch that is done, -1 if there is none."""
        return max(self._numbers("commits"), default=-1)

    def offsets(self, batch: int, source: int) -> Mapping[str, Offsets]:
        """How far a source of Kafka reads in a batch, by the names of its topics in Kafka. Empty before the first
        batch. Raises UnknownLogError.
        """
        line = self._line(batch, source)
        if line == _NOTHING:
            return {}
        try:
            return {topic: {int(p): int(end) for p, end in of.items()} for topic, of in json.loads(line).items()}
        except (ValueError, AttributeError, TypeError):
            raise UnknownLogError(line) from None

    def files(self, batch: int, source: int) -> Files:
        """The files that a source has read by the end of a batch. Raises UnknownLogError."""
        line = self._line(batch, source)
        end = -1 if line == _NOTHING else _log_offset(line)
        return {path: time for path, (time, number) in self._files(source).items() if number <= end}

    def about(self, batch: int) -> dict[str, Any]:
        """What is noted about a batch besides its end. Raises UnknownLogError."""
        try:
            found = json.loads(self._lines(batch)[1])
        except ValueError:
            raise UnknownLogError(self.texts[f"offsets/{batch}"]) from None
        return dict(found)

    def watermark(self) -> int:
        """The watermark of the batch behind the newest that is done, in epoch milliseconds; 0 where there is none."""
        text = self.texts.get(f"commits/{self.committed}", "").partition("\n")[2]
        return int(json.loads(text.splitlines()[0]).get("nextBatchWatermarkMs", 0)) if text.strip() else 0

    @property
    def state_format(self) -> int:
        """The version of Spark's format of the state's files: in 2 each version of a store has an id of its own."""
        return 2 if '"stateUniqueIds":{"' in self.texts.get(f"commits/{self.committed}", "") else 1

    def newest_files(self, source: int) -> int:
        """The number of the newest entry in a source's log of files, -1 if there is none."""
        found = (_FILES.fullmatch(path) for path in self.texts)
        return max((int(m[2]) for m in found if m and m[1] == self.folder(source)), default=-1)

    @property
    def by_name(self) -> bool:
        """Whether the places of the sources are kept by their names."""
        begun = self.texts.get(f"offsets/{self.last}")
        return bool(self.names) if begun is None else begun.startswith(f"{_BY_NAME}\n")

    def folder(self, source: int) -> str:
        """What Spark calls a source in its own notes."""
        return self.names[source] if self.by_name and source < len(self.names) else str(source)

    def _numbers(self, kind: str) -> Iterator[int]:
        found = (_BATCH.fullmatch(path) for path in self.texts)
        return (int(m[2]) for m in found if m and m[1] == kind)

    def _line(self, batch: int, source: int) -> str:
        if batch < 0:
            return _NOTHING
        version, _, *lines = self._lines(batch)
        if version == _BY_NAME:
            if source >= len(self.names):
                raise UnknownLogError(self.texts[f"offsets/{batch}"])
            # One that is not there has come later.
            return dict(map(_named_line, lines)).get(self.names[source], _NOTHING)
        if source >= len(lines):
            raise UnknownLogError(self.texts[f"offsets/{batch}"])
        return lines[source]

    def _lines(self, batch: int) -> list[str]:
        lines = self.texts[f"offsets/{batch}"].split("\n")
        if lines[0] not in (_VERSION, _BY_NAME) or len(lines) < 3:
            raise UnknownLogError(lines[0])
        return lines

    def _files(self, source: int) -> dict[str, tuple[int, int]]:
        """The files that a source has come to, with their times and the numbers of their entries."""
        found: dict[str, tuple[int, int]] = {}
        for path, text in self.texts.items():
            match = _FILES.fullmatch(path)
            if match is None or match[1] != self.folder(source):
                continue
            version, _, entries = text.partition("\n")
            if version != _VERSION:
                raise UnknownLogError(version)
            for entry in map(json.loads, filter(None, entries.split("\n"))):
                found[entry["path"]] = entry["timestamp"], entry["batchId"]
        return found


@dataclass(frozen=True, slots=True)
class KafkaEnd:
    """Where a batch ends in topics of Kafka, by their names there."""

    offsets: Mapping[str, Offsets]


@dataclass(frozen=True, slots=True)
class FilesEnd:
    """The files that are read by the end of a batch."""

    files: Files


End = KafkaEnd | FilesEnd


class AheadError(Exception):
    """A query has read what it was not to read yet."""


def next_batch(
    log: BatchLog, ends: Sequence[End], *, now: int, settings: Callable[[], Mapping[str, str]]
) -> Mapping[str, str] | None:
    """What has to be written into a checkpoint, in this order, for the next batch to end there; None if all has been
    read. A batch that was begun and is not done is to end there too. `ends`: one for each source, in the order in
    which the checkpoint counts them; `now`: epoch milliseconds; `settings`: Spark settings that a first batch is
    noted with. Raises AheadError, UnknownLogError.
    """
    done = log.committed
    batch = done + 1
    made: dict[str, str] = {}
    lines, is_new = [], False
    for source, end in enumerate(ends):
        if isinstance(end, KafkaEnd):
            before = log.offsets(done, source)
            line = json.dumps(_forward(before, end.offsets))
            is_new = is_new or any(
                offset > before.get(topic, {}).get(partition, 0)
                for topic, of in end.offsets.items()
                for partition, offset in of.items()
            )
        else:
            read = log.files(done, source)
            line, more = _files_end(log, source, read, end.files)
            made |= more
            is_new = is_new or end.files.keys() != read.keys()
        lines.append(line)
    if not is_new:
        return None
    about = _about(log, batch, now, settings)
    if not log.texts:
        made = {"metadata": json.dumps({"id": str(uuid.uuid4())}), **made}
    if not log.by_name:
        return {**made, f"offsets/{batch}": "\n".join((_VERSION, json.dumps(about), *lines))}
    about.setdefault("sourceMetadataInfo", {})
    by_name = (f"{name}:{line}" for name, line in zip(log.names, lines, strict=True))
    return {**made, f"offsets/{batch}": "\n".join((_BY_NAME, json.dumps(about), *by_name))}


def continued_at(log: BatchLog, source: int, topic: str, places: Mapping[int, int | None]) -> BatchLog:
    """The batches of a query that continues to read partitions of a topic at other offsets, by the topic's name in
    Kafka; None: there is no such partition any more. The end of the last batch that is done becomes that place. A batch
    that was begun ends there too, so that it has nothing of these partitions. Raises UnknownLogError.
    """
    texts = dict(log.texts)
    for batch in {log.committed, log.last} - {-1}:
        before = log.offsets(batch, source)
        moved = dict(before.get(topic, {}))
        for partition, place in places.items():
            if place is None:
                moved.pop(partition, None)
            else:
                moved[partition] = place
        texts[f"offsets/{batch}"] = _with_line(log, batch, source, json.dumps({**before, topic: moved}))
    return replace(log, texts=texts)


def _with_line(log: BatchLog, batch: int, source: int, line: str) -> str:
    """The text of a batch's end with another line of a source."""
    version, about, *lines = log._lines(batch)
    if version == _BY_NAME:
        name = log.names[source]
        lines = [f"{name}:{line}" if _named_line(each)[0] == name else each for each in lines]
    else:
        lines[source] = line
    return "\n".join((version, about, *lines))


def ends_within(log: BatchLog, texts: Mapping[str, str]) -> bool:
    """Whether the batch that was begun ends where `next_batch` says, or before. Raises UnknownLogError."""
    if log.last <= log.committed:
        return False
    wanted = BatchLog(texts)
    return _is_within(_ends(log._lines(log.last)), _ends(wanted._lines(wanted.last)))


def source_lines(texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The name of each source, empty if it has none, and its line in what `next_batch` gives."""
    made = BatchLog(texts)
    version, _, *lines = made._lines(made.last)
    return tuple(_named_line(line) if version == _BY_NAME else ("", line) for line in lines)


def least(some: Iterable[Offsets]) -> Offsets:
    """What all have read, of the same topic."""
    found = list(some)
    partitions = {partition for each in found for partition in each}
    return {p: min(each.get(p, 0) for each in found) for p in sorted(partitions)}


def _named_line(line: str) -> tuple[str, str]:
    name, colon, end = line.partition(":")
    if not colon:
        raise UnknownLogError(line)
    return name, end


def _ends(lines: Sequence[str]) -> list[tuple[str, Any]]:
    """The ends of a batch's sources: in their order, or by their names."""
    version, _, *rest = lines
    if version == _BY_NAME:
        return [(name, _parsed(line)) for name, line in sorted(map(_named_line, rest))]
    return [("", _parsed(line)) for line in rest]


def _is_within(end: Any, wanted: Any) -> bool:
    """Whether no offset of one end is higher than that of the other one, and nothing else differs."""
    if end == _NOTHING:
        return True
    if isinstance(end, dict) and isinstance(wanted, dict):
        return all(_is_within(offset, wanted.get(name, 0)) for name, offset in end.items())
    if isinstance(end, list | tuple) and isinstance(wanted, list | tuple):
        return len(end) == len(wanted) and all(map(_is_within, end, wanted))
    if isinstance(end, int) and isinstance(wanted, int):
        return end <= wanted
    return bool(end == wanted)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _forward(before: Mapping[str, Offsets], end: Mapping[str, Offsets]) -> Mapping[str, Offsets]:
    for topic, of in before.items():
        for partition, offset in of.items():
            if end.get(topic, {}).get(partition, 0) < offset:
                raise AheadError(topic)
    return end


def _files_end(log: BatchLog, source: int, before: Files, wanted: Files) -> tuple[str, dict[str, str]]:
    """The line of a source of files, and the entry of its log for the files that it has not come to yet."""
    known = log._files(source)
    if before.keys() - wanted.keys():
        raise AheadError(min(before.keys() - wanted.keys()))
    fresh = {path: time for path, time in wanted.items() if path not in known}
    last = log.newest_files(source)
    if not fresh:
        # What it has come to, and is not to be read yet, is behind some entry.
        of_wanted = max((known[path][1] for path in wanted), default=-1)
        if any(number <= of_wanted and path not in wanted for path, (_, number) in known.items()):
            raise AheadError(source)
        return (_NOTHING if of_wanted < 0 else _offset_line(of_wanted)), {}
    if known.keys() - wanted.keys():
        raise AheadError(min(known.keys() - wanted.keys()))
    number = last + 1
    entries = {path: (time, number) for path, time in sorted(fresh.items(), key=lambda each: (each[1], each[0]))}
    name = f"sources/{log.folder(source)}/{number}"
    if (number + 1) % _COMPACT == 0:
        name, entries = f"{name}.compact", {**known, **entries}
    texts = (json.dumps({"path": p, "timestamp": t, "batchId": n}) for p, (t, n) in entries.items())
    return _offset_line(number), {name: "\n".join((_VERSION, *texts))}


def _about(log: BatchLog, batch: int, now: int, settings: Callable[[], Mapping[str, str]]) -> dict[str, Any]:
    if batch == 0:
        return {"batchWatermarkMs": 0, "batchTimestampMs": now, "conf": dict(settings())}
    about = log.about(batch - 1)
    # What a batch brings is newer than all before it, by the time of the batch.
    time = max(now, int(about["batchTimestampMs"]) + 1)
    return {**about, "batchWatermarkMs": log.watermark(), "batchTimestampMs": time}


def _log_offset(line: str) -> int:
    try:
        return int(json.loads(line)["logOffset"])
    except (ValueError, KeyError, TypeError):
        raise UnknownLogError(line) from None


def _offset_line(number: int) -> str:
    return json.dumps({"logOffset": number})


def read_batches(checkpoint: Path) -> BatchLog:
    """The batches of a checkpoint in a folder; none where there is no such folder. A query that runs removes what it
    has kept of old batches at any time.
    """
    patterns = ("metadata", "offsets/[0-9]*", "commits/[0-9]*", "sources/*/[0-9]*")
    texts: dict[str, str] = {}
    for path in (path for pattern in patterns for path in checkpoint.glob(pattern)):
        with suppress(FileNotFoundError):
            texts[path.relative_to(checkpoint).as_posix()] = path.read_text("utf-8")
    return BatchLog(texts)


def write_batch(checkpoint: Path, texts: Mapping[str, str]) -> None:
    """Write what `next_batch` gives, each text as a whole. The query must not run."""
    for name, text in texts.items():
        path = checkpoint / name
        make_folder(path.parent)
        made = path.with_name(f".{path.name}.new")
        made.write_text(text, "utf-8")
        give_permissions(made, path.parent)
        # The checksum of what stood there before.
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        made.replace(path)


def file_address(path: Path) -> str:
    """The address of a file as Spark's source of files notes it, by the rules of Java's URI: characters beyond ASCII
    stay as they are.

    >>> file_address(Path("/a b/ü%.jsonl"))
    'file:///a%20b/ü%25.jsonl'
    """
    plain = "_-!.~'()*,;:$&+=/@"
    kept = (
        c if c.isalnum() or c in plain or ord(c) > 159 else "".join(f"%{b:02X}" for b in c.encode()) for c in str(path)
    )
    return f"file://{''.join(kept)}"
