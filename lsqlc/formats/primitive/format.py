"""The formats of one value without parts: one for each type, KAFKA of ksqlDB, which is one column, and no value."""

from __future__ import annotations

from functools import partial

from lsqlc.formats.encoding import Encoding
from lsqlc.formats.record import Decode, Encode, Format, KsqlFormat, StoredFacet, any_type
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct


def _encoder(facet: StoredFacet) -> Encode:
    from lsqlc.formats.primitive.codec import encoder

    return encoder(facet.type)


def _decoder(facet: StoredFacet) -> Decode:
    from lsqlc.formats.primitive.codec import decoder

    return decoder(facet.type, facet.part)


def _encoding(facet: StoredFacet) -> Encoding:
    from lsqlc.formats.primitive.spark import primitive

    return primitive(facet.type)


def _column_encoder(facet: StoredFacet) -> Encode:
    from lsqlc.formats.primitive.codec import column_encoder

    return column_encoder(_one_column(facet.type))


def _column_decoder(facet: StoredFacet) -> Decode:
    from lsqlc.formats.primitive.codec import column_decoder

    return column_decoder(_one_column(facet.type), facet.part)


def _column_encoding(facet: StoredFacet) -> Encoding:
    from lsqlc.formats.primitive.spark import Column, primitive

    column = _one_column(facet.type)
    return Column(column.name, primitive(column.type))


def _is_one_column(type: DataType) -> bool:
    return isinstance(type, Struct) and len(type.fields) == 1


def _one_column(type: DataType) -> data.Field:
    assert isinstance(type, Struct), "callers ask whether the type fits"
    return type.fields[0]


def _is(format_type: DataType, type: DataType) -> bool:
    return type == format_type


def _primitive(
    name: str, type: DataType, *synonyms: str, is_converted: bool = False, widens: tuple[str, ...] = ()
) -> Format:
    return Format(
        name=name,
        synonyms=synonyms,
        holds=type,
        fits=partial(_is, type),
        encoder=_encoder,
        decoder=_decoder,
        encoding=_encoding,
        is_converted=is_converted,
        widens=widens,
    )


PRIMITIVES = (
    _primitive("boolean", data.BOOLEAN, "bool"),
    _primitive("int", data.INT, "integer", is_converted=True, widens=("long", "string")),
    _primitive("long", data.BIGINT, "bigint", is_converted=True, widens=("string",)),
    _primitive("float", data.FLOAT),
    _primitive("double", data.DOUBLE),
    _primitive("string", data.STRING, "varchar", is_converted=True),
    _primitive("bytes", data.BYTES),
    _primitive("date", data.DATE),
    _primitive("time", data.TIME),
    _primitive("timestamp", data.TIMESTAMP),
)
KAFKA = Format(
    name="kafka",
    ksql=KsqlFormat(
        name="KAFKA",
        columns="one",
        types=(data.INT, data.BIGINT, data.DOUBLE, data.STRING, data.BYTES),
        wraps="never",
    ),
    is_declared=False,
    fits=_is_one_column,
    encoder=_column_encoder,
    decoder=_column_decoder,
    encoding=_column_encoding,
)
NULL = Format(
    name="null",
    synonyms=("none",),
    ksql=KsqlFormat(name="NONE", columns="none", wraps=""),
    is_declared=False,
    fits=any_type,
    encoder=lambda facet: lambda value: None,
    decoder=lambda facet: lambda raw: None,
    encoding=None,
)
