"""`run --tests`: data tests beside the models, on one server for the whole session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lsqlc.remote.run.checkpoints import checkpoint_name
from tests.shared import SharedServer

from .conftest import Cli

TOPICS = """topics:
  - name: rides
    key: STRING
    value: 'station STRING, minutes INT, at TIMESTAMP, share DOUBLE, raw BYTES'
    seed: {path: seeds/rides.jsonl, lines: records}
    tests:
      - not_null: [_key, station]
      - condition: minutes < 100
      - {accepted_values: {column: station, values: [museum, "it's"]}, severity: warn}
      - unique: _key
models:
  - name: totals
    tests: [condition: n < 2]
"""
RIDES = """
{"key": "a", "value": {"station": "museum", "minutes": 5, "at": "2024-02-29T23:59:59.12Z", "share": 0.1, "raw": "AP8="}}
{"key": null, "value": {"station": null, "minutes": 500, "at": "2024-02-29T23:59:59Z", "share": 1e300, "raw": ""}}
{"key": "b", "value": null}
{"key": "c", "value": {"station": "harbour", "minutes": null, "at": null, "share": null, "raw": null}}
{"key": "d", "value": {"station": "museum", "minutes": 7, "at": null, "share": -0.0, "raw": null}}
"""
MORE = '{"key": "e", "value": {"station": "museum", "minutes": 60}}\n'


@pytest.fixture
def shop(cli: Cli, tmp_path: Path, spark_server: SharedServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "lsqlc.yml": "name: shop\ndata-tests: {topic: failing}\n",
        "profiles.yml": f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n",
        "models/topics.yml": TOPICS,
        "models/totals.sql": "SELECT TABLE station, COUNT(*) AS n FROM rides GROUP BY station;",
        "seeds/rides.jsonl": RIDES.lstrip(),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failing(cli: Cli) -> list[dict[str, Any]]:
    """The failures in the topic, without their messages."""
    found = [line["value"] for line in cli("show", "failing", "--output", "json").lines]
    return [{**f, "key": json.loads(f["key"]), "value": json.loads(f["value"]), "message": ""} for f in found]


def by_check(cli: Cli) -> list[dict[str, Any]]:
    """What `lsqlc check` finds of the same tests, in the same form."""
    return [
        {
            "topic": test["topic"], "test": test["text"], "severity": test["severity"], "message": "",
            "key": json.loads(f["key"]), "value": json.loads(f["value"]), "timestamp": f["timestamp"],
            "partition": None, "offset": None,
        }
        for test in cli("check", "--output", "json").data["tests"] if test["test"] != "unique" for f in test["failures"]
    ]  # fmt: skip


def order(found: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(f, sort_keys=True) for f in found)


def test_tests_beside_the_models(cli: Cli, shop: Path) -> None:
    """They find what `lsqlc check` finds; records are tested once, by the tests that there are when they come; what is
    rebuilt is tested again; and a query of tests that fails leaves the models alone.
    """
    assert cli("seed").code == 0
    ran = cli("run", "--tests", "--output", "json")
    assert ran.code == 0, ran.err
    assert "rides: unique _key is left to `lsqlc check`" in ran.err
    first = failing(cli)
    assert order(first) == order(by_check(cli)) and len(first) == 6
    (ended,) = [e for e in ran.lines[-1]["queries"] if e["query"] == "tests:rides"]
    assert [(t["test"], t["failed"]) for t in ended["tests"]] == [
        ("not_null _key, station", 2), ("condition minutes < 100", 2),
        ("accepted_values station in 'it's', 'museum'", 1),
    ]  # fmt: skip
    metrics = cli("status", "--metrics").out
    assert 'lsqlc_test_failures_total{project="shop",target="shared",topic="totals",test="condition n < 2"' in metrics
    assert 'query="tests:rides",topic="failing"' in metrics and 'model="tests' not in metrics

    (shop / "models/topics.yml").write_text(TOPICS.replace("minutes < 100", "minutes < 50"))
    (shop / "more.jsonl").write_text(MORE)
    assert cli("produce", "rides", "--file", "more.jsonl").code == 0
    changes = cli("plan", "--tests", "--output", "json").data
    assert [(t["topic"], t["action"]) for t in changes["tests"]] == [("rides", "change"), ("totals", "continue")]
    assert [m["model"] for m in changes["models"]] == ["totals"]
    again = cli("run", "--tests")
    assert again.code == 0 and "the tests of 'rides' have changed" in again.err
    new = [f for f in failing(cli) if f not in first]
    assert [(f["test"], f["key"]) for f in new if f["topic"] == "rides"] == [("condition minutes < 50", "e")]
    # The row of the station comes again, with one ride more.
    assert [f["value"]["n"] for f in new if f["topic"] == "totals"] == [3]

    # What they wrote stays, and the rows of the new table are tested.
    before = failing(cli)
    assert cli("run", "--full-refresh", "--tests").code == 0
    after = failing(cli)
    assert [f for f in after if f["topic"] == "rides"] == [f for f in before if f["topic"] == "rides"]
    assert len([f for f in after if f["topic"] == "totals"]) > len([f for f in before if f["topic"] == "totals"])

    for offsets in (shop / ".lsqlc/checkpoints" / checkpoint_name("tests:rides")).rglob("offsets/*"):
        offsets.write_text("v1\nnothing\nof the kind\n")
        offsets.with_name(f".{offsets.name}.crc").unlink(missing_ok=True)
    (shop / "more.jsonl").write_text(MORE.replace('"e"', '"f"'))
    assert cli("produce", "rides", "--file", "more.jsonl").code == 0
    broken = cli("run", "--tests")
    assert broken.code == 0, broken.err
    assert "the models continue without the tests of 'rides'" in broken.err and "warning[LSQ" in broken.err
    assert '"n":4' in cli("show", "totals", "--output", "json").out
