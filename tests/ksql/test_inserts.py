"""INSERT INTO ... VALUES: the records that it gives, what becomes of them, and which are left out."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

import lsqlc
from lsqlc import Plan, Record
from lsqlc.dialects import dialect
from lsqlc.golden.cases import load_cases
from lsqlc.lower.duckdb.inserts import inserted_records
from lsqlc.plan.plan import Compiled
from tests.cli.conftest import Cli, cli  # noqa: F401 - a fixture
from tests.ksql.programs import SOURCES

WIDE = """CREATE STREAM wide (id INT KEY, x DOUBLE, big BIGINT, price DECIMAL(5, 2), yes BOOLEAN, at TIMESTAMP, d DATE,
  t TIME, m MAP<STRING, INT>, s STRUCT<a INT, b ARRAY<DOUBLE>>) WITH (KAFKA_TOPIC='wide', VALUE_FORMAT='JSON');
CREATE STREAM o AS SELECT * FROM wide;
"""
QUERY = "CREATE STREAM o AS SELECT * FROM orders;\n"
BARE = {"ITEM": None, "AMOUNT": None, "TAGS": None}


def _bound(text: str) -> Compiled:
    program = dialect("ksql").parse(text, "x.sql").program
    assert program is not None
    return dialect("ksql").bind(program, {}, name="x")


def _plan(text: str) -> Plan:
    plan = _bound(text).plan
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ("X", "1", 1.0), ("X", "-1.25", -1.25), ("X", "1e3", 1000.0), ("BIG", "-3", -3),
        ("BIG", "3000000000", 3 * 10**9),
        ("PRICE", "7", Decimal("7.00")), ("PRICE", "-123.4", Decimal("-123.40")), ("YES", "false", False),
        ("AT", "'2024-02-29T01:02:03'", datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC)),
        ("AT", "'2024-02-29T01:02:03+01:00'", datetime(2024, 2, 29, 0, 2, 3, tzinfo=UTC)),
        ("D", "'2024-02-29'", date(2024, 2, 29)), ("T", "'00:01:00'", 60_000_000), ("X", "NULL", None),
        ("M", "MAP('a' := 1, 'b' := NULL)", {"a": 1, "b": None}),
        ("S", "STRUCT(b := ARRAY[1, 2.5])", {"A": None, "B": [1.0, 2.5]}),
    ],
)  # fmt: skip
def test_a_literal_is_a_value_of_its_column(column: str, text: str, value: object) -> None:
    """Whole numbers widen, texts become times, and what a STRUCT leaves out is null."""
    (record,) = _plan(f"{WIDE}INSERT INTO wide (id, {column}) VALUES (1, {text});").inserts
    assert record.value[column] == value
    assert type(record.value[column]) is type(value)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("X", "'1'"), ("X", "true"), ("BIG", "1.0"), ("BIG", "9223372036854775808"), ("PRICE", "1000"),
        ("PRICE", "1.234"), ("PRICE", "1e1"), ("YES", "1"), ("AT", "'today'"), ("AT", "0"), ("D", "'2023-02-29'"),
        ("T", "'24:01'"), ("M", "MAP('a' := 'b')"), ("M", "MAP(NULL := 1)"), ("S", "STRUCT(c := 1)"), ("S", "ARRAY[1]"),
        ("ID", "2147483648"),
    ],
)  # fmt: skip
def test_what_does_not_fit_its_column_is_refused(column: str, text: str) -> None:
    """Nothing is rounded, cut or read from a text; the number that no type holds has an error of its own."""
    columns = (column,) if column == "ID" else ("id", column)
    values = text if column == "ID" else f"1, {text}"
    found = _bound(f"{WIDE}INSERT INTO wide ({', '.join(columns)}) VALUES ({values});")
    assert {d.code for d in found.diagnostics if d.is_error} <= {"LSQ080", "LSQ210"}
    assert found.plan is None


def test_records_come_in_the_order_of_the_program() -> None:
    """With the names of the columns, or by their order; ROWTIME is the timestamp; a stream's key may be null."""
    text = """INSERT INTO orders VALUES (1, 'pen', 2, ARRAY['a']);
    INSERT INTO users (city, id) VALUES ('Rome', 7);
    INSERT INTO orders (ROWTIME, item) VALUES (1000, 'ink');
    """
    plan = _plan(SOURCES + QUERY + "CREATE TABLE u AS SELECT * FROM users;" + text)
    assert plan.inserts == (
        Record("orders", 1, {"ITEM": "pen", "AMOUNT": 2, "TAGS": ["a"]}),
        Record("users", 7, {"CITY": "Rome", "BOSS": None}),
        Record("orders", None, BARE | {"ITEM": "ink"}, 1000),
    )
    out = lsqlc.evaluate(plan, plan.inserts)
    assert [(r.key, r.timestamp) for r in out["O"]] == [(1, 0), (None, 1000)]


