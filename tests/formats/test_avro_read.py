"""Avro schemas as types: what each of the specification's forms becomes, and what is refused, at which place."""

from __future__ import annotations

import json
import random
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.formats.avro.read import read_avro
from lsqlc.formats.schema_file import SchemaRead


def field(schema: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": "f", "type": schema}]}


def described(schema: Any) -> str:
    """The type of a schema as text."""
    found = read_avro(json.dumps(schema))
    assert found.problems == ()
    return str(found.type)


def logical(base: str, name: str, **more: int) -> dict[str, Any]:
    return {"type": base, "logicalType": name, **more}


ADDRESS = {"type": "record", "name": "Address", "namespace": "a.b", "fields": [{"name": "zip", "type": "string"}]}
FORMS: list[tuple[Any, str]] = [
    ("boolean", "BOOLEAN NOT NULL"),
    ("int", "INT NOT NULL"),
    ("long", "BIGINT NOT NULL"),
    ("float", "FLOAT NOT NULL"),
    ("double", "DOUBLE NOT NULL"),
    ("string", "STRING NOT NULL"),
    ("bytes", "BYTES NOT NULL"),
    ({"type": "string"}, "STRING NOT NULL"),
    ({"type": "string", "avro.java.string": "String"}, "STRING NOT NULL"),
    (["null", "string"], "STRING"),
    (["string", "null"], "STRING"),
    (["string"], "STRING NOT NULL"),
    ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "STRING NOT NULL"),
    ({"type": "fixed", "name": "F", "size": 16}, "BYTES NOT NULL"),
    ({"type": "fixed", "name": "F", "size": 12, "logicalType": "duration"}, "BYTES NOT NULL"),
    ({"type": "array", "items": "int"}, "ARRAY<INT> NOT NULL"),
    ({"type": "array", "items": ["null", {"type": "array", "items": "int"}]}, "ARRAY<ARRAY<INT>> NOT NULL"),
    ({"type": "map", "values": ["null", "long"]}, "MAP<STRING,BIGINT> NOT NULL"),
    (logical("int", "date"), "DATE NOT NULL"),
    (logical("int", "time-millis"), "TIME NOT NULL"),
    (logical("long", "time-micros"), "TIME NOT NULL"),
    (logical("long", "timestamp-millis"), "TIMESTAMP NOT NULL"),
    (logical("long", "timestamp-micros"), "TIMESTAMP NOT NULL"),
    (["null", logical("long", "timestamp-micros")], "TIMESTAMP"),
    (logical("long", "timestamp-nanos"), "BIGINT NOT NULL"),
    (logical("long", "local-timestamp-millis"), "BIGINT NOT NULL"),
    (logical("string", "uuid"), "STRING NOT NULL"),
    (logical("string", "nobody-knows"), "STRING NOT NULL"),
    (logical("string", "date"), "STRING NOT NULL"),
    (logical("bytes", "decimal", precision=10, scale=2), "DECIMAL(10,2) NOT NULL"),
    (logical("bytes", "decimal", precision=10), "DECIMAL(10,0) NOT NULL"),
    ({"name": "D", "size": 8, **logical("fixed", "decimal", precision=18, scale=4)}, "DECIMAL(18,4) NOT NULL"),
    (ADDRESS, "STRUCT<zip: STRING NOT NULL> NOT NULL"),
    (["null", ADDRESS], "STRUCT<zip: STRING NOT NULL>"),
    ({**ADDRESS, "type": "error"}, "STRUCT<zip: STRING NOT NULL> NOT NULL"),
]


@pytest.mark.parametrize(("schema", "expected"), FORMS, ids=lambda v: v if isinstance(v, str) else json.dumps(v)[:50])
def test_each_form_is_a_type(schema: Any, expected: str) -> None:
    """As a field: nullable by a union with null alone."""
    assert described(field(schema)) == f"STRUCT<f: {expected}>"


@pytest.mark.parametrize(("schema", "expected"), FORMS, ids=lambda v: v if isinstance(v, str) else json.dumps(v)[:50])
def test_each_form_is_one_by_another_library(schema: Any, expected: str) -> None:
    """What is taken as Avro is Avro."""
    fastavro.parse_schema(field(schema))


def test_a_schema_may_be_wrapped() -> None:
    """As Avro's own library for Java takes it, and not every other."""
    assert described(field({"type": {"type": "string"}})) == "STRUCT<f: STRING NOT NULL>"
    assert described(field({"type": ["null", "int"]})) == "STRUCT<f: INT>"


def test_a_schema_may_be_no_record() -> None:
    """A key is often a primitive; null beside it is a tombstone's affair."""
    assert described("string") == "STRING"
    assert described(["null", ADDRESS]) == "STRUCT<zip: STRING NOT NULL>"


def test_a_default_leaves_a_field_not_null() -> None:
    """It says how records without the field are read; each that is written has it."""
    schema = field("int")
    schema["fields"][0]["default"] = 3
    assert described(schema) == "STRUCT<f: INT NOT NULL>"


