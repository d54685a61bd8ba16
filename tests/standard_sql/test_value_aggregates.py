# ruff: noqa: E501  a table of values reads better in long rows
"""Aggregates of all values of a group, over tables whose rows change and over records, on both engines."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from typing import Any

import pytest

import lsqlc
from lsqlc import Record, Topic

TOPIC = Topic("t", key="INT", value="g INT, x INT, y DOUBLE, s STRING, d DECIMAL(6,2)")
ROWS: tuple[tuple[Any, ...], ...] = (
    (3, 2.0, "b", "1.10"), (1, 5.0, "a", "2.25"), (3, None, "c", None), (None, 9.0, "b", "-3.33"), (4, 4.0, None, "1.10"),
)  # fmt: skip
# The call, and what Spark gives for these rows in this order.
CALLS: tuple[tuple[str, Any], ...] = (
    ("collect_list(x)", [3, 1, 3, 4]), ("array_agg(s)", ["b", "a", "c", "b"]), ("collect_list(DISTINCT x)", [3, 1, 4]),
    ("collect_set(s)", ["b", "a", "c"]), ("first(x)", 3), ("last(x)", 4), ("last(s)", None), ("last(s) IGNORE NULLS", "b"),
    ("first_value(x, true)", 3), ("last_value(y)", 4.0), ("any_value(d)", Decimal("1.10")), ("first(x) FILTER (WHERE x < 3)", 1),
    ("max_by(s, y)", "b"), ("min_by(x, y)", 3), ("max_by(s, x)", None), ("max_by(x, y, 2)", [None, 1]), ("min_by(y, s, 9)", [5.0, 2.0, 9.0, None]),
    ("stddev(x)", 1.2583057392117916), ("std(x)", 1.2583057392117916), ("stddev_samp(x)", 1.2583057392117916), ("stddev_pop(x)", 1.0897247358851685),
    ("variance(x)", 1.5833333333333333), ("var_samp(x)", 1.5833333333333333), ("var_pop(x)", 1.1875), ("skewness(x)", -0.6520236646847543),
    ("kurtosis(x)", -0.9030470914127422), ("corr(x, y)", -0.5), ("covar_pop(x, y)", -0.7777777777777778), ("covar_samp(x, y)", -1.1666666666666667),
    ("regr_count(x, y)", 3), ("regr_slope(x, y)", -0.5), ("regr_intercept(x, y)", 4.5), ("regr_r2(x, y)", 0.25), ("regr_avgx(x, y)", 3.6666666666666665),
    ("regr_avgy(x, y)", 2.6666666666666665), ("regr_sxx(x, y)", 4.666666666666667), ("regr_sxy(x, y)", -2.3333333333333335), ("regr_syy(x, y)", 4.666666666666667),
    ("percentile(x, 0.3)", 2.8), ("percentile(x, array(0.0, 0.5))", [1.0, 3.0]), ("percentile(x, 0.5, 2)", 3.0), ("median(y)", 4.5),
    ("percentile_approx(x, 0.3)", 3), ("approx_percentile(d, array(0.1, 0.9), 100)", [Decimal("-3.33"), Decimal("2.25")]),
    ("percentile_cont(0.3) WITHIN GROUP (ORDER BY x DESC)", 3.1), ("percentile_disc(0.3) WITHIN GROUP (ORDER BY x DESC)", 3.0),
    ("percentile_disc(0.2) WITHIN GROUP (ORDER BY x)", 1.0), ("mode(x)", 3), ("mode(s, true)", "b"), ("mode() WITHIN GROUP (ORDER BY x DESC)", 3),
    ("bit_and(x)", 0), ("bit_or(x)", 7), ("bit_xor(x)", 5), ("listagg(s)", "bacb"), ("string_agg(s, ', ')", "b, a, c, b"), ("listagg(DISTINCT s, '-')", "b-a-c"),
    ("string_agg(s, NULL)", "bacb"), ("listagg(s, ',') WITHIN GROUP (ORDER BY x DESC NULLS LAST, s)", "b,c,a,b"),
    ("string_agg(DISTINCT s) WITHIN GROUP (ORDER BY s)", "abc"), ("approx_count_distinct(s)", 3), ("approx_count_distinct(x, 0.1)", 3),
    ("count(DISTINCT x, s)", 3), ("avg(d)", Decimal("0.280000")), ("mean(d)", Decimal("0.280000")), ("avg(DISTINCT d)", Decimal("0.006667")),
    ("try_sum(x)", 11), ("try_avg(x)", 2.75), ("any(x > 3)", True), ("some(x > 4)", False), ("every(x > 0)", True),
    ("stddev(x) FILTER (WHERE y > 2)", 2.1213203435596424), ("percentile(x, 0.5) FILTER (WHERE s = 'b')", 3.0), ("max_by(s, y) FILTER (WHERE x > 0)", "a"),
    ("array_sort(transform(collect_list(x), v -> v + 1))", [2, 4, 4, 5]), ("stddev(d)", 2.4669684500076876), ("sum(x) / count(x)", 2.75),
)  # fmt: skip
# What a group without a value has.
OF_NONE: dict[str, Any] = {
    "collect_list": [],
    "array_agg": [],
    "collect_set": [],
    "regr_count": 0,
    "approx_count_distinct": 0,
    "count": 0,
}


def compiled(source: str) -> lsqlc.Plan:
    items = ", ".join(f"{call} AS r{i}" for i, (call, _) in enumerate(CALLS))
    query = f"SELECT g, {items} FROM {source} WHERE g IS NOT NULL GROUP BY g"
    return lsqlc.compile(query, dialect="sql", topics=[TOPIC], name="o")


def row(key: int, group: int, values: tuple[Any, ...]) -> Record:
    x, y, s, d = values
    return Record("t", key, {"g": group, "x": x, "y": y, "s": s, "d": Decimal(d) if d is not None else None})


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return type(one) is type(other) and bool(one == other)


def newest(records: list[Record]) -> dict[Any, Any]:
    return {record.key: record.value for record in records}


@pytest.mark.parametrize("source", ["t", "STREAM(t)"])
def test_duckdb_gives_what_spark_gives(source: str) -> None:
    """Of the rows of a group, and of a group whose values are all null."""
    records = [row(i, 1, values) for i, values in enumerate(ROWS)]
    records += [row(10 + i, 2, (None,) * 4) for i in range(2)]
    found = newest(list(lsqlc.evaluate(compiled(source), records)["o"]))
    wrong = {call: found[1][f"r{i}"] for i, (call, value) in enumerate(CALLS) if not alike(found[1][f"r{i}"], value)}
    assert not wrong
    for i, (call, _) in enumerate(CALLS):
        none = OF_NONE.get(call.split("(")[0]) if not call.startswith("array_sort") else []
        assert found[2][f"r{i}"] == none, call


def test_a_row_that_leaves_takes_its_value_with_it() -> None:
    records = [row(i, 1, values) for i, values in enumerate(ROWS)]
    gone = [Record("t", 9, None), row(9, 2, ROWS[0]), row(9, 1, ROWS[1]), Record("t", 9, None), row(0, 1, ROWS[0])]
    assert lsqlc.evaluate(compiled("t"), [*records, *gone])["o"] == lsqlc.evaluate(compiled("t"), records)["o"]


@pytest.mark.parametrize("source", ["t", "STREAM(t)"])
def test_spark_agrees(source: str, spark: Any) -> None:
    """Over random changes in several batches."""
    rand = random.Random(source)

    def change() -> Record:
        if rand.random() < 0.2:
            return Record("t", rand.randint(1, 7), None)
        values = tuple(rand.choice([None, *(each[i] for each in ROWS)]) for i in range(4))
        return row(rand.randint(1, 7), rand.choice((1, 2)), values)

    records = [change() for _ in range(24)]
    plan = compiled(source)
    ours = newest(list(lsqlc.evaluate(plan, records)["o"]))
    batches = [records[:8], records[8:9], records[9:20], records[20:]]
    theirs = newest(list(lsqlc.evaluate(plan, batches=batches, engine="spark")["o"]))
    assert set(ours) == set(theirs)
    for group, values in ours.items():
        for i, (call, _) in enumerate(CALLS):
            assert alike(values[f"r{i}"], theirs[group][f"r{i}"]), (group, call)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("percentile(x, 1.5)", "LSQ217"), ("percentile(x, y)", "LSQ217"), ("max_by(x, y, 0)", "LSQ217"), ("mode(x, x)", "LSQ209"),
        ("collect_list(map(s, x))", "LSQ209"), ("collect_list(NULL)", "LSQ209"),
        ("stddev(DISTINCT x)", "LSQ450"), ("sum(x) IGNORE NULLS", "LSQ450"), ("sum(x) WITHIN GROUP (ORDER BY x)", "LSQ450"),
        ("median(x) WITHIN GROUP (ORDER BY x)", "LSQ450"),
    ],
)  # fmt: skip
def test_what_is_refused(call: str, code: str) -> None:
    with pytest.raises(lsqlc.CompileError) as raised:
        lsqlc.compile(f"SELECT {call} AS r FROM t WHERE g IS NOT NULL GROUP BY g", dialect="sql", topics=[TOPIC])
    assert [d.code for d in raised.value.diagnostics] == [code]
