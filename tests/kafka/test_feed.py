"""Records that are produced to topics in Kafka, watched there, and replayed from letters."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lsqlc.lower.duckdb import Session
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.profiles import named_target
from lsqlc.project.discovery import load_project
from lsqlc.tasks.run_target import open_compiled
from lsqlc.types.record import Record
from tests.cli.conftest import Cli, bikes, cli
from tests.kafka.client import create, read, write
from tests.shared import SharedBroker

__all__ = ["bikes", "cli"]
pytestmark = pytest.mark.kafka

YAML = "topics: [{name: orders, key: STRING, value: 'item STRING, price %s'}]\n"
MODEL = """\
SET error.policy = 'dlq';
SET dead.letter.queue = 'bad';
INSERT INTO good SELECT STREAM item, price FROM orders
"""


@pytest.fixture
def shop(bikes: Path, broker: SharedBroker, topic_prefix: str) -> Path:
    """A project whose topics are in Kafka, two partitions each."""
    for path in (*bikes.glob("models/*"), *bikes.glob("tests/**/*.yml")):
        path.unlink()
    kafka = f"{{bootstrap: '{broker.bootstrap}', prefix: {topic_prefix}, partitions: 2}}"
    (bikes / "profiles.yml").write_text(f"targets: {{local: {{type: embedded, kafka: {kafka}}}}}\n")
    (bikes / "models/good.sql").write_text(MODEL)
    (bikes / "models/topics.yml").write_text(YAML % "INT")
    return bikes


def order(key: str, price: Any, **more: Any) -> str:
    return json.dumps({"key": key, "value": {"item": "pen", "price": price}, **more}) + "\n"


def test_a_topic_is_fed_and_watched(cli: Cli, shop: Path, broker: SharedBroker, topic_prefix: str) -> None:
    """Times, headers and tombstones are those of the lines, as another client reads them; who follows the topic sees
    the records as they come.
    """
    headers = [{"key": "trace", "text": "abc"}]
    (shop / "r.jsonl").write_text(
        order("a", 1, timestamp=1000, headers=headers) + order("b", "x") + '{"key":"c","value":null,"timestamp":2000}\n'
    )
    words = [sys.executable, "-m", "lsqlc", "show", "orders", "--follow", "--output", "csv"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, env={**os.environ}, text=True) as process:
        assert process.stdout and process.stdout.readline() == "_timestamp,_key,item,price\n"
        ran = cli("produce", "orders", "--file", "r.jsonl")
        assert ran.code == 1 and "orders: 2 records written, 1 line refused" in ran.err
        seen = {process.stdout.readline(), process.stdout.readline()}
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert seen == {"1970-01-01T00:00:01Z,a,pen,1\n", "1970-01-01T00:00:02Z,c,,\n"}
    found = sorted(read(broker.bootstrap, f"{topic_prefix}orders"), key=lambda m: m.timestamp()[1])
    assert [(m.key(), m.value(), m.timestamp()[1], m.headers()) for m in found] == [
        (b"a", b'{"item":"pen","price":1}', 1000, [("trace", b"abc")]),
        (b"c", None, 2000, None),
    ]


def test_letters_are_replayed_with_their_bytes(cli: Cli, shop: Path, broker: SharedBroker, topic_prefix: str) -> None:
    """JSON as it was written, whatever the schema has of it; once, by notes in the cluster; bytes that are no JSON stay
    letters.
    """
    name = f"{topic_prefix}orders"
    create(broker.bootstrap, name, partitions=2)
    value = b'{"item":"pen", "price":2.50,"more":[1.10]}'
    write(broker.bootstrap, name, [(b"a", value, 1000), (b"b", b"\xff{", 2000), (b"c", b'{"price":3}', 3000)])
    write_letters(shop)
    listed = cli("letters", "list", "--output", "json").data["letters"]
    assert sorted((g["reason"], g["count"]) for g in listed) == [
        ("value.price: expected INT", 1), ("value: expected JSON", 1),
    ]  # fmt: skip
    shown = cli("letters", "show").out
    assert f"  key a, value {value.decode()}\n" in shown and "  key b, value /3s= (base64)\n" in shown
    assert (
        ", partition " in shown
        and ", offset 0, 1970-01-01T00:00:01Z, read by good: value.price: expected INT\n" in shown
    )
    (shop / "models/topics.yml").write_text(YAML % "DOUBLE")
    done = cli("letters", "replay", "--all", "--output", "json")
    assert done.code == 1 and done.data["replayed"] == {"orders": 1}
    assert [r["letters"] for r in done.data["refused"]] == [1]
    assert cli("letters", "replay", "--reason", "value.price*").err == "1 letter was replayed before\n"
    found = [(m.key(), m.value(), m.timestamp()[1]) for m in read(broker.bootstrap, name)]
    assert sorted(found) == [
        (b"a", value, 1000), (b"a", value, 1000), (b"b", b"\xff{", 2000), (b"c", b'{"price":3}', 3000),
    ]  # fmt: skip
    (shop / "models/topics.yml").write_text(YAML.replace("'item STRING, price %s'", "{format: bytes}"))
    (shop / "models/good.sql").write_text(MODEL.replace("item, price", "*"))
    assert cli("letters", "replay", "--all", "--output", "json").data["replayed"] == {"orders": 1}
    again = [m.value() for m in read(broker.bootstrap, name) if m.key() == b"b"]
    assert again == [b"\xff{"] * 2


def write_letters(shop: Path) -> None:
    """The letters about all records of the topic, from the lines that every engine is given."""
    project = load_project(shop).project
    assert project is not None
    compilation = compile_project(project)
    place = open_compiled(compilation, named_target(shop, None, os.environ))
    plan = compilation.plans["good"]
    (shop / "lines").mkdir()
    [orders] = plan.inputs
    lines = place.log.segments_for(orders, shop / "lines")
    outcome = Session().evaluate_logs(place.ordered(plan), {"orders": lines})
    assert plan.dead_letters is not None
    letters = [Record("bad", None, r.value, r.timestamp) for r in outcome.topics["bad"]]
    assert place.log.append(plan.dead_letters, letters).count == 2
