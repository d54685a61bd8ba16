"""JSON of records between bytes and Python values, and the JSON of ksqlDB in the language's own form."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from lsqlc.formats.json.any_case import spelling
from lsqlc.formats.json.numbers import of_ksqldb, rewriter
from lsqlc.formats.record import Decode, Encode, StoredFacet
from lsqlc.formats.registered import json_body
from lsqlc.types import codec
from lsqlc.types.data import DataType


@lru_cache(maxsize=512)
def from_ksqldb(type: DataType) -> Callable[[bytes], bytes]:
    """Return the function from a JSON text of ksqlDB in UTF-8 to a text that the codec reads as the same value.

    It has the names of fields, and numbers in the form of their types. A text that ksqlDB cannot read stays invalid.
    """
    names, numbers = spelling(type), rewriter(of_ksqldb(type))
    return lambda text: names(numbers(text))


def json_text(facet: StoredFacet) -> Callable[[bytes], bytes]:
    """Return the function of `Format.json_text`; the JSON may follow the ID of a schema."""
    if not facet.ksql_json:
        return json_body
    own_form = from_ksqldb(facet.type)
    return lambda raw: own_form(json_body(raw))


def encoder(facet: StoredFacet) -> Encode:
    """Return the function of `Format.encoder`: fields in the order of the schema, nulls included."""
    return codec.encoder(facet.type, times_as_numbers=facet.ksql_json)


def decoder(facet: StoredFacet) -> Decode:
    """Return the function of `Format.decoder`."""
    read, text = codec.decoder(facet.type, path=facet.part), json_text(facet)
    return lambda raw: read(text(raw))
