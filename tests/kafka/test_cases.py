"""`lsqlc test --engine kafka`: the golden cases through a broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan import Plan
from lsqlc.remote.cases.kafka import Passed, through_kafka
from lsqlc.tasks import kafka_bench
from lsqlc.types.record import Case, Outcome, Record
from tests.cli.conftest import Cli, bikes, cli, everything
from tests.kafka.fixture import fetched
from tests.shared import SharedBroker, SharedServer

__all__ = ["bikes", "cli"]
pytestmark = pytest.mark.kafka

WORDS = ("test", "--engine", "kafka")
TOPICS = """
topics:
  - {name: docks, key: STRING, value: "place STRING, size INT"}
"""
# Of two records of one time in different topics the row comes first in Kafka, whichever came first in the case.
DOCKED = """
WITH d AS (SELECT TABLE place FROM docks);
SELECT STREAM r.bike, d.place FROM rides AS r INNER JOIN d ON r._key = d._key
"""
SESSIONS = "SELECT STREAM COUNT(*) AS n FROM rides WINDOW BY SESSION 1m GROUP BY station"
WAITING = "SELECT STREAM r.bike, d.place FROM rides AS r LEFT JOIN docks AS d ON r._key = d._key WITHIN 1m"
KEPT = "SELECT STREAM bike FROM rides"
CLOCK = "SELECT STREAM bike, NOW() AS at FROM rides"
CASES = """
cases:
  - name: a tie
    model: docked
    golden: false
    arrivals:
      - {topic: rides, key: b1, value: {bike: b1}}
      - {topic: docks, key: b1, value: {place: Bonn}}
    expect: {docked: {no_rows: true}}
  - name: rising
    model: docked
    golden: false
    batches: [1, 2]
    arrivals:
      - {topic: rides, key: b1, value: {bike: b1}, timestamp: 2024-05-01 06:20:01}
      - {topic: docks, key: b1, value: {place: Bonn}, timestamp: 2024-05-01 06:20:02}
      - {topic: rides, key: b1, value: {bike: b2}, timestamp: 2024-05-01 06:20:03}
    expect: {docked: [{key: b1, value: {bike: b2, place: Bonn}}]}
  - name: as text
    model: docked
    golden: false
    inputs: {rides: [{key: b1, raw: "{"}]}
    expect: {docked: {no_rows: true}}
  - name: two sessions
    model: sessions
    golden: false
    inputs:
      rides:
        - {key: b1, value: {station: Bonn}, timestamp: 2024-05-01 06:20:00}
        - {key: b2, value: {station: Bonn}, timestamp: 2024-05-01 06:20:30}
        - {key: b3, value: {station: Bonn}, timestamp: 2024-05-01 06:30:00}
    expect: {sessions: {condition: n = 1 OR n = 2, unique: n, not_null: n}}
  - name: one without a match
    model: waiting
    golden: false
    arrivals:
      - {topic: rides, key: b1, value: {bike: b1}, timestamp: 2024-05-01 06:20:00}
      - {topic: docks, key: b2, value: {place: Rome}, timestamp: 2024-05-01 06:20:30}
      - {topic: rides, key: b2, value: {bike: b2}, timestamp: 2024-05-01 06:20:40}
    expect: {waiting: [{key: b1, value: {bike: b1}}, {key: b2, value: {bike: b2, place: Rome}}]}
  - name: headers
    model: kept
    golden: false
    inputs:
      rides:
        - {key: b1, value: {bike: b1}, headers: [{key: a, text: "1"}, {key: a, value: /w==}, {key: b}]}
        - {key: b1, value: {bike: b2}}
    expect:
      kept:
        - {key: b1, value: {bike: b1}, headers: [{key: a, text: "1"}, {key: a, value: /w==}, {key: b}]}
        - {key: b1, value: {bike: b2}, headers: []}
  - name: the time
    model: clock
    golden: false
    inputs: {rides: [{key: b1, value: {bike: b1}}]}
    expect: {clock: {unique: bike}}
"""


@pytest.fixture
def project(bikes: Path, broker: SharedBroker, kafka_spark_server: SharedServer, topic_prefix: str) -> Path:
    """The project of the template with the session's broker and server as its target, and models and cases more."""
    shared = f"type: connect, address: '{kafka_spark_server.address}', checkpoints: 'file:{bikes}/checks'"
    kafka = f"kafka: {{bootstrap: '{broker.bootstrap}', prefix: {topic_prefix}}}"
    targets = f"targets:\n  shared: {{{shared}, {kafka}}}\n  folders: {{type: embedded}}\n"
    (bikes / "profiles.yml").write_text(targets)
    (bikes / "models/docks.yml").write_text(TOPICS)
    (bikes / "models/docked.sql").write_text(DOCKED)
    (bikes / "models/sessions.sql").write_text(SESSIONS)
    (bikes / "models/waiting.sql").write_text(WAITING)
    (bikes / "models/clock.sql").write_text(CLOCK)
    (bikes / "models/kept.sql").write_text(KEPT)
    (bikes / "tests/docks.yml").write_text(CASES)
    return bikes


