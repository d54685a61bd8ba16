"""The files of golden tests: found and read in a fixed order, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.golden.data_files import ENDINGS
from lsqlc.golden.snapshot import PLAN_FILE
from lsqlc.project import files
from lsqlc.scan import paths


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by path, and what could not be read: `broken` are the files that are there without a text."""

    texts: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]
    broken: frozenset[str] = frozenset()


def read_case_files(root: Path, folders: Iterable[str], *, records: bool = False) -> Texts:
    """Return every YAML file below the case paths, and the files of records if one of them could name any, or with
    `records`. Which of them hold cases is for `load_cases` to say.
    """
    given = tuple(folders)
    found = _read(root, given, (".yml", ".yaml"))
    if not records and not any(ending in text for ending in ENDINGS for text in found.texts.values()):
        return found
    more = _read(root, given, ENDINGS)
    # What no case names may be anything: a file that is not UTF-8 is told where a case wants it.
    return Texts({**found.texts, **more.texts}, found.diagnostics, found.broken)


def read_golden_files(root: Path, folder: str) -> Texts:
    """Return the golden files and plans of a project. One that is not UTF-8 has no text, and a diagnostic."""
    # The folders have the names of models, which may end so.
    found = _read(root, (folder,), (".jsonl", PLAN_FILE), folders_named_so=True)
    kept = {p: t for p, t in found.texts.items() if p.endswith(".jsonl") or p.rsplit("/", 1)[-1] == PLAN_FILE}
    return Texts(kept, found.diagnostics, found.broken)


def write_golden_files(root: Path, writes: Mapping[str, str | None]) -> tuple[Diagnostic, ...]:
    """Write texts by path, and remove the files whose text is None, with the folders that this leaves empty. A file
    that cannot be written is reported, and the others are still written.
    """
    found: list[Diagnostic] = []
    for path, text in writes.items():
        try:
            if not paths.stays_inside(root, path):
                found.append(_unwritable(path, "it leads out of the project"))
            elif text is None:
                _remove(root / path)
            else:
                _write(root / path, text)
        except OSError as error:
            found.append(_unwritable(path, (error.strerror or str(error)).lower()))
    return tuple(found)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    files.replace(file, text.encode())


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    if not any(file.parent.iterdir()):
        file.parent.rmdir()


def _unwritable(path: str, reason: str) -> Diagnostic:
    message = f"cannot write '{path}': {reason}"
    return Diagnostic("LSQ516", message, Span(path, 1, 1, 1, 1), help="make the folder writable, or set 'golden-path'")


def _read(root: Path, folders: Iterable[str], endings: tuple[str, ...], *, folders_named_so: bool = False) -> Texts:
    found = files.find(root, folders, endings, folders_named_so=folders_named_so)
    texts: dict[str, str] = {}
    broken: set[str] = set()
    diagnostics = list(found.diagnostics)
    for path in found.paths:
        read = files.read_file(root / path, path)
        diagnostics += read.diagnostics
        if read.text is not None:
            texts[path] = read.text
        else:
            broken.add(path)
    return Texts(texts, tuple(diagnostics), frozenset(broken))