def test_named_types_are_found_by_their_namespaces() -> None:
    """A name without dots stands in the namespace around it; a full name and an empty namespace leave it."""
    inner = {"type": "enum", "name": "Colour", "symbols": ["RED"]}
    bare = {"type": "fixed", "name": "Id", "namespace": "", "size": 4}
    fields = [
        {"name": "home", "type": ADDRESS},
        {"name": "work", "type": ["null", "a.b.Address"]},
        {"name": "colour", "type": {"type": "record", "name": "x.y.Z", "fields": [{"name": "c", "type": inner}]}},
        {"name": "other", "type": "x.y.Colour"},
        {"name": "id", "type": bare},
        {"name": "more", "type": {"type": "array", "items": "x.y.Z"}},
        {"name": "own", "type": {"type": "record", "name": "Own", "fields": [{"name": "z", "type": "x.y.Colour"}]}},
        {"name": "again", "type": "Own"},
        {"name": "full", "type": "shop.Own"},
    ]
    schema = {"type": "record", "name": "Order", "namespace": "shop", "fields": fields}
    fastavro.parse_schema(schema)
    assert described(schema) == (
        "STRUCT<home: STRUCT<zip: STRING NOT NULL> NOT NULL, work: STRUCT<zip: STRING NOT NULL>, "
        "colour: STRUCT<c: STRING NOT NULL> NOT NULL, other: STRING NOT NULL, id: BYTES NOT NULL, "
        "more: ARRAY<STRUCT<c: STRING NOT NULL>> NOT NULL, own: STRUCT<z: STRING NOT NULL> NOT NULL, "
        "again: STRUCT<z: STRING NOT NULL> NOT NULL, full: STRUCT<z: STRING NOT NULL> NOT NULL>"
    )


TREE = {"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}
# What is wrong, the words that are marked, the message, and a twin that differs in the fault alone.
REFUSED: list[tuple[Any, str, str, bool, Any]] = [
    (["int", "string"], '["int", "string"]', "a union of int and string has no type", False, ["null", "string"]),
    (["null", "int", "long"], '["null", "int", "long"]', "a union of int and long has no type", False, ["null", "int"]),
    ("null", '"null"', "a schema that is always null has no type", False, "int"),
    (["null"], '"null"', "a schema that is always null has no type", False, ["int"]),
    (TREE, '"Node"]', "the record 'Node' contains itself", False, ADDRESS),
    ("R", '"R"}', "the record 'R' contains itself", False, "int"),
    ({"type": "record", "name": "E", "fields": []}, "[]", "the record 'E' has no fields", False, ADDRESS),
    (
        {"type": "record", "name": "C", "fields": [{"name": "a", "type": "int"}, {"name": "A", "type": "int"}]},
        '"A"',
        "the fields 'a' and 'A' differ only in case",
        False,
        {"type": "record", "name": "C", "fields": [{"name": "a", "type": "int"}, {"name": "B", "type": "int"}]},
    ),
    (
        logical("bytes", "decimal", precision=39),
        "39",
        "a decimal of 39 digits has no type",
        False,
        logical("bytes", "decimal", precision=38),
    ),
    (
        logical("bytes", "decimal", precision=3, scale=4),
        "3,",
        "a decimal must have a 'precision', and a 'scale' between 0 and that",
        True,
        logical("bytes", "decimal", precision=4, scale=4),
    ),
    ("integer", '"integer"', "unknown type 'integer'", True, "int"),
    ("b.Missing", '"b.Missing"', "unknown type 'b.Missing'", True, "int"),
    (3, "3", "expected a schema, found a number", True, "int"),
    ([], "[]", "an empty union", True, ["int"]),
    (["null", "null", "int"], '["null", "null", "int"]', "null occurs twice in one union", True, ["null", "int"]),
    (["int", ["null", "int"]], '["null", "int"]', "a union must not contain a union", True, ["null", "int"]),
    ({"type": "array"}, '{"type": "array"}', "array without 'items'", True, {"type": "array", "items": "int"}),
    ({"type": "map"}, '{"type": "map"}', "map without 'values'", True, {"type": "map", "values": "int"}),
    ({"name": "x"}, '{"name": "x"}', "a schema without 'type'", True, {"name": "x", "type": "int"}),
    (
        {"type": "fixed", "name": "F", "size": "4"},
        '"4"',
        "a fixed must have a 'size' in bytes",
        True,
        {"type": "fixed", "name": "F", "size": 4},
    ),
    (
        {"type": "enum", "name": "E", "symbols": [1]},
        "[1]",
        "an enum must have a list of texts, 'symbols'",
        True,
        {"type": "enum", "name": "E", "symbols": ["a"]},
    ),
    (
        {"type": "fixed", "size": 4},
        '{"type": "fixed", "size": 4}',
        "a type 'fixed' without a name",
        True,
        {"type": "fixed", "size": 4, "name": "F"},
    ),
    (
        {"type": "fixed", "size": 4, "name": "F-1"},
        '"F-1"',
        "'F-1' is not a valid name in Avro",
        True,
        {"type": "fixed", "size": 4, "name": "F1"},
    ),
    (
        {"type": "fixed", "size": 4, "name": "R"},
        '"R"}}',
        "the type 'R' is defined twice",
        True,
        {"type": "fixed", "size": 4, "name": "S"},
    ),
    (
        {"type": "record", "name": "E"},
        '{"type": "record", "name": "E"}',
        "the record 'E' has no list of 'fields'",
        True,
        ADDRESS,
    ),
    (
        {"type": "record", "name": "E", "fields": [{"name": "a-b", "type": "int"}]},
        '"a-b"',
        "'a-b' is not a valid name in Avro",
        True,
        {"type": "record", "name": "E", "fields": [{"name": "ab", "type": "int"}]},
    ),
    (
        {"type": "record", "name": "E", "fields": [{"name": "a"}]},
        '{"name": "a"}',
        "the field 'a' has no type",
        True,
        {"type": "record", "name": "E", "fields": [{"name": "a", "type": "int"}]},
    ),
    (
        {"type": "record", "name": "E", "fields": [{"type": "int"}]},
        '{"type": "int"}',
        "a field without a name",
        True,
        {"type": "record", "name": "E", "fields": [{"type": "int", "name": "a"}]},
    ),
    (
        {"type": "record", "name": "E", "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "long"}]},
        '"a", "type": "long"',
        "the record 'E' has two fields 'a'",
        True,
        {"type": "record", "name": "E", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "long"}]},
    ),
]


