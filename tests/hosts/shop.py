"""A project for servers on other hosts: a model of each kind, one over the results of another, and records for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka import Message

from tests.kafka import client

PARTITIONS = 3
MODELS = {
    "large_orders": "SELECT STREAM item, n * 2 AS twice FROM orders WHERE n > 2;\n",
    "totals": "SELECT TABLE item, COUNT(*) AS c, SUM(n) AS s FROM orders GROUP BY item;\n",
    "priced": (
        "WITH r AS (SELECT TABLE rate FROM rates);\n"
        "SELECT STREAM o.item, o.n, r.rate FROM orders AS o LEFT JOIN r ON o._key = r._key;\n"
    ),
    "items_by_count": "SELECT TABLE c, COUNT(*) AS items FROM {{ ref('totals') }} GROUP BY c;\n",
}
_TOPICS = f"""\
topics:
  - name: orders
    key: INT
    value: item STRING, n INT
    partitions: {PARTITIONS}
    seed: {{path: seeds/orders.csv, key: id, timestamp: placed}}
  - name: rates
    key: INT
    value: rate DOUBLE
    partitions: {PARTITIONS}
    seed: {{path: seeds/rates.csv, key: id, timestamp: since}}
"""
_PROFILES = """\
default: prod
targets:
  prod:
    type: connect
    address: "{address}"
    checkpoints: "{checkpoints}"
    kafka:
      bootstrap: "{bootstrap}"
      server_bootstrap: "{server_bootstrap}"
      prefix: "{prefix}"
      partitions: {partitions}
      writers: {writers}
      offsets_per_batch: {offsets_per_batch}
"""
Order = tuple[int, dict[str, Any], int]


def orders(first: int, count: int) -> list[Order]:
    """Records of (key, value, milliseconds), whose times rise."""
    return [(n % 11, {"item": "abcd"[n % 4], "n": n % 7}, 1_000 + n) for n in range(first, first + count)]


def totals(given: list[Order]) -> dict[str, dict[str, Any]]:
    """What the model of this name makes of them, in plain Python: the newest order of a key is its row."""
    rows = [value for _, value, _ in sorted(given, key=lambda order: order[2])]
    newest = dict(zip((key for key, _, _ in given), rows, strict=True))
    counts, sums = Counter[str](), Counter[str]()
    for row in newest.values():
        counts[row["item"]] += 1
        sums[row["item"]] += row["n"]
    return {item: {"item": item, "c": counts[item], "s": sums[item]} for item in counts}


@dataclass(frozen=True, slots=True)
class Shop:
    """The project in a folder, and what its profile says. `environment`: of its commands; `entered`: where they, and
    the test's own client of Kafka, are run.
    """

    folder: Path
    profile: Mapping[str, Any]
    environment: Mapping[str, str]
    entered: Callable[[], AbstractContextManager[None]] = nullcontext

    def write(self, seeds: list[Order], **changed: Any) -> None:
        """Write the project's files; those that are there already too. `changed`: of the profile."""
        for name in ("models", "seeds"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "lsqlc.yml").write_text("name: shop\n")
        usual = {"partitions": PARTITIONS, "writers": 1, "offsets_per_batch": 200_000}
        profile = _PROFILES.format_map({**usual, **self.profile, **changed})
        (self.folder / "profiles.yml").write_text(profile)
        (self.folder / "models" / "topics.yml").write_text(_TOPICS)
        for name, program in MODELS.items():
            (self.folder / "models" / f"{name}.sql").write_text(program)
        lines = [f"{key},{value['item']},{value['n']},{_time(time)}\n" for key, value, time in seeds]
        (self.folder / "seeds" / "orders.csv").write_text("".join(["id,item,n,placed\n", *lines]))
        rates = [f"{key},{key / 4},{_time(500 + key)}\n" for key in range(8)]
        (self.folder / "seeds" / "rates.csv").write_text("".join(["id,rate,since\n", *rates]))

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Start a command."""
        with self.entered():
            return subprocess.Popen(
                [sys.executable, "-m", "lsqlc", *words, "--output", "json"], cwd=self.folder,
                env=dict(self.environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True,
            )  # fmt: skip

    def lsqlc(self, *words: str) -> list[dict[str, Any]]:
        """Run a command, which must end well. Gives the objects that it printed."""
        return ended(self.begin(*words))

    def run(self, *words: str) -> dict[str, dict[str, Any]]:
        """Run the models, as `checked` says."""
        return checked(self.lsqlc("run", "--verify", *words))

    def order(self, given: list[Order]) -> None:
        """Append records to the topic of orders, as another program does."""
        records = [(key.to_bytes(4, "big"), json.dumps(value).encode(), time) for key, value, time in given]
        with self.entered():
            client.write(
                self.profile["bootstrap"], f"{self.profile['prefix']}orders", records, {"partitioner": "murmur2_random"}
            )

    def read(self, topic: str) -> list[Message]:
        """The committed records of a topic, by a client that knows nothing of lsqlc."""
        with self.entered():
            return client.read(self.profile["bootstrap"], f"{self.profile['prefix']}{topic}")

    def rows(self, topic: str) -> dict[str, Any]:
        """The newest value of each key, tombstones left out."""
        newest = {bytes(message.key()): message.value() for message in self.read(topic)}
        return {key.decode(): json.loads(value) for key, value in newest.items() if value is not None}


def ended(command: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """Wait for a command, which must end well. Gives the objects that it printed."""
    try:
        out, err = command.communicate()
    finally:
        # Only where the test is interrupted it has not ended.
        command.kill()
    assert command.returncode == 0, f"{command.args!r}: {command.returncode}\n{out}\n{err}"
    try:
        return [json.loads(out)]
    except ValueError:
        return [json.loads(line) for line in out.splitlines()]


def checked(printed: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The summary of each query by its name, of a run in which DuckDB agreed on every model."""
    end = printed[-1]
    assert end["event"] == "summary" and end["ok"], end
    assert {found["model"] for found in end["verified"] if not found["skipped"]} == {q["model"] for q in end["queries"]}
    return {query["query"]: query for query in end["queries"]}


def _time(milliseconds: int) -> str:
    return f"1970-01-01T00:00:{milliseconds // 1000:02}.{milliseconds % 1000:03}Z"


def environment(home: Path) -> dict[str, str]:
    """That of a client whose own files, if it writes any, are in `home`."""
    home.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "AWS_"))}
    return {**kept, "HOME": str(home)}
