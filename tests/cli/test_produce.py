"""`produce`: records written to a topic from stdin or a file."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.transport import TopicWriter
from lsqlc.tasks.produce import Clock, EndOfLinesError, Input, Listener, Pace, Produced, produce, raw_reader
from lsqlc.types import data
from lsqlc.types.data import DataType
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import ABSENT, Facet, Record, Topic

from .conftest import Cli

RIDE = {"bike": "b3", "station": "market", "minutes": 44, "cancelled": True}


def line(**members: Any) -> str:
    return json.dumps({"key": "b3", "value": RIDE, **members}) + "\n"


def produced(cli: Cli) -> list[Any]:
    return cli("show", "rides", "-n", "0", "--output", "json").lines


def test_records_of_a_file(cli: Cli, bikes: Path) -> None:
    """In their order, with tombstones, headers and times as written; a record without a time gets that of now."""
    headers = [{"key": "trace", "text": "abc"}]
    (bikes / "r.jsonl").write_text(
        line(timestamp="2024-05-01 06:20", headers=headers) + "\n" + line(value=None, timestamp=7) + line()
    )
    before = int(time.time() * 1000)
    ran = cli("produce", "rides", "--file", "r.jsonl", "--output", "json")
    assert ran.code == 0 and "rides: 3 records written" in ran.err
    assert ran.data == {
        "version": 1, "command": "produce", "ok": True, "topic": "rides", "written": 3, "refused": 0, "lines": 4,
        "diagnostics": [],
    }  # fmt: skip
    first, tombstone, last = produced(cli)
    assert first == {
        "topic": "rides", "key": "b3", "value": RIDE, "timestamp": 1714544400000,
        "headers": [{"key": "trace", "value": "YWJj"}],
    }  # fmt: skip
    assert (tombstone["value"], tombstone["timestamp"]) == (None, 7)
    assert last["timestamp"] >= before


def test_what_show_prints_can_be_produced(cli: Cli, bikes: Path) -> None:
    """The records come back as they were; with `--now` they are of today."""
    assert cli("seed", "rides").code == 0
    shown = cli("show", "rides", "-n", "5", "--output", "json")
    packed = bikes / "r.jsonl.gz"
    packed.write_bytes(gzip.compress(shown.out.encode()))
    assert cli("produce", "rides", "--file", "r.jsonl.gz").code == 0
    assert produced(cli)[60:] == shown.lines
    assert cli("produce", "rides", "--file", "r.jsonl.gz", "--now").code == 0
    again = produced(cli)[65:]
    assert [r["value"] for r in again] == [r["value"] for r in shown.lines]
    assert all(r["timestamp"] > 1_700_000_000_000 + 60_000_000_000 for r in again)


def test_a_bad_record_is_refused_with_its_number(cli: Cli, bikes: Path) -> None:
    """Those before and after it are written, and how many is said."""
    bad = [
        line(value={"bike": "b1", "nope": 1}), "kaputt\n", line(timestamp="today"), line(timestamp=-1), "[]\n",
        line(topic="other"), line(rew="{}"), line(raw="{}"), json.dumps({"key": "b1", "raw": "{"}) + "\n",
    ]  # fmt: skip
    (bikes / "r.jsonl").write_text(line(timestamp=1) + "".join(bad) + line(timestamp=2))
    ran = cli("produce", "rides", "--file", "r.jsonl", "--output", "json")
    assert ran.code == 1 and "rides: 2 records written, 9 lines refused" in ran.err
    found = [(d["code"], d["span"]["line"]) for d in ran.data["diagnostics"]]
    assert found == [
        ("LSQ681", 2), ("LSQ680", 3), ("LSQ680", 4), ("LSQ681", 5), ("LSQ680", 6), ("LSQ680", 7), ("LSQ680", 8),
        ("LSQ680", 9), ("LSQ680", 10),
    ]  # fmt: skip
    assert [r["timestamp"] for r in produced(cli)] == [1, 2]
    assert "3 | kaputt\n" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps(RIDE) + "\n" + json.dumps(RIDE), "the first line is not a record of 'rides'"),
        (json.dumps([{"key": "b3", "value": RIDE}] * 9), "a JSON document, not a record on each line"),
        (json.dumps({"key": "b3", "value": RIDE}, indent=1), "a JSON document, not a record on each line"),
    ],
)
def test_another_form_is_one_error(cli: Cli, bikes: Path, text: str, said: str) -> None:
    """Not one for each line; nothing is written."""
    (bikes / "r.jsonl").write_text(text)
    ran = cli("produce", "rides", "--file", "r.jsonl")
    assert ran.code == 1 and ran.err.count("error[") == 1
    assert said in ran.err and "nothing was written" in ran.err
    assert produced(cli) == []


def test_a_topic_of_ksqldb_takes_names_in_any_case(cli: Cli, bikes: Path) -> None:
    """As ksqlDB reads them: in records and in values, at any level. A quoted name is exact."""
    (bikes / "models" / "k.sql").write_text(
        "CREATE STREAM k (ID INT, PLACE STRUCT<CITY STRING>, `At` INT) WITH (KAFKA_TOPIC = 'k', VALUE_FORMAT = 'JSON');"
        " CREATE STREAM o AS SELECT * FROM k;"
    )
    (bikes / "models" / "k.yml").write_text("models: [{name: k, config: {dialect: ksql}}]\n")
    value = '{"id":1,"Place":{"city":"Oslo"},"At":2}'
    (bikes / "values.jsonl").write_text(value)
    (bikes / "records.jsonl").write_text(f'{{"value":{value}}}')
    assert cli("produce", "k", "--raw", "--file", "values.jsonl").code == 0
    assert cli("produce", "k", "--file", "records.jsonl").code == 0
    shown = cli("show", "k", "--output", "json").lines
    assert [line["value"] for line in shown] == [{"ID": 1, "PLACE": {"CITY": "Oslo"}, "At": 2}] * 2
    (bikes / "values.jsonl").write_text('{"id":1,"AT":2}')
    refused = cli("produce", "k", "--raw", "--file", "values.jsonl")
    assert refused.code == 1 and "value.AT: the field is not declared" in refused.err


def test_lines_that_are_values(cli: Cli, bikes: Path) -> None:
    """With `--raw`; they have no key."""
    (bikes / "r.jsonl").write_text(json.dumps(RIDE) + "\n\n" + '{"nope": 1}\n' + "{\n")
    ran = cli("produce", "rides", "--raw", "--file", "r.jsonl", "--output", "json")
    assert ran.code == 1
    assert [(d["code"], d["span"]["line"]) for d in ran.data["diagnostics"]] == [("LSQ681", 3), ("LSQ680", 4)]
    assert [(r["key"], r["value"]) for r in produced(cli)] == [(None, RIDE)]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("rids",), 2, "did you mean 'rides'?"),
        (("bikes_at_station",), 1, "which the model 'bikes_at_station' writes"),
        (("rides", "--file", "nope.jsonl"), 1, "LSQ410"),
        (("rides", "--rate", "fast"), 2, "'fast' is not a rate"),
        (("rides", "--rate", "0/s"), 2, "'0/s' is not a rate"),
    ],
)
def test_wrong_words(cli: Cli, bikes: Path, words: tuple[str, ...], code: int, said: str) -> None:
    ran = cli("produce", *words)
    assert ran.code == code and said in ran.err


def test_a_folder_of_files_takes_no_records(cli: Cli, bikes: Path) -> None:
    (bikes / "in").mkdir()
    (bikes / "in/a.csv").write_text("name\npark\n")
    (bikes / "models/z.yml").write_text(
        "topics: [{name: places, connector: files, value: 'name STRING', files: {path: in, format: csv}}]\n"
    )
    ran = cli("produce", "places")
    assert ran.code == 1 and "LSQ682" in ran.err and "put a file into 'in'" in ran.err


def test_a_damaged_archive_loses_nothing_that_was_read(cli: Cli, bikes: Path) -> None:
    """The records before the damage are written, and the error is reported."""
    packed = gzip.compress(b"".join(line(timestamp=n).encode() for n in range(20_000)))
    (bikes / "r.jsonl.gz").write_bytes(packed[:-2000])
    ran = cli("produce", "rides", "--file", "r.jsonl.gz")
    assert ran.code == 1 and "LSQ410" in ran.err
    count = len(produced(cli))
    assert count and f"rides: {count:,} records written" in ran.err


def test_a_pipe_that_stays_open_is_written_at_once(cli: Cli, bikes: Path) -> None:
    """Records appear while their writer is alive; Ctrl-C ends the command, which says how many were written."""
    words = [sys.executable, "-m", "lsqlc", "produce", "rides"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}) as process:
        assert process.stdin and process.stderr
        process.stdin.write(line(timestamp=1).encode())
        process.stdin.flush()
        for _ in range(600):
            if produced(cli):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
        assert process.wait(60) == 130
    assert said == "rides: 1 record written, up to line 1\ninterrupted\n"


class _Given:
    """Lines that are all there, and a clock that only pauses move."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines: Iterator[bytes] = iter(lines)
        self.time = 0.0

    def take(self, seconds: float) -> bytes | None:
        found = next(self.lines, None)
        if found is None:
            raise EndOfLinesError
        return found

    def sleep(self, seconds: float) -> None:
        self.time += seconds


