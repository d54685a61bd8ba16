"""Facets in PROTOBUF: the plain data by which records are read and written, and the client's codec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import require
from lsqlc.formats.protobuf.fit import clashes, shape_of
from lsqlc.formats.protobuf.tree import ProtobufError, ProtoMessage, message_names, proto_tree
from lsqlc.formats.protobuf.wire import FAULT, BadValue, index_bytes, protobuf_reader, protobuf_writer
from lsqlc.formats.protobuf.write import bare_protobuf
from lsqlc.formats.record import Decode, Encode, StoredFacet
from lsqlc.formats.registered import BROKEN, NO_MAGIC, FacetSchemas, no_schema
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType


def reader_arguments(type: DataType, schemas: FacetSchemas) -> tuple[Any, ...]:
    """Return the arguments of `protobuf_reader` for values of a type. Raises ProtobufError for an invalid schema, and
    Misfit for a type that does not match the reader's message. Without writers, records are messages without an id.
    """
    message = proto_tree(schemas.reader, schemas.message)
    writers = {id: _unreadable(text, message) for id, text in sorted(schemas.writers.items())} or None
    return schemas.reader, message.name, shape_of(type, message), writers, NO_MAGIC, BROKEN


def writer_arguments(type: DataType, text: str, id: int | None, name: str | None = None) -> tuple[Any, ...]:
    """Return the arguments of `protobuf_writer` for values of a type, a schema and its id; None: records have no id.
    `name`: of the message; None: the first one. Raises as `reader_arguments`.
    """
    message = proto_tree(text, name)
    indexes = next(path for path, name in message_names(text).items() if name == message.name)
    head = b"" if id is None else b"\0" + id.to_bytes(4, "big") + index_bytes(indexes)
    return text, message.name, shape_of(type, message, writing=True), head


def _unreadable(text: str, reader: ProtoMessage) -> dict[tuple[int, ...], str]:
    """Return why records of each message of a version cannot be read, by its indexes; empty if they can."""
    reasons = {}
    for path, name in message_names(text).items():
        if name != reader.name:
            reasons[path] = f"the record is a message '{name}', and not a '{reader.name}'"
            continue
        try:
            reasons[path] = next(clashes(proto_tree(text, name), reader), "")
        except ProtobufError as error:
            reasons[path] = str(error)
    return reasons


def schemas_of(facet: StoredFacet) -> FacetSchemas:
    """Return the schemas of a facet, without a registry those of its columns.

    Raises LsqlcError LSQ863 for a type that Protobuf does not have.
    """
    if facet.format == "protobuf":
        return facet.registered
    try:
        return FacetSchemas(bare_protobuf(facet.type, facet.part))
    except ValueError as error:
        raise LsqlcError([no_schema(facet.topic, facet.part, facet.type, facet.format.upper(), str(error))]) from None


def encoder(facet: StoredFacet) -> Encode:
    """Return the function of `Format.encoder`.

    Raises LsqlcError LSQ862 for a topic whose subject does not accept values of the type.
    """
    schemas = schemas_of(facet)
    # A topic with foreign writers gets records of the newest schema that has its columns.
    text, id = schemas.written or (schemas.reader, schemas.id_of_reader if schemas.writers else None)
    try:
        write = _made(lambda: protobuf_writer(*writer_arguments(facet.type, text, id, schemas.message)))
    except ValueError as error:
        where = f"the {facet.part} of '{facet.topic}'"
        message = f"{where} cannot be written: its subject has no version with the declared columns"
        help = "register a schema that has them, then update the lock file: `lsqlc schemas pull`"
        raise LsqlcError([Diagnostic("LSQ862", message, notes=(str(error),), help=help)]) from None

    def encode(value: Any) -> bytes:
        try:
            return write(codec.encode_text(facet.type, value)) or b""
        except BadValue as error:
            raise ValueProblems([Problem(facet.part, str(error))]) from None

    return encode


def decoder(facet: StoredFacet) -> Decode:
    """Return the function of `Format.decoder`."""
    schemas = schemas_of(facet)
    read = _made(lambda: protobuf_reader(*reader_arguments(facet.type, schemas)))
    value = codec.decoder(facet.type, path=facet.part)

    def decode(raw: bytes) -> Any:
        text = read(raw) or FAULT
        if text.startswith(FAULT):
            raise ValueProblems([Problem(facet.part, text.removeprefix(FAULT))])
        return value(text.encode())

    return decode


def _made(function: Callable[[], Any]) -> Any:
    """Call a function that needs google.protobuf. Raises LsqlcError LSQ099 if that is not installed."""
    require("google.protobuf")
    return function()
