"""The files of a topic of files: found, in order, with what a record takes from the file that it stands in.

A folder is read with all below it; a pattern matches name by name. Names that begin with a dot or `_` are passed over,
as Spark does, and so are links that lead out of the project. Files come in order of their modification time, those of
one millisecond in one that their paths decide, and that means nothing.
"""

# Listings are made on every run, and pathlib costs several times as much.
# ruff: noqa: PTH112, PTH118

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b, md5
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.scan.paths import check_regular, shown, stays_inside, why_unread
from lsqlc.types.files import Files

# An ordinal begins with the second of the file's last change, shifted: a TABLE of files is there before the records of
# any log, whose ordinals count from 0, and a STREAM of files comes after them.
SHIFT = 100_000_000_000
# The same for a STREAM of files beside topics in Kafka, whose ordinals begin with doubled times in milliseconds. The
# state of queries on Spark has ordinals with `SHIFT`, so it stays in them.
LATE = 1_000_000_000_000_000
_HASHED = 1 << 42


@dataclass(frozen=True, slots=True)
class DataFile:
    """`path` is relative to the project, `modified` in epoch milliseconds, `size` in bytes."""

    path: str
    modified: int
    size: int

    @property
    def second(self) -> int:
        return self.modified // 1000

    @property
    def within(self) -> int:
        """What orders files of one second: the millisecond, then a number made of the path."""
        return self.modified % 1000 * _HASHED + path_number(self.path)


def path_number(path: str) -> int:
    """Up to 42 bits of a path's MD5, as Spark's functions can compute it."""
    return int(md5(path.encode(), usedforsecurity=False).hexdigest()[:10], 16)


def data_files(root: Path, files: Files) -> tuple[DataFile, ...]:
    """The files of a topic, in order. A folder that is not there has none. Raises LsqlcError LSQ441 for what is no file
    that can be read: a named pipe, which Spark would wait for without end, a link that leads nowhere, a folder that
    must not be listed.
    """
    found: list[DataFile] = []
    if not stays_inside(root, files.root):
        return ()
    for path in _matching(os.fspath(root), files):
        if not path.isascii() and shown(path) != path:
            raise LsqlcError([_unread(shown(path), "its name is not UTF-8")])
        if not stays_inside(root, path):
            continue
        file = os.path.join(root, path)
        try:
            about = os.stat(file)  # noqa: PTH116 - as above
            check_regular(about.st_mode)
        except FileNotFoundError as error:
            # It went between the listing and now, as it may at any time.
            if not os.path.lexists(file):
                continue
            raise LsqlcError([_unread(path, why_unread(error, file))]) from None
        except OSError as error:
            raise LsqlcError([_unread(path, why_unread(error, file))]) from None
        found.append(DataFile(path, about.st_mtime_ns // 1_000_000, about.st_size))
    return tuple(sorted(found, key=lambda f: (f.second, f.within)))


def digest(root: Path, sources: Iterable[Files]) -> str:
    """Identifies the files of some topics by their paths, sizes and times."""
    told = blake2b(digest_size=16)
    for files in sources:
        told.update(f"{files.path}\0".encode())
        told.update("".join(f"{f.path}\0{f.modified}\0{f.size}\n" for f in data_files(root, files)).encode())
    return told.hexdigest()


def _matching(root: str, files: Files) -> Iterator[str]:
    if not files.is_pattern:
        if os.path.lexists(os.path.join(root, files.path)) and not os.path.isdir(os.path.join(root, files.path)):
            yield files.path
        yield from _below(root, files.path)
        return
    rest = files.path[len(files.root) + 1 :].split("/")
    yield from _pattern(root, files.root, [re.compile(_expression(part)) for part in rest])


def _below(root: str, folder: str) -> Iterator[str]:
    for entry in _entries(root, folder):
        path = f"{folder}/{entry.name}"
        # A linked folder is not entered: two links could make the walk endless.
        if entry.is_dir(follow_symlinks=False):
            yield from _below(root, path)
        elif not os.path.isdir(entry.path):
            yield path


def _pattern(root: str, folder: str, rest: list[re.Pattern[str]]) -> Iterator[str]:
    for entry in _entries(root, folder):
        if not rest[0].fullmatch(entry.name):
            continue
        path = f"{folder}/{entry.name}"
        if len(rest) > 1 and entry.is_dir(follow_symlinks=False):
            yield from _pattern(root, path, rest[1:])
        elif len(rest) == 1 and not os.path.isdir(entry.path):
            yield path


def _entries(root: str, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(root, folder)) as scan:
            return sorted((e for e in scan if e.name[0] not in "._"), key=lambda e: e.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise LsqlcError([_unread(folder, why_unread(error, folder))]) from None


def _unread(path: str, why: str) -> Diagnostic:
    help = "remove it from the topic's folder, or fix it"
    return Diagnostic("LSQ441", f"cannot read '{path}': {why}", Span(path, 1, 1, 1, 1), help=help)


def _expression(part: str) -> str:
    """A part of a pattern as a regular expression."""
    text = ""
    depth = 0
    for c in part:
        if c == "{":
            text, depth = text + "(?:", depth + 1
        elif c == "}" and depth:
            text, depth = text + ")", depth - 1
        elif c == "," and depth:
            text += "|"
        else:
            text += {"*": "[^/]*", "?": "[^/]"}.get(c) or re.escape(c)
    return text + ")" * depth
