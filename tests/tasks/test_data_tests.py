"""Data tests: how they are declared, what they find in topics, and the command that runs them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan.kafka_order import lane
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.tasks import data_tests
from lsqlc.tasks.bound_tests import bound_tests
from lsqlc.tasks.data_test_failures import failures_topic
from lsqlc.tasks.data_tests import DataTestResult, run_tests
from lsqlc.types.record import StoredRecord, Topic
from tests.cli.conftest import Cli as Cli
from tests.cli.conftest import bikes, cli

__all__ = ("bikes", "cli")

SCHEMA = "  - name: rides\n    key: STRING\n    value: 'station STRING, minutes INT, day BIGINT, open BOOLEAN'\n"
OTHER = "  - name: stations\n    key: STRING\n    value: 'id STRING, size INT'\n"
MODEL = "SELECT TABLE station, COUNT(*) AS n FROM rides GROUP BY station;"
KINDS = {"totals": "TABLE"}


def project(folder: Path, tests: str = "", models: str = "") -> Compilation:
    """A project of two topics, with tests of `rides`, and a model `totals`."""
    (folder / "models").mkdir(parents=True)
    (folder / "lsqlc.yml").write_text("name: shop\n")
    text = f"topics:\n{OTHER}{SCHEMA}{tests}\nmodels:\n  - name: totals\n{models}"
    (folder / "models" / "topics.yml").write_text(text)
    (folder / "models" / "totals.sql").write_text(MODEL)
    return compiled(folder)


def compiled(folder: Path) -> Compilation:
    loaded = load_project(folder).project
    assert loaded is not None
    return compile_project(loaded)


def ride(n: int, key: str | None, station: str | None, minutes: int | None, *, time: int = 0) -> StoredRecord:
    value = {"station": station, "minutes": minutes, "day": n, "open": True}
    return StoredRecord("rides", key, value, time or n, (n,))


RIDES = (
    ride(0, "a", "museum", 5),
    ride(1, "b", "harbour", -1),
    ride(2, "a", None, 7),
    StoredRecord("rides", "c", None, 3, (3,)),
    ride(4, "d", "museum", None),
    ride(5, None, "museum", 5),
)


def results(
    compilation: Compilation, topics: dict[str, tuple[StoredRecord, ...]], **named: Any
) -> list[DataTestResult]:
    def read(topic: Topic) -> Iterator[StoredRecord]:
        return iter(topics.get(topic.name, ()))

    return list(run_tests(bound_tests(compilation, KINDS), read, **{"now": 60_000, **named}))


@pytest.mark.parametrize(
    ("test", "failing"),
    [
        ("not_null: station", [2, 3]),
        ("not_null: [_key, minutes]", [3, 4, 5]),
        ("accepted_values: {column: station, values: [museum]}", [1]),
        ("accepted_values: {column: minutes, values: [5, 7]}", [1]),
        ("accepted_values: {column: open, values: [false]}", [0, 1, 2, 4, 5]),
        ("relationships: {column: station, to: stations, field: id}", [1]),
        ("relationships: {column: station, to: stations, field: _key}", [0, 1, 4, 5]),
        ("condition: minutes >= 0", [1, 4]),
        ("condition: minutes IS NULL OR minutes >= 0", [1]),
        ("freshness: 1m", []),
    ],
)
def test_what_fails(tmp_path: Path, test: str, failing: list[int]) -> None:
    """The records that fail, by place; a null is in any list and repeats nothing, and no condition holds for it."""
    compilation = project(tmp_path / "shop", f"    tests:\n      - {test}\n")
    assert not compilation.project.diagnostics
    stations = (StoredRecord("stations", "x", {"id": "museum", "size": 1}, 0, (9,)),)
    (result,) = results(compilation, {"rides": RIDES, "stations": stations})
    found = sorted(failure.ordinal[0] for failure in result.failures)
    assert (found, result.failed, result.records) == (failing, len(failing), len(RIDES))
    assert result.passed == (not failing)
    if failing:
        assert result.diagnostic.code == "LSQ869" and result.diagnostic.is_error
        assert result.diagnostic.span is not None and result.diagnostic.span.path == "models/topics.yml"
        assert f"ordinal {result.failures[0].ordinal[0]}: key " in result.diagnostic.notes[0]


@pytest.mark.parametrize(
    ("model", "test", "failing", "tested"),
    [
        ("STREAM", "unique: _key", [0, 2], 6),
        ("STREAM", "unique: [station, minutes]", [0, 5], 6),
        ("STREAM", "unique: day", [], 6),
        # A later record of the key replaces the first one, and a tombstone deletes it.
        ("TABLE", "unique: _key", [], 3),
        ("TABLE", "unique: [station, minutes]", [], 3),
        ("TABLE", "unique: open", [1, 2, 4], 3),
        (None, "unique: open", [1, 2, 4], 3),
    ],
)
def test_unique_is_about_rows_where_records_replace_one_another(
    tmp_path: Path, model: str | None, test: str, failing: list[int], tested: int
) -> None:
    """A topic that models read as a STREAM has records, any other one with a key has rows."""
    folder = tmp_path / "shop"
    project(folder, f"    tests:\n      - {test}\n")
    source = "rides" if model else "stations"
    (folder / "models/totals.sql").write_text(f"SELECT {model or 'TABLE'} * FROM {source};")
    (result,) = results(compiled(folder), {"rides": RIDES})
    assert sorted(failure.ordinal[0] for failure in result.failures) == failing
    assert result.records == tested
    assert result.passed or f"{len(failing)} {'records' if model == 'STREAM' else 'rows'} of 'rides'" in result.message


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT station, COUNT(*) AS n FROM STREAM(rides) WHERE station > '' GROUP BY station HAVING COUNT(*) > 2",
         [{"station": "museum", "n": 3}]),
        ("SELECT station, minutes FROM rides WHERE minutes > 5", [{"station": None, "minutes": 7}]),
        ("SELECT r.station FROM rides AS r LEFT ANTI JOIN stations AS s ON r.station = s.id WHERE r.station > ''",
         [{"station": "harbour"}]),
        ("SELECT n FROM totals WHERE n > 9", []),
    ],
)  # fmt: skip
def test_a_query_must_give_no_rows(tmp_path: Path, query: str, rows: list[dict[str, Any]]) -> None:
    """In standard SQL, over all topics of the project: those with a key as their newest rows, or STREAM(...)."""
    compilation = project(tmp_path / "shop", f"    tests:\n      - sql: {json.dumps(query)}\n")
    assert not compilation.project.diagnostics
    stations = (StoredRecord("stations", "x", {"id": "museum", "size": 1}, 0, (9,)),)
    (result,) = results(compilation, {"rides": RIDES, "stations": stations})
    assert [json.loads(failure.value) for failure in result.failures] == rows
    assert (result.failed, result.passed) == (len(rows), not rows)
    if rows:
        assert result.message == f"1 row of a query that must give none, of 'rides': {query}"


def test_a_query_that_does_not_compile(tmp_path: Path) -> None:
    """The code is that of the query, the place that of the test; the notes say where in the query."""
    compilation = project(tmp_path / "shop", "    tests:\n      - sql: SELECT minuts FROM rides\n")
    with pytest.raises(LsqlcError) as error:
        results(compilation, {"rides": RIDES})
    (found,) = error.value.diagnostics
    assert found.span is not None and found.span.path == "models/topics.yml"
    assert "minuts" in found.message and "in line 1, column 8 of the query" in found.notes


def test_freshness_is_of_the_newest_record(tmp_path: Path) -> None:
    """A topic without records is not fresh; `--last` changes nothing about what is newest."""
    compilation = project(tmp_path / "shop", "    tests: [{freshness: 10s}]\n")
    old = (ride(0, "a", "m", 1, time=49_000), ride(1, "a", "m", 1, time=100))
    (late,) = results(compilation, {"rides": old}, last=1)
    assert late.message.startswith("the newest record of 'rides' is 11.0 s old")
    (fresh,) = results(compilation, {"rides": (ride(0, "a", "m", 1, time=50_000), *old)})
    assert fresh.passed
    (empty,) = results(compilation, {})
    assert "has no records" in empty.message and not empty.passed


def test_rows_of_a_table_are_tested_not_its_changes(tmp_path: Path) -> None:
    """The newest of each key; what was deleted is not there. Tests of a model are of the topic that it writes."""
    models = "    columns: [{name: n, tests: [unique]}]\n    tests: [{condition: n > 1}]\n"
    compilation = project(tmp_path / "shop", models=models)
    rows = (("a", 1), ("b", 2), ("a", 2), ("c", 1), ("c", None))
    log = tuple(
        StoredRecord("totals", k, None if n is None else {"station": k, "n": n}, i, (i,))
        for i, (k, n) in enumerate(rows)
    )
    condition, unique = results(compilation, {"totals": log})
    assert condition.test.kind == "condition" and condition.passed and condition.table
    assert (unique.records, unique.failed) == (2, 2)
    assert unique.message == "2 rows of 'totals' fail: unique n"


def test_only_the_last_records_on_request(tmp_path: Path) -> None:
    """Of a STREAM."""
    compilation = project(tmp_path / "shop", "    tests: [{condition: minutes >= 0}]\n")
    (result,) = results(compilation, {"rides": RIDES}, last=2)
    assert (result.records, result.failed) == (2, 1)


def test_places_in_kafka_are_partition_and_offset(tmp_path: Path) -> None:
    """As the tools of Kafka name them."""
    compilation = project(tmp_path / "shop", "    tests: [{not_null: station}]\n")
    value = {"station": None, "minutes": 1, "day": 1, "open": True}
    record = StoredRecord("rides", "a", value, 5, (0, 17, lane("rides", 3)))
    (result,) = results(compilation, {"rides": (record,)}, with_partitions=True)
    assert (result.failures[0].partition, result.failures[0].offset) == (3, 17)
    assert result.diagnostic.notes[0].startswith('partition 3, offset 17: key "a"')


def test_pieces_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values repeat and conditions hold over all pieces alike, by an independent count."""
    compilation = project(tmp_path / "shop", "    tests: [{unique: minutes}, {condition: minutes < 900}]\n")
    chance = random.Random(7)
    log = tuple(ride(n, f"k{n}", "s", chance.randrange(1000)) for n in range(500))
    monkeypatch.setattr(data_tests, "_PIECE", 7)
    unique, condition = results(compilation, {"rides": log})
    counts = Counter(record.value["minutes"] for record in log)
    assert unique.failed == sum(n for n in counts.values() if n > 1) > 0
    assert condition.failed == sum(record.value["minutes"] >= 900 for record in log) > 0


