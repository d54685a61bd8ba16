"""The lock file: the columns of files and Delta tables are written to it once, and compared with it from then on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.scan.paths import is_inside, within

if TYPE_CHECKING:
    from lsqlc.project.declared.declarations import TopicDeclaration
    from lsqlc.project.workspace import Workspace
    from lsqlc.types.data import Struct
    from lsqlc.types.files import Files


@dataclass(frozen=True, slots=True)
class Settled:
    """The project with the columns of its files, the diagnostics of the columns, and the folders that were read.

    `is_written`: the lock file was changed.
    """

    workspace: Workspace
    diagnostics: tuple[Diagnostic, ...] = ()
    watched: tuple[Files, ...] = ()
    is_written: bool = False


def settle(workspace: Workspace, *, anew: bool, ci: bool) -> Settled:
    """Infer the columns of files whose schema is not declared, or not completely.

    Columns that the lock file lacks are written to it, all of them with `anew`, and differences are reported. The
    project is then opened again. With `ci` nothing is written unless `anew` is given.

    Raises LsqlcError LSQ034 if the lock file cannot be written.
    """
    loaded = workspace.project
    declared = [d for d in (*loaded.topics, *loaded.unlocked) if _is_found(d)]
    if not declared:
        return Settled(workspace)
    from lsqlc.project.declared.lock import LOCK_FILE, lock_text, read_lock

    lock = read_lock(loaded.texts[LOCK_FILE]) if LOCK_FILE in loaded.texts else None
    if lock is not None and lock.diagnostics and not anew:
        return Settled(workspace)
    locked_columns: dict[str, Struct] = dict(lock.columns) if lock else {}
    reports: list[Diagnostic] = []
    columns: dict[str, Struct] = {}
    for each in declared:
        find = _columns_of if each.delta is None else partial(_columns_of_table, workspace)
        of_topic, problems = find(each, loaded.root, locked_columns, anew=anew)
        reports += problems
        if of_topic is not None:
            columns[each.topic.name] = of_topic
    watched = tuple(files for each in declared if (files := _watched(each, loaded.root)))
    if columns == locked_columns or (ci and not anew):
        return Settled(workspace, tuple(reports), watched)
    write_lock(
        loaded.root / LOCK_FILE, lock_text(columns, lock.subjects if lock else {}, lock.functions if lock else {})
    )
    return Settled(workspace.with_files({}), tuple(reports), watched, is_written=True)


def _columns_of(
    declared: TopicDeclaration, root: Path, locked_columns: Mapping[str, Struct], *, anew: bool
) -> tuple[Struct | None, tuple[Diagnostic, ...]]:
    """Return the columns of a topic of files for the lock file, None if they are not known, and their differences from
    locked ones. `anew`: they are not compared.
    """
    # A compile without files does not wait for DuckDB to be loaded.
    from lsqlc.lower.duckdb.infer import infer
    from lsqlc.project.declared.lock import disagreement, drift

    topic, before = declared.topic, locked_columns.get(declared.topic.name)
    assert topic.files is not None
    locked = None if anew else before
    names = _declared(declared, locked_columns) if topic.files.declared else frozenset[str]()
    try:
        inferred = infer(topic, root, declared.span, declared=names, locked=locked)
    except LsqlcError as error:
        return before, error.diagnostics
    if inferred is None:
        return before, ()
    if locked is not None:
        changed = drift(topic.name, declared.span, locked, inferred.columns, inferred.conflicts)
        return locked, (changed,) if changed else ()
    if inferred.conflicts:
        return before, (disagreement(topic.name, declared.span, inferred.conflicts),)
    return inferred.columns, ()


def _watched(declared: TopicDeclaration, root: Path) -> Files | None:
    """Return the files whose change makes the columns of a topic be compared again: of a table in the project its log.

    None for a table elsewhere, and for one in a store, which is only compared when something else has changed.
    """
    from lsqlc.types.files import Files

    source = declared.delta
    if source is None:
        return declared.topic.files
    is_watched = source.store is None and within(source.path) and _is_in_project(str(root / source.path), root)
    return Files(f"{source.path}/_delta_log", "json") if is_watched else None


def _is_in_project(uri: str, root: Path) -> bool:
    """Return whether a table is in the folder of the project, with all files of its log. `uri`: an address, or an
    absolute path.
    """
    if "://" in uri or "\x00" in uri:
        return False
    base = os.path.realpath(root)
    log = f"{uri}/_delta_log"
    if not (is_inside(base, uri) and is_inside(base, log)):
        return False
    for folder, folders, files in os.walk(log):
        paths = (Path(folder, name) for name in (*folders, *files))
        if any(path.is_symlink() and not is_inside(base, str(path)) for path in paths):
            return False
    return True


def _columns_of_table(
    workspace: Workspace, declared: TopicDeclaration, root: Path, locked_columns: Mapping[str, Struct], *, anew: bool
) -> tuple[Struct | None, tuple[Diagnostic, ...]]:
    """Return the columns of a topic of a Delta table, as `_columns_of`.

    A table that cannot be read is an error only where its columns are not locked: a build needs no data. One outside of
    the project is not read without `anew`: whoever compiles a project has not asked for that.
    """
    from lsqlc.project.declared.lock import drift
    from lsqlc.tables.delta.source import unfit_columns
    from lsqlc.tasks.delta_topics import reader_of

    topic, locked = declared.topic.name, locked_columns.get(declared.topic.name)
    try:
        reader = reader_of(declared, root, workspace.target)
        if not anew and not _is_in_project(reader.uri, root):
            return locked, ()
        table = reader.columns
    except LsqlcError as error:
        return locked, error.diagnostics if locked is None or anew else ()
    if table.unfit:
        return locked, (unfit_columns(topic, declared.span, table.unfit),)
    if locked is None or anew:
        return table.columns, ()
    changed = drift(topic, declared.span, locked, table.columns, what="Delta table")
    return locked, (changed,) if changed else ()


def _is_found(declared: TopicDeclaration) -> bool:
    if declared.delta is not None:
        return not declared.delta.is_declared
    files = declared.topic.files
    return files is not None and not files.is_array and (files.is_open or not files.declared)


def _declared(declared: TopicDeclaration, locked_columns: Mapping[str, Struct]) -> frozenset[str]:
    """Return the columns of the declaration itself, without those of the lock file, in lower case."""
    from lsqlc.scan.request import fold
    from lsqlc.types.data import Struct

    locked = locked_columns.get(declared.topic.name)
    value = declared.topic.value.type
    of_lock = {f.name for f in locked.fields} if locked else set()
    fields = value.fields if isinstance(value, Struct) else ()
    return frozenset(fold(f.name) for f in fields if f.name not in of_lock)


def write_lock(path: Path, text: str) -> None:
    """Write the lock file. Raises LsqlcError LSQ034 if that fails."""
    from lsqlc.project.build.cache import write

    problems = write(path, text.encode(), path.name)
    if problems:
        raise LsqlcError(problems)
