"""The wire format of schema registries, between bytes and Python values: a byte 0, the schema's id in four, a body.

What is wrong with bytes is a `Fault`, a value like any other, since a bad record is not an error of the program. Avro
bodies are read and written by fastavro without logical types, which are applied here by the reader's schema, so that
numbers mean what they mean on Spark (`lower/spark/wire`). Bytes behind the end of a body are passed over.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lsqlc.diagnostics.extras import require
from lsqlc.registry.avro_values import BadValue, raw, value_of
from lsqlc.types.avro_fit import BROKEN, NO_MAGIC
from lsqlc.types.avro_places import by_place
from lsqlc.types.avro_tree import Avro, avro_json, avro_tree
from lsqlc.types.data import DataType
from lsqlc.types.json_schema_fit import json_writer

_HEAD = 5


@dataclass(frozen=True, slots=True)
class Fault:
    """Bytes that have no value, and why, in one clause."""

    reason: str


Decode = Callable[[bytes | None], Any]
"""From bytes to a value in its one form (see `types/codec_values.py`), None for None, or a Fault."""
Encode = Callable[[Any], bytes | None]
"""From a value in its one form to bytes, None for None. Raises ValueError for one that the schema has no place for."""


def avro_decoder(type: DataType, reader: str, writers: Mapping[int, str]) -> Decode:
    """Reads Avro bodies of any of the schemas `writers`, by id, with the schema `reader`, as values of the type.

    Raises LsqlcError LSQ099 without fastavro, AvroError for a schema that is none, ValueError for a type that the
    reader's schema does not give.
    """
    fastavro = _fastavro()
    tree = avro_tree(reader)
    value = value_of(type, tree)
    read = fastavro.parse_schema(_plain(tree))
    parsed = {id: fastavro.parse_schema(_plain(avro_tree(schema), tree)) for id, schema in writers.items()}

    def decode(content: bytes | None) -> Any:
        if content is None:
            return None
        head = _id(content, parsed)
        if isinstance(head, Fault):
            return head
        try:
            body = io.BytesIO(content[_HEAD:])
            found = fastavro.schemaless_reader(body, parsed[head], read, handle_unicode_errors="surrogateescape")
        except Exception:
            # fastavro raises whatever its parts raise: EOFError, IndexError, struct.error, SchemaResolutionError...
            return Fault(BROKEN)
        try:
            return value(found)
        except BadValue as bad:
            return Fault(str(bad))

    return decode


def avro_encoder(type: DataType, schema: str, id: int) -> Encode:
    """Writes values of the type as Avro bodies of a schema, under its id. Raises as avro_decoder."""
    fastavro = _fastavro()
    tree = avro_tree(schema)
    made = raw(type, tree)
    parsed = fastavro.parse_schema(_plain(tree))
    head = _head(id)

    def encode(value: Any) -> bytes | None:
        if value is None:
            return None
        body = io.BytesIO()
        body.write(head)
        try:
            fastavro.schemaless_writer(body, parsed, made(value))
        except (BadValue, TypeError, AttributeError, KeyError, OverflowError) as error:
            raise ValueError(f"the value does not match the schema: {error}") from None
        return body.getvalue()

    return encode


def json_encoder(type: DataType, schema: str, id: int) -> Encode:
    """Writes values of the type as JSON bodies of a JSON Schema, under its id. The function raises ValueProblems.

    Raises ValueError, with one clause, for a type whose values the schema does not take.
    """
    write, head = json_writer(type, schema), _head(id)
    return lambda value: None if value is None else head + write(value)


def _head(id: int) -> bytes:
    return b"\0" + id.to_bytes(4, "big")


def _id(content: bytes, known: Mapping[int, Any]) -> int | Fault:
    if content[:1] != b"\0":
        return Fault(NO_MAGIC)
    if len(content) < _HEAD:
        return Fault(BROKEN)
    id = int.from_bytes(content[1:_HEAD], "big")
    return id if id in known else Fault(f"the schema id {id} is of no version of the subject")


def _plain(schema: Avro, reader: Avro | None = None) -> Any:
    """The schema as fastavro takes it, without logical types. `reader`: the schema that it is read with."""
    return avro_json(_without_logical(by_place(schema, reader)))


def _without_logical(schema: Avro) -> Avro:
    return replace(
        schema,
        logical="",
        members=tuple(replace(member, schema=_without_logical(member.schema)) for member in schema.members),
        inner=tuple(map(_without_logical, schema.inner)),
    )


def _fastavro() -> Any:
    require("fastavro")
    import fastavro

    return fastavro
