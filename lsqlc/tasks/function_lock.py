"""The code in Python that may run: the hashes of its files, in the lock file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.diagnostics import LsqlcError

if TYPE_CHECKING:
    from lsqlc.project.model import Project


@dataclass(frozen=True, slots=True)
class Locked:
    """The files of functions in Python by what became of them in the lock file."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


def lock_functions(loaded: Project) -> Locked:
    """Write the hashes of all files of functions in Python. Raises LsqlcError if the lock file cannot be read or
    written.
    """
    from lsqlc.plan.python_calls import code_hash
    from lsqlc.project.declared.config import FUNCTION_FOLDER
    from lsqlc.project.declared.lock import LOCK_FILE, Lock, lock_text, read_lock
    from lsqlc.tasks.locks import write_lock

    lock = read_lock(loaded.texts[LOCK_FILE]) if LOCK_FILE in loaded.texts else Lock({})
    if lock.diagnostics:
        raise LsqlcError(lock.diagnostics)
    files = {p: t for p, t in loaded.texts.items() if p.startswith(f"{FUNCTION_FOLDER}/") and p.endswith(".py")}
    now = {path: code_hash(text) for path, text in files.items()}
    comparison = _compared(lock.functions, now)
    if now != lock.functions:
        write_lock(loaded.root / LOCK_FILE, lock_text(lock.columns, lock.subjects, now))
    return comparison


def _compared(before: Mapping[str, str], now: Mapping[str, str]) -> Locked:
    return Locked(
        tuple(sorted(now.keys() - before.keys())),
        tuple(sorted(p for p in now.keys() & before.keys() if now[p] != before[p])),
        tuple(sorted(before.keys() - now.keys())),
        tuple(sorted(p for p in now.keys() & before.keys() if now[p] == before[p])),
    )
