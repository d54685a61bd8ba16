"""Reading and atomic writing of case files, data files and golden files."""

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
    """Texts by path. `broken`: files that exist but cannot be read."""

    texts: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]
    broken: frozenset[str] = frozenset()


def read_case_files(root: Path, folders: Iterable[str], *, records: bool = False) -> Texts:
    """Return all YAML files below the case paths.

    Data files are added if a YAML file may name one, or with `records`. `load_cases` skips files without cases.
    """
    folder_paths = tuple(folders)
    yaml_files = _read(root, folder_paths, (".yml", ".yaml"))
    if not records and not any(ending in text for ending in ENDINGS for text in yaml_files.texts.values()):
        return yaml_files
    more = _read(root, folder_paths, ENDINGS)
    # A data file that is not UTF-8 is only reported if a case uses it.
    return Texts({**yaml_files.texts, **more.texts}, yaml_files.diagnostics, yaml_files.broken)


def read_golden_files(root: Path, folder: str) -> Texts:
    """Return the golden files and plans of a project. One that is not UTF-8 gets a diagnostic instead of a text."""
    # The name of a model, and so of its folder, may have such an ending.
    files_below = _read(root, (folder,), (".jsonl", PLAN_FILE), folders_named_so=True)
    golden_texts = {
        p: t for p, t in files_below.texts.items() if p.endswith(".jsonl") or p.rsplit("/", 1)[-1] == PLAN_FILE
    }
    return Texts(golden_texts, files_below.diagnostics, files_below.broken)


def write_golden_files(root: Path, writes: Mapping[str, str | None]) -> tuple[Diagnostic, ...]:
    """Write texts by path, and remove files whose text is None, with folders that become empty.

    A file that cannot be written is reported, and the others are still written.
    """
    diagnostics: list[Diagnostic] = []
    for path, text in writes.items():
        try:
            if not paths.stays_inside(root, path):
                diagnostics.append(_unwritable(path, "it leads out of the project"))
            elif text is None:
                _remove(root / path)
            else:
                _write(root / path, text)
        except OSError as error:
            diagnostics.append(_unwritable(path, (error.strerror or str(error)).lower()))
    return tuple(diagnostics)


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
    matches = files.find(root, folders, endings, folders_named_so=folders_named_so)
    texts: dict[str, str] = {}
    broken: set[str] = set()
    diagnostics = list(matches.diagnostics)
    for path in matches.paths:
        content = files.read_file(root / path, path)
        diagnostics += content.diagnostics
        if content.text is not None:
            texts[path] = content.text
        else:
            broken.add(path)
    return Texts(texts, tuple(diagnostics), frozenset(broken))
