"""Removing what builds and runs wrote: the target folder, and the embedded topics with the checkpoints."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project import files
from lsqlc.project.build import target_folder


def clean(root: Path, target_path: str, state_folder: str | None, key: bytes | None) -> tuple[str, ...]:
    """Remove the target folder of the project in `root` and, if it is given, its folder of topics and checkpoints.
    Return the removed paths. `key`: that of the user.

    Raises LsqlcError LSQ009 for a folder that is a link or leads through one, and LSQ037 for a target folder that lsqlc
    did not create. Raises LSQ664 while a run uses the state folder, LSQ709 while a broker does, and LSQ787 while a
    detached run may. Raises LSQ034 if a file cannot be removed.
    """
    from lsqlc.remote.run.locks import run_lock

    _check_target(root, target_path, key)
    if state_folder is not None:
        _refuse_links(root, state_folder)
    removed: list[str] = []
    try:
        if state_folder is not None and (root / state_folder).is_dir():
            _refuse_broker(root / state_folder / "kafka")
            targets = sorted((root / state_folder / "targets").glob("*/"))
            with ExitStack() as locks:
                for folder in (root / state_folder, *targets):
                    locks.enter_context(run_lock(folder))
                    _refuse_detached(folder)
                shutil.rmtree(root / state_folder)
                removed.append(state_folder)
        if (root / target_path).is_dir():
            target_folder.remove(root / target_path)
            removed.append(target_path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot remove '{error.filename}': {reason}"
        help = "check the permissions of the folder, and try again"
        raise LsqlcError([Diagnostic("LSQ034", message, help=help)]) from None
    return tuple(removed)


def _check_target(root: Path, path: str, key: bytes | None) -> None:
    links = files.links_in(root, path)
    if links:
        raise LsqlcError(links)
    if not os.path.lexists(root / path):
        return
    reason = target_folder.why_foreign(root, path, key)
    if reason is not None:
        message = f"the folder '{path}' was not created by lsqlc"
        help = "if nothing in it is needed, remove it yourself; the next build creates it with a marker"
        raise LsqlcError([Diagnostic("LSQ037", message, notes=(reason,), help=help)])


def _refuse_links(root: Path, state_folder: str) -> None:
    """Return the folders in which locks are written. Their names are fixed, so a pull request could put links there."""
    targets = (entry for entry in (root / state_folder / "targets").glob("*"))
    places = (root / state_folder, root / state_folder / "targets", root / state_folder / "kafka", *targets)
    links = [place.relative_to(root).as_posix() for place in places if place.is_symlink()]
    if links:
        raise LsqlcError([Diagnostic("LSQ009", f"'{path}' is a link", help="remove the link") for path in links])


def _refuse_broker(folder: Path) -> None:
    from lsqlc.remote.server import detached

    if broker := detached.running(folder):
        message = f"the folder to remove is used by the broker of this project, process {broker.pid}"
        raise LsqlcError([Diagnostic("LSQ709", message, help="stop it first, with `lsqlc kafka down`")])


def _refuse_detached(folder: Path) -> None:
    from lsqlc.tasks.detached import detached_error, noted_run

    if run := noted_run(folder):
        raise LsqlcError([detached_error(run)])