def test_many_failures_are_counted_and_some_are_kept(tmp_path: Path) -> None:
    """A thousand of each test."""
    compilation = project(tmp_path / "shop", "    tests: [{not_null: station}]\n")
    (result,) = results(compilation, {"rides": tuple(ride(n, "k", None, 1) for n in range(1500))})
    assert (result.failed, len(result.failures)) == (1500, 1000)
    assert result.diagnostic.notes[-1] == "and 1,495 more"


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("tests: [not_null]", "expected a test, got text"),
        ("tests: [{nut_null: a}]", "unknown test 'nut_null'"),
        ("tests: [{not_null: station, unique: day}]", "expected one test in each item"),
        ("tests: [{severity: warn}]", "expected one test in each item"),
        ("tests: [{not_null: station, severity: high}]", "'high' is not one of error and warn"),
        ("tests: [{not_null: []}]", "expected the names of columns"),
        ("tests: [{unique: 5}]", "expected the names of columns"),
        ("tests: [{freshness: soon}]", "'soon' is not a duration"),
        ("tests: [{freshness: 0s}]", "'0s' is not a duration"),
        ("tests: [{condition: }]", "expected a condition"),
        ("tests: [{accepted_values: {column: station}}]", "the key 'values' is missing"),
        ("tests: [{accepted_values: {values: [a]}}]", "the key 'column' is missing"),
        ("tests: [{accepted_values: {column: station, values: [a], x: 1}}]", "unknown key 'x'"),
        ("tests: [{relationships: {column: station, to: stations}}]", "the key 'field' is missing"),
        ("columns: [{name: day, tests: [freshness]}]", "unknown test 'freshness'"),
        ("columns: [{name: day, tests: [{unique: day}]}]", "'unique' of a column has no settings"),
        ("columns: [{name: day, tests: [{accepted_values: {column: day, values: [1]}}]}]", "leave it out"),
        ("columns: [{tests: []}]", "the key 'name' is missing"),
        ("tests: {not_null: day}", "expected a list"),
    ],
)
def test_what_is_not_a_test_is_reported(tmp_path: Path, tests: str, said: str) -> None:
    """When the project is read, at its place."""
    compilation = project(tmp_path / "shop", f"    {tests}\n")
    found = compilation.project.diagnostics
    assert any(said in f"{d.message} {d.help}" for d in found), found
    assert all(d.span is not None for d in found)


