"""The metrics of a run."""

from __future__ import annotations

from lsqlc.remote.run.standing import RunStatus, Standing
from lsqlc.report.metrics import metrics_text


def test_each_query_has_its_samples() -> None:
    """Each metric has help and type once and a sample per query; a dropped reason is a label; quotes are escaped."""
    queries = (
        Standing("q", "m", 'a "b"', batches=3, rows=70, latency=0.25, counts={"null key": 2}),
        Standing("r", "m", "t", "finished"),
    )
    lines = metrics_text(RunStatus(7, 1.0, 2.5, "running", 1, "", queries), running=True).splitlines()
    assert lines.count("# TYPE lsqlc_query_rows_total counter") == 1
    assert 'lsqlc_query_rows_total{query="q",model="m",topic="a \\"b\\""} 70' in lines
    assert 'lsqlc_query_batch_seconds{query="q",model="m",topic="a \\"b\\""} 0.25' in lines
    assert 'lsqlc_query_running{query="r",model="m",topic="t"} 0' in lines
    assert 'lsqlc_query_dropped_total{query="q",model="m",topic="a \\"b\\"",reason="null key"} 2' in lines
    assert {"lsqlc_run_up 1", "lsqlc_run_restarts_total 1", "lsqlc_run_updated_seconds 2.500"} <= set(lines)
    named = [line.split("{")[0].split(" ")[0] for line in lines if not line.startswith("#")]
    assert all(f"# HELP {name} " in "\n".join(lines) for name in named)
