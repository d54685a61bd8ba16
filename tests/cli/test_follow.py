"""`show --where`, `--output csv` and `--follow`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lsqlc.bind.lenses.record_condition import bound_condition
from lsqlc.cli.follow import _LiveRows
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.connectors.transport import NewRecords
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.dialects import dialect as language
from lsqlc.formats.windows import window_key
from lsqlc.report.csv_rows import csv_header, csv_lines
from lsqlc.report.tables import RecordTable, records_text
from lsqlc.report.unreadable_rows import followed_lines
from lsqlc.tasks.follow import Feed, follow_records, follow_rows
from lsqlc.tasks.show_where import PATH, Matches, matcher
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, StoredRecord, Topic

from .conftest import Cli

TABLE = Topic("stock", Facet(data.STRING, "string"), Facet(parse_columns("n INT"), "json"))


def stored(ordinal: int, key: str | None, n: int | None) -> StoredRecord:
    return StoredRecord("stock", key, None if n is None else {"n": n}, 1000 * ordinal, (ordinal,))


@dataclass
class _Screen:
    shown: list[Any] = field(default_factory=list)

    def show(self, records: Any) -> None:
        self.shown.append([(r.key, r.value and r.value["n"]) for r in records])

    def begin_anew(self) -> None:
        self.shown.append("anew")


class _Tail:
    """Looks at a topic, of which there are so many."""

    def __init__(self, *looks: list[StoredRecord] | None) -> None:
        self.looks: Iterator[list[StoredRecord] | None] = iter(looks)
        self.left = len(looks)
        self.anew = False

    def __call__(self) -> NewRecords:
        self.left -= 1
        found = next(self.looks)
        if found is None:
            return NewRecords(iter([stored(0, "z", 9)]), anew=True)
        return NewRecords(iter(found))

    def wait(self) -> bool:
        return self.left == 0


def rows_of(*looks: list[StoredRecord] | None, where: str | None = None) -> list[Any]:
    screen, tail = _Screen(), _Tail(*looks)
    matches: Matches | None = matcher(TABLE, bound_condition(where, TABLE, PATH)) if where else None
    follow_rows(TABLE, Feed(tail, matches), screen, tail.wait)
    return screen.shown


def test_rows_of_a_table_as_they_change() -> None:
    """New, changed and removed rows, by key; several changes between two looks are one, and the same value is none."""
    first = [stored(1, "b", 1), stored(2, "a", 1), stored(3, None, 5), stored(4, "c", 1), stored(5, "c", None)]
    second = [stored(6, "a", 2), stored(7, "b", None), stored(8, "a", 3), stored(9, "d", None)]
    assert rows_of(first, second, [stored(10, "a", 3)], [stored(11, "a", 4)]) == [
        [("a", 1), ("b", 1)],
        [("a", 3), ("b", None)],
        [("a", 4)],
    ]


def test_a_late_record_changes_no_row() -> None:
    """The ordinal says which record of a key is the newest, not when it was seen."""
    assert rows_of([stored(5, "a", 5)], [stored(4, "a", 4)]) == [[("a", 5)]]


def test_a_row_that_no_longer_matches_goes() -> None:
    looks = [stored(1, "a", 5), stored(2, "b", 1)], [stored(3, "a", 1), stored(4, "b", 6)], [stored(5, "a", 2)]
    assert rows_of(*looks, where="n > 4") == [[("a", 5)], [("a", None), ("b", 6)]]


def test_a_topic_that_was_removed_begins_anew() -> None:
    assert rows_of([stored(7, "z", 1)], None) == [[("z", 1)], "anew", [("z", 9)]]


def test_records_of_a_stream_as_they_come() -> None:
    """The last ones first, then all that come."""
    screen, tail = _Screen(), _Tail([stored(n, "a", n) for n in range(9)], [], [stored(9, "a", 9)])
    matches = matcher(TABLE, bound_condition("n <> 7", TABLE, PATH))
    follow_records(Feed(tail, matches), screen, 2, tail.wait)
    assert screen.shown == [[("a", 6), ("a", 8)], [("a", 9)]]


def test_the_screen_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows by key; those that changed are marked, and those that changed last are shown where there is little room."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "8")
    screen = _LiveRows(TABLE, 20)
    screen.show([stored(1, "a", 1), stored(2, "b", 1), stored(3, "c", 1), stored(4, "d", 1)])
    assert screen.text().plain.split("\n")[2:] == [
        "b     1", "c     1", "d     1", "and 1 more", "following 'stock'; Ctrl-C ends",
    ]  # fmt: skip
    screen.show([stored(5, "a", 2), stored(6, "c", None)])
    text = screen.text()
    assert text.plain.split("\n")[2:5] == ["a     2", "b     1", "d     1"]
    assert [text.plain[s.start : s.end] for s in text.spans if s.style == "green"] == ["a     2\n"]


def test_lines_that_come_bit_by_bit() -> None:
    """One table: the headings once, columns that grow, nothing said of what fits."""
    table = RecordTable(TABLE, width=60, times=False)
    assert list(table.lines([])) == []
    assert list(table.lines([stored(1, "longer", 1)])) == ["_key    n", "──────  ─", "longer  1"]
    assert list(table.lines([stored(1, "a", 22), stored(1, "b", None)])) == [
        "a                22", "b       (tombstone)",
    ]  # fmt: skip
    assert list(table.lines([stored(1, "a", 3)])) == ["a                 3"]


WINDOWED = Topic("w", Facet(window_key(data.STRING), "tw[string]"), Facet(parse_columns("n INT, s STRING"), "json"))


def test_windows_of_keys_are_times() -> None:
    """In text and as CSV; JSON has the numbers."""
    record = Record("w", {"key": "a", "start": 1714543560000, "end": 1714543620500}, {"n": 1, "s": None})
    assert records_text(WINDOWED, [record], width=100, times=False).split("\n")[2].split() == [
        "a", "2024-05-01T06:06:00Z", "2024-05-01T06:07:00.5Z", "1", "null",
    ]  # fmt: skip
    assert csv_header(WINDOWED, times=False) == "_key.key,_key.start,_key.end,n,s"
    [line] = csv_lines(WINDOWED, [record], times=False)
    assert line == "a,2024-05-01T06:06:00Z,2024-05-01T06:07:00.5Z,1,"


def test_cells_of_csv() -> None:
    """Null is empty, an empty text is not; what CSV separates by is quoted."""
    topic = Topic("t", Facet(data.INT, "int"), Facet(parse_columns("s STRING, l ARRAY<INT>, d DATE"), "json"))
    given = [{"s": 'a,"b"\nc', "l": [1, 2], "d": None}, {"s": "", "l": None, "d": None}, None, {"s": " a", "l": []}]
    assert list(csv_lines(topic, [Record("t", 7, value) for value in given], times=False)) == [
        '7,"a,""b""\nc","[1,2]",', '7,"",,', "7,,,", '7," a",[],',
    ]  # fmt: skip


def test_csv_of_a_topic_is_read_by_a_seed(cli: Cli, bikes: Path) -> None:
    """What `--output csv` prints is a file of records for a case or a seed."""
    assert cli("seed").code == 0
    shown = cli("show", "rides", "-n", "0", "--output", "csv").out
    assert shown.startswith(
        "_timestamp,_key,bike,station,minutes,cancelled\n2024-05-01T06:06:00Z,b3,b3,market,44,true\n"
    )
    (bikes / "seeds/again.csv").write_text(shown)
    (bikes / "models/z.yml").write_text(
        "topics: [{name: again, key: STRING, value: 'bike STRING, station STRING, minutes INT, cancelled BOOLEAN',"
        " seed: {path: seeds/again.csv, key: _key, timestamp: _timestamp}}]\n"
    )
    assert cli("seed", "again").code == 0
    assert cli("show", "again", "-n", "0", "--output", "csv").out == shown


def test_a_condition(cli: Cli, bikes: Path) -> None:
    """Only the records for which it holds are shown and counted."""
    assert cli("seed").code == 0
    rides = cli("show", "rides", "-n", "0", "--output", "json").lines
    wanted = [r for r in rides if r["value"]["minutes"] > 40 and r["key"] != "b3"]
    assert 0 < len(wanted) < len(rides)
    where = ("--where", "minutes > 40 AND _key <> 'b3'")
    assert cli("show", "rides", *where, "-n", "0", "--output", "json").lines == wanted
    assert cli("show", "rides", *where, "-n", "1").out.endswith(f"and {len(wanted) - 1} more\n")


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("minuts > 4", "did you mean 'minutes'?"),
        ("minutes", "LSQ210"),
        ("minutes >", "LSQ102"),
        ("minutes = 'a'", "error["),
    ],
)
def test_a_wrong_condition(cli: Cli, bikes: Path, condition: str, said: str) -> None:
    ran = cli("show", "rides", "--where", condition)
    assert ran.code == 1 and said in ran.err and "<--where>" in ran.err


KSQL = """CREATE STREAM rides (bike STRING KEY, station STRING, minutes INT)
  WITH (KAFKA_TOPIC='trips', VALUE_FORMAT='JSON');
