"""Facets in PROTOBUF: how their records are read and written, as plain data, and the client's codec by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import require
from lsqlc.formats.protobuf.fit import clashes, shape_of
from lsqlc.formats.protobuf.tree import ProtobufError, ProtoMessage, message_names, proto_tree
from lsqlc.formats.protobuf.wire import FAULT, BadValue, index_bytes, protobuf_reader, protobuf_writer
from lsqlc.formats.protobuf.write import bare_protobuf
from lsqlc.formats.registered import BROKEN, NO_MAGIC, FacetSchemas
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType


def reader_arguments(type: DataType, schemas: FacetSchemas) -> tuple[Any, ...]:
    """What `protobuf_reader` takes for values of a type. Raises ProtobufError for a schema without a tree, Misfit for a
    type that the reader's message does not give. Without writers, records are messages without an id.
    """
    message = proto_tree(schemas.reader, schemas.message)
    writers = {id: _unreadable(text, message) for id, text in sorted(schemas.writers.items())} or None
    return schemas.reader, message.name, shape_of(type, message), writers, NO_MAGIC, BROKEN


def writer_arguments(type: DataType, text: str, id: int | None, name: str | None = None) -> tuple[Any, ...]:
    """What `protobuf_writer` takes for values of a type under a schema and its id; None: records have none.
    `name`: of the message; None: the first one. Raises as `reader_arguments`.
    """
    message = proto_tree(text, name)
    indexes = next(path for path, name in message_names(text).items() if name == message.name)
    head = b"" if id is None else b"\0" + id.to_bytes(4, "big") + index_bytes(indexes)
    return text, message.name, shape_of(type, message, writing=True), head


def _unreadable(text: str, reader: ProtoMessage) -> dict[tuple[int, ...], str]:
    """By the indexes of each message of a version, why records of it are not read; empty where they are."""
    found = {}
    for path, name in message_names(text).items():
        if name != reader.name:
            found[path] = f"the record is a message '{name}', and not a '{reader.name}'"
            continue
        try:
            found[path] = next(clashes(proto_tree(text, name), reader), "")
        except ProtobufError as error:
            found[path] = str(error)
    return found


@dataclass(frozen=True, slots=True)
class ProtobufCodec:
    """The format `protobuf`, and without a registry `protobuf_nosr`. `schemas`: gives those of a topic, by its name
    without prefix, and a facet (`key` or `value`), and raises LsqlcError for a facet whose schemas are not known;
    None: there is no registry.
    """

    schemas: Callable[[str, str], FacetSchemas] | None

    def encoder(self, topic: str, part: str, type: DataType) -> Callable[[Any], bytes]:
        """From a value in its one form, not None, to bytes. The function raises ValueProblems. Raises LsqlcError LSQ862
        for a topic whose subject takes no values of the type.
        """
        schemas = self._schemas(topic, part, type)
        # A topic that others write takes records of the newest schema that has its columns.
        text, id = schemas.written or (schemas.reader, schemas.id_of_reader if schemas.writers else None)
        try:
            write = _made(lambda: protobuf_writer(*writer_arguments(type, text, id, schemas.message)))
        except ValueError as error:
            message = f"the {part} of '{topic}' cannot be written: its subject has no version with the declared columns"
            help = "register a schema that has them, then update the lock file: `lsqlc schemas pull`"
            raise LsqlcError([Diagnostic("LSQ862", message, notes=(str(error),), help=help)]) from None

        def encode(value: Any) -> bytes:
            try:
                return write(codec.encode_text(type, value)) or b""
            except BadValue as error:
                raise ValueProblems([Problem(part, str(error))]) from None

        return encode

    def decoder(self, topic: str, part: str, type: DataType) -> Callable[[bytes], Any]:
        """From bytes to the value. The function raises ValueProblems."""
        schemas = self._schemas(topic, part, type)
        read = _made(lambda: protobuf_reader(*reader_arguments(type, schemas)))
        value = codec.decoder(type, path=part)

        def decode(raw: bytes) -> Any:
            text = read(raw) or FAULT
            if text.startswith(FAULT):
                raise ValueProblems([Problem(part, text.removeprefix(FAULT))])
            return value(text.encode())

        return decode

    def _schemas(self, topic: str, part: str, type: DataType) -> FacetSchemas:
        return bare_schemas(type, part) if self.schemas is None else self.schemas(topic, part)


def bare_schemas(type: DataType, part: str) -> FacetSchemas:
    """The schema of a facet in `protobuf_nosr`. Raises ValueError for a type that Protobuf does not have."""
    return FacetSchemas(bare_protobuf(type, part))


def _made(function: Callable[[], Any]) -> Any:
    """What a function makes with google.protobuf. Raises LsqlcError LSQ099 where that is not installed."""
    require("google.protobuf")
    return function()
