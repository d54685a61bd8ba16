"""Which schemas of a registry the topics of a run are read and written with, as the lock file and the registry say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.catalogue import find_format
from lsqlc.formats.record import Part, SchemaKind, StoredFacet
from lsqlc.formats.registered import FacetSchemas, no_schema
from lsqlc.formats.subjects import Subject, subject_of
from lsqlc.formats.windows import inside, type_inside
from lsqlc.plan.plan import Plan
from lsqlc.registry.pull import kept_text
from lsqlc.registry.registry import RegisteredSchema, Registry
from lsqlc.registry.written import written_schemas
from lsqlc.types.data import DataType
from lsqlc.types.record import Facet, Topic


@dataclass(frozen=True, slots=True)
class SchemasInUse:
    """By topic and facet (`key` or `value`): the schemas of a facet in Avro, JSON_SR or Protobuf, or what keeps it from
    having them.

    `rejected`: ids that records have and the registry does not know: such records are bad ones. None: there is no
    registry, and all unknown ids are.
    """

    facets: Mapping[tuple[str, str], FacetSchemas] = field(default_factory=dict)
    problems: Mapping[tuple[str, str], Diagnostic] = field(default_factory=dict)
    rejected: Mapping[tuple[str, str], frozenset[int]] | None = None

    def of(self, topic: str, facet: str) -> FacetSchemas:
        """Those of a facet. Raises LsqlcError with its problem."""
        if (topic, facet) in self.problems:
            raise LsqlcError([self.problems[topic, facet]])
        return self.facets[topic, facet]

    def stored(self, topic: str, part: Part, type: DataType, format: str) -> StoredFacet:
        """A facet with its schemas, as its format reads and writes it on Spark."""
        unknown = None if self.rejected is None else self.rejected.get((topic, part))
        return StoredFacet(topic, part, type, format, schemas=partial(self.of, topic, part), rejected=unknown)


def schemas_in_use(
    plans: Iterable[Plan],
    topics: Iterable[Topic],
    subjects: Mapping[str, Subject],
    named: Mapping[tuple[str, str], str],
    registry: Registry | None,
    rejected: frozenset[tuple[str, str, int]] = frozenset(),
    messages: Mapping[tuple[str, str], str] | None = None,
    names: Callable[[str], str] = str,
) -> SchemasInUse:
    """The schemas of all facets in Avro, JSON_SR and Protobuf that the plans read or write, and of further `topics`.

    `subjects`: those of the lock file; `named`: the subjects that facets name, by topic and facet; `registry`: is asked
    for the versions that came since; None: it is not; `rejected`: by topic and facet, ids that it does not know;
    `messages`: of Protobuf, those that facets name, by topic and facet; `names`: gives the name of a subject in the
    registry. What a model writes must be registered there under that name, where the registry is asked.

    A problem is LSQ758 for a subject of Avro or Protobuf that is in neither, LSQ756 for a schema that a model writes
    and that is not registered, LSQ863 for what a model writes and the format has no schema for. JSON_SR is read without
    a schema. Raises LsqlcError as the registry does.
    """
    plans = tuple(plans)
    written = {(w.topic, w.facet): w.text for w in written_schemas(plans, subjects)}
    found: dict[tuple[str, str], FacetSchemas] = {}
    problems: dict[tuple[str, str], Diagnostic] = {}
    outputs = {topic.name for plan in plans for topic in plan.outputs}
    of_plans = (t for plan in plans for t in (*plan.inputs, *plan.outputs))
    for topic in {t.name: t for t in (*topics, *of_plans) if t.files is None}.values():
        for name, facet in (("key", topic.key), ("value", topic.value)):
            format = find_format(facet.format)
            if facet.is_absent or format is None or format.schema is None or not format.has_schema_id:
                continue
            subject = named.get((topic.name, name), subject_of(topic.name, name))
            versions, own = _versions(subject, names(subject), format.schema.type, subjects, registry)
            subject = names(subject)
            text = written.get((topic.name, name))
            if text is None and topic.name in outputs:
                problems[topic.name, name] = no_schema(topic.name, name, facet.type, inside(facet.format).upper())
                continue
            message = (messages or {}).get((topic.name, name))
            schemas = _schemas(format.schema, type_inside(facet.type, facet.format), versions, own, text, message)
            if schemas is not None:
                found[topic.name, name] = schemas
            elif text is not None:
                problems[topic.name, name] = _unregistered(topic, name, facet, subject)
            else:
                problems[topic.name, name] = _unknown(topic, name, subject, bool(versions))
    if registry is None:
        return SchemasInUse(found, problems)
    ids = {key: frozenset(id for t, f, id in rejected if (t, f) == key) for key in found}
    return SchemasInUse(found, problems, ids)


def _versions(
    subject: str, name: str, type: str, subjects: Mapping[str, Subject], registry: Registry | None
) -> tuple[dict[int, str], dict[int, str]]:
    """The schemas of a subject that have the type, by id, the oldest first; and those of them that may be written:
    where the registry is asked, its own. `name`: that of the subject in the registry.
    """
    locked = subjects[subject].versions if subject in subjects else ()
    found = {version.id: version.text for version in locked if version.type == type}
    own = found if registry is None else {}
    if registry is not None:
        try:
            newer = [v for v in registry.versions(name) if v.type == type]
            found |= _texts(registry, (v for v in newer if v.id not in found))
            own = {v.id: found[v.id] for v in newer if v.id in found}
        except LsqlcError as error:
            if [d.code for d in error.diagnostics] != ["LSQ714"]:
                raise
    return found, own


def _texts(registry: Registry, versions: Iterable[RegisteredSchema]) -> dict[int, str]:
    """Versions in their one text, by id. A record of one that has none is a bad record."""
    found = {}
    for version in versions:
        try:
            found[version.id] = kept_text(registry, version)
        except ValueError:
            continue
    return found


def _schemas(
    kind: SchemaKind,
    type: DataType,
    versions: Mapping[int, str],
    own: Mapping[int, str],
    written: str | None,
    message: str | None,
) -> FacetSchemas | None:
    """The schemas of a facet. `own`: those that may be written; `written`: the schema that a model writes, which must
    be among them; None: the facet is only read, and None is returned where no version has its columns.
    """
    if written is None:
        return kind.for_reading(type, versions, message)
    same = next(((id, text) for id, text in own.items() if kind.is_same(text, written)), None)
    return None if same is None else FacetSchemas(written, versions, (written, same[0]))


def _unregistered(topic: Topic, name: str, facet: Facet, subject: str) -> Diagnostic:
    format = inside(facet.format).upper()
    return Diagnostic(
        "LSQ756",
        f"the schema of the {name} of '{topic.name}' is not a version of the subject '{subject}'",
        notes=(f"records in {format} contain the id of their schema, which the registry assigns",),
        help="`lsqlc schemas check` shows whether it is compatible, `lsqlc schemas register` registers it",
    )


def _unknown(topic: Topic, name: str, subject: str, there: bool) -> Diagnostic:
    why = "has no version with the declared columns" if there else "is not in the lock file"
    return Diagnostic(
        "LSQ758",
        f"the {name} of '{topic.name}' cannot be read: the subject '{subject}' {why}",
        help="update the lock file: `lsqlc schemas pull`",
    )
