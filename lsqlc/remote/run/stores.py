"""Stores of checkpoints: a folder that client and server see, or an address that only the server can access.

A store has two parts for each query, under the name of its checkpoint: a description, which is a text, and Spark's own
part, with a location for each generation. A description is written atomically.

`ServerStore` uses only Spark Connect, which has no interface for files. It relies on these properties of Spark:

- `read.text` and `binaryFile` accept patterns, and raise PATH_NOT_FOUND if nothing matches. They ignore names that
  begin with `_` or `.`, such as the `_temporary` of a job that was killed.
- A writer with the mode `error` rejects a folder that exists (PATH_ALREADY_EXISTS), even one of an unfinished job.
- A file can be neither renamed nor removed. `overwrite` with a frame without rows empties a folder, except for
  `_SUCCESS` and an empty file.

So each description is a JSON object in a new folder, `stage-<number>`, with increasing numbers. Its last member is
`end`, so a truncated file is not valid JSON. The complete one with the highest number is valid. Older ones stay.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.connectors.file_stream import escaped
from lsqlc.remote.run.batch_ends import note_end
from lsqlc.remote.run.batch_log import BatchLog, ends_within, read_batches, source_lines, write_batch
from lsqlc.remote.run.queries import session_settings
from lsqlc.remote.session.failures import cause, is_lost

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession

_DESCRIBED = re.compile(r"/([^/]+)/stage-(\d+)/[^/]+$")
_SPARK = re.compile(r"/([^/]+)/spark-(\d+)/(metadata|offsets/\d+)$")
# The maximum of folders of killed jobs, which have a number but no description.
_UNFINISHED = 100
# No checkpoint of a query has this name.
_PROBE = ".probe"
# An option of readers: a file that was removed after its folder was listed is not an error.
_PASSED_OVER = ("ignoreMissingFiles", "true")


class CheckpointStore(Protocol):
    """Checkpoints by their names, each with a description and Spark's part. Only one run at a time uses a store."""

    @property
    def label(self) -> str:
        """The name of a description in messages."""
        ...

    def described(self) -> tuple[str, ...]:
        """Return the names of the checkpoints that have a description, sorted."""
        ...

    def has(self, name: str) -> bool:
        """Return whether the store has any part of that checkpoint."""
        ...

    def read(self, name: str) -> str | None:
        """Return the description, or None. Raises OSError or ValueError for one that cannot be read."""
        ...

    def write(self, name: str, text: str) -> None:
        """Write the description, and replace an earlier one."""
        ...

    def generations(self, name: str) -> Mapping[int, bool]:
        """Return the generations that have a location, and whether a batch was started there."""
        ...

    def location(self, name: str, generation: int) -> str:
        """Return the location of Spark's part for a generation, its `checkpointLocation`.

        Each generation has its own, so a query of an older generation that still runs does not change a newer one.
        """
        ...

    def clear(self, name: str) -> None:
        """Remove Spark's part as far as possible. The rest is not used again."""
        ...

    def remove(self, name: str) -> None:
        """Remove a checkpoint. A missing one is not an error."""
        ...

    def forget(self, name: str) -> None:
        """Remove the description of a checkpoint, but not Spark's part. A missing one is not an error."""
        ...

    def batches(self, location: str) -> BatchLog:
        """Return the log of batches at a location of Spark's part."""
        ...

    def end_batch(self, location: str, log: BatchLog, texts: Mapping[str, str], settings: Mapping[str, str]) -> bool:
        """Set the end of the next batch at a location. Return False if the location does not allow it.

        `log`: the result of `batches`; `texts`: the result of `next_batch`; `settings`: Spark's settings of the query,
        which must not run. Raises the errors of pyspark if the server fails.
        """
        ...

    def below(self, folder: str) -> CheckpointStore:
        """Return the store in another folder. `folder`: its path relative to this store, such as `aside-1` or `..`."""
        ...


