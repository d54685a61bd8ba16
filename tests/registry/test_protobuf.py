"""Protobuf schemas of a registry, and their records: against Confluent's serializer and deserializer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lsqlc.formats.protobuf.compiler import protobuf_text
from lsqlc.formats.protobuf.fit import KEYS
from lsqlc.formats.protobuf.format import PROTOBUF
from lsqlc.formats.protobuf.read import read_protobuf
from lsqlc.formats.protobuf.tree import ProtobufError, message_names
from lsqlc.formats.protobuf.write import protobuf_schema, protobuf_source
from lsqlc.formats.record import StoredFacet
from lsqlc.formats.registered import FacetSchemas
from lsqlc.types import codec, data
from lsqlc.types.codec import ValueProblems
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct
from lsqlc.types.ddl import columns_text, parse_columns
from tests.kafka.protobuf_client import framed, unframed
from tests.registry.values import values

KINDS = """
    syntax = "proto3";
    package shop;
    import "confluent/meta.proto";
    import "confluent/type/decimal.proto";
    import "google/protobuf/timestamp.proto";
    import "google/protobuf/wrappers.proto";
    import "google/type/date.proto";
    import "google/type/timeofday.proto";
    message Kinds {
      int32 i = 1; sint32 si = 2; sfixed32 sf = 3; uint32 u = 4; fixed32 f = 5;
      int64 l = 6; sint64 sl = 7; sfixed64 sfl = 8; uint64 ul = 9; fixed64 fl = 10;
      float r = 11; double d = 12; bool b = 13; string s = 14; bytes y = 15;
      enum E { option allow_alias = true; ZERO = 0; ONE = 1; UNO = 1; }
      E e = 16;
      optional int32 oi = 17; optional E oe = 18;
      google.protobuf.Int64Value wl = 19; google.protobuf.BytesValue wy = 20; google.protobuf.BoolValue wb = 21;
      google.protobuf.Timestamp t = 22; google.type.Date day = 23; google.type.TimeOfDay time = 24;
      confluent.type.Decimal n = 25 [(confluent.field_meta) = {
        params: [{key: "precision", value: "6"}, {key: "scale", value: "2"}]
      }];
      Inner in = 26; repeated Inner ins = 27; repeated E es = 28; repeated google.protobuf.StringValue ws = 29;
      map<int64, Inner> m = 30; map<bool, string> mb = 31;
      oneof one { int32 a = 32; Inner c = 33; }
      message Inner { string x = 1; optional double z = 2; }
    }
"""
KIND_COLUMNS = """
    i INT NOT NULL, si INT NOT NULL, sf INT NOT NULL, u BIGINT NOT NULL, f BIGINT NOT NULL, l BIGINT NOT NULL,
    sl BIGINT NOT NULL, sfl BIGINT NOT NULL, ul BIGINT NOT NULL, fl BIGINT NOT NULL, r FLOAT NOT NULL,
    d DOUBLE NOT NULL, b BOOLEAN NOT NULL, s STRING NOT NULL, y BYTES NOT NULL, e STRING NOT NULL, oi INT, oe STRING,
    wl BIGINT, wy BYTES, wb BOOLEAN, t TIMESTAMP, day DATE, time TIME, n DECIMAL(6,2),
    in STRUCT<x: STRING NOT NULL, z: DOUBLE>, ins ARRAY<STRUCT<x: STRING NOT NULL, z: DOUBLE>> NOT NULL,
    es ARRAY<STRING> NOT NULL, ws ARRAY<STRING> NOT NULL, m MAP<BIGINT,STRUCT<x: STRING NOT NULL, z: DOUBLE>> NOT NULL,
    mb MAP<BOOLEAN,STRING> NOT NULL, a INT, c STRUCT<x: STRING NOT NULL, z: DOUBLE>
