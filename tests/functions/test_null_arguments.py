"""A NULL without a type as an argument has the type that the signature wants, on both engines; arrays of different
types meet before an engine sees them; values that no result type holds are null.
"""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc.dialects import DialectName
from lsqlc.lower.spark import lower, plan_sql
from lsqlc.plan import Plan

_VALUE = (
    "n INT, text STRING, other STRING, numbers ARRAY<INT>, texts ARRAY<STRING>, days ARRAY<DATE>,"
    " nested ARRAY<ARRAY<INT>>, maps ARRAY<MAP<STRING, INT>>, counts MAP<STRING, INT>, part DECIMAL(2,2)"
)
_TOPIC = lsqlc.Topic("t", key="INT", value=_VALUE)


def compiled(dialect: DialectName, call: str) -> Plan:
    if dialect == "ksql":
        source = f"CREATE STREAM t (k INT KEY, {_VALUE}) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
        text = f"{source} CREATE STREAM o WITH (KAFKA_TOPIC = 'result') AS SELECT k, {call} AS x FROM t;"
        return lsqlc.compile(text, dialect="ksql")
    stream = "STREAM " if dialect == "lenses" else ""
    return lsqlc.compile(f"SELECT {stream}{call} AS x FROM t", dialect=dialect, topics=[_TOPIC])


def value(dialect: DialectName, call: str, **columns: Any) -> Any:
    """What a call gives for a record with these columns."""
    fields = {name.upper() if dialect == "ksql" else name: v for name, v in columns.items()}
    (rows,) = lsqlc.evaluate(compiled(dialect, call), [lsqlc.Record("t", 1, fields, 0)]).values()
    return next(iter(rows[0].value.values()))


NULLS: tuple[tuple[DialectName, str], ...] = (
    ("lenses", "FLATTEN(NULL)"),
    ("lenses", "SIZEOF(NULL)"),
    ("lenses", "ZIP(NULL, 'a', numbers, 'b')"),
    ("lenses", "FORMAT_TIME(NULL, 'HH:mm')"),
    ("lenses", "SIZEOF(COALESCE(NULL, NULL))"),
    ("lenses", "UPPER(CASE WHEN n = 1 THEN NULL END)"),
    ("ksql", "UNIX_DATE(NULL)"),
    ("ksql", "LEN(NULL)"),
    ("ksql", "LEN(CASE WHEN n = 1 THEN NULL END)"),
    ("ksql", "INT_FROM_BYTES(NULL)"),
    ("ksql", "ARRAY_LENGTH(NULL)"),
    ("ksql", "ARRAY_INTERSECT(numbers, NULL)"),
    ("ksql", "ARRAY_UNION(NULL, days)"),
    ("ksql", "ARRAY_EXCEPT(NULL, texts)"),
    ("ksql", "MAP_VALUE(counts, NULL)"),
    ("ksql", "DATESUB(DAYS, NULL, NULL)"),
    ("sql", "ADD_MONTHS(NULL, -1)"),
    ("sql", "LAST_DAY(NULL)"),
    ("sql", "UNIX_DATE(NULL)"),
    ("sql", "DATE_SUB(NULL, n)"),
    ("sql", "ARRAY_INTERSECT(numbers, NULL)"),
    ("sql", "ARRAY_EXCEPT(NULL, days)"),
    ("sql", "ARRAY_POSITION(NULL, DATE'2024-02-29')"),
)


@pytest.mark.parametrize(("dialect", "call"), NULLS)
def test_a_null_without_a_type_gives_null(dialect: DialectName, call: str) -> None:
    """No engine is asked for a function of an INT that it does not have."""
    assert value(dialect, call, n=1, numbers=[1], days=[], texts=["a"], counts={"a": 1}) is None


