"""ksqlDB's functions, operators and casts over one record, on both engines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import Plan, Record
from lsqlc.functions.engine_types import type_text
from lsqlc.lower.spark.expressions import sql
from lsqlc.plan.expression import StructOf
from lsqlc.plan.nodes import Project, Scan
from lsqlc.types.data import TIMESTAMP, DataType
from tests.ksql.calls import CALLS, ROW, SOURCE

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def compiled(calls: Sequence[str]) -> Plan:
    """A program with a column for each call."""
    columns = ", ".join(f"{call} AS r{i}" for i, call in enumerate(calls))
    return lsqlc.compile(f"{SOURCE} CREATE STREAM o AS SELECT id, {columns} FROM s;", dialect="ksql")


def types(plan: Plan) -> list[DataType]:
    return [f.type for f in plan.outputs[0].value.type.fields]  # type: ignore[union-attr]


def alike(found: object, expected: object) -> bool:
    """Equal, doubles but for their last digits."""
    if isinstance(expected, float) and isinstance(found, float):
        both_nan = math.isnan(found) and math.isnan(expected)
        return both_nan or found == expected or math.isclose(found, expected, rel_tol=1e-12)
    return found == expected


@pytest.fixture(scope="module")
def on_duckdb() -> tuple[Mapping[str, Any], list[DataType]]:
    plan = compiled([call for call, _, _ in CALLS])
    return lsqlc.evaluate(plan, [Record("s", 1, ROW)])["O"][0].value, types(plan)


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda i: CALLS[i][0])
def test_a_call_gives_what_ksqldb_gives(number: int, on_duckdb: tuple[Mapping[str, Any], list[DataType]]) -> None:
    """Value and type, on DuckDB."""
    _, value, type = CALLS[number]
    found, known = on_duckdb
    assert alike(found[f"R{number}"], value), found[f"R{number}"]
    assert str(known[number]) == type


def test_spark_gives_the_same(spark: SparkSession) -> None:
    """Every call, in one query over the record."""
    plan = compiled([call for call, _, _ in CALLS])
    project = plan.sinks[0].inputs[0]
    assert isinstance(project, Project) and isinstance(project.value, StructOf) and isinstance(project.input, Scan)
    value = project.input.value.type
    row = {f.name: ROW[f.name] for f in value.fields}  # type: ignore[union-attr]
    frame = spark.createDataFrame([(1, row)], f"k0 INT, v0 {type_text('spark', value)}")
    texts = [
        f"{f'unix_micros({sql(e)})' if e.type == TIMESTAMP else sql(e)} AS r{i}"
        for i, e in enumerate(project.value.values)
    ]
    frame.createOrReplaceTempView("ksql_calls")
    found = spark.sql(f"SELECT {', '.join(texts)} FROM ksql_calls").collect()[0].asDict(recursive=True)
    wrong = []
    for number, (call, expected, type) in enumerate(CALLS):
        own = found[f"r{number}"]
        if type == "TIMESTAMP" and own is not None:
            own = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=own)
        if not alike(bytes(own) if isinstance(own, bytearray) else own, expected):
            wrong.append((call, expected, own))
    assert not wrong
