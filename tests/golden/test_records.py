"""Records of cases: the forms that people write, defaults, files beside the case file, fixtures."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.lower import duckdb
from lsqlc.plan import Plan
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic

from .project import plan

ORDERS = Topic(
    "orders",
    Facet(data.STRING, "string"),
    Facet(
        parse_columns(
            "id INT NOT NULL, at TIMESTAMP, day DATE, price DECIMAL(20,2), clock TIME, "
            "buyer STRUCT<name: STRING, since: TIMESTAMP, city: STRING>, times ARRAY<TIMESTAMP>, "
            "by MAP<STRING, DECIMAL(5,1)>"
        ),
        "json",
    ),
)
PLACES = Topic("places", Facet(data.INT, "int"), Facet(parse_columns("name STRING, size INT"), "json"))
CASE = "cases:\n  - name: a\n    model: m\n"


@pytest.fixture(scope="module")
def m() -> Plan:
    text = "INSERT INTO a SELECT STREAM * FROM orders; INSERT INTO b SELECT STREAM * FROM places;"
    return plan(text, topics=(ORDERS, PLACES))


def _load(m: Plan, text: str, **files: str) -> LoadedCases:
    texts = {f"tests/{name.replace('__', '.')}": content for name, content in files.items()}
    return load_cases({"tests/c.yml": text, **texts}, {"m": m})


def _records(m: Plan, text: str, **files: str) -> tuple[Record, ...]:
    loaded = _load(m, text, **files)
    assert loaded.diagnostics == ()
    return loaded.cases[-1].case.records


def _found(loaded: LoadedCases) -> list[tuple[str, str, int, int]]:
    return [(d.code, d.span.path if d.span else "", d.line or 0, d.column or 0) for d in loaded.diagnostics]


FIVE = datetime(2013, 1, 1, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        ("at: 2013-01-01T05:00:00Z", "at", FIVE),
        ("at: 2013-01-01 05:00", "at", FIVE),
        ("at: 2013-01-01 05:00:00.25", "at", FIVE.replace(microsecond=250_000)),
        ("at: 2013-01-01 07:00+02:00", "at", FIVE),
        ("at: 2013-01-01", "at", FIVE.replace(hour=0)),
        ("at: 1357016400000", "at", FIVE),
        ("day: 2013-01-01", "day", date(2013, 1, 1)),
        ("price: 12.5", "price", Decimal("12.50")),
        ("price: '123456789012345678.90'", "price", Decimal("123456789012345678.90")),
        ("clock: 05:30", "clock", 19_800_000_000),
        ("clock: 05:30:00.5", "clock", 19_800_500_000),
        ("buyer: {since: 2013-01-01 05:00}", "buyer", {"name": None, "since": FIVE, "city": None}),
        ("times: [2013-01-01 05:00, null]", "times", [FIVE, None]),
        ("by: {x: '1.5', y: 2}", "by", {"x": Decimal("1.5"), "y": Decimal("2.0")}),
    ],
)
def test_values_as_people_write_them(m: Plan, written: str, field: str, value: Any) -> None:
    """A time without T, seconds or zone, a decimal in quotes, a time of day; also inside of other values."""
    (record,) = _records(m, f"{CASE}    inputs: {{orders: [{{value: {{id: 1, {written}}}}}]}}\n")
    assert record.value[field] == value


@pytest.mark.parametrize(
    "written", ["at: 2013-13-01 05:00", "at: noon", "price: '1,5'", "clock: 25:00", "day: 1.1.2013"]
)
def test_what_is_no_form_of_a_value(m: Plan, written: str) -> None:
    """Nothing is guessed: what is no value of the type is told at its place."""
    found = _load(m, f"{CASE}    inputs:\n      orders:\n        - value:\n            id: 1\n            {written}\n")
    assert _found(found) == [("LSQ508", "tests/c.yml", 8, 13 + len(written.split(": ")[0]) + 2)]


def test_the_time_of_a_record_and_of_a_case(m: Plan) -> None:
    """`timestamp` and `now` take a space for the T, and no zone for UTC."""
    text = f"{CASE}    now: 1970-01-01 00:01\n    inputs: {{places: [{{key: 1, timestamp: 1970-01-01 00:00:02}}]}}\n"
    (case,) = _load(m, text).cases
    assert case.case.now == 60_000
    assert case.case.records[0].timestamp == 2_000


DEFAULTS = """defaults:
  orders:
    key: k
    value: {id: 7, price: 1.5, buyer: {name: Ann, city: Bonn}}
    timestamp: 9
