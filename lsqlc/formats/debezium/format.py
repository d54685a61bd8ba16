"""The formats of Debezium, each made of the format that its envelopes are stored in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lsqlc.formats.avro.format import AVRO
from lsqlc.formats.debezium.kind import around_rows, envelope_type
from lsqlc.formats.encoding import Encoding
from lsqlc.formats.json.format import JSON
from lsqlc.formats.json_schema.format import JSON_SR
from lsqlc.formats.record import Decode, Encode, Format, StoredFacet
from lsqlc.types.data import DataType, Struct


def enveloped(inner: Format, *, name: str, synonyms: tuple[str, ...]) -> Format:
    """Return the format of rows in envelopes that another format stores. Models write it as the other format."""

    def around(facet: StoredFacet) -> StoredFacet:
        return replace(facet, type=envelope_type(facet.type), format=inner.name, ksql_json=False)

    def row_text(facet: StoredFacet) -> Callable[[bytes], bytes]:
        from lsqlc.formats.debezium.codec import row_text

        return row_text(inner, facet, around(facet))

    def decoder(facet: StoredFacet) -> Decode:
        from lsqlc.formats.debezium.codec import decoder

        return decoder(facet, row_text(facet))

    def encoder(facet: StoredFacet) -> Encode:
        from lsqlc.formats.debezium.codec import encoder, refuse

        return refuse(facet) if inner.has_schema_id else encoder(facet)

    def encoding(facet: StoredFacet) -> Encoding:
        from lsqlc.formats.debezium.settings import settings_of
        from lsqlc.formats.debezium.spark import Enveloped

        assert inner.encoding is not None, "envelopes are stored in formats that Spark reads"
        return Enveloped(facet.type, inner.encoding(around(facet)), settings_of(facet.format))

    # A schema of Avro says how columns are written.
    names = ("times", "decimals", "columns", "unavailable") if inner.is_json else ("unavailable",)

    def configured(given: Mapping[str, Any], type: DataType) -> str:
        from lsqlc.formats.debezium.settings import declared_settings

        assert isinstance(type, Struct), "a declaration is checked before"
        return declared_settings(given, type, has_forms=inner.is_json)

    return Format(
        name=name,
        synonyms=synonyms,
        fits=lambda type: isinstance(type, Struct),
        encoder=encoder,
        decoder=decoder,
        encoding=encoding,
        row_text=row_text if inner.is_json else None,
        schema=around_rows(inner.schema) if inner.has_schema_id and inner.schema is not None else None,
        has_schema_id=inner.has_schema_id,
        name_pattern=inner.name_pattern,
        checks_declared_names=inner.checks_declared_names,
        passed_as=inner.name,
        settings=names,
        configured=configured,
        needs_spark_avro=inner.needs_spark_avro,
    )


DEBEZIUM = enveloped(JSON, name="debezium", synonyms=("debezium-json",))
DEBEZIUM_AVRO = enveloped(AVRO, name="debezium-avro", synonyms=("debezium-avro-confluent",))
DEBEZIUM_JSON_SR = enveloped(JSON_SR, name="debezium-json_sr", synonyms=("debezium-json-schema",))
