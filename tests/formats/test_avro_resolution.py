"""Compatibility of Avro schemas: the specification's rules, the modes of a registry, and what fastavro really reads."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import pytest
from fastavro import utils
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsqlc.formats.avro.positions import by_position
from lsqlc.formats.avro.resolution import incompatible, unreadable
from lsqlc.formats.avro.tree import AvroError, avro_json, avro_tree, canonical
from lsqlc.formats.registered import Mode


def record(*fields: Any, name: str = "r") -> Any:
    return {"type": "record", "name": name, "fields": [f if isinstance(f, dict) else _field(*f) for f in fields]}


def _field(name: str, type: Any, *default: Any) -> dict[str, Any]:
    return {"name": name, "type": type, **({"default": default[0]} if default else {})}


def reasons(reader: Any, writer: Any, **options: bool) -> tuple[str, ...]:
    return unreadable(avro_tree(json.dumps(reader)), avro_tree(json.dumps(writer)), **options)


ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
FIXED = {"type": "fixed", "name": "F", "size": 2}
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}

READ = [
    ("int", "int"), ("long", "int"), ("float", "int"), ("double", "long"), ("double", "float"), ("bytes", "string"),
    ("string", "bytes"), (["null", "long"], "int"), (["null", "string"], ["null", "string"]), ("long", ["int", "long"]),
    ({"type": "array", "items": "long"}, {"type": "array", "items": "int"}),
    ({"type": "map", "values": "double"}, {"type": "map", "values": "float"}),
    ({**ENUM, "symbols": ["A", "B", "C"]}, ENUM), ({**ENUM, "symbols": ["A"], "default": "A"}, ENUM), (FIXED, FIXED),
    (record(("a", "int"), ("b", "int", 1)), record(("a", "int"))),
    (record(("a", "int")), record(("a", "int"), ("b", "int"))),
    (record({"name": "n", "aliases": ["a"], "type": "long"}), record(("a", "int"))),
    (record(("a", "int"), name="x.r"), record(("a", "int"), name="y.r")), ("long", MILLIS),
    ({**record(("a", "int")), "aliases": ["old"]}, record(("a", "int"), name="old")),
]  # fmt: skip
UNREAD = [
    ("int", "long", "the value was written as long, and is read as int"),
    ("string", "int", "the value was written as int, and is read as string"),
    ("string", ["null", "string"], "the value was written as null, and is read as string"),
    (["null", "int"], "string", "the value was written as string, which is not in a union of null, int"),
    ({**ENUM, "symbols": ["A"]}, ENUM, "the value is read without the symbol 'B', and has no default"),
    (record(("a", "int")), record(("a", "int"), name="old"),
     "the value was written as record old, and is read as record r"),
    ({**ENUM, "name": "X"}, ENUM, "the value was written as enum E, and is read as enum X"),
    ({**FIXED, "size": 3}, FIXED, "the value was written as fixed F of 2 bytes, and is read as fixed F of 3"),
    (record(("a", "int"), ("b", "int")), record(("a", "int")), "'b' was not written, and has no default"),
    (record(("a", {"type": "array", "items": record(("x", "int"), name="i")})),
     record(("a", {"type": "array", "items": record(("x", "string"), name="i")})),
     "'a[].x' was written as string, and is read as int"),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "writer"), READ)
def test_what_is_read(reader: Any, writer: Any) -> None:
    assert reasons(reader, writer) == ()


@pytest.mark.parametrize(("reader", "writer", "why"), UNREAD)
def test_what_is_not_read_and_why(reader: Any, writer: Any, why: str) -> None:
    assert reasons(reader, writer) == (why,)


@pytest.mark.parametrize("writer", ["long", {"type": "long", "logicalType": "timestamp-micros"}])
def test_numbers_of_another_unit(writer: Any) -> None:
    """A registry takes them for compatible; the values would be others."""
    assert reasons(MILLIS, writer) == () and len(reasons(MILLIS, writer, logical=True)) == 1
    assert reasons(MILLIS, MILLIS, logical=True) == ()


A, B, C = record(("a", "int")), record(("a", "int"), ("b", "int", 0)), record(("b", "int"))


@pytest.mark.parametrize(("mode", "new", "old", "good"), [
    ("NONE", "int", ["string"], True), ("BACKWARD", B, [A], True), ("BACKWARD", C, [A], False),
    ("BACKWARD", C, [A, B], True), ("BACKWARD_TRANSITIVE", C, [A, B], False), ("FORWARD", A, [C], False),
    ("FORWARD", record(("a", "int"), ("c", "int")), [A], True), ("FORWARD", "long", ["int"], False),
    ("FORWARD_TRANSITIVE", B, [record(("z", "int")), A], False), ("FULL", B, [A], True),
    ("FULL", "long", ["int"], False),
    ("FULL_TRANSITIVE", B, [C, A], False), ("BACKWARD", A, [], True),
])  # fmt: skip
def test_the_modes(mode: Mode, new: Any, old: list[Any], good: bool) -> None:
    """BACKWARD: the new version reads the last one; FORWARD: the last one reads it; FULL both; TRANSITIVE: all."""
    found = incompatible(avro_tree(json.dumps(new)), [avro_tree(json.dumps(one)) for one in old], mode)
    assert (not found) == good, found


_LEAVES = st.sampled_from(["int", "long", "float", "double", "string", "bytes", "boolean", ENUM, FIXED])
_NULLABLE = _LEAVES | _LEAVES.map(lambda leaf: ["null", leaf])
_ITEMS = (
    _NULLABLE
    | _NULLABLE.map(lambda s: {"type": "array", "items": s})
    | _NULLABLE.map(lambda s: {"type": "map", "values": s})
)


@st.composite
def records(draw: st.DrawFn) -> Any:
    """Records over few names, so that two of them meet."""
    fields: dict[str, tuple[Any, Any]] = {}
    for name in draw(st.lists(st.sampled_from("abc"), unique=True, min_size=1)):
        type = draw(_ITEMS)
        defined = sum(json.dumps(type).count(one) for one in ('"enum"', '"fixed"'))
        if defined and any('"enum"' in json.dumps(t) or '"fixed"' in json.dumps(t) for t, _ in fields.values()):
            type = "int"
        fields[name] = (type, [0] if type in ("int", "long") and draw(st.booleans()) else [])
    return record(*((name, type, *default) for name, (type, default) in fields.items()))


@settings(max_examples=150, suppress_health_check=[*HealthCheck], deadline=None)
@given(records(), records())
def test_what_is_compatible_fastavro_reads(reader: Any, writer: Any) -> None:
    """Random values of the writer's schema, written and read by another library."""
    if reasons(reader, writer):
        return
    for value in utils.generate_many(fastavro.parse_schema(writer), 5):
        body = io.BytesIO()
        fastavro.schemaless_writer(body, fastavro.parse_schema(writer), value)
        if not _has_text(writer, reader):
            body.seek(0)
            fastavro.schemaless_reader(body, fastavro.parse_schema(writer), fastavro.parse_schema(reader))