"""


def test_defaults_fill_what_is_left_out(m: Plan) -> None:
    """Fields of structs one by one; what is written stands, null too; a tombstone stays one; the case's come first."""
    body = """    defaults: {orders: {value: {price: 2.5}}}
    inputs:
      orders:
        - value: {}
        - {key: x, value: {id: 1, buyer: {city: Rome}}, timestamp: 0}
        - value: {buyer: null}
        - {key: y}
"""
    first, second, third, last = _records(m, DEFAULTS + CASE + body)
    assert (first.key, first.timestamp, first.value["id"], first.value["price"]) == ("k", 9, 7, Decimal("2.50"))
    assert first.value["buyer"] == {"name": "Ann", "since": None, "city": "Bonn"}
    assert (second.key, second.timestamp, second.value["id"]) == ("x", 0, 1)
    assert second.value["buyer"] == {"name": "Ann", "since": None, "city": "Rome"}
    assert third.value["buyer"] is None and last.value is None and last.key == "y"


def test_mistakes_in_defaults(m: Plan) -> None:
    """One that does not fit is told where the default stands, once, however many records take it."""
    text = DEFAULTS.replace("1.5", "cheap") + CASE + "    inputs: {orders: [{value: {}}, {value: {}}]}\n"
    assert _found(_load(m, text)) == [("LSQ508", "tests/c.yml", 4, 27)]
    assert not _load(m, text).cases
    assert _found(_load(m, f"defaults: [1]\n{CASE}    inputs: {{}}\n")) == [("LSQ007", "tests/c.yml", 1, 11)]
    assert _found(_load(m, f"defaults: {{orders: {{vlaue: 1}}}}\n{CASE}    inputs: {{}}\n"))[0][0] == "LSQ006"


def test_records_of_a_csv_file(m: Plan) -> None:
    """A column fills the field of its name, `_key` and `_timestamp` the rest; defaults fill missing columns."""
    csv = "_key,id,at,_timestamp\nx,1,2013-01-01 05:00,5\ny,2,,2013-01-01T05:00:00Z\n"
    one, two = _records(m, f"{DEFAULTS}{CASE}    inputs: {{orders: o.csv}}\n", o__csv=csv)
    assert (one.key, one.timestamp, one.value["at"], one.value["price"]) == ("x", 5, FIVE, Decimal("1.50"))
    assert (two.key, two.timestamp, two.value["at"]) == ("y", 1357016400000, None)
    named = "    inputs: {orders: {file: o.csv, key: id, timestamp: t, 'null': NA}}\n"
    (record,) = _records(m, CASE + named, o__csv="id,t,day\n3,8,NA\n")
    assert (record.key, record.timestamp, record.value["id"], record.value["day"]) == ("3", 8, 3, None)


def test_a_required_field_may_come_from_a_default(m: Plan) -> None:
    """`id` is NOT NULL and has no column: the default gives it; without one that is an error."""
    (record,) = _records(m, f"{DEFAULTS}{CASE}    inputs: {{orders: o.csv}}\n", o__csv="price\n3\n")
    assert (record.key, record.value["id"], record.timestamp) == ("k", 7, 9)
    found = _load(m, f"{CASE}    inputs: {{orders: o.csv}}\n", o__csv="price\n3\n")
    assert _found(found) == [("LSQ413", "tests/o.csv", 1, 1)]


@pytest.mark.parametrize("inputs", ["[{value: {n: 1}}]", "o.csv"])
def test_a_field_that_is_not_read_need_not_be_given(inputs: str) -> None:
    """Although it is NOT NULL; one that is read has to be there."""
    value = parse_columns("n INT NOT NULL, id INT NOT NULL, s STRUCT<a: INT NOT NULL, b: INT NOT NULL> NOT NULL")
    topic = Topic("orders", Facet(data.STRING, "string"), Facet(value, "json"))
    case = f"{CASE}    inputs: {{orders: {inputs}}}\n"
    reads_n = plan("INSERT INTO a SELECT STREAM n FROM orders", topics=(topic,))
    loaded = _load(reads_n, case, o__csv="n\n1\n")
    assert loaded.diagnostics == ()
    (outcome,) = duckdb.evaluate(reads_n, [each.case for each in loaded.cases])
    assert [record.value for record in outcome.topics["a"]] == [{"n": 1}]
    for read in ("id", "s.a AS a"):
        found = _load(plan(f"INSERT INTO a SELECT STREAM {read} FROM orders", topics=(topic,)), case, o__csv="n\n1\n")
        assert found.diagnostics and all(d.code in ("LSQ508", "LSQ413") for d in found.diagnostics)


