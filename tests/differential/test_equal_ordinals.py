"""One record can update several rows of a TABLE with the same ordinal. The greatest identity decides between them, on
both engines and in the reference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Case, Record
from tests import reference
from tests.lower_duckdb.programs import TOPICS

_COUNTS = "WITH t AS (SELECT TABLE COUNT(*) AS n, SUM(n) AS s FROM a GROUP BY id);"
_PARTS = "WITH t AS (SELECT TABLE COUNT(*) AS n, SUM(n) AS s FROM a GROUP BY id AS i, name AS j);"
_WAITING = f"{_COUNTS} SELECT STREAM d.id AS id, t._key AS met FROM d LEFT JOIN t ON d.id = t.n"
# In each program the third record moves a row from one group to another, and both groups then count one row.
PROGRAMS: dict[str, str] = {
    "a new key": f"{_COUNTS} SELECT TABLE n AS _key, t._key AS id FROM t",
    "a new key, filtered": f"{_COUNTS} SELECT TABLE n AS _key, t._key AS id FROM t WHERE s < 100",
    "a new key of several parts": f"{_PARTS} SELECT TABLE n AS _key, t._key.i AS i, t._key.j AS j FROM t",
    "a new key of pairs": f"""
        {_COUNTS}
        WITH u AS (SELECT TABLE COUNT(*) AS m FROM b GROUP BY id);
        SELECT TABLE n AS _key, t._key AS id, m FROM t LEFT JOIN u ON t.n = u.m
        """,
    "an aggregate of rows with new keys": f"""
        {_COUNTS}
        WITH r AS (SELECT TABLE n AS _key, t._key AS id FROM t);
        SELECT TABLE SUM(id) AS ids FROM r GROUP BY 1 AS one
        """,
    "a stream that joins a field": f"{_COUNTS} SELECT STREAM d.id AS id, t._key AS met FROM d JOIN t ON d.id = t.n",
}  # fmt: skip


def _compiled(text: str) -> Plan:
    program = parse(text, "program").program
    assert program is not None
    plan = compile_program(program, TOPICS, name="o", limits=Limits(grace=0, retention=86_400_000)).plan
    assert plan is not None
    return plan


def _records(plan: Plan, old: int, new: int) -> tuple[Record, ...]:
    """Two rows of the group `old`, one of which moves to the group `new`; then a record of a stream. Of the topics that
    the plan reads.
    """
    rows = (("p", old), ("q", old), ("p", new))
    other = Record("b", "x", {"id": 5, "m": 1, "ref": "y"}, 1)
    changes = [Record("a", key, {"id": id, "n": 3, "name": "same"}, 2) for key, id in rows]
    every = (other, *changes, Record("d", 1, {"id": 1, "z": 1}, 3))
    read = {topic.name for topic in plan.inputs}
    return tuple(record for record in every if record.topic in read)


def _cut(records: tuple[Record, ...], size: int) -> tuple[tuple[Record, ...], ...]:
    return tuple(records[start : start + size] for start in range(0, len(records), size))


def _sizes(name: str) -> tuple[int, ...]:
    """The sizes of batches. Of a group a stream sees the last change of a batch: with all records in one batch the old
    group is as though it had never had two rows.
    """
    return (1, 2) if "stream" in name else (1, 2, 9)


_MOVES = ((1, 2), (2, 1), (9, 10), (10, 9))


@pytest.mark.parametrize("move", _MOVES, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_duckdb_and_the_reference_agree(name: str, move: tuple[int, int]) -> None:
    plan = _compiled(PROGRAMS[name])
    records = _records(plan, *move)
    topic = plan.sinks[-1].topic.name
    expected = [(r.key, r.value) for r in reference.run(plan, records)[topic]]
    assert str(max(move)) in str(expected)
    for _ in range(5):
        rows = default_session().evaluate(plan, [Case("0", (records,))])[0].topics[topic]
        assert [(r.key, r.value) for r in rows] == expected


@pytest.mark.parametrize(("name", "size"), [(name, size) for name in PROGRAMS for size in _sizes(name)])
def test_spark_and_the_reference_agree(name: str, size: int, spark: Any, tmp_path: Path) -> None:
    plan = _compiled(PROGRAMS[name])
    assert not unsupported(plan)
    cases = [Case(str(move), _cut(_records(plan, *move), size)) for move in _MOVES]
    topic = plan.sinks[-1].topic.name
    found = outcomes.evaluate(spark, tmp_path, plan, cases)
    for move, outcome in zip(_MOVES, found, strict=True):
        expected = reference.run(plan, _records(plan, *move))[topic]
        assert [(r.key, r.value) for r in outcome.topics[topic]] == [(r.key, r.value) for r in expected]


def _late(old: int, new: int) -> tuple[Record, ...]:
    """A record of a stream that finds no row, and then one of a table that makes two groups of two rows at once."""
    rows = [("p", new), ("s", old), ("u", old), ("v", old)]
    before = [Record("a", key, {"id": id, "n": 3, "name": "same"}, 2) for key, id in rows]
    stream = Record("d", 1, {"id": 2, "z": 1}, 3)
    return (*before, stream, Record("a", "u", {"id": new, "n": 3, "name": "same"}, 4))


@pytest.mark.parametrize("move", _MOVES, ids=str)
def test_a_waiting_record_meets_the_greatest(move: tuple[int, int]) -> None:
    plan = _compiled(_WAITING)
    expected = [{"id": 2, "met": None}, {"id": 2, "met": max(move)}]
    assert [r.value for r in reference.run(plan, _late(*move))["o"]] == expected
    rows = default_session().evaluate(plan, [Case("0", (_late(*move),))])[0].topics["o"]
    assert [r.value for r in rows] == expected


def test_a_waiting_record_meets_the_greatest_on_spark(spark: Any, tmp_path: Path) -> None:
    plan = _compiled(_WAITING)
    cases = [Case(str(move), _cut(_late(*move), 1)) for move in _MOVES]
    for move, outcome in zip(_MOVES, outcomes.evaluate(spark, tmp_path, plan, cases), strict=True):
        assert [r.value for r in outcome.topics["o"]] == [{"id": 2, "met": None}, {"id": 2, "met": max(move)}]
