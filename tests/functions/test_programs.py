"""Functions that look beyond their arguments, in whole programs on both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsqlc import Record, Topic, compile, evaluate
from lsqlc.lower.duckdb.session import default_session
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.types.record import Case

_TOPICS = [Topic("t", key="INT", value="a ARRAY<INT>, g STRING"), Topic("u", key="INT", value="n STRING")]
_RECORDS = [
    Record("t", key=1, value={"a": [1, 2], "g": "x"}, timestamp=1000),
    Record("u", key=1, value={"n": "one"}, timestamp=1500),
    Record("t", key=1, value={"a": [1, 2], "g": "x"}, timestamp=1000),
    Record("t", key=2, value={"a": [], "g": "x"}, timestamp=2000),
    Record("t", key=3, value={"a": [None, 3], "g": "😀"}, timestamp=3000),
    Record("u", key=3, value={"n": "three"}, timestamp=3000),
]
_PROGRAMS = (
    "SELECT STREAM UUID() AS a, UUID() AS b, CONCAT(UUID(), g) AS c FROM t",
    "SELECT STREAM UUID() AS a, UUID() AS _key FROM t WHERE g = 'x'",
    "SELECT STREAM UUID() AS a, i FROM t LATERAL a AS i",
    "SELECT STREAM UUID() AS a, n, g FROM t LEFT JOIN u WITHIN 1s",
    "WITH c AS (SELECT TABLE * FROM u); SELECT STREAM UUID() AS a, n FROM t LEFT JOIN c",
    "WITH w AS (SELECT STREAM UUID() AS id, g FROM t); SELECT STREAM id, UUID() AS other FROM w",
)


def rows(plan: Plan, records: list[Record] = _RECORDS) -> list[Record]:
    read = {t.name for t in plan.inputs}
    return evaluate(plan, [r for r in records if r.topic in read])["result"]


def texts(found: list[Record]) -> list[str]:
    """Every identifier that is in the records."""
    values = [v for r in found for v in (r.key, *r.value.values())]
    return [v for v in values if isinstance(v, str) and v.count("-") == 4]


@pytest.mark.parametrize("text", _PROGRAMS)
def test_each_record_has_identifiers_of_its_own(text: str) -> None:
    """No two calls of one projection and no two records share one, although records can be equal."""
    found = texts(rows(compile(text, topics=_TOPICS)))
    assert found and len(set(found)) == len(found)


def test_a_replay_gives_the_same_identifiers() -> None:
    """The same records in the same order, again; and other ones in another order."""
    plan = compile(_PROGRAMS[0], topics=_TOPICS)
    assert rows(plan) == rows(plan)
    assert texts(rows(plan)) != texts(rows(plan, _RECORDS[1:]))


def test_a_number_stands_for_itself() -> None:
    """Calls without one are counted, and one that is written says which it is."""
    plan = compile("SELECT STREAM UUID() AS a, UUID(0) AS b, UUID(1) AS c, UUID() AS d FROM t", topics=_TOPICS)
    for record in rows(plan):
        assert record.value["a"] == record.value["b"] != record.value["c"] == record.value["d"]


@pytest.mark.parametrize("text", _PROGRAMS)
def test_spark_gives_the_same_identifiers(text: str, spark: Any, tmp_path: Path) -> None:
    """Whatever the record is derived from, and however the records are cut into batches."""
    plan = compile(text, topics=_TOPICS)
    read = {t.name for t in plan.inputs}
    records = tuple(r for r in _RECORDS if r.topic in read)
    cases = [Case("one", (records,)), Case("two", (records[:1], records[1:]))]
    wanted = default_session().evaluate(plan, cases)
    got = outcomes.evaluate(spark, tmp_path, plan, cases)
    for expected, found in zip(wanted, got, strict=True):
        assert sorted(map(repr, found.topics["result"])) == sorted(map(repr, expected.topics["result"]))
