"""Records in the wire format of schema registries as Python values, and what cannot be read as faults."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsqlc.formats.avro.read import read_avro
from lsqlc.formats.avro.wire import avro_decoder, avro_encoder
from lsqlc.formats.avro.write import avro_text
from lsqlc.formats.json_schema.codec import json_encoder
from lsqlc.formats.registered import BROKEN, NO_MAGIC, Fault
from lsqlc.types import codec
from lsqlc.types.data import DataType
from lsqlc.types.ddl import parse_columns, parse_type
from tests.formats.schema_types import avro_value, types
from tests.registry.values import values


def schema(*fields: dict[str, Any], name: str = "r") -> str:
    return json.dumps({"type": "record", "name": name, "fields": list(fields)})


def type_of(text: str) -> DataType:
    type = read_avro(text).type
    assert type is not None
    return type


def written(text: str, value: Any, id: int = 7) -> bytes:
    """A record as fastavro writes it, by its own logical types."""
    body = io.BytesIO()
    fastavro.schemaless_writer(body, fastavro.parse_schema(json.loads(text)), value)
    return b"\0" + id.to_bytes(4, "big") + body.getvalue()


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None, max_examples=30)
@given(st.data())
def test_what_is_written_is_read(source: st.DataObject) -> None:
    """By our own reader, and by fastavro with logical types of its own."""
    type = source.draw(types())
    text = avro_text(type, "r")
    value, _ = codec.check(type, source.draw(values(type)))
    content = avro_encoder(type, text, 7)(value)
    assert content is not None and content[:5] == b"\0\0\0\0\7"
    again = avro_decoder(type, text, {7: text})(content)
    assert codec.encode_text(type, again) == codec.encode_text(type, value)
    ours = avro_decoder(type, text, {7: text})(written(text, avro_value(type, value)))
    assert codec.encode_text(type, ours) == codec.encode_text(type, value)


def test_none_stays_none() -> None:
    """A tombstone has no bytes."""
    text = schema({"name": "a", "type": "int"})
    assert avro_decoder(type_of(text), text, {7: text})(None) is None
    assert avro_encoder(type_of(text), text, 7)(None) is None


OLD = schema({"name": "id", "type": "int"}, {"name": "note", "type": "string"})
NEW = schema(
    {"name": "id", "type": "long"},
    {"name": "text", "aliases": ["note"], "type": ["null", "string"], "default": None},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}, "default": 0},
)


def test_each_writer_is_read_with_the_reader_schema() -> None:
    """Promotion, an alias and a default, by the id that stands before the body."""
    read = avro_decoder(type_of(NEW), NEW, {1: OLD, 2: NEW})
    epoch, noon = datetime(1970, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 12, tzinfo=UTC)
    assert read(written(OLD, {"id": 5, "note": "n"}, 1)) == {"id": 5, "text": "n", "at": epoch}
    new = {"id": 2**40, "text": None, "at": noon}
    assert read(written(NEW, new, 2)) == new


def test_fewer_columns_and_names_in_another_case_are_read() -> None:
    """As a ksqlDB program declares them."""
    type = parse_columns("TEXT STRING, ID BIGINT")
    assert avro_decoder(type, NEW, {1: OLD})(written(OLD, {"id": 5, "note": "n"}, 1)) == {"TEXT": "n", "ID": 5}


KINDS = schema(
    {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["OPEN", "SENT"]}},
    {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 2}},
    {"name": "sum", "type": {"type": "fixed", "name": "Sum", "size": 4, "logicalType": "decimal", "precision": 9,
                             "scale": 2}},
    {"name": "day", "type": {"type": "int", "logicalType": "date"}},
    {"name": "time", "type": {"type": "int", "logicalType": "time-millis"}},
    {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
)  # fmt: skip


def test_kinds_that_no_type_is_written_as() -> None:
    """An enum, a fixed, a decimal in a fixed, times of milliseconds: read and written."""
    value = {
        "state": "SENT",
        "hash": b"ab",
        "sum": Decimal("-1.50"),
        "day": date(2024, 2, 29),
        "time": 1_000,
        "id": "x",
    }
    content = avro_encoder(type_of(KINDS), KINDS, 7)(value)
    assert avro_decoder(type_of(KINDS), KINDS, {7: KINDS})(content) == value


@pytest.mark.parametrize(("field", "bad", "why"), [
    ("state", "LOST", "'LOST', which is not a symbol of State"),
    ("hash", b"abc", "3 bytes, and Hash has 2"),
    ("id", None, "'id' is null, which the schema does not let it be"),
])  # fmt: skip
def test_a_value_that_the_schema_has_no_place_for_is_not_written(field: str, bad: Any, why: str) -> None:
    value = {"state": "SENT", "hash": b"ab", "sum": Decimal("1.50"), "day": date(2024, 2, 29), "time": 0, "id": "x"}
    with pytest.raises(ValueError, match=why):
        avro_encoder(type_of(KINDS), KINDS, 7)({**value, field: bad})


NAMED = schema(
    {"name": "e", "type": ["null", {"type": "enum", "name": "E", "symbols": ["A", "B"]}]},
    {"name": "f", "type": {"type": "fixed", "name": "F", "namespace": "x", "size": 1}},
    {"name": "r", "type": {"type": "array", "items": {
        "type": "record", "name": "I", "fields": [{"name": "a", "aliases": ["b"], "type": "long"}]}}},
)  # fmt: skip
RENAMED = schema(
    {"name": "more", "type": {"type": "record", "name": "More", "fields": [{"name": "z", "type": "string"}]}},
    {"name": "r", "type": {"type": "array", "items": {
        "type": "record", "name": "J", "fields": [{"name": "b", "type": "int"}, {"name": "m", "type": "More"}]}}},
    {"name": "f", "type": {"type": "fixed", "name": "G", "size": 1}},
    {"name": "e", "type": {"type": "enum", "name": "y.E", "symbols": ["B", "A"]}},
    name="z.other",
)  # fmt: skip
RENAMED_VALUE = {"more": {"z": "z"}, "r": [{"b": 5, "m": {"z": ""}}], "f": b"f", "e": "A"}


def test_names_of_types_are_not_compared() -> None:
    """What a record is called says nothing of its values, and libraries differ in which names they compare."""
    read = avro_decoder(type_of(NAMED), NAMED, {7: RENAMED})
    assert read(written(RENAMED, RENAMED_VALUE)) == {"e": "A", "f": b"f", "r": [{"a": 5}]}


FAULTS = [
    (OLD, b"", NO_MAGIC),
    (OLD, b"\1\0\0\0\1\2\0", NO_MAGIC),
    (OLD, b"\0\0\0", BROKEN),
    (OLD, b"\0\0\0\0\7", BROKEN),
    (OLD, b"\0\0\0\0\7\2", BROKEN),
    (OLD, b"\0\0\0\0\x09\2\2a", "the schema id 9 is of no version of the subject"),
    (OLD, b"\0\0\0\0\7\2\2\xff", "'note' is not UTF-8"),
    (schema({"name": "d", "type": {"type": "int", "logicalType": "date"}}),
     b"\0\0\0\0\7\xfe\xff\xff\xff\x0f", "'d' is not in the years 1 to 9999"),
    (schema({"name": "t", "type": {"type": "long", "logicalType": "time-micros"}}), b"\0\0\0\0\7\1",
     "'t' is not a time of day"),
    (schema({"name": "n", "type": {"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 0}}),
     b"\0\0\0\0\7\2\x64", BROKEN),
    (schema({"name": "m", "type": {"type": "array", "logicalType": "map", "items": {
        "type": "record", "name": "e", "fields": [{"name": "key", "type": "int"},
                                                  {"name": "value", "type": "int"}]}}}),
     b"\0\0\0\0\7\4\2\2\2\2\0", "a key of 'm' stands twice"),
]  # fmt: skip


def hostile(type: Any, *bodies: bytes) -> list[tuple[str, bytes, str]]:
    """Bodies of a field that have no value, as rows of `FAULTS`."""
    return [(schema({"name": "v", "type": type}), b"\0\0\0\0\7" + body, BROKEN) for body in bodies]


_ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
FAULTS += [
    # Too many bytes, or bits, of a number.
    *hostile("int", b"", b"\x80", b"\xff" * 5 + b"\x01", b"\x80" * 5 + b"\0"),
    *hostile("long", b"\x80" * 10 + b"\0", b"\xff" * 100),
    # A length beyond the record, and a negative one.
    *hostile("string", b"\x0aab", b"\1ab", b"\3ab", b"\xff" * 4 + b"\x0fab", b"\x80" * 9 + b"\1ab"),
    *hostile("bytes", b"\x0aab", b"\3ab"),
    *hostile({"type": "fixed", "name": "F", "size": 4}, b"abc"),
    *hostile("boolean", b""), *hostile("float", b"abc"), *hostile("double", b"abcdefg"),
    # No such branch and symbol.
    *hostile(["null", "int"], b"\4\2", b"\1\2", b"\3\2"),
    *hostile(_ENUM, b"\4", b"\1", b"\3"),
    # A block that ends early: the last one would take gigabytes if its array were allocated before.
    *hostile({"type": "array", "items": "int"}, b"\x06\2\2", b"\3\4\2", b"\xfe\xff\x03\2", b"\x80\x80\x80\x80\x08\2"),
    *hostile({"type": "map", "values": "int"}, b"\x06\2a\2", b"\2\x0aa\2\0"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "content", "why"), FAULTS)
def test_what_cannot_be_read_is_a_fault_with_its_reason(text: str, content: bytes, why: str) -> None:
    assert avro_decoder(type_of(text), text, {7: text})(content) == Fault(why)


# Spark reads the byte 2 as false, a number whose last bits are too many without them, and a block of any size.
LENIENT = [
    *hostile("boolean", b"\2"), *hostile(["null", "int"], b"\x80\x80\x80\x80\x10\2"),
    *hostile("int", b"\xff\xff\xff\xff\x7f"), *hostile("long", b"\xff" * 9 + b"\x7f"),
    *hostile({"type": "array", "items": "int"}, b"\3\x11\2\4\0", b"\xff" * 9 + b"\1\2\2"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "content", "why"), LENIENT)
def test_the_client_refuses_more(text: str, content: bytes, why: str) -> None:
    assert avro_decoder(type_of(text), text, {7: text})(content) == Fault(why)


@pytest.mark.parametrize("items", ["null", {"type": "record", "name": "E", "fields": []}])
def test_items_without_bytes_have_a_limit(items: Any) -> None:
    """A block of a few bytes would be a list of any length, or be passed over for years."""
    old = schema({"name": "n", "type": {"type": "array", "items": items}}, {"name": "v", "type": "int"})
    new = schema({"name": "v", "type": "int"})
    read = avro_decoder(type_of(new), new, {7: old})
    assert read(b"\0\0\0\0\7\6\0\2") == {"v": 1}
    assert read(b"\0\0\0\0\7" + b"\xfe" * 8 + b"\1\0\2") == Fault(BROKEN)
    assert read(b"\0\0\0\0\7" + b"\x80\x08" * 30 + b"\0\2") == Fault(BROKEN)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_mutated_bodies_have_a_value_or_a_fault(source: st.DataObject) -> None:
    """A value that can be written again."""
    type = source.draw(types())
    text = avro_text(type, "r")
    encode, read = avro_encoder(type, text, 7), avro_decoder(type, text, {7: text})
    body = bytearray(encode(codec.check(type, source.draw(values(type)))[0]) or b"")
    for _ in range(source.draw(st.integers(1, 3))):
        if len(body) > 5:
            body[source.draw(st.integers(5, len(body) - 1))] = source.draw(st.integers(0, 255))
    value = read(bytes(body))
    assert isinstance(value, Fault) or read(encode(value)) == value or "NaN" in codec.encode_text(type, value)


def test_a_null_where_the_declaration_has_none_is_a_fault() -> None:
    text = schema({"name": "a", "type": ["null", "int"]})
    read = avro_decoder(parse_columns("a INT NOT NULL"), text, {7: text})
    assert read(written(text, {"a": None})) == Fault("'a' is null, and is declared NOT NULL")


def test_a_type_that_the_schema_does_not_give_is_refused_at_once() -> None:
    """Before any record is read."""
    with pytest.raises(ValueError, match="long is not read as STRING"):
        avro_decoder(parse_columns("id STRING"), NEW, {})
    with pytest.raises(ValueError, match="'id' is DOUBLE, which int does not hold"):
        avro_encoder(parse_columns("id DOUBLE, note STRING"), OLD, 1)


def test_json_bodies() -> None:
    """JSON text behind the id of a schema, which may have more fields and wider types."""
    at = '{"properties": {"b": {"type": "number"}}, "required": []}'
    schema = f'{{"properties": {{"a": {{"type": "integer"}}, "at": {at}, "c": {{"type": ["string", "null"]}}}}}}'
    type = parse_type("STRUCT<a: INT, at: STRUCT<b: FLOAT>>")
    write = json_encoder(type, schema, 7)
    assert write({"a": 1, "at": {"b": 1.5}}) == b'\0\0\0\0\7{"a":1,"at":{"b":1.5}}'
    assert write({"a": 1, "at": {"b": None}}) == b'\0\0\0\0\7{"a":1,"at":{"b":null}}' and write(None) is None
    strict = json_encoder(type, schema.replace("[]", '["b"]'), 7)
    assert strict({"a": None, "at": None}) == b'\0\0\0\0\7{"a":null,"at":null}'
    with pytest.raises(codec.ValueProblems, match=r"at\.b.*is null, which the schema does not allow"):
        strict({"a": 1, "at": {"b": None}})


@pytest.mark.parametrize(("columns", "said"), [
    ("a STRING", "'a' is STRING here, and BIGINT in the schema"),
    ("a BIGINT, x INT", "'x' is INT here, and is not in the schema"),
    ("A BIGINT", "'A' is BIGINT here, and is not in the schema"),
    ("a BIGINT, list ARRAY<STRING>", r"'list\[\]' is STRING here, and BIGINT in the schema"),
    ("list ARRAY<INT>", "the value has no 'a', which the schema requires"),
])  # fmt: skip
def test_types_that_a_json_schema_does_not_take(columns: str, said: str) -> None:
    integer = '{"type": "integer"}'
    schema = f'{{"properties": {{"a": {integer}, "list": {{"items": {integer}}}}}, "required": ["a"]}}'
    with pytest.raises(ValueError, match=said):
        json_encoder(parse_columns(columns), schema, 1)


def test_a_part_without_a_type_takes_text_only_where_it_accepts_text() -> None:
    """It is read as the text of any JSON, and a column is written as a text: that is no object."""
    schema = '{"properties": {"any": {}, "object": {"type": "object"}, "tags": {"items": {"type": "array"}}}}'
    assert json_encoder(parse_columns("any STRING"), schema, 7)({"any": "a"}) == b'\0\0\0\0\7{"any":"a"}'
    for columns, path in (("object STRING", "object"), ("tags ARRAY<STRING>", r"tags\[\]"), ("any INT", "any")):
        with pytest.raises(ValueError, match=f"'{path}' is (STRING|INT) here"):
            json_encoder(parse_columns(columns), schema, 7)
