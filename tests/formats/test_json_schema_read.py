"""JSON Schemas as types: what each keyword makes of a field, and what is refused, at which place."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.formats.json_schema.read import read_json_schema
from lsqlc.formats.schema_file import SchemaRead

DEFINITIONS = {
    "Text": {"type": "string"},
    "Address": {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]},
    "a/b~c d": {"type": "integer"},
    "Named": {"$anchor": "here", "type": "boolean"},
    "Other": {"$id": "https://example.com/other.json", "type": "number"},
}


def field(schema: Any) -> dict[str, Any]:
    """A schema of one required field."""
    return {"type": "object", "properties": {"f": schema}, "required": ["f"], "$defs": DEFINITIONS}


def described(schema: Any) -> str:
    """The type of a schema as text."""
    found = read_json_schema(json.dumps(schema))
    assert found.problems == ()
    return str(found.type)


FORMS: list[tuple[Any, str]] = [
    ({"type": "string"}, "STRING NOT NULL"),
    ({"type": "boolean"}, "BOOLEAN NOT NULL"),
    ({"type": "number"}, "DOUBLE NOT NULL"),
    ({"type": "number", "format": "float"}, "FLOAT NOT NULL"),
    ({"type": "number", "multipleOf": 0.01}, "DOUBLE NOT NULL"),
    ({"type": "number", "format": "decimal", "precision": 9, "scale": 2}, "DECIMAL(9,2) NOT NULL"),
    ({"type": "integer"}, "BIGINT NOT NULL"),
    ({"type": "integer", "format": "int32"}, "INT NOT NULL"),
    ({"type": "integer", "format": "int64"}, "BIGINT NOT NULL"),
    ({"type": "integer", "minimum": 0, "maximum": 2**31 - 1}, "INT NOT NULL"),
    ({"type": "integer", "exclusiveMinimum": 0, "maximum": 10}, "INT NOT NULL"),
    ({"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 10}, "INT NOT NULL"),
    ({"type": "integer", "minimum": 0}, "BIGINT NOT NULL"),
    ({"type": "integer", "minimum": 0, "maximum": 2**31}, "BIGINT NOT NULL"),
    ({"type": "integer", "minimum": 0, "maximum": 1e300}, "BIGINT NOT NULL"),
    ({"type": ["integer", "number"]}, "DOUBLE NOT NULL"),
    ({"type": "string", "format": "date"}, "DATE NOT NULL"),
    ({"type": "string", "format": "date-time"}, "TIMESTAMP NOT NULL"),
    ({"type": "string", "format": "time"}, "STRING NOT NULL"),
    ({"type": "string", "format": "uuid"}, "STRING NOT NULL"),
    ({"type": "string", "contentEncoding": "base64"}, "BYTES NOT NULL"),
    ({"type": "string", "format": "byte"}, "BYTES NOT NULL"),
    ({"type": "string", "pattern": "^a", "maxLength": 3}, "STRING NOT NULL"),
    ({"format": "date"}, "DATE NOT NULL"),
    ({"type": ["string", "null"]}, "STRING"),
    ({"type": ["null", "integer"], "format": "int32"}, "INT"),
    ({"type": "string", "nullable": True}, "STRING"),
    ({"enum": ["a", "b"]}, "STRING NOT NULL"),
    ({"enum": ["a", None]}, "STRING"),
    ({"type": ["string", "null"], "enum": ["a", "b"]}, "STRING NOT NULL"),
    ({"enum": [1, 2]}, "BIGINT NOT NULL"),
    ({"enum": [1, 2.5]}, "DOUBLE NOT NULL"),
    ({"const": True}, "BOOLEAN NOT NULL"),
    ({"type": "array", "items": {"type": "string"}}, "ARRAY<STRING> NOT NULL"),
    ({"items": {"type": ["string", "null"]}}, "ARRAY<STRING> NOT NULL"),
    ({"type": "object", "additionalProperties": {"type": "number"}}, "MAP<STRING,DOUBLE> NOT NULL"),
    (
        {"additionalProperties": {"type": "boolean"}, "propertyNames": {"format": "int32"}},
        "MAP<INT,BOOLEAN> NOT NULL",
    ),
    (
        {"additionalProperties": {"type": "boolean"}, "propertyNames": {"pattern": "^[a-z]+$"}},
        "MAP<STRING,BOOLEAN> NOT NULL",
    ),
    ({"properties": {"a": {"type": "string"}}}, "STRUCT<a: STRING> NOT NULL"),
    (
        {"properties": {"a": {"type": "string"}}, "additionalProperties": False, "patternProperties": {"^x": {}}},
        "STRUCT<a: STRING> NOT NULL",
    ),
    ({"$ref": "#/$defs/Text"}, "STRING NOT NULL"),
    ({"$ref": "#/$defs/Address"}, "STRUCT<zip: STRING NOT NULL> NOT NULL"),
    ({"$ref": "#/$defs/a~1b~0c%20d"}, "BIGINT NOT NULL"),
    ({"$ref": "#here"}, "BOOLEAN NOT NULL"),
    ({"$ref": "https://example.com/other.json"}, "DOUBLE NOT NULL"),
    ({"$ref": "other.json#"}, "DOUBLE NOT NULL"),
    ({"$ref": "#/$defs/Text", "description": "what it is", "nullable": True}, "STRING"),
    ({"oneOf": [{"type": "null"}, {"$ref": "#/$defs/Address"}]}, "STRUCT<zip: STRING NOT NULL>"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "BIGINT"),
    ({"anyOf": [{"type": "string", "format": "email"}, {"type": "string", "maxLength": 0}]}, "STRING NOT NULL"),
    ({"allOf": [{"$ref": "#/$defs/Address"}], "additionalProperties": False}, "STRUCT<zip: STRING NOT NULL> NOT NULL"),
    ({"$ref": "#/$defs/Address", "additionalProperties": {"type": "string"}, "type": "object"},
     "STRUCT<zip: STRING NOT NULL> NOT NULL"),
    ({"oneOf": [{"additionalProperties": {"type": "string"}}, {"type": "null"}]}, "MAP<STRING,STRING>"),
    ({"type": ["object", "null"], "oneOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
     "STRUCT<zip: STRING NOT NULL>"),
    ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, "STRING NOT NULL"),
    ({"type": "string", "oneOf": [{"const": "a"}, {"const": "b"}]}, "STRING NOT NULL"),
    ({"type": "string", "anyOf": [{"pattern": "a"}, {"minLength": 3}]}, "STRING NOT NULL"),
    (
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        "STRUCT<a: STRING, b: STRING> NOT NULL",
    ),
    ({"allOf": [{"$ref": "#/$defs/Text"}]}, "STRING NOT NULL"),
    ({"allOf": [{"$ref": "#/$defs/Text"}], "nullable": True}, "STRING"),
    (
        {
            "type": "object",
            "allOf": [
                {"$ref": "#/$defs/Address"},
                {"properties": {"b": {"type": "string"}, "c": {"type": "boolean"}}, "required": ["c"]},
                {"required": ["b"]},
                {"if": {"required": ["b"]}, "then": {"required": ["c"]}},
            ],
            "properties": {"d": {"type": "integer"}},
        },
        "STRUCT<zip: STRING NOT NULL, b: STRING NOT NULL, c: BOOLEAN NOT NULL, d: BIGINT> NOT NULL",
    ),
    (
        {"allOf": [{"properties": {"a": {"type": ["string", "null"]}}}, {"properties": {"a": {"type": "string"}}}],
         "required": ["a"]},
        "STRUCT<a: STRING NOT NULL> NOT NULL",
    ),
    ({"type": "string", "not": {"const": "x"}, "default": "y", "examples": ["z"]}, "STRING NOT NULL"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), FORMS, ids=lambda v: v if isinstance(v, str) else json.dumps(v)[:50])
def test_each_form_is_a_type(schema: Any, expected: str) -> None:
    """As a required field."""
    assert described(field(schema)) == f"STRUCT<f: {expected}>"


@pytest.mark.parametrize(("schema", "expected"), FORMS, ids=lambda v: v if isinstance(v, str) else json.dumps(v)[:50])
def test_each_form_is_one_by_another_library(schema: Any, expected: str) -> None:
    """What is taken as JSON Schema is JSON Schema, of one draft at least."""
    drafts = (jsonschema.Draft202012Validator, jsonschema.Draft7Validator, jsonschema.Draft4Validator)
    assert any(not list(d(d.META_SCHEMA).iter_errors(field(schema))) for d in drafts)


def test_a_field_that_is_not_required_may_be_null() -> None:
    """Whatever its schema says of null."""
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]}
    assert described(schema) == "STRUCT<a: STRING, b: STRING NOT NULL>"


def test_the_root_may_be_a_reference() -> None:
    """As generators write it."""
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/X", "definitions": {}}
    schema["definitions"] = {"X": {"properties": {"n": {"type": "integer"}, "t": {"$ref": "#/definitions/T"}}}}
    schema["definitions"]["T"] = {"type": "string"}  # type: ignore[index]
    assert described(schema) == "STRUCT<n: BIGINT, t: STRING>"


NODE = {"type": "object", "properties": {"next": {"$ref": "#/properties/f"}, "n": {"type": "integer"}}}
A, B = ({"type": "object", "properties": {n: {"type": "string"}}, "required": [n]} for n in "ab")
DAY = {"type": "string", "format": "date"}
# What has no type of its own, the type that it is read as, and the one that is written into it: STRING where the schema
# accepts any text, else NULL, which is nothing.
UNTYPED: list[tuple[Any, str, str]] = [
    ({}, "STRING", "STRING"),
    (True, "STRING", "STRING"),
    ({"description": "anything"}, "STRING", "STRING"),
    ({"type": "null"}, "STRING", "NULL"),
    ({"type": "object"}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"type": ["object", "null"]}, "STRING", "NULL"),
    ({"type": "object", "properties": {}}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"type": "object", "additionalProperties": True}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"patternProperties": {"^x": {"type": "string"}}}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"type": "array"}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"type": "array", "items": {}}, "ARRAY<STRING> NOT NULL", "ARRAY<STRING> NOT NULL"),
    ({"type": "array", "items": {"type": "object"}}, "ARRAY<STRING> NOT NULL", "ARRAY<NULL> NOT NULL"),
    ({"type": "array", "items": [{"type": "string"}]}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"prefixItems": [{"type": "string"}]}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"additionalProperties": {"type": "array"}}, "MAP<STRING,STRING> NOT NULL", "MAP<STRING,NULL> NOT NULL"),
    ({"type": ["array", "string"]}, "STRING NOT NULL", "STRING NOT NULL"),
    ({"type": ["array", "string", "null"]}, "STRING", "STRING"),
    ({"type": ["boolean", "integer"]}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"enum": [1, "a"]}, "STRING NOT NULL", "STRING NOT NULL"),
    ({"enum": [1, "a", None]}, "STRING", "STRING"),
    ({"const": {"a": 1}}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "STRING NOT NULL", "STRING NOT NULL"),
    ({"anyOf": [A, {"type": "null"}, {"items": A}]}, "STRING", "NULL"),
    ({"anyOf": [{"type": "integer"}, {"type": "object"}]}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"anyOf": [{"type": "boolean"}, True]}, "STRING", "STRING"),
    ({"anyOf": [{"type": "boolean"}, False]}, "BOOLEAN NOT NULL", "BOOLEAN NOT NULL"),
    ({"oneOf": [A, B]}, "STRUCT<a: STRING, b: STRING> NOT NULL", "NULL NOT NULL"),
    ({"oneOf": [A, {**A, "type": ["object", "null"]}]}, "STRUCT<a: STRING NOT NULL>", "STRUCT<a: STRING NOT NULL>"),
    ({"oneOf": [A, {"type": "object"}]}, "STRUCT<a: STRING NOT NULL> NOT NULL", "STRUCT<a: STRING NOT NULL> NOT NULL"),
    (
        {"oneOf": [A, {"properties": {"a": {"type": "integer"}}, "required": ["a"]}]},
        "STRUCT<a: STRING NOT NULL> NOT NULL",
        "NULL NOT NULL",
    ),
    (
        {"oneOf": [{"items": A}, {"items": B}]},
        "ARRAY<STRUCT<a: STRING, b: STRING>> NOT NULL",
        "NULL NOT NULL",
    ),
    ({"oneOf": [A, {"properties": {"A": {"type": "string"}}}]}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "DOUBLE NOT NULL", "NULL NOT NULL"),
    ({"oneOf": [{"type": "integer", "format": "int32"}, {"type": "integer"}]}, "BIGINT NOT NULL", "NULL NOT NULL"),
    ({"anyOf": [DAY, {"type": "string", "format": "date-time"}]}, "STRING NOT NULL", "NULL NOT NULL"),
    ({"anyOf": [DAY, {"type": "string"}]}, "STRING NOT NULL", "STRING NOT NULL"),
    (
        {"allOf": [{"properties": {"a": {}}}, A]},
        "STRUCT<a: STRING NOT NULL> NOT NULL",
        "STRUCT<a: STRING NOT NULL> NOT NULL",
    ),
    ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "BIGINT NOT NULL", "BIGINT NOT NULL"),
    ({"allOf": [DAY, {"type": "string"}]}, "DATE NOT NULL", "DATE NOT NULL"),
    (NODE, "STRUCT<next: STRING, n: BIGINT> NOT NULL", "STRUCT<next: NULL, n: BIGINT> NOT NULL"),
    (
        {"properties": {"a": {"type": "string"}, "b": False}},
        "STRUCT<a: STRING> NOT NULL",
        "STRUCT<a: STRING> NOT NULL",
    ),
    ({"properties": {"a": False}}, "STRING NOT NULL", "NULL NOT NULL"),
]


@pytest.mark.parametrize(("schema", "read", "written"), UNTYPED, ids=lambda v: json.dumps(v)[:50])
def test_a_part_without_a_type_is_text(schema: Any, read: str, written: str) -> None:
    """Of any JSON. What can be written into it is a text, if it accepts one."""
    text = json.dumps(field(schema))
    assert described(field(schema)) == f"STRUCT<f: {read}>"
    found = read_json_schema(text, "written")
    assert (str(found.type), found.problems) == (f"STRUCT<f: {written}>", ())


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({}, "a schema without a type accepts anything, and has no type"),
        (True, "a schema that accepts anything has no type"),
        (False, "a schema that accepts nothing has no type"),
        ({"type": "object"}, "an object without named fields has no type"),
        ({"type": ["object", "array"]}, "what is object or array has no type"),
        ({"oneOf": [A, {"type": "string"}]}, "what is an object or STRING has no type"),
        ({"$ref": "#"}, "'#' contains itself"),
    ],
)
def test_the_whole_must_have_a_type(schema: Any, message: str) -> None:
    """A file that says nothing of the records is the wrong one, or `schema: STRING` says the same."""
    found = read_json_schema(json.dumps(schema))
    assert [(p.message, p.is_malformed) for p in found.problems] == [(message, False)]


# What is wrong, the words that are marked, the message, and a twin that differs in the fault alone.
REFUSED: list[tuple[Any, str, str, bool, Any]] = [
    ({}, "{}", "a schema without a type accepts anything, and has no type", False, {"type": "string"}),
    (True, "true", "a schema that accepts anything has no type", False, {"type": "string"}),
    ({"type": "null"}, '{"type": "null"}', "a schema that is always null has no type", False, {"type": "string"}),
    (
        {"type": ["string", "integer"]},
        '["string", "integer"]',
        "what is string or integer has no type",
        False,
        {"type": ["string", "null"]},
    ),
    (
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        '[{"type": "string"}, {"type": "integer"}]',
        "what is STRING or BIGINT has no type",
        False,
        {"oneOf": [{"type": "string"}, {"type": "null"}]},
    ),
    (
        {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]},
        '[{"properties": {"a"',
        "2 kinds of an object in one place have no type",
        False,
        {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]},
    ),
    (
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
        '{"allOf": [{"type": "string"}, {"type": "integer"}]}',
        "a schema that is both STRING and BIGINT has no type",
        False,
        {"allOf": [{"type": "string"}, {"type": "string"}]},
    ),
    (
        NODE,
        '"#/properties/f"',
        "'#/properties/f' contains itself",
        False,
        {**NODE, "properties": {"next": {"enum": ["a"]}}},
    ),
    ({"$ref": "#"}, '"#"', "'#' contains itself", False, {"$ref": "#here"}),
    (
        {"type": "object"},
        '{"type": "object"}',
        "an object without named fields has no type",
        False,
        DEFINITIONS["Address"],
    ),
    (
        {"type": "object", "additionalProperties": True},
        '{"type": "object", "additionalProperties": true}',
        "an object without named fields has no type",
        False,
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    (
        {"type": "array"},
        '{"type": "array"}',
        "an array without 'items' has no type",
        False,
        {"items": {"type": "string"}},
    ),
    (
        {"items": [{"type": "string"}]},
        '[{"type": "string"}]',
        "a list with a type for each position has no type",
        False,
        {"items": {"type": "string"}},
    ),
    (
        {"properties": {"a": {"type": "string"}, "A": {"type": "string"}}},
        '{"type": "string"}}}',
        "the fields 'a' and 'A' differ only in case",
        False,
        {"properties": {"a": {"type": "string"}, "B": {"type": "string"}}},
    ),
    ({"properties": {"": {"enum": ["a"]}}}, '{"enum"', "a field without a name has no type", False, {"enum": ["a"]}),
    ({"$ref": "x.json"}, '"x.json"', "'x.json' is not in this file", False, {"$ref": "other.json"}),
    (
        {"$ref": "#/$defs/Nope"},
        '"#/$defs/Nope"',
        "'#/$defs/Nope' does not exist in this file",
        True,
        {"$ref": "#/$defs/Text"},
    ),
    ({"$ref": 3}, "3}", "expected a reference, found a number", True, {"$ref": "#/$defs/Text"}),
    ({"type": "strng"}, '"strng"', "'strng' is not a type", True, {"type": "string"}),
    ({"type": []}, "[]", "expected a type, found a list", True, {"type": ["string"]}),
    ("string", '"string"}', "expected a schema, found a text", True, {"type": "string"}),
    (
        {"properties": ["a"]},
        '["a"]',
        "expected the fields by name, found a list",
        True,
        {"properties": {"a": {"type": "string"}}},
    ),
    (
        {"type": "number", "format": "decimal", "precision": 40},
        "40",
        "a decimal has a 'precision' of 1 to 38, and a 'scale' between 0 and that",
        False,
        {"type": "number", "format": "decimal", "precision": 38},
    ),
]


@pytest.mark.parametrize(("wrong", "marked", "message", "malformed", "right"), REFUSED, ids=lambda v: str(v)[:40])
def test_what_is_refused_and_where(wrong: Any, marked: str, message: str, malformed: bool, right: Any) -> None:
    """One problem, at the very words, with the way to them; the twin has none. What has no type is text in JSON."""
    text = json.dumps(field(wrong))
    found = read_json_schema(text, "refused")
    assert [(p.message, p.is_malformed) for p in found.problems] == [(message, malformed)]
    problem = found.problems[0]
    assert problem.start == text.index(marked)
    assert problem.path.startswith("$.properties.f")
    assert read_json_schema(json.dumps(field(right)), "refused").problems == ()


def test_an_avro_schema_is_told_apart() -> None:
    """By its form: both are JSON."""
    schema = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}
    assert [p.message for p in read_json_schema(json.dumps(schema)).problems] == ["this is an Avro schema"]


def test_all_problems_are_told_with_their_ways() -> None:
    """In one reading, names of any characters in the way."""
    properties = {"a": {"type": "nope"}, "b c": {"type": "array", "items": {"$ref": 1}}, "d": {"type": "string"}}
    found = read_json_schema(json.dumps({"properties": properties}))
    assert [p.path for p in found.problems] == ["$.properties.a.type", "$.properties['b c'].items.$ref"]
    assert found.type is None


def test_a_schema_that_stands_for_too_much_is_refused() -> None:
    """Definitions that each name the one before twice, and a long row of references."""
    twice: dict[str, Any] = {"D0": {"type": "string"}}
    row: dict[str, Any] = {"D0": {"type": "string"}}
    joined: dict[str, Any] = {"D0": {"type": "string"}}
    for i in range(1, 300):
        before = {"$ref": f"#/$defs/D{i - 1}"}
        twice[f"D{i}"] = {"properties": {"a": before, "b": before}} if i < 40 else {"type": "string"}
        row[f"D{i}"] = before
        joined[f"D{i}"] = {"allOf": [before, before, before]}
    for definitions, name, expected in (
        (twice, "D39", "a schema of more than 20,000 types, references followed"),
        (row, "D299", "a chain of more than 100 references"),
        (joined, "D39", "a schema of more than 20,000 types, references followed"),
    ):
        found = read_json_schema(json.dumps({"$ref": f"#/$defs/{name}", "$defs": definitions}))
        assert expected in [p.message for p in found.problems]


@given(st.integers())
def test_mutated_schemas_give_a_type_or_problems(seed: int) -> None:
    """Never anything else."""
    chosen = random.Random(seed)
    text = json.dumps(field(chosen.choice([s for s, _ in FORMS] + [s for s, *_ in REFUSED])))
    for _ in range(chosen.randint(1, 4)):
        at, to = sorted(chosen.randrange(len(text)) for _ in range(2))
        text = text[:at] + chosen.choice(['"', "{}", "[]", "null", "#", ",", text[at:to] * 2]) + text[to:]
    found = read_json_schema(text)
    assert isinstance(found, SchemaRead)
    assert (found.type is None) == bool(found.problems)