def _has_text(writer: Any, reader: Any) -> bool:
    """Whether random bytes may be read as text, which need not be UTF-8."""
    return "bytes" in json.dumps(writer) and "string" in json.dumps(reader)


@settings(max_examples=100, suppress_health_check=[*HealthCheck], deadline=None)
@given(records())
def test_the_one_text_is_the_same_schema(schema: Any) -> None:
    """For fastavro too; and it is its own one text."""
    text = canonical(avro_tree(json.dumps({**schema, "doc": "words", "namespace": "x.y"})))
    again = avro_tree(text)
    assert canonical(again) == text
    assert avro_tree(json.dumps(avro_json(by_position(again)))) == by_position(again)
    fastavro.parse_schema(json.loads(text))


def test_names_are_found_where_they_are_meant() -> None:
    """In their namespace, else without one; a reference to another schema; a record within itself."""
    inner = {"type": "record", "name": "I", "namespace": "", "fields": [{"name": "x", "type": "int"}]}
    outer = {"type": "record", "name": "o.O", "fields": [{"name": "a", "type": inner}, {"name": "b", "type": "I"}]}
    tree = avro_tree(json.dumps(outer))
    assert tree.members[0].schema == tree.members[1].schema and tree.members[0].schema.name == "I"
    assert canonical(avro_tree(canonical(tree))) == canonical(tree)
    referred = avro_tree('{"type":"record","name":"P","fields":[{"name":"a","type":"I"}]}', {"I": json.dumps(inner)})
    assert referred.members[0].schema.members[0].name == "x"
    for bad in ('"J"', "{", "5", '{"type":"array"}', '{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}'):
        with pytest.raises(AvroError):
            avro_tree(bad)


def test_a_tree_has_a_limit() -> None:
    """Of the types that a few names stand for."""
    schema: Any = record(("x", "int"), name="R0")
    for i in range(1, 40):
        schema = record(("a", schema), ("b", f"R{i - 1}"), name=f"R{i}")
    with pytest.raises(AvroError, match="more than 200,000 types"):
        avro_tree(json.dumps(schema))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"type":"record","name":"R","fields":5}', "the fields of the record 'R' are not a list"),
        ('{"type":"record","name":"R","fields":{"a":1}}', "the fields of the record 'R' are not a list"),
        ('{"type":"record","name":"R","fields":[{"name":"a","type":"double","default":NaN}]}', "NaN is not a value"),
    ],
)
def test_what_is_no_schema(text: str, message: str) -> None:
    with pytest.raises(AvroError, match=message):
        avro_tree(text)
