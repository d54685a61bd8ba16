"""Functions, operators and casts of standard SQL on both engines, and by Spark itself from the text of the model."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import Plan, Record, Topic
from lsqlc.functions import catalogue
from lsqlc.types.data import DataType
from tests.standard_sql.calls import ANSI, CALLS, COLUMNS, ROW

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPIC = Topic("t", key="INT", value=COLUMNS)
GIVEN = [(call, type, value, note) for call, type, value, note in CALLS if note != "refused"]
RECORD = ROW | {
    "ts": datetime.datetime.fromtimestamp(ROW["ts"] / 1000, datetime.UTC), "dt": datetime.date.fromisoformat(ROW["dt"])
}  # fmt: skip


def compiled(calls: list[str]) -> Plan:
    """A model with a column for each call."""
    items = ", ".join(f"{call} AS r{i}" for i, call in enumerate(calls))
    return lsqlc.compile(f"SELECT {items} FROM STREAM(t)", dialect="sql", topics=[TOPIC], name="o")


def alike(one: Any, other: Any) -> bool:
    """Equal, doubles but for their last digits."""
    if isinstance(one, float) and isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or one == other or math.isclose(one, other, rel_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


@pytest.fixture(scope="module")
def found() -> tuple[Mapping[str, Any], list[DataType]]:
    plan = compiled([call for call, *_ in GIVEN])
    (record,) = lsqlc.evaluate(plan, [Record("t", 1, RECORD)])["o"]
    return record.value, [f.type for f in plan.outputs[0].value.type.fields]  # type: ignore[union-attr]


@pytest.mark.parametrize("number", range(len(GIVEN)), ids=lambda i: GIVEN[i][0])
def test_duckdb_gives_what_spark_gives(number: int, found: tuple[Mapping[str, Any], list[DataType]]) -> None:
    """The value and the type that a person took from Spark."""
    _, type, value, _ = GIVEN[number]
    assert str(found[1][number]) == type
    assert alike(found[0][f"r{number}"], value)


@pytest.mark.parametrize("call", [call for call, _, _, note in CALLS if note == "refused"])
def test_what_spark_converts_silently_is_refused(call: str) -> None:
    """A text beside a number, a number as a condition."""
    with pytest.raises(lsqlc.CompileError):
        compiled([call])


def test_spark_agrees(spark: SparkSession) -> None:
    """The plan's SQL on Spark, and the text of the model as Spark itself reads it, where that does not stop."""
    plan = compiled([call for call, *_ in GIVEN])
    (ours,) = lsqlc.evaluate(plan, [Record("t", 1, RECORD)], engine="spark")["o"]
    (duckdb,) = lsqlc.evaluate(plan, [Record("t", 1, RECORD)])["o"]
    different = [
        (call, duckdb.value[f"r{i}"], ours.value[f"r{i}"])
        for i, (call, *_) in enumerate(GIVEN)
        if not alike(duckdb.value[f"r{i}"], ours.value[f"r{i}"])
    ]
    assert not different
    spark.createDataFrame([tuple(RECORD.values())], COLUMNS).createOrReplaceTempView("standard_row")
    for call, _, value, note in GIVEN:
        if note == ANSI:
            continue
        (row,) = spark.sql(f"SELECT {call} AS r FROM standard_row").collect()
        given = bytes(row[0]) if isinstance(row[0], bytearray) else row[0]
        found = row[0].replace(tzinfo=datetime.UTC) if isinstance(row[0], datetime.datetime) else given
        assert alike(found, value), f"{call} is {found!r} on Spark, and {value!r} here"


def test_every_function_is_called() -> None:
    """By each of its names, or by the name that Spark's parser makes one of with it."""
    text = " ".join(call for call, *_ in CALLS).lower()
    families = catalogue.tables("sql").families.values()
    missing = [
        f.name for family in families for f in family if not any(f"{n.lower()}(" in text for n in (f.name, *f.aliases))
    ]
    assert missing == [
        "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "RADIANS", "ISNOTNULL", "FLATTEN",
    ]  # fmt: skip
