"""Load a project: find the files, read them, render the models. All errors are reported together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsqlc import dialects
from lsqlc.bind.materialized import PLAIN, Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing, order
from lsqlc.dialects import dialect
from lsqlc.dialects.record import Dialect
from lsqlc.project import files
from lsqlc.project.declared.config import (
    FUNCTION_ENDINGS,
    FUNCTION_FOLDER,
    MACRO_FOLDER,
    PROJECT_FILE,
    ProjectConfig,
    read_config,
)
from lsqlc.project.declared.declarations import (
    TOPIC_NAME,
    Declarations,
    ModelDeclaration,
    TopicDeclaration,
    read_declarations,
)
from lsqlc.project.declared.lock import LOCK_FILE, Lock, read_lock
from lsqlc.project.declared.schema_files import ReadableFiles, listed_endings
from lsqlc.project.model import Model, Project
from lsqlc.project.templates.functions import Surroundings, TemplateFailure
from lsqlc.project.templates.renderer import Renderer
from lsqlc.scan.paths import stays_inside
from lsqlc.types.error_policy import UNSET, ErrorPolicy

# How the names of models begin that nobody can refer to: those of queries that are answered once.
AD_HOC = "_lsqlc_"


@dataclass(frozen=True, slots=True)
class Loaded:
    """`project` is None if there is no readable project file. `texts`: the texts of the files, for diagnostics."""

    project: Project | None
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str]


def load_project(
    root: Path,
    *,
    vars: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    contents: Mapping[str, bytes] | None = None,
    like: Project | None = None,
) -> Loaded:
    """Read the project in a folder.

    `vars`: override those of the project file. `environment`: all variables. `contents`: files that have been read
    already, or that are not on the disk yet, by path. `like`: another version of the project, from which files with the
    same text are reused. Never raises for invalid input.
    """
    reader = _Reader(root, contents or {})
    if not os.path.lexists(root / PROJECT_FILE):
        message = f"no project in this folder: there is no {PROJECT_FILE}"
        help = "change to the project's folder, or create a project with `lsqlc init`"
        return Loaded(None, (Diagnostic("LSQ008", message, help=help),), {})
    text = reader.read(PROJECT_FILE)
    if text is None:
        return Loaded(None, order(reader.diagnostics), reader.texts)
    config, problems = read_config(text)
    reader.diagnostics += problems
    if config is None:
        return Loaded(None, order(reader.diagnostics), reader.texts)
    links = files.links_in(root, config.target_path)
    if links:
        # The following steps would write through the link.
        return Loaded(None, order((*reader.diagnostics, *links)), reader.texts)
    project = _load(reader, config, vars or {}, environment or {}, like)
    return Loaded(project, project.diagnostics, project.texts)


class _Reader:
    """Reads files of the project; keeps their texts and errors."""

    def __init__(self, root: Path, contents: Mapping[str, bytes]) -> None:
        self.root = root
        self.texts: dict[str, str] = {}
        self.diagnostics: list[Diagnostic] = []
        self._contents = contents

    def find(self, folders: Iterable[str], endings: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(folders)
        result = files.find(self.root, names, endings)
        self.diagnostics += result.diagnostics
        # A file that is open in an editor is possibly not saved yet.
        unsaved = [path for path in self._contents if path.endswith(endings) and _below(path, names)]
        return tuple(sorted({*result.paths, *unsaved})) if unsaved else result.paths

    def has(self, path: str) -> bool:
        """Return whether there is such a file."""
        return path in self._contents or os.path.lexists(self.root / path)

    def read(self, path: str) -> str | None:
        content = self._contents.get(path)
        if content is not None:
            text = files.decode(content, path)
        elif "/" in path:
            # Paths from `find` are inside the project already.
            text = files.read_file(self.root / path, path)
        else:
            text = files.read(self.root, path)
        self.diagnostics += text.diagnostics
        if text.text is not None:
            self.texts[path] = text.text
        return text.text

    def beside(self, path: str) -> files.Text:
        """Return a file that another file names, anywhere in the project. The caller reports errors."""
        if path in self.texts:
            return files.Text(path, self.texts[path])
        content = self._contents.get(path)
        text = files.read(self.root, path) if content is None else files.decode(content, path)
        if text.text is not None:
            self.texts[path] = text.text
        return text

    def avro_names(self, folder: str) -> tuple[str, ...]:
        """Return the names of the Avro schemas directly in a folder of the project, in order."""
        top = os.path.normpath(folder).replace(os.sep, "/")
        names = files.names_in(self.root / top, listed_endings()) if stays_inside(self.root, top) else ()
        unsaved = [p.rpartition("/") for p in self._contents if p.endswith(listed_endings())]
        return tuple(sorted({*names, *(name for place, _, name in unsaved if (place or ".") == top)}))


def _below(path: str, folders: tuple[str, ...]) -> bool:
    tops = (os.path.normpath(folder).replace(os.sep, "/") for folder in folders)
    return any(top == "." or path.startswith(f"{top}/") for top in tops)


def _load(
    reader: _Reader,
    config: ProjectConfig,
    vars: Mapping[str, Any],
    environment: Mapping[str, str],
    like: Project | None,
) -> Project:
    _check_folders(reader, config)
    model_files = reader.find(config.model_paths, (".sql", ".yml", ".yaml"))
    lock = _lock(reader)
    alone = _declared(reader, config, lock, [path for path in model_files if not path.endswith(".sql")], like)
    all_declarations = [declarations for declarations, _ in alone.values()]
    for declarations in all_declarations:
        reader.diagnostics += declarations.diagnostics
        reader.diagnostics += map(_unlocked, declarations.unlocked)
    topics = _unique_topics(reader, [topic for declarations in all_declarations for topic in declarations.topics])
    programs, unreadable = _programs(reader, [path for path in model_files if path.endswith(".sql")])
    about = _about_models(reader, all_declarations, {*programs, *unreadable})
    macros = [(p, t) for p in reader.find((MACRO_FOLDER,), (".sql",)) if (t := reader.read(p)) is not None]
    texts = {name: reader.texts[path] for name, path in programs.items()}
    renderer = Renderer(
        Surroundings(
            models=frozenset(name for name in (*programs, *unreadable) if not name.startswith(AD_HOC)),
            topics=frozenset(topic.topic.name for topic in topics),
            sources=_sources(all_declarations),
            vars={**config.vars, **vars},
            environment=environment,
            macros=macros,
            dialects=dialects.NAMES,
            target=lambda name: _target(name, texts.get(name, ""), dialect(_dialect(config, about.get(name)))),
        )
    )
    reader.diagnostics += renderer.check_macros()
    models = [_model(reader, renderer, config, name, programs[name], about.get(name)) for name in sorted(programs)]
    functions = _own_functions(reader, config, models, lock, environment)
    return Project(
        reader.root,
        config,
        tuple(sorted(topics, key=lambda topic: topic.topic.name)),
        tuple(models),
        reader.texts,
        frozenset(name for declarations in all_declarations for name in declarations.broken),
        frozenset(unreadable),
        order(reader.diagnostics),
        tuple(declared for declarations in all_declarations for declared in declarations.unlocked),
        {path: declarations for path, (declarations, by_itself) in alone.items() if by_itself},
        lock.subjects,
        tuple(facet for declarations in all_declarations for facet in declarations.registered),
        functions,
    )


def _own_functions(
    reader: _Reader, config: ProjectConfig, models: list[Model], lock: Lock, environment: Mapping[str, str]
) -> OwnFunctions:
    """Return the project's own functions."""
    paths = reader.find((FUNCTION_FOLDER,), FUNCTION_ENDINGS)
    texts = {path: text for path in paths if (text := reader.read(path)) is not None}
    if not texts:
        return {}
    # Imported here: most projects have no functions.
    from lsqlc.project.declared.own_functions import read_own_functions
    from lsqlc.project.declared.python_functions import SWITCH

    locked = None if environment.get(SWITCH) == "off" else lock.functions
    used = {config.dialect, *(model.dialect for model in models)}
    declared = read_own_functions(texts, config.dialect, used, locked)
    reader.diagnostics += declared.diagnostics
    return declared.functions