"""
# As Protobuf's own JSON has the values, and as the language has them.
FULL = (
    {
        "i": -5, "si": -(2**31), "sf": 7, "u": 2**32 - 1, "f": 2**32 - 1, "l": "-5", "sl": "-9", "sfl": "7",
        "ul": str(2**63 - 1), "fl": "1", "r": 0.5, "d": "NaN", "b": True, "s": 'ü"\n', "y": "AAE=", "e": "UNO",
        "oi": 0, "oe": "ZERO", "wl": "0", "wy": "", "wb": False, "t": "2024-02-29T12:00:00.000001Z",
        "day": {"year": 2024, "month": 2, "day": 29}, "time": {"hours": 23, "nanos": 1000},
        "n": {"value": "/2o=", "precision": 6, "scale": 2}, "in": {"x": "x", "z": -0.5}, "ins": [{}, {"z": 0}],
        "es": ["ZERO", "ONE"], "ws": ["", "w"], "m": {"-1": {"x": "m"}}, "mb": {"true": "t"}, "c": {},
    },
    """{"i":-5,"si":-2147483648,"sf":7,"u":4294967295,"f":4294967295,"l":-5,"sl":-9,"sfl":7,"ul":9223372036854775807,
    "fl":1,"r":0.5,"d":"NaN","b":true,"s":"ü\\"\\n","y":"AAE=","e":"ONE","oi":0,"oe":"ZERO","wl":0,"wy":"","wb":false,
    "t":"2024-02-29T12:00:00.000001Z","day":"2024-02-29","time":82800000001,"n":-1.50,"in":{"x":"x","z":-0.5},
    "ins":[{"x":"","z":null},{"x":"","z":0}],"es":["ZERO","ONE"],"ws":["","w"],"m":{"-1":{"x":"m","z":null}},
    "mb":{"true":"t"},"a":null,"c":{"x":"","z":null}}""",
)  # fmt: skip
EMPTY: tuple[dict[str, Any], str] = (
    {},
    """{"i":0,"si":0,"sf":0,"u":0,"f":0,"l":0,"sl":0,"sfl":0,"ul":0,"fl":0,"r":0.0,"d":0.0,"b":false,"s":"","y":"",
    "e":"ZERO","oi":null,"oe":null,"wl":null,"wy":null,"wb":null,"t":null,"day":null,"time":null,"n":null,"in":null,
    "ins":[],"es":[],"ws":[],"m":{},"mb":{},"a":null,"c":null}""",
)


def type_of(text: str) -> Struct:
    type = read_protobuf(text).type
    assert isinstance(type, Struct)
    return type


def schemas_of(*texts: str, written: str | None = None) -> FacetSchemas:
    """The schemas of versions with the ids 7, 8, ...; the last one is read with, and written unless `written` is."""
    writers = {7 + place: text for place, text in enumerate(texts)}
    return FacetSchemas(texts[-1], writers, None if written is None else (written, 9))


def facet(schemas: FacetSchemas, type: DataType) -> StoredFacet:
    return StoredFacet("t", "value", type, "protobuf", schemas=lambda: schemas)


def read(schemas: FacetSchemas, type: DataType, content: bytes) -> Any:
    return PROTOBUF.decoder(facet(schemas, type))(content)


def write(schemas: FacetSchemas, type: DataType, value: Any) -> bytes:
    content = PROTOBUF.encoder(facet(schemas, type))(value)
    assert content is not None
    return content


def test_columns_of_each_kind() -> None:
    assert columns_text(type_of(protobuf_text(KINDS))) == columns_text(parse_columns(KIND_COLUMNS))


@pytest.mark.parametrize(("given", "text"), [FULL, EMPTY])
def test_values_of_each_kind(given: dict[str, Any], text: str) -> None:
    """What Confluent's serializer writes is read, and what is written its deserializer reads."""
    schema = protobuf_text(KINDS)
    type, own = type_of(schema), schemas_of(schema)
    content = framed(KINDS, "shop.Kinds", given, 7)
    value = read(own, type, content)
    expected, problems = codec.decode_text(type, text)
    assert not problems and codec.encode_text(type, value) == codec.encode_text(type, expected)
    again = write(own, type, value)
    assert again[:6] == b"\0\0\0\0\7\0"
    assert unframed(KINDS, "shop.Kinds", again) == unframed(KINDS, "shop.Kinds", content)


def columns() -> st.SearchStrategy[Struct]:
    """Structs that Protobuf has, whose lists and maps are not null."""
    leaves: st.SearchStrategy[DataType] = st.sampled_from(
        (data.BOOLEAN, data.INT, data.BIGINT, data.FLOAT, data.DOUBLE, data.STRING, data.BYTES, data.DATE, data.TIME,
         data.TIMESTAMP)
    )  # fmt: skip
    decimals = st.builds(Decimal, st.integers(6, 38), st.integers(0, 6))
    inner = st.recursive(leaves | decimals, lambda types: _structs(types), max_leaves=5)
    return _structs(inner)


def _structs(types: st.SearchStrategy[DataType]) -> st.SearchStrategy[Struct]:
    mapped = types.filter(lambda type: not isinstance(type, Decimal))
    many = st.builds(Array, types) | st.builds(Map, st.sampled_from(KEYS), mapped)
    parts = st.lists(st.tuples(types, st.booleans()) | many.map(lambda type: (type, False)), min_size=1, max_size=4)
    return parts.map(lambda found: Struct(tuple(Field(f"c_{i}x", t, n) for i, (t, n) in enumerate(found))))


