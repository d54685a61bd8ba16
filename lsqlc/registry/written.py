"""The schemas that models write in AVRO, JSON_SR and PROTOBUF, and how each stands to its subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lsqlc.bind.topic_schemas import record_names
from lsqlc.formats.catalogue import find_format, registered, schema_kind
from lsqlc.formats.record import Format, Part, SchemaKind, SchemaNames
from lsqlc.formats.registered import MODES
from lsqlc.formats.subjects import Subject, subject_of
from lsqlc.formats.windows import inside, key_in_window, windowed
from lsqlc.plan.plan import Plan
from lsqlc.registry.pull import kept_text
from lsqlc.registry.registry import RegisteredSchema, Registry
from lsqlc.types.data import DataType
from lsqlc.types.record import Facet, Topic


@dataclass(frozen=True, slots=True)
class WrittenSchema:
    """The schema of a facet that a model writes, in its one text, and the subject that it belongs to. `type`: AVRO,
    JSON or PROTOBUF, as a registry calls it.
    """

    model: str
    topic: str
    facet: str
    subject: str
    text: str
    type: str

    @property
    def source(self) -> str:
        """The schema as a registry is given it."""
        return _kind(self.type).source(self.text)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a schema stands to its subject in the registry. `id`: that of the version that it is, None if it is new.
    `mode`: by which the subject's versions are compatible. `conflicts`: why it is not compatible.
    """

    schema: WrittenSchema
    id: int | None
    is_new_subject: bool
    mode: str
    conflicts: tuple[str, ...] = ()


def written_schemas(plans: Iterable[Plan], subjects: Mapping[str, Subject] | None = None) -> Iterator[WrittenSchema]:
    """The schemas of facets in AVRO, JSON_SR and PROTOBUF. A facet that the format cannot hold is an error of the
    model, and is left out. Of a key in a window it is that of the key inside, the only part that the schema describes.

    `subjects`: those of the lock file, by name: a schema of PROTOBUF continues the versions of its subject.
    """
    for plan in plans:
        for topic in plan.outputs:
            whole = _without_window(topic)
            facets: tuple[tuple[Part, Facet], ...] = (("key", whole.key), ("value", whole.value))
            for format in registered():
                for part, facet in facets:
                    if find_format(facet.format) is format and not facet.is_absent:
                        yield from _written(plan, topic, part, facet.type, format, subjects or {})


def _written(
    plan: Plan, topic: Topic, part: Part, type: DataType, format: Format, subjects: Mapping[str, Subject]
) -> Iterator[WrittenSchema]:
    assert format.schema is not None, "its records have the id of a schema"
    kind, subject = format.schema, subject_of(topic.name, part)
    record, namespace = record_names(topic.name, part, dict(plan.settings))
    names = SchemaNames(f"{topic.name}-{part}", part, record, namespace)
    try:
        text = kind.write(type, names, _versions(subjects.get(subject), kind.type))
    except ValueError:
        return
    yield WrittenSchema(plan.name, topic.name, part, subject, text, kind.type)


def _kind(type: str) -> SchemaKind:
    kind = schema_kind(type)
    assert kind is not None, "a model writes schemas that are supported"
    return kind


def _versions(subject: Subject | None, type: str) -> list[str]:
    """The versions of a subject that have the type, the oldest first."""
    return [v.text for v in subject.versions if v.type == type] if subject else []


def _without_window(topic: Topic) -> Topic:
    inner = key_in_window(topic.key.type) if windowed(topic.key.format) else None
    return topic if inner is None else replace(topic, key=Facet(inner.type, inside(topic.key.format)))


def standing(registry: Registry, schema: WrittenSchema, there: frozenset[str]) -> Standing:
    """Ask the registry about a schema. `there`: the subjects that it has. Raises LsqlcError as the registry does."""
    mode = registry.compatibility(schema.subject)
    if schema.subject not in there:
        return Standing(schema, None, True, mode)
    same = _same_version(registry, schema)
    if same is not None:
        return Standing(schema, same.id, False, mode)
    conflicts = tuple(registry.conflicts(schema.subject, schema.type, schema.source))
    return Standing(schema, None, False, mode, conflicts)


def _same_version(registry: Registry, schema: WrittenSchema) -> RegisteredSchema | None:
    """The version of the subject that is the schema. Registries compare source texts, which for a compiled schema have
    more than is compared here.
    """
    if not _kind(schema.type).is_compiled:
        return registry.found(schema.subject, schema.type, schema.text)
    versions = (v for v in reversed(registry.versions(schema.subject)) if v.type == schema.type)
    return next((v for v in versions if _compiled(registry, v) == schema.text), None)


def _compiled(registry: Registry, version: RegisteredSchema) -> str | None:
    """The one text of a version; None for one that has none."""
    try:
        return kept_text(registry, version)
    except ValueError:
        return None


def change_text(old: str, new: str, subject: Subject | None, type: str) -> str:
    """What a change of a written schema means for its subject, in one clause, by the lock file only. Whether a JSON
    Schema or one of Protobuf is compatible only the registry says.

    >>> change_text('"int"', '"long"', None, "AVRO")
    "compatible with the other version by BACKWARD (the lock file has no such subject)"
    """
    kind, versions = _kind(type), _versions(subject, type)
    name = subject.compatibility if subject else "BACKWARD"
    mode = next((mode for mode in MODES if mode == name), None)
    if kind.incompatible is not None and mode is None:
        return f"the subject's mode '{name}' is unknown"
    if any(kind.is_same(text, new) for text in versions):
        return "a version of the subject"
    if kind.incompatible is None or mode is None:
        return "a new version; `lsqlc schemas check` asks the registry whether it is compatible"
    where = "" if subject else " (the lock file has no such subject)"
    try:
        reasons = kind.incompatible(new, versions if subject else [old], mode)
    except ValueError as error:
        return f"not comparable: {error}"
    against = "the subject's versions" if subject else "the other version"
    if not reasons:
        return f"compatible with {against} in the mode {mode}{where}"
    return f"not compatible with {against} in the mode {mode}{where}: {'; '.join(reasons[:3])}"
