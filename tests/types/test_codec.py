"""Values of records: LANGUAGE's rules for JSON, Python values, order and equality."""

import json
import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Context, Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsqlc.types import codec, data
from lsqlc.types.codec import MalformedJson, ValueProblems
from lsqlc.types.ddl import parse_columns, parse_type

NOON = datetime(2013, 1, 1, 12, tzinfo=UTC)

_WIDE = Context(prec=60)

GOOD = [
    ("INT", "-2147483648", -(2**31)),
    ("BIGINT", "9223372036854775807", 2**63 - 1),
    ("DOUBLE", "1", 1.0),
    ("DOUBLE", "1e3", 1000.0),
    ("DOUBLE", '"-Infinity"', -math.inf),
    ("FLOAT", "0.1", 0.10000000149011612),
    ("BOOLEAN", "false", False),
    ("STRING", '"a\\ud83d\\ude00"', "a\U0001f600"),
    ("STRING", '{"a" : [1, 2.50]}', '{"a" : [1, 2.50]}'),
    ("STRING", "12.50", "12.50"),
    ("DECIMAL(5,2)", "1.5", Decimal("1.50")),
    ("DECIMAL(5,2)", "1e2", Decimal("100.00")),
    ("DECIMAL(38,0)", "9" * 38, Decimal("9" * 38)),
    ("BYTES", '"AP8="', b"\x00\xff"),
    ("DATE", '"2013-01-01"', date(2013, 1, 1)),
    ("TIME", "86399999999", 86399999999),
    ("TIMESTAMP", '"2013-01-01T12:00:00Z"', NOON),
    ("TIMESTAMP", '"2013-01-01T13:00:00.5+01:00"', NOON.replace(microsecond=500000)),
    ("TIMESTAMP", "1357041600001", NOON.replace(microsecond=1000)),
    ("ARRAY<INT>", "[1,null]", [1, None]),
    ("MAP<STRING,INT>", '{"b":1,"a":null}', {"b": 1, "a": None}),
    ("MAP<INT,STRING>", '{"1":"x"}', {1: "x"}),
    ("STRUCT<a: INT, b: STRING>", '{"b":"x","more":{}}', {"a": None, "b": "x"}),
    ("INT", "null", None),
]

BAD = [
    ("INT", "1.0", "expected INT, found the number 1.0, which is not written as an integer"),
    ("INT", "1e2", "expected INT, found the number 1e2, which is not written as an integer"),
    ("INT", "2147483648", "expected INT, found the number 2147483648, which does not fit 32 bits"),
    ("BIGINT", "-9223372036854775809", "which does not fit 64 bits"),
    ("BIGINT", "9" * 5000, "which does not fit 64 bits"),
    ("INT", '"x"', "expected INT, found the string 'x'"),
    ("DOUBLE", '"1"', "expected DOUBLE, found the string '1'"),
    ("DOUBLE", "1e999", "which is too large"),
    ("FLOAT", "1e39", "which is too large"),
    ("BOOLEAN", "1", "expected BOOLEAN, found the number 1"),
    ("DECIMAL(5,2)", "1.505", "which has too many digits"),
    ("DECIMAL(5,2)", "1000", "which has too many digits"),
    ("DECIMAL(5,2)", "1e999999999", "which has too many digits"),
    ("DECIMAL(5,2)", '"1"', "expected DECIMAL(5,2), found the string '1'"),
    ("BYTES", '"?"', "which is not base64"),
    ("DATE", '"2013-02-30"', "which is not of the form 2013-01-01"),
    ("DATE", '"20130101"', "which is not of the form 2013-01-01"),
    ("TIME", "86400000000", "which is no time of day"),
    ("TIMESTAMP", '"2013-01-01T12:00:00"', "which is not of the form"),
    ("TIMESTAMP", "1.5", "which is not in epoch milliseconds"),
    ("ARRAY<INT>", "{}", "expected an ARRAY, found an object"),
    ("STRUCT<a: INT NOT NULL>", "{}", "expected INT NOT NULL, found no such field"),
    ("STRUCT<a: INT NOT NULL>", '{"a":null}', "expected INT NOT NULL, found null"),
    ("STRUCT<a: INT>", "[]", "expected a STRUCT, found an array"),
    ("MAP<INT,INT>", '{"x":1}', "in the key, expected INT, found the string 'x'"),
]

