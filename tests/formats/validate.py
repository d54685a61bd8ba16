"""Whether records are what the printed schemas of their topic say, judged by other libraries."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import fastavro
import jsonschema

from lsqlc.bind.topic_schemas import topic_schemas
from lsqlc.formats.avro.read import read_avro
from lsqlc.formats.json_schema.read import read_json_schema
from lsqlc.types import codec
from lsqlc.types.record import Facet, Record, Topic, is_raw
from tests.formats.schema_types import avro_value


def check_records(topic: Topic, records: Iterable[Record], settings: Mapping[str, str]) -> int:
    """How many facets were checked, in Avro and as JSON. A null facet is not: null is a tombstone or no key, of which
    schemas do not speak.
    """
    avro = {s.facet: s.text for s in topic_schemas(topic, "avro", settings)[0]}
    written = {s.facet: s.text for s in topic_schemas(topic, "json", settings)[0]}
    checks = [
        (name, facet, _Avro(facet, avro[name]) if name in avro else None, _Json(facet, written[name]))
        for name, facet in (("key", topic.key), ("value", topic.value))
        if name in written
    ]
    checked = 0
    for record in records:
        for name, _, in_avro, in_json in checks:
            value = getattr(record, name)
            if value is None or is_raw(record):
                continue
            checked += 1
            in_json.check(value)
            if in_avro is not None:
                in_avro.check(value)
    return checked


class _Avro:
    def __init__(self, facet: Facet, text: str) -> None:
        assert read_avro(text).type == facet.type
        self._type, self._schema = facet.type, fastavro.parse_schema(json.loads(text))

    def check(self, value: Any) -> None:
        given = avro_value(self._type, value)
        fastavro.validate(given, self._schema)
        fastavro.schemaless_writer(io.BytesIO(), self._schema, given)


class _Json:
    def __init__(self, facet: Facet, text: str) -> None:
        assert read_json_schema(text).type == facet.type
        self._type, self._validator = facet.type, jsonschema.Draft7Validator(json.loads(text))

    def check(self, value: Any) -> None:
        self._validator.validate(json.loads(codec.encode_text(self._type, value), parse_float=Decimal))