def _declared(
    reader: _Reader, config: ProjectConfig, lock: Lock, paths: list[str], like: Project | None
) -> dict[str, tuple[Declarations, bool]]:
    """Return the declarations of each YAML file, and whether the file names no other files."""
    same = like is not None and (like.config.defaults, like.texts.get(LOCK_FILE)) == (
        config.defaults,
        reader.texts.get(LOCK_FILE),
    )
    unchanged = like if same else None
    by_path: dict[str, tuple[Declarations, bool]] = {}
    for path in paths:
        text = reader.read(path)
        if text is None:
            continue
        if unchanged is not None and path in unchanged.declarations and unchanged.texts.get(path) == text:
            by_path[path] = unchanged.declarations[path], True
            continue
        schema_paths: list[str] = []

        def beside(other: str, schema_paths: list[str] = schema_paths) -> files.Text:
            schema_paths.append(other)
            return reader.beside(other)

        readable = ReadableFiles(beside, reader.avro_names)
        by_path[path] = read_declarations(text, path, config.defaults, readable, lock), not schema_paths
    return by_path


def _lock(reader: _Reader) -> Lock:
    """Return the lock file; an empty one if it does not exist."""
    text = reader.read(LOCK_FILE) if reader.has(LOCK_FILE) else None
    lock = Lock({}) if text is None else read_lock(text)
    reader.diagnostics += lock.diagnostics
    return lock


