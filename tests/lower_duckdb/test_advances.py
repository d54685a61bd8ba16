"""Time that goes on without a record: what comes behind it is late as if a record of that time had come."""

from __future__ import annotations

import pytest

from lsqlc import Record, Topic, compile
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import Plan
from lsqlc.types.record import Case

CLICKS = Topic("clicks", key="STRING", value="n INT")
VIEWS = Topic("views", key="STRING", value="m INT")
JOINED = "SELECT STREAM clicks.n, views.m FROM clicks {kind} JOIN views ON clicks._key = views._key WITHIN 10s"
WINDOWS = {
    "tumble": "SELECT STREAM COUNT(*) AS n FROM clicks WINDOW BY TUMBLE 10s GRACE BY 5s GROUP BY n % 1",
    "hop": "SELECT STREAM COUNT(*) AS n FROM clicks WINDOW BY HOP 10s, 5s GRACE BY 5s GROUP BY n % 1",
    "session": "SELECT STREAM COUNT(*) AS n FROM clicks WINDOW BY SESSION 10s GRACE BY 15s GROUP BY n % 1",
}


def _plan(text: str) -> Plan:
    return compile(text, topics=[CLICKS, VIEWS])


def _click(time: int, n: int = 1) -> Record:
    return Record("clicks", "a", {"n": n}, time)


def _outcome(plan: Plan, records: list[Record], *advances: tuple[int, int]):  # type: ignore[no-untyped-def]
    return evaluate(plan, [Case("a", (tuple(records),), 0, advances), Case("b", (tuple(records),))])


@pytest.mark.parametrize("window", WINDOWS)
def test_time_goes_on_as_by_a_record(window: str) -> None:
    """The record behind it is late where it would be behind a record of that time; another case does not see it."""
    plan = _plan(WINDOWS[window])
    with_advance, without = _outcome(plan, [_click(1000), _click(2000)], (1, 60_000))
    assert with_advance.counts.get("late", 0) >= 1
    assert without.counts.get("late", 0) == 0
    (name,) = with_advance.topics
    by_record = evaluate(plan, [Case("c", ((_click(1000), _click(60_000), _click(2000)),))])[0]
    assert by_record.counts == with_advance.counts
    late_rows = [r.value["n"] for r in with_advance.topics[name]]
    assert sum(late_rows) < sum(r.value["n"] for r in without.topics[name])


def test_the_bound_is_the_end_of_the_window_with_its_grace() -> None:
    """A window from 0 to 10 s with a grace of 5 s takes records until time reaches 15 s."""
    plan = _plan(WINDOWS["tumble"])
    for reached, late in ((14_999, 0), (15_000, 1)):
        assert _outcome(plan, [_click(1000), _click(2000)], (1, reached))[0].counts.get("late", 0) == late


def test_where_it_stands_counts() -> None:
    """Records before it are on time; time never goes back, and several advances are the highest one."""
    plan = _plan(WINDOWS["tumble"])
    records = [_click(1000), _click(2000), _click(3000)]
    assert _outcome(plan, records, (3, 60_000))[0].counts.get("late", 0) == 0
    assert _outcome(plan, records, (2, 60_000))[0].counts["late"] == 1
    assert _outcome(plan, records, (0, 60_000))[0].counts["late"] == 3
    assert _outcome(plan, records, (1, 60_000), (2, 5))[0].counts["late"] == 2
    assert _outcome(plan, records, (1, 5), (1, 60_000))[0].counts["late"] == 2


@pytest.mark.parametrize("kind", ["", "LEFT"])
def test_a_join_of_streams(kind: str) -> None:
    """A record whose time, with WITHIN and grace, has passed is late: it meets nothing."""
    plan = _plan(JOINED.format(kind=kind))
    records = [Record("clicks", "a", {"n": 1}, 1000), Record("views", "a", {"m": 2}, 2000)]
    day = 86_400_000
    late, met = _outcome(plan, records, (1, day + 60_000))
    (name,) = met.topics
    assert [r.value for r in met.topics[name]] == [{"n": 1, "m": 2}]
    assert [r.value for r in late.topics[name]] == ([{"n": 1, "m": None}] if kind else [])
    assert late.counts["late"] == 1


def test_behind_a_lateral_join() -> None:
    """Records derived from one behind the advance are late, those derived from one before it are not."""
    lists = Topic("lists", key="STRING", value="items ARRAY<INT>")
    text = "SELECT STREAM COUNT(*) AS n FROM lists LATERAL items AS i WINDOW BY TUMBLE 10s GRACE BY 5s GROUP BY i"
    plan = compile(text, topics=[lists])
    records = tuple(Record("lists", "a", {"items": [1, 2]}, t) for t in (1000, 2000))
    (found,) = evaluate(plan, [Case("a", (records,), 0, ((1, 60_000),))])
    assert found.counts["late"] == 2
