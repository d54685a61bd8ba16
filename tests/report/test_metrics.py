"""The metrics of a run."""

from __future__ import annotations

import subprocess

from lsqlc.diagnostics import Diagnostic
from lsqlc.plan.tested import NamedTest
from lsqlc.remote.run.events import Failed, Idle, RestartingQuery, Started
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.query_status import QueryStatus, QueryStatuses, RunStatus, after
from lsqlc.report.metrics import metric_heads, metrics_of, metrics_text
from tests.prometheus import program

QUERIES = (
    QueryStatus(
        "q", "m", 'a "b"', restarts=2, batches=3, rows=70, written=65, latency=0.25, seconds=1.5, lag=12,
        behind_since=80.0, batch_at=90.0, progressed=95.0, counts={"null key": 2},
    ),
    QueryStatus("r", "m", "t", "failed", written=4, lag=0, letters=True),
)  # fmt: skip
STATUS = RunStatus(7, 1.0, 2.5, "running", 1, "", QUERIES, target="local", project="shop")
OF_Q = 'project="shop",target="local",query="q",model="m",topic="a \\"b\\""'
OF_R = 'project="shop",target="local",query="r",model="m",topic="t"'


def test_each_query_has_its_samples() -> None:
    """Each metric has help and type once and a sample per query; a dropped reason is a label; quotes are escaped."""
    lines = metrics_text(STATUS, running=True, now=100.0).splitlines()
    assert lines.count("# TYPE lsqlc_query_rows_read_total counter") == 1
    assert {
        f"lsqlc_query_rows_read_total{{{OF_Q}}} 70",
        f"lsqlc_query_rows_written_total{{{OF_Q}}} 65",
        f"lsqlc_query_restarts_total{{{OF_Q}}} 2",
        f"lsqlc_query_last_batch_duration_seconds{{{OF_Q}}} 0.25",
        f"lsqlc_query_batch_duration_seconds_total{{{OF_Q}}} 1.5",
        f"lsqlc_query_last_batch_timestamp_seconds{{{OF_Q}}} 90",
        f"lsqlc_query_last_progress_timestamp_seconds{{{OF_Q}}} 95",
        f"lsqlc_query_lag_records{{{OF_Q}}} 12",
        f"lsqlc_query_lag_seconds{{{OF_Q}}} 20",
        f"lsqlc_query_failed{{{OF_Q}}} 0",
        f'lsqlc_query_rows_dropped_total{{{OF_Q},reason="null key"}} 2',
        f"lsqlc_query_running{{{OF_R}}} 0",
        f"lsqlc_query_failed{{{OF_R}}} 1",
        f"lsqlc_query_letters_total{{{OF_R}}} 4",
        f"lsqlc_query_lag_seconds{{{OF_R}}} 0",
        'lsqlc_run_up{project="shop",target="local"} 1',
        'lsqlc_run_restarts_total{project="shop",target="local"} 1',
        'lsqlc_run_status_timestamp_seconds{project="shop",target="local"} 2.5',
    } <= set(lines)
    named = [line.split("{")[0].split(" ")[0] for line in lines if not line.startswith("#")]
    assert all(f"# HELP {name} " in "\n".join(lines) for name in named)


def test_what_is_not_known_has_no_sample() -> None:
    """A query that has not begun has no times, no lag and no letters; a detached run has no counters."""
    began = RunStatus(7, 1.0, 2.5, "running", queries=(QueryStatus("q", "m", "t"),))
    names = {metric.name for metric in metrics_of(began, running=True, now=3.0)}
    assert not {n for n in names if "state" in n}
    assert not {n for n in names if "lag" in n or "letters" in n or "last_batch_timestamp" in n or "progress" in n}
    left = metrics_of(RunStatus(0, 1.0, 2.5, "detached", queries=QUERIES), running=True, now=3.0)
    assert {metric.kind for metric in left} == {"gauge"}
    nothing = metrics_text(RunStatus(0, 0, 0, "ended"), running=False, now=3.0)
    assert "lsqlc_run_up 0\n" in nothing and "timestamp" not in nothing


