"""The formats of Debezium, each made of the format that its envelopes are stored in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lsqlc.formats.avro.format import AVRO
from lsqlc.formats.debezium.kind import around_rows, change_type, envelope_type, row_of
from lsqlc.formats.encoding import Decoding
from lsqlc.formats.json.format import JSON
from lsqlc.formats.json_schema.format import JSON_SR
from lsqlc.formats.record import Decode, Encode, Format, SchemaKind, StoredFacet
from lsqlc.types.data import DataType, Struct


def enveloped(inner: Format, *, name: str, synonyms: tuple[str, ...] = (), change: bool = False) -> Format:
    """Return the format of rows in envelopes that another format stores, or of whole changes. Models write it as the
    other format.
    """
    has_source = inner.is_json

    def around(facet: StoredFacet) -> StoredFacet:
        type = envelope_type(row_of(facet.type) if change else facet.type, change=change)
        return replace(facet, type=type, format=inner.name, ksql_json=False)

    def row_text(facet: StoredFacet) -> Callable[[bytes], bytes]:
        from lsqlc.formats.debezium.codec import change_text, row_text

        return (change_text if change else row_text)(inner, facet, around(facet))

    def decoder(facet: StoredFacet) -> Decode:
        from lsqlc.formats.debezium.codec import decoder

        return decoder(facet, row_text(facet))

    def encoder(facet: StoredFacet) -> Encode:
        from lsqlc.formats.debezium.codec import change_encoder, encoder, refuse

        if inner.has_schema_id:
            return refuse(facet)
        return change_encoder(facet) if change else encoder(facet)

    def encoding(facet: StoredFacet) -> Decoding:
        from lsqlc.formats.debezium.settings import settings_of
        from lsqlc.formats.debezium.spark import Enveloped

        assert inner.encoding is not None, "envelopes are stored in formats that Spark reads"
        envelope, settings = inner.encoding(around(facet)), settings_of(facet.format)
        if not change:
            return Enveloped(facet.type, envelope, settings)
        return Enveloped(row_of(facet.type), envelope, settings, "with source" if has_source else "without source")

    # A schema of Avro says how columns are written.
    names = ("times", "decimals", "columns", "unavailable") if inner.is_json else ("unavailable",)

    def configured(declared: Mapping[str, Any], type: DataType) -> str:
        from lsqlc.formats.debezium.settings import declared_settings

        row = row_of(type) if change else type
        return declared_settings(declared, row if isinstance(row, Struct) else Struct(()), has_forms=inner.is_json)

    def kind() -> SchemaKind | None:
        if not inner.has_schema_id or inner.schema is None:
            return None
        return around_rows(inner.schema, change=change, has_source=has_source)

    return Format(
        name=name,
        synonyms=synonyms,
        fits=lambda type: isinstance(type, Struct),
        encoder=encoder,
        decoder=decoder,
        encoding=encoding,
        row_text=row_text if inner.is_json else None,
        schema=kind(),
        has_schema_id=inner.has_schema_id,
        name_pattern=inner.name_pattern,
        checks_declared_names=inner.checks_declared_names,
        passed_as=inner.name,
        settings=names,
        configured=configured,
        of_declared=(lambda row: change_type(row, has_source=has_source)) if change else None,
        needs_spark_avro=inner.needs_spark_avro,
    )


DEBEZIUM = (
    enveloped(JSON, name="debezium", synonyms=("debezium-json",)),
    enveloped(AVRO, name="debezium-avro", synonyms=("debezium-avro-confluent",)),
    enveloped(JSON_SR, name="debezium-json_sr", synonyms=("debezium-json-schema",)),
    enveloped(JSON, name="debezium-changes", change=True),
    enveloped(AVRO, name="debezium-avro-changes", change=True),
    enveloped(JSON_SR, name="debezium-json_sr-changes", change=True),
)
