"""Joins of many parts of one query: conditions go below all of them, and no pair that was is kept."""

from __future__ import annotations

from collections.abc import Iterator

import lsqlc
from lsqlc import Plan, Record, Topic
from lsqlc.plan.nodes import Filter, Join, Node, Rekey, inputs

TOPIC = Topic("sales", key="INT", value="customer INT, year INT, amount INT, kind STRING")
SIDES = 6


def compiled() -> Plan:
    columns = ", ".join(f"y{i}.total AS t{i}" for i in range(SIDES))
    joins = " ".join(f"JOIN years AS y{i} ON y{i}.customer = y0.customer" for i in range(1, SIDES))
    tests = " AND ".join(f"y{i}.year = {i // 2} AND y{i}.kind = '{'ab'[i % 2]}'" for i in range(SIDES))
    return lsqlc.compile(
        "WITH years AS (SELECT customer, year, kind, SUM(amount) AS total FROM sales WHERE customer IS NOT NULL"
        " AND year IS NOT NULL AND kind IS NOT NULL GROUP BY customer, year, kind)"
        f" SELECT y0.customer, {columns} FROM years AS y0 {joins} WHERE {tests}",
        dialect="sql", topics=[TOPIC], name="o",
    )  # fmt: skip


def walked(node: Node) -> Iterator[Node]:
    yield node
    for part in inputs(node):
        yield from walked(part)


def test_each_side_is_filtered_below_the_joins() -> None:
    nodes = [node for sink in compiled().sinks for below in sink.inputs for node in walked(below)]
    assert sum(isinstance(node, Join) for node in nodes) == SIDES - 1
    assert not any(isinstance(node, Filter) and isinstance(node.input, Join) for node in nodes)
    # Both keys of each pair are its key, so that no older pair decides.
    assert not any(isinstance(node, Rekey) for node in nodes)


def test_the_rows_are_those_of_the_query() -> None:
    """Of many records, also after updates: older versions multiply nothing."""
    records = [
        Record("sales", i % 400, {"customer": i % 5, "year": (i // 5) % 3, "amount": i, "kind": "ab"[(i // 15) % 2]})
        for i in range(600)
    ]
    current = {record.key: record.value for record in records}
    totals: dict[tuple[int, int, str], int] = {}
    for value in current.values():
        group = (value["customer"], value["year"], value["kind"])
        totals[group] = totals.get(group, 0) + value["amount"]
    rows = [record.value for record in lsqlc.evaluate(compiled(), records)["o"]]
    expected = [{"customer": c, **{f"t{i}": totals[c, i // 2, "ab"[i % 2]] for i in range(SIDES)}} for c in range(5)]
    assert sorted(rows, key=lambda row: row["customer"]) == expected
