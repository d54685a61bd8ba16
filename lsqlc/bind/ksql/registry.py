"""Columns that a CREATE of ksqlDB leaves to the schema registry: they come from the subjects in the lock file.

ksqlDB infers the columns of a value, or of a key, whose format has schemas and for which CREATE has no column. Their
names are converted to upper case, and records are read by names in any case (ksqlDB, "Schema inference"). Here columns
of a JSON Schema keep their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics import listing
from lsqlc.formats.catalogue import ksql_formats
from lsqlc.formats.record import SchemaKind
from lsqlc.formats.subjects import Subject, SubjectVersion, subject_of
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.tree import Name
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct
from lsqlc.types.record import Topic

_KEYS = ("KEY", "PRIMARY KEY")
# ksqlDB's name of a key without fields.
_ROWKEY = "ROWKEY"


def subjects_of(program: ksql.Program) -> tuple[str, ...]:
    """Return the subjects to which CREATE statements leave columns, in their order."""
    subjects = []
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource):
            with_properties = {p.name.text: p for p in statement.properties}
            topic = ksql.topic_of(statement)
            subjects += [subject_of(topic, facet) for facet in left_to_registry(statement, with_properties)]
    return tuple(dict.fromkeys(subjects))


def completed(
    statement: ksql.CreateSource,
    with_properties: Mapping[str, ksql.Property],
    project_topic: Topic | None,
    subjects: Mapping[str, Subject],
    findings: Findings,
) -> ksql.CreateSource | None:
    """Return the statement with the columns that it leaves to the registry; None after an error.

    `project_topic`: its topic in the project, whose columns override those of a subject.
    """
    columns = list(statement.columns or ())
    for facet in left_to_registry(statement, with_properties):
        if project_topic is not None:
            type = project_topic.key.type if facet == "key" else project_topic.value.type
            columns += [] if type == data.NULL else _columns(statement, facet, type, fold=False)
            continue
        name = subject_of(ksql.topic_of(statement), facet)
        if name not in subjects:
            # With explicit key columns, the value may have none.
            if statement.columns is None or "VALUE_SCHEMA_ID" in with_properties:
                _unlocked(statement, name, findings)
                return None
            continue
        version = _version(statement, with_properties, facet, subjects[name], findings)
        inferred = _type(statement, with_properties, facet, subjects[name], version, findings) if version else None
        if inferred is None:
            return None
        # Columns of a JSON Schema keep their names, and those not in upper case are read by exactly these.
        columns += _columns(statement, facet, inferred, fold=version is not None and not version.kind.keeps_case)
    if statement.columns is None and not columns:
        _no_columns(statement, findings)
        return None
    return replace(statement, columns=tuple(columns))


def left_to_registry(statement: ksql.CreateSource, with_properties: Mapping[str, ksql.Property]) -> list[str]:
    """Return the facets, key first, whose columns the statement leaves to the registry."""
    columns = statement.columns or ()
    both = with_properties["FORMAT"].text if "FORMAT" in with_properties else ""
    facets = []
    for facet, key in (("key", True), ("value", False)):
        own = f"{facet.upper()}_FORMAT"
        format = with_properties[own].text if own in with_properties else both
        has = any((c.role in _KEYS) == key for c in columns if c.role != "HEADERS")
        if _kind(format) is not None and not has:
            facets.append(facet)
    return facets


def _kind(format: str) -> SchemaKind | None:
    """Return the kind of schemas from which a format of ksqlDB takes columns; None if it takes none."""
    format_pair = ksql_formats().get(format.upper())
    return format_pair[0].schema if format_pair is not None and format_pair[0].has_schema_id else None


def _version(
    statement: ksql.CreateSource,
    with_properties: Mapping[str, ksql.Property],
    facet: str,
    subject: Subject,
    findings: Findings,
) -> SubjectVersion | None:
    """Return the version whose id is in WITH, else the newest; None after an error."""
    schema_id = with_properties.get(f"{facet.upper()}_SCHEMA_ID")
    if schema_id is None:
        return subject.newest
    version = next((v for v in subject.versions if str(v.id) == schema_id.text), None)
    if version is None:
        findings.error(
            "LSQ724", f"the subject '{subject.name}' has no version with the id {schema_id.text}", schema_id.value.at,
            notes=(f"its ids in the lock file are {listing(str(v.id) for v in subject.versions)}",),
            help="use one of them, or update the lock file: `lsqlc schemas pull`",
        )  # fmt: skip
    return version


def _type(
    statement: ksql.CreateSource,
    with_properties: Mapping[str, ksql.Property],
    facet: str,
    subject: Subject,
    version: SubjectVersion,
    findings: Findings,
) -> DataType | None:
    declared_format = next(
        (with_properties[n] for n in (f"{facet.upper()}_FORMAT", "FORMAT") if n in with_properties), None
    )
    format = declared_format.text.upper() if declared_format else ""
    at = declared_format.value.at if declared_format else statement.name.at
    kind = _kind(format)
    if kind is None or kind.type != version.type:
        findings.error("LSQ725", f"the subject '{subject.name}' has a schema of {version.type}, not of {format}", at,
                       help="declare the format of the topic's records")  # fmt: skip
        return None
    full = with_properties.get(f"{facet.upper()}_SCHEMA_FULL_NAME")
    read = version.read(full.text if full is not None else None)
    if read.type is None:
        details = listing([f"{p.message} at {p.path}" for p in read.problems], 3)
        findings.error("LSQ725", f"the schema of the subject '{subject.name}' has no corresponding type: {details}", at,
                       help="declare the columns that you need")  # fmt: skip
        return None
    if facet == "value" and not isinstance(read.type, Struct):
        # ksqlDB names the column of a value without fields ROWVAL; here a value always has fields.
        message = f"the schema of the subject '{subject.name}' has no fields: it is {read.type}"
        help = "read the topic in a model of the Lenses language, whose values need no fields"
        findings.error("LSQ725", message, at, help=help)
        return None
    # In Protobuf, where every schema is a message, such a key is the single field of its message.
    if facet == "key" and isinstance(read.type, Struct) and len(read.type.fields) == 1 and not kind.wraps_keys:
        findings.error("LSQ725", f"the key of the subject '{subject.name}' is a record of one field", at,
                       notes=("a key of one column is not stored as a record",),
                       help="read the topic in a model of the Lenses language")  # fmt: skip
        return None
    return read.type


def _columns(statement: ksql.CreateSource, facet: str, type: DataType, *, fold: bool) -> list[ksql.Column]:
    """Return the columns of a facet, with the extent of the name of the stream or table."""
    role: ksql.ColumnRole | None = None
    if facet == "key":
        role = "PRIMARY KEY" if statement.kind == "TABLE" else "KEY"
    at = statement.name.at
    fields = [(f.name, f.type) for f in type.fields] if isinstance(type, Struct) else [(_ROWKEY, type)]
    return [ksql.Column(Name(n.upper() if fold else n, at), _nullable(t, fold), role, at) for n, t in fields]


def _nullable(type: DataType, fold: bool) -> DataType:
    """Return the type as ksqlDB has it: each field of a struct is nullable, and has a name in upper case."""
    match type:
        case Struct(fields):
            return Struct(tuple(Field(f.name.upper() if fold else f.name, _nullable(f.type, fold)) for f in fields))
        case Array(element):
            return Array(_nullable(element, fold))
        case Map(key, value):
            return Map(key, _nullable(value, fold))
    return type


def _unlocked(statement: ksql.CreateSource, subject: str, findings: Findings) -> None:
    name = statement.name
    findings.error(
        "LSQ375", f"'{name.text}' has no columns", name.at,
        notes=(f"the lock file has no schema of the subject '{subject}'",),
        help="pull it from the schema registry: `lsqlc schemas pull`; or declare the columns",
    )  # fmt: skip


def _no_columns(statement: ksql.CreateSource, findings: Findings) -> None:
    name, role = statement.name, "KEY" if statement.kind == "STREAM" else "PRIMARY KEY"
    findings.error(
        "LSQ375", f"'{name.text}' has no columns", name.at,
        notes=("columns can only be taken from schemas of AVRO, JSON_SR and PROTOBUF",),
        help=f"write them: CREATE {statement.kind} {name.text} (id INT {role}, ...) WITH (...)",
    )  # fmt: skip
