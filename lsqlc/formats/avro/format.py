"""AVRO: records after the ID of a schema in a registry."""

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
    SchemaSources,
    StoredFacet,
    any_type,
)
from lsqlc.formats.registered import FacetSchemas, Mode
from lsqlc.formats.schema_file import SchemaRead
from lsqlc.types.data import DataType


def _encoder(facet: StoredFacet) -> Encode:
    from lsqlc.formats.avro.codec import encoder

    return encoder(facet)


def _decoder(facet: StoredFacet) -> Decode:
    from lsqlc.formats.avro.codec import decoder

    return decoder(facet)


def _encoding(facet: StoredFacet) -> Encoding:
    from lsqlc.formats.avro.spark import AvroEncoding

    schemas, place = facet.registered, (facet.topic, facet.part)
    return AvroEncoding(facet.type, schemas.reader, schemas.writers, schemas.written, place, facet.rejected)


def _read(text: str, message: str | None) -> SchemaRead:
    from lsqlc.formats.avro.read import read_avro

    return read_avro(text)


def _read_files(sources: SchemaSources) -> SchemaRead:
    from lsqlc.formats.avro.files import AvroFile, AvroFiles
    from lsqlc.formats.avro.read import read_avro_files

    def siblings() -> tuple[AvroFile, ...]:
        return tuple(AvroFile(path, text) for path, text in sources.siblings())

    *listed_files, own = (AvroFile(path, text) for path, text in sources.texts.items())
    return read_avro_files(AvroFiles(own, listed_files, siblings))


def _one_text(text: str, references: Mapping[str, str]) -> str:
    from lsqlc.formats.avro.tree import avro_tree, canonical

    return canonical(avro_tree(text, references))


def _write(type: DataType, names: SchemaNames, versions: Sequence[str]) -> str:
    from lsqlc.formats.avro.write import avro_text
    from lsqlc.formats.schemas import refuse_null

    refuse_null(type)
    return _one_text(avro_text(type, names.record, names.namespace), {})


def _is_same(a: str, b: str) -> bool:
    from lsqlc.formats.avro.tree import AvroError

    try:
        return a == b or _one_text(a, {}) == _one_text(b, {})
    except AvroError:
        return False


def _for_reading(type: DataType, versions: Mapping[int, str], message: str | None) -> FacetSchemas | None:
    """Return the newest version that has all fields of the declaration, because a later one may have dropped some."""
    texts = reversed([*versions.values()])
    fitting = next((text for text in texts if not _misfits(type, text, None)), None)
    return None if fitting is None else FacetSchemas(fitting, versions)


def _misfits(type: DataType, text: str, message: str | None) -> list[str]:
    from lsqlc.formats.avro.fit import misfits
    from lsqlc.formats.avro.tree import avro_tree

    return [*misfits(type, avro_tree(text))]


def _incompatible(new: str, versions: Sequence[str], mode: Mode) -> Sequence[str]:
    from lsqlc.formats.avro.resolution import incompatible
    from lsqlc.formats.avro.tree import avro_tree

    return incompatible(avro_tree(new), [avro_tree(text) for text in versions], mode)


AVRO_SCHEMA = SchemaKind(
    type="AVRO",
    title="Avro",
    read=_read,
    one_text=_one_text,
    write=_write,
    is_same=_is_same,
    for_reading=_for_reading,
    misfits=_misfits,
    incompatible=_incompatible,
    references="by subject",
    endings=(".avsc",),
    read_files=_read_files,
    lists_files=True,
)
AVRO = Format(
    name="avro",
    ksql=KsqlFormat(name="AVRO", schema_name="written"),
    fits=any_type,
    encoder=_encoder,
    decoder=_decoder,
    encoding=_encoding,
    schema=AVRO_SCHEMA,
    has_schema_id=True,
    name_pattern=PLAIN_NAME,
    checks_declared_names=True,
    stores="all",
    is_converted=True,
    is_inherited=True,
    needs_spark_avro=True,
)
