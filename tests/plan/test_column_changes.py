"""Columns that two plans compute differently, records that differ, and the columns downstream that this concerns."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc.plan import Plan
from lsqlc.plan.column_changes import ColumnChanges, affected, column_changes
from lsqlc.plan.lineage import Column, lineage
from lsqlc.plan.lineage_graph import lineage_graph

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING, price INT, tags ARRAY<STRING>, at LONG, s STRUCT<a: INT>")
ITEMS = lsqlc.Topic("items", key="STRING", value="label STRING, weight INT")
CHAIN = """
WITH big AS (SELECT STREAM item, price * 2 AS price, s FROM orders WHERE price > 10);
INSERT INTO dear SELECT STREAM item, price + 1 AS more, s.a AS a FROM big
"""
SUMS = "INSERT INTO sums SELECT STREAM COUNT(*) AS n, SUM(price) AS total FROM orders GROUP BY item"


def plan(text: str) -> Plan:
    return lsqlc.compile(text, topics=[ORDERS, ITEMS])


def changes(old: str, new: str) -> tuple[str, str]:
    """The names of columns of the one topic, and of the topics with other records."""
    found = column_changes(plan(old), plan(new))
    assert found == ColumnChanges(found.changed, found.records)
    back = column_changes(plan(new), plan(old))
    assert (set(back.changed), back.records) == (set(found.changed), found.records)
    return " ".join(column.name for column in found.changed), " ".join(found.records)


@pytest.mark.parametrize(
    ("text", "old", "new", "columns", "records"),
    [
        (CHAIN, "price * 2", "price * 3", "_value.more", ""),
        (CHAIN, "item, price *", "UPPER(item) AS item, price *", "_value.item", ""),
        (CHAIN, "price > 10", "price > 11", "", "dear"),
        (CHAIN, "s.a AS a", "s.a AS b", "_value.a _value.b", ""),
        (CHAIN, "s.a AS a", "CAST(s.a AS STRING) AS a", "_value.a", ""),
        (CHAIN, "SELECT STREAM item, price + 1", "SELECT STREAM 1 AS _key, item, price + 1", "_key", ""),
        (CHAIN, "big AS", "large AS", None, None),
        (CHAIN, "price + 1", "(price)  +  1", "", ""),
        (CHAIN, "price + 1", "price + 1.0", "_value.more", ""),
        (SUMS, "SUM(price)", "SUM(price + 1)", "_value.total", ""),
        (SUMS, "SUM(price)", "AVG(price)", "_value.total", ""),
        (SUMS, "COUNT(*)", "COUNT(price)", "_value.n", ""),
        (SUMS, "BY item", "BY price", "_key", "sums"),
        (SUMS, "STREAM COUNT", "TABLE COUNT", "", "sums"),
        (SUMS, "orders GROUP", "orders WHERE price > 1 GROUP", "", "sums"),
        (SUMS, "INSERT", "SET defaults.topic.partitions = 3; INSERT", "", ""),
        (SUMS, "INSERT", "SET error.policy = 'continue'; INSERT", "", "sums"),
    ],
)
def test_columns_that_changed(text: str, old: str, new: str, columns: str | None, records: str | None) -> None:
    """An edit shows in the columns that use it; what decides about records, in the records."""
    assert old in text
    edited = text.replace(old, new).replace("FROM big", "FROM large" if "large" in new else "FROM big")
    assert changes(text, edited) == (columns or "", records or "")


def test_topics_that_came_and_went() -> None:
    """All columns of a topic that one version alone writes, and of a model that it alone has; no records of those."""
    more = CHAIN + "; INSERT INTO other SELECT STREAM item FROM orders"
    found = column_changes(plan(CHAIN), plan(more))
    assert found == ColumnChanges((Column("other", "_key"), Column("other", "_value.item")), ())
    assert column_changes(plan(more), None).changed == column_changes(None, plan(more)).changed
    assert len(column_changes(None, plan(more)).changed) == 6


def chain() -> tuple[Plan, Plan, Plan]:
    first = plan(CHAIN)
    second = lsqlc.compile(
        "INSERT INTO by_item SELECT STREAM SUM(more) AS total, COUNT(*) AS n FROM dear GROUP BY item",
        topics=[lsqlc.Topic("dear", key="INT", value="item STRING, more INT, a INT")],
    )
    third = lsqlc.compile(
        "INSERT INTO rich SELECT STREAM n FROM by_item WHERE total > 100",
        topics=[lsqlc.Topic("by_item", key="STRING", value="total LONG, n LONG")],
    )
    return first, second, third


def concerned(found: ColumnChanges) -> dict[str, str]:
    graph = lineage_graph(each for one in chain() for each in lineage(one))
    return {f"{s.column.topic}{s.column.name}": " ".join(s.uses) for s in affected(found, graph, graph)}


def test_columns_downstream() -> None:
    """Through every model, each with the use that is made of what changed; other records concern all of them."""
    more = concerned(ColumnChanges((Column("dear", "_value.more"),), ()))
    assert more == {
        "by_item_value.total": "value",
        "rich_key": "filter",
        "rich_value.n": "filter",
    }
    assert concerned(ColumnChanges((Column("dear", "_value.a"),), ())) == {}
    rows = concerned(ColumnChanges((), ("dear",)))
    assert rows.keys() == {"by_item_key", "by_item_value.total", "by_item_value.n", "rich_key", "rich_value.n"}


def test_readers_of_what_is_gone() -> None:
    """A column that only the older version had concerns those that read it there."""
    graph = lineage_graph(each for one in chain() for each in lineage(one))
    found = affected(ColumnChanges((Column("dear", "_value.more"),), ()), graph, lineage_graph([]))
    assert [source.column.topic for source in found] == ["by_item", "rich", "rich"]