@pytest.mark.parametrize(
    ("dialect", "call", "typed"),
    [
        ("sql", "LAST_DAY(NULL)", "last_day(CAST(NULL AS DATE))"),
        ("lenses", "FLATTEN(NULL)", "flatten(CAST(NULL AS ARRAY<ARRAY<INT>>))"),
        ("ksql", "UNIX_DATE(NULL)", "CAST(NULL AS DATE)"),
        ("ksql", "ARRAY_UNION(NULL, days)", "array_union(CAST(NULL AS ARRAY<DATE>), "),
        ("sql", "ARRAY_UNION(days, ARRAY(NULL))", "transform(array(CAST(NULL AS INT)), n0 -> cast(NULL as DATE))"),
        ("lenses", "n = 1 AND NULL", "AND CAST(NULL AS BOOLEAN)"),
        ("lenses", "NOT NULL", "CAST(NULL AS BOOLEAN)"),
        ("lenses", "text LIKE NULL", "CAST(NULL AS STRING)"),
        ("lenses", "IN_ARRAY(NULL, days)", "cast(NULL as DATE)"),
    ],
)
def test_spark_has_the_type_too(dialect: DialectName, call: str, typed: str) -> None:
    """Spark refuses an INT for a DATE, an array or a condition, even where it is null."""
    assert typed in plan_sql(lower(compiled(dialect, call)))


def test_arrays_meet_in_one_type() -> None:
    """An array of nulls beside any other."""
    assert value("ksql", "ARRAY_CONCAT(texts, ARRAY[NULL, NULL])", texts=["a"]) == ["a", None, None]
    assert value("ksql", "ARRAY_UNION(nested, ARRAY[NULL])", nested=[[1], [1]]) == [[1], None]
    assert value("sql", "ARRAY_UNION(ARRAY(NULL), ARRAY(TRUE))") == [None, True]
    assert value("sql", "ARRAY_INTERSECT(numbers, ARRAY(1.5, 2.0))", numbers=[1, 2, 2]) == [2.0]


@pytest.mark.parametrize(
    ("dialect", "call"),
    [
        ("ksql", "ARRAY_REMOVE(texts, numbers)"),
        ("ksql", "ARRAY_REMOVE(maps, counts)"),
        ("ksql", "ARRAY_DISTINCT(maps)"),
        ("ksql", "ARRAY_CONTAINS(maps, counts)"),
        ("ksql", "ARRAY_SORT(nested)"),
        ("ksql", "ARRAY_MAX(maps)"),
        ("ksql", "ARRAY_UNION(maps, maps)"),
        ("ksql", "AS_MAP(nested, numbers)"),
        ("ksql", "MAP(numbers := 1)"),
        ("ksql", "MAP_VALUE(counts, n)"),
        ("sql", "ARRAY_DISTINCT(maps)"),
        ("sql", "ARRAY_CONTAINS(maps, counts)"),
        ("lenses", "IN_ARRAY(counts, maps)"),
    ],
)
def test_values_that_no_engine_compares_are_refused(dialect: DialectName, call: str) -> None:
    """Maps are not compared, keys have no parts, and a value is of the type of the elements."""
    with pytest.raises(lsqlc.CompileError) as refused:
        compiled(dialect, call)
    assert {d.code for d in refused.value.diagnostics if d.is_error} == {"LSQ209"}


def test_a_lambda_makes_no_key_with_parts() -> None:
    """The keys of a map are primitive."""
    with pytest.raises(lsqlc.CompileError) as refused:
        compiled("ksql", "TRANSFORM(counts, (k, v) => ARRAY[k], (k, v) => v)")
    assert {d.code for d in refused.value.diagnostics} == {"LSQ388"}


def test_a_whole_number_beyond_its_decimal_is_null() -> None:
    """CEIL(0.99) is no DECIMAL(2,2)."""
    from decimal import Decimal

    assert value("ksql", "CEIL(part)", part=Decimal("0.99")) is None
    assert value("ksql", "FLOOR(part)", part=Decimal("-0.01")) is None
    assert value("ksql", "CEIL(part)", part=Decimal("-0.99")) == Decimal("0.00")


