"""A new project: small models of a dialect with sample records and a golden case, which builds and runs."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing

# Where the comments of the YAML files point editors to.
_SCHEMAS = ".schemas"
# Files of every dialect, and files and folders whose names begin with a dot in a project: in the package they would
# apply to the package's own repository.
_SHARED = "shared"
_HIDDEN = ("gitignore", "github", "pre-commit-config.yaml")


@dataclass(frozen=True, slots=True)
class Scaffold:
    """The name of the new project, and its files by their paths in it."""

    name: str
    files: tuple[str, ...]


def create_project(folder: str, dialect: str) -> Scaffold:
    """Write a project of a dialect, one of `dialects.NAMES`, into a folder, which is created if it does not exist. The
    project is named after it.

    Raises LsqlcError LSQ060 if a file would be overwritten, or if the files cannot be written: then none is.
    """
    root = Path(folder).absolute()
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", root.resolve().name).lstrip(".-") or "project"
    try:
        return Scaffold(name, _create(root, name, folder, dialect))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        help = "choose a folder that can be created or written"
        message = f"cannot create a project in '{folder}': {reason}"
        raise LsqlcError([Diagnostic("LSQ060", message, help=help)]) from None


def _create(root: Path, name: str, shown: str, dialect: str) -> tuple[str, ...]:
    from lsqlc.report.schemas import WRITTEN_BY_PEOPLE, schema_text

    with as_file(files("lsqlc").joinpath("project_template")) as template:
        targets = {
            source: _target(source.relative_to(template / part))
            for part in (_SHARED, dialect)
            for source in sorted((template / part).rglob("*"))
            if source.is_file() and source.suffix != ".pyc"
        }
        schemas = {Path(_SCHEMAS, f"{name}.json"): schema_text(name) for name in WRITTEN_BY_PEOPLE}
        existing = [path.as_posix() for path in (*targets.values(), *schemas) if (root / path).exists()]
        if existing:
            where = "here" if shown == "." else f"in '{shown}'"
            message = f"a project would overwrite {listing(existing)} {where}"
            help = "choose another folder, or remove these files"
            raise LsqlcError([Diagnostic("LSQ060", message, help=help)])
        is_new = not root.exists()
        parent = root.parent if is_new else root
        parent.mkdir(parents=True, exist_ok=True)
        # All files or none: they are written to a temporary folder next to their place, and then moved.
        made = Path(tempfile.mkdtemp(prefix=".lsqlc-init-", dir=parent))
        try:
            for source, path in targets.items():
                text = source.read_text("utf-8").replace("{{project_name}}", name)
                (made / path).parent.mkdir(parents=True, exist_ok=True)
                (made / path).write_text(text, "utf-8", newline="\n")
            (made / _SCHEMAS).mkdir()
            for path, text in schemas.items():
                (made / path).write_text(text, "utf-8", newline="\n")
            if is_new:
                made.chmod(0o755)
                made.rename(root)
            else:
                for path in (*targets.values(), *schemas):
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (made / path).rename(root / path)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return tuple(path.as_posix() for path in (*targets.values(), *schemas))


def _target(path: Path) -> Path:
    first, *rest = path.parts
    return Path(f".{first}" if first in _HIDDEN else first, *rest)