@dataclass(frozen=True, slots=True)
class FolderStore:
    """Checkpoints as folders: `<root>/<name>/stage.json` and `<root>/<name>/spark-<generation>/`."""

    root: Path

    @property
    def label(self) -> str:
        return "stage.json"

    def described(self) -> tuple[str, ...]:
        return tuple(sorted(path.parent.name for path in self.root.glob("[!.]*/stage.json")))

    def has(self, name: str) -> bool:
        return (self.root / name).exists()

    def read(self, name: str) -> str | None:
        try:
            return self._description(name).read_text("utf-8")
        except FileNotFoundError:
            return None

    def write(self, name: str, text: str) -> None:
        path = self._description(name)
        make_folder(path.parent)
        temporary = path.with_suffix(".new")
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        give_permissions(temporary, path.parent)
        temporary.replace(path)

    def generations(self, name: str) -> Mapping[int, bool]:
        folders = (self.root / name).glob("spark-[0-9]*")
        return {int(p.name[6:]): any((p / "offsets").glob("[0-9]*")) for p in folders}

    def location(self, name: str, generation: int) -> str:
        return str(self.root.absolute() / name / f"spark-{generation:06d}")

    def clear(self, name: str) -> None:
        home = self.root / name
        for folder in home.glob("spark-[0-9]*"):
            _remove(folder, home / f"old-{uuid.uuid4().hex}")

    def remove(self, name: str) -> None:
        _remove(self.root / name, self.root / f".removed-{uuid.uuid4().hex}")

    def forget(self, name: str) -> None:
        self._description(name).unlink(missing_ok=True)

    def batches(self, location: str) -> BatchLog:
        return read_batches(Path(location))

    def end_batch(self, location: str, log: BatchLog, texts: Mapping[str, str], settings: Mapping[str, str]) -> bool:
        write_batch(Path(location), texts)
        return True

    def below(self, folder: str) -> FolderStore:
        return FolderStore(Path(os.path.normpath(self.root / folder)))

    def _description(self, name: str) -> Path:
        return self.root / name / "stage.json"


@dataclass(frozen=True, slots=True)
class Described:
    """The newest description of a checkpoint.

    `number`: that of its folder; `text`: None if the description was removed; `last`: the highest generation at the
    time of writing.
    """

    number: int
    text: str | None
    last: int


