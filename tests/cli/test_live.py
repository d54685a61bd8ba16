"""The live table of a run."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from lsqlc.cli.live import _Rows
from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.progress import BatchProgress


def shown(rows: _Rows) -> list[list[str]]:
    """The rows of the table as words."""
    text = StringIO()
    Console(width=120, file=text).print(rows.table())
    return [line.split() for line in text.getvalue().splitlines()[1:]]


def test_batches_add_up() -> None:
    """Batches, rows and what was dropped are sums; rate and state are of the last batch; the end is said."""
    rows = _Rows()
    rows.take(Started("q", "m", "t", resumed=False))
    assert shown(rows) == [["q", "t", "0", "0", "running"]]
    rows.take(BatchProgress("q", 0, 1_000, 1.0, 5, counts={"null key": 2}))
    rows.take(BatchProgress("q", 1, 2_000, 0.5, 7, counts={"null key": 1}))
    assert shown(rows) == [["q", "t", "2", "3,000", "4,000", "7", "dropped", "3", "for", "null", "key"]]
    rows.take(QuerySummary("q", "m", "t", 2, 3_000, finished=True))
    assert shown(rows)[0][-1] == "finished"
