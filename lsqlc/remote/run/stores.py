"""Where checkpoints are kept: a folder that client and server see, or an address that only the server reaches.

A store holds two things for each query, under the name of its checkpoint: a description, which is a text, and Spark's
own part, a place for each generation. A description is there as a whole or not at all.

`ServerStore` does everything through Spark Connect, which has no interface for files. What it builds on:

- `read.text` and `binaryFile` take patterns, and say PATH_NOT_FOUND where nothing matches. They pass over names that
  begin with `_` or `.`, and so over what a job that was killed left in `_temporary`.
- A writer of the mode `error` refuses a folder that exists (PATH_ALREADY_EXISTS), one with an unfinished job too.
- Nothing can be renamed, and no single file can be removed. `overwrite` with a frame without rows empties a folder, but
  for a `_SUCCESS` and a file of no bytes.

So a description is written into a new folder, `stage-<number>`, with a number that grows, as one object of JSON with
`end` as its last member: what was cut off is no JSON. The highest whole one counts. Older ones stay.
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
from lsqlc.remote.run.queries import held
from lsqlc.remote.session.failures import cause, is_lost

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession

_DESCRIBED = re.compile(r"/([^/]+)/stage-(\d+)/[^/]+$")
_SPARK = re.compile(r"/([^/]+)/spark-(\d+)/(metadata|offsets/\d+)$")
# Folders of jobs that were killed, which have a number but no description.
_UNFINISHED = 100
# No query's checkpoint has such a name.
_PROBE = ".probe"
# An option of a reader: a file that is gone since its folder was listed is no error.
_PASSED_OVER = ("ignoreMissingFiles", "true")


class CheckpointStore(Protocol):
    """Descriptions, and Spark's part, of checkpoints by their names. One run at a time uses a store."""

    @property
    def label(self) -> str:
        """What messages call a description."""
        ...

    def described(self) -> tuple[str, ...]:
        """The checkpoints that have a description, in order of their names."""
        ...

    def has(self, name: str) -> bool:
        """Whether there is anything of that checkpoint."""
        ...

    def read(self, name: str) -> str | None:
        """The description; None if there is none. Raises OSError or ValueError for one that cannot be read."""
        ...

    def write(self, name: str, text: str) -> None:
        """Write the description, in place of any other."""
        ...

    def generations(self, name: str) -> Mapping[int, bool]:
        """The generations that Spark has a place for, and whether a batch was begun there."""
        ...

    def location(self, name: str, generation: int) -> str:
        """Spark's place for a generation, its `checkpointLocation`. Each has one of its own: a query of an older one
        that still lives on a server does not meddle with the newer.
        """
        ...

    def clear(self, name: str) -> None:
        """Remove Spark's part as far as possible; the rest is kept and not used again."""
        ...

    def remove(self, name: str) -> None:
        """Remove a checkpoint; a missing one is not an error."""
        ...

    def forget(self, name: str) -> None:
        """Remove the description of a checkpoint only; a missing one is not an error."""
        ...

    def batches(self, location: str) -> BatchLog:
        """The batches in one of Spark's places."""
        ...

    def end_batch(self, location: str, log: BatchLog, texts: Mapping[str, str], settings: Mapping[str, str]) -> bool:
        """Have the next batch there end as `next_batch` says. `log`: what `batches` gave; `settings`: those of Spark
        that the query starts with. The query must not run. False: this place cannot have it. Raises what pyspark
        raises where the server fails.
        """
        ...

    def below(self, folder: str) -> CheckpointStore:
        """The checkpoints in another folder, by its path from this one, such as `aside-1` or `..`."""
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
        made = path.with_suffix(".new")
        with made.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        give_permissions(made, path.parent)
        made.replace(path)

    def generations(self, name: str) -> Mapping[int, bool]:
        found = (self.root / name).glob("spark-[0-9]*")
        return {int(p.name[6:]): any((p / "offsets").glob("[0-9]*")) for p in found}

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
    """The newest description of a checkpoint. `text` None: it was forgotten. `last`: the highest generation then."""

    number: int
    text: str | None
    last: int


