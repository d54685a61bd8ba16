"""Subjects of a schema registry as the lock file has them: their versions and compatibility modes."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.formats.catalogue import schema_kind
from lsqlc.formats.record import SchemaKind
from lsqlc.formats.schema_file import SchemaRead


@dataclass(frozen=True, slots=True)
class SubjectVersion:
    """A version of a subject. `type`: AVRO, JSON or PROTOBUF; `text`: the schema without references; of Protobuf its
    descriptors (see `protobuf/tree.py`).
    """

    id: int
    version: int
    type: str
    text: str

    @property
    def kind(self) -> SchemaKind:
        """The kind of the schema, which is one that is supported."""
        kind = schema_kind(self.type)
        assert kind is not None, "callers compare the type with the formats"
        return kind

    def read(self, message: str | None = None) -> SchemaRead:
        """Return the type that the schema describes, or its problems. `message`: of a schema of Protobuf, by its full
        name; None: the first one.
        """
        return self.kind.read(self.text, message)


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject. `compatibility`: its mode, such as BACKWARD. `versions`: one at least, the oldest first."""

    name: str
    compatibility: str
    versions: tuple[SubjectVersion, ...]

    @property
    def newest(self) -> SubjectVersion:
        return self.versions[-1]


def subject_of(topic: str, facet: str) -> str:
    """Return the default subject of a topic's `key` or `value`, by the naming of Kafka's serializers."""
    return f"{topic}-{facet}"
