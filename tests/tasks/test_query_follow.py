"""`lsqlc query --follow`: what a model with the text of the query would write, as topics grow."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import pytest

from lsqlc import connectors
from lsqlc.cli.query_screen import end_line
from lsqlc.cli.running import Stop
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.report.answers import Answer, answer_json
from lsqlc.tasks.growing_lines import _lines
from lsqlc.tasks.query import Query, QueryRequest, compiled_query, open_query, opened_for
from lsqlc.tasks.query_follow import Waiting, follow_query
from lsqlc.tasks.run_target import RunTarget
from lsqlc.types.record import Record, StoredRecord
from tests.cli.conftest import Cli, cli
from tests.connectors.memory.log import STORES
from tests.lanes import sampled

__all__ = ["cli"]

TOPICS = """topics:
  - {name: orders, key: STRING, value: 'customer STRING, amount INT', partitions: 2}
  - {name: customers, key: STRING, value: 'city STRING', partitions: 2}
  - {name: parts, key: STRING, value: 'amount INT, part INT'}
"""
MINUTE = 60_000


@dataclass
class Rows:
    """The rows that were shown, by look."""

    shown: list[list[tuple[object, ...]]] = field(default_factory=list)

    def show(self, rows: Answer) -> None:
        self.shown.append([tuple(json.loads(line).values()) for line in answer_json(rows)])

    def begin_anew(self) -> None:
        self.shown.append([("anew",)])

    def report(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.shown.append([tuple(diagnostic.code for diagnostic in diagnostics)])


@dataclass(frozen=True)
class Shop:
    """A project with topics. `records`: key, fields of the value, and minutes since 1970."""

    root: Path
    dialect: str = "sql"

    def append(self, topic: str, *records: tuple[str, dict[str, object] | None, int]) -> None:
        _, place = self.opened(f"SELECT * FROM {topic}" if self.dialect == "sql" else f"SELECT STREAM * FROM {topic}")
        of_topic = next(t for t in place.plans[0].inputs if t.name == topic)
        place.log.append(of_topic, [Record(topic, key, value, minute * MINUTE) for key, value, minute in records])

    def in_folders(self, root: Path) -> Shop:
        """Return the project without records, over folders."""
        (root / "models").mkdir(parents=True)
        for name in ("lsqlc.yml", "models/topics.yml"):
            (root / name).write_text((self.root / name).read_text())
        (root / "profiles.yml").write_text(PROFILES["folders"])
        return Shop(root, self.dialect)

    def opened(self, text: str) -> tuple[Query, RunTarget]:
        workspace = open_query(self.root, QueryRequest(text, self.dialect), vars={}, environment={})
        query = compiled_query(workspace, True)
        return query, opened_for(query, workspace)

    def followed(
        self, text: str, *steps: Callable[[], object], limit: int | None = None
    ) -> list[list[tuple[object, ...]]]:
        """Return the rows by look: the first ones, then those behind each step."""
        rows, left = Rows(), iter(steps)

        def pause(seconds: float) -> bool:
            step = next(left, None)
            if step is not None:
                step()
            return step is None

        query, place = self.opened(text)
        follow_query(query, place, rows, Waiting(float, pause), limit)
        return rows.shown


PROFILES = {
    "folders": "targets:\n  dev: {type: embedded}\n",
    "partitions": "targets:\n  dev: {type: embedded, memory: {store: a, partitions: 2}}\n",
}


@pytest.fixture(params=PROFILES)
def shop(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """A project over folders, and over partitions without a common order, as those of Kafka."""
    monkeypatch.setattr(connectors, "MODULES", (*connectors.MODULES, "tests.connectors.memory.connector"))
    STORES.clear()
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "topics.yml").write_text(TOPICS)
    (tmp_path / "profiles.yml").write_text(PROFILES[request.param])
    yield Shop(tmp_path)
    STORES.clear()


def order(customer: str, amount: int) -> dict[str, object]:
    return {"customer": customer, "amount": amount}


def test_records_of_a_stream(shop: Shop) -> None:
    """Each once, in the order in which they come."""
    shop.append("orders", ("a", order("x", 1), 1), ("b", order("y", 2), 2))
    assert shop.followed(
        "SELECT customer, amount FROM STREAM(orders) WHERE amount <> 3",
        lambda: shop.append("orders", ("c", order("z", 3), 3)),
        lambda: shop.append("orders", ("c", order("z", 4), 0), ("a", order("x", 5), 9)),
        lambda: None,
    ) == [[("x", 1), ("y", 2)], [("z", 4), ("x", 5)]]


def test_changes_of_a_table(shop: Shop) -> None:
    """New, changed and removed rows; a removed one as it was."""
    shop.append("orders", ("a", order("x", 1), 1), ("b", order("y", 2), 2))
    assert shop.followed(
        "SELECT customer, sum(amount) AS s FROM orders GROUP BY customer",
        lambda: shop.append("orders", ("c", order("x", 3), 3), ("d", order("z", 3), 3)),
        lambda: shop.append("orders", ("b", None, 4)),
    ) == [
        [("insert", "x", 1), ("insert", "y", 2)],
        [("update", "x", 4), ("insert", "z", 3)],
        [("delete", "y", 2)],
    ]


def test_the_column_of_the_change_has_a_name_of_its_own(shop: Shop) -> None:
    shop.append("orders", ("a", order("x", 1), 1))
    query, place = shop.opened("SELECT customer AS _change FROM orders")
    names: list[str] = []

    class Screen(Rows):
        def show(self, rows: Answer) -> None:
            names.extend(column.name for column in rows.columns)

    follow_query(query, place, Screen(), Waiting(float, lambda _: True))
    assert names == ["__change", "_change"]


def test_a_record_meets_the_row_that_was_there(shop: Shop) -> None:
    """A row that comes later changes no record that has been shown, whatever its time is."""
    shop.append("customers", ("x", {"city": "Rome"}, 5))
    shop.append("orders", ("a", order("x", 1), 6))
    text = "SELECT o.amount, c.city FROM STREAM(orders) AS o JOIN customers AS c ON o.customer = c._key"
    assert shop.followed(
        text,
        lambda: shop.append("customers", ("x", {"city": "Oslo"}, 2)),
        lambda: shop.append("orders", ("b", order("x", 2), 1)),
    ) == [[(1, "Rome")], [(2, "Oslo")]]


STREAMS = (
    "SELECT o.amount, c.city FROM STREAM(orders) AS o LEFT JOIN customers AS c ON o.customer = c._key",
    "SELECT customer, explode(array(amount, -amount)) AS x FROM STREAM(orders)",
    "SELECT customer AS x FROM STREAM(orders) UNION ALL SELECT city FROM STREAM(customers)",
)
# The first column identifies a row.
TABLES = (
    "SELECT customer, count(*) AS n, max(amount) AS m FROM STREAM(orders) GROUP BY customer HAVING count(*) > 1",
    "SELECT DISTINCT customer FROM orders WHERE customer IS NOT NULL",
    "SELECT o._key AS k, o.amount, c.city FROM orders AS o LEFT JOIN customers AS c ON o.customer = c._key",
    "SELECT city, sum(amount) AS s FROM orders AS o JOIN customers AS c ON o.customer = c._key GROUP BY city",
    "SELECT _key AS k, amount FROM orders ORDER BY amount DESC, _key LIMIT 2",
)
Part = tuple[str, tuple[tuple[str, dict[str, object] | None, int], ...]]


def parts_of(random: Random) -> list[Part]:
    """Return records of orders and customers, and deletions among them. In each part the times ascend, as records from
    several partitions are read; the times of a later part may be earlier.
    """
    parts: list[Part] = []
    for _ in range(6):
        of_customers = random.random() < 0.4
        records: list[tuple[str, dict[str, object] | None, int]] = []
        for time in sorted(random.sample(range(1, 60), random.randint(1, 4))):
            value: dict[str, object] = order(random.choice("xyz"), random.randint(1, 9))
            if of_customers:
                value = {"city": random.choice(("Rome", "Oslo"))}
            key = random.choice("xyz" if of_customers else "abcd")
            records.append((key, value if random.random() < 0.8 else None, time))
        parts.append(("customers" if of_customers else "orders", tuple(records)))
    return parts


def applied(changes: list[tuple[object, ...]]) -> dict[object, tuple[object, ...]]:
    """Return the rows to which changes lead."""
    rows: dict[object, tuple[object, ...]] = {}
    for kind, *row in changes:
        assert (row[0] in rows) == (kind != "insert")
        if kind == "delete":
            assert rows.pop(row[0]) == tuple(row), "a removed row is shown as it was"
        else:
            rows[row[0]] = tuple(row)
    return rows


@pytest.mark.parametrize("seed", sampled(range(4), 4))
@pytest.mark.parametrize("text", sampled(STREAMS + TABLES, 2))
def test_many_looks_continue_each_other(shop: Shop, text: str, seed: int) -> None:
    """The records of a stream are those of one evaluation over all records in the order in which they came. The changes
    of a table lead to its rows.
    """
    parts = parts_of(Random(seed))
    looks = shop.followed(text, *(partial(shop.append, topic, *records) for topic, records in parts))
    whole = shop.in_folders(shop.root / "whole")
    for topic, records in parts:
        whole.append(topic, *records)
    rows, expected = ([row for look in each for row in look] for each in (looks, whole.followed(text)))
    assert rows == expected if text in STREAMS else applied(rows) == applied(expected)


def test_limits(shop: Shop) -> None:
    """That of the text and that of the request end it, also among the first rows."""
    shop.append("orders", *((f"k{n}", order("x", n), n) for n in range(4)))

    def never() -> None:
        pytest.fail("it has ended")

    text = "SELECT amount FROM STREAM(orders)"
    assert len(shop.followed(f"{text} LIMIT 3", never)[0]) == 3
    assert len(shop.followed(text, never, limit=2)[0]) == 2
    later = shop.followed(
        text, lambda: shop.append("orders", ("a", order("x", 8), 9), ("b", order("x", 9), 9)), limit=5
    )
    assert list(map(len, later)) == [4, 1]


def test_the_first_rows_of_an_order_change(shop: Shop) -> None:
    """With ORDER BY, LIMIT is how many rows a table has, as in a model."""
    shop.append("orders", ("a", order("x", 1), 1), ("b", order("y", 2), 2))
    assert shop.followed(
        "SELECT customer, amount FROM orders ORDER BY amount DESC LIMIT 1",
        lambda: shop.append("orders", ("c", order("z", 3), 3)),
    ) == [[("insert", "y", 2)], [("delete", "y", 2), ("insert", "z", 3)]]


def test_a_topic_that_was_removed_begins_anew(shop: Shop) -> None:
    shop.append("orders", ("a", order("x", 1), 1), ("b", order("x", 2), 2))

    def removed() -> None:
        shop.opened("SELECT * FROM orders")[1].log.delete("orders")

    assert shop.followed(
        "SELECT amount FROM STREAM(orders)", removed, lambda: shop.append("orders", ("a", order("x", 7), 1))
    ) == [[(1,), (2,)], [("anew",)], [(7,)]]


def test_no_topic_yet(shop: Shop) -> None:
    assert shop.followed(
        "SELECT amount FROM STREAM(orders)", lambda: None, lambda: shop.append("orders", ("a", order("x", 1), 1))
    ) == [[(1,)]]


def test_looks_are_rare_where_an_evaluation_is_long(shop: Shop) -> None:
    shop.append("orders", ("a", order("x", 1), 1))
    query, place = shop.opened("SELECT amount FROM STREAM(orders)")
    pauses: list[float] = []
    times = iter((0.0, 0.01, 5.0, 8.0))

    def pause(seconds: float) -> bool:
        shop.append("orders", ("a", order("x", 1), 1))
        pauses.append(seconds)
        return len(pauses) == 2

    follow_query(query, place, Rows(), Waiting(lambda: next(times), pause))
    assert pauses == [0.5, 12.0]


def test_lines_that_people_edited(shop: Shop) -> None:
    """Space, and negative numbers, are read as in any other reader of a topic."""
    texts = (b'{"ordinal":7,"x":1}', b' { "ordinal" : [ -5, 2 ], "x": 1}', b'{"ordinal":[-5,2],"x":1}', b"broken")
    path = shop.root / "lines.jsonl"
    path.write_bytes(b"\n".join(texts))
    lines = list(_lines("t", [path]))
    assert [line.ordinal for line in lines] == [(7,), (-5, 2), (-5, 2), ()]
    assert [line.at(90).strip() for line in lines] == [
        b'{"ordinal":90,"x":1}', b'{ "ordinal" : [ 90, 2 ], "x": 1}', b'{"ordinal":[90,2],"x":1}', b"broken",
    ]  # fmt: skip


def test_derived_records_with_lower_ordinals(tmp_path: Path) -> None:
    """A batch of a model has the ordinals of what it has read, below those of other topics."""
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "topics.yml").write_text(TOPICS)
    (tmp_path / "models" / "elements.sql").write_text(
        "{{ config(materialized='streaming_table') }} SELECT amount, explode(array(1, 2)) AS part FROM STREAM(parts)"
    )
    (tmp_path / "profiles.yml").write_text(PROFILES["folders"])
    shop = Shop(tmp_path)

    def batch(number: int, amount: int) -> None:
        _, place = shop.opened("SELECT * FROM STREAM(elements)")
        (topic,) = place.plans[0].inputs
        values = [{"amount": amount, "part": part} for part in (1, 2)]
        records = [StoredRecord(topic.name, "a", value, 0, (0, n)) for n, value in enumerate(values)]
        place.log.append_batch(topic, records, generation="g", batch=number)

    shop.append("customers", ("a", {"city": "Rome"}, 1))
    batch(0, 1)
    text = "SELECT e.amount, e.part, c.city FROM STREAM(elements) AS e JOIN customers AS c ON e._key = c._key"
    assert shop.followed(text, lambda: batch(1, 2)) == [[(2, 1, "Rome"), (2, 2, "Rome")]]


REFUSED = {
    "SELECT customer, COUNT(*) AS n FROM o WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY customer EMIT FINAL;": "EMIT FINAL",
    "SELECT customer, COUNT(*) AS n FROM o WINDOW SESSION (1 HOUR) GROUP BY customer EMIT CHANGES;": "a session",
    "SELECT l.k AS k, l.amount, r.amount FROM o l LEFT JOIN o2 r WITHIN 1 HOUR GRACE PERIOD 1 MINUTE ON l.k = r.k;":
        "a LEFT JOIN of streams waits",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_waits_for_time_cannot_be_followed(tmp_path: Path, text: str) -> None:
    columns = (
        "(k STRING KEY, customer STRING, amount INT) WITH (KAFKA_TOPIC = '{}', VALUE_FORMAT = 'JSON', PARTITIONS = 1);"
    )
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: ksql\n")
    (tmp_path / "models").mkdir()
    declared = "\n".join(f"CREATE STREAM {name} {columns.format(name)}" for name in ("o", "o2"))
    (tmp_path / "models" / "m.sql").write_text(f"{declared}\nCREATE STREAM copy AS SELECT * FROM o;")
    (tmp_path / "profiles.yml").write_text(PROFILES["folders"])
    with pytest.raises(LsqlcError) as raised:
        Shop(tmp_path, "ksql").followed(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "LSQ620" and REFUSED[text] in diagnostic.message


def test_targets_that_cannot_be_followed(shop: Shop) -> None:
    store = "{type: embedded, memory: {store: a, is_source: true}}"
    (shop.root / "profiles.yml").write_text(f"targets:\n  dev: {store}\n")
    with pytest.raises(LsqlcError, match="LSQ811"):
        shop.followed("SELECT amount FROM STREAM(orders)")


def test_a_folder_of_files(shop: Shop) -> None:
    (shop.root / "data").mkdir()
    (shop.root / "models" / "files.yml").write_text(
        "topics: [{name: readings, value: 'n INT', connector: files, files: {path: data, format: csv}}]"
    )
    with pytest.raises(LsqlcError, match=r"LSQ620.*'readings' is a folder of files"):
        Shop(shop.root, "lenses").followed("SELECT STREAM n FROM readings")


def test_the_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EMIT CHANGES follows, in text, JSON and CSV."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "bikes", "--dialect", "ksql", "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "bikes")
    assert cli("seed", "--quiet").code == 0
    text = "SELECT station, COUNT(*) AS n FROM rides WHERE minutes > 40 GROUP BY station EMIT CHANGES LIMIT 2;"
    assert cli("query", text).out.splitlines() == [
        "_change  STATION  N", "───────  ───────  ─", "insert   harbour  2", "insert   market   1",
    ]  # fmt: skip
    first = {"_change": "insert", "STATION": "harbour", "N": 2}
    assert cli("query", text, "--output", "json", "-n", "1").lines == [first]
    text = "SELECT bike FROM rides EMIT CHANGES"
    assert cli("query", text, "--output", "csv", "-n", "2").out == "BIKE\nb3\nb9\n"
    assert len(cli("query", text, "--no-follow", "-n", "0", "--output", "json").lines) == 60


@pytest.mark.parametrize(("number", "is_terminal", "text"), [(2, True, "\n"), (0, True, ""), (2, False, "")])
def test_the_line_behind_ctrl_c(
    number: int, is_terminal: bool, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal has shown ^C without the end of its line."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    end_line(Shell("query"), Stop(lambda: None, number))
    assert capsys.readouterr().out == text