CREATE STREAM long AS SELECT bike, UCASE(station) AS place, minutes FROM rides;
"""


@pytest.mark.parametrize(
    ("dialect", "topic", "condition", "keys"),
    [
        ("lenses", "trips", "MINUTES > 40 AND Station = 'park'", ["b"]),
        ("lenses", "trips", "_key = 'a' OR minutes < 10", ["a", "c"]),
        ("sql", "trips", "Minutes BETWEEN 40 AND 60 AND upper(station) = 'PARK'", ["b"]),
        ("sql", "trips", "_timestamp < TIMESTAMP '1970-01-01 00:00:02'", ["a"]),
        ("sql", "trips", "minutes IN (5, 50) AND _key <> 'b'", ["c"]),
        ("ksql", "trips", "minutes > 40 AND LCASE(Station) = 'park'", ["b"]),
        ("ksql", "trips", "BIKE = 'a' OR INSTR(station, 'o') = 1", ["a", "c"]),
        ("ksql", "trips", "ROWTIME >= 2000", ["b", "c"]),
    ],
)
def test_a_condition_is_in_the_dialect_of_the_model(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str, topic: str, condition: str, keys: list[str]
) -> None:
    """With its functions, its columns for the key and the time, and names in any case."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", ".", "--empty", "--dialect", dialect).code == 0
    text = "topics: [{name: trips, key: STRING, value: 'station STRING, minutes INT'}]\n"
    if dialect == "ksql":
        text = text.replace("station", "STATION").replace("minutes", "MINUTES")
        (tmp_path / "models/long.sql").write_text(KSQL)
    (tmp_path / "models/topics.yml").write_text(text)
    rows = [("a", "park", 15, 1000), ("b", "park", 50, 2000), ("c", "oak", 5, 3000)]
    station, minutes = ("STATION", "MINUTES") if dialect == "ksql" else ("station", "minutes")
    lines = [{"key": k, "value": {station: s, minutes: m}, "timestamp": t} for k, s, m, t in rows]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli("produce", topic, "--file", "in.jsonl").code == 0
    ran = cli("show", topic, "--where", condition, "--output", "json")
    assert ran.code == 0, ran.err
    assert [line["key"] for line in ran.lines] == keys


