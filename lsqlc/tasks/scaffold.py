"""A new project: small models of a dialect with sample records and a golden case, which builds and runs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path

from lsqlc.project.declared.config import PROJECT_FILE
from lsqlc.tasks.new_files import project_name, write_project

_NO_TOPICS = """\
# yaml-language-server: $schema=../.schemas/models.json
topics:
  # - name: orders
  #   key: STRING
  #   value: item STRING, amount INT
"""
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


def create_project(folder: str, dialect: str, *, empty: bool = False) -> Scaffold:
    """Write a project of a dialect, one of `dialects.NAMES`, into a folder, which is created if it does not exist. The
    project is named after it. `empty`: without models, topics and cases.

    Raises LsqlcError LSQ060 if a file would be overwritten, or if the files cannot be written: then none is.
    """
    name = project_name(folder)
    own = _template(dialect, name)
    if empty:
        own = {PROJECT_FILE: own[PROJECT_FILE], "models/topics.yml": _NO_TOPICS}
    return Scaffold(name, write_project(folder, {**own, **shared_files(name)}))


def shared_files(name: str) -> dict[str, str]:
    """Return the files of every project, by path: for git, checks of pull requests, and schemas for editors."""
    from lsqlc.report.schemas import WRITTEN_BY_PEOPLE, schema_text

    schemas = {f"{_SCHEMAS}/{kind}.json": schema_text(kind) for kind in WRITTEN_BY_PEOPLE}
    return {**_template(_SHARED, name), **schemas}


def _template(part: str, name: str) -> dict[str, str]:
    with as_file(_templates().joinpath(part)) as template:
        sources = (p for p in sorted(template.rglob("*")) if p.is_file() and p.suffix != ".pyc")
        return {
            _target(source.relative_to(template)): source.read_text("utf-8").replace("{{project_name}}", name)
            for source in sources
        }


def _templates() -> Traversable:
    """Return the folder of templates. A wheel has it in the package, a clone of the repository at its root."""
    package = files("lsqlc")
    installed = package.joinpath("project_template")
    return installed if installed.is_dir() else package.joinpath("..", "project_template")


def _target(path: Path) -> str:
    first, *rest = path.parts
    return Path(f".{first}" if first in _HIDDEN else first, *rest).as_posix()
