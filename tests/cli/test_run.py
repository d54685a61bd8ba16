"""`run` and `test --engine spark`, on one server for the whole session."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from lsqlc.cli.watch import read_status
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.remote.run.queries import Query
from lsqlc.remote.run.queries import start as begin
from tests.deploys.test_deploy import ride_again
from tests.shared import SharedServer

from .conftest import Cli, everything


@pytest.fixture
def on_server(bikes: Path, spark_server: SharedServer) -> Path:
    """The project with the session's server as its target."""
    (bikes / "profiles.yml").write_text(f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n")
    return bikes


def test_a_project_runs(cli: Cli, on_server: Path) -> None:
    """Seeded records go through all models; DuckDB finds the same; a second run has nothing to do; a refresh gives the
    same again; an edited result is found out.
    """
    assert cli("seed").code == 0
    ran = cli("run", "--verify")
    assert ran.code == 0, ran.err
    assert "arrivals: batch 0, 60 rows" in ran.err
    assert "bikes_at_station: 'bikes_at_station' TABLE, 4 rows on DuckDB, 4 on Spark, 4 equal" in ran.err
    tables = [cli("show", name, "--output", "json").out for name in ("bikes_at_station", "rides_by_station")]
    assert all(tables)

    again = cli("run", "--output", "json").lines
    assert [e["query"] for e in again if e["event"] == "started" and e["resumed"]] == [
        "arrivals",
        "bikes_at_station",
        "rides_by_station",
    ]
    assert again[-1]["event"] == "summary" and [q["rows"] for q in again[-1]["queries"]] == [0, 0, 0]

    half = cli("run", "--full-refresh", "--select", "arrivals")
    assert half.code == 1 and "LSQ066" in half.err and "'bikes_at_station', 'rides_by_station'" in half.err
    assert cli("run", "--full-refresh", "--files-per-batch", "1").code == 0
    assert [cli("show", name, "--output", "json").out for name in ("bikes_at_station", "rides_by_station")] == tables

    segment = max((on_server / ".lsqlc/topics/bikes_at_station/data").iterdir())
    segment.write_text(segment.read_text().replace('"bikes":', '"bikes":1'))
    damaged = cli("run", "--verify")
    assert (
        damaged.code == 1 and "error[LSQ764]: a segment of 'bikes_at_station' is not as it was written" in damaged.err
    )
    sum_path(segment).unlink()
    wrong = cli("run", "--verify", "--output", "json")
    assert wrong.code == 1 and "error[LSQ067]" in wrong.err
    assert [v["ok"] for v in wrong.lines[-1]["verified"]] == [True, False, True]


def test_only_queries_with_something_to_read_start(cli: Cli, on_server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are told of as before; what comes later meets the state that they kept, windows included."""
    (on_server / "models/visits.yml").write_text(
        "topics:\n  - {name: visits, key: STRING, value: 'page STRING',"
        " seed: {path: seeds/visits.csv, key: page, timestamp: at}}\n"
    )
    hours = "".join(f"home,{hour * 3_600_000}\n" for hour in range(40))
    (on_server / "seeds/visits.csv").write_text(f"page,at\n{hours}")
    (on_server / "models/hourly.sql").write_text(
        "SELECT STREAM page, COUNT(*) AS n FROM visits WINDOW BY TUMBLE 2h GROUP BY page;"
    )
    assert cli("seed").code == 0
    assert cli("run").code == 0
    started: list[str] = []

    def noted(spark: Any, query: Query, *arguments: Any) -> Any:
        started.append(query.model)
        return begin(spark, query, *arguments)

    monkeypatch.setattr("lsqlc.remote.run.runner.start", noted)
    again = cli("run", "--verify")
    assert again.code == 0 and started == [], again.err
    assert again.err.count("nothing to read, resumed") == 4
    ride_again(on_server)
    more = cli("run", "--verify")
    assert more.code == 0, more.err
    assert sorted(started) == ["arrivals", "bikes_at_station", "rides_by_station"]
    assert more.err.count("nothing to read, resumed") == 1
    line = {"key": "home", "value": {"page": "home"}, "timestamp": 41 * 3_600_000}
    (on_server / "more.jsonl").write_text(json.dumps(line) + "\n")
    assert cli("produce", "visits", "--file", "more.jsonl").code == 0
    last = cli("run", "--verify")
    assert last.code == 0 and started[3:] == ["hourly"], last.err


def test_a_stream_meets_what_a_model_makes_of_it(cli: Cli, on_server: Path) -> None:
    """Each record meets the rows that came before it, also where its own row is among those of a file that is older or
    newer as a whole; and so it is with what comes later.
    """
    (on_server / "models/last_place.sql").write_text("""
        WITH there AS (SELECT TABLE station FROM {{ ref('arrivals') }});
        SELECT STREAM r.station, r.minutes, there.station AS last FROM rides AS r LEFT JOIN there ON r._key = there._key
    """)
    assert cli("seed").code == 0
    ran = cli("run", "--verify")
    assert ran.code == 0 and "last_place: 'last_place' STREAM, 76 records on DuckDB, 76 on Spark" in ran.err, ran.err
    ride_again(on_server)
    more = cli("run", "--verify")
    assert more.code == 0, more.err


def test_a_run_is_seen_by_prometheus_and_openlineage(cli: Cli, on_server: Path) -> None:
    """Metrics can be scraped while it lasts, and not after it; each query has a START and a COMPLETE."""
    pytest.importorskip("openlineage.client", reason="openlineage-python is not installed")
    assert cli("seed").code == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    scraped: list[str] = []
    over = threading.Event()

    def scrape() -> None:
        while not over.wait(0.2):
            with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                scraped.append(answer.read().decode())

    watcher = threading.Thread(target=scrape)
    watcher.start()
    try:
        ran = cli("run", "--metrics", str(port), "--openlineage", "events.jsonl")
    finally:
        over.set()
        watcher.join()
    assert ran.code == 0, ran.err
    assert f"metrics: http://127.0.0.1:{port}/metrics" in ran.err
    assert 'lsqlc_run_up{project="bikes",target="shared"} 1' in scraped[0]
    assert 'query="arrivals",model="arrivals",topic="arrivals"} 1' in "".join(scraped)
    with pytest.raises(OSError):
        urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5)
    events = [json.loads(line) for line in Path("events.jsonl").read_text().splitlines()]
    states = {(e["job"]["name"], e["eventType"]) for e in events} - {("arrivals", "RUNNING")}
    assert states == {(name, state) for name in ("arrivals", "bikes_at_station", "rides_by_station")
                      for state in ("START", "COMPLETE")}  # fmt: skip
    (ended,) = [e for e in events if (e["job"]["name"], e["eventType"]) == ("arrivals", "COMPLETE")]
    written = len(cli("show", "arrivals", "--limit", "0", "--output", "json").lines)
    assert ended["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == written > 0


def test_a_signal_stops_a_run_that_goes_on(cli: Cli, on_server: Path) -> None:
    """SIGTERM ends `--continuous` in order, with exit code 0, and the next run resumes."""
    assert cli("seed").code == 0
    topic = on_server / ".lsqlc/topics/arrivals/data"

    def stop() -> None:
        deadline = time.monotonic() + 60
        while not list(topic.glob("*")) and time.monotonic() < deadline:
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGTERM)

    stopper = threading.Thread(target=stop)
    stopper.start()
    ran = cli("run", "--continuous", "--select", "arrivals", "--output", "json")
    stopper.join()
    assert ran.code == 0, ran.err
    assert ran.lines[-1]["event"] == "summary" and not ran.lines[-1]["queries"][0]["finished"]
    rest = cli("run", "--select", "arrivals", "--verify")
    assert rest.code == 0 and "55 records on DuckDB, 55 on Spark, 55 equal" in rest.err


def test_runs_follow_one_another(cli: Cli, on_server: Path) -> None:
    """`--every` runs again until a signal comes between two runs; the next one reads what was produced meanwhile."""
    assert cli("seed").code == 0
    (on_server / "r.jsonl").write_text(
        '{"key":"b1","value":{"bike":"b1","station":"park","minutes":5,"cancelled":false}}\n'
    )
    state = on_server / ".lsqlc"
    produced: list[int] = []

    def until_waiting(after: float) -> float:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            status = read_status(state)
            if status is not None and status.state == "waiting" and status.until > after:
                return status.until
            time.sleep(0.05)
        return after

    def feed() -> None:
        first = until_waiting(0)
        words = [sys.executable, "-m", "lsqlc", "produce", "rides", "--file", "r.jsonl", "-q"]
        produced.append(subprocess.run(words, cwd=on_server).returncode)
        # The run that begins next may have begun before the record came.
        second = until_waiting(first)
        until_waiting(second)
        os.kill(os.getpid(), signal.SIGTERM)

    feeder = threading.Thread(target=feed)
    feeder.start()
    ran = cli("run", "--every", "1s", "--select", "arrivals", "--output", "json")
    feeder.join()
    assert ran.code == 0 and produced == [0], ran.err
    rows = [e["queries"][0]["rows"] for e in ran.lines if e["event"] == "summary"]
    assert rows[0] == 60 and len(rows) >= 3 and sum(rows) == 61
    assert [e["event"] for e in ran.lines if e["event"] in ("summary", "waiting")][:2] == ["summary", "waiting"]


def test_golden_cases_on_spark(cli: Cli, on_server: Path) -> None:
    """The same cases pass on Spark; a wrong golden fails there and is not written; what Spark cannot do is skipped."""
    (on_server / "models/repairs.yml").write_text(
        "topics:\n  - {name: repairs, key: INT, value: 'station STRING, parts MAP<STRING, INT>'}\n"
    )
    (on_server / "models/all.sql").write_text("SELECT TABLE COUNT(parts) AS n FROM repairs GROUP BY station")
    words = ("test", "--engine", "spark", "--target", "shared")
    ran = cli(*words)
    assert ran.code == 0, ran.err
    assert "1 case: 1 passed" in ran.err and "note[LSQ600]: the model 'all'" in ran.err
    golden = on_server / "golden/bikes_at_station/a_bike_moves.jsonl"
    golden.write_text(golden.read_text().replace('"bikes":1', '"bikes":2', 1))
    before = everything(on_server / "golden")
    ran = cli(*words, "--output", "json")
    assert ran.code == 1 and "expected 2, found 1" in ran.err
    assert ran.data["engine"] == "spark" and [r["status"] for r in ran.data["results"]] == ["failed"]
    assert everything(on_server / "golden") == before


def test_goldens_are_not_written_from_spark(cli: Cli, bikes: Path) -> None:
    """`--update` with Spark is wrong usage, and a target without Spark too."""
    assert cli("test", "--engine", "spark", "--update", "all").code == 2
    assert cli("test", "--target", "x").code == 2


def test_a_server_that_is_not_there(cli: Cli, bikes: Path) -> None:
    """An unreachable target is told in JSON as the last line, before anything runs."""
    (bikes / "profiles.yml").write_text("targets: {far: {type: connect, address: 'sc://localhost:1'}}\n")
    ran = cli("run", "--output", "json")
    assert ran.code == 1
    last = json.loads(ran.out.splitlines()[-1])
    assert (last["event"], last["ok"], last["diagnostics"][0]["code"]) == ("error", False, "LSQ655")
