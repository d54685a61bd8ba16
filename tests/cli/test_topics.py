"""`seed`, `show`, `clean --topics`: the embedded topics."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.remote.run.locks import run_lock
from lsqlc.types.data import STRING
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, StoredRecord, Topic

from .conftest import Cli, everything

TABLE = Topic("bikes_at_station", Facet(STRING, "string"), Facet(parse_columns("station STRING, bikes BIGINT"), "json"))


def test_seed_and_show(cli: Cli, bikes: Path) -> None:
    """The seed's rows come out in order, in as many files as declared; JSON gives one object a line."""
    ran = cli("seed")
    assert ran.code == 0 and "rides: 60 records in 4 files" in ran.err
    shown = cli("show", "rides", "--limit", "2")
    assert shown.out.splitlines()[2].split() == ["2024-05-01T06:06:00Z", "b3", "b3", "market", "44", "true"]
    assert shown.out.splitlines()[-1] == "and 58 more"
    assert len(cli("show", "rides", "--limit", "0").out.splitlines()) == 62
    assert cli("show", "rides", "-n", "1", "--output", "json").lines == [
        {
            "topic": "rides",
            "key": "b3",
            "value": {"bike": "b3", "station": "market", "minutes": 44, "cancelled": True},
            "timestamp": 1714543560000,
        }
    ]
    last = cli("show", "rides", "-n", "1", "--tail", "--output", "json").lines[0]
    assert last == cli("show", "rides", "-n", "0", "--output", "json").lines[-1]


def test_a_second_seed_changes_nothing(cli: Cli, bikes: Path) -> None:
    """A topic with records is left alone, and said to be."""
    assert cli("seed").code == 0
    before = everything(bikes / ".lsqlc")
    ran = cli("seed", "--output", "json")
    assert ran.data["topics"] == [{"topic": "rides", "status": "kept", "records": 0}]
    assert "--full-refresh" in ran.err
    assert everything(bikes / ".lsqlc") == before


def test_a_limited_seed(cli: Cli, bikes: Path) -> None:
    """`--limit` loads the first rows; `--full-refresh` loads again."""
    assert cli("seed", "--limit", "10", "--output", "json").data["topics"][0]["records"] == 10
    assert cli("seed", "--full-refresh", "--output", "json").data["topics"][0]["records"] == 60
    assert len(cli("show", "rides", "-n", "0", "--output", "json").lines) == 60


def test_topics_without_time_come_first(cli: Cli, bikes: Path) -> None:
    """Records with the time 0 arrive before those that have a time, each in order of declaration."""
    (bikes / "seeds/stations.csv").write_text("name\npark\nharbour\n")
    (bikes / "models/z.yml").write_text(
        "topics:\n"
        "  - {name: zz, value: 'name STRING', seed: {path: seeds/stations.csv}}\n"
        "  - {name: aa, value: 'name STRING', seed: {path: seeds/stations.csv}}\n"
    )
    loaded = cli("seed", "--output", "json").data["topics"]
    assert [topic["topic"] for topic in loaded] == ["zz", "aa", "rides"]


def test_a_refresh_takes_what_was_computed(cli: Cli, bikes: Path) -> None:
    """Checkpoints and results of the models that a topic reaches go with its records."""
    assert cli("seed").code == 0
    checkpoint = bikes / ".lsqlc/checkpoints/bikes_at_station"
    checkpoint.mkdir(parents=True)
    assert cli("seed", "--full-refresh").code == 0
    assert not checkpoint.exists()


def test_nothing_is_removed_under_a_run(cli: Cli, bikes: Path) -> None:
    """While a run holds the project, a refresh and a clean of topics are refused, and change nothing."""
    assert cli("seed").code == 0
    with run_lock(bikes / ".lsqlc"):
        before = everything(bikes / ".lsqlc/topics")
        for words in (("seed", "--full-refresh"), ("clean", "--topics")):
            ran = cli(*words)
            assert ran.code == 2 and "error[LSQ664]" in ran.err and str(os.getpid()) in ran.err
        assert everything(bikes / ".lsqlc/topics") == before


