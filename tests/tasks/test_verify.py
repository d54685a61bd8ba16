"""How the two engines' results are compared."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import lsqlc
from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.spark import lower
from lsqlc.tasks.verify import _by_key, _by_record, verify
from lsqlc.types.data import DOUBLE, INT
from lsqlc.types.record import Facet, Record, StoredRecord, Topic

TOPIC = Topic("t", Facet(INT, "int"), Facet(DOUBLE, "double"))
Row = tuple[int, float, int]
ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.5, 1.0, 2.25]), st.integers(0, 1)), max_size=8)


def left(rows: list[Row]) -> list[Record]:
    return [Record("t", k, v, t) for k, v, t in rows]


def right(rows: list[Row]) -> list[StoredRecord]:
    return [StoredRecord("t", k, v, t, (i,)) for i, (k, v, t) in enumerate(rows)]


@given(ROWS, st.randoms())
def test_a_stream_is_a_multiset(rows: list[Row], random: object) -> None:
    """The same records in any order, and off by the last digits of a number, are equal."""
    other = [(k, v * (1 + 1e-12), t) for k, v, t in rows]
    random.shuffle(other)  # type: ignore[attr-defined]
    assert _by_record(TOPIC, left(rows), right(other)) == (len(rows), len(rows), len(rows), ())


@given(ROWS, st.integers(0, 7), st.sampled_from(["drop", "double", "change"]))
def test_a_stream_that_differs_is_found(rows: list[Row], place: int, how: str) -> None:
    """A record that is missing, doubled or changed is counted and shown, once."""
    rows = [*rows, (9, 9.0, 0)]
    place = place % len(rows)
    other = {
        "drop": [*rows[:place], *rows[place + 1 :]],
        "double": [*rows, rows[place]],
        "change": [*rows[:place], (8, 8.0, 8), *rows[place + 1 :]],
    }[how]
    expected, actual, equal, shown = _by_record(TOPIC, left(rows), right(other))
    assert (expected, actual) == (len(rows), len(other))
    assert equal == len(rows) - (how != "double")
    assert len(shown) == (2 if how == "change" else 1)


def test_a_table_meets_by_key() -> None:
    """Rows meet by key; the last of a key counts; what one side lacks is said."""
    found = _by_key(TOPIC, left([(1, 1.0, 0), (2, 2.0, 0)]), right([(2, 5.0, 0), (3, 3.0, 0), (2, 2.0, 7)]))
    assert found == (2, 2, 1, ("key 1: 1.0 on DuckDB, no row on Spark", "key 3: no row on DuckDB, 3.0 on Spark"))


def test_topics_without_records(tmp_path: Path) -> None:
    """Of topics that are empty, or that a query has begun to read behind their records, nothing is expected."""
    topic = lsqlc.Topic("numbers", key="INT", value="n INT")
    plan = lsqlc.compile("SELECT STREAM n FROM numbers", topics=[topic], name="out")
    log = FileLog(tmp_path / "topics")
    assert [one.ok for one in verify({"out": plan}, {"out": lower(plan)}, log, tmp_path)] == [True]
    log.append(plan.inputs[0], [Record("numbers", 1, {"n": 1}, 1)])
    assert [one.ok for one in verify({"out": plan}, {"out": lower(plan)}, log, tmp_path)] == [False]
    begun = {"out": {"numbers": log.place("numbers", None)}}
    assert [one.ok for one in verify({"out": plan}, {"out": lower(plan)}, log, tmp_path, begun=begun)] == [True]
