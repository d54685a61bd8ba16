"""The schemas that models write in AVRO, JSON_SR and PROTOBUF, and how each stands to its subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lsqlc.bind.topic_schemas import FacetSchema, topic_schemas
from lsqlc.formats.avro.resolution import MODES, incompatible
from lsqlc.formats.avro.tree import Avro, AvroError, avro_tree, canonical
from lsqlc.formats.json_schema.write import same_json_schema, written_json_schema
from lsqlc.formats.names import REGISTERED, inside, key_in_window, windowed
from lsqlc.formats.protobuf.write import protobuf_source, written_protobuf
from lsqlc.formats.schemas import Language
from lsqlc.formats.subjects import Subject, subject_of
from lsqlc.plan.plan import Plan
from lsqlc.registry.pull import kept_text
from lsqlc.registry.registry import RegisteredSchema, Registry
from lsqlc.types.record import Facet, Topic

_LANGUAGES: Mapping[str, Language] = {"avro": "avro", "json_sr": "json"}


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
    type: str = "AVRO"

    @property
    def source(self) -> str:
        """The schema as a registry is given it."""
        return protobuf_source(self.text) if self.type == "PROTOBUF" else self.text


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
            facets = {"key": whole.key, "value": whole.value}
            for format, language in _LANGUAGES.items():
                if any(facet.format == format for facet in facets.values()):
                    found, _ = topic_schemas(whole, language, dict(plan.settings))
                    for schema in found:
                        if schema.format == format:
                            name = subject_of(topic.name, schema.facet)
                            text = _one_text(schema, facets[schema.facet])
                            yield WrittenSchema(plan.name, topic.name, schema.facet, name, text, REGISTERED[format])
            for which, facet in facets.items():
                if facet.format == "protobuf" and not facet.is_absent:
                    name = subject_of(topic.name, which)
                    versions = _versions((subjects or {}).get(name), "PROTOBUF")
                    try:
                        text = written_protobuf(facet.type, which, versions)
                    except ValueError:
                        continue
                    yield WrittenSchema(plan.name, topic.name, which, name, text, "PROTOBUF")


def _versions(subject: Subject | None, type: str) -> list[str]:
    """The versions of a subject that have the type, the oldest first."""
    return [v.text for v in subject.versions if v.type == type] if subject else []


def _one_text(schema: FacetSchema, facet: Facet) -> str:
    if schema.format == "avro":
        return canonical(avro_tree(schema.text))
    return written_json_schema(facet.type, f"{schema.topic}-{schema.facet}")


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
    """The version of the subject that is the schema. Registries compare texts of Protobuf, which is more than is
    read by them.
    """
    if schema.type != "PROTOBUF":
        return registry.found(schema.subject, schema.type, schema.text)
    versions = (v for v in reversed(registry.versions(schema.subject)) if v.type == "PROTOBUF")
    return next((v for v in versions if _compiled(registry, v) == schema.text), None)


def _compiled(registry: Registry, version: RegisteredSchema) -> str | None:
    """The one text of a version; None for one that has none."""
    try:
        return kept_text(registry, version)
    except ValueError:
        return None


def change_text(old: str, new: str, subject: Subject | None, type: str = "AVRO") -> str:
    """What a change of a written schema means for its subject, in one clause, by the lock file only. Whether a JSON
    Schema or one of Protobuf is compatible only the registry says.

    >>> change_text('"int"', '"long"', None)
    "compatible with the other version by BACKWARD (the lock file has no such subject)"
    """
    if type != "AVRO":
        known = _versions(subject, type)
        if new in known or (type == "JSON" and any(same_json_schema(text, new) for text in known)):
            return "a version of the subject"
        return "a new version; `lsqlc schemas check` asks the registry whether it is compatible"
    mode = subject.compatibility if subject else "BACKWARD"
    where = "" if subject else " (the lock file has no such subject)"
    known = _versions(subject, "AVRO") if subject else [old]
    if mode not in MODES:
        return f"the subject's mode '{mode}' is unknown"
    if subject and any(_same(text, new) for text in known):
        return "a version of the subject"
    try:
        reasons = incompatible(avro_tree(new), _trees(known), mode)
    except AvroError as error:
        return f"not comparable: {error}"
    against = "the subject's versions" if subject else "the other version"
    if not reasons:
        return f"compatible with {against} in the mode {mode}{where}"
    return f"not compatible with {against} in the mode {mode}{where}: {'; '.join(reasons[:3])}"


def _trees(texts: Iterable[str]) -> list[Avro]:
    return [avro_tree(text) for text in texts]


def _same(a: str, b: str) -> bool:
    try:
        return canonical(avro_tree(a)) == canonical(avro_tree(b))
    except AvroError:
        return False
