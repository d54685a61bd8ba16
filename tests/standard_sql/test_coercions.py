"""Pairs of types under every operator that converts: the type and the value of Spark, as `coercions.json` has them."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Literal

import pytest

import lsqlc
from lsqlc import Plan, Record, Topic
from lsqlc.dialects.sql import DIALECT
from lsqlc.types.intervals import interval_number
from tests.lanes import sampled
from tests.standard_sql.coercions import COLUMNS, recorded, shown

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

Engine = Literal["duckdb", "spark"]

TOPIC = Topic("t", key="INT", value=", ".join(f"{name} {type}" for name, (type, _) in COLUMNS.items()))
RECORD = Record("t", 1, {name: value for name, (_, value) in COLUMNS.items()})
SIZE = 150
# What Spark takes and a model does not.
REFUSED = ("dt + NULL", "ts + NULL")
# Arguments that Spark does not convert for these functions, and a model does.
LENIENT = ("DATE_ADD(dt, ", "UNIX_SECONDS(")
# An operand that cannot be read is null, and what is made of it is not.
GO_ON = ("NULLIF(", "EQUAL_NULL(", "array(", "ISNAN(")
# Of another type, a DOUBLE.
OTHERWISE = ("ROUND(r)",)


def is_refused(expression: str, found: list[Any] | None) -> bool:
    """Whether a model refuses an expression."""
    if found is None:
        return not expression.startswith(LENIENT)
    return expression in REFUSED


CASES = recorded()
GIVEN = [e for e, found in CASES.items() if found and not is_refused(e, found) and e not in OTHERWISE]


def compiled(expressions: list[str]) -> Plan:
    """A model with a column for each expression."""
    items = ", ".join(f"{e} AS r{i}" for i, e in enumerate(expressions))
    return lsqlc.compile(f"SELECT {items} FROM STREAM(t)", dialect="sql", topics=[TOPIC], name="o")


def parts(expressions: list[str]) -> list[list[str]]:
    return [expressions[i : i + SIZE] for i in range(0, len(expressions), SIZE)]


def different(expressions: list[str], engine: Engine) -> list[tuple[str, str, Any]]:
    """The expressions whose type or value is not Spark's."""
    plan = compiled(expressions)
    (record,) = lsqlc.evaluate(plan, [RECORD], engine=engine)["o"]
    fields = plan.outputs[0].value.type.fields  # type: ignore[union-attr]
    types = {f.name: str(f.type) for f in fields} | dict(plan.outputs[0].intervals)
    values = {name: _length(value, types[name]) for name, value in record.value.items()}
    found = [(e, types[f"r{i}"], shown(values[f"r{i}"])) for i, e in enumerate(expressions)]
    return [row for row in found if not is_same(*row)]


def _length(value: Any, type: str) -> Any:
    """A value; that of an interval as the duration that its text says."""
    if value is None or not type.startswith("INTERVAL"):
        return value
    return datetime.timedelta(microseconds=interval_number(value, type) or 0)


def is_same(expression: str, type: str, value: Any) -> bool:
    """Whether Spark gives the type and the value; null for what stops it."""
    wanted, *values = CASES[expression] or [""]
    goes_on = not values and expression.startswith(GO_ON)
    return type == wanted and (goes_on or value == (values[0] if values else None))


@pytest.mark.parametrize("expressions", parts(GIVEN), ids=lambda part: part[0])
def test_duckdb_gives_what_spark_gave(expressions: list[str]) -> None:
    assert different(expressions, "duckdb") == []


def test_our_spark_gives_what_spark_gave(spark: SparkSession) -> None:
    assert [row for part in parts(GIVEN) for row in different(part, "spark")] == []


@pytest.mark.parametrize("expression", sampled((e for e, found in CASES.items() if is_refused(e, found)), 25))
def test_what_is_refused(expression: str) -> None:
    with pytest.raises(lsqlc.CompileError):
        compiled([expression])


@pytest.mark.parametrize(
    "expression", ["i = 'x'", "dt < 'x'", "f + 'x'", "b = 'x'", "ts IN ('x')", "SUBSTRING(sn, 'x')",
                   "d BETWEEN 'x' AND 2", "l = '9223372036854775808'"],
)  # fmt: skip
def test_a_literal_that_cannot_be_read(expression: str) -> None:
    """It is an error, since it would be null in every row."""
    with pytest.raises(lsqlc.CompileError) as caught:
        compiled([expression])
    assert [d.code for d in caught.value.diagnostics] == ["LSQ492"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("COALESCE(i, '')", 7),
        ("CASE WHEN NOT b THEN 1 ELSE 'a' END", None),
        ("IF(b, i, 'x')", 7),
        ("NVL2(i, 'x', 1)", None),
    ],
)
def test_a_branch_that_cannot_be_read_is_null(expression: str, value: int | None) -> None:
    """With a finding; Spark stops at it only where it is the result."""
    program = DIALECT.parse(f"SELECT {expression} AS r FROM STREAM(t)", "m.sql").program
    plan = compiled([expression])
    assert program is not None
    found = DIALECT.bind(program, {t.name: t for t in plan.inputs}, name="o").diagnostics
    assert [(d.code, d.is_error) for d in found] == [("LSQ478", False)]
    (record,) = lsqlc.evaluate(plan, [RECORD])["o"]
    assert record.value == {"r0": value}


@pytest.mark.parametrize(
    ("expression", "value"), [("- '1e400'", "-inf"), (f"ABS('{'9' * 400}')", "inf"), ("d + 'NaN'", "nan")]
)
def test_a_text_that_is_no_finite_number(expression: str, value: str) -> None:
    """It is cast by the engine."""
    (record,) = lsqlc.evaluate(compiled([expression]), [RECORD])["o"]
    assert str(record.value["r0"]) == value
