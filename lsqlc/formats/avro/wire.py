"""The wire format of schema registries, between bytes and Python values: a byte 0, the schema's id in four, a body.

A bad record is not an error of the program, so that a `Fault` is returned for it. Avro bodies are read and written by
fastavro without logical types. They are applied here by the reader's schema, so that numbers have the same meaning as
on Spark (`avro/spark.py`). Bytes behind the end of a body are ignored.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lsqlc.diagnostics.extras import require
from lsqlc.formats.avro.body import body_checker
from lsqlc.formats.avro.positions import by_position
from lsqlc.formats.avro.tree import Avro, avro_json, avro_tree
from lsqlc.formats.avro.values import BadValue, raw, value_of
from lsqlc.formats.registered import BROKEN, HEAD, Fault, head_of, schema_id
from lsqlc.types.data import DataType

Decode = Callable[[bytes | None], Any]
"""From bytes to a value in its one form (see `types/codec_values.py`), None for None, or a Fault."""
Encode = Callable[[Any], bytes | None]
"""From a value in its one form to bytes, None for None. Raises ValueError for one that the schema has no place for."""


def avro_decoder(type: DataType, reader: str, writers: Mapping[int, str]) -> Decode:
    """Return the function from Avro bodies to values of the type. `reader`: the reader's schema; `writers`: the schemas
    of the records, by id.

    Raises LsqlcError LSQ099 without fastavro, AvroError for a text that is no schema, and ValueError for a type that
    does not match the reader's schema.
    """
    fastavro = _fastavro()
    tree = avro_tree(reader)
    value = value_of(type, tree)
    read = fastavro.parse_schema(_plain(tree))
    trees = {id: avro_tree(schema) for id, schema in writers.items()}
    parsed = {id: fastavro.parse_schema(_plain(schema, tree)) for id, schema in trees.items()}
    checkers = {id: body_checker(schema) for id, schema in trees.items()}

    def decode(content: bytes | None) -> Any:
        if content is None:
            return None
        head = schema_id(content, parsed)
        if isinstance(head, Fault):
            return head
        if not checkers[head](content, HEAD):
            return Fault(BROKEN)
        try:
            body = io.BytesIO(content[HEAD:])
            read_value = fastavro.schemaless_reader(body, parsed[head], read, handle_unicode_errors="surrogateescape")
        except Exception:
            # fastavro raises the exceptions of its parts: EOFError, IndexError, struct.error, SchemaResolutionError...
            return Fault(BROKEN)
        try:
            return value(read_value)
        except BadValue as bad:
            return Fault(str(bad))

    return decode


def avro_encoder(type: DataType, schema: str, id: int) -> Encode:
    """Return the function from values of the type to Avro bodies of a schema, behind its id. Raises as avro_decoder."""
    fastavro = _fastavro()
    tree = avro_tree(schema)
    convert = raw(type, tree)
    parsed = fastavro.parse_schema(_plain(tree))
    head = head_of(id)

    def encode(value: Any) -> bytes | None:
        if value is None:
            return None
        body = io.BytesIO()
        body.write(head)
        try:
            fastavro.schemaless_writer(body, parsed, convert(value))
        except (BadValue, TypeError, AttributeError, KeyError, OverflowError) as error:
            raise ValueError(f"the value does not match the schema: {error}") from None
        return body.getvalue()

    return encode


def _plain(schema: Avro, reader: Avro | None = None) -> Any:
    """Return the schema for fastavro, without logical types. `reader`: the reader's schema."""
    return avro_json(_without_logical(by_position(schema, reader)))


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
