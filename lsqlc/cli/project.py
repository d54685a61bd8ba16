"""From the command line's options to a project and its compilation. The parts that an unchanged build needs import
neither YAML nor the compiler.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc import __version__
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.user_cache import user_key
from lsqlc.tasks import STATE_FOLDER as STATE_FOLDER

if TYPE_CHECKING:
    from lsqlc.project.declared.config import ProjectConfig
    from lsqlc.project.workspace import Workspace

# As in project/build/cache.py: the module that owns this name imports the YAML reader.
_PROJECT_FILE = "lsqlc.yml"


def find(shell: Shell, folder: Path | None) -> Path:
    """Return the project's root: the folder of the option, or the nearest one with a project file, upwards from here.

    Raises LsqlcError LSQ008 if there is none.
    """
    try:
        start = Path.cwd() if folder is None else folder.absolute()
    except FileNotFoundError:
        help = "change to a folder that exists"
        raise LsqlcError([Diagnostic("LSQ008", "the current folder has been removed", help=help)]) from None
    candidates = (start, *start.parents) if folder is None else (start,)
    # One that cannot be read is the project's all the same, and reading it says why.
    root = next((f for f in candidates if os.path.lexists(f / _PROJECT_FILE)), None)
    if root is None:
        where = "here or in a folder above" if folder is None else f"in '{folder}'"
        help = "change to the project's folder, or create a project with `lsqlc init NAME`"
        raise LsqlcError([Diagnostic("LSQ008", f"no project {where}: there is no {_PROJECT_FILE}", help=help)])
    shell.root = root
    return root


def config(shell: Shell, root: Path) -> ProjectConfig:
    """Return the contents of the project file. Raises ProjectError with its errors."""
    from lsqlc.project.declared.config import project_config

    with keeping_texts(shell):
        return project_config(root)


def variables(shell: Shell, text: str | None) -> Mapping[str, Any]:
    """Parse `--vars`, a mapping. Raises LsqlcError LSQ061 for any other value."""
    if not text:
        return {}
    from lsqlc.yaml.nodes import read_yaml

    path = "<--vars>"
    shell.texts[path] = text
    document = read_yaml(text, path)
    help = "write YAML or JSON, such as --vars 'day: 2013-01-01'"
    if document.diagnostics:
        raise LsqlcError(Diagnostic("LSQ061", d.message, d.span, d.notes, help) for d in document.diagnostics)
    if not isinstance(document.data, dict):
        message = "'--vars' is not a mapping of names to values"
        raise LsqlcError([Diagnostic("LSQ061", message, document.span(()), help=help)])
    return document.data


def opened(shell: Shell, folder: Path | None, vars: str | None) -> Workspace:
    """Open the project of a command with the values of `--project-dir` and `--vars`. Raises LsqlcError as `find` and
    `variables`, and for a project file that cannot be read.
    """
    root = find(shell, folder)
    return opened_at(shell, root, variables(shell, vars))


def opened_at(
    shell: Shell, root: Path, vars: Mapping[str, Any], contents: Mapping[str, bytes] | None = None
) -> Workspace:
    """Open the project in a folder. `contents`: files that have been read already. Raises ProjectError."""
    from lsqlc.project.workspace import open_workspace

    with keeping_texts(shell):
        workspace = open_workspace(
            root, vars=vars, environment=dict(os.environ), contents=contents, release=__version__
        )
    shell.texts.update(workspace.project.texts)
    return workspace


@contextmanager
def keeping_texts(shell: Shell) -> Iterator[None]:
    """Show errors in a project with the texts that they refer to."""
    from lsqlc.project.files import ProjectError

    try:
        yield
    except ProjectError as error:
        shell.texts.update(error.texts)
        raise


def key(root: Path) -> bytes | None:
    """Return the key by which lsqlc recognizes its own files of this user; None without one."""
    return user_key(root, os.environ)
