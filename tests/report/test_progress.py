"""Lines about running queries."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.query_status import QueryStatus
from lsqlc.report.progress import batch_line, standings_text, started_line, summary_text


def test_a_start() -> None:
    """Whether a query goes on where it was."""
    assert started_line(Started("late", "m", "late", True)) == "late: writes 'late', resumed from its checkpoint"
    assert started_line(Started("late", "m", "late", False)) == "late: writes 'late', from the beginning"


def test_a_batch() -> None:
    """Rows, rate, state, and what was dropped, if anything was."""
    plain = BatchProgress("late", 3, 1, 4.0)
    assert batch_line(plain) == "late: batch 3, 1 row, 0.2 rows/s"
    full = BatchProgress("late", 3, 12000, 3.0, state_rows=128, late_groups=1, counts={"null key": 2, "late": 0})
    assert batch_line(full) == (
        "late: batch 3, 12,000 rows, 4,000 rows/s, 128 state rows, dropped 2 for null key and 1 late group"
    )


def test_a_summary() -> None:
    """A row for each query, what was dropped, and the total."""
    one = QuerySummary("late", "m", "late", 20, 336776, 12.0, finished=True, resumed=True)
    two = QuerySummary("counted", "m", "per", 1, 10, 1.0, state_rows=5, counts={"null key": 2})
    lines = summary_text([one, two], width=120, seconds=75).split("\n")
    assert lines[2].split() == ["late", "late", "20", "336,776", "28,065", "0", "12.0", "s", "finished,", "resumed"]
    assert lines[3].split() == ["counted", "per", "1", "10", "10", "5", "1.00", "s", "stopped"]
    assert lines[4:] == ["counted: dropped 2 for null key", "2 queries read 336,786 rows in 1 min 15 s"]
    assert summary_text([], width=80) == "no query ran"


def test_the_rows_of_a_state_are_empty_before_the_first_batch() -> None:
    """A query that continues from its checkpoint and finds nothing new keeps a state that Spark has not reported."""
    (_, _, line, _) = summary_text([QuerySummary("late", "m", "late", resumed=True)], width=120).split("\n")
    assert line.split() == ["late", "late", "0", "0", "0", "0.00", "s", "stopped,", "resumed"]
    (_, _, line) = standings_text([QueryStatus("late", "m", "late", resumed=True)], width=120).split("\n")
    assert line.split() == ["late", "late", "0", "0", "0", "0.00", "s", "running"]
