"""`letters`: what dead-letter topics hold, and writing their records again after a fix."""

from __future__ import annotations

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.duckdb import Session
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.project.workspace import open_workspace
from lsqlc.tasks.dead_letters import letter_topics, replay
from lsqlc.tasks.run_target import open_compiled
from lsqlc.types.record import Record, StoredRecord, Topic

from .conftest import Cli

MODEL = """\
SET error.policy = 'dlq';
SET dead.letter.queue = 'bad-orders';
INSERT INTO good SELECT STREAM item, price FROM orders
"""
YAML = "topics: [{name: orders, key: STRING, value: 'item STRING, price %s, note STRING'}]\n"


def order(item: str, price: Any, **more: Any) -> str:
    return json.dumps({"key": "k", "value": {"item": item, "price": price}, "timestamp": 1000, **more}) + "\n"


@pytest.fixture
def shop(bikes: Path) -> Path:
    """A project whose model reads prices as numbers, with letters about those that are not."""
    for path in (*bikes.glob("models/*"), *bikes.glob("tests/**/*.yml")):
        path.unlink()
    (bikes / "models/good.sql").write_text(MODEL)
    return bikes


def filled(cli: Cli, shop: Path, lines: str) -> None:
    """The records in the topic, when prices were texts, and the letters that a run with prices as numbers writes."""
    declared(shop, "STRING")
    (shop / "r.jsonl").write_text(lines)
    assert cli("produce", "orders", "--file", "r.jsonl").code == 0
    declared(shop, "INT")
    ran(shop, 0)


def declared(shop: Path, price: str) -> None:
    (shop / "models/topics.yml").write_text(YAML % price)


def ran(shop: Path, batch: int) -> None:
    """Write the letters about all records, as the query for letters does."""
    topic, letters = letters_about_all(shop)
    FileLog(shop / ".lsqlc/topics").append_batch(topic, letters, generation="g", batch=batch)


def letters_about_all(shop: Path) -> tuple[Topic, list[StoredRecord]]:
    """The topic of the letters, and those about all records that are there."""
    project = load_project(shop).project
    assert project is not None
    plan = compile_project(project).plans["good"]
    log = FileLog(shop / ".lsqlc/topics")
    letters = Session().evaluate_logs(plan, {"orders": log.segments("orders")}).topics["bad-orders"]
    assert plan.dead_letters is not None
    stored = [StoredRecord("bad-orders", None, r.value, r.timestamp, (r.value["ordinal"] or 0,)) for r in letters]
    return plan.dead_letters, stored


def orders(shop: Path) -> list[Any]:
    files = sorted((shop / ".lsqlc/topics/orders/data").iterdir())
    found = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    return [(r["value"], r["timestamp"], r.get("headers")) for r in found]


REASON = "value.price: expected INT"


def test_letters_by_reason(cli: Cli, shop: Path) -> None:
    """With their numbers and times; `show` has the records."""
    filled(cli, shop, order("pen", "2") + order("ink", "dear", timestamp=5000) + order("cup", None))
    listed = cli("letters", "list", "--output", "json").data
    assert listed["letters"] == [
        {
            "letters": "bad-orders", "topic": "orders", "reason": REASON, "count": 2, "replayed": 0, "first": 1000,
            "last": 5000,
        }
    ]  # fmt: skip
    line = cli("letters", "list").out.splitlines()[-1]
    assert line.split() == ["bad-orders", "orders", "2", "0", "1970-01-01T00:00:05Z", *REASON.split()]
    shown = cli("letters", "show", "-n", "1", "--output", "json").lines
    assert [(r["ordinal"], r["reason"], r["replayed"]) for r in shown] == [(1, REASON, False)]
    assert json.loads(shown[0]["record"])["value"]["item"] == "ink"
    assert cli("letters", "show", "--reason", "*nope*").err == "no letters\n"
    text = cli("letters", "show", "-n", "1").out
    assert text.startswith(f"orders, ordinal 1, 1970-01-01T00:00:05Z, read by good: {REASON}\n  {{")


def test_a_fix_replays_the_letters_of_a_reason_once(cli: Cli, shop: Path) -> None:
    """The record is written as it was, headers and other members of its value included; a second replay writes nothing,
    also when the letters were written a second time.
    """
    headers = [{"key": "trace", "value": "YWJj"}]
    filled(cli, shop, order("pen", "2", headers=headers) + order("ink", "3") + order("cup", None))
    declared(shop, "STRING")
    dry = cli("letters", "replay", "--reason", REASON, "--dry-run")
    assert dry.code == 0 and "orders: 2 records would be written again" in dry.err and len(orders(shop)) == 3
    done = cli("letters", "replay", "--reason", REASON, "--output", "json")
    assert done.code == 0 and done.data["replayed"] == {"orders": 2} and done.data["written"]
    assert orders(shop)[3:] == [
        ({"item": "pen", "price": "2", "note": None}, 1000, headers),
        ({"item": "ink", "price": "3", "note": None}, 1000, None),
    ]
    again = cli("letters", "replay", "--all")
    assert again.code == 0 and again.err == "2 letters were replayed before\n" and len(orders(shop)) == 5
    assert cli("letters", "list", "--output", "json").data["letters"][0]["replayed"] == 2
    # What a rebuilt query says of the same records is about the same records.
    declared(shop, "INT")
    ran(shop, 1)
    declared(shop, "STRING")
    done = cli("letters", "replay", "--all", "--output", "json")
    assert (done.data["replayed"], done.data["replayed_before"]) == ({"orders": 2}, 4)


