"""Rules that the random logs of the reference meet seldom, each by a log of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import duckdb
import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb.session import Session
from lsqlc.plan import Plan
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Case, Record
from tests.lower_duckdb.programs import TOPICS


def run(text: str, *log: Record) -> list[tuple[Any, Any]]:
    """Keys and values of the program's only target."""
    (rows,) = Session().evaluate(plan_of(text), [Case("", (log,))])[0].topics.values()
    return [(row.key, row.value) for row in rows]


def plan_of(text: str) -> Plan:
    program = parse(text, "rule").program
    assert program
    plan = compile_program(program, TOPICS, name="out").plan
    assert plan
    return plan


def a(key: str, id: int | None, n: int | None = None) -> Record:
    return Record("a", key, {"id": id, "n": n, "name": None})


def b(key: str, id: int | None, m: int | None = None) -> Record:
    return Record("b", key, {"id": id, "m": m, "ref": None})


def gone(topic: str, key: str) -> Record:
    return Record(topic, key, None)


def test_of_rows_that_lose_their_partner_at_once_the_newest_decides() -> None:
    """Both stand alone from the same record on; the later of the two is the row of their key."""
    text = "SELECT TABLE n, m FROM a LEFT JOIN b ON a.id = b.id"
    assert run(text, a("p", 1, 10), b("x", 1, 5), a("q", 1, 20), gone("b", "x")) == [(1, {"n": 20, "m": None})]
    assert run(text, a("q", 1, 20), b("x", 1, 5), a("p", 1, 10), gone("b", "x")) == [(1, {"n": 10, "m": None})]


def test_an_outer_join_with_conditions_has_one_row_per_key() -> None:
    """Both sides stand alone under one key, and the newest is the row."""
    text = "SELECT TABLE n, m FROM a OUTER JOIN b ON a._key = b._key AND a.n > 0"
    assert run(text, b("p", 1, 5), a("p", 1, 0)) == [("p", {"n": 0, "m": None})]
    assert run(text, a("p", 1, 0), b("p", 1, 5)) == [("p", {"n": None, "m": 5})]


def test_a_row_that_is_replaced_was_never_missing() -> None:
    """An update below an inner join, below a left one, leaves no moment without a row, which a new key could see."""
    text = """WITH ab AS (SELECT TABLE n, m FROM a JOIN b);
        SELECT TABLE COALESCE(ab.m, 9) AS _key, z FROM c LEFT JOIN ab"""
    c = [Record("c", key, {"id": 1, "z": z}) for key, z in (("p", 1), ("q", 2))]
    log = (*c, a("p", 1, 1), b("p", 1, 5), b("p", 1, 6))
    assert run(text, *log) == [(6, {"z": 1}), (9, {"z": 2})]


def test_pairs_of_one_ordinal_are_matched_each_for_itself() -> None:
    """Of the two pairs that the later of two records makes with the earlier, one has a match and one has none."""
    pairs = "WITH q AS (SELECT STREAM x.id AS one, y.id AS other FROM a AS x JOIN a AS y WITHIN 9ms);"
    table = "WITH t AS (SELECT TABLE * FROM b);"
    log = b("z", 1, 5), a("p", 1), a("p", 2)
    wanted = [(1, 1, 5), (1, 2, None), (2, 1, 5), (2, 2, None)]
    for joined in ("b AS y WITHIN 9ms", "t AS y"):
        text = f"{pairs} {table} SELECT STREAM x.one, x.other, y.m FROM q AS x LEFT JOIN {joined} ON x.other = y.id"
        assert sorted(tuple(value.values()) for _, value in run(text, *log)) == wanted


def test_records_of_one_cause_come_in_a_fixed_order() -> None:
    """By statement, and by key and value where one statement gives several."""
    text = "INSERT INTO t SELECT STREAM n AS x FROM a; INSERT INTO t SELECT STREAM id AS x FROM a"
    for _ in range(5):
        assert [v["x"] for _, v in run(text, a("p", 1, 10), a("q", 2, 20))] == [10, 1, 20, 2]
    pairs = "SELECT STREAM x.n AS n, y.n AS m FROM a AS x JOIN a AS y WITHIN 1h ON x.id = y.id"
    found = [(v["n"], v["m"]) for _, v in run(pairs, a("p", 1, 2), a("q", 1, 1))]
    assert found == [(2, 2), (1, 2), (2, 1), (1, 1)]


def test_a_missing_side_as_the_value_is_a_record_without_value() -> None:
    """It passes a projection, satisfies no condition on the value, and is not counted."""
    text = """WITH t AS (SELECT TABLE * FROM b); WITH j AS (SELECT STREAM t._value AS _value FROM a LEFT JOIN t);
        SELECT STREAM {} FROM j {}"""
    assert run(text.format("*", ""), a("p", 1)) == [("p", None)]
    assert run(text.format("*", "WHERE m IS NULL"), a("p", 1)) == []
    assert run(text.format("COUNT(*) AS n", "GROUP BY j._key"), a("p", 1)) == []


def test_a_condition_that_comes_down_to_true_still_speaks_of_the_value() -> None:
    """Folding it away would let tombstones through."""
    assert run("SELECT STREAM n FROM a WHERE n > 1 OR TRUE", a("p", 1, 1), gone("a", "p")) == [("p", {"n": 1})]
    assert run("SELECT STREAM n FROM a WHERE TRUE", a("p", 1, 1), gone("a", "p")) == [("p", {"n": 1}), ("p", None)]


def test_the_values_collected_may_be_quotients() -> None:
    """Which DuckDB computes with a lambda, as it looks for the first of equal values."""
    text = "SELECT STREAM COLLECT_UNIQUE(n / 2.0, 2) AS halves FROM a GROUP BY id"
    assert run(text, a("p", 1, 3), a("q", 1, 3), a("r", 1, 4))[-1] == (1, {"halves": [1.5, 2.0]})


def test_a_session_survives_an_error_of_its_engine() -> None:
    """DuckDB takes nothing more for a database after an error of its own: the next evaluation has another."""
    session, plan = Session(), plan_of("SELECT STREAM n FROM a")

    class Broken:
        def execute(self, *_: object) -> None:
            raise duckdb.InternalException("INTERNAL Error: broken")

    session.evaluate(plan, [Case("", ((a("p", 1),),))])
    for small, database in session._databases.items():
        session._databases[small] = replace(database, connection=Broken())  # type: ignore[arg-type]
    with pytest.raises(duckdb.InternalException):
        session.evaluate(plan, [Case("", ((a("p", 1),),))])
    assert session.evaluate(plan, [Case("", ((a("p", 1, 7),),))])[0].topics["out"][0].value == {"n": 7}
