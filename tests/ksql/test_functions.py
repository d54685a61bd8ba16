"""ksqlDB's functions on DuckDB: their names, their results, and their types."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.functions.catalogue import aggregates, functions, names, plan_name, planned

SOURCE = """CREATE STREAM s (id INT KEY, a STRING, b STRING, n INT, x DOUBLE, d DECIMAL(6, 2), arr ARRAY<INT>,
  m MAP<STRING, INT>, st STRUCT<f INT, g STRUCT<h STRING>>, ts TIMESTAMP)
  WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');
"""
ROW = {
    "A": "hello", "B": None, "N": -7, "X": 2.5, "D": Decimal("3.14"), "ARR": [2, 3, 2], "M": {"k": 5},
    "ST": {"F": 1, "G": {"H": "deep"}}, "TS": datetime(2020, 5, 5, 10, tzinfo=UTC),
}  # fmt: skip

SCALARS: list[tuple[str, object, str]] = [
    ("CONCAT(a, b, 'x')", "hellox", "STRING"), ("CONCAT_WS('-', a, b, 'x')", "hello-x", "STRING"),
    ("a || '!'", "hello!", "STRING"), ("a + '!'", "hello!", "STRING"), ("LEN(a)", 5, "INT"),
    ("UCASE(a)", "HELLO", "STRING"), ("LCASE('ABC')", "abc", "STRING"), ("TRIM('  x ')", "x", "STRING"),
    ("REPLACE(a, 'l', 'L')", "heLLo", "STRING"), ("SUBSTRING(a, 2)", "ello", "STRING"),
    ("SUBSTRING(a, 0, 2)", "he", "STRING"), ("SUBSTRING(a, -3, 2)", "ll", "STRING"),
    ("SUBSTRING(a, 9)", "", "STRING"), ("INSTR(a, 'l')", 3, "INT"), ("INSTR(a, 'z')", 0, "INT"),
    ("INITCAP('fOO  bar')", "Foo Bar", "STRING"), ("LPAD(a, 8, 'xy')", "xyxhello", "STRING"),
    ("RPAD(a, 2, 'x')", "he", "STRING"), ("LPAD(a, 8, '')", None, "STRING"),
    ("SPLIT('a,b,', ',')", ["a", "b", ""], "ARRAY<STRING>"), ("SPLIT('ab', '')", ["a", "b"], "ARRAY<STRING>"),
    ("REGEXP_REPLACE(a, 'l+', '_')", "he_o", "STRING"), ("REGEXP_EXTRACT('h(.)', a, 1)", "e", "STRING"),
    ("REGEXP_EXTRACT('z', a)", None, "STRING"), ("REGEXP_SPLIT_TO_ARRAY(a, 'l+')", ["he", "o"], "ARRAY<STRING>"),
    ("ABS(n)", 7, "INT"), ("CEIL(x)", 3.0, "DOUBLE"), ("FLOOR(x)", 2.0, "DOUBLE"), ("ROUND(x)", 3, "BIGINT"),
    ("ROUND(-x)", -2, "BIGINT"), ("ROUND(x / 2, 1)", 1.3, "DOUBLE"), ("SIGN(n)", -1, "INT"),
    ("GREATEST(n, 3, NULL)", 3, "INT"), ("LEAST(a, 'b')", "b", "STRING"), ("POWER(2, 3)", 8.0, "DOUBLE"),
    ("COALESCE(b, a)", "hello", "STRING"), ("IFNULL(b, 'q')", "q", "STRING"), ("NULLIF(n, -7)", None, "INT"),
    ("n / 2", -3, "INT"), ("n / 0", None, "INT"), ("1.5 * n", Decimal("-10.5"), "DECIMAL(13,1)"),
    ("1.5E0 * n", -10.5, "DOUBLE"), ("b IS DISTINCT FROM a", True, "BOOLEAN"),
    ("b IS NOT DISTINCT FROM b", True, "BOOLEAN"), ("arr[1]", 2, "INT"), ("arr[-1]", 2, "INT"),
    ("arr[0]", None, "INT"),
    ("arr[4]", None, "INT"), ("arr[n + 9]", 3, "INT"), ("m['k']", 5, "INT"), ("m['z']", None, "INT"),
    ("st->f", 1, "INT"), ("st->g->h", "deep", "STRING"),
    ("STRUCT(p := n, q := a)", {"P": -7, "Q": "hello"}, "STRUCT<P: INT, Q: STRING>"),
    ("MAP('a' := n, 'b' := 2)", {"a": -7, "b": 2}, "MAP<STRING,INT>"),
    ("AS_MAP(ARRAY['x'], ARRAY[1])", {"x": 1}, "MAP<STRING,INT>"), ("MAP_KEYS(m)", ["k"], "ARRAY<STRING>"),
    ("MAP_VALUES(m)", [5], "ARRAY<INT>"), ("ARRAY_LENGTH(arr)", 3, "INT"), ("ARRAY_CONTAINS(arr, 3)", True, "BOOLEAN"),
    ("ARRAY_MIN(arr)", 2, "INT"), ("ARRAY_MAX(arr)", 3, "INT"), ("ARRAY_DISTINCT(arr)", [2, 3], "ARRAY<INT>"),
    ("ARRAY_CONCAT(arr, ARRAY[1])", [2, 3, 2, 1], "ARRAY<INT>"),
    ("ARRAY_UNION(arr, ARRAY[9])", [2, 3, 9], "ARRAY<INT>"),
    ("ARRAY_INTERSECT(arr, ARRAY[2])", [2], "ARRAY<INT>"), ("ARRAY_EXCEPT(arr, ARRAY[2])", [3], "ARRAY<INT>"),
    ("ARRAY_REMOVE(arr, 2)", [3], "ARRAY<INT>"), ("ARRAY_SORT(arr)", [2, 2, 3], "ARRAY<INT>"),
    ("ARRAY_JOIN(arr, '|')", "2|3|2", "STRING"), ("SLICE(arr, 2, 3)", [3, 2], "ARRAY<INT>"),
    ("EXTRACTJSONFIELD('{\"a\": [{\"b\": 5}]}', '$.a[0].b')", "5", "STRING"),
    ("EXTRACTJSONFIELD('{\"a\": 1}', '$.b')", None, "STRING"), ("EXTRACTJSONFIELD('no json', '$.b')", None, "STRING"),
    ("UNIX_TIMESTAMP(ts)", 1_588_672_800_000, "BIGINT"),
    ("FROM_UNIXTIME(1000)", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "TIMESTAMP"),
    ("FORMAT_TIMESTAMP(ts, 'yyyy-MM-dd HH:mm')", "2020-05-05 10:00", "STRING"),
    ("PARSE_TIMESTAMP('2020-01-02', 'yyyy-MM-dd')", datetime(2020, 1, 2, tzinfo=UTC), "TIMESTAMP"),
    ("STRINGTOTIMESTAMP('2020-01-02', 'yyyy-MM-dd')", 1_577_923_200_000, "BIGINT"),
    ("TIMESTAMPTOSTRING(0, 'yyyy')", "1970", "STRING"),
    ("PARSE_DATE('2020-01-02', 'yyyy-MM-dd')", date(2020, 1, 2), "DATE"),
    ("ts > '2019-01-01T00:00:00'", True, "BOOLEAN"),
]  # fmt: skip

AGGREGATES: list[tuple[str, object, str]] = [
    ("COUNT(*)", 5, "BIGINT"), ("COUNT()", 5, "BIGINT"), ("COUNT(n)", 4, "BIGINT"), ("SUM(n)", 16, "INT"),
    ("AVG(n)", 4.0, "DOUBLE"), ("MIN(n)", 1, "INT"), ("MAX(a)", "x", "STRING"), ("COUNT_DISTINCT(n)", 3, "BIGINT"),
    ("COLLECT_LIST(n)", [3, 3, 1, None, 9], "ARRAY<INT>"), ("COLLECT_SET(n)", [3, 1, None, 9], "ARRAY<INT>"),
    ("TOPK(n, 2)", [9, 3], "ARRAY<INT>"), ("TOPK(n, 1)", [9], "ARRAY<INT>"),
    ("TOPKDISTINCT(n, 3)", [9, 3, 1], "ARRAY<INT>"),
    ("EARLIEST_BY_OFFSET(n)", 3, "INT"), ("LATEST_BY_OFFSET(n)", 9, "INT"),
    ("LATEST_BY_OFFSET(n, 2)", [1, 9], "ARRAY<INT>"),
   
    ("EARLIEST_BY_OFFSET(n, 2)", [3, 3], "ARRAY<INT>"), ("HISTOGRAM(a)", {"x": 5}, "MAP<STRING,BIGINT>"),
]  # fmt: skip


def _result(program: str, records: list[Record]) -> tuple[object, str]:
    plan = lsqlc.compile(SOURCE + program, dialect="ksql")
    field = plan.outputs[0].value.type.fields[0]  # type: ignore[union-attr]
    return lsqlc.evaluate(plan, records)["O"][0].value["R"], str(field.type)


@pytest.mark.parametrize(("call", "value", "type"), SCALARS, ids=[c for c, _, _ in SCALARS])
def test_a_scalar_function_gives_what_ksqldb_gives(call: str, value: object, type: str) -> None:
    """Value and type, over one record."""
    found = _result(f"CREATE STREAM o AS SELECT id, {call} AS r FROM s;", [Record("s", 1, ROW)])
    assert found == (pytest.approx(value) if isinstance(value, float) else value, type)


@pytest.mark.parametrize(("call", "value", "type"), AGGREGATES, ids=[c for c, _, _ in AGGREGATES])
def test_an_aggregate_gives_what_ksqldb_gives(call: str, value: object, type: str) -> None:
    """Over five records, one of which has no value."""
    records = [Record("s", k, {**ROW, "A": "x", "N": n}) for k, n in enumerate((3, 3, 1, None, 9))]
    assert _result(f"CREATE TABLE o AS SELECT a, {call} AS r FROM s GROUP BY a;", records) == (value, type)


def test_no_value_sums_up_to_zero() -> None:
    """Its mean is 0 too; the smallest of none is null."""
    program = "CREATE TABLE o AS SELECT a, SUM(n) AS s, AVG(n) AS m, MIN(n) AS l, SUM(d) AS e FROM s GROUP BY a;"
    records = [Record("s", 1, {**ROW, "N": None, "D": None})]
    out = lsqlc.evaluate(lsqlc.compile(SOURCE + program, dialect="ksql"), records)["O"]
    assert out[0].value == {"S": 0, "M": 0.0, "L": None, "E": Decimal("0.00")}


def test_the_plans_name_of_a_function_leads_back_to_it() -> None:
    """So that both dialects can have a SUBSTRING, and a plan knows which."""
    for dialect in ("lenses", "ksql"):
        assert all(planned(plan_name(f, dialect)) is f for f in functions(dialect))


def test_names_are_ksqldbs_own() -> None:
    """Those of the Lenses language are unknown here."""
    assert {"UCASE", "LEN", "INSTR", "TOPK", "AS_VALUE"} <= set(names("ksql"))
    assert not {"UPPER", "LENGTH", "MAXK", "TAKELEFT"} & set(names("ksql"))
    assert {a.name for a in aggregates("ksql") if a.on_table} == {"COUNT", "SUM", "AVG", "COLLECT_LIST", "HISTOGRAM"}
