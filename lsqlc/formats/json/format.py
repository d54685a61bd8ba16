"""JSON: one JSON text, behind the id of a schema or not."""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.formats.encoding import Encoding
from lsqlc.formats.json_schema.kind import JSON_SCHEMA
from lsqlc.formats.record import Decode, Encode, Format, KsqlFormat, StoredFacet, any_type


def _encoder(facet: StoredFacet) -> Encode:
    from lsqlc.formats.json.codec import encoder

    return encoder(facet)


def _decoder(facet: StoredFacet) -> Decode:
    from lsqlc.formats.json.codec import decoder

    return decoder(facet)


def _json_text(facet: StoredFacet) -> Callable[[bytes], bytes]:
    from lsqlc.formats.json.codec import json_text

    return json_text(facet)


def _encoding(facet: StoredFacet) -> Encoding:
    from lsqlc.formats.json.spark import Json

    return Json(facet.type, ksql_json=facet.ksql_json)


JSON = Format(
    name="json",
    ksql=KsqlFormat(name="JSON"),
    fits=any_type,
    encoder=_encoder,
    decoder=_decoder,
    encoding=_encoding,
    json_text=_json_text,
    has_ksql_numbers=True,
    schema=JSON_SCHEMA,
    stores="structs",
    is_converted=True,
)