@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "expected"),
    [
        ("abab", "a", "x", "xbxb"),
        ("abab", "(a)(b)", "$2$1", "baba"),
        ("ab", "(a)", "$12", "a2b"),
        ("ab", "(?<n>a)", "${n}${n}", "aab"),
        ("ab", "(a)|(b)", "[$1]", "[a][]"),
        ("ab", "a", r"\$1\\", "$1\\b"),
        ("ab", "(?=b)", "-", "a-b"),
        ("ab", "a", "$1", None),
        ("ab", "a", "$", None),
        ("ab", "a", "\\", None),
        ("ab", "a", "${n}", None),
        ("b", "a", "$1", "b"),
        ("aab", "a*", "-", "--b-"),
    ],
)
@pytest.mark.parametrize("dialect", ["ksql", "sql"])
def test_a_replacement_refers_to_groups_as_in_java(
    dialect: DialectName, text: str, pattern: str, replacement: str, expected: str | None
) -> None:
    """A replacement that refers to no group gives null where something matches. It may be a literal, or a column."""
    call = f"REGEXP_REPLACE(text, '{pattern}', other)"
    assert value(dialect, call, text=text, other=replacement) == expected
    if "\\" not in replacement and "{" not in replacement:
        assert value(dialect, f"REGEXP_REPLACE(text, '{pattern}', '{replacement}')", text=text) == expected


def test_patterns_with_named_groups_extract_and_split() -> None:
    """Python names groups in another way."""
    assert value("ksql", "REGEXP_EXTRACT('(?<n>a)b', text, 1)", text="xab") == "a"
    assert value("ksql", "REGEXP_EXTRACT_ALL('(?<n>a)b', text)", text="abab") == ["ab", "ab"]
    assert value("ksql", "REGEXP_SPLIT_TO_ARRAY(text, '(?<n>,)')", text="a,b,") == ["a", "b", ""]
    assert value("ksql", "REGEXP_SPLIT_TO_ARRAY(text, '(?=b)')", text="abb") == ["a", "b", "b"]


def test_half_of_a_surrogate_pair_is_no_variant() -> None:
    """Nor a text: where Spark needs no VARIANT, it writes a question mark."""
    half = '{"\\ud83d": 1, "a": 2}'
    assert value("ksql", "JSON_KEYS(text)", text=half) == ["?", "a"]
    assert value("ksql", "JSON_RECORDS(text)", text=half) is None
    assert value("ksql", "JSON_ITEMS(text)", text='["\\ud800"]') is None
    assert value("ksql", "EXTRACTJSONFIELD(text, '$.a')", text=half) == "2"
    assert value("ksql", "EXTRACTJSONFIELD(text, '$.a')", text='{"a": "\\ud800"}') is None
    assert value("ksql", "EXTRACTJSONFIELD(text, '$.a')", text='{"a": -1e999}') == '"-Infinity"'
    assert value("ksql", "JSON_ARRAY_LENGTH(text)", text='["\\ud800"]') == 1
    assert value("ksql", "EXTRACTJSONFIELD(text, '$.a')", text='{"a": "\\ud83d\\ude00"}') == "😀"


def test_an_index_of_many_digits_finds_nothing() -> None:
    """In a path that is no literal too."""
    call = f"EXTRACTJSONFIELD(text, '$[{'9' * 5_000}]')"
    assert value("ksql", call, text="[1]") is None
    assert value("ksql", "EXTRACTJSONFIELD(text, '$[0001]')", text="[1, 2]") == "2"


@pytest.mark.parametrize("aggregate", ["TOPKDISTINCT('a', 1)", "TOPK(TRUE, 2)", "MAX(1.5e0)", "COLLECT_SET('a')"])
def test_an_aggregate_of_a_literal_has_a_value(aggregate: str) -> None:
    """DuckDB refuses to order by a literal."""
    source = "CREATE STREAM t (k INT KEY, n INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
    plan = lsqlc.compile(f"{source} CREATE TABLE o AS SELECT n, {aggregate} AS x FROM t GROUP BY n;", dialect="ksql")
    (rows,) = lsqlc.evaluate(plan, [lsqlc.Record("t", 1, {"N": 1}, 0)]).values()
    assert rows[0].value["X"] is not None


