"""Questions about topics in Kafka: a query, a query that follows them, and a preview of a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, bikes, cli
from tests.kafka.client import create, write
from tests.shared import SharedBroker

__all__ = ["bikes", "cli"]
pytestmark = pytest.mark.kafka

YAML = "topics: [{name: orders, key: STRING, value: 'item STRING, price INT'}]\n"
MODEL = "SELECT item, SUM(price) AS total FROM orders GROUP BY item\n"
BY_ITEM = "SELECT item, COUNT(*) AS n FROM orders GROUP BY item"


@pytest.fixture
def shop(bikes: Path, broker: SharedBroker, topic_prefix: str) -> Path:
    """A project of standard SQL with a table of orders in Kafka, of which one was replaced and one deleted."""
    for path in (*bikes.glob("models/*"), *bikes.glob("tests/**/*.yml")):
        path.unlink()
    kafka = f"{{bootstrap: '{broker.bootstrap}', prefix: {topic_prefix}, partitions: 2}}"
    (bikes / "profiles.yml").write_text(f"targets: {{local: {{type: embedded, kafka: {kafka}}}}}\n")
    (bikes / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (bikes / "models/totals.sql").write_text(MODEL)
    (bikes / "models/topics.yml").write_text(YAML)
    create(broker.bootstrap, f"{topic_prefix}orders", partitions=2)
    _order(broker, topic_prefix, "a", "pen", 1)
    _order(broker, topic_prefix, "a", "pen", 3)
    _order(broker, topic_prefix, "b", "ink", 5)
    _order(broker, topic_prefix, "c", "pen", 7)
    write(broker.bootstrap, f"{topic_prefix}orders", [(b"c", None, 9)])
    return bikes


def _order(broker: SharedBroker, prefix: str, key: str, item: str, price: int) -> None:
    value = json.dumps({"item": item, "price": price}).encode()
    write(broker.bootstrap, f"{prefix}orders", [(key.encode(), value, 9)])


def test_a_query_reads_the_rows_of_now(cli: Cli, shop: Path) -> None:
    """The newest version of each row, without deleted ones."""
    ran = cli("query", f"{BY_ITEM} ORDER BY item", "--output", "csv")
    assert (ran.code, ran.out) == (0, "item,n\nink,1\npen,1\n")


def test_a_model_that_does_not_run_is_previewed(cli: Cli, shop: Path) -> None:
    """Over the records that are in its inputs."""
    ran = cli("preview", "totals", "--output", "csv")
    assert (ran.code, sorted(ran.out.splitlines()[1:])) == (0, ["ink,ink,5", "pen,pen,3"])


def test_a_query_follows_a_topic(cli: Cli, shop: Path, broker: SharedBroker, topic_prefix: str) -> None:
    """The rows of now come first, then their changes, until Ctrl-C."""
    words = [sys.executable, "-m", "lsqlc", "query", BY_ITEM, "--follow", "--output", "csv"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, env={**os.environ}, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "_change,item,n\n"
        assert {process.stdout.readline(), process.stdout.readline()} == {"insert,ink,1\n", "insert,pen,1\n"}
        _order(broker, topic_prefix, "d", "ink", 2)
        # Both sides of an update, or its new side.
        while (line := process.stdout.readline()) and not line.endswith("ink,2\n"):
            assert line.endswith("ink,1\n"), line
        assert line
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
