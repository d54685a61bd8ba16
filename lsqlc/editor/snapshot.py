"""A snapshot of a project while it is edited: files, unsaved texts of open documents, and the result of compiling them.

A snapshot never fails. If the project file cannot be read there is no compilation, and `topics` and `entries` of the
last snapshot are used. Errors are reported for all files, diagnostics of lint rules and of cases for open files only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from lsqlc.diagnostics import Diagnostic, order
from lsqlc.golden.cases import is_case_file, load_cases
from lsqlc.golden.files import read_case_files
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.build.entries import Entry
from lsqlc.project.build.linting import lint_models
from lsqlc.project.declared.config import FUNCTION_ENDINGS, FUNCTION_FOLDER, MACRO_FOLDER, PROJECT_FILE, ProjectConfig
from lsqlc.project.selection.selectors import Selection
from lsqlc.project.workspace import ProjectError, open_workspace
from lsqlc.types.record import Topic

FileKind = Literal["project", "model", "declarations", "macro", "function", "cases", "profiles"]

_YAML = (".yml", ".yaml")
_PROFILES = "profiles.yml"
_MODEL_OF_A_CASE = re.compile(r"""\bmodel["']?\s*:\s*["']?([\w.-]+)""")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Values from outside of the project's files.

    `version`: of lsqlc. `environment`: all environment variables; templates see only those that are allowed.
    """

    version: str
    environment: Mapping[str, str] = field(default_factory=dict)
    vars: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A project with unsaved texts.

    `opened`: texts of open files by path. `texts`: all texts by path. `findings`: diagnostics by path; those without a
    span are reported in the project file. `topics`: all known topics, including those of earlier snapshots.
    """

    root: Path
    surroundings: Surroundings
    opened: Mapping[str, str]
    texts: Mapping[str, str]
    config: ProjectConfig | None
    compilation: Compilation | None
    findings: Mapping[str, tuple[Diagnostic, ...]]
    topics: Mapping[str, Topic]
    entries: Mapping[str, Entry]

    def typed(self, opened: Mapping[str, str]) -> Snapshot:
        """Return the snapshot with other texts of open files, without compiling: fast enough for each keystroke."""
        return replace(self, opened=opened, texts={**self.texts, **opened})

    def kind(self, path: str) -> FileKind | None:
        """Return the kind of a file in the project; None for other files."""
        return kind_of(path, self.config or ProjectConfig(""))

    def reads(self, path: str) -> bool:
        """Return whether a file belongs to the project, or a file of the project refers to it."""
        project_texts = self.compilation.project.texts if self.compilation else {}
        return self.kind(path) is not None or path in project_texts


def kind_of(path: str, config: ProjectConfig) -> FileKind | None:
    """Return the kind of a path below the project's root."""
    if path in (PROJECT_FILE, _PROFILES):
        return "project" if path == PROJECT_FILE else "profiles"
    if any(part.startswith(".") for part in path.split("/")):
        return None
    if _below(path, config.model_paths):
        return "model" if path.endswith(".sql") else "declarations" if path.endswith(_YAML) else None
    if path.endswith(_YAML) and _below(path, config.case_paths):
        return "cases"
    if path.endswith(FUNCTION_ENDINGS) and _below(path, (FUNCTION_FOLDER,)):
        return "function"
    return "macro" if path.endswith(".sql") and _below(path, (MACRO_FOLDER,)) else None


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(folder in (".", "") or path.startswith(folder.strip("/").removeprefix("./") + "/") for folder in folders)


def take(root: Path, opened: Mapping[str, str], surroundings: Surroundings, before: Snapshot | None = None) -> Snapshot:
    """Load and compile a project, with the texts of open files instead of those on disk.

    `before`: the last snapshot, whose results are reused.
    """
    contents = {path: text.encode("utf-8", "surrogatepass") for path, text in opened.items()}
    try:
        workspace = open_workspace(
            root,
            vars=surroundings.vars,
            environment=surroundings.environment,
            contents=contents,
            release=surroundings.version,
        )
    except ProjectError as error:
        config = before.config if before else None
        topics, entries = (before.topics, before.entries) if before else ({}, {})
        texts = {**error.texts, **opened}
        return Snapshot(root, surroundings, opened, texts, config, None, _by_path(error.diagnostics), topics, entries)
    project = workspace.project
    texts = {**project.texts, **opened}
    known_entries = before.entries if before else workspace.entries
    compilation = workspace.compile(plans=False, entries=known_entries)
    # A name that was removed a moment ago is likely to return.
    entries = {**known_entries, **compilation.entries}
    topics = {**(before.topics if before else {}), **compilation.topics}
    models = [m for m in project.models if m.path in opened]
    settings = project.config.lint
    linted = [d for d in lint_models(compilation, models) if settings.wants(d.code)]
    cases = _cases(compilation, entries, opened)
    diagnostics = _by_path((*compilation.diagnostics, *linted, *cases))
    return Snapshot(root, surroundings, opened, texts, project.config, compilation, diagnostics, topics, entries)


def _by_path(diagnostics: Iterable[Diagnostic]) -> dict[str, tuple[Diagnostic, ...]]:
    by_path: dict[str, list[Diagnostic]] = {}
    for diagnostic in order(diagnostics):
        by_path.setdefault(diagnostic.span.path if diagnostic.span else PROJECT_FILE, []).append(diagnostic)
    return {path: tuple(each) for path, each in by_path.items()}


def named_models(text: str) -> frozenset[str]:
    """Return the models that a case file names. Fast: it does not parse YAML."""
    return frozenset(_MODEL_OF_A_CASE.findall(text))


def _cases(compilation: Compilation, entries: Mapping[str, Entry], opened: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of open case files.

    Other files are read for fixtures, records, and the names of cases of the same models.
    """
    project = compilation.project
    open_files = {p: t for p, t in opened.items() if kind_of(p, project.config) == "cases"}
    if not open_files:
        return ()
    read = read_case_files(project.root, project.config.case_paths)
    shared = {name for text in open_files.values() for name in named_models(text)}
    texts = {
        path: text
        for path, text in {**read.texts, **open_files}.items()
        if path in open_files
        or not is_case_file(text)
        or "fixtures" in text
        or not shared.isdisjoint(named_models(text))
    }
    used_models = {name for text in texts.values() if is_case_file(text) for name in named_models(text)}
    models = {model.name for model in project.models}
    selection = Selection(tuple(sorted(used_models & models)))
    plans = compile_project(project, select=selection, cache=entries).plans if selection.select else {}
    diagnostics = (*read.diagnostics, *load_cases(texts, plans, models=models, functions=project.functions).diagnostics)
    return tuple(d for d in diagnostics if d.span and d.span.path in open_files)