def present(type: DataType, value: Any) -> Any:
    """A value without nulls in lists and maps."""
    match type:
        case Struct(fields) if value is not None:
            return {f.name: present(f.type, value[f.name]) for f in fields}
        case Array(element) if value is not None:
            return [present(element, item) for item in value if item is not None]
        case Map(_, element) if value is not None:
            return {k: present(element, item) for k, item in value.items() if item is not None}
    return value


def shown(type: DataType, value: Any) -> Any:
    """A value as JSON with all digits; the order of a map's entries does not count."""
    return json.loads(codec.encode_text(type, value), parse_float=str, parse_int=str)


@settings(suppress_health_check=[*HealthCheck], deadline=None, max_examples=15, phases=[Phase.generate])
@given(st.data())
def test_random_values_of_random_types(source: st.DataObject) -> None:
    """The schema of a type is what protoc makes of its text, and means the type again; values come back."""
    type = source.draw(columns())
    schema = protobuf_schema(type, "value")
    assert protobuf_text(protobuf_source(schema)) == schema
    own = schemas_of(schema)
    for _ in range(3):
        value, problems = codec.check(type, present(type, source.draw(values(type))))
        assert not problems
        content = write(own, type, value)
        assert shown(type, read(own, type, content)) == shown(type, value)


BARE = 'syntax = "proto3"; message K { int64 id = 1; }'


def test_a_value_without_fields() -> None:
    """It is the one field of a message."""
    schema = protobuf_text(BARE)
    own = schemas_of(schema)
    assert read(own, data.BIGINT, framed(BARE, "K", {"id": "5"}, 7)) == 5
    assert unframed(BARE, "K", write(own, data.BIGINT, 6)) == {"id": "6"}
    assert "  string key = 1;" in protobuf_source(protobuf_schema(data.STRING, "key"))


A = 'syntax = "proto3"; message A { int32 a = 1; string s = 2; uint64 u = 3; optional int32 o = 4; }'


@pytest.mark.parametrize(("content", "said"), [
    (b"", "the first byte is not 0"),
    (b"\1\0\0\0\7\0", "the first byte is not 0"),
    (b"\0\0\0", "the body cannot be read"),
    (b"\0\0\0\0\x09\0", "the schema id 9 is of no version of the subject"),
    (b"\0\0\0\0\7", "the body cannot be read"),
    (b"\0\0\0\0\7\xff\xff\xff\xff\xff\xff", "the body cannot be read"),
    (b"\0\0\0\0\7\xfe\xff\xff\xff\x0f\0", "the body cannot be read"),
    (b"\0\0\0\0\7\2\1", "the body cannot be read"),
    (b"\0\0\0\0\7\2\2", "its schema has no message with the indexes [1]"),
    (b"\0\0\0\0\7\0\x08", "the body cannot be read"),
    (b"\0\0\0\0\7\0\x12\1\xff", "the body cannot be read"),
    (b"\0\0\0\0\7\0\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", "'u' is 18446744073709551615, which BIGINT does not"),
])  # fmt: skip
def test_what_cannot_be_read(content: bytes, said: str) -> None:
    schema = protobuf_text(A)
    with pytest.raises(ValueProblems, match=said.replace("[", r"\[").replace("]", r"\]")):
        read(schemas_of(schema), type_of(schema), content)


@pytest.mark.parametrize(("columns", "value", "said"), [
    ("a INT", {"a": None}, "'a' is null, which the schema has no place for"),
    ("a INT, u BIGINT", {"a": 1, "u": -1}, "'u' is -1, which the schema has no place for"),
])  # fmt: skip
def test_what_cannot_be_written(columns: str, value: Any, said: str) -> None:
    with pytest.raises(ValueProblems, match=said):
        write(schemas_of(protobuf_text(A)), parse_columns(columns), value)


def test_one_of_the_members_of_a_oneof_is_written() -> None:
    """Rather than that one of them is lost; and a result never has a schema with one."""
    schema = protobuf_text('syntax = "proto3"; message A { oneof o { int32 a = 1; string s = 2; } }')
    own, type = schemas_of(schema), parse_columns("a INT, s STRING")
    value = {"a": None, "s": ""}
    assert read(own, type, write(own, type, value)) == value
    with pytest.raises(ValueProblems, match="'s' is not null, and neither is 'a'"):
        write(own, type, {"a": 1, "s": "x"})
    assert "optional int32 a = 1;" in protobuf_source(protobuf_schema(type, "value", [schema]))


