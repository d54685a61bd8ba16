"""The log of batches in Spark's part of a checkpoint: read how far a query has read, and set the end of its next batch.

Spark writes the end offsets of a batch into `offsets/<batch>` before it computes the batch, and `commits/<batch>` after
it. A query that starts with end offsets without a commit computes that batch, up to these offsets. So end offsets that
lsqlc writes make the query read exactly up to them. With a trigger of one batch it ends there.

The file of the end offsets has a version, a JSON object with metadata of the batch, and a line for each source, in
order. In version 2, for sources with names, each line begins with the name and a colon. The line of a Kafka source has
the next offset of each partition. The line of a file source has the number of an entry in a log of its own,
`sources/<source>/<number>`. The entries of that log list the files that the source has discovered.
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
# Each tenth entry of a file source's log repeats all files of the earlier ones.
_COMPACT = 10

# The files of a topic in a folder by their addresses, with the times of their last change in epoch milliseconds.
Files = Mapping[str, int]


class UnknownLogError(Exception):
    """A checkpoint whose log of batches has an unknown format."""


@dataclass(frozen=True, slots=True)
class BatchLog:
    """The batches of a checkpoint.

    `texts`: Spark's files by path, such as `offsets/3`, `commits/3`, `sources/0/3`. `names`: the names of the sources,
    in the order of their indexes, if they have names.
    """

    texts: Mapping[str, str]
    names: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The number of the newest batch, which may be incomplete; -1 if there is none."""
        return max(self._numbers("offsets"), default=-1)

    @property
    def committed(self) -> int:
        """The number of the newest complete batch, -1 if there is none."""
        return max(self._numbers("commits"), default=-1)

    def offsets(self, batch: int, source: int) -> Mapping[str, Offsets]:
        """Return the end offsets of a Kafka source in a batch, by the names of its topics in Kafka.

        The result is empty for batch -1. Raises UnknownLogError.
        """
        line = self._line(batch, source)
        if line == _NOTHING:
            return {}
        try:
            return {topic: {int(p): int(end) for p, end in of.items()} for topic, of in json.loads(line).items()}
        except (ValueError, AttributeError, TypeError):
            raise UnknownLogError(line) from None

    def files(self, batch: int, source: int) -> Files:
        """Return the files that a source has read by the end of a batch. Raises UnknownLogError."""
        line = self._line(batch, source)
        end = -1 if line == _NOTHING else _log_offset(line)
        return {path: time for path, (time, number) in self._files(source).items() if number <= end}

    def about(self, batch: int) -> dict[str, Any]:
        """Return the metadata of a batch. Raises UnknownLogError."""
        try:
            metadata = json.loads(self._lines(batch)[1])
        except ValueError:
            raise UnknownLogError(self.texts[f"offsets/{batch}"]) from None
        return dict(metadata)

    def watermark(self) -> int:
        """Return the watermark for the batch after the newest complete one, in epoch milliseconds; 0 without one."""
        text = self.texts.get(f"commits/{self.committed}", "").partition("\n")[2]
        return int(json.loads(text.splitlines()[0]).get("nextBatchWatermarkMs", 0)) if text.strip() else 0

    @property
    def state_format(self) -> int:
        """The version of Spark's format of state files. In version 2, each version of a store has its own id."""
        return 2 if '"stateUniqueIds":{"' in self.texts.get(f"commits/{self.committed}", "") else 1

    def newest_files(self, source: int) -> int:
        """Return the number of the newest entry in a file source's log, -1 if there is none."""
        matches = (_FILES.fullmatch(path) for path in self.texts)
        return max((int(m[2]) for m in matches if m and m[1] == self.folder(source)), default=-1)

    @property
    def by_name(self) -> bool:
        """Whether the log has the offsets of sources by their names."""
        text = self.texts.get(f"offsets/{self.last}")
        return bool(self.names) if text is None else text.startswith(f"{_BY_NAME}\n")

    def folder(self, source: int) -> str:
        """Return the folder of a source's log: its name or its index."""
        return self.names[source] if self.by_name and source < len(self.names) else str(source)

    def _numbers(self, kind: str) -> Iterator[int]:
        matches = (_BATCH.fullmatch(path) for path in self.texts)
        return (int(m[2]) for m in matches if m and m[1] == kind)

    def _line(self, batch: int, source: int) -> str:
        if batch < 0:
            return _NOTHING
        version, _, *lines = self._lines(batch)
        if version == _BY_NAME:
            if source >= len(self.names):
                raise UnknownLogError(self.texts[f"offsets/{batch}"])
            # A source without a line was added later.
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
        """Return the files that a source has discovered, with their times and the numbers of their entries."""
        files: dict[str, tuple[int, int]] = {}
        for path, text in self.texts.items():
            match = _FILES.fullmatch(path)
            if match is None or match[1] != self.folder(source):
                continue
            version, _, entries = text.partition("\n")
            if version != _VERSION:
                raise UnknownLogError(version)
            for entry in map(json.loads, filter(None, entries.split("\n"))):
                files[entry["path"]] = entry["timestamp"], entry["batchId"]
        return files


