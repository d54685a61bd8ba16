"""Copy a checkpoint in the state after a completed batch, while its query may run.

Spark does not change the files of a completed batch, and removes them only after a number of later batches. So the copy
has all files except those of later batches. After copying, a check confirms that Spark still keeps the batch.

The copy has a new id, because a server that starts a query stops another one with the same id.
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
# The maximum distance from the newest batch. Spark keeps the files of a hundred batches by default, but removes them in
# steps.
_MOST = 50
# A file of a version of a state store: the state after batch 6 is version 7.
_VERSION = re.compile(r"(\d+)(?:_[0-9a-fA-F-]+)?\.(?:delta|snapshot|zip|changelog)")
_BATCH = re.compile(r"(?:offsets|commits)/(\d+)")


def copy_checkpoint(location: Path, copy: Path, *, batch: int | None = None) -> int:
    """Copy Spark's part of a checkpoint in the state after a completed batch. Return the number of the batch.

    `copy`: a folder that does not exist; `batch`: None is the last completed one. The copy is flushed to the disk.
    Raises LsqlcError LSQ897 if the query is faster than the copy, and OSError. No file of the copy is left then.
    """
    make_folder(copy.parent)
    try:
        for _ in range(_TRIES):
            number = read_batches(location).committed if batch is None else batch
            if _copy_files(location, copy, number) and _is_kept(location, number):
                break
            shutil.rmtree(copy, ignore_errors=True)
        else:
            raise LsqlcError([_too_fast(location)])
        _give_id(copy)
        # The list of broken files is next to the checkpoint.
        for note in location.parent.glob(f"files-{location.name}.json"):
            shutil.copy2(note, copy.parent / f"files-{copy.name}.json")
        settle(copy)
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    return number


def settle(copy: Path) -> None:
    """Give all files of a folder the permissions of the parent folder, and flush them to the disk."""
    for path in (copy, *copy.rglob("*")):
        give_permissions(path, copy.parent)
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_of_batch(path: str, batch: int) -> bool:
    """Return whether a query needs a file to continue after a batch. `path`: relative to the checkpoint.

    >>> [is_of_batch(path, 6) for path in ("commits/6", "offsets/7", "state/0/1/7.zip", "state/0/1/8_0a-f.changelog")]
    [True, False, True, False]
    >>> [is_of_batch(path, 6) for path in ("offsets/.6.crc", "state/0/0/.8.delta.crc", "state/0/0/.8.delta.ab.tmp")]
    [True, False, False]
    """
    folder, _, name = path.rpartition("/")
    if name.startswith("."):
        # A checksum belongs to its file. Other hidden files are incomplete.
        return name.endswith(".crc") and is_of_batch(f"{folder}/{name[1:-4]}", batch)
    if match := _BATCH.fullmatch(path):
        return int(match[1]) <= batch
    version = _VERSION.fullmatch(name) if folder.startswith("state/") else None
    return version is None or int(version[1]) <= batch + 1


def _copy_files(location: Path, copy: Path, batch: int) -> bool:
    """Copy the files of a batch. Return False if Spark has removed one of them in between.

    Files of the state may be missing: Spark keeps the files that the batch needs as long as the batch itself.
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
    """Return the paths of all files, which are listed before the first one is returned."""
    paths = [Path(at) / name for at, _, names in os.walk(folder) for name in names]
    return (path.relative_to(folder).as_posix() for path in sorted(paths))


def _is_kept(location: Path, batch: int) -> bool:
    newest = max((int(path.name) for path in location.glob("commits/[0-9]*")), default=-1)
    return (location / "commits" / str(batch)).exists() and newest - batch <= _MOST


def _give_id(copy: Path) -> None:
    path = copy / "metadata"
    metadata = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**metadata, "id": str(uuid.uuid4())}), "utf-8")
    with suppress(FileNotFoundError):
        # The checksum of the former content.
        (copy / ".metadata.crc").unlink()


def _too_fast(location: Path) -> Diagnostic:
    return Diagnostic(
        "LSQ897",
        "the query continues faster than its state can be copied",
        notes=(
            f"its checkpoint is '{location}'",
            f"in each of {_TRIES} attempts, Spark removed files of the batch before the copy was complete",
        ),
        help="stop the run for the time of the copy, with `lsqlc stop`",
    )
