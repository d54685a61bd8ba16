"""The transport of streaming queries for topics in folders of JSON lines.

One text source reads all topics of a `Source`, and preserves their common order of arrival. Spark's file source reads
files by modification time, over all folders of a pattern, and the transport sets that time by the ordinal.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.findings import not_here
from lsqlc.connectors.folders.batches import link_batch
from lsqlc.connectors.folders.log import OtherFolder
from lsqlc.connectors.folders.segments import make_folders
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.connectors.naming import EPOCH_BASE_MS, first_segment, folder_name
from lsqlc.connectors.shared import make_folder
from lsqlc.connectors.transport import Offsets
from lsqlc.lower.spark.real_time import Origins
from lsqlc.lower.spark.record_lines import headers_sql
from lsqlc.lower.spark.steps import FileSource, Source
from lsqlc.lower.spark.validity import position
from lsqlc.remote.connectors import batch_files
from lsqlc.remote.connectors.file_stream import batch_limit, escaped, file_stream
from lsqlc.remote.connectors.publish import Guard, Publish, by_value, publisher
from lsqlc.remote.connectors.skipped import without_skipped
from lsqlc.remote.connectors.spark_sink import SparkSink
from lsqlc.remote.connectors.transport import Explained, query_mark, stream_reader
from lsqlc.remote.run.batch_log import file_address
from lsqlc.sql.spark import text
from lsqlc.types.error_policy import SKIP_IN_CONFIG
from lsqlc.types.record import BEFORE_RECORDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession


class FileTransport:
    """Topics as folders below `root`, which server and client see under the same path."""

    def __init__(
        self,
        root: Path,
        project: Path | None = None,
        renamed: Mapping[str, str] | None = None,
        aside: Mapping[str, str] | None = None,
        elsewhere: OtherFolder | None = None,
    ) -> None:
        """Create a transport.

        `project`: the folder of the project, for topics of files; None: there are none. `renamed`: topics with another
        physical name; `aside`: topics with another physical name for writing only; `elsewhere`: the folder of topics
        that are not below `root`.
        """
        self.root = root.absolute()
        self.project = project.resolve() if project else None
        self._renamed = renamed or {}
        self._aside = aside or {}
        self._elsewhere = elsewhere
        self._places: Mapping[str, Offsets] = {}

    def register_functions(self, spark: SparkSession) -> None:
        """Implement `Transport.register_functions`: topics in folders need no Python functions."""

    def beginning(self, places: Mapping[str, Offsets]) -> FileTransport:
        """Implement `Transport.beginning`."""
        transport = copy(self)
        transport._places = places
        return transport

    def read(self, spark: SparkSession, source: Source, *, segments_per_batch: int | None) -> DataFrame:
        """Implement `Transport.read`. A topic that does not exist yet is empty, and is read when it appears.

        `segments_per_batch`: as of `batch_limit`. The records of a file may be between those of one file of another
        topic, such as the output of a model and its input. If records of several topics are combined, all available
        files are one batch. With a split between files, a record would be joined with later rows. The same applies if
        they are written to one topic: a row would be written after a newer one with its key.
        """
        folders = {self._folder(t).name: t for t in source.topics}
        base, below = _common({self._folder(t) for t in source.topics})
        # A pattern of the folders, some of which may not exist yet, and a filter of their files. With a pattern of
        # files, Spark checks each file separately, and starts a job for more than 32 files.
        pattern = f"{escaped(base)}/{_alternatives(below)}/{{data}}"
        at_once = (source.beside or (source.together and len(source.topics) > 1)) and segments_per_batch is None
        lines: DataFrame = (
            stream_reader(spark, source)
            .format("text")
            .schema("value string")
            .options(**({} if at_once else batch_limit(segments_per_batch)))
            # By default Spark ignores a file that is a week older than the newest one. The transport sets these times.
            .option("maxFileAge", "3650000d")
            .option("pathGlobFilter", "*.jsonl")
            .load(pattern)
        )
        conditions = [_is_after(_topic_sql(folders), topic, offsets[0]) for topic in source.topics
                      if (offsets := self._places.get(topic))]  # fmt: skip
        if conditions:
            lines = lines.where(" AND ".join(conditions))
        topic_sql = _topic_sql(folders)
        lines = without_skipped(
            lines, source, lambda skip: f"{topic_sql} = {text(skip.topic)} AND {position('value', 1)} = {skip.place}"
        )
        place = ("0 as _partition", "cast(get_json_object(value, '$.ordinal') as bigint) as _offset")
        own = (*(place if source.places else ()), *((headers_sql("value"),) if source.headers else ()))
        return lines.selectExpr(f"{topic_sql} as _topic", "value as _line", *own)

    def read_files(self, spark: SparkSession, source: FileSource, *, files_per_batch: int | None) -> DataFrame:
        """Implement `Reader.read_files`. Server and client must see the project's folder under the same path."""
        assert self.project is not None, "topics of files belong to a project"
        return file_stream(spark, source, self.project, files_per_batch=files_per_batch)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `Transport.columns`."""
        return ("line",)

    def write(
        self,
        topic: str,
        generation: str,
        guard: Guard | None = None,
        *,
        ordered: bool = True,
        version: str = "",
        headers: bool = False,
    ) -> Publish:
        """Implement `Transport.write`: one segment per batch, see `publish`. Its lines are sorted by their ordinals."""
        assert not headers, "runs write no headers to folders"
        by_value(batch_files.__name__)
        self._check_here(topic)
        folder = self._written_folder(topic)
        # The client creates the folders, because it removes segments from them at a full refresh. They have the
        # permissions of the parent folder.
        make_folders(folder)
        temporary = folder / "tmp" / generation
        make_folder(temporary)
        # Temporary files of a server that was killed. A server that still runs cannot link them any more, and this
        # query repeats its batch.
        for leftover in temporary.iterdir():
            leftover.unlink(missing_ok=True)
        return publisher(str(folder), generation, EPOCH_BASE_MS, guard)

    def write_first(self, topic: str, generation: str, rows: Sequence[Sequence[Any]]) -> None:
        """Implement `Transport.write_first`: the first link of the segment wins."""
        self._check_here(topic)
        if rows:
            lines = (f"{line}\n".encode() for (line,) in rows)
            link_batch(self._written_folder(topic), first_segment(generation), lines, lambda: BEFORE_RECORDS)

    def first_generations(self, topic: str, query: str) -> frozenset[int]:
        """Implement `Transport.first_generations`."""
        return frozenset(number for number, _ in _first(self._written_folder(topic), query))

    def write_each(self, topic: str, generation: str, *, headers: bool, origins: Origins) -> SparkSink:
        """Raise AssertionError: topics in folders have no real-time mode."""
        raise AssertionError("only topics in Kafka are read record by record")

    def real_time_began(self, topic: str, generation: str) -> None:
        """Implement `Transport.real_time_began`: topics in folders have no real-time mode."""

    def end_real_time(self, topic: str, generation: str) -> None:
        """Raise AssertionError, as `write_each` does."""
        raise AssertionError("only topics in Kafka are read record by record")

    def without_written(
        self, batch: DataFrame, topic: str, origins: Origins, began: Offsets, since: int, read: Mapping[str, int]
    ) -> DataFrame:
        """Raise AssertionError, as `write_each` does."""
        raise AssertionError("only topics in Kafka are read record by record")

    def explain(
        self, error: str, model: str, topic: str, read: Sequence[str], skip_setting: str = SKIP_IN_CONFIG
    ) -> Explained | None:
        """Implement `Transport.explain`: there are no errors of this transport."""
        return None

    def noted(self, topic: str, generation: str, batch: int) -> int:
        """Implement `Transport.noted`."""
        try:
            return int((self._written_folder(topic) / "tmp" / generation / f"noted-{batch}").read_text("utf-8"))
        except FileNotFoundError:
            return 0

    def newest_generation(self, topic: str, query: str) -> int:
        """Implement `Transport.newest_generation`."""
        return max((number for number, _ in _written(self._written_folder(topic), query)), default=0)

    def last_generation(self, topic: str, query: str) -> int:
        """Implement `Transport.last_generation`."""
        own = self.newest_generation(topic, query)
        folders = self._written_folder(topic), self._folder(topic)
        return max((own, *(number for folder in folders for number, _ in _all_written(folder, query))))

    def last_batch(self, topic: str, generation: str) -> int:
        """Implement `Transport.last_batch`: a segment is visible as a whole."""
        own = (self._written_folder(topic) / "data").glob(f"{generation}-*.jsonl")
        return max((int(segment.stem.rpartition("-")[2]) for segment in own), default=-1)

    def until_visible(self, topic: str) -> None:
        """Implement `Transport.until_visible`: a segment is visible when its batch is complete."""

    @property
    def knows_unread(self) -> bool:
        """The value of `Transport.knows_unread`."""
        return True

    def unread(self, topic: str, read: Collection[str]) -> bool:
        """Implement `Transport.unread`."""
        segments = (self._folder(topic) / "data").glob("*.jsonl")
        return any(file_address(segment) not in read for segment in segments)

    def discard(self, topic: str, query: str) -> None:
        """Implement `Transport.discard`. A query that still runs cannot publish any more."""
        folder = self._written_folder(topic)
        temporary = folder / "tmp"
        for own in temporary.glob(f"{query_mark(query)}_*"):
            renamed = own.rename(temporary / f"ended-{uuid.uuid4().hex}")
            shutil.rmtree(renamed, ignore_errors=True)
        for _, segment in _all_written(folder, query):
            # The sum must be removed first: a sum without a segment is an error.
            sum_path(segment).unlink(missing_ok=True)
            segment.unlink(missing_ok=True)

    def fence(self, topic: str, generation: str) -> None:
        """Implement `Transport.fence`: a writer does not create the folder of its temporary files."""
        temporary = self._written_folder(topic) / "tmp"
        with suppress(FileNotFoundError):
            renamed = (temporary / generation).rename(temporary / f"ended-{uuid.uuid4().hex}")
            shutil.rmtree(renamed, ignore_errors=True)

    def _folder(self, topic: str) -> Path:
        root = self._elsewhere.root if self._elsewhere and self._elsewhere.has(topic) else self.root
        return self._named(self._renamed.get(topic, topic), root)

    def _written_folder(self, topic: str) -> Path:
        return self._named(self._aside[topic], self.root) if topic in self._aside else self._folder(topic)

    def _check_here(self, topic: str) -> None:
        """Raise LsqlcError LSQ799 for a topic that is read from another target."""
        if self._elsewhere and self._elsewhere.has(topic):
            raise not_here(topic, self._elsewhere.target)

    def _named(self, topic: str, root: Path) -> Path:
        name = folder_name(topic)
        assert name is not None, "the project has checked the names of its topics"
        return root.absolute() / name


def _written(folder: Path, query: str) -> list[tuple[int, Path]]:
    """Return the segments of the batches of all generations of a query, with the number of the generation."""
    return _segments(folder, query, "")


def _first(folder: Path, query: str) -> list[tuple[int, Path]]:
    """Return the segments of all generations of a query from before the first batch, with their numbers."""
    return _segments(folder, query, "_first")


def _all_written(folder: Path, query: str) -> list[tuple[int, Path]]:
    return [*_written(folder, query), *_first(folder, query)]


def _segments(folder: Path, query: str, kind: str) -> list[tuple[int, Path]]:
    name = re.compile(re.escape(query_mark(query)) + rf"_(\d+){kind}-\d+\.jsonl")
    data = folder / "data"
    if not data.is_dir():
        return []
    return [(int(m[1]), p) for p in data.iterdir() if (m := name.fullmatch(p.name))]


def _is_after(topic_sql: str, topic: str, place: int) -> str:
    """Return SQL that is true for lines of a topic at or after an offset, and for lines of other topics.

    See `lsqlc.connectors.folders.segment_places`.
    """
    first, only = (f"try_cast(get_json_object(value, '$.ordinal{item}') AS BIGINT)" for item in ("[0]", ""))
    is_new = f"unix_millis(_metadata.file_modification_time) >= {EPOCH_BASE_MS + place}"
    return f"({topic_sql} <> {text(topic)} OR ({is_new} AND coalesce(coalesce({first}, {only}) >= {place}, TRUE)))"


def _common(folders: set[Path]) -> tuple[str, list[str]]:
    """Return the folder that contains all of these folders, and their relative paths, escaped."""
    base = os.path.commonpath([folder.parent for folder in folders])
    below = (escaped(folder.relative_to(base).as_posix()).replace(",", "\\,") for folder in folders)
    return base, sorted(below)


def _alternatives(names: list[str]) -> str:
    return names[0] if len(names) == 1 else "{" + ",".join(names) + "}"


def _topic_sql(folders: dict[str, str]) -> str:
    names = {folder: text(topic) for folder, topic in folders.items()}
    if len(names) == 1:
        return next(iter(names.values()))
    folder = "substring_index(substring_index(_metadata.file_path, '/', -3), '/', 1)"
    return f"case {folder} " + " ".join(f"when '{f}' then {t}" for f, t in names.items()) + " end"
