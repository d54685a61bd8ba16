"""`seed`: several topics in one order of arrival, and lines that are records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

YAML = """\
topics:
  - {name: places, key: STRING, value: "place STRING", seed: {path: seeds/places.jsonl, lines: records}}
  - {name: prices, key: STRING, value: "price INT, at BIGINT", seed: {path: seeds/prices.csv, timestamp: at}}
"""


def record(key: str, value: Any, timestamp: int | str | None = None) -> str:
    return json.dumps({"key": key, "value": value, "timestamp": timestamp}) + "\n"


@pytest.fixture
def shop(bikes: Path) -> Path:
    """A project of two topics whose seeds are written by the tests."""
    for path in (*bikes.glob("models/*"), *bikes.glob("seeds/*")):
        path.unlink()
    (bikes / "models/topics.yml").write_text(YAML)
    return bikes


def seeded(shop: Path, places: str, prices: list[int]) -> None:
    (shop / "seeds/places.jsonl").write_text(places)
    (shop / "seeds/prices.csv").write_text("price,at\n" + "".join(f"{n},{at}\n" for n, at in enumerate(prices)))


def arrivals(shop: Path) -> list[tuple[int, str, int]]:
    """Ordinal, topic and time of all records, in order of ordinals."""
    found = []
    for path in (shop / ".lsqlc/topics").glob("*/data/*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert sorted(lines, key=lambda r: r["ordinal"]) == lines
        found += [(r["ordinal"], path.parts[-3], r["timestamp"]) for r in lines]
    return sorted(found)


def ranges(shop: Path) -> list[tuple[int, int]]:
    """The first and the last ordinal of each file, in order."""
    found = []
    for path in (shop / ".lsqlc/topics").glob("*/data/*.jsonl"):
        ordinals = [json.loads(line)["ordinal"] for line in path.read_text().splitlines()]
        found.append((ordinals[0], ordinals[-1]))
    return sorted(found)


def test_topics_are_merged_by_time(cli: Cli, shop: Path) -> None:
    """Each topic keeps its own order, and files do not overlap, since a query takes one after the other."""
    seeded(shop, record("a", {"place": "x"}, 20) + record("a", None, 40) + record("b", None, 30), [10, 20, 25, 50])
    ran = cli("seed", "--output", "json")
    assert ran.code == 0 and "merged by time" in ran.err
    assert ran.data["topics"] == [
        {"topic": "places", "status": "loaded", "records": 3},
        {"topic": "prices", "status": "loaded", "records": 4},
    ]
    places, prices = "places", "prices"
    assert [(topic, time) for _, topic, time in arrivals(shop)] == [
        (prices, 10), (places, 20), (prices, 20), (prices, 25), (places, 40), (places, 30), (prices, 50),
    ]  # fmt: skip
    assert [ordinal for ordinal, _, _ in arrivals(shop)] == list(range(7))
    assert ranges(shop) == [(0, 0), (1, 1), (2, 3), (4, 5), (6, 6)]
    assert cli("seed").err.count("already has records") == 2


def test_many_changes_of_topic_are_merged_in_steps(cli: Cli, shop: Path) -> None:
    """No more than two files of each step, whose ranges do not overlap."""
    seeded(shop, "".join(record("a", None, 2 * n) for n in range(320)), [2 * n + 1 for n in range(320)])
    ran = cli("seed")
    assert ran.code == 0 and "merged by time, in steps of 20 records" in ran.err
    found = arrivals(shop)
    assert len(found) == 640 and len(ranges(shop)) == 64
    assert all(abs(time - ordinal) < 20 for ordinal, _, time in found)
    flat = [n for pair in ranges(shop) for n in pair]
    assert flat == sorted(flat)


def test_a_bad_record_loads_nothing_of_any_topic(cli: Cli, shop: Path) -> None:
    """What is wrong in all topics is reported."""
    seeded(shop, record("a", {"place": "x"}) + record("a", {"plaice": "x"}) + record("a", None, "today"), [1, 2])
    with (shop / "seeds/prices.csv").open("a") as file:
        file.write("cheap,3\n")
    ran = cli("seed", "--output", "json")
    assert ran.code == 1
    found = [(d["code"], d["span"]["path"], d["span"]["line"]) for d in ran.data["diagnostics"]]
    assert sorted(found) == [
        ("LSQ411", "seeds/places.jsonl", 2), ("LSQ411", "seeds/places.jsonl", 3), ("LSQ411", "seeds/prices.csv", 4),
    ]  # fmt: skip
    assert arrivals(shop) == []


@pytest.mark.parametrize(
    ("seed", "text", "said"),
    [
        ("lines: records", '{"place": "x"}\n' * 9, "remove `lines: records`"),
        ("lines: values", record("a", {"place": "x"}) * 9, "add `lines: records`"),
        ("lines: records", json.dumps([{"key": "a"}] * 9), "jq"),
        ("lines: values", json.dumps([{"place": "x"}] * 9, indent=1), "jq"),
        ("lines: values", json.dumps({"place": "x"}, indent=1), "jq"),
    ],
)
def test_another_form_is_one_error(cli: Cli, shop: Path, seed: str, text: str, said: str) -> None:
    """Not one for each line."""
    (shop / "models/topics.yml").write_text(YAML.replace("lines: records", seed))
    seeded(shop, text, [1])
    ran = cli("seed", "places")
    assert ran.code == 1 and ran.err.count("error[LSQ412]") == 1
    assert said in ran.err


@pytest.mark.parametrize(
    ("seed", "said"),
    [
        ("{path: seeds/places.jsonl, lines: records, key: place}", "'key' is not for lines that are records"),
        ("{path: seeds/places.csv, lines: values}", "'lines' is only for files of JSON lines"),
    ],
)
def test_wrong_declarations(cli: Cli, shop: Path, seed: str, said: str) -> None:
    (shop / "models/topics.yml").write_text(YAML.replace("{path: seeds/places.jsonl, lines: records}", seed))
    ran = cli("seed")
    assert ran.code == 1 and said in ran.err


def test_an_environment(cli: Cli, shop: Path) -> None:
    """It has no samples of topics that it reads from another target, whether these have records or not."""
    (shop / "profiles.yml").write_text("targets: {prod: {type: embedded}, pr: {type: embedded, defer: prod}}\n")
    seeded(shop, record("a", {"place": "x"}), [1])
    refused = cli("seed", "--target", "pr")
    assert refused.code == 1 and "error[LSQ799]" in refused.err
    assert cli("seed", "--target", "prod").code == 0
    refused = cli("seed", "--target", "pr")
    assert refused.code == 1 and "error[LSQ799]" in refused.err
