"""Facets whose schema is the subject of a schema registry, read from the lock file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsqlc.diagnostics import listing
from lsqlc.formats.catalogue import find_format, of_schema
from lsqlc.formats.record import SchemaKind
from lsqlc.formats.subjects import Subject, SubjectVersion, subject_of
from lsqlc.types.data import DataType

_FEW = 5


@dataclass(frozen=True, slots=True)
class RegisteredFacet:
    """A facet and its subject.

    `wanted`: the columns are those of the registry; otherwise they are declared, and compared with it. `message`:
    the declared Protobuf message. `named`: the project declares the name of the subject.
    """

    topic: str
    facet: str
    subject: str
    format: str
    wanted: bool
    message: str | None = None
    named: bool = False


class Unregistered(ValueError):
    """A subject without a type, with the code and the help of the error."""

    def __init__(self, code: str, message: str, help: str) -> None:
        super().__init__(message)
        self.code, self.help = code, help


@dataclass(frozen=True, slots=True)
class Registration:
    """Resolves the subject of a facet in the lock file. Requested subjects are added to `asked`."""

    topic: str
    facet: str
    subjects: Mapping[str, Subject]
    asked: list[RegisteredFacet] = field(default_factory=list)

    def type(self, name: str | None, format: str, message: str | None = None) -> DataType:
        """Return the type of the subject's newest version.

        `message`: see RegisteredFacet. Raises Unregistered if the lock file has no such type.
        """
        has_name = name is not None
        name = name or subject_of(self.topic, self.facet)
        self.asked.append(RegisteredFacet(self.topic, self.facet, name, format, True, message, has_name))
        if name not in self.subjects:
            problem = f"the lock file has no schema of the subject '{name}'"
            raise Unregistered(
                "LSQ716", problem, "update the lock file: `lsqlc schemas pull`; or declare the columns: `schema:`"
            )
        return version_type(self.subjects[name], self.subjects[name].newest, format, message)

    def compare(self, type: DataType, name: str | None, format: str, message: str | None = None) -> None:
        """Compare declared columns with the subject, if the lock file has it. Raises Unregistered if they differ."""
        subject = name or subject_of(self.topic, self.facet)
        self.asked.append(RegisteredFacet(self.topic, self.facet, subject, format, False, message, name is not None))
        locked, kind = self.subjects.get(subject), _kind(format)
        if locked is None or kind is None or kind.misfits is None or locked.newest.type != kind.type:
            return
        try:
            problems = kind.misfits(type, locked.newest.text, message)
        except ValueError as error:
            problems = [str(error)]
        if problems:
            more = [f"and {len(problems) - _FEW} more"] if len(problems) > _FEW else []
            text = f"the columns do not match the subject '{subject}': {'; '.join([*problems[:_FEW], *more])}"
            help = "remove `schema:` to use the columns of the registry, or declare those that it has"
            raise Unregistered("LSQ717", text, help)


def _kind(format: str) -> SchemaKind | None:
    """Return the kind of schemas that records of a format have; None if they need no schema."""
    record = find_format(format)
    return record.schema if record is not None and record.has_schema_id else None


def version_type(subject: Subject, version: SubjectVersion, format: str, message: str | None = None) -> DataType:
    """Return the type of a version.

    `message`: see RegisteredFacet. Raises Unregistered for a schema of another format, and for a schema without a type.
    """
    names = [each.name for each in of_schema(version.type)]
    if format not in names:
        help = f"write `format: {names[0]}`" if names else "convert the topic to AVRO or JSON before it is read here"
        why = f"the subject '{subject.name}' has a schema of {version.type}, and the format is '{format}'"
        raise Unregistered("LSQ719", why, help)
    record = find_format(format)
    assert record is not None and record.schema is not None, "it is one of the formats of the schema"
    schema = record.schema.read(version.text, message)
    if schema.type is None:
        problems = listing([f"{p.message} at {p.path}" for p in schema.problems], 3)
        why = f"the schema of the subject '{subject.name}' has no corresponding type: {problems}"
        raise Unregistered("LSQ719", why, "declare the columns that you need: `schema: id INT, ...`")
    return schema.type