@pytest.mark.parametrize(("rate", "seconds"), [(1.0, 39.0), (10.0, 3.9), (100.0, 0.39), (None, 0.0)])
def test_a_rate_is_kept(rate: float | None, seconds: float) -> None:
    """Over all records, whatever the appends."""
    topic = Topic("t", ABSENT, Facet(data.STRING, "string"))
    given = _Given([b"x\n"] * 40)
    times: list[float] = []
    done = produce(
        TopicWriter(lambda record: None, lambda records: times.append(given.time)),
        topic,
        Input("<stdin>", given, raw_reader(topic, "<stdin>", lambda: given.time), has_records=False),
        Pace(rate, lambda: False, Clock(lambda: given.time, lambda: given.time, given.sleep)),
        Listener(lambda error, line: None, lambda done: None),
    )
    assert done == Produced(40, 0, 40, True)
    assert given.time == pytest.approx(seconds, abs=0.1)


@pytest.mark.parametrize(
    ("type", "format", "text", "value"),
    [
        (data.STRING, "string", " a b ", " a b "),
        (data.BIGINT, "long", "42", 42),
        (data.BYTES, "bytes", "AP8=", b"\x00\xff"),
        (parse_columns("id INT, name STRING"), "delimited", '7,"a,b"', {"id": 7, "name": "a,b"}),
        (parse_columns("id INT, name STRING"), "delimited[|]", "7|a,b", {"id": 7, "name": "a,b"}),
        (parse_columns("id INT, name STRING"), "avro", '{"id": 7}', {"id": 7, "name": None}),
    ],
)
def test_values_as_text(type: DataType, format: str, text: str, value: object) -> None:
    """Primitives as their text, DELIMITED as a row, anything else as JSON."""
    topic = Topic("t", ABSENT, Facet(type, format))
    assert raw_reader(topic, "<stdin>", lambda: 1.5)(text, 1) == Record("t", None, value, 1500)


def test_the_text_of_bytes(cli: Cli, bikes: Path) -> None:
    """`raw` and `raw_key` are read as Kafka's bytes are, for envelopes that come with a key."""
    (bikes / "r.jsonl").write_text(json.dumps({"raw_key": '"b7"', "raw": json.dumps(RIDE), "timestamp": 5}) + "\n")
    assert cli("produce", "rides", "--file", "r.jsonl").code == 0
    assert [(r["key"], r["value"]) for r in produced(cli)] == [("b7", RIDE)]