MALFORMED = [
    ("", 0),
    ("{", 1),
    ("1 2", 2),
    ("NaN", 0),
    ("01", 0),
    ("1.", 0),
    ('{"a":1,}', 7),
    ("[1,]", 3),
    ('{"a":1,"a":2}', 7),
    ('{"a":{"b":1,"b":2}}', 12),
    ('[{"a":1,"\\u0061":2},1]', 8),
    ('{"a" :1, "a" :2}', 9),
    ('{"a":1 "b":2}', 7),
    ('"\\ud800"', 0),
    ('"\\x"', 1),
    ('"a\tb"', 2),
    ('"abc', 0),
    ("[" * 100_000, 998),
]


@pytest.mark.parametrize(("type", "text", "value"), GOOD)
def test_json_that_is_of_its_type_is_read_alike_exactly_and_in_bulk(type: str, text: str, value: Any) -> None:
    """Both readings give the value, with the Python class of the public API."""
    parsed = parse_type(type)
    assert codec.decode_text(parsed, text) == (value, ())
    found = codec.decoder(parsed)(text)
    assert found == value and found.__class__ is value.__class__


@pytest.mark.parametrize(("type", "text", "clause"), BAD)
def test_json_that_is_not_of_its_type_says_what_was_expected_and_found(type: str, text: str, clause: str) -> None:
    """Both readings refuse it with the same clause."""
    parsed = parse_type(type)
    problems = codec.decode_text(parsed, text)[1]
    assert len(problems) == 1 and clause in problems[0].clause
    with pytest.raises(ValueProblems) as bulk:
        codec.decoder(parsed)(text)
    assert bulk.value.problems == problems


@pytest.mark.parametrize(("text", "start"), MALFORMED)
def test_text_that_is_no_json_is_refused_with_its_place(text: str, start: int) -> None:
    """Trailing text, duplicate keys at any depth, NaN, half surrogates: for any type, even where nothing is asked."""
    for type in (parse_columns("zz INT"), data.STRING, parse_type("ARRAY<STRUCT<a: INT>>")):
        with pytest.raises(MalformedJson) as exact:
            codec.decode_text(type, text)
        assert exact.value.problems[0].start == start
        with pytest.raises(MalformedJson):
            codec.decoder(type)(text)


def test_bytes_that_are_not_utf_8_are_refused_with_their_place() -> None:
    """The column counts code points, not bytes."""
    with pytest.raises(MalformedJson) as error:
        codec.decoder(data.STRING)('"é'.encode() + b"\xff" + b'"')
    assert error.value.problems[0].start == 2


def test_problems_carry_their_path_and_place_and_all_are_found() -> None:
    """Every problem of a record comes at once."""
    type = parse_columns("address STRUCT<zip: INT>, tags ARRAY<INT>, `a-b` INT")
    text = '{"address":{"zip":"x"},"tags":[1,true],"a-b":0.5}'
    problems = codec.decode_text(type, text)[1]
    assert [p.path for p in problems] == ["value.address.zip", "value.tags[1]", "value.`a-b`"]
    assert [text[p.start : p.end] for p in problems] == ['"x"', "true", "0.5"]


def test_an_undeclared_field_is_ignored_unless_strict() -> None:
    """A topic may hold more than is declared; a case may not. A pruned type leaves the rest unchecked."""
    type = parse_columns("a INT")
    text = '{"a":1,"b":{"c":1e999}}'
    assert codec.decoder(type)(text) == {"a": 1}
    with pytest.raises(ValueProblems, match="b: the field is not declared"):
        codec.decoder(type, strict=True)(text)
    assert codec.check(type, {"a": 1, "b": 2}, strict=True)[1][0].path == "value.b"
    assert codec.check(type, {"a": 1, "b": 2}) == ({"a": 1}, ())


def test_values_of_a_yaml_reader_are_decoded_like_json() -> None:
    """YAML gives dates as dates; a nested value of a STRING field becomes compact text."""
    type = parse_columns("d DATE, t TIMESTAMP, s STRING, n DOUBLE, m MAP<STRING,INT>")
    given = {"d": date(2013, 1, 1), "t": NOON, "s": {"a": [1, None]}, "n": math.inf, "m": {1: 2}}
    value, problems = codec.decode(type, given)
    assert problems == ()
    assert value == {"d": date(2013, 1, 1), "t": NOON, "s": '{"a":[1,null]}', "n": math.inf, "m": {"1": 2}}
    assert codec.decode(data.INT, object())[1][0].clause == "expected INT, found a value of the Python type 'object'"


