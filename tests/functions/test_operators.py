# ruff: noqa: E501  tables of values read better in long rows
"""Operators on both engines: the types of their results and their values, overflow and division by zero included."""

from __future__ import annotations

import datetime
import itertools
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from lsqlc.functions.forms.operators import ARITHMETIC, COMPARISON, binary, in_list, result_type, unary, unary_type
from lsqlc.sql.engines import Engine
from lsqlc.types import data
from lsqlc.types.data import NULL, DataType
from lsqlc.types.ddl import parse_type

from .engines import Probe, columned, on_duckdb, on_spark, same
from .rows import INF, LONG_MAX, LONG_MIN, MAX, MIN, NAN

NUMBERS: dict[str, tuple[Any, ...]] = {
    "INT": (None, 0, 1, -1, 7, -3, MAX, MIN),
    "BIGINT": (None, 0, -1, 3, LONG_MAX, LONG_MIN),
    "FLOAT": (None, 0.0, 1.5, -2.5, NAN),
    "DOUBLE": (None, 0.0, -0.0, 2.5, -7.5, 1e308, NAN, INF, -INF),
    "DECIMAL(5,2)": tuple(None if x is None else Decimal(x) for x in (None, "0", "1.25", "-999.99", "0.01")),
    "DECIMAL(38,18)": tuple(None if x is None else Decimal(x) for x in (None, "0", "1.5", "-12345678901234567890", "0.000000000000000001")),
    "DECIMAL(20,0)": tuple(None if x is None else Decimal(x) for x in (None, "0", "3", "-99999999999999999999")),
}  # fmt: skip
OTHERS: dict[str, tuple[Any, ...]] = {
    "STRING": (None, "", "a", "b", "A", "é", "😀", "\uffff", "a "),
    "BOOLEAN": (None, True, False),
    "DATE": (None, datetime.date(2013, 1, 1), datetime.date(1969, 12, 31)),
    "BYTES": (None, b"", b"a", b"\xff"),
}
ARRAYS: dict[str, tuple[Any, ...]] = {"ARRAY<INT>": (None, [], [1], [None], [1, 2])}
TEXTS = (None, "", "a", "abc", "a%c", "a_c", "a\\c", "A", "😀", "a😀c", "a\nc", "\\", "%", ".*", "e\u0301")


def text(engine: Engine, op: str, left: DataType, right: DataType) -> str:
    return columned(binary(engine, op, "<<0>>", "<<1>>", left, right))


def pairs(op: str, left: str, right: str, values: dict[str, tuple[Any, ...]]) -> Probe:
    a, b = parse_type(left), parse_type(right)
    rows = tuple(itertools.product(values[left], values[right]))
    return Probe(f"{left} {op} {right}", (a, b), rows, text("duckdb", op, a, b), text("spark", op, a, b))


def differences(connection: duckdb.DuckDBPyConnection, spark: Any, probes: list[Probe]) -> list[str]:
    found = []
    for p, ours, theirs in zip(probes, on_duckdb(connection, probes), on_spark(spark, probes), strict=True):
        for row, a, b in zip(p.rows, ours, theirs, strict=True):
            if not same(a, b):
                found.append(f"{p.label}: {row!r}: DuckDB {a!r}, Spark {b!r}")
    return found


@pytest.mark.parametrize("op", ARITHMETIC)
def test_both_engines_agree_on_arithmetic(op: str, connection: duckdb.DuckDBPyConnection, spark: Any) -> None:
    """Every pair of number types gives the same value, and null where it overflows or divides by zero."""
    probes = [pairs(op, a, b, NUMBERS) for a, b in itertools.product(NUMBERS, NUMBERS)]
    found = differences(connection, spark, probes)
    assert not found, "\n".join(found)


