"""What lies in topics, read apart from lsqlc: by confluent-kafka, json, jsonschema and fastavro, with schemas that are
asked of the registry by their ids.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from urllib.request import urlopen

import fastavro
from jsonschema import Draft7Validator

from tests.kafka.client import read


class Kept(NamedTuple):
    """A record as it has its form in JSON. `timestamp`: milliseconds."""

    key: Any
    value: Any
    timestamp: int


def records(bootstrap: str, topic: str, registry: str | None = None) -> Iterator[Kept]:
    """The committed records of a topic, by partition and offset; none for a topic that is not there. `registry`: its
    address; it is asked where bytes begin with a schema's id.
    """
    for message in read(bootstrap, topic):
        yield Kept(_facet(message.key(), registry), _facet(message.value(), registry), message.timestamp()[1])


def _facet(raw: Any, registry: str | None) -> Any:
    """Avro or JSON behind an id, JSON objects, and text are told apart by the first byte."""
    if raw is None:
        return None
    if raw[:1] == b"\0":
        assert registry, "bytes that begin with a schema's id, and no registry to ask"
        schema = _schema(registry, int.from_bytes(raw[1:5], "big"))
        if isinstance(schema, Draft7Validator):
            value = json.loads(raw[5:])
            schema.validate(value)
            return value
        return _json(fastavro.schemaless_reader(io.BytesIO(raw[5:]), schema, None))
    return json.loads(raw) if raw[:1] == b"{" else raw.decode()


@cache
def _schema(registry: str, id: int) -> Any:
    with urlopen(f"{registry}/schemas/ids/{id}", timeout=10) as answer:
        found = json.load(answer)
    schema = json.loads(found["schema"])
    return Draft7Validator(schema) if found.get("schemaType") == "JSON" else fastavro.parse_schema(schema)


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else value
