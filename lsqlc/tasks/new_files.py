"""The files of a new project: written all or none, and none over another."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing


def project_name(folder: str) -> str:
    """Return the name of a project in a folder: that of the folder, as far as its characters allow."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", Path(folder).absolute().resolve().name).lstrip(".-") or "project"


def write_project(folder: str, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Write texts by their paths into a folder, which is created if it does not exist; the paths.

    Raises LsqlcError LSQ060 if a file would be overwritten, or if the files cannot be written: then none is.
    """
    try:
        _write(Path(folder).absolute(), folder, texts)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        help = "choose a folder that can be created or written"
        message = f"cannot create a project in '{folder}': {reason}"
        raise LsqlcError([Diagnostic("LSQ060", message, help=help)]) from None
    return tuple(texts)


def check_free(folder: str, paths: Mapping[str, str]) -> None:
    """Raise LsqlcError LSQ060 if one of the files exists in the folder."""
    existing = [path for path in paths if (Path(folder) / path).exists()]
    if existing:
        where = "here" if folder == "." else f"in '{folder}'"
        message = f"a project would overwrite {listing(existing)} {where}"
        help = "choose another folder, or remove these files"
        raise LsqlcError([Diagnostic("LSQ060", message, help=help)])


def _write(root: Path, folder_name: str, texts: Mapping[str, str]) -> None:
    check_free(folder_name, texts)
    is_new = not root.exists()
    parent = root.parent if is_new else root
    parent.mkdir(parents=True, exist_ok=True)
    # All files or none: they are written to a temporary folder next to their place, and then moved.
    new_folder = Path(tempfile.mkdtemp(prefix=".lsqlc-init-", dir=parent))
    try:
        for path, text in texts.items():
            (new_folder / path).parent.mkdir(parents=True, exist_ok=True)
            (new_folder / path).write_text(text, "utf-8", newline="\n")
        if is_new:
            new_folder.chmod(0o755)
            new_folder.rename(root)
        else:
            for path in texts:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (new_folder / path).rename(root / path)
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)
