"""Tables that follow topics in Kafka."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from deltalake import DeltaTable

from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.types.kafka import KafkaSettings
from tests.cli.conftest import Cli, cli
from tests.shared import SharedBroker

__all__ = ["cli"]

TOPIC = """\
topics:
  - name: orders
    key: STRING
    value: "item STRING, n INT"
    partitions: 3
    tables:
      - {store: lake, keep: current}
      - {store: lake, keep: all, name: every}
      - {store: lake, keep: history, name: versions}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: SharedBroker, topic_prefix: str) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "topics.yml").write_text(TOPIC)
    kafka = {"bootstrap": broker.bootstrap, "prefix": topic_prefix}
    target = {"type": "embedded", "kafka": kafka, "tables": {"lake": {"delta": {"path": "lake"}}}}
    (tmp_path / "profiles.yml").write_text(json.dumps({"targets": {"dev": target}}))
    return tmp_path


def produce(cli: Cli, project: Path, records: Sequence[tuple[str, int | None, int]]) -> None:
    lines = [
        json.dumps({"key": key, "value": None if n is None else {"item": key, "n": n}, "timestamp": time})
        for key, n, time in records
    ]
    (project / "records.jsonl").write_text("\n".join(lines))
    assert cli("produce", "orders", "--file", "records.jsonl", "--quiet").code == 0


def test_tables_of_a_topic_in_partitions(cli: Cli, project: Path, broker: SharedBroker, topic_prefix: str) -> None:
    """Records of a key come in the order of its partition. A topic that was created again is another one."""
    assert cli("tables", "sync").code == 0
    keys = "abcdefgh"
    produce(cli, project, [(key, 1, 1000) for key in keys] + [(key, 2, 2000) for key in keys[:4]])
    assert cli("tables", "sync").code == 0
    produce(cli, project, [(key, None, 3000) for key in keys[:2]] + [("z", 9, 3000)])
    ran = cli("tables", "sync", "--output", "json")
    assert [(line["name"], line["records"], line["behind"]) for line in ran.lines] == [
        ("every", 3, 0), ("orders", 3, 0), ("versions", 3, 0),
    ]  # fmt: skip
    rows = DeltaTable("lake/orders").to_pyarrow_table()
    assert dict(zip(rows["_key"].to_pylist(), rows["n"].to_pylist(), strict=True)) == {
        **dict.fromkeys(keys[2:4], 2), **dict.fromkeys(keys[4:], 1), "z": 9,
    }  # fmt: skip
    ran = cli("tables", "verify", "--output", "json")
    assert [(table["name"], table["rows"]) for table in ran.data["tables"]] == [
        ("every", 13), ("orders", 7), ("versions", 13),
    ]  # fmt: skip
    assert ran.data["ok"]
    assert cli("tables", "sync", "--output", "json").lines == []

    KafkaLog(KafkaSettings(broker.bootstrap, prefix=topic_prefix)).delete("orders")
    produce(cli, project, [(key, 5, 1000) for key in keys * 3])
    ran = cli("tables", "sync", "every")
    assert ran.code == 1
    assert "has been created again since" in ran.err
    assert cli("tables", "sync", "every", "--rebuild").code == 0
    assert DeltaTable("lake/every").to_pyarrow_table().num_rows == 24