def _dialect(config: ProjectConfig, about: ModelDeclaration | None) -> str:
    """Return the dialect that YAML declares for a model."""
    return (about.dialect if about else None) or config.dialect


def _model(
    reader: _Reader, renderer: Renderer, config: ProjectConfig, name: str, path: str, about: ModelDeclaration | None
) -> Model:
    raw = reader.texts[path]
    rendered = renderer.render(raw, path)
    reader.diagnostics += rendered.diagnostics
    text = rendered.text
    if text is not None and not text.strip():
        what = "is empty" if not raw.strip() else "is empty after rendering"
        help = "write a program, such as `SELECT STREAM * FROM a-topic`, or remove the file"
        reader.diagnostics.append(Diagnostic("LSQ015", f"the model '{name}' {what}", _top(path), help=help))
        text = None
    declaration, settings, defaults = about, rendered.settings, config.defaults
    language = settings.dialect or _dialect(config, declaration)
    result = Materialized(settings.materialized, settings.key, settings.key_format)
    if result != PLAIN and not dialect(language).materializes:
        message = f"config(materialized=), config(key=) and config(key_format=) are not for the dialect '{language}'"
        help = "remove them, or write the model in the dialect sql: config(dialect='sql')"
        reader.diagnostics.append(Diagnostic("LSQ027", message, _top(path), help=help))
    errors = ErrorPolicy(settings.error_policy, settings.dead_letters)
    return Model(
        name,
        path,
        raw,
        text,
        rendered.positions,
        dialect=language,
        nullability=settings.nullability or (declaration.nullability if declaration else None) or defaults.nullability,
        tags=tuple(dict.fromkeys((*defaults.tags, *(declaration.tags if declaration else ()), *settings.tags))),
        owner=declaration.owner if declaration else None,
        description=declaration.description if declaration else None,
        refs=rendered.refs,
        files_per_batch=declaration.files_per_batch if declaration else None,
        latency=settings.latency or (declaration.latency if declaration else None),
        materialized=result,
        alerts=declaration.alerts if declaration else (),
        tests=declaration.tests if declaration else (),
        columns=declaration.columns if declaration else (),
        start=declaration.start if declaration else None,
        tables=declaration.tables if declaration else (),
        errors=errors.over(declaration.errors if declaration else UNSET).over(defaults.errors),
    )


def _programs(reader: _Reader, paths: list[str]) -> tuple[dict[str, str], set[str]]:
    """Return the paths of the models by name, and the names of those that cannot be read."""
    programs: dict[str, str] = {}
    unreadable: set[str] = set()
    first_paths: dict[str, str] = {}
    for path in paths:
        name = os.path.basename(path).removesuffix(".sql")  # noqa: PTH119 - a thousand models: Path is ten times slower
        if not TOPIC_NAME.fullmatch(name):
            message = f"'{name}' is not a valid name of a model"
            help = "rename the file: a name consists of letters, digits, '_', '-' and '.'"
            reader.diagnostics.append(Diagnostic("LSQ019", message, _top(path), help=help))
            continue
        # Golden files and compiled SQL are named after the model, and some file systems ignore case.
        other = first_paths.setdefault(name.casefold(), path)
        if other != path:
            message = f"the model '{name}' has two files"
            notes = (
                f"the other one is '{other}'",
                "names must be unique in the whole project, without regard to letter case",
            )
            reader.diagnostics.append(Diagnostic("LSQ014", message, _top(path), notes, "rename one of them"))
        elif reader.read(path) is None:
            unreadable.add(name)
        else:
            programs[name] = path
    return programs, unreadable


