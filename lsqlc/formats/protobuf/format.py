"""PROTOBUF: messages behind the id of a schema in a registry. PROTOBUF_NOSR of ksqlDB: messages alone, whose fields
have the numbers of the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsqlc.formats.encoding import Encoding
from lsqlc.formats.record import (
    PLAIN_NAME,
    Decode,
    Encode,
    Format,
    KsqlFormat,
    SchemaKind,
    SchemaNames,
    StoredFacet,
    any_type,
)
from lsqlc.formats.registered import FacetSchemas
from lsqlc.formats.schema_file import SchemaRead
from lsqlc.types.data import DataType


def _encoder(facet: StoredFacet) -> Encode:
    from lsqlc.formats.protobuf.codec import encoder

    return encoder(facet)


def _decoder(facet: StoredFacet) -> Decode:
    from lsqlc.formats.protobuf.codec import decoder

    return decoder(facet)


def _encoding(facet: StoredFacet) -> Encoding:
    from lsqlc.formats.protobuf.spark import encoding

    return encoding(facet)


def _read(text: str, message: str | None) -> SchemaRead:
    from lsqlc.formats.protobuf.read import read_protobuf

    return read_protobuf(text, message)


def _one_text(text: str, references: Mapping[str, str]) -> str:
    from lsqlc.formats.protobuf.compiler import protobuf_text

    return protobuf_text(text, references)


def _write(type: DataType, names: SchemaNames, versions: Sequence[str]) -> str:
    from lsqlc.formats.protobuf.write import protobuf_schema

    return protobuf_schema(type, names.part, versions)


def _source(text: str) -> str:
    from lsqlc.formats.protobuf.write import protobuf_source

    return protobuf_source(text)


def _is_same(a: str, b: str) -> bool:
    return a == b


def _for_reading(type: DataType, versions: Mapping[int, str], message: str | None) -> FacetSchemas | None:
    from lsqlc.formats.protobuf.fit import fitting_message

    for text in reversed([*versions.values()]):
        fitting = fitting_message(type, text, message)
        if fitting is not None:
            return FacetSchemas(text, versions, message=fitting)
    return None


def _misfits(type: DataType, text: str, message: str | None) -> list[str]:
    from lsqlc.formats.protobuf.fit import fitting_message, misfits
    from lsqlc.formats.protobuf.tree import proto_tree

    return [] if fitting_message(type, text, message) is not None else [*misfits(type, proto_tree(text, message))]


def _unfit(type: DataType) -> str:
    from lsqlc.formats.protobuf.write import protobuf_schema

    try:
        protobuf_schema(type, "value")
    except ValueError as error:
        return str(error)
    return ""


PROTOBUF_SCHEMA = SchemaKind(
    type="PROTOBUF",
    title="Protobuf",
    read=_read,
    one_text=_one_text,
    write=_write,
    source=_source,
    is_same=_is_same,
    for_reading=_for_reading,
    misfits=_misfits,
    references="by name",
    is_compiled=True,
    has_messages=True,
    wraps_keys=True,
)
PROTOBUF = Format(
    name="protobuf",
    ksql=KsqlFormat(name="PROTOBUF", wraps="always", nulls="optional", schema_name="read"),
    fits=any_type,
    encoder=_encoder,
    decoder=_decoder,
    encoding=_encoding,
    schema=PROTOBUF_SCHEMA,
    has_schema_id=True,
    name_pattern=PLAIN_NAME,
    unfit=_unfit,
    stores="all",
    is_converted=True,
    is_inherited=True,
    needs_python=True,
)
PROTOBUF_NOSR = Format(
    name="protobuf_nosr",
    ksql=KsqlFormat(name="PROTOBUF_NOSR", wraps="always", nulls="none"),
    is_declared=False,
    fits=any_type,
    encoder=_encoder,
    decoder=_decoder,
    encoding=_encoding,
    by_position=True,
    needs_python=True,
)
