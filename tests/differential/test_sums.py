"""SUM and AVG are exact on both engines: against sums of fractions, whatever has left, in any order and any cut."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct
from lsqlc.types.data import Decimal as DecimalType
from lsqlc.types.record import Case, Facet, Record, Topic

TABLE = "SELECT TABLE SUM(x) AS s, AVG(x) AS a FROM t GROUP BY g"
STREAM = "SELECT STREAM SUM(x) AS s, AVG(x) AS a FROM t GROUP BY g"
WINDOWS = "SELECT STREAM SUM(x) AS s, AVG(x) AS a FROM t WINDOW BY TUMBLE 1h GROUP BY g"
SESSIONS = "SELECT STREAM SUM(x) AS s, AVG(x) AS a FROM t WINDOW BY SESSION 1h GROUP BY g"
WIDE, SCALED = DecimalType(38, 0), DecimalType(38, 20)
NAN, INF = math.nan, math.inf
NINES, MINUS_NINES = Decimal("9" * 38), Decimal("-" + "9" * 38)
SCALED_NINES = Decimal(f"{'9' * 18}.{'9' * 20}")

# Values that come, of which some leave again, and what is then there.
TOTALS: tuple[tuple[DataType, Sequence[Any], Sequence[int], Any], ...] = (
    (data.DOUBLE, (1e16, 1.0), (0,), 1.0),
    (data.DOUBLE, (1e16, 1.0, -1e16), (), 1.0),
    (data.DOUBLE, (1e308, 1e308), (), INF),
    (data.DOUBLE, (1e308, 1e308), (0,), 1e308),
    (data.DOUBLE, (1e308, 1e308), (0, 1), None),
    (data.DOUBLE, (1e308, 1e308, -1e308), (), 1e308),
    (data.DOUBLE, (1.7976931348623157e308, 1.0), (1,), 1.7976931348623157e308),
    (data.DOUBLE, (1e300, 1e200, 1.0, 1e-200, 5e-324), (0, 1, 2, 3), 5e-324),
    (data.DOUBLE, (0.1, 0.2, -0.3), (), float(Fraction(0.1) + Fraction(0.2) - Fraction(0.3))),
    (data.DOUBLE, (INF, 1.0, NAN), (0, 2), 1.0),
    (data.DOUBLE, (INF, -INF), (), NAN),
    (data.DOUBLE, (INF, -INF), (0,), -INF),
    (data.DOUBLE, (None, None), (), None),
    (data.DOUBLE, (-0.0, None), (), 0.0),
    (data.FLOAT, (2.0**100, 1.0, -(2.0**100)), (), 1.0),
    (data.FLOAT, (3.4028234663852886e38, 3.4028234663852886e38, 2.0**-149), (0, 1), 2.0**-149),
    (data.BIGINT, (2**62, 2**62, 1), (), None),
    (data.BIGINT, (2**62, 2**62, 1), (0, 1), 1),
    (WIDE, (NINES, NINES), (), None),
    (WIDE, (NINES, NINES, Decimal(7)), (0, 1), Decimal(7)),
    (WIDE, (NINES, Decimal(1), Decimal(-1)), (), NINES),
    (WIDE, (MINUS_NINES, MINUS_NINES, Decimal(-1)), (0,), None),
    (SCALED, (SCALED_NINES, SCALED_NINES), (1,), SCALED_NINES),
    (SCALED, (SCALED_NINES, Decimal("1E-20"), Decimal("-1E-20")), (), SCALED_NINES),
)


def plan_of(text: str, type: DataType) -> Plan:
    value = Struct((Field("g", data.INT), Field("x", type)))
    program = parse(text, "sums").program
    assert program is not None
    topic = Topic("t", Facet(data.INT, "int"), Facet(value, "json"))
    plan = compile_program(program, {"t": topic}, name="out").plan
    assert plan is not None
    return plan


def records(values: Sequence[Any], gone: Sequence[int]) -> list[Record]:
    came = [Record("t", i, {"g": 1, "x": x}, i) for i, x in enumerate(values)]
    return [*came, *(Record("t", i, None, 100) for i in gone)]


def total(values: Sequence[Any], type: DataType) -> Any:
    """The exact sum as the type of SUM, and None where it has none."""
    there = [x for x in values if x is not None]
    if not there:
        return None
    if type in (data.DOUBLE, data.FLOAT):
        odd = [x for x in there if not math.isfinite(x)]
        if odd:
            return sum(odd)
        return as_double(sum(map(Fraction, there)))
    with localcontext() as context:
        context.prec = 100
        exact = sum(there)
        if isinstance(type, DecimalType):
            return exact if abs(exact).scaleb(type.scale) < 10**38 else None
    return exact if -(2**63) <= exact < 2**63 else None


def mean(values: Sequence[Any], type: DataType) -> Any:
    there = [x for x in values if x is not None]
    if not there:
        return None
    if type in (data.DOUBLE, data.FLOAT):
        return total(there, type) / len(there)
    return as_double(sum(map(Fraction, there), Fraction()) / len(there))


def as_double(number: Fraction | int) -> float:
    try:
        return float(number)
    except OverflowError:
        return INF if number > 0 else -INF


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=1e-9) or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and bool(a == b)


def differences(type: DataType, cases: Sequence[Case], found: Sequence[Any]) -> list[str]:
    """Where the last value of the one group is not what the records that live add up to."""
    wrong = []
    for case, outcome in zip(cases, found, strict=True):
        live: dict[int, Any] = {}
        for record in (r for batch in case.batches for r in batch):
            live.pop(record.key, None)
            if record.value is not None:
                live[record.key] = record.value["x"]
        rows = outcome.topics["out"]
        row = rows[-1].value if rows else {"s": None, "a": None}
        expected = {"s": total([*live.values()], type), "a": mean([*live.values()], type)}
        if not all(same(row[name], expected[name]) for name in expected):
            wrong.append(f"{case.batches}: {row}, expected {expected}")
    return wrong


def cut(given: Sequence[Record], random: Random) -> tuple[tuple[Record, ...], ...]:
    batches: list[list[Record]] = [[]]
    for record in given:
        if batches[-1] and random.random() < 0.5:
            batches.append([])
        batches[-1].append(record)
    return tuple(map(tuple, batches))


def a_double(random: Random) -> float | None:
    kind = random.random()
    if kind < 0.3:
        return float(struct.unpack("d", struct.pack("Q", random.getrandbits(64)))[0])
    if kind < 0.7:
        odd = (1e16, 1.0, -1e16, 1e308, -1e308, 5e-324, 0.1, -0.0, 1e30, 2.0**136, -(2.0**-97), 1.7976931348623157e308)
        return random.choice((*odd, INF, NAN, None))
    return random.uniform(-1e6, 1e6)


def cases_of(type: DataType, random: Random, *, leave: bool) -> list[Case]:
    """The written cases of a type and random ones, each cut at random."""
    found = [records(values, gone if leave else ()) for of, values, gone, _ in TOTALS if of == type]
    if type == data.DOUBLE:
        for _ in range(25):
            values = [a_double(random) for _ in range(random.randrange(1, 9))]
            gone = [i for i in range(len(values)) if leave and random.random() < 0.5]
            found.append(records(values, gone))
    return [Case(str(i), cut(given, random)) for i, given in enumerate(found)]


TYPES = (data.DOUBLE, data.FLOAT, data.BIGINT, WIDE, SCALED)


@pytest.mark.parametrize(("type", "values", "gone", "expected"), TOTALS)
def test_a_total_of_a_table_is_what_is_written_down(
    type: DataType, values: Sequence[Any], gone: Sequence[int], expected: Any
) -> None:
    """What has left leaves no error behind, and a total that does not fit is right again when it does."""
    (outcome,) = default_session().evaluate(plan_of(TABLE, type), [Case("", (tuple(records(values, gone)),))])
    rows = outcome.topics["out"]
    assert same(rows[0].value["s"] if rows else None, expected)


@pytest.mark.parametrize("text", [TABLE, STREAM, WINDOWS], ids=["table", "stream", "windows"])
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_duckdb_sums_exactly(text: str, type: DataType) -> None:
    """Every total and mean is that of fractions."""
    plan = plan_of(text, type)
    cases = cases_of(type, Random(f"{text}{type}"), leave=text == TABLE)
    assert differences(type, cases, default_session().evaluate(plan, cases)) == []


@pytest.mark.parametrize("text", [TABLE, STREAM], ids=["table", "stream"])
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_spark_sums_exactly(text: str, type: DataType, spark: Any, tmp_path: Path) -> None:
    """Every total and mean is that of fractions, whatever the batches."""
    plan = plan_of(text, type)
    cases = cases_of(type, Random(f"{text}{type}"), leave=text == TABLE)
    assert differences(type, cases, outcomes.evaluate(spark, tmp_path, plan, cases)) == []


@pytest.mark.parametrize("text", [WINDOWS, SESSIONS], ids=["windows", "sessions"])
def test_spark_sums_windows_exactly(text: str, spark: Any, tmp_path: Path) -> None:
    """Also where what cancels out came in another batch, or before sessions were one."""
    plan = plan_of(text, data.DOUBLE)
    given = records((1e16, 1e300, 1.0, -1e300, 5e-324, -1e16), ())
    cases = [Case("one", tuple((r,) for r in given)), Case("three", (tuple(given[:3]), tuple(given[3:])))]
    assert differences(data.DOUBLE, cases, outcomes.evaluate(spark, tmp_path, plan, cases)) == []