@dataclass(frozen=True, slots=True)
class KafkaEnd:
    """The end offsets of a batch in topics of Kafka, by their names in Kafka."""

    offsets: Mapping[str, Offsets]


@dataclass(frozen=True, slots=True)
class FilesEnd:
    """All files that have been read by the end of a batch."""

    files: Files


End = KafkaEnd | FilesEnd


class AheadError(Exception):
    """A query has already read more than the required end."""


def next_batch(
    log: BatchLog, ends: Sequence[End], *, now: int, settings: Callable[[], Mapping[str, str]]
) -> Mapping[str, str] | None:
    """Return the files to write into a checkpoint, in this order, so that the next batch has these ends.

    Return None if everything before the ends has been read. An incomplete batch gets these ends too. `ends`: one for
    each source, in the order of the checkpoint; `now`: epoch milliseconds; `settings`: returns the settings of Spark in
    the metadata of a first batch. Raises AheadError and UnknownLogError.
    """
    committed = log.committed
    batch = committed + 1
    texts: dict[str, str] = {}
    lines, is_new = [], False
    for source, end in enumerate(ends):
        if isinstance(end, KafkaEnd):
            before = log.offsets(committed, source)
            line = json.dumps(_forward(before, end.offsets))
            is_new = is_new or any(
                offset > before.get(topic, {}).get(partition, 0)
                for topic, of in end.offsets.items()
                for partition, offset in of.items()
            )
        else:
            read = log.files(committed, source)
            line, entry = _files_end(log, source, read, end.files)
            texts |= entry
            is_new = is_new or end.files.keys() != read.keys()
        lines.append(line)
    if not is_new:
        return None
    metadata = _metadata(log, batch, now, settings)
    if not log.texts:
        texts = {"metadata": json.dumps({"id": str(uuid.uuid4())}), **texts}
    if not log.by_name:
        return {**texts, f"offsets/{batch}": "\n".join((_VERSION, json.dumps(metadata), *lines))}
    metadata.setdefault("sourceMetadataInfo", {})
    by_name = (f"{name}:{line}" for name, line in zip(log.names, lines, strict=True))
    return {**texts, f"offsets/{batch}": "\n".join((_BY_NAME, json.dumps(metadata), *by_name))}


def continued_at(log: BatchLog, source: int, topic: str, places: Mapping[int, int | None]) -> BatchLog:
    """Return the log with other end offsets of a topic's partitions, at which the query will continue.

    `topic`: the topic's name in Kafka; `places`: the offsets by partition; None: the partition does not exist any more.
    The last complete batch gets these ends. An incomplete batch gets them too, so it has no records of these
    partitions. Raises UnknownLogError.
    """
    texts = dict(log.texts)
    for batch in {log.committed, log.last} - {-1}:
        before = log.offsets(batch, source)
        offsets = dict(before.get(topic, {}))
        for partition, place in places.items():
            if place is None:
                offsets.pop(partition, None)
            else:
                offsets[partition] = place
        texts[f"offsets/{batch}"] = _with_line(log, batch, source, json.dumps({**before, topic: offsets}))
    return replace(log, texts=texts)


def _with_line(log: BatchLog, batch: int, source: int, line: str) -> str:
    """Return the end offsets of a batch, as text, with another line for a source."""
    version, about, *lines = log._lines(batch)
    if version == _BY_NAME:
        name = log.names[source]
        lines = [f"{name}:{line}" if _named_line(each)[0] == name else each for each in lines]
    else:
        lines[source] = line
    return "\n".join((version, about, *lines))


def ends_within(log: BatchLog, texts: Mapping[str, str]) -> bool:
    """Return whether the incomplete batch has the ends of `next_batch`, or ends before them. Raises UnknownLogError."""
    if log.last <= log.committed:
        return False
    required = BatchLog(texts)
    return _is_within(_ends(log._lines(log.last)), _ends(required._lines(required.last)))