def test_nulls_in_lists_are_not_written() -> None:
    type = parse_columns("l ARRAY<INT>, m MAP<STRING,INT>")
    write = PROTOBUF.encoder(facet(schemas_of(protobuf_schema(type, "value")), type))
    for value, said in (
        ({"l": [None], "m": {}}, "'l' has a null element"),
        ({"l": [], "m": {"k": None}}, "'m' has a null value"),
        ({"l": None, "m": {}}, "'l' is null, which the schema has no place for"),
    ):
        with pytest.raises(ValueProblems, match=said):
            write(value)


def test_fewer_columns_in_another_case_and_wider_types() -> None:
    """As a ksqlDB program declares them."""
    content = framed(A, "A", {"a": 5, "s": "x", "u": str(2**64 - 1)}, 7)
    type = parse_columns("S STRING, A BIGINT, O INT, U DECIMAL(20,0)")
    found = read(schemas_of(protobuf_text(A)), type, content)
    assert {k: str(v) for k, v in found.items()} == {"S": "x", "A": "5", "O": "None", "U": str(2**64 - 1)}


def test_each_version_is_read_by_the_numbers_of_the_last() -> None:
    """A field that is new has the default value in older records, and one that was renamed keeps its value."""
    new = 'syntax = "proto3"; message A { int64 a = 1; string text = 2; bool more = 5; }'
    own = schemas_of(protobuf_text(A), protobuf_text(new))
    assert read(own, type_of(protobuf_text(new)), framed(A, "A", {"a": 5, "s": "x", "o": 1}, 7)) == {
        "a": 5, "text": "x", "more": False,
    }  # fmt: skip


@pytest.mark.parametrize(("new", "said"), [
    ("message A { string a = 1; }", "'a' is int32 in the schema that wrote the record, and string in the one"),
    ("message A { float a = 1; }", "'a' is int32 .* and float"),
    ("message B { int32 a = 1; } message A { int32 a = 1; }", "is a message 'A', and not a 'B'"),
])  # fmt: skip
def test_records_whose_numbers_mean_something_else_are_bad(new: str, said: str) -> None:
    """Rather than being read as default values."""
    text = protobuf_text(f'syntax = "proto3"; {new}')
    with pytest.raises(ValueProblems, match=said):
        read(schemas_of(protobuf_text(A), text), type_of(text), framed(A, "A", {"a": 5}, 7))


def test_an_enum_that_grew() -> None:
    """A number without a symbol is itself, as text."""
    old = 'syntax = "proto3"; message A { enum E { X = 0; } E e = 1; }'
    grown = old.replace("X = 0;", "X = 0; Y = 5;")
    own = schemas_of(protobuf_text(old))
    assert read(own, type_of(protobuf_text(old)), framed(grown, "A", {"e": "Y"}, 7)) == {"e": "5"}


def test_references() -> None:
    """What a schema imports is in its text, as far as it uses it."""
    other = 'syntax = "proto2"; package z; message In { required int32 a = 1; optional string b = 2; } message No {}'
    text = protobuf_text('syntax = "proto3"; import "x/z.proto"; message A { z.In i = 1; }', {"x/z.proto": other})
    assert columns_text(type_of(text)) == "i STRUCT<a: INT NOT NULL, b: STRING>" and '"No"' not in text
    with pytest.raises(ProtobufError, match="not a name that a schema can be imported by"):
        protobuf_text(A, {"../z.proto": other})


@pytest.mark.parametrize(("text", "said"), [
    ("message A { A a = 1; }", "the message 'A' contains itself"),
    ("message A {}", "the message 'A' has no fields"),
    ("message A { int32 a = 1; int32 A = 2; }", "differ only in case"),
    ('import "confluent/type/decimal.proto"; message A { confluent.type.Decimal d = 1; }', "'d' is a Decimal without"),
    ("enum E { X = 0; }", "the schema has no message"),
])  # fmt: skip
def test_schemas_without_a_type(text: str, said: str) -> None:
    (problem,) = read_protobuf(protobuf_text(f'syntax = "proto3"; {text}')).problems
    assert said in problem.message


@pytest.mark.parametrize(("text", "said"), [
    ("message A { int32 a = 1 }", "line 1:"),
    ('syntax = "proto3"; import "nope.proto"; message A {}', "nope.proto"),
    ("", "the schema has no message"),
])  # fmt: skip
def test_texts_that_are_not_protobuf(text: str, said: str) -> None:
    with pytest.raises(ProtobufError, match=said):
        type_of_or_raise(protobuf_text(text))


