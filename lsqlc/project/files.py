"""The files of a project: found in a fixed order, read as UTF-8, never outside of the project.

A path is relative to the project, with `/`. Names that begin with a dot are skipped. A link that leads out of the
project, and `..` beyond its root, are refused: so a project names all its dependencies, and a pull request cannot read
the machine's files. Only regular files are opened: opening a named pipe waits, and a device can be endless.
"""

# A thousand models are walked and read on every run, and pathlib costs several times as much.
# ruff: noqa: PTH114, PTH116, PTH118

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.scan.paths import check_regular, is_inside, shown, why_unread, within

MAX_TEXT = 32 * 2**20
"""The bytes of the largest text file."""

# Flags that some systems lack: do not wait for a pipe, do not let a child inherit the file, keep line ends.
_READING = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _READING |= getattr(os, _flag, 0)


class ProjectError(LsqlcError):
    """Errors in the files of a project. `texts`: the texts that the diagnostics refer to, by path."""

    def __init__(self, diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> None:
        super().__init__(diagnostics)
        self.texts = texts


@dataclass(frozen=True, slots=True)
class Text:
    """The text of one file; None if it cannot be read, with the reason in the diagnostics."""

    path: str
    text: str | None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files in some folders, by path, and an error for each link that was refused."""

    paths: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def find(root: Path, folders: Iterable[str], endings: tuple[str, ...], *, folders_named_so: bool = False) -> FoundFiles:
    """Return the files in the folders whose names have one of the endings, in order of their paths.

    A missing folder has no files. A folder whose name has an ending is an error unless `folders_named_so`.
    """
    base = os.path.realpath(root)
    diagnostics: list[Diagnostic] = []
    paths: set[str] = set()
    for folder in folders:
        top = os.path.normpath(folder).replace(os.sep, "/")
        if not within(top) or not is_inside(base, os.path.join(base, top)):
            diagnostics.append(_outside(top))
            continue
        paths.update(_walk(base, "" if top == "." else top + "/", endings, diagnostics, folders_named_so))
    return FoundFiles(tuple(sorted(paths)), tuple(diagnostics))


def names_in(folder: Path, endings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of files directly in a folder that have one of the endings, in order; none if it cannot be
    listed.
    """
    try:
        with os.scandir(folder) as scan:
            names = [entry.name for entry in scan]
    except OSError:
        # The caller reports the missing file.
        return ()
    return tuple(sorted(n for n in names if n.endswith(endings) and not n.startswith(".") and shown(n) == n))


def read(root: Path, path: str) -> Text:
    """Return the text of one file of the project, with its line ends and without a byte order mark."""
    if not within(path) or not is_inside(os.path.realpath(root), os.path.join(root, path)):
        return Text(path, None, (_outside(path),))
    return read_file(os.path.join(root, path), path)


def read_file(file: str | os.PathLike[str], path: str) -> Text:
    """Return the text of a file anywhere, called `path` in diagnostics."""
    try:
        content = read_bytes(file)
    except (OSError, ValueError) as error:
        message = f"cannot read '{path}': {why_unread(error, file)}"
        return Text(path, None, (Diagnostic("LSQ001", message, _start(path)),))
    return decode(content, path)


def read_bytes(file: str | os.PathLike[str], limit: int = MAX_TEXT) -> bytes:
    """Return the contents of a regular file of at most `limit` bytes.

    Raises OSError for any other file, and ValueError for an invalid file name.
    """
    handle = open_regular(file)
    try:
        size, remaining = os.fstat(handle).st_size, limit + 1
        parts = []
        while remaining and (part := os.read(handle, min(remaining, size + 1))):
            parts.append(part)
            remaining -= len(part)
    finally:
        os.close(handle)
    if not remaining:
        raise OSError(errno.EFBIG, f"it is larger than the limit of {limit // 2**20} MiB")
    return b"".join(parts)


def open_regular(file: str | os.PathLike[str]) -> int:
    """Return a file descriptor for reading.

    Raises OSError for anything but a regular file, without opening it: that could wait forever, or trigger a device.
    """
    check_regular(os.stat(file).st_mode)
    handle = os.open(file, _READING)
    try:
        # The file may have been replaced in between.
        check_regular(os.fstat(handle).st_mode)
    except OSError:
        os.close(handle)
        raise
    return handle


def replace(file: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file atomically, with a mode if there is one. Raises OSError.

    The temporary file is new and has an unpredictable name. A pull request could otherwise put a link there, which
    would redirect the content.
    """
    scratch = file.with_name(f".{file.name}.{os.urandom(8).hex()}")
    try:
        with scratch.open("xb") as opened:
            opened.write(content)
        if mode is not None:
            scratch.chmod(mode)
        scratch.replace(file)
    finally:
        scratch.unlink(missing_ok=True)


def decode(content: bytes, path: str) -> Text:
    """Return bytes as UTF-8 text, or a diagnostic at the first invalid byte."""
    try:
        return Text(path, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        # The codec counts from the end of the byte order mark.
        whole = content.removeprefix(b"\xef\xbb\xbf")
        start = min(error.start, len(whole))
        before = whole[:start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        problem = Diagnostic(
            "LSQ002",
            f"'{path}' is not UTF-8 text",
            Span(path, line, column, line, column + 1),
            notes=(f"the byte 0x{whole[start]:02x} is not allowed here",) if start < len(whole) else (),
            help="save the file with the encoding UTF-8",
        )
        return Text(path, None, (problem,))


def links_in(root: Path, folder: str) -> tuple[Diagnostic, ...]:
    """Return an error for each link to a folder above, at or below an output folder of the project.

    Through a link, files that people wrote could be replaced or removed.
    """
    base = os.path.realpath(root)
    top = os.path.join(base, os.path.normpath(folder))
    direct = os.path.realpath(top) == top
    links = [] if direct else [folder]
    for place, folders, _ in os.walk(top) if direct else ():
        names = (os.path.join(place, name) for name in sorted(folders))
        links += [os.path.relpath(path, base).replace(os.sep, "/") for path in names if os.path.islink(path)]
    note = "the output of a project is written below the folder of its lsqlc.yml, and through no link"
    return tuple(
        Diagnostic("LSQ009", f"'{path}' {_leads(base, path)}", notes=(note,), help="remove the link") for path in links
    )


def _leads(base: str, path: str) -> str:
    return "is a link" if is_inside(base, os.path.join(base, path)) else "leads out of the project"


def _walk(
    base: str, below: str, endings: tuple[str, ...], diagnostics: list[Diagnostic], folders_named_so: bool
) -> Iterator[str]:
    try:
        with os.scandir(base + "/" + below) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        diagnostics.append(Diagnostic("LSQ001", f"cannot read '{below.rstrip('/')}': {reason}"))
        return
    for entry in entries:
        name = entry.name
        if name.startswith("."):
            continue
        path = below + name
        if not name.isascii() and shown(name) != name:
            # No text file could name it.
            if name.endswith(endings) or entry.is_dir(follow_symlinks=False):
                path = below + shown(name)
                diagnostics.append(Diagnostic("LSQ001", f"cannot read '{path}': its name is not UTF-8", _start(path)))
        elif entry.is_symlink() and not is_inside(base, entry.path):
            diagnostics.append(_outside(path))
        elif name.endswith(endings) and not (folders_named_so and entry.is_dir(follow_symlinks=False)):
            # The caller reports entries that are not files.
            yield path
        elif entry.is_dir(follow_symlinks=False):
            # Linked folders are not entered: two links could make the walk endless, and each file must have one path.
            yield from _walk(base, path + "/", endings, diagnostics, folders_named_so)


def _outside(path: str) -> Diagnostic:
    return Diagnostic(
        "LSQ009",
        f"'{path}' leads out of the project",
        notes=("a project can only read files below the folder of its lsqlc.yml",),
        help="move or copy the file into the project",
    )


def _start(path: str) -> Span:
    return Span(path, 1, 1, 1, 1)
