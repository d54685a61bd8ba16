"""A search tells versions of a model apart with the fewest records, and never those that mean the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import lsqlc
from lsqlc import Plan, Topic
from lsqlc.lower.duckdb import evaluate
from lsqlc.report.search_report import arrivals, case_of, search_data, search_lines
from lsqlc.search.results import SearchResult
from lsqlc.search.search import search
from tests.lanes import sampled

TOPICS = (
    Topic("orders", key="INT",
          value="id INT, customer STRING, amount INT, price DECIMAL(8,2), at TIMESTAMP, tags ARRAY<STRING>"),
    Topic("customers", key="STRING", value="country STRING, vip BOOLEAN"),
    Topic("clicks", value="page STRING, at TIMESTAMP"),
)  # fmt: skip
MANY = ("AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FI", "FR", "GB", "HU", "IE", "IT", "NL")
# Pairs of queries with the number of records that tell them apart.
DIFFERENT = {
    "a bound": ("SELECT id FROM orders WHERE amount > 100", "SELECT id FROM orders WHERE amount >= 100", 1),
    "a decimal": ("SELECT id FROM orders WHERE price < 9.99", "SELECT id FROM orders WHERE price < 10.00", 1),
    "a date": (
        "SELECT id FROM orders WHERE at < TIMESTAMP '2024-03-01 10:00:00'",
        "SELECT id FROM orders WHERE at <= TIMESTAMP '2024-03-01 10:00:00'", 1),
    "null": ("SELECT id FROM orders WHERE amount <> 3", "SELECT id FROM orders WHERE NOT (amount <=> 3)", 1),
    "a text": ("SELECT id FROM orders WHERE customer LIKE 'x%'", "SELECT id FROM orders WHERE customer LIKE 'x_%'", 1),
    "a kind of join": (
        "SELECT o.id FROM orders o JOIN customers c ON o.customer = c._key",
        "SELECT o.id FROM orders o LEFT JOIN customers c ON o.customer = c._key", 1),
    "a condition of a join": (
        "SELECT o.id FROM orders o JOIN customers c ON o.customer = c._key",
        "SELECT o.id FROM orders o JOIN customers c ON o.customer = c._key AND c.vip", 2),
    "an aggregate": (
        "SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer",
        "SELECT customer, COUNT(DISTINCT id) AS n FROM orders GROUP BY customer", 1),
    "HAVING": (
        "SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer HAVING COUNT(*) > 2",
        "SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer HAVING COUNT(*) > 1", 2),
    "DISTINCT": (
        "SELECT SUM(amount) AS n, customer FROM orders GROUP BY customer",
        "SELECT SUM(DISTINCT amount) AS n, customer FROM orders GROUP BY customer", 2),
    "a window": (
        "SELECT page, COUNT(*) AS n FROM STREAM(clicks) GROUP BY page, window(at, '10 minutes')",
        "SELECT page, COUNT(*) AS n FROM STREAM(clicks) GROUP BY page, window(at, '15 minutes')", 1),
    "updates": (
        "SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer",
        "SELECT customer, COUNT(*) AS n FROM STREAM(orders) GROUP BY customer", 1),
    "a path in JSON": (
        "SELECT id FROM orders WHERE get_json_object(customer, '$.a.b') = '1'",
        "SELECT id FROM orders WHERE get_json_object(customer, '$.a.b') IS NOT NULL", 1),
    "a date in a text": (
        "SELECT to_date(customer, 'dd.MM.yyyy') AS d FROM orders",
        "SELECT to_date(customer, 'dd.MM.yyyy') + 1 AS d FROM orders", 1),
    "one constant of many": (
        f"SELECT id FROM orders WHERE customer IN ({', '.join(map(repr, MANY))}, 'PL')",
        f"SELECT id FROM orders WHERE customer IN ({', '.join(map(repr, MANY))}, 'PT')", 1),
    "upper case": ("SELECT id, customer AS c FROM orders", "SELECT id, lower(customer) AS c FROM orders", 1),
    "blanks": ("SELECT id, customer AS c FROM orders", "SELECT id, trim(customer) AS c FROM orders", 1),
    "a sign": ("SELECT id, amount AS n FROM orders", "SELECT id, abs(amount) AS n FROM orders", 1),
    "many rows": (
        "SELECT COUNT(*) > 10 AS many FROM orders GROUP BY customer",
        "SELECT COUNT(*) >= 10 AS many FROM orders GROUP BY customer", 10),
    "the first row": (
        "SELECT customer, amount FROM orders ORDER BY amount DESC, _key LIMIT 1",
        "SELECT customer, amount FROM orders ORDER BY amount DESC, _key LIMIT 2", 2),
    "an hour": ("SELECT hour(at) > 9 AS late FROM orders", "SELECT hour(at) >= 9 AS late FROM orders", 1),
    "a date beyond all": (
        "SELECT id FROM orders WHERE at < TIMESTAMP '9999-12-31 23:59:59.999'",
        "SELECT id FROM orders WHERE at <= TIMESTAMP '9999-12-31 23:59:59.999'", 1),
    "an array": ("SELECT id, size(tags) AS n FROM orders", "SELECT id, size(array_distinct(tags)) AS n FROM orders", 1),
}  # fmt: skip
SAME = {
    "NOT": ("SELECT id FROM orders WHERE amount <> 3", "SELECT id FROM orders WHERE NOT (amount = 3)"),
    "DISTINCT": ("SELECT DISTINCT customer FROM orders", "SELECT customer FROM orders GROUP BY customer"),
    "a sum": ("SELECT id, amount * 2 AS n FROM orders", "SELECT id, amount + amount AS n FROM orders"),
    "IN": (
        "SELECT id FROM orders WHERE customer IN (SELECT _key FROM customers)",
        "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM customers WHERE customers._key = customer)"),
}  # fmt: skip


def compiled(text: str) -> Plan:
    return lsqlc.compile(text, dialect="sql", topics=TOPICS, name="out")


def ticks() -> Iterator[float]:
    """A clock that has run for a second after each look."""
    number = 0
    while True:
        yield float(number)
        number += 1


def found(one: str, other: str, seconds: float = 100, seed: int = 0) -> SearchResult:
    clock = ticks()
    return search(compiled(one), compiled(other), evaluate, seconds=seconds, seed=seed, clock=lambda: next(clock))


@pytest.mark.parametrize("name", sampled(DIFFERENT, 4))
def test_different_versions_are_told_apart(name: str) -> None:
    one, other, number = DIFFERENT[name]
    result = found(one, other)
    assert (result.answer, len(result.records)) == ("different", number)
    plans = [compiled(text) for text in (one, other)]
    rows = [
        lsqlc.evaluate(plan, [r for r in result.records if r.topic in {t.name for t in plan.inputs}])["out"]
        for plan in plans
    ]
    assert rows[0] != rows[1]


@pytest.mark.parametrize("name", sampled(SAME, 2))
def test_equal_versions_are_not_told_apart(name: str) -> None:
    result = found(*SAME[name], seconds=4)
    assert (result.answer, result.rows, result.records) == ("not told apart", (), ())
    assert result.tried > 500 and result.with_rows > result.tried / 10


def test_a_search_can_be_repeated() -> None:
    """The sequences depend on the seed alone."""
    one, other, _ = DIFFERENT["a condition of a join"]
    assert found(one, other, seed=3) == found(one, other, seed=3)


def test_the_smallest_records_are_a_case() -> None:
    """They have the values that decide, and no others."""
    one, other, _ = DIFFERENT["a bound"]
    result = found(one, other)
    assert arrivals(result) == [{"topic": "orders", "key": 0, "value": {"amount": 100}}]
    case = case_of("out", result, 1)
    assert (case.model, case.expect) == ("out", None) and case.arrivals == arrivals(result)
    assert list(search_lines(result)) == [
        "search: different over 1 record",
        '  {topic: "orders", key: 0, value: {amount: 100}}',
        "  out",
        "    - no row",
        '    + 0 {"id":null}',
    ]
    assert search_data(result)["topics"] == [
        {"topic": "out", "before": [], "after": [{"key": "0", "value": '{"id":null}', "timestamp": None}]}
    ]


def test_rows_of_both_versions_are_not_shown() -> None:
    """Only the row that one version lacks."""
    one, other, _ = DIFFERENT["the first row"]
    (rows,) = found(one, other).rows
    assert (len(rows.before), len(rows.after)) == (0, 1)


def test_values_of_all_types_can_be_drawn() -> None:
    """Also near constants that few digits hold, and for times of day."""
    topics = (Topic("t", key="INT", value="a DECIMAL(38,18), b TIME, c MAP<STRING, BYTES>, d DATE, e DOUBLE"),)
    one, other = (
        lsqlc.compile(f"SELECT b, c, d, e FROM t WHERE a > {bound}", dialect="sql", topics=topics, name="out")
        for bound in ("100000000000", "100000000000.5")
    )
    clock = ticks()
    result = search(one, other, evaluate, seconds=10, clock=lambda: next(clock))
    assert result.answer == "different"


def test_other_columns_are_left_out() -> None:
    """Columns of one version, and those with another type in the other one."""
    result = found("SELECT id, amount AS a FROM orders", "SELECT id, price AS a, customer AS c FROM orders", seconds=2)
    assert (result.answer, result.left_out) == ("not told apart", ("out.a", "out.c"))
    assert list(search_lines(result))[-1] == "  not compared: 'out.a', 'out.c'"


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer", "the keys of 'out' have other types"),
        ("SELECT id AS other FROM orders", "'out' has no column in both versions"),
    ],
)
def test_what_cannot_be_compared_is_not_searched(other: str, reason: str) -> None:
    result = found("SELECT id FROM orders", other)
    assert result.answer == "not searched" and result.reason is not None and result.reason.startswith(reason)
    assert list(search_lines(result)) == [f"search: not searched, {result.reason}"]


def test_topics_with_other_columns_are_not_searched() -> None:
    topics = (Topic("orders", key="INT", value="id BIGINT"),)
    other = lsqlc.compile("SELECT id FROM orders", dialect="sql", topics=topics, name="out")
    result = search(compiled("SELECT id FROM orders"), other, evaluate, seconds=1)
    assert result.reason == "the columns of 'orders', which it reads, are others"
