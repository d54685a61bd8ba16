"""Which schemas of a registry the topics of a run are read and written with, as the lock file and the registry say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from lsqlc.connectors.kafka.codec import FacetCodec
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.avro.codec import AvroCodec
from lsqlc.formats.avro.fit import misfits
from lsqlc.formats.avro.spark import AvroEncoding
from lsqlc.formats.avro.tree import avro_tree, canonical
from lsqlc.formats.encoding import Encoding
from lsqlc.formats.json_schema.codec import JsonSchemaCodec
from lsqlc.formats.json_schema.fit import json_writer
from lsqlc.formats.json_schema.spark import JsonSchema
from lsqlc.formats.json_schema.write import same_json_schema
from lsqlc.formats.names import BARE_PROTOBUF, REGISTERED, inside, windowed
from lsqlc.formats.protobuf.codec import ProtobufCodec, bare_schemas, reader_arguments, writer_arguments
from lsqlc.formats.protobuf.fit import fitting_message
from lsqlc.formats.protobuf.spark import Protobuf, protobuf_function
from lsqlc.formats.registered import FacetSchemas
from lsqlc.formats.subjects import Subject, subject_of
from lsqlc.plan.plan import Plan
from lsqlc.registry.pull import kept_text
from lsqlc.registry.registry import RegisteredSchema, Registry
from lsqlc.registry.written import written_schemas
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet, Topic

# The schemas of a subject by id, and those of them that may be written.
_Known = tuple[dict[int, str], dict[int, str]]


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

    def encoding(self, topic: Topic, name: str, facet: Facet) -> Encoding | None:
        """How Spark reads and writes a facet; None for one whose schemas are in no registry. Raises as `of`."""
        if inside(facet.format) == BARE_PROTOBUF and not facet.is_absent:
            return _bare_protobuf(topic, name, facet)
        if inside(facet.format) not in REGISTERED or facet.is_absent:
            return None
        found = self.of(topic.name, name)
        if inside(facet.format) == "json_sr":
            return JsonSchema(_inner(facet), found.written[1] if found.written else None)
        unknown = None if self.rejected is None else self.rejected[topic.name, name]
        if inside(facet.format) == "protobuf":
            return _protobuf(_inner(facet), found, (topic.name, name), unknown)
        return AvroEncoding(_inner(facet), found.reader, found.writers, found.written, (topic.name, name), unknown)

    def codecs(self) -> dict[str, FacetCodec]:
        """How the client reads and writes them, by format."""
        return {
            "avro": AvroCodec(self.of),
            "json_sr": JsonSchemaCodec(self.of),
            "protobuf": ProtobufCodec(self.of),
            BARE_PROTOBUF: ProtobufCodec(None),
        }


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
            format = inside(facet.format)
            if facet.is_absent or format not in REGISTERED:
                continue
            subject = named.get((topic.name, name), subject_of(topic.name, name))
            versions, own = _versions(subject, names(subject), REGISTERED[format], subjects, registry)
            subject = names(subject)
            text = written.get((topic.name, name))
            if text is None and topic.name in outputs:
                problems[topic.name, name] = _without_schema(topic, name, facet)
                continue
            try:
                if format == "protobuf":
                    message = (messages or {}).get((topic.name, name))
                    schemas = _protobuf_schemas(topic, name, facet, subject, (versions, own), text, message)
                else:
                    of_format = _json_schemas if format == "json_sr" else _schemas
                    schemas = of_format(topic, name, facet, subject, (versions, own), text)
                found[topic.name, name] = schemas
            except LsqlcError as error:
                problems[topic.name, name] = error.diagnostics[0]
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
            if type == "PROTOBUF":
                found |= _compiled(registry, (v for v in newer if v.id not in found))
            else:
                found |= {v.id: canonical(avro_tree(v.text)) if type == "AVRO" else v.text for v in newer}
            own = {v.id: found[v.id] for v in newer if v.id in found}
        except LsqlcError as error:
            if [d.code for d in error.diagnostics] != ["LSQ714"]:
                raise
    return found, own


def _compiled(registry: Registry, versions: Iterable[RegisteredSchema]) -> dict[int, str]:
    """Versions of Protobuf in their one text, by id. A record of one that has none is a bad record."""
    found = {}
    for version in versions:
        try:
            found[version.id] = kept_text(registry, version)
        except ValueError:
            continue
    return found


def _schemas(topic: Topic, name: str, facet: Facet, subject: str, known: _Known, written: str | None) -> FacetSchemas:
    versions, own = known
    if written is not None:
        id = next((id for id, text in own.items() if text == written), None)
        if id is None:
            raise LsqlcError([_unregistered(topic, name, facet, subject)])
        return FacetSchemas(written, versions, (written, id))
    # The newest version that has all fields of the declaration: a later one may have dropped some.
    type = _inner(facet)
    for text in reversed(versions.values()):
        if not list(misfits(type, avro_tree(text))):
            return FacetSchemas(text, versions)
    raise LsqlcError([_unknown(topic, name, subject, bool(versions))])


def _protobuf_schemas(
    topic: Topic,
    name: str,
    facet: Facet,
    subject: str,
    known: _Known,
    written: str | None,
    message: str | None,
) -> FacetSchemas:
    versions, own = known
    if written is not None:
        id = next((id for id, text in own.items() if text == written), None)
        if id is None:
            raise LsqlcError([_unregistered(topic, name, facet, subject)])
        return FacetSchemas(written, versions, (written, id))
    for text in reversed(versions.values()):
        fitting = fitting_message(_inner(facet), text, message)
        if fitting is not None:
            return FacetSchemas(text, versions, message=fitting)
    raise LsqlcError([_unknown(topic, name, subject, bool(versions))])


def _protobuf(
    type: DataType, schemas: FacetSchemas, place: tuple[str, str], rejected: frozenset[int] | None
) -> Protobuf:
    writing = protobuf_function("write", writer_arguments(type, *schemas.written)) if schemas.written else None
    reading = protobuf_function("read", reader_arguments(type, schemas))
    return Protobuf(type, reading, writing, tuple(schemas.writers), place, rejected)


def _bare_protobuf(topic: Topic, name: str, facet: Facet) -> Protobuf:
    """How Spark reads and writes messages without an id. Raises LsqlcError LSQ863 for a type that Protobuf does not
    have.
    """
    type = _inner(facet)
    try:
        schemas = bare_schemas(type, name)
    except ValueError as error:
        raise LsqlcError([_without_schema(topic, name, facet, str(error))]) from None
    reading = protobuf_function("read", reader_arguments(type, schemas))
    return Protobuf(type, reading, protobuf_function("write", writer_arguments(type, schemas.reader, None)))


def _json_schemas(
    topic: Topic, name: str, facet: Facet, subject: str, known: _Known, written: str | None
) -> FacetSchemas:
    versions, own = known
    if written is not None:
        same = next((id for id, text in own.items() if same_json_schema(text, written)), None)
        if same is None:
            raise LsqlcError([_unregistered(topic, name, facet, subject)])
        return FacetSchemas(writers=versions, written=(written, same))
    # What the client writes into the topic of others is of the newest version that takes the declared columns.
    for id, text in reversed(versions.items()):
        try:
            json_writer(_inner(facet), text)
        except ValueError:
            continue
        return FacetSchemas(writers=versions, written=(text, id))
    return FacetSchemas(writers=versions)


def _inner(facet: Facet) -> DataType:
    """The type that the schema describes: that of the key inside, where it stands in a window."""
    window = windowed(facet.format)
    return facet.type.fields[0].type if window is not None and isinstance(facet.type, Struct) else facet.type


def _unregistered(topic: Topic, name: str, facet: Facet, subject: str) -> Diagnostic:
    format = inside(facet.format).upper()
    return Diagnostic(
        "LSQ756",
        f"the schema of the {name} of '{topic.name}' is not a version of the subject '{subject}'",
        notes=(f"records in {format} contain the id of their schema, which the registry assigns",),
        help="`lsqlc schemas check` shows whether it is compatible, `lsqlc schemas register` registers it",
    )


def _without_schema(topic: Topic, name: str, facet: Facet, why: str = "") -> Diagnostic:
    format = inside(facet.format).upper()
    return Diagnostic(
        "LSQ863",
        f"the {name} of '{topic.name}' is {facet.type}, which has no schema in {format}",
        notes=(why,) if why else (),
        help="store it in another format, or give the columns other names or types",
    )


def _unknown(topic: Topic, name: str, subject: str, there: bool) -> Diagnostic:
    why = "has no version with the declared columns" if there else "is not in the lock file"
    return Diagnostic(
        "LSQ758",
        f"the {name} of '{topic.name}' cannot be read: the subject '{subject}' {why}",
        help="update the lock file: `lsqlc schemas pull`",
    )