@pytest.mark.parametrize(
    ("test", "code", "said"),
    [
        ("not_null: stations", "LSQ870", "'rides' has no column 'stations'"),
        ("relationships: {column: station, to: nowhere, field: id}", "LSQ870", "unknown topic 'nowhere'"),
        ("relationships: {column: station, to: stations, field: ids}", "LSQ870", "'stations' has no column 'ids'"),
        ("relationships: {column: station, to: stations, field: size}", "LSQ870", "'station' is STRING"),
        ("accepted_values: {column: minutes, values: [5, many]}", "LSQ870", "the value 'many' cannot be one of"),
        ("accepted_values: {column: station, values: [true]}", "LSQ870", "the value true cannot be one of"),
        ("accepted_values: {column: open, values: [1]}", "LSQ870", "the value 1 cannot be one of"),
        ("condition: minutes", "LSQ524", "must be BOOLEAN"),
        ("condition: minuts > 1", "LSQ201", "minuts"),
    ],
)
def test_tests_that_do_not_fit_their_topic(tmp_path: Path, test: str, code: str, said: str) -> None:
    """Before any record is read."""
    compilation = project(tmp_path / "shop", f"    tests:\n      - {test}\n")
    with pytest.raises(LsqlcError) as error:
        bound_tests(compilation, KINDS)
    (found,) = error.value.diagnostics
    assert said in found.message and found.span is not None
    assert found.code == code


