"""Somebody brings a program of ksqlDB to a broker of their own, and the third record cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.server import detached
from tests.cli.conftest import Cli, cli
from tests.kafka.client import write
from tests.kafka.fixture import fetched

__all__ = ["cli"]
pytestmark = [pytest.mark.kafka, pytest.mark.spark]
PROGRAM = """CREATE STREAM orders (id INT KEY, item STRING, amount INT)
  WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM refunds (id INT KEY, item STRING, amount INT)
  WITH (KAFKA_TOPIC = 'refunds', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM moves AS SELECT id, item, amount FROM orders;
INSERT INTO moves SELECT id, item, -amount AS amount FROM refunds;
CREATE TABLE totals AS SELECT item, SUM(amount) AS total, COUNT(*) AS moves FROM moves GROUP BY item;
"""


@pytest.fixture
def folder(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The imported project, as the current folder; its broker is stopped after the test."""
    fetched("kafka-broker")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.ksql").write_text(PROGRAM)
    imported = cli("import", "ksqldb", "shop.ksql", "shop")
    assert imported.code == 0 and "imported 2 models" in imported.err
    monkeypatch.chdir(tmp_path / "shop")
    yield tmp_path / "shop"
    with suppress(LsqlcError):
        detached.down(tmp_path / "shop" / ".lsqlc" / "kafka")


def test_a_bad_record_is_skipped_by_the_command_that_is_printed(cli: Cli, folder: Path, tmp_path: Path) -> None:
    """The run stops before the record, says where it is and how to go on; then the rows are right."""
    project = folder / "lsqlc.yml"
    assert "error_policy: continue" in project.read_text()
    project.write_text(project.read_text().replace("continue", "fail"))
    up = cli("kafka", "up", "--port", "0", "--add-target", "kafka", "--output", "json")
    assert up.code == 0 and cli("topics", "apply", "--target", "kafka").code == 0
    records = tmp_path / "orders.jsonl"
    records.write_text(
        '{"key": 1, "value": {"item": "pen", "amount": 3}}\n{"key": 2, "value": {"item": "ink", "amount": 5}}\n'
    )
    assert cli("produce", "orders", "--file", str(records), "--target", "kafka").code == 0
    write(up.data["bootstrap"], "orders", [((3).to_bytes(4, "big"), b'{"ITEM":"pen","AMOUNT":"many"}', 0)])
    records.write_text('{"key": 1, "value": {"item": "pen", "amount": 1}}\n')
    assert cli("produce", "refunds", "--file", str(records), "--target", "kafka").code == 0
    stopped = cli("run", "--target", "kafka")
    assert stopped.code == 1 and "error[LSQ667]" in stopped.err, stopped.err
    command = re.search(r"--skip-record orders:0:\d+", stopped.err)
    assert command is not None, stopped.err
    run = cli("run", "--target", "kafka", *command[0].split())
    assert run.code == 0, run.err
    rows = cli("show", "TOTALS", "--target", "kafka", "--output", "json").lines
    assert {row["key"]: row["value"] for row in rows} == {
        "ink": {"TOTAL": 5, "MOVES": 1},
        "pen": {"TOTAL": 2, "MOVES": 2},
    }
