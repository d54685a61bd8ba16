"""Printed schemas: other libraries read them, they come back as the type they were, and say what records hold."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal as Number
from typing import Any, get_args

import fastavro
import jsonschema
import pytest
from hypothesis import given, settings

from lsqlc.formats.avro.read import read_avro
from lsqlc.formats.avro.write import avro_name, avro_schema, avro_text
from lsqlc.formats.json_schema.read import read_json_schema
from lsqlc.formats.json_schema.write import json_schema, json_schema_text
from lsqlc.formats.schemas import Language, schema_text
from lsqlc.formats.windows import window_key
from lsqlc.types import codec, data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.ddl import parse_type, parse_type_or_columns
from lsqlc.types.record import Facet
from tests.formats.schema_types import ANY_NAMES, avro_value, types

NOON = datetime(2013, 1, 1, 12, tzinfo=UTC)
VALUES: list[tuple[str, Any]] = [
    ("BOOLEAN", True),
    ("INT", -(2**31)),
    ("BIGINT", 2**63 - 1),
    ("FLOAT", 0.5),
    ("DOUBLE", float("inf")),
    ("DOUBLE", 1e300),
    ("DECIMAL(38,10)", Number("1234567890123456789012345678.0123456789")),
    ("STRING", "a\U0001f600"),
    ("BYTES", b"\x00\xff"),
    ("DATE", date(1969, 12, 31)),
    ("TIME", 86_399_999_999),
    ("TIMESTAMP", NOON.replace(microsecond=1)),
    ("ARRAY<STRUCT<a: INT>>", [{"a": None}, None]),
    ("MAP<STRING,ARRAY<INT>>", {"x": [1, None], "y": None}),
    ("MAP<INT,STRING>", {1: "x", -2: None}),
    ("MAP<TIMESTAMP,DATE>", {NOON: date(2013, 1, 1)}),
    ("MAP<BYTES,DECIMAL(5,2)>", {b"\x01": Number("1.50")}),
]


@given(types())
def test_a_type_comes_back_from_its_avro_schema(type: DataType) -> None:
    """Whatever it is, with the nullability of each field; the same text comes of it every time."""
    text = avro_text(type, "a-topic.v2-value", "shop.orders")
    assert read_avro(text) == read_avro(text)
    assert (read_avro(text).type, read_avro(text).problems) == (type, ())


@given(types(ANY_NAMES))
def test_a_type_comes_back_from_its_json_schema(type: DataType) -> None:
    """With names of any characters."""
    found = read_json_schema(json_schema_text(type, "records"))
    assert (found.type, found.problems) == (type, ())


@given(types(ANY_NAMES))
def test_a_type_comes_back_from_its_ddl(type: DataType) -> None:
    """As the declaration of a topic takes it."""
    assert parse_type_or_columns(schema_text(Facet(type, "json"), "ddl", "t")) == type


@given(types())
@settings(max_examples=50)
def test_other_libraries_read_what_is_printed(type: DataType) -> None:
    """fastavro parses the Avro schema, and the JSON Schema is one by its own meta-schema."""
    fastavro.parse_schema(avro_schema(type, "t"))
    jsonschema.Draft7Validator.check_schema(json_schema(type))


@pytest.mark.parametrize(("ddl", "value"), VALUES, ids=lambda v: str(v)[:40])
@pytest.mark.parametrize("nullable", [True, False])
def test_values_fit_the_printed_schemas(ddl: str, value: Any, nullable: bool) -> None:
    """Each value, alone and as a field; null where the field may be null, and nowhere else."""
    type = Struct((data.Field("it", parse_type(ddl), nullable),))
    for whole, fits in (({"it": value}, True), ({"it": None}, nullable)):
        assert avro_takes(type, whole) == fits
        assert json_takes(type, whole) == fits


def avro_takes(type: DataType, value: Any) -> bool:
    """Whether fastavro writes the value with the printed schema, and reads the same again."""
    schema = fastavro.parse_schema(json.loads(avro_text(type, "t")))
    given = avro_value(type, value)
    if not fastavro.validate(given, schema, raise_errors=False):
        return False
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, given)
    stream.seek(0)
    assert str(fastavro.schemaless_reader(stream, schema, None)).startswith("{'it'")
    return True


def json_takes(type: DataType, value: Any) -> bool:
    """Whether what the codec writes for the value is valid by the printed schema."""
    schema = json.loads(json_schema_text(type))
    instance = json.loads(codec.encode_text(type, value), parse_float=Number)
    return bool(jsonschema.Draft7Validator(schema).is_valid(instance))


def test_a_windowed_key_is_printed_whole_and_declared_by_what_is_inside() -> None:
    """Avro and JSON Schema have the bounds; DDL is what the declaration with `format: TW[...]` takes."""
    facet = Facet(window_key(parse_type_or_columns("a INT, b STRING NOT NULL")), "tw[json]")
    assert [f["name"] for f in json.loads(schema_text(facet, "avro", "k"))["fields"]] == ["key", "start", "end"]
    assert json.loads(schema_text(facet, "json", "k"))["required"] == ["start", "end"]
    assert schema_text(facet, "ddl", "k") == "a INT,\nb STRING NOT NULL\n"


def test_records_inside_of_records_have_names_of_their_own() -> None:
    """Named after the way to them; where two ways give one name, the second gets a number."""
    ddl = "a STRUCT<b: STRUCT<x: INT>>, a_b STRUCT<x: BIGINT>, s ARRAY<STRUCT<y: INT>>"
    schema = avro_schema(parse_type_or_columns(ddl), "t")
    names = [r["name"] for r in _records(schema)]
    assert names == ["t", "t_a", "t_a_b", "t_a_b_2", "t_s"]
    fastavro.parse_schema(schema)


def _records(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [r for s in schema for r in _records(s)]
    if not isinstance(schema, dict):
        return []
    inner = [f["type"] for f in schema.get("fields", [])] + [schema.get("items"), schema.get("values")]
    return [*([schema] if schema["type"] == "record" else []), *_records(inner)]


@pytest.mark.parametrize(
    ("text", "name"), [("a-topic.v2", "a_topic_v2"), ("2nd", "_2nd"), ("é", "_"), ("", "_"), ("ok", "ok")]
)
def test_names_are_made_fit_for_avro(text: str, name: str) -> None:
    """Of a topic, whose name is not the user's fault; never of a field."""
    assert avro_name(text) == name


def test_what_a_language_cannot_hold_is_refused() -> None:
    """A field's name in Avro, a map by struct in JSON Schema."""
    with pytest.raises(ValueError, match="'a b' is not a valid name in AVRO"):
        avro_schema(parse_type_or_columns("x STRUCT<`a b`: INT>"), "t")
    with pytest.raises(ValueError, match="cannot be represented in JSON"):
        json_schema(parse_type("MAP<ARRAY<INT>,INT>"))
    always_null = Struct((data.Field("at", Struct((data.Field("x", data.NULL),))),))
    for language in get_args(Language):
        with pytest.raises(ValueError, match="'x' is always null"):
            schema_text(Facet(always_null, "json"), language, "t")
