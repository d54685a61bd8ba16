"""The wire format of schema registries, between bytes and Python values: a byte 0, the schema's id in four, a body.

What is wrong with bytes is a `Fault`, a value like any other, since a bad record is not an error of the program. Avro
bodies are read and written by fastavro without logical types, which are applied here by the reader's schema, so that
numbers mean what they mean on Spark (`lower/spark/wire`). Bytes behind the end of a body are passed over.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lsqlc.diagnostics.extras import require
from lsqlc.formats.avro.places import by_place
from lsqlc.formats.avro.tree import Avro, avro_json, avro_tree
from lsqlc.formats.avro.values import BadValue, raw, value_of
from lsqlc.formats.registered import BROKEN, HEAD, Fault, head_of, schema_id
from lsqlc.types.data import DataType

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
        head = schema_id(content, parsed)
        if isinstance(head, Fault):
            return head
        try:
            body = io.BytesIO(content[HEAD:])
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
    head = head_of(id)

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
