"""A table whose writer is killed at any moment, while records come: nothing is lost, and nothing is written twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TOPIC = """\
topics:
  - name: orders
    key: INT
    value: "item STRING, n BIGINT"
    tables:
      - {store: here, keep: current, name: current_rows}
      - {store: here, keep: all, name: all_rows}
      - {store: here, keep: history, name: versions}
"""
_WAIT = 300.0


def make_project(folder: Path, store: dict[str, Any]) -> None:
    """Write a project whose topic has three tables in a store."""
    (folder / "models").mkdir()
    (folder / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (folder / "models" / "topics.yml").write_text(TOPIC)
    targets = {"dev": {"type": "embedded", "tables": {"here": store}}}
    (folder / "profiles.yml").write_text(json.dumps({"targets": targets}))


def lsqlc(folder: Path, *words: str, text: str = "") -> str:
    """What a command says. Raises AssertionError for one that fails."""
    ran = subprocess.run(
        [sys.executable, "-m", "lsqlc", *words], cwd=folder, input=text, capture_output=True, text=True, timeout=_WAIT
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


def produce(folder: Path, draw: random.Random, count: int) -> None:
    """Append records of few keys, some without a value, in order of their times but for some."""
    lines = []
    now = int(time.time() * 1000)
    for number in range(count):
        value = None if draw.random() < 0.2 else {"item": draw.choice("abc"), "n": number}
        late = draw.randrange(500) if draw.random() < 0.1 else 0
        lines.append(json.dumps({"key": draw.randrange(50), "value": value, "timestamp": now + number - late}))
    lsqlc(folder, "produce", "orders", text="\n".join(lines))


def follow_and_kill(folder: Path, draw: random.Random, kills: int, batches: int) -> None:
    """Append `batches` of records, kill who writes the tables `kills` times meanwhile, and let a last one finish."""
    for number in range(kills):
        words = ["tables", "sync", "--follow", "--interval", "0.1"]
        writer = subprocess.Popen(
            [sys.executable, "-m", "lsqlc", *words], cwd=folder, stderr=subprocess.PIPE, start_new_session=True
        )
        if number % max(1, kills // batches) == 0:
            produce(folder, draw, draw.randrange(1, 200))
        # Most of the moments are in the first second, when it starts, reads its position, and writes.
        time.sleep(draw.random() * 1.5 + 0.3)
        assert writer.poll() is None, writer.stderr and writer.stderr.read()
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
    lsqlc(folder, "tables", "sync")


def verify(folder: Path) -> dict[str, int]:
    """The number of rows of each table, which is as the topic gives."""
    answer = json.loads(lsqlc(folder, "tables", "verify", "--output", "json", "--quiet"))
    assert answer["ok"]
    return {table["name"]: table["rows"] for table in answer["tables"]}
