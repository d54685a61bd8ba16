"""A query whose server was killed within the first batch: it starts from the beginning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import SharedServer

from .conftest import Cli

FILES = {
    "lsqlc.yml": "name: first\n",
    "models/topics.yml": "topics:\n  - {name: a, key: STRING, value: 'n INT'}\n",
    "models/sums.sql": "SELECT TABLE COUNT(*) AS c, SUM(n) AS s FROM a GROUP BY n;\n",
    "records.jsonl": '{"key": "k", "value": {"n": 1}}\n{"key": "j", "value": {"n": 1}}\n',
}


def test_what_a_killed_first_batch_left_is_passed_over(
    cli: Cli, tmp_path: Path, spark_server: SharedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States that no batch has, and a note of it that is not finished."""
    target = f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n"
    for name, text in {**FILES, "profiles.yml": target}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    # There is nothing to read yet, so that no batch is noted.
    begun = cli("run", "--quiet")
    assert begun.code == 0, begun.err
    (checkpoint,) = tmp_path.rglob("spark-000001")
    for name in ("offsets/.0.a-name-for-the-time-being.tmp", "state/0/0/1_a-name-of-its-own.changelog"):
        left = checkpoint / name
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_text("v1\n")
    produced = cli("produce", "a", "--file", "records.jsonl")
    assert produced.code == 0, produced.err
    ran = cli("run", "--verify", "--quiet")
    assert ran.code == 0, ran.err
    shown = cli("show", "sums", "--output", "json")
    assert {line["key"]: line["value"] for line in shown.lines} == {1: {"c": 2, "s": 2}}