def source_lines(texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the name of each source, empty if it has none, and its line in the files of `next_batch`."""
    log = BatchLog(texts)
    version, _, *lines = log._lines(log.last)
    return tuple(_named_line(line) if version == _BY_NAME else ("", line) for line in lines)


def least(some: Iterable[Offsets]) -> Offsets:
    """Return the smallest offset of each partition, for several readers of a topic."""
    readers = list(some)
    partitions = {partition for each in readers for partition in each}
    return {p: min(each.get(p, 0) for each in readers) for p in sorted(partitions)}


def _named_line(line: str) -> tuple[str, str]:
    name, colon, end = line.partition(":")
    if not colon:
        raise UnknownLogError(line)
    return name, end


def _ends(lines: Sequence[str]) -> list[tuple[str, Any]]:
    """Return the ends of a batch's sources: in their order, or by their names."""
    version, _, *rest = lines
    if version == _BY_NAME:
        return [(name, _parsed(line)) for name, line in sorted(map(_named_line, rest))]
    return [("", _parsed(line)) for line in rest]


def _is_within(end: Any, required: Any) -> bool:
    """Return whether no offset of an end is higher than that of the required end, and nothing else differs."""
    if end == _NOTHING:
        return True
    if isinstance(end, dict) and isinstance(required, dict):
        return all(_is_within(offset, required.get(name, 0)) for name, offset in end.items())
    if isinstance(end, list | tuple) and isinstance(required, list | tuple):
        return len(end) == len(required) and all(map(_is_within, end, required))
    if isinstance(end, int) and isinstance(required, int):
        return end <= required
    return bool(end == required)


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


def _files_end(log: BatchLog, source: int, before: Files, required: Files) -> tuple[str, dict[str, str]]:
    """Return the line of a file source, and the entry of its log for files that it has not discovered yet."""
    discovered = log._files(source)
    if before.keys() - required.keys():
        raise AheadError(min(before.keys() - required.keys()))
    new = {path: time for path, time in required.items() if path not in discovered}
    if not new:
        # Discovered files that are not to be read yet must be in later entries.
        last = max((discovered[path][1] for path in required), default=-1)
        if any(number <= last and path not in required for path, (_, number) in discovered.items()):
            raise AheadError(source)
        return (_NOTHING if last < 0 else _offset_line(last)), {}
    if discovered.keys() - required.keys():
        raise AheadError(min(discovered.keys() - required.keys()))
    number = log.newest_files(source) + 1
    entries = {path: (time, number) for path, time in sorted(new.items(), key=lambda each: (each[1], each[0]))}
    name = f"sources/{log.folder(source)}/{number}"
    if (number + 1) % _COMPACT == 0:
        name, entries = f"{name}.compact", {**discovered, **entries}
    texts = (json.dumps({"path": p, "timestamp": t, "batchId": n}) for p, (t, n) in entries.items())
    return _offset_line(number), {name: "\n".join((_VERSION, *texts))}


def _metadata(log: BatchLog, batch: int, now: int, settings: Callable[[], Mapping[str, str]]) -> dict[str, Any]:
    if batch == 0:
        return {"batchWatermarkMs": 0, "batchTimestampMs": now, "conf": dict(settings())}
    metadata = log.about(batch - 1)
    # The time of a batch must be later than that of all earlier batches, because it orders rows.
    time = max(now, int(metadata["batchTimestampMs"]) + 1)
    return {**metadata, "batchWatermarkMs": log.watermark(), "batchTimestampMs": time}


def _log_offset(line: str) -> int:
    try:
        return int(json.loads(line)["logOffset"])
    except (ValueError, KeyError, TypeError):
        raise UnknownLogError(line) from None


def _offset_line(number: int) -> str:
    return json.dumps({"logOffset": number})


def read_batches(checkpoint: Path) -> BatchLog:
    """Read the log of a checkpoint in a folder. The log of a missing folder is empty.

    A running query may remove files of old batches at any time.
    """
    patterns = ("metadata", "offsets/[0-9]*", "commits/[0-9]*", "sources/*/[0-9]*")
    texts: dict[str, str] = {}
    for path in (path for pattern in patterns for path in checkpoint.glob(pattern)):
        with suppress(FileNotFoundError):
            texts[path.relative_to(checkpoint).as_posix()] = path.read_text("utf-8")
    return BatchLog(texts)


def write_batch(checkpoint: Path, texts: Mapping[str, str]) -> None:
    """Write the files of `next_batch`, each atomically. The query must not run."""
    for name, text in texts.items():
        path = checkpoint / name
        make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_text(text, "utf-8")
        give_permissions(temporary, path.parent)
        # The checksum of an earlier file with this name would not match.
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        temporary.replace(path)


def file_address(path: Path) -> str:
    """Return the address of a file in the notation of Spark's file source, by the rules of Java's URI.

    Characters other than ASCII are not escaped.

    >>> file_address(Path("/a b/ü%.jsonl"))
    'file:///a%20b/ü%25.jsonl'
    """
    plain = "_-!.~'()*,;:$&+=/@"
    parts = (
        c if c.isalnum() or c in plain or ord(c) > 159 else "".join(f"%{b:02X}" for b in c.encode()) for c in str(path)
    )
    return f"file://{''.join(parts)}"