def test_both_engines_agree_on_comparisons(connection: duckdb.DuckDBPyConnection, spark: Any) -> None:
    """Numbers meet in a common type, strings compare by code point, NaN is the largest and equal to itself."""
    probes = [
        pairs(op, a, b, NUMBERS) for op in ("=", "<") for a, b in itertools.combinations_with_replacement(NUMBERS, 2)
    ]
    probes += [pairs(op, a, a, OTHERS) for op in COMPARISON for a in OTHERS]
    probes += [pairs(op, a, a, ARRAYS) for op in ("=", "<>") for a in ARRAYS]
    found = differences(connection, spark, probes)
    assert not found, "\n".join(found)


def test_both_engines_agree_on_logic_like_in_and_signs(connection: duckdb.DuckDBPyConnection, spark: Any) -> None:
    """AND, OR, NOT are three-valued; LIKE has no escape character; the smallest integer has no opposite."""
    texts = {"STRING": TEXTS}
    probes = [pairs(op, "BOOLEAN", "BOOLEAN", OTHERS) for op in ("AND", "OR")]
    probes.append(pairs("LIKE", "STRING", "STRING", texts))
    for type, values in (*NUMBERS.items(), ("BOOLEAN", OTHERS["BOOLEAN"])):
        op, a, rows = "NOT" if type == "BOOLEAN" else "-", parse_type(type), tuple((v,) for v in values)
        duck, sparks = (columned(unary(engine, op, "<<0>>", a)) for engine in ("duckdb", "spark"))
        probes.append(Probe(f"{op} {type}", (a,), rows, duck, sparks))
    types = [parse_type(t) for t in ("INT", "BIGINT", "DOUBLE")]
    rows3 = tuple(itertools.product((None, 1, MAX), (None, 1, LONG_MAX), (None, 1.0, NAN)))
    duck, sparks = (columned(in_list(e, "<<0>>", ["<<1>>", "<<2>>"], types[0], types[1:])) for e in ("duckdb", "spark"))
    probes.append(Probe("IN", tuple(types), rows3, duck, sparks))
    found = differences(connection, spark, probes)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("op", "left", "right", "a", "b", "expected"),
    [
        ("+", "INT", "INT", MAX, 1, None), ("+", "INT", "BIGINT", MAX, 1, MAX + 1), ("-", "BIGINT", "BIGINT", LONG_MIN, 1, None), ("*", "INT", "INT", MIN, -1, None),
        ("/", "INT", "INT", 7, 2, 3), ("/", "INT", "INT", -7, 2, -3), ("/", "INT", "INT", MIN, -1, None), ("/", "INT", "INT", 1, 0, None),
        ("/", "BIGINT", "BIGINT", LONG_MIN, -1, None), ("/", "DOUBLE", "INT", 1.0, 0, None), ("/", "DECIMAL(5,2)", "INT", Decimal("1.00"), 4, 0.25),
        ("%", "INT", "INT", -7, 3, -1), ("%", "INT", "INT", MIN, -1, 0), ("%", "INT", "INT", 7, 0, None), ("%", "DECIMAL(5,2)", "DECIMAL(5,2)", Decimal("-1.25"), Decimal("0.5"), Decimal("-0.25")),
        ("*", "DECIMAL(5,2)", "DECIMAL(5,2)", Decimal("1.25"), Decimal("0.01"), Decimal("0.0125")), ("+", "DOUBLE", "DOUBLE", 1e308, 1e308, INF),
        ("=", "DOUBLE", "DOUBLE", NAN, NAN, True), ("<", "STRING", "STRING", "\uffff", "😀", True), ("LIKE", "STRING", "STRING", "a\\c", "a\\%", True), ("LIKE", "STRING", "STRING", "😀", "_", True),
        ("LIKE", "STRING", "STRING", "a\nc", "a%", True), ("AND", "BOOLEAN", "BOOLEAN", False, None, False), ("OR", "BOOLEAN", "BOOLEAN", False, None, None),
    ],
)  # fmt: skip
def test_operators_give_what_is_written_down(
    op: str, left: str, right: str, a: Any, b: Any, expected: Any, connection: duckdb.DuckDBPyConnection
) -> None:
    """The values that the language decides, as a person wrote them down."""
    types = (parse_type(left), parse_type(right))
    result = on_duckdb(connection, [Probe("", types, ((a, b),), text("duckdb", op, *types), "")])[0][0]
    assert same(result, expected), result