def test_records_of_json_lines(m: Plan) -> None:
    """A line is a record as golden files have it, with its defaults, or with `lines: values` the value alone."""
    lines = '{"topic":"orders","key":"x","value":{"id":1},"timestamp":"1970-01-01T00:00:01Z"}\n\n{"value":null}\n'
    one, two = _records(m, f"{DEFAULTS}{CASE}    inputs: {{orders: o.jsonl}}\n", o__jsonl=lines)
    assert (one.key, one.timestamp, one.value["id"], one.value["price"]) == ("x", 1000, 1, Decimal("1.50"))
    assert (two.key, two.value, two.timestamp) == ("k", None, 9)
    values = _records(
        m, f"{CASE}    inputs: {{orders: {{file: o.jsonl, lines: values}}}}\n", o__jsonl='{"id":1}\n{"id":2}'
    )
    assert [r.value["id"] for r in values] == [1, 2]


def test_arrivals_of_json_lines(m: Plan) -> None:
    """Where the file gives arrivals, each line names its topic."""
    lines = '{"topic":"places","key":1}\n{"topic":"orders","key":"x","value":{"id":1}}\n'
    assert [r.topic for r in _records(m, f"{CASE}    arrivals: o.jsonl\n", o__jsonl=lines)] == ["places", "orders"]


def test_expected_rows_of_a_file(m: Plan) -> None:
    """What is expected may lie in a file too; timestamps that it lacks are open."""
    text = f"{CASE}    inputs: {{}}\n    expect: {{b: e.jsonl, a: []}}\n"
    (case,) = _load(m, text, e__jsonl='{"key":1,"value":{"name":"x"}}').cases
    (row,) = case.expect["b"]
    assert (row.key, row.value, row.timestamp) == (1, {"name": "x", "size": None}, None)


@pytest.mark.parametrize(
    ("given", "content", "code", "path", "line", "column"),
    [
        ("p.csv", None, "LSQ520", "c.yml", 4, 22),
        ("o.txt", "", "LSQ520", "c.yml", 4, 22),
        ("../../o.csv", None, "LSQ520", "c.yml", 4, 22),
        ("{fiel: o.csv}", "", "LSQ007", "c.yml", 4, 22),
        ("{file: o.csv, kye: id}", "id\n1\n", "LSQ006", "c.yml", 4, 36),
        ("o.csv", "id,day\n1,soon\n", "LSQ411", "o.csv", 2, 3),
        ("{file: o.csv, key: none}", "id\n1\n", "LSQ414", "o.csv", 1, 1),
        ("o.jsonl", '{"value": {"id": 1}\n', "LSQ520", "o.jsonl", 1, 20),
        ("o.jsonl", "\n[1]\n", "LSQ520", "o.jsonl", 2, 1),
        ("o.jsonl", '{"id": 1}\n', "LSQ520", "o.jsonl", 1, 2),
        ("o.jsonl", '{"value": {"id": "x"}}\n', "LSQ508", "o.jsonl", 1, 18),
        ("o.jsonl", '{"value": {"id": 1, "no": 1}}\n', "LSQ508", "o.jsonl", 1, 21),
        ("o.jsonl", '{"value": {"id": 1}, "timestamp": "soon"}\n', "LSQ507", "o.jsonl", 1, 35),
        ("o.jsonl", '{"topic": "places", "key": 1}\n', "LSQ520", "o.jsonl", 1, 11),
    ],
)
def test_mistakes_of_files(
    m: Plan, given: str, content: str | None, code: str, path: str, line: int, column: int
) -> None:
    """Each is told at its place, in the file or where the case names it; the case is not run."""
    files = (
        {}
        if content is None
        else {("o__jsonl" if "jsonl" in given else "o__txt" if "txt" in given else "o__csv"): content}
    )
    found = _load(m, f"{CASE}    inputs: {{orders: {given}}}\n", **files)
    assert _found(found)[0] == (code, f"tests/{path}", line, column)
    assert found.cases == ()


FIXTURES = """fixtures:
  two orders:
    orders:
      - {key: x, value: {id: 1}}
      - {key: y, value: {id: 2}}
    places: [{key: 1}]
"""


def test_fixtures_are_shared(m: Plan) -> None:
    """Their records come first, in the order named, from whatever file; a model takes the topics that it reads."""
    only = plan("INSERT INTO n SELECT STREAM * FROM orders;", name="n", topics=(ORDERS, PLACES))
    text = """cases:
  - {name: a, model: m, fixtures: [two orders], arrivals: [{topic: places, key: 2}], batches: [3, 1]}
  - {name: b, model: n, fixtures: two orders}
"""
    loaded = load_cases({"t/a.yml": text, "t/z.yml": FIXTURES}, {"m": m, "n": only})
    assert loaded.diagnostics == ()
    a, b = loaded.cases
    assert [[r.key for r in batch] for batch in a.case.batches] == [["x", "y", 1], [2]]
    assert [r.topic for r in b.case.records] == ["orders", "orders"]