@pytest.fixture
def left(broker: SharedBroker, topic_prefix: str) -> Iterator[None]:
    """After the test no topic with its prefix is left."""
    yield
    admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    assert [name for name in admin.list_topics(timeout=30).topics if name.startswith(topic_prefix)] == []


def test_cases_over_a_broker(cli: Cli, project: Path, left: None) -> None:
    """They pass, each in the order that Kafka gives its records; what Kafka cannot do is skipped, with the reason; a
    wrong golden file fails, and is not written. No checkpoint is left.
    """
    ran = cli(*WORDS, "--target", "shared")
    assert ran.code == 0, ran.err
    assert "6 cases: 6 passed" in ran.err
    assert "note[LSQ876]: the case 'a tie' of 'docked' has other results over Kafka" in ran.err
    assert "the case 'as text' of 'docked' is not tested over Kafka: it has records as raw text" in ran.err
    assert "the model 'clock' is not tested over Kafka: NOW returns the time" in ran.err
    golden = project / "golden/bikes_at_station/a_bike_moves.jsonl"
    golden.write_text(golden.read_text().replace('"bikes":1', '"bikes":2', 1))
    before = everything(project / "golden")
    ran = cli(*WORDS, "--target", "shared", "--output", "json", "-s", "bikes_at_station")
    assert ran.code == 1 and "expected 2, found 1" in ran.err
    assert ran.data["engine"] == "kafka" and [r["status"] for r in ran.data["results"]] == ["failed"]
    assert everything(project / "golden") == before
    assert any((project / "checks").iterdir()) and not any((project / "checks").rglob("offsets"))


def test_what_spark_gives_is_compared(cli: Cli, project: Path, left: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a case whose order is another one in Kafka too, with what DuckDB gives for that order."""
    passed = through_kafka

    def other(*given: Any, **named: Any) -> Passed:
        found = passed(*given, **named)
        rows = [Record("docked", "b1", {"bike": "b1", "place": "Rome"}, 0)]
        return Passed(found.batches, Outcome({"docked": tuple(rows)}))

    monkeypatch.setattr(kafka_bench, "through_kafka", other)
    ran = cli(*WORDS, "--target", "shared", "-s", "docked", "--output", "json")
    assert ran.code == 1
    codes = {r["name"]: [d["code"] for d in r["diagnostics"]] for r in ran.data["results"]}
    assert codes == {"a tie": ["LSQ529"], "rising": ["LSQ514"]}
    assert 'expected "Bonn", found "Rome"' in ran.err


def test_an_error_is_that_of_its_case(cli: Cli, project: Path, left: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that fails ends its own case, and with `--fail-fast` the models behind it."""
    passed = kafka_bench.Runner._passed

    def failing(self: kafka_bench.Runner, plan: Plan, case: Case, session: Any) -> Passed:
        if plan.name == "docked":
            raise LsqlcError([Diagnostic("LSQ661", "the query failed")])
        return passed(self, plan, case, session)

    monkeypatch.setattr(kafka_bench.Runner, "_passed", failing)
    words = (*WORDS, "--target", "shared", "--output", "json", "-s", "docked", "-s", "bikes_at_station")
    ran = cli(*words)
    assert ran.code == 1 and "error[LSQ661]" in ran.err
    assert [(r["model"], r["status"]) for r in ran.data["results"]] == [
        ("docked", "error"),
        ("docked", "error"),
        ("bikes_at_station", "passed"),
    ]
    ran = cli(*words, "--fail-fast")
    assert ran.code == 1 and {r["model"] for r in ran.data["results"]} == {"docked"}


def test_a_target_without_a_cluster(cli: Cli, project: Path) -> None:
    """Is refused, and so is writing golden files, before anything starts."""
    ran = cli(*WORDS, "--target", "folders")
    assert ran.code == 2 and "error[LSQ746]: the topics of the target 'folders' are not in Kafka" in ran.err
    assert cli(*WORDS, "--update", "all").code == 2


def test_a_broker_of_its_own(bikes: Path) -> None:
    """Without a target the command starts a broker and a server, which end with it, interrupted or not."""
    fetched("kafka-broker"), fetched("spark-kafka")
    command = [sys.executable, "-m", "lsqlc", *WORDS]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for interrupted in (False, True):
        with subprocess.Popen(command, cwd=bikes, env=environment, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            said = []
            for line in process.stderr:
                said.append(line)
                if interrupted and line.startswith("running 1 case"):
                    time.sleep(3)
                    process.send_signal(signal.SIGINT)
        text = "".join(said)
        assert process.returncode == (130 if interrupted else 0), text
        assert said[-1] == "interrupted\n" if interrupted else "1 case: 1 passed" in text, text
        assert not any((bikes / ".lsqlc/cases").iterdir())
        assert _processes_of(bikes) == []


def _processes_of(folder: Path) -> list[str]:
    """The processes whose command line names something in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            # It has just ended.
            continue
        if str(folder) in command:
            found.append(command)
    return found