def _about_models(
    reader: _Reader, all_declarations: list[Declarations], model_names: set[str]
) -> dict[str, ModelDeclaration]:
    about: dict[str, ModelDeclaration] = {}
    for model in (model for declarations in all_declarations for model in declarations.models):
        if model.name not in model_names:
            help = did_you_mean(model.name, model_names) or (
                f"the models are {listing(model_names)}" if model_names else None
            )
            message = f"unknown model '{model.name}'"
            reader.diagnostics.append(Diagnostic("LSQ013", message, model.span, help=help))
        elif model.name in about:
            reader.diagnostics.append(_twice("model", model.name, model.span, about[model.name].span))
        else:
            about[model.name] = model
    return about


def _unique_topics(reader: _Reader, topics: list[TopicDeclaration]) -> list[TopicDeclaration]:
    first: dict[str, TopicDeclaration] = {}
    for declaration in topics:
        other = first.setdefault(declaration.topic.name, declaration)
        if other is not declaration:
            reader.diagnostics.append(_twice("topic", declaration.topic.name, declaration.span, other.span))
    return list(first.values())


def _sources(all_declarations: list[Declarations]) -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {
        source: set() for declarations in all_declarations for source in declarations.sources
    }
    for declarations in all_declarations:
        for topic in declarations.topics:
            if topic.source is not None:
                groups[topic.source].add(topic.topic.name)
        # A topic with errors is not reported as unknown too.
        for source in declarations.sources:
            groups[source].update(declarations.broken)
    return {source: frozenset(names) for source, names in groups.items()}


def _target(name: str, text: str, language: Dialect) -> str:
    """Return the topic that a model writes, from its text, because `ref` needs it before any model is parsed."""
    targets = language.written_topics(name, text) or (name,)
    if len(targets) > 1:
        help = f"use the name of a topic: {listing(targets)}"
        raise TemplateFailure("LSQ022", f"the model '{name}' writes several topics", word=name, help=help)
    if targets == ("",):
        help = "write the topic's name instead of ref()"
        raise TemplateFailure("LSQ022", f"the target of the model '{name}' is a template", word=name, help=help)
    return targets[0]


def _check_folders(reader: _Reader, config: ProjectConfig) -> None:
    default = ProjectConfig("").model_paths
    for path in config.model_paths:
        if path not in default and not (reader.root / path).is_dir():
            message = f"the folder '{path}' of 'model-paths' does not exist"
            help = "create the folder, or correct 'model-paths' in lsqlc.yml"
            reader.diagnostics.append(Diagnostic("LSQ001", message, help=help))


def _unlocked(declared: TopicDeclaration) -> Diagnostic:
    what, command = "files", "`lsqlc compile` infers them"
    notes: tuple[str, ...] = (f"the declaration has no 'value', and {LOCK_FILE} has no entry",)
    if declared.delta is not None:
        what, command = "Delta table", "`lsqlc compile --lock` reads them from the table"
        notes = (*notes, "a table outside of the project's folder is only read by a command that asks for it")
    message = f"the columns of the {what} of '{declared.topic.name}' are not known"
    help = f"{command} and writes the lock file; or declare them: `value: id INT, name STRING`"
    return Diagnostic("LSQ090", message, declared.span, notes, help)


def _twice(what: str, name: str, span: Span, other: Span) -> Diagnostic:
    note = f"the other one is at {other.path}:{other.line}:{other.column}"
    return Diagnostic("LSQ012", f"the {what} '{name}' is declared twice", span, (note,), "remove one of the two")


def _top(path: str) -> Span:
    return Span(path, 1, 1, 1, 1)