def test_replays_beside_each_other_under_load(cli: Cli, shop: Path) -> None:
    """Letters and records come while two replays run again and again: each record is written again once."""
    number = 24
    declared(shop, "STRING")
    (shop / "r.jsonl").write_text("".join(order(f"i{n}", "2", timestamp=1000 + n) for n in range(number)))
    assert cli("produce", "orders", "--file", "r.jsonl").code == 0
    declared(shop, "INT")
    topic, letters = letters_about_all(shop)
    assert len(letters) == number
    declared(shop, "STRING")
    workspace = open_workspace(shop)
    compilation = workspace.compilation
    log = FileLog(shop / ".lsqlc/topics")
    ended = threading.Event()

    def write() -> None:
        for batch in range(0, number, 4):
            log.append_batch(topic, letters[batch : batch + 4], generation="g", batch=batch // 4)
            log.append(compilation.topics["orders"], [Record("orders", "k", {"item": "new", "price": "1"}, 9000)])

    def replay_all() -> int:
        place, topics = open_compiled(compilation, workspace.target(None)), letter_topics(compilation, ())
        written = 0
        while True:
            is_last = ended.is_set()
            written += sum(replay(place, compilation, topics, None).written.values())
            if is_last:
                return written

    with ThreadPoolExecutor(3) as pool:
        replays = [pool.submit(replay_all) for _ in range(2)]
        try:
            pool.submit(write).result()
        finally:
            ended.set()
        assert sum(each.result() for each in replays) == number
    items = Counter(value["item"] for value, *_ in orders(shop))
    assert items == {**{f"i{n}": 2 for n in range(number)}, "new": number // 4}


def test_what_is_written_again_is_the_text_of_the_record(cli: Cli, shop: Path) -> None:
    """Members that no schema has stay, and so do the digits of numbers."""
    declared(shop, "INT")
    folder = shop / ".lsqlc/topics/orders/data"
    folder.mkdir(parents=True)
    value = '{"item":"pen", "price":2.50,"more":[1.10]}'
    line = f'{{"ordinal":0,"timestamp":7,"key":"k","value":{value}}}'
    (folder / f"{0:020d}.jsonl").write_text(line + "\n")
    ran(shop, 0)
    declared(shop, "DOUBLE")
    assert cli("letters", "replay", "--all").code == 0
    [_, again] = sorted(folder.iterdir())
    assert again.read_text() == f'{{"ordinal":1,"timestamp":7,"key":"k","value":{value}}}\n'


def test_what_still_cannot_be_read_stays_a_letter(cli: Cli, shop: Path) -> None:
    """It is reported with its number; the others are written."""
    filled(cli, shop, order("pen", "2") + order("ink", "3"))
    ran_without = cli("letters", "replay", "--all", "--output", "json")
    assert ran_without.code == 1 and orders(shop)[2:] == []
    why = f"it still cannot be read: {REASON}"
    assert ran_without.data["refused"] == [{"topic": "orders", "why": why, "letters": 2}]
    assert [d["code"] for d in ran_without.data["diagnostics"]] == ["LSQ685"]


def test_other_models_that_read_the_records_again_are_named(cli: Cli, shop: Path) -> None:
    filled(cli, shop, order("pen", "2"))
    declared(shop, "STRING")
    (shop / "models/items.sql").write_text("INSERT INTO items SELECT STREAM item FROM orders\n")
    ran = cli("letters", "replay", "--all")
    assert ran.code == 0 and "'items' also reads these records again" in ran.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("list", "bad-order"), 1, "did you mean 'bad-orders'?"),
        (("replay",), 2, "give a reason or --all"),
        (("replay", "--all", "--reason", "x"), 2, "give a reason or --all"),
        (("replay", "--reason", "price: expected INT"), 1, f"did you mean '{REASON}'?"),
    ],
)
def test_wrong_words(cli: Cli, shop: Path, words: tuple[str, ...], code: int, said: str) -> None:
    filled(cli, shop, order("pen", "2"))
    ran = cli("letters", *words)
    assert ran.code == code and said in ran.err


def test_a_project_without_letters(cli: Cli, bikes: Path) -> None:
    assert cli("letters", "list").err == "no model has a dead-letter topic\n"
    assert cli("letters", "replay", "--all").code == 0
