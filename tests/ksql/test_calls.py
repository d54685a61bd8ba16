"""ksqlDB's functions, operators and casts over one record, on both engines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import Plan, Record
from lsqlc.diagnostics import LsqlcError
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.expressions import sql
from lsqlc.plan.expression import StructOf
from lsqlc.plan.nodes import Project, Scan
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import parser as ksql
from lsqlc.syntax.ksql import tree as ksql_tree
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
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(alike, found, expected))
    if isinstance(expected, dict) and isinstance(found, dict):
        pairs = zip(sorted(found.items(), key=repr), sorted(expected.items(), key=repr), strict=False)
        return len(found) == len(expected) and all(alike([*one], [*other]) for one, other in pairs)
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
    found = by_spark(spark, compiled([call for call, _, _ in CALLS]))
    wrong = [
        (call, expected, own) for (call, expected, _), own in zip(CALLS, found, strict=True) if not alike(own, expected)
    ]
    assert not wrong


NULL = ("(CASE WHEN n > 0 THEN {} END)",)
# Of the types of integers, computed so that they are no literals; the last is large, and of no use as a size.
EXTREMES = (
    "(n + 2147483647 + 7)", "(n - 2147483641)", "(CAST(n AS BIGINT) + 9223372036854775807)",
    "(-9223372036854775807 + n + 6)", "(n + 7)", "(n + 1000008)",
)  # fmt: skip
# What DOUBLEs are besides numbers: zeros of both signs, NaN, infinities, the smallest and the largest.
DOUBLES = (
    "(x - 2.5E0)", "((x - 2.5E0) * -1)", "LN(n)", "(-LN(n + 7))", "LN(n + 7)", "(x * 2E-324)", "(x * -2E-324)",
    "(x * 7E307)", "(x * 4E15)", "(x * -4E18)", "-0.04E0",
)  # fmt: skip


def with_other_arguments(others: Sequence[str]) -> list[str]:
    """The calls with another argument for each of theirs in turn, where that is legal. `{}` is what stood there."""
    found = []
    for call, _, _ in CALLS:
        head = "CREATE STREAM o AS SELECT "
        program = ksql.parse(f"{head}{call} FROM s;", "calls.sql").program
        assert program is not None
        (statement,) = program.statements
        assert isinstance(statement, ksql_tree.CreateAs)
        whole = statement.query.items[0].source
        for argument in whole.arguments if isinstance(whole, tree.Call) else ():
            start, end = (place - len(head) for place in argument.at)
            for other in others:
                changed = f"{call[:start]}{other.format(call[start:end])}{call[end:]}"
                with suppress(LsqlcError):  # some want a literal or another type there
                    compiled([changed])
                    found.append(changed)
    return found


def test_engines_agree_where_an_argument_is_null(spark: SparkSession) -> None:
    """Whatever a function makes of a null, it is the same on both."""
    calls = with_other_arguments(NULL)
    assert len(calls) > len(CALLS)
    plan = compiled(calls)
    wanted = lsqlc.evaluate(plan, [Record("s", 1, ROW)])["O"][0].value
    found = by_spark(spark, plan)
    wrong = [
        (call, wanted[f"R{i}"], own)
        for i, (call, own) in enumerate(zip(calls, found, strict=True))
        if not alike(own, wanted[f"R{i}"])
    ]
    assert not wrong


@pytest.mark.parametrize("others", [EXTREMES, DOUBLES], ids=["integers", "doubles"])
def test_engines_agree_at_the_ends_of_numbers(others: Sequence[str], spark: SparkSession) -> None:
    """No number makes a function fail, or a text or an array that no engine holds."""
    calls = with_other_arguments(others)
    wrong = []
    # A query of many hundred columns takes Spark longer than several.
    for start in range(0, len(calls), 100):
        some = calls[start : start + 100]
        plan = compiled(some)
        wanted = lsqlc.evaluate(plan, [Record("s", 1, ROW)])["O"][0].value
        for i, (call, own) in enumerate(zip(some, by_spark(spark, plan), strict=True)):
            if not alike(own, wanted[f"R{i}"]):
                wrong.append((call, wanted[f"R{i}"], own))
    assert not wrong


def by_spark(spark: SparkSession, plan: Plan) -> list[object]:
    """What the columns of a program of calls are on Spark."""
    project = plan.sinks[0].inputs[0]
    assert isinstance(project, Project) and isinstance(project.value, StructOf) and isinstance(project.input, Scan)
    value = project.input.value.type
    row = {f.name: ROW[f.name] for f in value.fields}  # type: ignore[union-attr]
    frame = spark.createDataFrame([(1, row)], f"k0 INT, v0 {type_text('spark', value)}")
    values = project.value.values
    texts = [f"{f'unix_micros({sql(e)})' if e.type == TIMESTAMP else sql(e)} AS r{i}" for i, e in enumerate(values)]
    frame.createOrReplaceTempView("ksql_calls")
    found = spark.sql(f"SELECT {', '.join(texts)} FROM ksql_calls").collect()[0].asDict(recursive=True)
    return [_plain(found[f"r{i}"], e.type) for i, e in enumerate(values)]


def _plain(value: object, type: DataType) -> object:
    if type == TIMESTAMP and isinstance(value, int):
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)
    return bytes(value) if isinstance(value, bytearray) else value