@pytest.mark.parametrize(
    ("type", "value", "clause"),
    [
        ("INT", True, "expected INT, found the bool True"),
        ("DOUBLE", True, "expected DOUBLE, found the bool True"),
        ("INT", 1.0, "expected INT, found the float 1.0"),
        ("INT", 2**31, "which does not fit 32 bits"),
        ("DOUBLE", 10**400, "which is too large"),
        ("STRING", "\ud800", "half of a surrogate pair"),
        ("DECIMAL(3,1)", 1.5, "expected DECIMAL(3,1), found the float 1.5"),
        ("DECIMAL(3,1)", Decimal("NaN"), "which has too many digits"),
        ("DATE", NOON, "expected DATE, found the datetime"),
        ("TIMESTAMP", NOON.replace(tzinfo=None), "which has no time zone"),
        ("TIMESTAMP", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), "outside of the years"),
        ("ARRAY<INT>", "ab", "expected a list, found the string 'ab'"),
        ("STRUCT<a: INT NOT NULL>", {}, "expected INT NOT NULL, found no such field"),
        ("MAP<STRING,INT>", {None: 1}, "a key of a map"),
    ],
)
def test_python_values_that_do_not_fit_are_refused(type: str, value: Any, clause: str) -> None:
    """A bool is never a number, a float never an exact one, a datetime without zone no instant."""
    problems = codec.check(parse_type(type), value)[1]
    assert len(problems) == 1 and clause in problems[0].clause
    with pytest.raises(ValueProblems):
        codec.checker(parse_type(type))(value)


def test_python_values_come_to_one_form() -> None:
    """An int for a DOUBLE is a float, decimals have their scale, datetimes are in UTC, fields in order of schema."""
    type = parse_columns("a DOUBLE, b DECIMAL(4,2), c TIMESTAMP, d ARRAY<INT>, e FLOAT, f INT")
    given = {"e": 0.1, "d": (1, 2), "c": NOON.astimezone(timezone(timedelta(hours=5))), "b": 3, "a": 1}
    value, problems = codec.check(type, given)
    assert problems == ()
    assert list(value) == list("abcdef")
    assert codec.encode_text(type, value) == (
        '{"a":1.0,"b":3.00,"c":"2013-01-01T12:00:00Z","d":[1,2],"e":0.10000000149011612,"f":null}'
    )


def test_encoding_keeps_every_digit_and_every_special_number() -> None:
    """DECIMAL without exponent, NaN as a word, bytes as base64, a fraction only when there is one."""
    type = parse_columns("a DECIMAL(38,20), b DOUBLE, c BYTES, d TIMESTAMP, e MAP<BIGINT,DATE>")
    value = {
        "a": Decimal("0E-20"),
        "b": math.nan,
        "c": b"\xff",
        "d": NOON.replace(microsecond=120),
        "e": {7: date(999, 1, 1)},
    }
    assert codec.encode_text(type, value) == (
        '{"a":0.00000000000000000000,"b":"NaN","c":"/w==","d":"2013-01-01T12:00:00.00012Z","e":{"7":"0999-01-01"}}'
    )
    assert codec.encode(type, value)["a"] == Decimal("0E-20")


def test_the_order_is_null_first_numbers_by_value_text_by_code_point() -> None:
    """Also structs field by field, NaN last of numbers."""

    def ordered(type: str, *values: Any) -> bool:
        parsed = parse_type(type)
        # A stable sort would leave values in their order if their keys were all equal.
        backwards = values[::-1]
        return sorted(backwards, key=lambda v: codec.sort_key(parsed, v)) == list(values)

    assert ordered("INT", None, -1, 2, 10)
    assert ordered("DOUBLE", None, -math.inf, 1.5, math.inf)
    assert codec.sort_key(data.DOUBLE, math.nan) > codec.sort_key(data.DOUBLE, math.inf)
    assert ordered("STRING", None, "", "Z", "a", "\uffff", "\U0001f600")
    assert ordered("STRUCT<a: INT, b: STRING>", {"a": None, "b": "z"}, {"a": 1, "b": None}, {"a": 1, "b": "a"})
    assert ordered("ARRAY<INT>", [], [None, 5], [1], [1, 2])
    assert ordered("MAP<STRING,INT>", {}, {"b": 1, "a": 1}, {"a": 2})


