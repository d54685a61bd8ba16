"""Records that begin with the id of a schema in a registry: a byte 0, the id in four bytes, then the body."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from lsqlc.diagnostics import Diagnostic
from lsqlc.types.data import DataType

# How the versions of a subject are compatible, as Confluent's Schema Registry calls it.
Mode = Literal["NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"]
MODES: tuple[Mode, ...] = get_args(Mode)
# The bytes of the head, before the body.
HEAD = 5
# Why bytes have no value, for each reader.
NO_MAGIC = "the first byte is not 0, which begins the wire format of schema registries"
BROKEN = "the body cannot be read with the schema that wrote it"


@dataclass(frozen=True, slots=True)
class Fault:
    """Bytes that have no value, and why, in one clause."""

    reason: str


@dataclass(frozen=True, slots=True)
class FacetSchemas:
    """The schemas of one facet. `reader`: the schema that Avro and Protobuf read values with; `writers`: the schemas of
    the topic's records, by id; `written`: the schema of new records, and its id; None: there are none. `message`: the
    message of the reader's schema, in Protobuf; None: the first one.
    """

    reader: str = ""
    writers: Mapping[int, str] = field(default_factory=dict)
    written: tuple[str, int] | None = None
    message: str | None = None

    @property
    def id_of_reader(self) -> int:
        """The id of the reader's schema, which is one of the writers'."""
        return next(id for id, text in self.writers.items() if text == self.reader)


def head_of(id: int) -> bytes:
    """Return the bytes before the body of a record.

    >>> head_of(258)
    b'\\x00\\x00\\x00\\x01\\x02'
    """
    return b"\0" + id.to_bytes(HEAD - 1, "big")


def schema_id(content: bytes, ids: Collection[int]) -> int | Fault:
    """Return the ID of a record's schema, which must be one of `ids`, or a fault."""
    if content[:1] != b"\0":
        return Fault(NO_MAGIC)
    if len(content) < HEAD:
        return Fault(BROKEN)
    id = int.from_bytes(content[1:HEAD], "big")
    return id if id in ids else Fault(f"the schema id {id} is of no version of the subject")


def json_body(content: bytes) -> bytes:
    """Return the JSON text of a record, without the ID of a schema: no JSON text begins with a byte 0."""
    return content[HEAD:] if content[:1] == b"\0" else content


def no_schema(topic: str, part: str, type: DataType, format: str, why: str = "") -> Diagnostic:
    """LSQ863 for a facet that its format has no schema for. `format`: in upper case."""
    return Diagnostic(
        "LSQ863",
        f"the {part} of '{topic}' is {type}, which has no schema in {format}",
        notes=(why,) if why else (),
        help="store it in another format, or give the columns other names or types",
    )