@pytest.mark.parametrize("dialect", ["lenses", "sql", "ksql"])
def test_a_condition_cannot_be_more_in_any_dialect(dialect: str) -> None:
    """Neither a clause behind it nor a statement."""
    topic = Topic("t", Facet(data.INT, "int"), Facet(parse_columns("n INT"), "json"))
    for more in ("GROUP BY n", "; SELECT 1 AS x FROM t", "EMIT FINAL", "UNION ALL SELECT 1 AS x FROM t"):
        text = f"n > 1 {more}"
        found = language(dialect).condition(text, topic, PATH, ())
        assert found.expression is None and found.diagnostics and all(d.is_error for d in found.diagnostics), text


def test_further_clauses_are_refused(cli: Cli, bikes: Path) -> None:
    ran = cli("show", "rides", "--where", "true EVENTTIME BY minutes")
    assert ran.code == 1 and "error[LSQ683]" in ran.err


def test_what_cannot_be_followed(cli: Cli, bikes: Path) -> None:
    (bikes / "in").mkdir()
    (bikes / "in/a.csv").write_text("name\npark\n")
    (bikes / "models/z.yml").write_text(
        "topics: [{name: places, connector: files, value: 'name STRING', files: {path: in, format: csv}}]\n"
    )
    assert "LSQ684" in cli("show", "places", "--follow").err
    (bikes / "models/two.sql").write_text(
        "INSERT INTO a SELECT STREAM * FROM rides; INSERT INTO b SELECT STREAM * FROM rides\n"
    )
    ran = cli("show", "two", "--follow")
    assert ran.code == 1 and "`lsqlc show a --follow`" in ran.err
    assert cli("show", "rides", "--schema", "ddl", "--follow").code == 2


