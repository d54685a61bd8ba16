"""Laws hold for correct results, and an engine that breaks one is found with few records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import lsqlc
from lsqlc import Plan
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan.nodes import Filter
from lsqlc.report.laws_report import laws_data, laws_lines, laws_summary
from lsqlc.search.laws import Law, ModelLaws, violation_of
from lsqlc.types.record import Case, Outcome, Record
from tests.fuzz.programs import draw
from tests.lanes import only, sampled

TOPICS = (
    lsqlc.Topic("orders", key="INT", value="id INT, customer STRING, amount INT, price DOUBLE"),
    lsqlc.Topic("customers", key="STRING", value="country STRING, since INT"),
)
# Queries, with the laws that apply to them.
QUERIES: dict[str, tuple[str, set[Law]]] = {
    "a filter": ("SELECT id, amount, price FROM STREAM(orders) WHERE amount > 1", {"partition"}),
    "a left join": (
        "SELECT o.id, o.amount, c.country FROM orders o LEFT JOIN customers c ON o.customer = c._key",
        {"partition", "deletion"}),
    "groups": ("SELECT customer, COUNT(*) AS n, SUM(amount) AS s FROM orders GROUP BY customer",
               {"partition", "deletion"}),
    "a total": ("SELECT COUNT(*) AS n, SUM(amount) AS s FROM orders", {"partition"}),
    "groups of records": ("SELECT customer, COUNT(*) AS n, MAX(id) AS m FROM STREAM(orders) GROUP BY customer",
                          {"partition"}),
}  # fmt: skip


def compiled(text: str) -> Plan:
    return lsqlc.compile(text, dialect="sql", topics=TOPICS, name="out")


@pytest.mark.parametrize("name", sampled(QUERIES, 5))
def test_laws_hold(name: str) -> None:
    text, laws = QUERIES[name]
    tried, violation = violation_of(compiled(text), [], evaluate)
    assert violation is None and tried.keys() == laws
    assert all(count >= 20 for count in tried.values())


def without_nulls(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    """An engine for which a condition is never null."""
    tops = [node for sink in plan.sinks for node in sink.inputs if isinstance(node, Filter)]
    results = evaluate(plan, cases)
    is_null = any("IS NULL" in repr(node.condition) for node in tops)
    return [Outcome(dict.fromkeys(each.topics, ()), {}) if is_null else each for each in results]


def without_deletions(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    """An engine that does not delete rows."""
    return evaluate(
        plan, [replace(case, batches=(tuple(r for r in case.records if r.value is not None),)) for case in cases]
    )


def test_an_engine_without_nulls_breaks_the_partition() -> None:
    """One record with a null shows it."""
    plan = compiled("SELECT id, amount, price FROM STREAM(orders)")
    tried, violation = violation_of(plan, [], without_nulls)
    assert violation is not None and violation.law == "partition"
    assert len(violation.records) == 1 and len(violation.rows) == 1
    model = ModelLaws("out", "out.sql", tried, violation)
    lines = list(laws_lines([model]))
    assert lines[0] == "out: the rows of a condition, of its negation and of its nulls are not all rows"
    assert lines[-1] == "  this is an error of lsqlc, not of the model: please report it with these records"
    assert laws_summary([model]).endswith("1 violation")
    (data,) = laws_data([model])
    assert data["violation"]["law"] == "partition" and len(data["violation"]["records"]) == 1


def test_an_engine_that_keeps_deleted_rows_breaks_the_deletion() -> None:
    """The row and its deletion show it."""
    _, violation = violation_of(compiled(QUERIES["groups"][0]), [], without_deletions)
    assert violation is not None and (violation.law, violation.about) == ("deletion", "a row of 'orders'")
    inserted, deleted = violation.records
    assert inserted.value is not None and (deleted.key, deleted.value) == (inserted.key, None)


def test_a_case_takes_part() -> None:
    """Also one whose times advance without a record, and one that ends with an error."""
    plan = compiled("SELECT id, amount, price FROM STREAM(orders)")
    row = Record("orders", 1, {"id": 1, "customer": None, "amount": None, "price": float("nan")})
    cases = [Case("advances", ((row,),), advances=((1, 5),)), Case("bad", ((Record("orders", "x", None),),))]
    tried, violation = violation_of(plan, cases, evaluate)
    assert violation is None and tried["partition"] >= 21


@pytest.mark.parametrize("seed", only(range(12), (0,)))
@pytest.mark.parametrize("dialect", ["lenses", "ksql"])
def test_laws_hold_for_random_programs(seed: int, dialect: str) -> None:
    plan = draw(seed, None, "ksql" if dialect == "ksql" else "lenses").plan
    assert violation_of(plan, [], evaluate)[1] is None
