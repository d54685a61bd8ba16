"""The record of the toy format: all that lsqlc knows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lsqlc.formats.encoding import Encoding
from lsqlc.formats.record import (
    Decode,
    Encode,
    Format,
    KsqlFormat,
    SchemaKind,
    SchemaNames,
    SchemaSources,
    StoredFacet,
    any_type,
)
from lsqlc.formats.registered import HEAD, FacetSchemas, Fault, head_of, schema_id
from lsqlc.formats.schema_file import SchemaProblem, SchemaRead
from lsqlc.types import codec
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType, Map, Struct
from lsqlc.types.ddl import DdlError, columns_text, parse_type_or_columns
from tests.formats.toy.spark import Toy

MARK = b"T"


def _encoder(facet: StoredFacet) -> Encode:
    written = facet.registered.written
    assert written is not None, "a model writes it"
    write, head = codec.encoder(facet.type), head_of(written[1]) + MARK
    return lambda value: head + write(value)


def _decoder(facet: StoredFacet) -> Decode:
    ids, read = facet.registered.writers, codec.decoder(facet.type, path=facet.part)

    def decode(raw: bytes) -> Any:
        found = schema_id(raw, ids)
        if not isinstance(found, Fault) and raw[HEAD : HEAD + 1] != MARK:
            found = Fault("expected a T")
        if isinstance(found, Fault):
            raise ValueProblems([Problem(facet.part, found.reason)])
        return read(raw[HEAD + 1 :])

    return decode


def _encoding(facet: StoredFacet) -> Encoding:
    schemas = facet.registered
    return Toy(facet.type, tuple(schemas.writers), schemas.written[1] if schemas.written else None)


def _read(text: str, message: str | None) -> SchemaRead:
    try:
        return SchemaRead(parse_type_or_columns(text), ())
    except DdlError as error:
        return SchemaRead(None, (SchemaProblem(str(error), "$", error.offset, error.offset + 1, True),))


def _read_files(sources: SchemaSources) -> SchemaRead:
    return _read([*sources.texts.values()][-1], None)


def _one_text(text: str, references: Mapping[str, str]) -> str:
    return " ".join(text.split())


def _write(type: DataType, names: SchemaNames, versions: Sequence[str]) -> str:
    return columns_text(type) if isinstance(type, Struct) else str(type)


def _is_same(a: str, b: str) -> bool:
    return a == b


def _for_reading(type: DataType, versions: Mapping[int, str], message: str | None) -> FacetSchemas | None:
    return FacetSchemas(writers=versions) if versions else None


def _misfits(type: DataType, text: str, message: str | None) -> list[str]:
    return [] if _read(text, None).type == type else ["the columns differ"]


def _unfit(type: DataType) -> str:
    whole = type.fields if isinstance(type, Struct) else ()
    return "a MAP is too large for a toy" if any(isinstance(field.type, Map) for field in whole) else ""


TOY = Format(
    name="toy",
    synonyms=("plaything",),
    ksql=KsqlFormat(name="TOY"),
    fits=any_type,
    encoder=_encoder,
    decoder=_decoder,
    encoding=_encoding,
    schema=SchemaKind(
        type="TOY",
        title="Toy",
        read=_read,
        one_text=_one_text,
        write=_write,
        is_same=_is_same,
        for_reading=_for_reading,
        misfits=_misfits,
        endings=(".toy",),
        read_files=_read_files,
    ),
    has_schema_id=True,
    unfit=_unfit,
    stores="all",
    is_converted=True,
    is_inherited=True,
)