@pytest.mark.parametrize("output", ["text", "json", "csv"])
def test_a_stream_is_followed_until_ctrl_c(cli: Cli, bikes: Path, output: str) -> None:
    """New records are lines, at once; Ctrl-C is a good end."""
    (bikes / "r.jsonl").write_text(json.dumps({"key": "old", "value": None, "timestamp": 1}) + "\n")
    (bikes / "s.jsonl").write_text(json.dumps({"key": "new", "value": None, "timestamp": 2}) + "\n")
    assert cli("produce", "rides", "--file", "r.jsonl").code == 0
    words = [sys.executable, "-m", "lsqlc", "show", "rides", "--follow", "--output", output]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, env={**os.environ}, text=True) as process:
        assert process.stdout and process.stderr
        before = {"text": 3, "json": 1, "csv": 2}[output]
        lines = [process.stdout.readline() for _ in range(before)]
        assert cli("produce", "rides", "--file", "s.jsonl").code == 0
        lines.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert (process.wait(60), process.stdout.read(), process.stderr.read()) == (0, "", "")
    assert "old" in lines[-2] and "new" in lines[-1]


def test_what_cannot_be_read_is_followed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In its place among records, behind the changes of rows; on the screen of a TABLE it is counted."""
    log = FileLog(tmp_path / "topics")
    log.append(TABLE, [Record("stock", "a", {"n": 1}), Record("stock", "b", {"n": 2}), Record("stock", "c", {"n": 3})])
    (segment,) = log.segments("stock")
    segment.write_text(segment.read_text().replace('{"n":2}', '{"n":"\\u0007"}'))
    sum_path(segment).unlink()
    found: list[list[object]] = []

    class Screen:
        def show(self, records: Sequence[StoredRecord | Unreadable]) -> None:
            found.append([r.place["line"] if isinstance(r, Unreadable) else r.key for r in records])

        def begin_anew(self) -> None:
            raise AssertionError

    for limit in (0, 2, 1):
        bad: list[Unreadable] = []
        follow_records(Feed(log.tail(TABLE, bad=bad.append), None, bad), Screen(), limit, lambda: True)
    bad = []
    follow_rows(TABLE, Feed(log.tail(TABLE, bad=bad.append), None, bad), Screen(), lambda: True)
    assert found == [["a", 2, "c"], ["a", 2, "c"], ["c"], ["a", "c", 2]] and not bad
    told: list[Unreadable] = []
    records = list(log.read(TABLE, bad=told.append))
    lines = list(followed_lines(RecordTable(TABLE, width=60, times=False), [records[0], *told, records[1]], 60))
    assert lines[2] == "a     1" and lines[5] == "c     3"
    assert lines[3].startswith("! cannot be read: file") and lines[4].startswith('  {"ordinal":1,')
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "9")
    screen = _LiveRows(TABLE, 20)
    screen.show([*records, *told])
    assert screen.text().plain.split("\n")[-2] == "1 record cannot be read: add `--changes`"


def test_a_log_gives_what_is_new(tmp_path: Path) -> None:
    """Each record once; after the topic was removed those of its successor."""
    log = FileLog(tmp_path / "topics")
    tail = log.tail(TABLE)

    def look() -> tuple[list[Any], bool]:
        news = tail()
        return [r.value["n"] for r in news.records], news.anew

    assert look() == ([], False)
    log.append(TABLE, [Record("stock", "a", {"n": 1}), Record("stock", "b", {"n": 2})])
    log.append_batch(TABLE, [stored(7, "a", 3)], generation="g", batch=0)
    assert look() == ([1, 2, 3], False)
    assert look() == ([], False)
    log.append(TABLE, [Record("stock", "a", {"n": 4})])
    assert look() == ([4], False)
    log.delete("stock")
    log.append(TABLE, [Record("stock", "a", {"n": 5})])
    assert look() == ([5], True)