def test_show_of_a_table(cli: Cli, bikes: Path) -> None:
    """A TABLE's rows are the last of each key without deleted ones, by key; `--changes` shows every update."""
    log = FileLog(bikes / ".lsqlc/topics")
    rows = [("park", 1), ("harbour", 2), ("market", 1), ("park", 3), ("market", None)]
    records = (
        StoredRecord(TABLE.name, k, None if n is None else {"station": k, "bikes": n}, 5, (i,))
        for i, (k, n) in enumerate(rows)
    )
    log.append_batch(TABLE, records, generation="g_000001", batch=0)
    shown = cli("show", "bikes_at_station", "--output", "json").lines
    assert [(row["key"], row["value"]["bikes"]) for row in shown] == [("harbour", 2), ("park", 3)]
    assert "timestamp" not in shown[0]
    assert len(cli("show", "bikes_at_station", "--changes", "--output", "json").lines) == 5
    assert [line.split()[0] for line in cli("show", "bikes_at_station").out.splitlines()[2:]] == ["harbour", "park"]


def test_show_of_the_newest_records(cli: Cli, bikes: Path) -> None:
    """Of any topic, each with its time: a snapshot, also as CSV. They are no changes, and do not go on."""
    topic = Topic("rides", Facet(STRING, "string"), Facet(parse_columns("bike STRING, minutes INT"), "json"))
    written = [("b2", 1, 3), ("b1", 2, 4), ("b2", 5, 6), ("b3", 1, 7), ("b3", None, 8)]
    records = [Record("rides", k, None if n is None else {"bike": k, "minutes": n}, t) for k, n, t in written]
    FileLog(bikes / ".lsqlc/topics").append(topic, records)
    lines = cli("show", "rides", "--rows", "--output", "json").lines
    assert [(line["key"], line["value"]["minutes"], line["timestamp"]) for line in lines] == [
        ("b1", 2, 4),
        ("b2", 5, 6),
    ]
    header, first, *_ = cli("show", "rides", "--rows", "--output", "csv").out.splitlines()
    assert header.startswith("_timestamp,_key,bike,") and first.startswith("1970-01-01T00:00:00.004Z,b1,b1,")
    assert (
        "timestamp" in cli("show", "rides", "--rows").out
        and "and 1 more" in cli("show", "rides", "--rows", "-n", "1").out
    )
    for other in ("--changes", "--follow"):
        refused = cli("show", "rides", "--rows", other)
        assert refused.code == 2 and "without changes" in refused.err


def test_show_of_headers(cli: Cli, bikes: Path) -> None:
    """As lines of golden files have them, which a case takes again; a recording has them too."""
    rides = Topic("rides", Facet(STRING, "string"), Facet(parse_columns("bike STRING, minutes INT"), "json"))
    log = FileLog(bikes / ".lsqlc/topics")
    log.append(rides, [Record("rides", "b1", {"bike": "b1", "minutes": 5}, 7, (("trace", b"\xff"), ("n", None)))])
    log.append(rides, [Record("rides", "b2", {"bike": "b2", "minutes": 6}, 8)])
    first, second = cli("show", "rides", "--output", "json").lines
    assert first["headers"] == [{"key": "trace", "value": "/w=="}, {"key": "n", "value": None}]
    assert "headers" not in second and "_headers" in cli("show", "rides").out
    assert cli("test", "--record", "rides").code == 0
    recorded = (bikes / "tests/recorded/rides.jsonl").read_text("utf-8").splitlines()
    assert recorded[0].endswith('"headers":[{"key":"trace","value":"/w=="},{"key":"n","value":null}]}')
    assert "headers" not in recorded[1]