def test_several_key_columns_are_a_struct() -> None:
    """Null where none of them has a value."""
    source = "CREATE STREAM s (a INT KEY, b INT KEY, v INT) WITH (KAFKA_TOPIC='s', FORMAT='JSON');"
    text = "INSERT INTO s (a, v) VALUES (1, 2); INSERT INTO s (v) VALUES (3);"
    plan = _plan(f"{source} CREATE STREAM o AS SELECT * FROM s; {text}")
    assert [r.key for r in plan.inserts] == [{"A": 1, "B": None}, None]


def test_records_are_no_part_of_what_a_plan_means() -> None:
    """The same fingerprint, JSON and text with and without them."""
    without, with_one = _plan(SOURCES + QUERY), _plan(SOURCES + QUERY + "INSERT INTO orders (id) VALUES (1);")
    assert with_one.inserts
    assert without.fingerprint == with_one.fingerprint
    assert (without.tree(), without.to_json()) == (with_one.tree(), with_one.to_json())


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO orders (id, item) VALUES (1, CAST(UUID() AS STRING));",
        "INSERT INTO orders (ROWTIME, id) VALUES (UNIX_TIMESTAMP(), 1);",
        "INSERT INTO users (id) VALUES (1);",
        "INSERT INTO o (id) VALUES (1);",
    ],
)
def test_what_is_computed_not_read_or_written_by_a_query_is_left_out(text: str) -> None:
    """With one finding; the program compiles."""
    found = _bound(SOURCES + QUERY + text)
    assert [(d.code, d.is_error) for d in found.diagnostics] == [("LSQ830", False)]
    assert found.plan is not None and found.plan.inserts == ()


def test_computed_constants_are_values() -> None:
    """Expressions without columns, in each part of a record, as an engine computes them."""
    source = """CREATE STREAM s (k STRING KEY, n INT KEY, i INT, l BIGINT, x DOUBLE, m DECIMAL(6, 2), s STRING,
        t TIMESTAMP, d DATE, xs ARRAY<INT>) WITH (KAFKA_TOPIC='s', FORMAT='JSON');"""
    values = (
        "1000 + 1, CONCAT('a', 'b'), 2 * 3, 1 + 2, 7 / 2, CAST('1' AS INT) + 1, 1.25 + 1, 'a' + UCASE('b'),"
        " FROM_UNIXTIME(86400000), FROM_DAYS(1), ARRAY[1 + 1, 2]"
    )
    columns = "ROWTIME, k, n, i, l, x, m, s, t, d, xs"
    texts = (
        f"INSERT INTO s ({columns}) VALUES ({values});",
        "INSERT INTO s (k, i) VALUES ('c', 1);",
    )
    plan = _plan(f"{source} CREATE STREAM o AS SELECT * FROM s; {' '.join(texts)}")
    one, two = inserted_records(plan)
    assert (one.key, one.timestamp) == ({"K": "ab", "N": 6}, 1001)
    assert one.value == {
        "I": 3, "L": 3, "X": 2.0, "M": Decimal("2.25"), "S": "aB", "T": datetime(1970, 1, 2, tzinfo=UTC),
        "D": date(1970, 1, 2), "XS": [2, 2],
    }  # fmt: skip
    assert (two.key, two.value["I"]) == ({"K": "c", "N": None}, 1)


@pytest.mark.parametrize("value", ["'a' + 'b'", "1.5 + 1", "CAST(7 AS BIGINT)", "ARRAY[1 + 1]"])
def test_a_computed_constant_has_the_type_of_its_column(value: str) -> None:
    found = _bound(SOURCES + QUERY + f"INSERT INTO orders (id, amount) VALUES (1, {value});")
    assert [d.code for d in found.diagnostics if d.is_error] == ["LSQ080"]


def test_read_only_and_windowed_sources_take_no_records() -> None:
    """As in ksqlDB."""
    given = "(KAFKA_TOPIC='w', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON'"
    source = f"CREATE SOURCE STREAM w (id INT KEY, v INT) WITH {given});"
    windowed = f"CREATE STREAM w (id INT KEY, v INT) WITH {given}, WINDOW_TYPE='SESSION');"
    for text, code in ((source, "LSQ367"), (windowed, "LSQ361")):
        found = _bound(f"{text} CREATE STREAM o AS SELECT * FROM w; INSERT INTO w (id) VALUES (1);")
        assert [d.code for d in found.diagnostics if d.is_error] == [code]