def test_a_model_of_several_topics_has_no_tests_of_its_own(tmp_path: Path) -> None:
    """Which topic they are of is not known."""
    compilation = project(tmp_path / "shop", models="    tests: [{not_null: n}]\n")
    several = "INSERT INTO a SELECT STREAM minutes FROM rides; INSERT INTO b SELECT STREAM minutes FROM rides;"
    (tmp_path / "shop" / "models" / "totals.sql").write_text(several)
    loaded = load_project(tmp_path / "shop").project
    assert loaded is not None
    with pytest.raises(LsqlcError, match="do not say which topic"):
        bound_tests(compile_project(loaded), KINDS)
    assert bound_tests(compilation, KINDS)


def _failures_are_written(cli: Cli, bikes: Path) -> None:
    """A record for each, that says of which test and record; into no topic of the project."""
    topics = bikes / "models" / "topics.yml"
    topics.write_text(
        topics.read_text().replace("      - not_null: bike\n", "      - {freshness: 1h, severity: warn}\n")
    )
    assert cli("check", "--failures", "rides").code == 2
    written = cli("check", "--failures", "wrong")
    assert written.code == 1
    records = FileLog(bikes / ".lsqlc" / "topics").read(failures_topic(compiled(bikes), "wrong"))
    values = [record.value for record in records]
    whole, *others = values
    assert (whole["test"], whole["severity"], whole["key"]) == ("freshness 1h", "warn", None)
    assert {v["test"] for v in others} == {"condition minutes < 30"} and len(others) == 25
    assert all(json.loads(v["value"])["minutes"] >= 30 for v in others)
    assert f"{len(values)} failures written to 'wrong'" in written.err


def test_the_command_tests_the_topics_of_a_target(cli: Cli, bikes: Path) -> None:
    """Exit code 1 if a test fails, with the records on request; a warning changes nothing; names select."""
    assert cli("check").code == 0
    topics = bikes / "models" / "topics.yml"
    tests = "    tests:\n      - not_null: bike\n      - {condition: minutes < 30, severity: warn}\n"
    topics.write_text(topics.read_text().replace("    seed:\n", f"{tests}    seed:\n", 1))
    assert cli("seed", "rides", "--quiet").code == 0
    warned = cli("check")
    assert warned.code == 0
    assert "rides: not_null bike: 60 records, ok" in warned.err and "warning[LSQ869]" in warned.err
    text = topics.read_text()
    topics.write_text(text.replace(", severity: warn}", "}"))
    failed = cli("check", "rides", "--output", "json")
    assert failed.code == 1 and not failed.data["ok"]
    passed, condition = failed.data["tests"]
    assert (passed["passed"], passed["failures"], passed["records"]) == (True, [], 60)
    log = FileLog(bikes / ".lsqlc" / "topics")
    loaded = load_project(bikes).project
    assert loaded is not None
    topic = loaded.topic("rides")
    assert topic is not None
    wrong = [r for r in log.read(topic) if r.value["minutes"] >= 30]
    assert condition["failed"] == len(wrong) > 0
    assert sorted(f["ordinal"] for f in condition["failures"]) == sorted(list(r.ordinal) for r in wrong)
    assert {json.loads(f["key"]) for f in condition["failures"]} == {r.key for r in wrong}
    assert cli("check", "arrivals").code == 0
    _failures_are_written(cli, bikes)
    unknown = cli("check", "ride")
    assert unknown.code == 2 and "error[LSQ063]" in unknown.err
    assert cli("check", "--target", "prod").code == 2
