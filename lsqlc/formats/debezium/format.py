"""The formats of Debezium, each made of the format that its envelopes are stored in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lsqlc.formats.encoding import Encoding
from lsqlc.formats.json.format import JSON
from lsqlc.formats.record import Decode, Encode, Format, StoredFacet
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct


def envelope_type(row: DataType) -> Struct:
    """The members of an envelope that are read, around the type of a row."""
    return Struct((Field("op", data.STRING), Field("after", row)))


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
        from lsqlc.formats.debezium.codec import encoder

        return encoder(facet)

    def encoding(facet: StoredFacet) -> Encoding:
        from lsqlc.formats.debezium.settings import settings_of
        from lsqlc.formats.debezium.spark import Enveloped

        assert inner.encoding is not None, "envelopes are stored in formats that Spark reads"
        return Enveloped(facet.type, inner.encoding(around(facet)), settings_of(facet.format))

    def configured(given: Mapping[str, Any], type: DataType) -> str:
        from lsqlc.formats.debezium.settings import declared_settings

        assert isinstance(type, Struct), "a declaration is checked before"
        return declared_settings(given, type)

    return Format(
        name=name,
        synonyms=synonyms,
        fits=lambda type: isinstance(type, Struct),
        encoder=encoder,
        decoder=decoder,
        encoding=encoding,
        row_text=row_text,
        passed_as=inner.name,
        settings=("times", "decimals", "columns", "unavailable"),
        configured=configured,
    )


DEBEZIUM = enveloped(JSON, name="debezium", synonyms=("debezium-json",))
