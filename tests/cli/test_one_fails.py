"""A record that one model cannot read stops what depends on that model, and nothing else, until it is skipped."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.types.record import Record
from tests.shared import SharedServer

from .conftest import Cli

pytest.importorskip("pyspark", reason="pyspark is not installed")

BAD = '{"ordinal":1,"timestamp":9,"key":1,"value":{"n":"x"}}\n'


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark_server: SharedServer) -> Path:
    """Two topics, of which one has a bad record between good ones; two models over it, and one over the other."""
    texts = {
        "lsqlc.yml": "name: shop\n",
        "profiles.yml": f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n",
        "models/topics.yml": "topics:\n  - {name: orders, key: INT, value: 'n INT'}\n"
        "  - {name: rides, key: INT, value: 'n INT'}\n",
        "models/large.sql": "SELECT STREAM n FROM orders",
        "models/sums.sql": "SELECT TABLE SUM(n) AS total FROM {{ ref('large') }} GROUP BY large._key",
        "models/trips.sql": "SELECT STREAM n FROM rides",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    loaded = load_project(tmp_path)
    assert loaded.project is not None
    topics = compile_project(loaded.project).topics
    log = FileLog(tmp_path / ".lsqlc/topics")
    for name in ("orders", "rides"):
        log.append(topics[name], [Record(name, 1, {"n": n}) for n in (1, 2, 3)])
    (segment,) = log.segments_for(topics["orders"], tmp_path)
    first, _, last = segment.read_text().splitlines(keepends=True)
    times = segment.stat()
    sum_path(segment).unlink()
    segment.write_text(first + BAD + last)
    # Spark reads files in the order of their times, which are those of their records.
    os.utime(segment, ns=(times.st_atime_ns, times.st_mtime_ns))
    return tmp_path


def test_the_others_run_and_a_skipped_record_lets_it_run(cli: Cli, shop: Path) -> None:
    """The failure is in the exit code, the status and the results; the record is skipped by each later run as well."""
    ran = cli("run", "--output", "json")
    assert ran.code == 1 and "LSQ667" in ran.err and "LSQ640" in ran.err, ran.err
    assert "`lsqlc run --skip-record orders:1` skips it" in ran.err
    *_, summary, error = ran.lines
    assert (summary["event"], summary["ok"], error["event"]) == ("summary", False, "error")
    results = json.loads((shop / "target/run_results.json").read_text())
    assert {q["name"]: (q["status"], q["rows"]) for q in results["queries"]} == {
        "large": ("failed", 0), "sums": ("waiting", 0), "trips": ("finished", 3),
    }  # fmt: skip
    status = cli("status", "--output", "json").data["run"]
    assert {q["query"]: (q["state"], q["waits_for"]) for q in status["queries"]} == {
        "large": ("failed", []), "sums": ("waiting", ["large"]), "trips": ("finished", []),
    }  # fmt: skip
    assert "waits for 'large'" in cli("status").out

    skipped = cli("run", "--skip-record", "orders:1", "--output", "json")
    assert skipped.code == 0, skipped.err
    counts = {q["query"]: q["counts"] for q in skipped.lines[-1]["queries"]}
    assert counts["large"] == {"skipped record": 1} and not counts["trips"]
    assert "skipped by all queries: orders:1" in cli("status").out
    assert [line["value"] for line in cli("show", "large", "--output", "json").lines] == [{"n": 1}, {"n": 3}]
    assert [line["value"] for line in cli("show", "sums", "--output", "json").lines] == [{"total": 3}]

    again = cli("run", "--full-refresh", "--verify", "--output", "json")
    assert again.code == 0, again.err
    assert {q["query"]: q["counts"] for q in again.lines[-1]["queries"]} == counts
    assert "a record of their topics is skipped: 'large'" in again.err


def test_the_first_failure_can_end_the_run(cli: Cli, shop: Path) -> None:
    ran = cli("run", "--fail-fast", "--threads", "1")
    assert ran.code == 1 and "LSQ667" in ran.err and "LSQ640" not in ran.err
    assert json.loads((shop / "target/run_results.json").read_text())["queries"] == []