class ServerStore:
    """Checkpoints below an address of any file system that the server knows: `<url>/<name>/stage-<number>/` and
    `<url>/<name>/spark-<generation>/`.

    What is there is asked once, and then known from what is written: a store is made for one attempt of a run, which
    holds the lease. Every method raises LsqlcError LSQ784 for what the server's file system refuses; a lost server
    raises what pyspark raises.
    """

    def __init__(self, spark: SparkSession, url: str) -> None:
        self._spark = spark
        self._url = url.rstrip("/")
        self._known: dict[str, Described] | None = None
        self._spark_parts: dict[str, dict[int, bool]] | None = None
        self._below: dict[str, ServerStore] = {}

    @property
    def label(self) -> str:
        return "stage-*"

    def described(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, found in self._descriptions().items() if found.text is not None))

    def has(self, name: str) -> bool:
        found, parts = self._descriptions().get(name), self._parts().get(name, {})
        if found is not None and found.text is None:
            # What was forgotten may have left a place that could not be emptied.
            return any(generation > found.last for generation in parts)
        return found is not None or bool(parts)

    def read(self, name: str) -> str | None:
        found = self._descriptions().get(name)
        return found.text if found else None

    def write(self, name: str, text: str) -> None:
        self._write(name, text)

    def generations(self, name: str) -> Mapping[int, bool]:
        found = self._descriptions().get(name)
        # A place that was emptied is not used again, nor one that could not be.
        forgotten = {found.last: False} if found and found.last else {}
        return forgotten | self._parts().get(name, {})

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
                # Not every user of a storage may delete: the place stays, and the next generation has another one.
                continue
            del parts[generation]

    def remove(self, name: str) -> None:
        if self.has(name):
            self._write(name, None)
            self.clear(name)

    def forget(self, name: str) -> None:
        found = self._descriptions().get(name)
        if found is not None and found.text is not None:
            self._write(name, None)

    def batches(self, location: str) -> BatchLog:
        pattern = f"{escaped(location)}/{{offsets,commits}}/*"
        try:
            read = self._texts_of(pattern)
            found = read.selectExpr("_metadata.file_path", "value").collect()
        except Exception as error:
            if _is_nothing(error):
                return BatchLog({})
            raise self._refused(error, "read") from None
        return BatchLog({"/".join(path.split("/")[-2:]): text for path, text in found})

    def end_batch(self, location: str, log: BatchLog, texts: Mapping[str, str], settings: Mapping[str, str]) -> bool:
        if log.last > log.committed:
            # What was begun ends where it ends. Another batch follows, up to where it was to end.
            return ends_within(log, texts)
        with held(self._spark, tuple(settings.items())):
            error = note_end(self._spark, location, source_lines(texts))
        noted = self.batches(location)
        if noted.last <= noted.committed and error is not None:
            raise error
        return ends_within(noted, texts)

    def below(self, folder: str) -> ServerStore:
        if folder not in self._below:
            parts = self._url.split("/")
            for part in folder.split("/"):
                parts = parts[:-1] if part == ".." else [*parts, part]
            self._below[folder] = ServerStore(self._spark, "/".join(parts))
        return self._below[folder]

    def check(self) -> None:
        """Write something there, and read it back. Raises LsqlcError LSQ784 where that fails."""
        said, place = uuid.uuid4().hex, f"{self._url}/{_PROBE}"
        try:
            self._save(place, said, "overwrite")
            rows = self._spark.read.text(escaped(place)).collect()
        except Exception as error:
            raise self._refused(error, "written to and read") from None
        if [row[0] for row in rows] != [said]:
            raise LsqlcError([_unusable(self._url, "read", "it reads something else than was written")])

    def _texts_of(self, pattern: str) -> DataFrame:
        """Whole files as rows. A query that runs removes what it has kept of old batches at any time."""
        # The argument counts: the option is overwritten by its default.
        return self._spark.read.option(*_PASSED_OVER).text(pattern, wholetext=True)

    def _descriptions(self) -> dict[str, Described]:
        if self._known is None:
            self._known = newest(self._texts())
        return self._known

    def _texts(self) -> list[tuple[str, str]]:
        """Paths and contents of all descriptions."""
        pattern = f"{escaped(self._url)}/*/stage-*"
        try:
            read = self._texts_of(pattern)
            return [(row[0], row[1]) for row in read.selectExpr("_metadata.file_path", "value").collect()]
        except Exception as error:
            if _is_nothing(error):
                return []
            raise self._refused(error, "read") from None

    def _parts(self) -> dict[str, dict[int, bool]]:
        if self._spark_parts is None:
            found: dict[str, dict[int, bool]] = {}
            for path in self._paths():
                if place := _SPARK.search(path):
                    of = found.setdefault(place[1], {})
                    of[int(place[2])] = of.get(int(place[2]), False) or place[3] != "metadata"
            self._spark_parts = found
        return self._spark_parts

    def _paths(self) -> list[str]:
        """Paths of what Spark keeps of a query and of its batches. An empty folder is none: storages of objects have no
        such thing.
        """
        pattern = f"{escaped(self._url)}/*/spark-*/{{metadata,offsets}}"
        try:
            read = self._spark.read.option(*_PASSED_OVER).format("binaryFile").load(pattern)
            return [row[0] for row in read.select("path").collect()]
        except Exception as error:
            if _is_nothing(error):
                return []
            raise self._refused(error, "read") from None

    def _write(self, name: str, text: str | None) -> None:
        before = self._descriptions().get(name)
        number = before.number + 1 if before else 1
        last = max((*self._parts().get(name, ()), before.last if before else 0))
        whole = json.dumps({"name": name, "last": last, "text": text, "end": True}, ensure_ascii=False)
        for tried in range(number, number + _UNFINISHED):
            try:
                self._save(f"{self._url}/{name}/stage-{tried:06d}", whole, "error")
            except Exception as error:
                if cause(str(error))[0] == "PATH_ALREADY_EXISTS" and tried < number + _UNFINISHED - 1:
                    continue
                raise self._refused(error, "written to") from None
            self._descriptions()[name] = Described(tried, text, last)
            return

    def _save(self, place: str, line: str, mode: str) -> None:
        from pyspark.sql.connect.functions import lit

        # One partition, and so one file.
        frame = self._spark.range(0, 1, 1, 1).select(lit(line).alias("value"))
        frame.write.mode(mode).option("compression", "none").text(place)

    def _empty(self, place: str) -> None:
        self._spark.range(0, 0, 1, 1).selectExpr("'' as value").write.mode("overwrite").text(place)

    def _refused(self, error: Exception, what: str) -> Exception:
        """The error to raise. `what` cannot be done with the storage."""
        if is_lost(error) or isinstance(error, LsqlcError):
            return error
        name, message = cause(str(error))
        return LsqlcError([_unusable(self._url, what, f"Spark says: {message or name}")])


