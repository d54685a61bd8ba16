"""Columns that a CREATE of ksqlDB leaves to the schema registry: they come from the subjects of the lock file.

ksqlDB infers the columns of a value, or of a key, whose format has schemas and for which CREATE has no column. Their
names are folded to upper case, and records are read by names in any case (ksqlDB, "Schema inference"). Here columns of
a JSON Schema keep their names.
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
# What ksqlDB calls a key without fields.
_ROWKEY = "ROWKEY"


def subjects_of(program: ksql.Program) -> tuple[str, ...]:
    """The subjects that CREATE statements leave columns to, in their order."""
    found = []
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource):
            given = {p.name.text: p for p in statement.properties}
            topic = ksql.topic_of(statement)
            found += [subject_of(topic, facet) for facet in left_to_registry(statement, given)]
    return tuple(dict.fromkeys(found))


def completed(
    statement: ksql.CreateSource,
    given: Mapping[str, ksql.Property],
    known: Topic | None,
    subjects: Mapping[str, Subject],
    findings: Findings,
) -> ksql.CreateSource | None:
    """The statement with the columns that it leaves to the registry; None after an error. `known`: its topic where the
    project declares it, whose columns go before those of a subject.
    """
    columns = list(statement.columns or ())
    for facet in left_to_registry(statement, given):
        if known is not None:
            type = known.key.type if facet == "key" else known.value.type
            columns += [] if type == data.NULL else _columns(statement, facet, type, fold=False)
            continue
        name = subject_of(ksql.topic_of(statement), facet)
        if name not in subjects:
            # A value beside the key columns that are given may have none.
            if statement.columns is None or "VALUE_SCHEMA_ID" in given:
                _unlocked(statement, name, findings)
                return None
            continue
        version = _version(statement, given, facet, subjects[name], findings)
        found = _type(statement, given, facet, subjects[name], version, findings) if version else None
        if found is None:
            return None
        # Columns of a JSON Schema keep their names, and those not in upper case are read by exactly these.
        columns += _columns(statement, facet, found, fold=version is not None and not version.kind.keeps_case)
    if statement.columns is None and not columns:
        _no_columns(statement, findings)
        return None
    return replace(statement, columns=tuple(columns))


def left_to_registry(statement: ksql.CreateSource, given: Mapping[str, ksql.Property]) -> list[str]:
    """The facets, key first, whose columns the statement leaves to the registry."""
    columns = statement.columns or ()
    both = given["FORMAT"].text if "FORMAT" in given else ""
    found = []
    for facet, key in (("key", True), ("value", False)):
        own = f"{facet.upper()}_FORMAT"
        format = given[own].text if own in given else both
        has = any((c.role in _KEYS) == key for c in columns if c.role != "HEADERS")
        if _kind(format) is not None and not has:
            found.append(facet)
    return found


def _kind(format: str) -> SchemaKind | None:
    """The kind of schemas from which a format of ksqlDB takes columns; None: it takes none."""
    found = ksql_formats().get(format.upper())
    return found[0].schema if found is not None and found[0].has_schema_id else None


def _version(
    statement: ksql.CreateSource,
    given: Mapping[str, ksql.Property],
    facet: str,
    subject: Subject,
    findings: Findings,
) -> SubjectVersion | None:
    """The version that WITH names by its id, else the newest."""
    named = given.get(f"{facet.upper()}_SCHEMA_ID")
    if named is None:
        return subject.newest
    found = next((v for v in subject.versions if str(v.id) == named.text), None)
    if found is None:
        findings.error(
            "LSQ724", f"the subject '{subject.name}' has no version with the id {named.text}", named.value.at,
            notes=(f"its ids in the lock file are {listing(str(v.id) for v in subject.versions)}",),
            help="use one of them, or update the lock file: `lsqlc schemas pull`",
        )  # fmt: skip
    return found


def _type(
    statement: ksql.CreateSource,
    given: Mapping[str, ksql.Property],
    facet: str,
    subject: Subject,
    version: SubjectVersion,
    findings: Findings,
) -> DataType | None:
    named = next((given[n] for n in (f"{facet.upper()}_FORMAT", "FORMAT") if n in given), None)
    format = named.text.upper() if named else ""
    at = named.value.at if named else statement.name.at
    kind = _kind(format)
    if kind is None or kind.type != version.type:
        findings.error("LSQ725", f"the subject '{subject.name}' has a schema of {version.type}, not of {format}", at,
                       help="declare the format of the topic's records")  # fmt: skip
        return None
    full = given.get(f"{facet.upper()}_SCHEMA_FULL_NAME")
    read = version.read(full.text if full is not None else None)
    if read.type is None:
        said = listing([f"{p.message} at {p.path}" for p in read.problems], 3)
        findings.error("LSQ725", f"the schema of the subject '{subject.name}' has no corresponding type: {said}", at,
                       help="declare the columns that you need")  # fmt: skip
        return None
    if facet == "value" and not isinstance(read.type, Struct):
        # ksqlDB calls the one column of a value without fields ROWVAL; here a value is always fields.
        message = f"the schema of the subject '{subject.name}' has no fields: it is {read.type}"
        help = "read the topic in a model of the Lenses language, whose values need no fields"
        findings.error("LSQ725", message, at, help=help)
        return None
    # In Protobuf, where every schema is a message, such a key is the one field of its message.
    if facet == "key" and isinstance(read.type, Struct) and len(read.type.fields) == 1 and not kind.wraps_keys:
        findings.error("LSQ725", f"the key of the subject '{subject.name}' is a record of one field", at,
                       notes=("a key of one column is not stored as a record",),
                       help="read the topic in a model of the Lenses language")  # fmt: skip
        return None
    return read.type


def _columns(statement: ksql.CreateSource, facet: str, type: DataType, *, fold: bool) -> list[ksql.Column]:
    """The columns of a facet, which stand where the name of the stream or table does."""
    role: ksql.ColumnRole | None = None
    if facet == "key":
        role = "PRIMARY KEY" if statement.kind == "TABLE" else "KEY"
    at = statement.name.at
    named = [(f.name, f.type) for f in type.fields] if isinstance(type, Struct) else [(_ROWKEY, type)]
    return [ksql.Column(Name(n.upper() if fold else n, at), _nullable(t, fold), role, at) for n, t in named]


def _nullable(type: DataType, fold: bool) -> DataType:
    """The type as ksqlDB has it: each field of a struct may be null, and has a name in upper case."""
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