@pytest.mark.parametrize("divisor", ["1", "7", "-1", "0", "3000000000"])
def test_division_by_a_literal(divisor: str, connection: duckdb.DuckDBPyConnection, spark: Any) -> None:
    """A literal divisor, for which Spark gets a shorter form, changes no value."""
    right = data.BIGINT if len(divisor) > 9 else data.INT
    probes = []
    for left in ("INT", "BIGINT"):
        a = parse_type(left)
        rows = tuple((v,) for v in NUMBERS[left])
        duck, sparks = (columned(binary(e, "/", "<<0>>", divisor, a, right)) for e in ("duckdb", "spark"))
        probes.append(Probe(f"{left} / {divisor}", (a,), rows, duck, sparks))
    assert differences(connection, spark, probes) == []


@pytest.mark.parametrize(
    ("op", "left", "right", "expected"),
    [
        ("+", "INT", "INT", "INT"), ("+", "INT", "BIGINT", "BIGINT"), ("/", "INT", "INT", "INT"), ("/", "FLOAT", "FLOAT", "DOUBLE"), ("+", "FLOAT", "INT", "DOUBLE"),
        ("+", "DECIMAL(5,2)", "DECIMAL(10,0)", "DECIMAL(13,2)"), ("*", "DECIMAL(38,18)", "DECIMAL(38,18)", "DECIMAL(38,6)"), ("/", "DECIMAL(5,2)", "DECIMAL(5,2)", "DOUBLE"),
        ("%", "DECIMAL(5,2)", "INT", "DECIMAL(5,2)"), ("+", "DECIMAL(5,2)", "DOUBLE", "DOUBLE"), ("=", "INT", "DOUBLE", "BOOLEAN"), ("<", "DATE", "DATE", "BOOLEAN"),
        ("LIKE", "STRING", "STRING", "BOOLEAN"), ("=", "ARRAY<INT>", "ARRAY<BIGINT>", "BOOLEAN"), ("<>", "STRUCT<a: INT>", "STRUCT<a: INT>", "BOOLEAN"),
    ],
)  # fmt: skip
def test_result_types(op: str, left: str, right: str, expected: str) -> None:
    """The type of a result follows from the types of the operands alone."""
    assert result_type(op, parse_type(left), parse_type(right)) == parse_type(expected)


@pytest.mark.parametrize(
    ("op", "left", "right"),
    [("=", "STRING", "INT"), ("+", "STRING", "STRING"), ("+", "BOOLEAN", "INT"), ("<", "DATE", "TIMESTAMP"), ("AND", "INT", "BOOLEAN"), ("LIKE", "INT", "STRING"),
     ("<", "ARRAY<INT>", "ARRAY<INT>"), ("=", "MAP<STRING,INT>", "MAP<STRING,INT>"), ("+", "DATE", "INT")],
)  # fmt: skip
def test_operators_that_are_not_defined(op: str, left: str, right: str) -> None:
    """Types without a common meaning have no operator; nothing is converted from or to a string."""
    assert result_type(op, parse_type(left), parse_type(right)) is None


def test_null_takes_the_other_type() -> None:
    """The literal NULL meets any operand; a sign needs a number and NOT a boolean."""
    assert result_type("+", NULL, data.INT) == data.INT
    assert result_type("=", NULL, NULL) == data.BOOLEAN
    assert unary_type("-", data.STRING) is None
    assert unary_type("NOT", data.INT) is None
    assert unary_type("-", NULL) == NULL