HEAD = "cases:\n  - name: it\n    model: x\n"


@pytest.mark.parametrize(
    ("body", "sizes"),
    [
        ("    inserts: true\n", (2,)),
        ("    inserts: true\n    inputs: {orders: [{key: 3}]}\n", (3,)),
        ("    inserts: true\n    arrivals: [{topic: orders, key: 3}]\n    batches: [1, 2]\n", (1, 2)),
        ("    inserts: true\n    batches: [1, 1]\n", (1, 1)),
        ("    inserts: true\n    batches: [[{topic: orders, key: 3}]]\n", (2, 1)),
        ("    inserts: false\n    inputs: {}\n", ()),
    ],
)
def test_a_case_begins_with_the_records_of_its_model(body: str, sizes: tuple[int, ...]) -> None:
    """Before its own, in whatever way those are given, and cut with them."""
    plan = _plan(SOURCES + QUERY + "INSERT INTO orders (id) VALUES (1); INSERT INTO orders (id) VALUES (2);")
    loaded = load_cases({"c.yml": HEAD + body}, {"x": plan})
    assert loaded.diagnostics == ()
    (case,) = loaded.cases
    assert tuple(map(len, case.case.batches)) == sizes
    assert [r.key for r in case.case.records] == [1, 2, 3][: sum(sizes)]


def test_a_model_without_records_has_none_for_a_case() -> None:
    """Told at the key."""
    loaded = load_cases({"c.yml": f"{HEAD}    inserts: true\n"}, {"x": _plan(SOURCES + QUERY)})
    assert [(d.code, d.line, d.column) for d in loaded.diagnostics] == [("LSQ504", 4, 5)]


MODEL = """CREATE STREAM orders (id INT KEY, item STRING) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON');
CREATE STREAM o WITH (KAFKA_TOPIC = 'o') AS SELECT * FROM orders;
INSERT INTO orders (ROWTIME, id, item) VALUES (1000, 1, 'pen');
INSERT INTO orders (id, item) VALUES (2, 'ink');
"""
NEXT = """CREATE STREAM o (id INT KEY, item STRING) WITH (KAFKA_TOPIC = 'o', VALUE_FORMAT = 'JSON');
CREATE STREAM p AS SELECT * FROM o;
INSERT INTO o (id, item) VALUES (3, 'cup');
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: ksql\n")
    (tmp_path / "models/o.sql").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_seed_loads_what_programs_insert(cli: Cli, shop: Path) -> None:  # noqa: F811 - a fixture
    """Into the topics that no model writes; a second seed changes nothing, and another name is unknown."""
    (shop / "models/p.sql").write_text(NEXT)
    ran = cli("seed", "--output", "json")
    assert ran.data["topics"] == [{"topic": "orders", "status": "loaded", "records": 2}]
    shown = [(r["key"], r["value"]["ITEM"], r["timestamp"]) for r in cli("show", "orders", "--output", "json").lines]
    assert shown == [(1, "pen", 1000), (2, "ink", 0)]
    assert cli("seed", "orders", "--output", "json").data["topics"][0]["status"] == "kept"
    assert cli("seed", "--full-refresh", "--limit", "1", "--output", "json").data["topics"][0]["records"] == 1
    wrong = cli("seed", "o")
    assert wrong.code == 2 and "LSQ063" in wrong.err


def test_inserts_come_behind_the_rows_of_the_seed_file(cli: Cli, shop: Path) -> None:  # noqa: F811 - a fixture
    """A topic that YAML declares too has one log."""
    (shop / "models/topics.yml").write_text(
        "topics:\n  - {name: orders, key: INT, value: ITEM STRING, seed: {path: seeds/orders.csv, key: ID}}\n"
    )
    (shop / "seeds").mkdir()
    (shop / "seeds/orders.csv").write_text("ID,ITEM\n9,cup\n")
    assert cli("seed").code == 0
    assert [r["key"] for r in cli("show", "orders", "--output", "json").lines] == [9, 1, 2]


def test_a_model_with_an_error_seeds_nothing(cli: Cli, shop: Path) -> None:  # noqa: F811 - a fixture
    """The error is told, and no topic is made."""
    (shop / "models/o.sql").write_text(MODEL.replace("'ink'", "7"))
    ran = cli("seed")
    assert ran.code == 1 and "error[LSQ080]" in ran.err
    assert not (shop / ".lsqlc").exists()
