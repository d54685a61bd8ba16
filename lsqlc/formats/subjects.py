"""What is known of a subject of a schema registry without asking it: its versions and its mode of compatibility."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsqlc.formats.schema_file import SchemaRead

# The types of schemas that registries have, and the formats of facets that are read by them.
FORMATS: Mapping[str, tuple[str, ...]] = {"AVRO": ("avro",), "JSON": ("json_sr", "json"), "PROTOBUF": ("protobuf",)}


@dataclass(frozen=True, slots=True)
class SubjectVersion:
    """A version of a subject. `type`: AVRO, JSON or PROTOBUF; `text`: the schema, which needs no other one; of Protobuf
    its descriptors (see `protobuf_tree`).
    """

    id: int
    version: int
    type: str
    text: str

    def read(self, message: str | None = None) -> SchemaRead:
        """The type that the schema describes, or what keeps it from having one. `message`: of a schema of Protobuf, by
        its full name; None: the first one.
        """
        # Few projects have subjects, and none should wait for what reads them.
        if self.type == "AVRO":
            from lsqlc.formats.avro.read import read_avro

            return read_avro(self.text)
        if self.type == "PROTOBUF":
            from lsqlc.formats.protobuf.read import read_protobuf

            return read_protobuf(self.text, message)
        from lsqlc.formats.json_schema.read import read_json_schema

        return read_json_schema(self.text)


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
    """The subject of a topic's `key` or `value`, where nobody says another: as Kafka's serializers name it."""
    return f"{topic}-{facet}"