@pytest.mark.parametrize(
    ("dialect", "condition", "code"),
    [
        ("lenses", "counts = counts", "LSQ213"),
        ("lenses", "counts IN (counts)", "LSQ213"),
        ("lenses", "numbers < numbers", "LSQ390"),
        ("lenses", "numbers BETWEEN numbers AND numbers", "LSQ390"),
        ("sql", "counts <> counts", "LSQ213"),
        ("sql", "nested >= nested", "LSQ390"),
        ("ksql", "counts = counts", "LSQ213"),
        ("ksql", "CASE counts WHEN counts THEN 1 END = 1", "LSQ213"),
        ("ksql", "NULLIF(counts, counts) IS NULL", "LSQ209"),
        ("ksql", "GREATEST(numbers, numbers) IS NULL", "LSQ209"),
        ("sql", "LEAST(nested, nested) IS NULL", "LSQ209"),
    ],
)
def test_values_with_parts_have_no_order_and_maps_are_not_compared(
    dialect: DialectName, condition: str, code: str
) -> None:
    """Spark compares no maps, and orders the nulls of arrays in another way than DuckDB."""
    with pytest.raises(lsqlc.CompileError) as refused:
        compiled(dialect, condition)
    assert {d.code for d in refused.value.diagnostics if d.is_error} == {code}


@pytest.mark.parametrize("aggregate", ["MAX(a)", "MIN(a)", "TOPK(a, 2)", "TOPKDISTINCT(a, 2)", "TOPK(n, 100001)",
                                       "LATEST_BY_OFFSET(n, 2147483647)"])  # fmt: skip
def test_an_aggregate_that_spark_rejects_is_refused(aggregate: str) -> None:
    """Arrays have no order, and Spark keeps at most 100,000 values."""
    source = "CREATE STREAM t (k INT KEY, n INT, a ARRAY<INT>) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile(f"{source} CREATE TABLE o AS SELECT n, {aggregate} AS x FROM t GROUP BY n;", dialect="ksql")
    assert {d.code for d in refused.value.diagnostics} == {"LSQ209"}


def test_the_lenses_aggregates_have_the_same_bound() -> None:
    topic = lsqlc.Topic("t", key="INT", value="n INT")
    for aggregate in ("COLLECT(n, 100001)", "MAXK(n, 100001)", "COLLECT_UNIQUE(n, 2147483647)"):
        with pytest.raises(lsqlc.CompileError) as refused:
            lsqlc.compile(f"SELECT STREAM {aggregate} AS x FROM t GROUP BY n", topics=[topic])
        assert {d.code for d in refused.value.diagnostics} == {"LSQ209"}


def test_the_smallest_integer_has_no_opposite() -> None:
    """Written as a literal too, whose opposite DuckDB gives a wider type."""
    assert value("lenses", "NEG(-9223372036854775808)") is None
    assert value("sql", "NEGATIVE(-2147483648)") is None
    assert value("lenses", "NEG(-5)") == 5


def test_a_decimal_that_rounding_takes_beyond_its_type_is_null() -> None:
    """The number of places may be a column."""
    from decimal import Decimal

    for places in ("-1", "n"):
        assert value("ksql", f"ROUND(CAST('{'9' * 38}' AS DECIMAL(38,0)), {places})", n=-1) is None
        assert value("ksql", f"ROUND(CAST('15' AS DECIMAL(38,0)), {places})", n=-1) == Decimal(20)
        bound = f"< cast('{'9' * 37}5' as DECIMAL(38,0)) then round("
        assert bound in plan_sql(lower(compiled("ksql", f"ROUND(CAST('15' AS DECIMAL(38,0)), {places})")))
    assert "< cast('" not in plan_sql(lower(compiled("lenses", "ROUND(CAST('15' AS DECIMAL(38,1)), -1)")))
    assert value("lenses", f"ROUND(CAST('{'9' * 38}' AS DECIMAL(38,0)), -1)") is None
    assert bound in plan_sql(lower(compiled("lenses", "ROUND(CAST('15' AS DECIMAL(38,0)), -1)")))


def test_an_alias_in_quotes_is_a_name() -> None:
    """Spark takes a string for one; it must have a character, and none that is NUL."""
    assert value("sql", "n AS 'a b', n", n=7) == 7
    for alias in ("''", "'a\x00b'"):
        with pytest.raises(lsqlc.CompileError) as refused:
            lsqlc.compile(f"SELECT n AS {alias} FROM t", dialect="sql", topics=[_TOPIC])
        assert [d.code for d in refused.value.diagnostics] == ["LSQ102"]


