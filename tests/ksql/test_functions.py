"""ksqlDB's functions on DuckDB: their names, their results, and their types."""

from __future__ import annotations

from decimal import Decimal

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.functions.catalogue import aggregates, functions, names, plan_name, planned
from tests.ksql.calls import ROW, SOURCE

AGGREGATES: list[tuple[str, object, str]] = [
    ("COUNT(*)", 5, "BIGINT"), ("COUNT()", 5, "BIGINT"), ("COUNT(n)", 4, "BIGINT"), ("SUM(n)", 16, "INT"),
    ("AVG(n)", 4.0, "DOUBLE"), ("STDDEV_SAMP(n)", 12.0, "DOUBLE"), ("CORRELATION(n, 2 * n + 1)", 1.0, "DOUBLE"),
    ("STDDEV_SAMPLE(n)", 12.0**0.5, "DOUBLE"), ("STDDEV_SAMP(CASE WHEN n = 9 THEN n END)", 0.0, "DOUBLE"),
    ("MIN(n)", 1, "INT"), ("MAX(a)", "x", "STRING"), ("COUNT_DISTINCT(n)", 3, "BIGINT"),
    ("COLLECT_LIST(n)", [3, 3, 1, None, 9], "ARRAY<INT>"), ("COLLECT_SET(n)", [3, 1, None, 9], "ARRAY<INT>"),
    ("TOPK(n, 2)", [9, 3], "ARRAY<INT>"), ("TOPK(n, 1)", [9], "ARRAY<INT>"),
    ("TOPK(n, id, a, 3)", [{"sort_col": 9, "col0": 4, "col1": "x"}, {"sort_col": 3, "col0": 0, "col1": "x"},
                          {"sort_col": 3, "col0": 1, "col1": "x"}],
     "ARRAY<STRUCT<sort_col: INT, col0: INT, col1: STRING>>"),
    ("TOPKDISTINCT(n, 3)", [9, 3, 1], "ARRAY<INT>"),
    ("EARLIEST_BY_OFFSET(n)", 3, "INT"), ("LATEST_BY_OFFSET(n)", 9, "INT"),
    ("LATEST_BY_OFFSET(n, 2)", [1, 9], "ARRAY<INT>"),
   
    ("EARLIEST_BY_OFFSET(n, 2)", [3, 3], "ARRAY<INT>"), ("HISTOGRAM(a)", {"x": 5}, "MAP<STRING,BIGINT>"),
]  # fmt: skip


def _result(program: str, records: list[Record]) -> tuple[object, str]:
    plan = lsqlc.compile(SOURCE + program, dialect="ksql")
    field = plan.outputs[0].value.type.fields[0]  # type: ignore[union-attr]
    return lsqlc.evaluate(plan, records)["O"][0].value["R"], str(field.type)


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
    assert {a.name for a in aggregates("ksql") if a.on_table} == {
        "COUNT", "SUM", "AVG", "COLLECT_LIST", "HISTOGRAM", "STDDEV_SAMP", "STDDEV_SAMPLE", "CORRELATION",
    }  # fmt: skip
