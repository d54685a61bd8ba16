"""How far a query is behind its topics, out of Spark's progress."""

from __future__ import annotations

import json
from typing import Any

from lsqlc.remote.run.events import Started
from lsqlc.remote.run.lag import End, behind_since, seen
from lsqlc.remote.run.progress import BatchProgress, ProgressReader, parse
from lsqlc.remote.run.query_status import QueryStatus, RunStatus, after
from lsqlc.report.metrics import metrics_text
from lsqlc.report.progress import lag_text, standings_text
from tests.remote.test_offline import FakeQuery


def progress(*sources: dict[str, Any]) -> BatchProgress:
    found = {
        "batchId": 3,
        "sources": [{"numInputRows": 10, **s} for s in sources],
        "durationMs": {"triggerExecution": 5000},
    }
    return parse("q", found)


def kafka(end: dict[str, dict[str, int]], latest: dict[str, dict[str, int]]) -> dict[str, Any]:
    """As Spark Connect gives it: JSON within JSON."""
    return {"endOffset": json.dumps(end), "latestOffset": json.dumps(latest)}


def test_offsets_that_are_left_are_counted() -> None:
    """Over all partitions; one that was not read yet counts whole, and one that is ahead counts nothing."""
    behind = kafka({"a": {"0": 5, "1": 7}}, {"a": {"0": 5, "1": 10}, "b": {"0": 4}})
    assert progress(behind).lag == 7
    assert progress(behind).offsets == {"a": {0: 5, 1: 7}}
    assert progress(kafka({"a": {"0": 5}}, {"a": {"0": 5}}), kafka({"c": {"0": 9}}, {"c": {"0": 8}})).lag == 0


def test_a_query_is_behind_since_it_last_had_read_all() -> None:
    """By the ends that Spark saw: 4 of 10 are read at once, and 4 more with each batch, of 10 s each."""
    query = FakeQuery()
    reader = ProgressReader("q", query)  # type: ignore[arg-type]
    found = []
    for batch, (read, end) in enumerate([(4, 10), (8, 14), (12, 14), (14, 14), (14, 20)]):
        source = kafka({"a": {"0": read}}, {"a": {"0": end}})
        query.recentProgress.append(
            {
                "batchId": batch, "timestamp": str(batch), "sources": [{"numInputRows": 4, **source}],
                "durationMs": {"triggerExecution": 10_000, "addBatch": 9_000},
            }
        )  # fmt: skip
        found += [(b.lag, b.behind_since, b.at) for b in reader.batches(100.0 + 10 * batch)]
    # The ends were seen when the batches began: 10 offsets at 90 s, 14 at 100 s.
    assert found == [(6, 90.0, 100.0), (6, 90.0, 110.0), (2, 90.0, 120.0), (0, None, 130.0), (6, 120.0, 140.0)]


def test_many_ends_are_thinned() -> None:
    """A query that stays behind for long keeps a bounded number of them, the first and the last among them."""
    ends: tuple[End, ...] = ()
    for n in range(1000):
        ends = seen(ends, float(n), read=0, lag=n + 1)
        assert len(ends) <= 129 and ends[0] == End(0.0, 1) and ends[-1] == End(float(n), n + 1)
    assert behind_since(ends, 1000) == 0.0 and behind_since((), 0) is None


def test_sources_without_offsets_have_no_lag() -> None:
    """Files number their batches; a source may say nothing at all."""
    assert progress({"endOffset": {"logOffset": 3}, "latestOffset": None}).lag is None
    assert progress({"endOffset": {"logOffset": 3}}).offsets == {}
    assert progress({"endOffset": "no JSON", "latestOffset": "7"}).lag is None
    assert progress().lag is None


def test_status_and_metrics_have_it() -> None:
    """With the time that it takes at the rate of the last batch; no column and no metric where nobody says it."""
    began = after({}, Started("q", "m", "out", resumed=False))
    ahead = after(began, progress(kafka({"a": {"0": 0}}, {"a": {"0": 1200}})))
    standing = ahead["q"]
    assert standing.lag == 1200 and lag_text(standing).startswith("1,200 (10 min")
    assert "1,200" in standings_text([standing], width=120)
    text = metrics_text(RunStatus(1, 0, 0, "running", queries=(standing,)), running=True, now=0)
    assert 'lsqlc_query_lag_records{query="q",model="m",topic="out"} 1200' in text
    silent = QueryStatus("q", "m", "out")
    assert lag_text(silent) == "" and "lag" not in standings_text([silent], width=120)
    assert "lag" not in metrics_text(RunStatus(1, 0, 0, "running", queries=(silent,)), running=True, now=0)