class ServerStore:
    """Checkpoints at an address of a file system that the server supports.

    The layout is `<url>/<name>/stage-<number>/` and `<url>/<name>/spark-<generation>/`. The content is read once, and
    then updated with each change. So a store is for one attempt of a run, which holds the lease. Every method raises
    LsqlcError LSQ784 for errors of the server's file system, and the errors of pyspark if the server has ended.
    """

    def __init__(self, spark: SparkSession, url: str) -> None:
        self._spark = spark
        self._url = url.rstrip("/")
        self._cache: dict[str, Described] | None = None
        self._spark_parts: dict[str, dict[int, bool]] | None = None
        self._below: dict[str, ServerStore] = {}

    @property
    def label(self) -> str:
        return "stage-*"

    def described(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, of in self._descriptions().items() if of.text is not None))

    def has(self, name: str) -> bool:
        description, parts = self._descriptions().get(name), self._parts().get(name, {})
        if description is not None and description.text is None:
            # After the removal of a description, a location may exist that could not be emptied.
            return any(generation > description.last for generation in parts)
        return description is not None or bool(parts)

    def read(self, name: str) -> str | None:
        description = self._descriptions().get(name)
        return description.text if description else None

    def write(self, name: str, text: str) -> None:
        self._write(name, text)

    def generations(self, name: str) -> Mapping[int, bool]:
        description = self._descriptions().get(name)
        # The numbers of former generations are not used again.
        former = {description.last: False} if description and description.last else {}
        return former | self._parts().get(name, {})

    def location(self, name: str, generation: int) -> str:
        return f"{self._url}/{name}/spark-{generation:06d}"

    def clear(self, name: str) -> None:
        parts = self._parts().get(name, {})
        for generation in list(parts):
            try:
                self._empty(self.location(name, generation))
            except Exception as error:
                if is_lost(error):
                    raise
                # The server may lack the permission to delete. The next generation has another location anyway.
                continue
            del parts[generation]

    def remove(self, name: str) -> None:
        if self.has(name):
            self._write(name, None)
            self.clear(name)

    def forget(self, name: str) -> None:
        description = self._descriptions().get(name)
        if description is not None and description.text is not None:
            self._write(name, None)

    def batches(self, location: str) -> BatchLog:
        pattern = f"{escaped(location)}/{{offsets,commits}}/*"
        try:
            texts = self._texts_of(pattern).selectExpr("_metadata.file_path", "value").collect()
        except Exception as error:
            if _is_missing(error):
                return BatchLog({})
            raise self._refused(error, "read") from None
        return BatchLog({"/".join(path.split("/")[-2:]): text for path, text in texts})

    def end_batch(self, location: str, log: BatchLog, texts: Mapping[str, str], settings: Mapping[str, str]) -> bool:
        if log.last > log.committed:
            # An incomplete batch keeps its end. If it ends before the required end, another batch follows.
            return ends_within(log, texts)
        with session_settings(self._spark, tuple(settings.items())):
            error = note_end(self._spark, location, source_lines(texts))
        new_log = self.batches(location)
        if new_log.last <= new_log.committed and error is not None:
            raise error
        return ends_within(new_log, texts)

    def below(self, folder: str) -> ServerStore:
        if folder not in self._below:
            parts = self._url.split("/")
            for part in folder.split("/"):
                parts = parts[:-1] if part == ".." else [*parts, part]
            self._below[folder] = ServerStore(self._spark, "/".join(parts))
        return self._below[folder]

    def check(self) -> None:
        """Write a file to the address, and read it back. Raises LsqlcError LSQ784 if that fails."""
        content, place = uuid.uuid4().hex, f"{self._url}/{_PROBE}"
        try:
            self._save(place, content, "overwrite")
            rows = self._spark.read.text(escaped(place)).collect()
        except Exception as error:
            raise self._refused(error, "written to and read") from None
        if [row[0] for row in rows] != [content]:
            raise LsqlcError([_unusable(self._url, "read", "it reads something else than was written")])

    def _texts_of(self, pattern: str) -> DataFrame:
        """Read whole files as rows. A running query may remove files of old batches at any time."""
        # `wholetext` must be an argument: its default would override an option.
        return self._spark.read.option(*_PASSED_OVER).text(pattern, wholetext=True)

    def _descriptions(self) -> dict[str, Described]:
        if self._cache is None:
            self._cache = newest(self._texts())
        return self._cache

    def _texts(self) -> list[tuple[str, str]]:
        """Return the paths and contents of all descriptions."""
        pattern = f"{escaped(self._url)}/*/stage-*"
        try:
            texts = self._texts_of(pattern).selectExpr("_metadata.file_path", "value").collect()
            return [(row[0], row[1]) for row in texts]
        except Exception as error:
            if _is_missing(error):
                return []
            raise self._refused(error, "read") from None

    def _parts(self) -> dict[str, dict[int, bool]]:
        if self._spark_parts is None:
            parts: dict[str, dict[int, bool]] = {}
            for path in self._paths():
                if match := _SPARK.search(path):
                    of = parts.setdefault(match[1], {})
                    of[int(match[2])] = of.get(int(match[2]), False) or match[3] != "metadata"
            self._spark_parts = parts
        return self._spark_parts

    def _paths(self) -> list[str]:
        """Return the paths of Spark's files of queries and batches. Empty folders do not exist in object storages."""
        pattern = f"{escaped(self._url)}/*/spark-*/{{metadata,offsets}}"
        try:
            read = self._spark.read.option(*_PASSED_OVER).format("binaryFile").load(pattern)
            return [row[0] for row in read.select("path").collect()]
        except Exception as error:
            if _is_missing(error):
                return []
            raise self._refused(error, "read") from None

    def _write(self, name: str, text: str | None) -> None:
        before = self._descriptions().get(name)
        number = before.number + 1 if before else 1
        last = max((*self._parts().get(name, ()), before.last if before else 0))
        document = json.dumps({"name": name, "last": last, "text": text, "end": True}, ensure_ascii=False)
        for candidate in range(number, number + _UNFINISHED):
            try:
                self._save(f"{self._url}/{name}/stage-{candidate:06d}", document, "error")
            except Exception as error:
                if cause(str(error))[0] == "PATH_ALREADY_EXISTS" and candidate < number + _UNFINISHED - 1:
                    continue
                raise self._refused(error, "written to") from None
            self._descriptions()[name] = Described(candidate, text, last)
            return

    def _save(self, place: str, line: str, mode: str) -> None:
        from pyspark.sql.connect.functions import lit

        # One partition writes one file.
        frame = self._spark.range(0, 1, 1, 1).select(lit(line).alias("value"))
        frame.write.mode(mode).option("compression", "none").text(place)

    def _empty(self, place: str) -> None:
        self._spark.range(0, 0, 1, 1).selectExpr("'' as value").write.mode("overwrite").text(place)

    def _refused(self, error: Exception, what: str) -> Exception:
        """Return the error to raise. `what`: the operation that has failed, as a participle."""
        if is_lost(error) or isinstance(error, LsqlcError):
            return error
        name, message = cause(str(error))
        return LsqlcError([_unusable(self._url, what, f"Spark says: {message or name}")])


