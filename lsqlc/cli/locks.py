"""The lock file as `compile` keeps it: columns found in files are written down once, and compared from then on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.cli import project
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from lsqlc.project.declared.declarations import TopicDeclaration
    from lsqlc.project.model import Project
    from lsqlc.types.data import Struct
    from lsqlc.types.files import Files


@dataclass(frozen=True, slots=True)
class Settled:
    """The project with the columns of its files, what is to be said of them, and the folders that were looked at."""

    project: Project
    diagnostics: tuple[Diagnostic, ...] = ()
    watched: tuple[Files, ...] = ()


def settle(shell: Shell, loaded: Project, vars: Mapping[str, Any], *, anew: bool) -> Settled:
    """Find the columns of files whose schema nobody declares, or not all of it; write those down that are not in the
    lock file, all if it is to be made `anew`, and tell where others differ from it. With CI set nothing is written.
    """
    declared = [d for d in (*loaded.topics, *loaded.unlocked) if _is_found(d)]
    if not declared:
        return Settled(loaded)
    # A compile without files does not wait for DuckDB to be loaded.
    from lsqlc.lower.duckdb.infer import infer
    from lsqlc.project.declared.lock import LOCK_FILE, disagreement, drift, lock_text, read_lock

    lock = read_lock(loaded.texts[LOCK_FILE]) if LOCK_FILE in loaded.texts else None
    if lock is not None and lock.diagnostics and not anew:
        return Settled(loaded)
    known: dict[str, Struct] = dict(lock.columns) if lock else {}
    told: list[Diagnostic] = []
    kept: dict[str, Struct] = {}
    for each in declared:
        topic = each.topic
        assert topic.files is not None
        locked = None if anew else known.get(topic.name)
        names = _declared(each, known) if topic.files.declared else frozenset[str]()
        try:
            found = infer(topic.name, topic.files, loaded.root, each.span, declared=names, locked=locked)
        except LsqlcError as error:
            told += error.diagnostics
            found = None
        if locked is not None:
            kept[topic.name] = locked
            changed = drift(topic.name, each.span, locked, found.columns, found.conflicts) if found else None
            told += [changed] if changed else []
        elif found is not None and found.conflicts:
            told.append(disagreement(topic.name, each.span, found.conflicts))
            if topic.name in known:
                kept[topic.name] = known[topic.name]
        elif found is not None:
            kept[topic.name] = found.columns
        elif topic.name in known:
            kept[topic.name] = known[topic.name]
    watched = tuple(each.topic.files for each in declared if each.topic.files)
    if kept == known or ("CI" in os.environ and not anew):
        return Settled(loaded, tuple(told), watched)
    write_lock(loaded.root / LOCK_FILE, lock_text(kept, lock.subjects if lock else {}))
    shell.say(f"{LOCK_FILE} written: review it, and commit it")
    return Settled(project.load(shell, loaded.root, vars), tuple(told), watched)


def _is_found(declared: TopicDeclaration) -> bool:
    files = declared.topic.files
    return files is not None and not files.is_array and (files.is_open or not files.declared)


def _declared(declared: TopicDeclaration, known: Mapping[str, Struct]) -> frozenset[str]:
    """The columns that stand in the declaration itself, and not because the lock file has them, in lower case."""
    from lsqlc.scan.request import fold
    from lsqlc.types.data import Struct

    locked = known.get(declared.topic.name)
    value = declared.topic.value.type
    of_lock = {f.name for f in locked.fields} if locked else set()
    fields = value.fields if isinstance(value, Struct) else ()
    return frozenset(fold(f.name) for f in fields if f.name not in of_lock)


def write_lock(path: Path, text: str) -> None:
    """Write the lock file. Raises LsqlcError where that fails."""
    from lsqlc.project.build.cache import write

    problems = write(path, text.encode(), path.name)
    if problems:
        raise LsqlcError(problems)