def test_equality_is_relative_for_floating_point_only() -> None:
    """1e-9 relative, NaN equals NaN; everything else exactly."""
    assert codec.equal(data.DOUBLE, 1.0, 1.0 + 5e-10)
    assert not codec.equal(data.DOUBLE, 1.0, 1.0 + 5e-9)
    assert codec.equal(data.DOUBLE, math.nan, math.nan)
    assert not codec.equal(data.DOUBLE, 0.0, 1e-300)
    assert not codec.equal(data.DOUBLE, None, 0.0)
    nested = parse_type("MAP<STRING,ARRAY<STRUCT<a: DOUBLE, b: INT>>>")
    assert codec.equal(nested, {"k": [{"a": 1.0, "b": 1}]}, {"k": [{"a": 1.0 + 1e-12, "b": 1}]})
    assert not codec.equal(nested, {"k": [{"a": 1.0, "b": 1}]}, {"k": [{"a": 1.0, "b": 2}]})
    assert not codec.equal(nested, {"k": []}, {"k": [None]})


def _values(type: data.DataType) -> st.SearchStrategy[Any]:
    leaves: dict[data.DataType, st.SearchStrategy[Any]] = {
        data.BOOLEAN: st.booleans(),
        data.INT: st.integers(-(2**31), 2**31 - 1),
        data.BIGINT: st.integers(-(2**63), 2**63 - 1),
        data.FLOAT: st.floats(width=32, allow_nan=False),
        data.DOUBLE: st.floats(allow_nan=False),
        data.STRING: st.text(),
        data.BYTES: st.binary(),
        data.DATE: st.dates(),
        data.TIME: st.integers(0, 86_399_999_999),
        data.TIMESTAMP: st.datetimes(timezones=st.just(UTC)),
    }
    if isinstance(type, data.Struct):
        return st.fixed_dictionaries({f.name: st.none() | _values(f.type) for f in type.fields})
    if isinstance(type, data.Array):
        return st.lists(st.none() | _values(type.element), max_size=3)
    if isinstance(type, data.Map):
        return st.dictionaries(_values(type.key), st.none() | _values(type.value), max_size=3)
    if isinstance(type, data.Decimal):
        digits = st.integers(-(10**type.precision) + 1, 10**type.precision - 1)
        return digits.map(lambda n: Decimal(n).scaleb(-type.scale, _WIDE))
    return leaves[type]


def _types() -> st.SearchStrategy[data.DataType]:
    decimals = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: data.Decimal(p, s)))
    names = ["BOOLEAN", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "BYTES", "DATE", "TIME", "TIMESTAMP"]
    leaf = st.sampled_from([data.Primitive(n) for n in names]) | decimals

    def wider(inner: st.SearchStrategy[data.DataType]) -> st.SearchStrategy[data.DataType]:
        fields = st.lists(inner, min_size=1, max_size=4).map(
            lambda ts: data.Struct(tuple(data.Field(f"f{i}", t) for i, t in enumerate(ts)))
        )
        keys = st.sampled_from([data.STRING, data.INT, data.DATE, data.TIMESTAMP, data.BYTES, data.BOOLEAN])
        return fields | inner.map(data.Array) | st.builds(data.Map, keys, inner)

    return st.recursive(leaf, wider, max_leaves=6)


# The first drawing of types and values builds their strategies, which takes a moment.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_what_is_encoded_decodes_to_the_same(source: st.DataObject) -> None:
    """For every type, on both readings, and checking changes nothing in a value of the one form."""
    type = source.draw(_types())
    value = source.draw(st.none() | _values(type))
    assert codec.check(type, value) == (value, ())
    assert codec.checker(type)(value) == value
    text = codec.encode_text(type, value)
    assert codec.decode_text(type, text, strict=True) == (value, ())
    assert codec.decoder(type, strict=True)(text) == value
    assert codec.decode(type, codec.encode(type, value), strict=True) == (value, ())


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["f0", "f1", "x"]), inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(_types(), _JSON, st.booleans(), st.sampled_from([None, 1]), st.randoms())
def test_the_readings_agree_on_any_json(
    type: data.DataType, value: Any, strict: bool, indent: Any, random: Any
) -> None:
    """Bulk and exact readings give the same value or the same problems, for damaged text too."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if random.random() < 0.3:
        at = random.randrange(len(text))
        text = text[:at] + random.choice(["", '"', ",", ":", "1", '"f0":1,', "\\"]) + text[at + 1 :]

    def outcome(read: Any) -> Any:
        try:
            found = read()
        except ValueProblems as error:
            return error.problems
        return found

    def exact() -> Any:
        found, problems = codec.decode_text(type, text, strict=strict)
        return problems or found

    assert outcome(lambda: codec.decoder(type, strict=strict)(text)) == outcome(exact)