def test_defaults_of_a_fixture_are_those_of_its_file(m: Plan) -> None:
    """A fixture means the same wherever it is used."""
    fixture = DEFAULTS + "fixtures: {one: {orders: [{value: {}}]}}\n"
    text = f"defaults: {{orders: {{value: {{id: 1}}}}}}\n{CASE}    fixtures: one\n"
    (case,) = load_cases({"t/a.yml": text, "t/z.yml": fixture}, {"m": m}).cases
    assert case.case.records[0].value["id"] == 7


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        (f"{FIXTURES}{CASE}    fixtures: [two order]\n", "LSQ521", 10, 16),
        (FIXTURES.replace("    orders:", "    ordesr:"), "LSQ506", 3, 5),
        ("fixtures: [1]\n", "LSQ007", 1, 11),
        ("fixtures: {a: 1}\n", "LSQ007", 1, 15),
    ],
)
def test_mistakes_of_fixtures(m: Plan, text: str, code: str, line: int, column: int) -> None:
    """Each at its words."""
    assert _found(_load(m, text)) == [(code, "tests/c.yml", line, column)]


def test_a_fixture_that_no_case_uses_is_told(m: Plan) -> None:
    """With a warning at its name, which a case of any file takes back, one with mistakes or without a plan too."""
    (found,) = load_cases({"t/a.yml": FIXTURES}, {"m": m}).diagnostics
    assert (found.code, found.is_error, found.span and (found.span.line, found.span.column)) == (
        "LSQ861",
        False,
        (2, 3),
    )
    for case in (f"{CASE}    fixtures: two orders\n", "cases: [{name: x, model: gone, fixtures: [two orders]}]\n"):
        loaded = load_cases({"t/a.yml": FIXTURES, "t/b.yml": case}, {"m": m}, models=["gone"])
        assert "LSQ861" not in [d.code for d in loaded.diagnostics]
    assert load_cases({"t/a.yml": FIXTURES, "t/b.yml": "cases: ["}, {"m": m}).diagnostics[0].code != "LSQ861"


def test_a_fixture_is_declared_once(m: Plan) -> None:
    """Two files with a fixture of one name: the second one is told."""
    loaded = load_cases({"t/a.yml": FIXTURES, "t/b.yml": FIXTURES}, {"m": m})
    assert _found(loaded) == [("LSQ522", "t/b.yml", 2, 3)]


def test_a_broken_fixture_is_told_once_in_its_file(m: Plan) -> None:
    """Two cases that use it are not run."""
    text = "cases:\n  - {name: a, model: m, fixtures: f}\n  - {name: b, model: m, fixtures: f}\n"
    loaded = load_cases({"t/a.yml": text, "t/z.yml": "fixtures: {f: {places: [{key: x}]}}\n"}, {"m": m})
    assert _found(loaded) == [("LSQ508", "t/z.yml", 1, 31)]
    assert loaded.cases == ()


WINDOWED = "INSERT INTO w SELECT STREAM COUNT(*) AS n FROM orders WINDOW BY TUMBLE 10s GRACE BY 1s GROUP BY id;"


def test_time_may_go_on_without_a_record() -> None:
    """An item of any list of records; it is no record, and sizes of batches do not count it."""
    windowed = plan(WINDOWED, topics=(ORDERS,))
    arrivals = """    arrivals:
      - {topic: orders, value: {id: 1}}
      - advance_watermark: 1970-01-01 00:01
      - {topic: orders, value: {id: 1}}
      - advance_watermark: 90000
    batches: [1, 1]
"""
    inputs = "    inputs: {orders: [{value: {id: 1}}, {advance_watermark: 60000}, {value: {id: 1}}]}\n"
    (first,) = load_cases({"t.yml": CASE + arrivals}, {"m": windowed}).cases
    (second,) = load_cases({"t.yml": CASE + inputs}, {"m": windowed}).cases
    assert first.case.advances == ((1, 60_000), (2, 90_000)) and len(first.case.batches) == 2
    assert second.case.advances == ((1, 60_000),) and len(second.case.records) == 2


@pytest.mark.parametrize(
    ("item", "text", "code", "column"),
    [
        ("advance_watermark: soon", WINDOWED, "LSQ507", 28),
        ("{advance_watermark: 1, key: x}", WINDOWED, "LSQ006", 32),
        ("advance_watermark: 1", "INSERT INTO w SELECT STREAM id FROM orders;", "LSQ526", 9),
    ],
)
def test_mistakes_of_advances(item: str, text: str, code: str, column: int) -> None:
    """One that a model cannot notice is a mistake too."""
    loaded = load_cases({"t.yml": f"{CASE}    arrivals:\n      - {item}\n"}, {"m": plan(text, topics=(ORDERS,))})
    assert [(d.code, d.line, d.column) for d in loaded.diagnostics] == [(code, 5, column)]