def newest(texts: list[tuple[str, str]]) -> dict[str, Described]:
    """The highest whole description of each checkpoint. `texts`: path and content of each file.

    >>> newest([("/c/q/stage-000002/part-0", '{"last": 0, "text": "b"'), ("/c/q/stage-000001/part-0",
    ...          '{"last": 0, "text": "a", "end": true}')])
    {'q': Described(number=1, text='a', last=0)}
    """
    found: dict[str, Described] = {}
    for path, content in sorted(texts):
        place, whole = _DESCRIBED.search(path), _whole(content)
        if place is None or whole is None:
            continue
        described = Described(int(place[2]), whole["text"], whole["last"])
        if place[1] not in found or described.number >= found[place[1]].number:
            found[place[1]] = described
    return found


def store_of(checkpoints: Path | str, spark: SparkSession | None = None) -> CheckpointStore:
    """The store at a place: a folder, or an address, which takes a session."""
    if isinstance(checkpoints, Path):
        return FolderStore(checkpoints)
    assert spark is not None, "what lies at an address is asked of the server"
    return ServerStore(spark, checkpoints)


def _whole(content: str) -> dict[str, Any] | None:
    try:
        found = json.loads(content)
        known = found["end"] is True and isinstance(found["last"], int) and isinstance(found["text"], str | None)
    except (ValueError, KeyError, TypeError):
        return None
    return found if known else None


def _is_nothing(error: Exception) -> bool:
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
    """Remove a folder at once, as far as anybody can see. Where the server is another user, what it has made cannot be
    removed by us but can be renamed, and is then left behind.
    """
    with suppress(FileNotFoundError):
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