def type_of_or_raise(text: str) -> None:
    message_names(text)
    problems = read_protobuf(text).problems
    if problems:
        raise ProtobufError(problems[0].message)


def test_editions_and_groups_are_refused() -> None:
    for text, said in (
        ('edition = "2023"; message A { int32 a = 1; }', "is of an edition"),
        ('syntax = "proto2"; message A { optional group G = 1 { optional int32 a = 1; } }', "'g' is a group"),
    ):
        assert said in read_protobuf(protobuf_text(text)).problems[0].message


FIRST = "a INT, b STRING NOT NULL, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>"


def test_a_new_version_keeps_the_numbers() -> None:
    """Of fields that exist, in structs too; a field that is new never has the number of one that was dropped."""
    one = protobuf_schema(parse_columns(FIRST), "value")
    two = protobuf_schema(parse_columns("c BIGINT, s STRUCT<z: INT, y: STRING>, a INT"), "value", [one])
    assert protobuf_source(two) == (
        'syntax = "proto3";\n\nmessage ConnectDefault1 {\n  optional int64 c = 5;\n  ConnectDefault2 s = 3;\n'
        "  optional int32 a = 1;\n\n  message ConnectDefault2 {\n    optional int32 z = 3;\n"
        "    optional string y = 2;\n  }\n}\n"
    )
    three = protobuf_schema(parse_columns(f"{FIRST}, d INT"), "value", [one, two])
    assert "int32 d = 6;" in protobuf_source(three) and "string b = 2;" in protobuf_source(three)


def test_a_dropped_field_that_comes_back() -> None:
    """It has its number where it is of its type again, and else a new one."""
    one = protobuf_schema(parse_columns("a INT, b INT"), "value")
    two = protobuf_schema(parse_columns("a INT"), "value", [one])
    assert "int32 b = 2;" in protobuf_source(protobuf_schema(parse_columns("a INT, b INT"), "value", [one, two]))
    assert "string b = 3;" in protobuf_source(protobuf_schema(parse_columns("a INT, b STRING"), "value", [one, two]))
    assert "string b = 2;" in protobuf_source(protobuf_schema(parse_columns("a INT, b STRING"), "value", [one]))


def test_a_version_that_takes_the_values_is_not_made_anew() -> None:
    """Whoever registered it: only what is written must fit, the order of fields and their names aside."""
    theirs = protobuf_text(
        'syntax = "proto3"; package p; import "google/protobuf/wrappers.proto";'
        " message Out { google.protobuf.StringValue note = 4; sint64 n = 2; enum E { X = 0; } optional E e = 3; }"
    )
    type = parse_columns("n BIGINT NOT NULL, note STRING, e STRING")
    assert protobuf_schema(type, "value", [theirs]) == theirs
    # A null has no place in 'n': it becomes optional, under its number and kind.
    source = protobuf_source(protobuf_schema(parse_columns("n BIGINT, note STRING"), "value", [theirs]))
    assert "package p;" in source and "message Out {\n  optional sint64 n = 2;\n" in source


def test_the_form_of_ksqldb() -> None:
    """The names, the messages and the known types that its converter writes."""
    text = (
        "S STRING NOT NULL, T TIMESTAMP, D DECIMAL(4,2), M MAP<STRING,INT>, I STRUCT<X: INT NOT NULL>, A ARRAY<STRING>"
    )
    assert protobuf_source(protobuf_schema(parse_columns(text), "value")) == (
        'syntax = "proto3";\n\nimport "confluent/meta.proto";\nimport "confluent/type/decimal.proto";\n'
        'import "google/protobuf/timestamp.proto";\n\nmessage ConnectDefault1 {\n  string S = 1;\n'
        "  google.protobuf.Timestamp T = 2;\n  confluent.type.Decimal D = 3 [(confluent.field_meta) = "
        '{params: [{key: "precision", value: "4"}, {key: "scale", value: "2"}]}];\n  map<string, int32> M = 4;\n'
        "  ConnectDefault2 I = 5;\n  repeated string A = 6;\n\n  message ConnectDefault2 {\n    int32 X = 1;\n  }\n}\n"
    )


@pytest.mark.parametrize(("columns", "said"), [
    ("l ARRAY<ARRAY<INT>>", "no lists of lists or maps"),
    ("m MAP<DOUBLE,INT>", "keys in Protobuf are STRING, BOOLEAN, INT or BIGINT"),
    ("m MAP<STRING,DECIMAL(4,2)>", "does not say a precision"),
    ("`a b` INT", "other characters than letters"),
])  # fmt: skip
def test_types_that_protobuf_does_not_have(columns: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        protobuf_schema(parse_columns(columns), "value")
