"""A checkpoint as its last completed batch has left it, copied beside or away from the one that is there.

A query may write the checkpoint meanwhile. What Spark has written of a completed batch does not change any more, and is
removed only when a number of later batches is complete. So it is enough to leave out what belongs to a later batch, and
to look afterwards whether the batch is still kept.

The copy has an id of its own: a server that is asked to start a query ends the one that it has under the same id.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.run.batch_log import read_batches

_TRIES = 5
# Spark keeps what a hundred batches need, unless it is told otherwise; some of its files are removed before others.
_MOST = 50
# A file of a version of a store: the state after batch 6 is version 7.
_VERSION = re.compile(r"(\d+)(?:_[0-9a-fA-F-]+)?\.(?:delta|snapshot|zip|changelog)")
_BATCH = re.compile(r"(?:offsets|commits)/(\d+)")


def copy_checkpoint(location: Path, copy: Path, *, batch: int | None = None) -> int:
    """Copy Spark's part of a checkpoint as a completed batch has left it, None: the last one; the number of that batch.
    It is on disk afterwards. `copy`: a folder that does not exist.

    Raises LsqlcError LSQ897 where the query runs on faster than it is copied, and OSError. Nothing is left then.
    """
    make_folder(copy.parent)
    try:
        for _ in range(_TRIES):
            done = read_batches(location).committed if batch is None else batch
            if _copied(location, copy, done) and _is_kept(location, done):
                break
            shutil.rmtree(copy, ignore_errors=True)
        else:
            raise LsqlcError([_too_fast(location)])
        _give_id(copy)
        # What is known of broken files lies beside.
        for note in location.parent.glob(f"files-{location.name}.json"):
            shutil.copy2(note, copy.parent / f"files-{copy.name}.json")
        settle(copy)
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    return done


def settle(copy: Path) -> None:
    """Give all files of a folder the permissions of the one above, and write them through: what is named from now on
    must survive a crash of the machine.
    """
    for made in (copy, *copy.rglob("*")):
        give_permissions(made, copy.parent)
        handle = os.open(made, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_of_batch(path: str, batch: int) -> bool:
    """Whether a file of a checkpoint, by its path in there, is needed to go on behind a batch.

    >>> [is_of_batch(path, 6) for path in ("commits/6", "offsets/7", "state/0/1/7.zip", "state/0/1/8_0a-f.changelog")]
    [True, False, True, False]
    >>> [is_of_batch(path, 6) for path in ("offsets/.6.crc", "state/0/0/.8.delta.crc", "state/0/0/.8.delta.ab.tmp")]
    [True, False, False]
    """
    folder, _, name = path.rpartition("/")
    if name.startswith("."):
        # A checksum goes with its file. Other names are of files that are being written.
        return name.endswith(".crc") and is_of_batch(f"{folder}/{name[1:-4]}", batch)
    if named := _BATCH.fullmatch(path):
        return int(named[1]) <= batch
    version = _VERSION.fullmatch(name) if folder.startswith("state/") else None
    return version is None or int(version[1]) <= batch + 1


def _copied(location: Path, copy: Path, batch: int) -> bool:
    """Copy what a batch needs. False if something of it went away, which is no file of the state: what a version of a
    store needs is kept as long as its batch.
    """
    for path in _files(location):
        if not is_of_batch(path, batch):
            continue
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copy2(location / path, copy / path)
        except FileNotFoundError:
            if not path.startswith("state/") and not path.endswith(".crc"):
                return False
    log = read_batches(copy)
    return log.last == log.committed == batch and "metadata" in log.texts


def _files(folder: Path) -> Iterator[str]:
    """The paths of all files, listed before the first is used."""
    found = [Path(at) / name for at, _, names in os.walk(folder) for name in names]
    return (path.relative_to(folder).as_posix() for path in sorted(found))


def _is_kept(location: Path, batch: int) -> bool:
    newest = max((int(path.name) for path in location.glob("commits/[0-9]*")), default=-1)
    return (location / "commits" / str(batch)).exists() and newest - batch <= _MOST


def _give_id(copy: Path) -> None:
    path = copy / "metadata"
    noted = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**noted, "id": str(uuid.uuid4())}), "utf-8")
    with suppress(FileNotFoundError):
        # The checksum of what stood there before.
        (copy / ".metadata.crc").unlink()


def _too_fast(location: Path) -> Diagnostic:
    return Diagnostic(
        "LSQ897",
        "the query goes on faster than its state can be copied",
        notes=(f"its checkpoint is '{location}'", f"what was copied was no longer kept, {_TRIES} times"),
        help="stop the run for the time of the copy, with `lsqlc stop`",
    )