def test_show_of_what_stages_pass_on(cli: Cli, bikes: Path) -> None:
    """A topic between two stages of a model is shown like any other: here the groups of an inner aggregate, by key."""
    (bikes / "models/busy.sql").write_text(
        "WITH counts AS (SELECT STREAM COUNT(*) AS n FROM rides GROUP BY station);\n"
        "SELECT TABLE COUNT(*) AS stations FROM counts GROUP BY n\n"
    )
    topic = Topic("_lsqlc.busy.1", Facet(STRING, "string"), Facet(parse_columns("n BIGINT"), "json"))
    records = [
        StoredRecord(topic.name, key, {"n": n}, 5, (i,)) for i, (key, n) in enumerate([("b", 1), ("a", 1), ("b", 2)])
    ]
    FileLog(bikes / ".lsqlc/topics").append_batch(topic, records, generation="g_000001", batch=0)
    ran = cli("show", topic.name, "--output", "json")
    assert [(row["key"], row["value"]) for row in ran.lines] == [("a", {"n": 1}), ("b", {"n": 2})]
    assert "LSQ063" in cli("show", "_lsqlc.busy.2").err


def test_show_of_an_empty_topic(cli: Cli, bikes: Path) -> None:
    """No records is no error."""
    ran = cli("show", "arrivals")
    assert (ran.code, ran.out) == (0, "") and "no records" in ran.err


def test_show_of_a_broken_model(cli: Cli, bikes: Path) -> None:
    """The name of a model with errors shows these; other topics can be looked at."""
    (bikes / "models/arrivals.sql").write_text("SELECT STREAM bikes FROM rides")
    ran = cli("show", "arrivals")
    assert ran.code == 1 and "LSQ201" in ran.err
    assert cli("show", "rides").code == 0


@pytest.mark.parametrize(("name", "near"), [("Rides", "rides"), ("bikes_at_stations", "bikes_at_station")])
def test_show_of_an_unknown_name(cli: Cli, bikes: Path, name: str, near: str) -> None:
    """The nearest name is offered."""
    assert f"did you mean '{near}'?" in cli("show", name).err


def test_files_of_topics_are_checked(cli: Cli, bikes: Path) -> None:
    """`topics check` reports each fault of each topic with its file, and `show` and `run` read no damaged file."""
    assert "there are no topics yet" in cli("topics", "check").err
    assert cli("seed").code == 0
    assert cli("topics", "check").out == "rides: 4 files: 0 faults\n"
    first, second, third, _ = FileLog(bikes / ".lsqlc/topics").segments("rides")
    second.unlink()
    third.write_text(third.read_text().replace('"minutes":1', '"minutes":2', 1))
    sum_path(first).unlink()
    ran = cli("topics", "check", "rides", "--output", "json")
    assert ran.code == 1
    assert ran.data["topics"] == [{"topic": "rides", "files": 3, "checked": 2, "faults": 2}]
    found = [(d["code"], d["span"]["path"]) for d in ran.data["diagnostics"]]
    assert found == [("LSQ764", f".lsqlc/topics/rides/data/{s.name}") for s in (second, third)]
    text = cli("topics", "check")
    assert text.code == 1 and text.out == "rides: 3 files, 1 without a sum: 2 faults\n"
    assert "a segment of 'rides' is missing: expected 15 records" in text.err
    for words in (("show", "rides"), ("run",)):
        refused = cli(*words)
        assert refused.code == 1 and refused.err.count("error[LSQ764]") == 2, refused.err
    unknown = cli("topics", "check", "ride")
    assert unknown.code == 2 and "error[LSQ063]: unknown topic 'ride'" in unknown.err and "'rides'" in unknown.err
    (bikes / "profiles.yml").write_text("targets: {k: {type: embedded, kafka: {bootstrap: 'localhost:1'}}}\n")
    assert "error[LSQ765]" in cli("topics", "check", "--target", "k").err
    (bikes / "profiles.yml").unlink()
    assert cli("seed", "--full-refresh").code == 0
    assert cli("topics", "check", "rides").out == "rides: 4 files: 0 faults\n"
