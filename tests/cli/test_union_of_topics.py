"""A STREAM of several topics in folders, whose rows a TABLE counts: the newest version of a key may be in either."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.shared import SharedServer

from .conftest import Cli

FILES = {
    "lsqlc.yml": "name: union\n",
    "models/topics.yml": "topics:\n"
    "  - {name: a, key: STRING, value: 'g STRING, n INT'}\n"
    "  - {name: b, key: STRING, value: 'g STRING, n INT'}\n",
    "models/both.sql": "INSERT INTO both SELECT STREAM g, n FROM a;\nINSERT INTO both SELECT STREAM g, n FROM b;\n",
    "models/per.sql": "SELECT TABLE COUNT(*) AS c, SUM(n) AS s FROM both GROUP BY g;\n",
}


@pytest.fixture
def union(tmp_path: Path, spark_server: SharedServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    target = f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n"
    for name, text in {**FILES, "profiles.yml": target}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_files_of_several_topics_are_one_batch(cli: Cli, union: Path) -> None:
    """A file at a time of each, the second file of `a` would come behind the first of `b`, whose record is newer."""

    def produce(topic: str, key: str, n: int) -> None:
        (union / "records.jsonl").write_text(json.dumps({"key": key, "value": {"g": f"{topic}{n}", "n": n}}) + "\n")
        produced = cli("produce", topic, "--file", "records.jsonl")
        assert produced.code == 0, produced.err

    def runs() -> None:
        ran = cli("run", "--verify", "--quiet")
        assert ran.code == 0, ran.err

    for n in range(3):
        produce("a", "k", n)
    for key, n in (("k", 3), ("j", 4), ("j", 5)):
        produce("b", key, n)
    runs()
    produce("a", "j", 6)
    produce("b", "k", 7)
    produce("a", "k", 8)
    runs()
    shown = cli("show", "per", "--output", "json")
    assert {line["key"]: line["value"] for line in shown.lines} == {"a6": {"c": 1, "s": 6}, "a8": {"c": 1, "s": 8}}
