"""Removing what builds and runs wrote: the target folder, and the embedded topics with the checkpoints."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.scan import paths


def clean(root: Path, target_path: str, state_folder: str | None) -> tuple[str, ...]:
    """Remove the target folder of the project in `root` and, if it is given, its folder of topics and checkpoints, and
    return the removed paths.

    Raises LsqlcError: LSQ009 for a target folder outside of the project, LSQ664 while a run uses the state folder,
    LSQ709 while a broker does, LSQ787 while a detached run may, LSQ034 if a file cannot be removed.
    """
    from lsqlc.remote.run.locks import run_lock

    if not paths.stays_inside(root, target_path):
        message = f"the target folder '{target_path}' leads out of the project"
        raise LsqlcError([Diagnostic("LSQ009", message, help="remove the link yourself")])
    removed: list[str] = []
    try:
        if state_folder is not None and (root / state_folder).is_dir():
            _refuse_broker(root / state_folder / "kafka")
            targets = sorted((root / state_folder / "targets").glob("*/"))
            with ExitStack() as locks:
                for folder in (root / state_folder, *targets):
                    locks.enter_context(run_lock(folder))
                    _refuse_detached(folder)
                removed += _remove(root / state_folder, state_folder)
        removed += _remove(root / target_path, target_path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot remove '{error.filename}': {reason}"
        help = "check the permissions of the folder, and try again"
        raise LsqlcError([Diagnostic("LSQ034", message, help=help)]) from None
    return tuple(removed)


def _refuse_broker(folder: Path) -> None:
    from lsqlc.remote.server import detached

    if broker := detached.running(folder):
        message = f"the folder to remove is used by the broker of this project, process {broker.pid}"
        raise LsqlcError([Diagnostic("LSQ709", message, help="stop it first, with `lsqlc kafka down`")])


def _refuse_detached(folder: Path) -> None:
    from lsqlc.tasks.detached import detached_error, noted_run

    if run := noted_run(folder):
        raise LsqlcError([detached_error(run)])


def _remove(folder: Path, path: str) -> list[str]:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
    elif folder.exists():
        folder.unlink()
    else:
        return []
    return [path]
