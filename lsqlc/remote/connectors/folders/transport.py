"""Topics in folders of JSON lines as streaming queries read and write them.

One text source reads all topics of a `Source`, so that their common order of arrival stands: Spark's file source takes
files by modification time, over all folders that the pattern matches, and the transport sets that time by the ordinal.
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
from typing import TYPE_CHECKING

from lsqlc.connectors.findings import not_here
from lsqlc.connectors.folders.log import OtherFolder
from lsqlc.connectors.folders.segments import make_folders
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.connectors.naming import EPOCH_BASE_MS, folder_name
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
        """`project`: the folder of the project, where topics of files lie; None: there are none. `renamed`: topics that
        lie under another name; `aside`: those that are written under another name only, and read as they are;
        `elsewhere`: where topics lie that are not below `root`.
        """
        self.root = root.absolute()
        self.project = project.resolve() if project else None
        self._renamed = renamed or {}
        self._aside = aside or {}
        self._elsewhere = elsewhere
        self._places: Mapping[str, Offsets] = {}

    def register_functions(self, spark: SparkSession) -> None:
        """As `Transport.register_functions`: Spark has a function for all that folders hold."""

    def beginning(self, places: Mapping[str, Offsets]) -> FileTransport:
        """As `Transport.beginning`."""
        begun = copy(self)
        begun._places = places
        return begun

    def read(self, spark: SparkSession, source: Source, *, segments_per_batch: int | None) -> DataFrame:
        """As `Transport.read`. A topic that does not exist yet is empty, and is read from when it appears.

        `segments_per_batch`: as `batch_limit`. But files of one topic may hold records that lie between those of a file
        of another topic, as what a model makes of its input does. Where these are to meet, what is there makes one
        batch: cut between files, a record would meet rows that came behind it. So it does where they are written to one
        topic: cut between files, a row would be written behind a newer one of its key.
        """
        folders = {self._folder(t).name: t for t in source.topics}
        base, below = _common({self._folder(t) for t in source.topics})
        # A pattern of the folders, of which one may not exist yet, and a filter of their files: where a pattern names
        # files, Spark looks at each by itself, and from 33 of them on by a job.
        pattern = f"{escaped(base)}/{_alternatives(below)}/{{data}}"
        at_once = (source.beside or (source.together and len(source.topics) > 1)) and segments_per_batch is None
        lines: DataFrame = (
            stream_reader(spark, source)
            .format("text")
            .schema("value string")
            .options(**({} if at_once else batch_limit(segments_per_batch)))
            # By default a file is passed over when it is a week older than the newest, by a time that is ours to set.
            .option("maxFileAge", "3650000d")
            .option("pathGlobFilter", "*.jsonl")
            .load(pattern)
        )
        behind = [_behind(_topic_sql(folders), topic, found[0]) for topic in source.topics
                  if (found := self._places.get(topic))]  # fmt: skip
        if behind:
            lines = lines.where(" AND ".join(behind))
        topic_sql = _topic_sql(folders)
        lines = without_skipped(
            lines, source, lambda skip: f"{topic_sql} = {text(skip.topic)} AND {position('value', 1)} = {skip.place}"
        )
        place = ("0 as _partition", "cast(get_json_object(value, '$.ordinal') as bigint) as _offset")
        own = (*(place if source.places else ()), *((headers_sql("value"),) if source.headers else ()))
        return lines.selectExpr(f"{topic_sql} as _topic", "value as _line", *own)

    def read_files(self, spark: SparkSession, source: FileSource, *, files_per_batch: int | None) -> DataFrame:
        """As `Reader.read_files`, from the project's folder, which server and client see under the same path."""
        assert self.project is not None, "files lie in a project"
        return file_stream(spark, source, self.project, files_per_batch=files_per_batch)

    @property
    def columns(self) -> tuple[str, ...]:
        """As `Transport.columns`."""
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
        """As `Transport.write`: one segment per batch, see `publish`. Its lines stand in order of their ordinals."""
        assert not headers, "what a run writes to folders keeps no headers"
        by_value(batch_files.__name__)
        if self._elsewhere and self._elsewhere.has(topic):
            raise not_here(topic, self._elsewhere.target)
        folder = self._written_folder(topic)
        # Made by us, who remove segments from them at a full refresh, and open to whom the folder above is open.
        make_folders(folder)
        aside = folder / "tmp" / generation
        make_folder(aside)
        # What a killed server was about to publish. One that still is fails, and its batch is ours.
        for left in aside.iterdir():
            left.unlink(missing_ok=True)
        return publisher(str(folder), generation, EPOCH_BASE_MS, guard)

    def write_each(self, topic: str, generation: str, *, headers: bool, origins: Origins) -> SparkSink:
        """Never: files are read one after the other."""
        raise AssertionError("only topics in Kafka are read record by record")

    def real_time_began(self, topic: str, generation: str) -> None:
        """As `Transport.real_time_began`: there are none."""

    def end_real_time(self, topic: str, generation: str) -> None:
        """Never: as `write_each`."""
        raise AssertionError("only topics in Kafka are read record by record")

    def without_written(
        self, batch: DataFrame, topic: str, origins: Origins, began: Offsets, since: int, read: Mapping[str, int]
    ) -> DataFrame:
        """Never: as `write_each`."""
        raise AssertionError("only topics in Kafka are read record by record")

    def explain(
        self, error: str, model: str, topic: str, read: Sequence[str], skip_setting: str = SKIP_IN_CONFIG
    ) -> Explained | None:
        """As `Transport.explain`: errors of files are those of the session."""
        return None

    def noted(self, topic: str, generation: str, batch: int) -> int:
        """As `Transport.noted`."""
        try:
            return int((self._written_folder(topic) / "tmp" / generation / f"noted-{batch}").read_text("utf-8"))
        except FileNotFoundError:
            return 0

    def newest_generation(self, topic: str, query: str) -> int:
        """As `Transport.newest_generation`."""
        return max((number for number, _ in _written(self._written_folder(topic), query)), default=0)

    def last_generation(self, topic: str, query: str) -> int:
        """As `Transport.last_generation`."""
        own = self.newest_generation(topic, query)
        return max((own, *(number for number, _ in _written(self._folder(topic), query))))

    def last_batch(self, topic: str, generation: str) -> int:
        """As `Transport.last_batch`: a segment is visible as a whole."""
        own = (self._written_folder(topic) / "data").glob(f"{generation}-*.jsonl")
        return max((int(segment.stem.rpartition("-")[2]) for segment in own), default=-1)

    def until_visible(self, topic: str) -> None:
        """As `Transport.until_visible`: a segment is there when its batch is done."""

    @property
    def knows_unread(self) -> bool:
        """As `Transport.knows_unread`."""
        return True

    def unread(self, topic: str, read: Collection[str]) -> bool:
        """As `Transport.unread`."""
        segments = (self._folder(topic) / "data").glob("*.jsonl")
        return any(file_address(segment) not in read for segment in segments)

    def discard(self, topic: str, query: str) -> None:
        """As `Transport.discard`. A query that still runs somewhere, unwatched, publishes nothing more."""
        folder = self._written_folder(topic)
        aside = folder / "tmp"
        for own in aside.glob(f"{query_mark(query)}_*"):
            gone = own.rename(aside / f"ended-{uuid.uuid4().hex}")
            shutil.rmtree(gone, ignore_errors=True)
        for _, segment in _written(folder, query):
            # Before the segment: a sum without one is a fault.
            sum_path(segment).unlink(missing_ok=True)
            segment.unlink(missing_ok=True)

    def fence(self, topic: str, generation: str) -> None:
        """As `Transport.fence`: a writer makes no folder for what it makes aside."""
        aside = self._written_folder(topic) / "tmp"
        with suppress(FileNotFoundError):
            gone = (aside / generation).rename(aside / f"ended-{uuid.uuid4().hex}")
            shutil.rmtree(gone, ignore_errors=True)

    def _folder(self, topic: str) -> Path:
        root = self._elsewhere.root if self._elsewhere and self._elsewhere.has(topic) else self.root
        return self._named(self._renamed.get(topic, topic), root)

    def _written_folder(self, topic: str) -> Path:
        return self._named(self._aside[topic], self.root) if topic in self._aside else self._folder(topic)

    def _named(self, topic: str, root: Path) -> Path:
        name = folder_name(topic)
        assert name is not None, "the project has checked the names of its topics"
        return root.absolute() / name


def _written(folder: Path, query: str) -> list[tuple[int, Path]]:
    """The segments that generations of a query have written, with the number of each."""
    name = re.compile(re.escape(query_mark(query)) + r"_(\d+)-\d+\.jsonl")
    data = folder / "data"
    if not data.is_dir():
        return []
    return [(int(m[1]), p) for p in data.iterdir() if (m := name.fullmatch(p.name))]


def _behind(topic_sql: str, topic: str, place: int) -> str:
    """SQL for whether a line of that topic is at or behind the place, see `lsqlc.connectors.folders.segment_places`."""
    first, only = (f"try_cast(get_json_object(value, '$.ordinal{item}') AS BIGINT)" for item in ("[0]", ""))
    written = f"unix_millis(_metadata.file_modification_time) >= {EPOCH_BASE_MS + place}"
    return f"({topic_sql} <> {text(topic)} OR ({written} AND coalesce(coalesce({first}, {only}) >= {place}, TRUE)))"


def _common(folders: set[Path]) -> tuple[str, list[str]]:
    """The folder that contains all of these, and their paths from there."""
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
