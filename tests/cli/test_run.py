"""`run` and `test --engine spark`, on one server for the whole session."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from lsqlc.remote.server.embedded import EmbeddedServer

from .conftest import Cli, everything


@pytest.fixture
def on_server(bikes: Path, spark_server: EmbeddedServer) -> Path:
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
    assert "arrivals: batch 3, 15 rows" in ran.err
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
    assert cli("run", "--full-refresh", "--files-per-batch", "3").code == 0
    assert [cli("show", name, "--output", "json").out for name in ("bikes_at_station", "rides_by_station")] == tables

    segment = max((on_server / ".lsqlc/topics/bikes_at_station/data").iterdir())
    segment.write_text(segment.read_text().replace('"bikes":', '"bikes":1'))
    wrong = cli("run", "--verify", "--output", "json")
    assert wrong.code == 1 and "error[LSQ067]" in wrong.err
    assert [v["ok"] for v in wrong.lines[-1]["verified"]] == [True, False, True]


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
