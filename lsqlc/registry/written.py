"""The schemas that models write in AVRO, and how each stands to its subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lsqlc.bind.topic_schemas import topic_schemas
from lsqlc.plan.plan import Plan
from lsqlc.registry.registry import Registry
from lsqlc.types.avro_resolution import MODES, incompatible
from lsqlc.types.avro_tree import Avro, AvroError, avro_tree, canonical
from lsqlc.types.formats import inside, key_in_window, windowed
from lsqlc.types.record import Facet, Topic
from lsqlc.types.subjects import Subject, subject_of


@dataclass(frozen=True, slots=True)
class WrittenSchema:
    """The schema of a facet that a model writes, in its one text, and the subject that it belongs to."""

    model: str
    topic: str
    facet: str
    subject: str
    text: str


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


def written_schemas(plans: Iterable[Plan]) -> Iterator[WrittenSchema]:
    """The schemas of facets in AVRO. A facet that Avro cannot hold is an error of the model, and is left out. Of a key
    in a window it is that of the key inside, the only part that stands in Avro.
    """
    for plan in plans:
        for topic in plan.outputs:
            found, _ = topic_schemas(_without_window(topic), "avro", dict(plan.settings))
            for schema in found:
                if schema.format == "avro":
                    text = canonical(avro_tree(schema.text))
                    name = subject_of(topic.name, schema.facet)
                    yield WrittenSchema(plan.name, topic.name, schema.facet, name, text)


def _without_window(topic: Topic) -> Topic:
    inner = key_in_window(topic.key.type) if windowed(topic.key.format) else None
    return topic if inner is None else replace(topic, key=Facet(inner.type, inside(topic.key.format)))


def standing(registry: Registry, schema: WrittenSchema, there: frozenset[str]) -> Standing:
    """Ask the registry about a schema. `there`: the subjects that it has. Raises LsqlcError as the registry does."""
    mode = registry.compatibility(schema.subject)
    if schema.subject not in there:
        return Standing(schema, None, True, mode)
    same = registry.found(schema.subject, "AVRO", schema.text)
    if same is not None:
        return Standing(schema, same.id, False, mode)
    conflicts = tuple(registry.conflicts(schema.subject, "AVRO", schema.text))
    return Standing(schema, None, False, mode, conflicts)


def change_text(old: str, new: str, subject: Subject | None) -> str:
    """What a change of a written schema means for its subject, in one clause, by the lock file only.

    >>> change_text('"int"', '"long"', None)
    "compatible with the other version by BACKWARD (the lock file has no such subject)"
    """
    mode = subject.compatibility if subject else "BACKWARD"
    where = "" if subject else " (the lock file has no such subject)"
    known = [v.text for v in subject.versions if v.type == "AVRO"] if subject else [old]
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
