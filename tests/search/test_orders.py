"""Results that depend on the order of records are found, with the fewest records and the reason."""

from __future__ import annotations

from random import Random
from typing import Literal

import pytest

import lsqlc
from lsqlc.lower.duckdb import evaluate
from lsqlc.report.orders_report import orders_data, orders_lines, orders_summary
from lsqlc.report.search_report import arrivals_of
from lsqlc.search.orders import ModelOrders, OrderDependence, order_dependence, other_orders
from lsqlc.types.record import Case, Raw, Record

TOPICS = (
    lsqlc.Topic("orders", key="INT", value="id INT, customer STRING, amount INT, at TIMESTAMP"),
    lsqlc.Topic("customers", key="STRING", value="country STRING"),
    lsqlc.Topic("clicks", value="page STRING, n INT"),
)


def order(key: int, customer: str, amount: int = 1, at: int = 0) -> Record:
    return Record("orders", key, {"id": key, "customer": customer, "amount": amount, "at": None}, at)


def customer(key: str, country: str) -> Record:
    return Record("customers", key, {"country": country})


RECORDS = (customer("a", "AT"), order(1, "a"), order(2, "b"), customer("b", "BE"), order(1, "b"), customer("a", "CH"))


def found(
    text: str, *records: Record, language: Literal["lenses", "sql"] = "lenses", count: int = 40
) -> OrderDependence | None:
    plan = lsqlc.compile(text, dialect=language, topics=TOPICS, name="out")
    names = {topic.name for topic in plan.inputs}
    case = Case("one", (tuple(record for record in records if record.topic in names),))
    return order_dependence(plan, [case], count, evaluate)[1]


def test_records_of_one_key_keep_their_order() -> None:
    """Each order comes once, and is not that of the case."""
    orders = list(other_orders(RECORDS, 30, Random(1)))
    assert len(set(orders)) == len(orders) == 30 and tuple(range(6)) not in orders
    for each in orders:
        assert sorted(each) == list(range(6))
        assert each.index(1) < each.index(4), "both are of the order 1"
        assert each.index(0) < each.index(5), "both are of the customer a"


def test_records_without_a_key_come_in_any_order() -> None:
    records = [Record("clicks", None, {"page": "a", "n": n}) for n in range(3)]
    assert len(list(other_orders(records, 100, Random(1)))) == 5
    assert list(other_orders(records[:1], 100, Random(1))) == []
    assert list(other_orders([], 100, Random(1))) == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer",
        "SELECT id FROM STREAM(orders) WHERE amount > 0",
        "SELECT o.id, o.amount, c.country FROM orders AS o LEFT JOIN customers AS c ON o.customer = c._key",
    ],
)
def test_a_result_that_does_not_depend_on_the_order(text: str) -> None:
    assert found(text, *RECORDS, language="sql") is None


def test_a_stream_that_joins_a_table() -> None:
    """Two records show it: one of each side."""
    text = "SELECT o.id, c.country FROM STREAM(orders) AS o JOIN customers AS c ON o.customer = c._key"
    dependence = found(text, *RECORDS, language="sql")
    assert dependence is not None
    assert len(dependence.first) == 2 and dependence.second == dependence.first[::-1]
    assert dependence.reasons == ("records of 'orders' join the row of 'customers' at their arrival",)
    assert len(dependence.rows) == 1
    lines = list(orders_lines([ModelOrders("out", "out.sql", 1, 7, 0, dependence)]))
    assert lines[:2] == ["out: depends on the order of records", "  case 'one'"]
    assert lines[-1] == "  because records of 'orders' join the row of 'customers' at their arrival"
    assert [line[:3] for line in lines[2:6]] == ["  -", "  -", "  +", "  +"]


def test_late_records_are_the_reason() -> None:
    text = "SELECT STREAM COUNT(*) AS n FROM orders WINDOW BY TUMBLE 10ms GRACE BY 0ms GROUP BY customer"
    dependence = found(text, order(1, "a", at=1), order(2, "a", at=2), order(3, "a", at=100))
    assert dependence is not None and len(dependence.first) == 2
    assert dependence.reasons == ("records are late in one of the orders",)


def test_the_first_value_of_a_group() -> None:
    text = "SELECT STREAM FIRST(amount) AS amount FROM orders GROUP BY customer"
    dependence = found(text, order(1, "a", 1), order(2, "a", 2), order(3, "b", 3))
    assert dependence is not None and dependence.reasons == ("FIRST takes its values in order of arrival",)


def test_records_that_cannot_be_read_are_shown_as_they_are() -> None:
    """They take part where the model skips them; a case that ends with an error has no other order."""
    text, records = (
        "SELECT STREAM FIRST(amount) AS amount FROM orders GROUP BY customer",
        (order(1, "a"), order(2, "a", 2)),
    )
    bad = Record("orders", 9, Raw("{"))
    assert found(text, *records, bad) is None
    plan = lsqlc.compile(text, dialect="lenses", topics=TOPICS, name="out", error_policy="continue")
    assert order_dependence(plan, [Case("one", ((*records, bad),))], 20, evaluate)[1] is not None
    assert arrivals_of(plan.inputs, [bad]) == [{"topic": "orders", "key": 9, "raw": "{"}]


def test_the_summary_counts_what_was_not_tried() -> None:
    models = [ModelOrders("a", "a.sql", 2, 20, 1), ModelOrders("b", "b.sql", 0, 0)]
    assert orders_summary(models) == (
        "20 other orders of records: the same rows; 1 case with advance_watermark not reordered"
    )
    assert orders_data(models)[0] == {
        "name": "a", "path": "a.sql", "cases": 2, "skipped": 1, "orders": 20, "depends": False, "example": None,
    }  # fmt: skip