def test_a_mark_is_the_first_character_of_its_text() -> None:
    """Spark rejects a longer one; a null and an empty one leave their kind as it is."""
    assert value("ksql", "MASK(text, 'KM', '', NULL, '+-')", text="Ab1 ") == "Kb1+"
    assert "mask(v0.`TEXT`, 'K', CAST(NULL AS STRING), CAST(NULL AS STRING), '+')" in plan_sql(
        lower(compiled("ksql", "MASK(text, 'KM', '', NULL, '+-')"))
    )


def test_the_opposite_of_a_large_decimal_is_exact_on_spark() -> None:
    """Spark's own is rounded to 34 digits."""
    number = "CAST('1' AS DECIMAL(38,0))"
    for expression in (f"- {number}", f"NEG({number})", f"ABS({number})"):
        assert "concat('-', cast(n as string))" in plan_sql(lower(compiled("lenses", expression)))
    assert "concat('-'" not in plan_sql(lower(compiled("lenses", "- CAST('1' AS DECIMAL(34,0))")))


@pytest.mark.parametrize(("zone", "is_one"), [("+18:00", True), ("-17:59", True), ("+18:01", False), ("+99:99", False),
                                              ("+05:60", False)])  # fmt: skip
def test_an_offset_is_one_of_java(zone: str, is_one: bool) -> None:
    """At most eighteen hours, of sixty minutes each."""
    call = f"FORMAT_TIMESTAMP(CAST(NULL AS TIMESTAMP), 'yyyy', '{zone}')"
    if is_one:
        assert compiled("ksql", call)
        return
    with pytest.raises(lsqlc.CompileError) as refused:
        compiled("ksql", call)
    assert [d.code for d in refused.value.diagnostics] == ["LSQ217"]


@pytest.mark.parametrize(
    ("url", "part", "expected"),
    [
        ("https://u:p@H.org:99999/p?q=a%20b#f", "HOST", "H.org"),
        ("https://u:p@H.org:99999/p?q=a%20b#f", "PORT", 99999),
        ("HTTPS://h.org", "PROTOCOL", "HTTPS"),
        ("https://h.org:99999999999/", "PORT", None),
        ("https://a_b.org/", "HOST", None),
        ("https://[::1]:80/p", "HOST", "[::1]"),
        ("%_\\", "PATH", None),
        ("/a b", "PATH", None),
        ("/a%20b", "PATH", "/a b"),
        ("/a%zz", "PATH", None),
        ("{", "PATH", None),
        ("/é", "PATH", "/é"),
    ],
)
def test_a_url_is_a_uri_of_java(url: str, part: str, expected: Any) -> None:
    """As Spark and ksqlDB read it."""
    assert value("ksql", f"URL_EXTRACT_{part}(text)", text=url) == expected


def test_what_no_parameter_says_is_null() -> None:
    """A percent sign without digits."""
    assert value("ksql", "URL_DECODE_PARAM(text)", text="%_") is None
    assert value("ksql", "URL_DECODE_PARAM(text)", text="a%20b+c") == "a b c"


def test_json_with_a_name_twice_is_no_variant() -> None:
    """Spark reads no VARIANT from it; the functions that do not need one do."""
    assert value("ksql", "IS_JSON_STRING(text)", text='{"a":1,"a":2}') is False
    assert value("ksql", "JSON_RECORDS(text)", text='{"a":1,"a":2}') is None
    assert value("ksql", "JSON_KEYS(text)", text='{"a":1,"a":2}') == ["a", "a"]
    assert value("ksql", "JSON_ARRAY_LENGTH(text)", text='[{"a":1,"a":2}]') == 1


def test_bytes_that_are_no_text_have_marks_in_their_place() -> None:
    """As in ksqlDB, on both engines."""
    assert value("ksql", "FROM_BYTES(TO_BYTES(text, 'hex'), 'utf8')", text="FFFE41") == "\ufffd\ufffdA"
    assert "make_valid_utf8" in plan_sql(lower(compiled("ksql", "FROM_BYTES(TO_BYTES(text, 'hex'), 'utf8')")))
