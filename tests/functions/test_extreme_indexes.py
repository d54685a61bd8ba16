"""Indexes at the ends of their range give null, in both dialects, and no error of an engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import Array, Field, Struct
from lsqlc.types.record import Case, Facet, Record, Topic

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

EXTREMES = (2**63 - 1, -(2**63) + 1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1)


def lenses(index: str) -> Plan:
    value = Struct((Field("a", Array(data.INT)), Field("i", data.BIGINT)))
    program = parse(f"SELECT STREAM a[{index}] AS x FROM t", "indexes").program
    assert program is not None
    plan = compile_program(program, {"t": Topic("t", Facet(data.INT, "int"), Facet(value, "json"))}, name="out").plan
    assert plan is not None
    return plan


def ksql(index: str) -> Plan:
    source = "CREATE STREAM t (k INT KEY, a ARRAY<INT>, i BIGINT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
    return lsqlc.compile(
        f"{source} CREATE STREAM o WITH (KAFKA_TOPIC = 'out') AS SELECT k, a[{index}] AS x FROM t;", dialect="ksql"
    )


def of(plan: Plan, index: int) -> object:
    value = {"a": [1, 2, 3], "i": index} if plan.inputs[0].value.type.field("a") else {"A": [1, 2, 3], "I": index}  # type: ignore[union-attr]
    (outcome,) = default_session().evaluate(plan, [Case("", ((Record("t", 1, value, 0),),))])
    (record,) = outcome.topics["out"]
    return next(iter(record.value.values()))


@pytest.mark.parametrize("index", EXTREMES)
def test_an_index_beyond_an_array_gives_null(index: int) -> None:
    """Written as a number, and as a column that holds it."""
    assert of(lenses("i"), index) is None
    assert of(lenses(str(index)), index) is None
    assert of(ksql(str(index)), index) is None


def test_spark_gives_null_too(spark: SparkSession, tmp_path: Path) -> None:
    """For each index, as a column and written."""
    for plan in (lenses("i"), ksql(str(EXTREMES[0])), *(lenses(str(index)) for index in EXTREMES)):
        names = ("a", "i") if plan.inputs[0].value.type.field("a") else ("A", "I")  # type: ignore[union-attr]
        records = tuple(
            Record("t", 1, dict(zip(names, ([1, 2, 3], i), strict=True)), n) for n, i in enumerate(EXTREMES)
        )
        (outcome,) = outcomes.evaluate(spark, tmp_path, plan, [Case("", (records,))])
        assert [next(iter(record.value.values())) for record in outcome.topics["out"]] == [None] * len(EXTREMES)