def newest(texts: list[tuple[str, str]]) -> dict[str, Described]:
    """Return the complete description with the highest number, for each checkpoint.

    `texts`: path and content of each file.

    >>> newest([("/c/q/stage-000002/part-0", '{"last": 0, "text": "b"'), ("/c/q/stage-000001/part-0",
    ...          '{"last": 0, "text": "a", "end": true}')])
    {'q': Described(number=1, text='a', last=0)}
    """
    descriptions: dict[str, Described] = {}
    for path, content in sorted(texts):
        match, data = _DESCRIBED.search(path), _complete(content)
        if match is None or data is None:
            continue
        name, description = match[1], Described(int(match[2]), data["text"], data["last"])
        if name not in descriptions or description.number >= descriptions[name].number:
            descriptions[name] = description
    return descriptions


def store_of(checkpoints: Path | str, spark: SparkSession | None = None) -> CheckpointStore:
    """Return the store in a folder, or at an address, which needs a session."""
    if isinstance(checkpoints, Path):
        return FolderStore(checkpoints)
    assert spark is not None, "a store at an address needs a session"
    return ServerStore(spark, checkpoints)


def _complete(content: str) -> dict[str, Any] | None:
    """Parse a description. Return None for one that is truncated, or has another format."""
    try:
        data = json.loads(content)
        is_valid = data["end"] is True and isinstance(data["last"], int) and isinstance(data["text"], str | None)
    except (ValueError, KeyError, TypeError):
        return None
    return data if is_valid else None


def _is_missing(error: Exception) -> bool:
    return cause(str(error))[0] == "PATH_NOT_FOUND"


def _unusable(url: str, what: str, why: str) -> Diagnostic:
    return Diagnostic(
        "LSQ784",
        f"the checkpoints at '{url}' cannot be {what} by the Spark server",
        notes=(why,),
        help="the server needs the file system's jars and its credentials (`spark.hadoop.fs.*`), and the right to "
        "create, read and list there",
    )


def _remove(folder: Path, aside: Path) -> None:
    """Remove a folder atomically: rename it, and remove it then.

    Files of a server that runs as another user can be renamed, but not removed. They stay under the new name.
    """
    with suppress(FileNotFoundError):
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
