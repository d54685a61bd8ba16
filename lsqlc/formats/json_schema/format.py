"""JSON_SR: JSON text behind the id of a JSON Schema in a registry."""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.formats.encoding import Encoding
from lsqlc.formats.json_schema.kind import JSON_SCHEMA
from lsqlc.formats.record import Decode, Encode, Format, KsqlFormat, StoredFacet, any_type


def _encoder(facet: StoredFacet) -> Encode:
    from lsqlc.formats.json_schema.codec import encoder

    return encoder(facet)


def _decoder(facet: StoredFacet) -> Decode:
    from lsqlc.formats.json_schema.codec import decoder

    return decoder(facet)


def _json_text(facet: StoredFacet) -> Callable[[bytes], bytes]:
    from lsqlc.formats.json_schema.codec import json_text

    return json_text(facet)


def _encoding(facet: StoredFacet) -> Encoding:
    from lsqlc.formats.json_schema.spark import JsonSchema

    new_schema = facet.registered.written
    return JsonSchema(facet.type, new_schema[1] if new_schema else None, ksql_json=facet.ksql_json)


JSON_SR = Format(
    name="json_sr",
    ksql=KsqlFormat(name="JSON_SR"),
    fits=any_type,
    encoder=_encoder,
    decoder=_decoder,
    encoding=_encoding,
    json_text=_json_text,
    schema=JSON_SCHEMA,
    has_schema_id=True,
    stores="all",
    is_converted=True,
    is_inherited=True,
)
