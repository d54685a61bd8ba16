"""The schema registry of a target: what the lock file keeps of it, and what the models write to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from lsqlc.formats.subjects import Subject
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.registry_target import RegistryTarget
    from lsqlc.project.declared.target import Target
    from lsqlc.project.workspace import Workspace
    from lsqlc.registry.registry import Registry
    from lsqlc.registry.written import Standing

# Each round but the last adds the schemas of models that read what those of the round before write.
_MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Pulled:
    """The subjects of the lock file by name, and whether the file was changed."""

    subjects: Mapping[str, Subject]
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """The lock file and the schemas of the models compared with the registry.

    `drift`: a line for each difference of the lock file; `standings`: the relation of each output schema to its
    subject; `diagnostics`: subjects that cannot be kept.
    """

    drift: tuple[str, ...]
    standings: tuple[Standing, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether the lock file is up to date and all schemas are compatible."""
        return not self.drift and not self.diagnostics and not any(s.conflicts for s in self.standings)


def registry_target(root: Path, name: str | None, environment: Mapping[str, str]) -> tuple[Target, RegistryTarget]:
    """Return a target of profiles.yml and its registry; without a name, the default target. Raises LsqlcError LSQ715 if
    it has none, and the errors of profiles.yml.
    """
    from lsqlc.project.declared.profiles import PROFILE_FILE, named_target

    target = named_target(root, name, environment)
    if target.registry is None:
        message = f"the target '{target.name}' has no schema registry"
        help = f"add it to the target in {PROFILE_FILE}: `registry: {{url: https://registry:8081}}`"
        raise LsqlcError([Diagnostic("LSQ715", message, help=help)])
    return target, target.registry


def subject_names(target: Target, selected: Compilation) -> Callable[[str], str]:
    """Return a function that gives the name of a subject in the registry of a target.

    A target that defers to another one has the topics that the `selected` models write, and reads the others there.
    """
    from lsqlc.tasks.run_target import connection_of

    own = frozenset(topic.name for build in selected.models.values() for topic in build.outputs)
    connection = connection_of(selected.project.root, replace(target, own=own))
    return target.connector.subjects(connection, frozenset(f.subject for f in selected.project.registered if f.named))


def pull(
    registry: Registry,
    reopen: Callable[[], Workspace],
    names: Callable[[Workspace], Callable[[str], str]] = lambda workspace: str,
) -> Pulled:
    """Update the schemas in the lock file from the registry. `reopen`: opens the project with its current lock file.

    Models that compile only with the new schemas may write further ones, so this is repeated until nothing changes.
    `names`: gives the name of a subject in the registry; the lock file has those without a prefix.

    Raises LsqlcError for a subject that the project needs and the registry does not have. Raises it also for a lock
    file that cannot be read or written, and as the registry does.
    """
    from lsqlc.project.declared.lock import LOCK_FILE, lock_text, read_lock
    from lsqlc.tasks.locks import write_lock

    is_changed = False
    subjects: Mapping[str, Subject] = {}
    for _ in range(_MOST_ROUNDS):
        workspace = reopen()
        loaded = workspace.project
        subjects, problems = _pulled(registry, workspace.compilation, names(workspace))
        if problems:
            raise LsqlcError(problems)
        if subjects == loaded.subjects:
            break
        text = loaded.texts.get(LOCK_FILE)
        lock = read_lock(text) if text is not None else None
        if lock is not None and lock.broken:
            raise LsqlcError(lock.diagnostics)
        write_lock(
            loaded.root / LOCK_FILE,
            lock_text(lock.columns if lock else {}, dict(subjects), lock.functions if lock else {}),
        )
        is_changed = True
    return Pulled(subjects, is_changed)


def check(registry: Registry, whole: Compilation, selected: Compilation, names: Callable[[str], str] = str) -> Checked:
    """Compare the lock file with the registry, and the schemas that the selected models write with their subjects.
    `whole`: all models of the project; `names`: as of `standings`. Raises LsqlcError as `standings`.
    """
    from lsqlc.report.registry_report import drift_lines

    compatibility = standings(registry, selected, names)
    locked = whole.project.subjects
    subjects, problems = _pulled(registry, whole, names)
    drift = drift_lines(locked, subjects, {*locked, *subjects})
    return Checked(tuple(drift), compatibility, tuple(problems))


def _pulled(
    registry: Registry, compilation: Compilation, names: Callable[[str], str]
) -> tuple[dict[str, Subject], tuple[Diagnostic, ...]]:
    """Return the subjects that the project uses, by their names without a prefix, and a diagnostic for each invalid
    one.
    """
    from lsqlc.registry.pull import pulled

    required, optional = _used(compilation)
    own = {names(subject): subject for subject in (*optional, *required)}
    subjects, problems = pulled(registry, map(names, required), map(names, optional))
    return {own[name]: replace(subject, name=own[name]) for name, subject in subjects.items()}, problems


def standings(registry: Registry, compilation: Compilation, names: Callable[[str], str] = str) -> tuple[Standing, ...]:
    """Compare each schema that the models write for a registry with its subject. `names`: gives the name of a subject
    in the registry. Raises LsqlcError with the errors of the models, and as the registry does.
    """
    from lsqlc.registry.written import standing, written_schemas

    if not compilation.ok:
        raise LsqlcError(compilation.diagnostics)
    output_schemas = written_schemas(compilation.plans.values(), compilation.project.subjects)
    schemas = [replace(schema, subject=names(schema.subject)) for schema in output_schemas]
    present = frozenset(registry.subjects()) if schemas else frozenset()
    return tuple(standing(registry, schema, present) for schema in schemas)


def register(registry: Registry, results: Sequence[Standing]) -> dict[str, int]:
    """Register the schemas that are new, and return the ids of those by subject. Raises LsqlcError LSQ721 if one of all
    is not compatible: then none is registered.
    """
    conflicting = [s for s in results if s.conflicts]
    if conflicting:
        # All or none: a topic must not have the schema of a model whose other topic is refused.
        names = ", ".join(f"'{s.schema.subject}'" for s in conflicting)
        help = "make the change compatible, such as a new nullable column; or write another topic"
        raise LsqlcError([Diagnostic("LSQ721", f"nothing is registered: not compatible are {names}", help=help)])
    new = [s.schema for s in results if s.id is None]
    return {schema.subject: registry.register(schema.subject, schema.type, schema.source) for schema in new}


def _used(compilation: Compilation) -> tuple[list[str], list[str]]:
    """Return the subjects that the project needs, and those that it uses if they exist."""
    from lsqlc.dialects import dialect
    from lsqlc.formats.subjects import subject_of
    from lsqlc.registry.written import written_schemas

    loaded = compilation.project
    required = [facet.subject for facet in loaded.registered if facet.wanted]
    optional = [facet.subject for facet in loaded.registered if not facet.wanted]
    output_topics = {topic for build in compilation.models.values() for topic in (t.name for t in build.outputs)}
    declared = {topic.topic.name for topic in loaded.topics} | output_topics
    possible_subjects = {subject_of(topic, facet) for topic in declared for facet in ("key", "value")}
    for model in loaded.models:
        language = dialect(model.dialect)
        program = language.parse(model.text, model.path).program if model.text and language.declares_sources else None
        if program is not None:
            # The subject of a topic that the project declares or writes is used, but not needed.
            for name in language.subjects(program):
                (optional if name in possible_subjects else required).append(name)
    optional += [schema.subject for schema in written_schemas(compilation.plans.values(), loaded.subjects)]
    return list(dict.fromkeys(required)), list(dict.fromkeys(optional))