def test_all_metrics_are_known_beforehand() -> None:
    """Names are what each sample has later; a letter, a lag or a reason adds none."""
    heads = metric_heads()
    assert {(m.name, m.kind) for m in metrics_of(STATUS, running=True, now=3.0)} <= {(m.name, m.kind) for m in heads}
    assert len({m.name for m in heads}) == len(heads)


def test_progress_failure_and_letters_come_from_events() -> None:
    """An idle query makes progress without a batch; what a batch wrote is added up; a failure is kept."""
    standings: QueryStatuses = {}
    for event in (
        Started("q", "m", "t", resumed=False, letters=True),
        BatchProgress("q", 0, 10, 2.0, written=4, at=50.0),
        BatchProgress("q", 1, 10, 3.0, written=1, at=60.0, lag=3, behind_since=55.0),
        Idle("q", 70.0),
    ):
        standings = after(standings, event)
    q = standings["q"]
    assert (q.written, q.seconds, q.batch_at, q.progressed, q.behind_since) == (5, 5.0, 60.0, 70.0, 55.0)
    assert q.letters and q.state == "running"
    failed = after(standings, Failed("q", "m", "t", 80.0, (Diagnostic("LSQ661", "it broke"),)))["q"]
    assert (failed.state, failed.failure, failed.failed, failed.written) == ("failed", "it broke", 80.0, 5)
    waits = after({}, RestartingQuery("q", "m", "t", 1, 2.0, 40.0, (Diagnostic("LSQ661", "it broke"),)))
    again = after(waits, Started("q", "m", "t", resumed=False, letters=True))["q"]
    assert again.letters and (again.starts, again.restarts) == (1, 1)
    clock = after({"q": q}, RestartingQuery("q", "m", "t", 0, 2.0, 90.0, (Diagnostic("LSQ608", "it is behind"),)))["q"]
    assert (clock.state, clock.restarts, clock.failed) == ("restarting", q.restarts, q.failed)
    never = after({}, Failed("q", "m", "t", 80.0, (Diagnostic("LSQ661", "it broke"),)))["q"]
    assert (never.state, never.starts) == ("failed", 0)


def test_promtool_accepts_them() -> None:
    """Format, names, units and help, as Prometheus' own linter wants them."""
    text = metrics_text(STATUS, running=True, now=100.0)
    checked = subprocess.run(
        [program("promtool"), "check", "metrics"], input=text, text=True, capture_output=True, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_failures_of_data_tests() -> None:
    """By topic, test and severity; their query has no model. Counts add up, and are 0 where nothing was found."""
    name, other = NamedTest("rides", 'condition a = "b"', "warn"), NamedTest("rides", "not_null a", "error")
    standings: QueryStatuses = {}
    for event in (
        Started("tests:rides", "tests:rides", "failures", resumed=False),
        BatchProgress("tests:rides", 0, 5, 1.0, counted={name.text: 2, other.text: 0}, newest=5_000),
        BatchProgress("tests:rides", 1, 5, 1.0, counted={name.text: 1, other.text: 0}, newest=4_000),
    ):
        standings = after(standings, event)
    status = RunStatus(7, 1.0, 2.5, "running", queries=tuple(standings.values()), target="local", project="shop")
    lines = metrics_text(status, running=True, now=100.0).splitlines()
    of_test = 'lsqlc_test_failures_total{project="shop",target="local",topic="rides",test='
    assert of_test + r'"condition a = \"b\"",severity="warn"} 3' in lines
    assert of_test + '"not_null a",severity="error"} 0' in lines
    of_topic = 'lsqlc_topic_newest_record_timestamp_seconds{project="shop",target="local",topic="rides"} 5'
    assert of_topic in lines
    assert 'lsqlc_query_running{project="shop",target="local",query="tests:rides",topic="failures"} 1' in lines
