"""`lsqlc query` over topics in Kafka."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.shared import SharedBroker


@pytest.fixture
def project(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: SharedBroker, topic_prefix: str) -> Path:
    """A project with a topic in two partitions."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "topics.yml").write_text(
        "topics:\n  - {name: orders, key: STRING, value: 'customer STRING, amount INT', partitions: 2}\n"
    )
    kafka = f'{{bootstrap: "{broker.bootstrap}", prefix: {topic_prefix}}}'
    (tmp_path / "profiles.yml").write_text(f"targets:\n  dev: {{type: embedded, kafka: {kafka}}}\n")
    return tmp_path


def rows(cli: Cli, text: str) -> list[tuple[object, ...]]:
    ran = cli("query", text, "--output", "json")
    assert ran.code == 0, ran.err
    return [tuple(line.values()) for line in ran.lines]


def test_the_rows_and_the_records_of_a_topic(cli: Cli, project: Path) -> None:
    """A record without a value deletes its row; what is written later is in the next answer."""
    records = [("a", "{customer: x, amount: 1}"), ("b", "{customer: y, amount: 2}"), ("a", "{customer: y, amount: 3}")]
    lines = [f'{{"key": "{k}", "value": {{"customer": "{v[11]}", "amount": {v[-2]}}}}}\n' for k, v in records]
    (project / "records.jsonl").write_text("".join(lines))
    assert cli("topics", "apply", "--quiet").code == 0
    assert rows(cli, "SELECT * FROM orders") == []
    assert cli("produce", "orders", "--file", "records.jsonl", "--quiet").code == 0
    assert rows(cli, "SELECT customer, amount FROM orders ORDER BY amount") == [("y", 2), ("y", 3)]
    assert rows(cli, "SELECT sum(amount) FROM STREAM(orders)") == [(6,)]
    (project / "records.jsonl").write_text('{"key": "a", "value": null}\n')
    assert cli("produce", "orders", "--file", "records.jsonl", "--quiet").code == 0
    assert rows(cli, "SELECT customer, sum(amount) FROM orders GROUP BY customer") == [("y", 2)]