@pytest.mark.parametrize(("wrong", "marked", "message", "malformed", "right"), REFUSED, ids=lambda v: str(v)[:40])
def test_what_is_refused_and_where(wrong: Any, marked: str, message: str, malformed: bool, right: Any) -> None:
    """One problem, at the very words, with the way to them; the twin has none."""
    text = json.dumps(field(wrong))
    found = read_avro(text)
    assert [(p.message, p.is_malformed) for p in found.problems] == [(message, malformed)]
    problem = found.problems[0]
    assert problem.start == text.index(marked)
    assert problem.path.startswith("$.fields[0]")
    assert read_avro(json.dumps(field(right))).type is not None


def test_all_problems_are_told_with_their_ways() -> None:
    """In one reading, whatever else is wrong; what is used twice is told once."""
    fields = [
        {"name": "a", "type": "nope"},
        {"name": "b", "type": {"type": "array", "items": ["int", "long"]}},
        {"name": "c", "type": {"type": "record", "name": "C", "fields": [{"name": "x", "type": "nil"}]}},
        {"name": "d", "type": "C"},
    ]
    found = read_avro(json.dumps({"type": "record", "name": "R", "fields": fields}))
    assert [p.path for p in found.problems] == [
        "$.fields[0].type",
        "$.fields[1].type.items",
        "$.fields[2].type.fields[0].type",
    ]
    assert found.type is None


@pytest.mark.parametrize(
    ("text", "start"), [("", 0), ("{", 1), ('{"type": "int",}', 15), ("{'type': 1}", 1), ("[" * 500, 200)]
)
def test_what_is_no_json_is_told_at_its_place(text: str, start: int) -> None:
    """However deep."""
    assert [(p.path, p.start, p.is_malformed) for p in read_avro(text).problems] == [("$", start, True)]


def test_a_schema_that_stands_for_too_much_is_refused() -> None:
    """Thirty records, each with two of the one before, are a thousand million fields; a row of arrays has no end."""
    inner: Any = "int"
    fields = [{"name": "x", "type": {"type": "record", "name": "R0", "fields": [{"name": "f", "type": "int"}]}}]
    for i in range(1, 31):
        two = [{"name": n, "type": f"R{i - 1}"} for n in "ab"]
        fields.append({"name": f"x{i}", "type": {"type": "record", "name": f"R{i}", "fields": two}})
    found = read_avro(json.dumps({"type": "record", "name": "R", "fields": fields}))
    assert [p.message for p in found.problems] == ["a schema of more than 20,000 types, references followed"]
    for _ in range(70):
        inner = {"type": "array", "items": inner}
    assert [p.message for p in read_avro(json.dumps(inner)).problems] == ["a type nested deeper than 64"]


@given(st.integers())
def test_mutated_schemas_give_a_type_or_problems(seed: int) -> None:
    """Never anything else."""
    chosen = random.Random(seed)
    text = json.dumps(field(chosen.choice([s for s, _ in FORMS] + [s for s, *_ in REFUSED])))
    for _ in range(chosen.randint(1, 4)):
        at, to = sorted(chosen.randrange(len(text)) for _ in range(2))
        text = text[:at] + chosen.choice(['"', "{}", "[]", "null", "R", ",", text[at:to] * 2]) + text[to:]
    found = read_avro(text)
    assert isinstance(found, SchemaRead)
    assert (found.type is None) == bool(found.problems)
