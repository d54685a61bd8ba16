"""An opened project: its files, the values that they were loaded with, and its compilations.

The command line, the Python API, the language server, the MCP server and the pytest plugin open projects here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lsqlc.dialects import dialect
from lsqlc.project.build import cache
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.build.entries import Entry, read_entries
from lsqlc.project.declared.profiles import named_target
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.project.files import ProjectError as ProjectError
from lsqlc.project.model import Project
from lsqlc.project.selection.selectors import Selection
from lsqlc.project.user_cache import user_key


# Without slots, which have no room for cached properties.
@dataclass(frozen=True)
class Workspace:
    """An opened project. Its models may have errors.

    `vars`: override those of the project file; `environment`: all environment variables; `release`: the version of
    lsqlc, whose earlier builds are reused; None: everything is compiled.
    """

    project: Project
    vars: Mapping[str, Any]
    environment: Mapping[str, str]
    release: str | None = None

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return self.project.root

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.project.config.name

    @property
    def declares_topics(self) -> bool:
        """Whether programs declare topics themselves, which are only known from their plans."""
        return any(dialect(model.dialect).declares_sources for model in self.project.models)

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The results of earlier builds, by model."""
        if self.release is None:
            return {}
        key = user_key(self.root, self.environment)
        return read_entries(self.root, self.project.config.target_path, cache.stamp(self.release), key)

    @cached_property
    def compilation(self) -> Compilation:
        """All models with their plans."""
        return self.compile()

    def compile(
        self,
        select: Selection | None = None,
        *,
        plans: bool = True,
        states: Mapping[str, frozenset[str]] | None = None,
        entries: Mapping[str, Entry] | None = None,
        processes: int = 1,
    ) -> Compilation:
        """Compile the selected models.

        `entries`: replace those of earlier builds; the others: see `compile_project`.
        """
        earlier = self.entries if entries is None else entries
        return compile_project(
            self.project, select=select, cache=earlier, plans=plans, states=states, processes=processes
        )

    def with_files(self, contents: Mapping[str, bytes]) -> Workspace:
        """Return the project with other contents of some files, by path. Raises ProjectError as `open_workspace`."""
        return open_workspace(
            self.root, vars=self.vars, environment=self.environment, contents=contents, release=self.release
        )

    def target(self, name: str | None = None) -> Target:
        """Return a target of profiles.yml; without a name, its default.

        Raises LsqlcError unless it exists and is valid.
        """
        return named_target(self.root, name, self.environment)

    def cases_target(self, name: str | None = None) -> Target:
        """Return the target on which golden cases run: without a name, an embedded server."""
        return Target("embedded") if name is None else self.target(name)


def open_workspace(
    root: Path,
    *,
    vars: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    contents: Mapping[str, bytes] | None = None,
    release: str | None = None,
    like: Project | None = None,
) -> Workspace:
    """Open the project in a folder.

    `contents`: files that have been read already, or that are not on the disk, by path; `like`: another version of the
    project, from which files with the same text are reused; the others: see `Workspace`. Raises ProjectError if there
    is no readable project file.
    """
    vars, environment = vars or {}, environment or {}
    loaded = load_project(root, vars=vars, environment=environment, contents=contents, like=like)
    if loaded.project is None:
        raise ProjectError(loaded.diagnostics, loaded.texts)
    return Workspace(loaded.project, vars, environment, release)


def sound(compilation: Compilation) -> Compilation:
    """Return a compilation that has no errors. Raises ProjectError with all diagnostics of any other one."""
    if not compilation.ok:
        raise ProjectError(compilation.diagnostics, compilation.project.texts)
    return compilation
