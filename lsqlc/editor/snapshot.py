"""A project while it is edited: its files, with the texts of the open ones, and what compiling them gave.

A snapshot never fails: where the project file cannot be read there is no compilation, and what the snapshot before knew
is still there to answer from (`topics`, `entries`). Errors are reported for every file, findings of lint and of cases
only for those that are open.
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
from lsqlc.project.build import cache
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.build.entries import Entry, read_entries
from lsqlc.project.build.linting import lint_models
from lsqlc.project.declared.config import FUNCTION_ENDINGS, FUNCTION_FOLDER, MACRO_FOLDER, PROJECT_FILE, ProjectConfig
from lsqlc.project.discovery import load_project
from lsqlc.project.selection.selectors import Selection
from lsqlc.project.user_cache import user_key
from lsqlc.types.record import Topic

FileKind = Literal["project", "model", "declarations", "macro", "function", "cases", "profiles"]

_YAML = (".yml", ".yaml")
_PROFILES = "profiles.yml"
_MODEL_OF_A_CASE = re.compile(r"""\bmodel["']?\s*:\s*["']?([\w.-]+)""")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What comes from outside the files. `version`: that of lsqlc; `environment`: the whole one, of which templates see
    what they may.
    """

    version: str
    environment: Mapping[str, str] = field(default_factory=dict)
    vars: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`opened` and `texts`: of the open files, and of all that were read, by path below the root. `findings` by path;
    those without a place are reported in the project file. `topics`: all that is known, or was before the last edits.
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
        """Return the same, with other texts of the open files and without compiling them: quick enough for each key."""
        return replace(self, opened=opened, texts={**self.texts, **opened})

    def kind(self, path: str) -> FileKind | None:
        """What a file of the project is; None for one that lsqlc does not read, or not as its own."""
        return kind_of(path, self.config or ProjectConfig(""))

    def reads(self, path: str) -> bool:
        """Return whether a file is part of the project, or of what its files name."""
        known = self.compilation.project.texts if self.compilation else {}
        return self.kind(path) is not None or path in known


def kind_of(path: str, config: ProjectConfig) -> FileKind | None:
    """What a path below the project's root is."""
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
    """Return the project as it is on disk, but for the open files.

    `before`: the last one, which spares what it knows.
    """
    contents = {path: text.encode("utf-8", "surrogatepass") for path, text in opened.items()}
    loaded = load_project(root, vars=surroundings.vars, environment=surroundings.environment, contents=contents)
    texts = {**loaded.texts, **opened}
    if loaded.project is None:
        config = before.config if before else None
        topics, entries = (before.topics, before.entries) if before else ({}, {})
        told = _by_path(loaded.diagnostics)
        return Snapshot(root, surroundings, opened, texts, config, None, told, topics, entries)
    project = loaded.project
    known = before.entries if before else None
    if known is None:
        key = user_key(root, surroundings.environment)
        known = read_entries(root, project.config.target_path, cache.stamp(surroundings.version), key)
    compilation = compile_project(project, cache=known, plans=False)
    # What was renamed or broken a moment ago is likely to come back.
    entries = {**known, **compilation.entries}
    topics = {**(before.topics if before else {}), **compilation.topics}
    models = [m for m in project.models if m.path in opened]
    settings = project.config.lint
    linted = [d for d in lint_models(compilation, models) if settings.wants(d.code)]
    cases = _cases(compilation, entries, opened)
    told = _by_path((*compilation.diagnostics, *linted, *cases))
    return Snapshot(root, surroundings, opened, texts, project.config, compilation, told, topics, entries)


def _by_path(diagnostics: Iterable[Diagnostic]) -> dict[str, tuple[Diagnostic, ...]]:
    found: dict[str, list[Diagnostic]] = {}
    for diagnostic in order(diagnostics):
        found.setdefault(diagnostic.span.path if diagnostic.span else PROJECT_FILE, []).append(diagnostic)
    return {path: tuple(each) for path, each in found.items()}


def named_models(text: str) -> frozenset[str]:
    """Return the models that a file of cases names, as far as its words say."""
    return frozenset(_MODEL_OF_A_CASE.findall(text))


def _cases(compilation: Compilation, entries: Mapping[str, Entry], opened: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """What is wrong with the open files of cases. Others are read for what those need of them: fixtures, records, and
    the names of cases of the same models.
    """
    project = compilation.project
    asked = {p: t for p, t in opened.items() if kind_of(p, project.config) == "cases"}
    if not asked:
        return ()
    read = read_case_files(project.root, project.config.case_paths)
    shared = {name for text in asked.values() for name in named_models(text)}
    texts = {
        path: text
        for path, text in {**read.texts, **asked}.items()
        if path in asked or not is_case_file(text) or "fixtures" in text or not shared.isdisjoint(named_models(text))
    }
    named = {name for text in texts.values() if is_case_file(text) for name in named_models(text)}
    models = {model.name for model in project.models}
    wanted = Selection(tuple(sorted(named & models)))
    plans = compile_project(project, select=wanted, cache=entries).plans if wanted.select else {}
    found = (*read.diagnostics, *load_cases(texts, plans, models=models, functions=project.functions).diagnostics)
    return tuple(d for d in found if d.span and d.span.path in asked)
