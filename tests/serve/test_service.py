"""What a service keeps of topics: records that cannot be read, topics that are replaced, limits, and equal answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event
from threading import enumerate as enumerate_threads

import duckdb
import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb.current_rows import CurrentRows, InterruptedEvaluationError, Reader, RowTopic
from lsqlc.report.answers import answer_json
from lsqlc.serve.changes import KEPT, ChangeLog, RowChange
from lsqlc.serve.follower import Freshness
from lsqlc.serve.service import Limits, Service, TableAnswer
from lsqlc.tasks.query import QueryRequest, answer, compiled_query, open_query
from lsqlc.types import data
from lsqlc.types.record import Facet, Record, StoredRecord, Topic
from tests.serve.conftest import BIKES, Shop, read

QUERIES = (
    "SELECT * FROM bikes",
    "SELECT station, sum(rides) AS n, collect_list(rides) AS every FROM bikes GROUP BY station",
    "SELECT a.station, b.rides FROM bikes a JOIN bikes b ON a.station = b.station AND a.rides < b.rides",
    "SELECT a.rides, b.rides AS other FROM bikes a LEFT JOIN bikes b ON a.rides = b.rides + 1 ORDER BY 1 DESC, 2",
    "SELECT station FROM bikes UNION SELECT 'x' AS station FROM bikes WHERE rides > 3",
    "SELECT rides, ROW_NUMBER() OVER (PARTITION BY station ORDER BY rides DESC) AS n FROM bikes",
    "SELECT explode(array(rides, 1)) AS x FROM bikes ORDER BY x DESC NULLS LAST LIMIT 3",
    "SELECT array(rides) AS x FROM bikes ORDER BY x DESC",
    "SELECT name, seen, parts FROM stops ORDER BY seen, name",
    "SELECT count(*) AS n FROM bikes WHERE station IN (SELECT station FROM bikes WHERE rides > 4)",
    "SELECT * FROM bikes_at",
)


def codes(error: pytest.ExceptionInfo[LsqlcError]) -> list[str]:
    return [diagnostic.code for diagnostic in error.value.diagnostics]


def test_an_answer_is_that_of_lsqlc_query(folders: Shop) -> None:
    check_answers(folders, QUERIES[1:2])


@pytest.mark.nightly
def test_all_answers_are_those_of_lsqlc_query(shop: Shop) -> None:
    check_answers(shop, QUERIES)


def check_answers(shop: Shop, queries: Sequence[str]) -> None:
    """Compare the answers of a service with those of `lsqlc query`, whole and cut."""
    shop.append(
        "bikes", *BIKES, ("b4", {"station": "x", "rides": 1}), ("b4", None), ("b5", {"station": "park", "rides": 4})
    )
    stop = {"name": "x", "seen": None, "parts": [1, None]}
    shop.append("stops", ({"line": "a", "stop": 2}, stop), ({"line": "a", "stop": 1}, {**stop, "name": None}))
    shop.append("bikes_at", ("park", {"station": "park", "bikes": 2}))
    with shop.served("bikes", "stops", "bikes_at") as service:
        for text in queries:
            workspace = open_query(shop.root, QueryRequest(text), vars={}, environment={})
            expected = answer(compiled_query(workspace), workspace).answer
            assert [*answer_json(service.query(text).answer)] == [*answer_json(expected)], text
            first = service.query(text, limit=1)
            assert [*answer_json(first.answer)] == [*answer_json(expected)][:1], text


def bad_line(shop: Shop) -> None:
    """Append a line that is no record to the folder of a topic, and a good one after it."""
    folder = shop.root / ".lsqlc" / "topics" / "bikes" / "data"
    lines = [b'{"ordinal":90,"timestamp":1,"key":"b1","value":{"station":"x","rides":"many"}}\n']
    lines.append(b'{"ordinal":91,"timestamp":1,"key":"b7","value":{"station":"sea","rides":7}}\n')
    (folder / "00000000000000000090.jsonl").write_bytes(b"".join(lines))


def test_a_record_that_cannot_be_read_stops_its_table(folders: Shop) -> None:
    """The rows before it stay, and say so; other tables go on."""
    folders.append("bikes", *BIKES)
    with folders.served() as service:
        bad_line(folders)
        read(service)
        fresh = service.follower.freshness("bikes")
        assert fresh.problem is not None and fresh.read == 4 and fresh.is_loaded
        assert len(service.row("bikes", "b1").answer) == 1 and len(service.row("bikes", "b7").answer) == 0
        assert service.follower.freshness("stops").problem is None


def test_a_record_that_cannot_be_read_is_skipped_by_policy(folders: Shop) -> None:
    (folders.root / "lsqlc.yml").write_text("name: shop\ndialect: sql\ndefaults: {error_policy: continue}\n")
    folders.append("bikes", *BIKES)
    with folders.served("bikes") as service:
        bad_line(folders)
        read(service)
        fresh = service.follower.freshness("bikes")
        assert (fresh.problem, fresh.skipped, fresh.read) == (None, 1, 5)
        assert len(service.row("bikes", "b7").answer) == 1


def test_an_unexpected_error_is_a_problem_of_its_table(folders: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next look tries again."""
    folders.append("bikes", *BIKES)
    with folders.served("bikes", loaded=False) as service:
        with monkeypatch.context() as patch:
            patch.setattr(CurrentRows, "write", lambda *arguments: 1 / 0)
            assert not service.follower.look()
        problem = service.follower.freshness("bikes").problem
        assert problem is not None and problem.code == "LSQ843" and "ZeroDivisionError" in problem.message
        read(service)
        assert service.follower.freshness("bikes").problem is None and service.count("bikes") == 3


def test_a_topic_that_is_replaced_is_read_anew(shop: Shop) -> None:
    shop.append("bikes", *BIKES)
    with shop.served("bikes") as service:
        position = service.follower.changes["bikes"].end
        service.follower.log.delete("bikes")
        shop.append("bikes", ("n1", {"station": "new", "rides": 1}))
        read(service)
        assert [*answer_json(service.rows_of("bikes", None, None).answer)] == [
            '{"_key":"n1","station":"new","rides":1}'
        ]
        assert service.follower.changes["bikes"].after(position).has_missed


def test_rows_that_are_removed_while_they_are_read_are_no_answer(
    folders: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A topic is replaced after the freshness of an answer was noted: its rows must not be missing in the answer."""
    folders.append("bikes", *BIKES)
    with folders.served("bikes") as service:
        noted = Service.fresh

        def then_replaced(self: Service, names: tuple[str, ...]) -> Mapping[str, Freshness]:
            freshness = noted(self, names)
            service.follower.log.delete("bikes")
            folders.append("bikes", ("n", {"station": "new", "rides": 1}))
            read(service)
            return freshness

        monkeypatch.setattr(Service, "fresh", then_replaced)
        requests: tuple[Callable[[], TableAnswer], ...] = (
            lambda: service.row("bikes", "b1"),
            lambda: service.rows_of("bikes", None, None),
            lambda: service.query("SELECT * FROM bikes"),
        )
        for asked in requests:
            with pytest.raises(LsqlcError) as error:
                asked()
            assert codes(error) == ["LSQ839"]


def test_a_declaration_that_changes_needs_a_new_start(folders: Shop) -> None:
    folders.append("bikes", *BIKES)
    with folders.served("bikes") as service:
        declared = folders.root / "models" / "topics.yml"
        declared.write_text(declared.read_text().replace("rides INT", "rides BIGINT"))
        with pytest.raises(LsqlcError) as error:
            service.query("SELECT * FROM bikes")
        assert codes(error) == ["LSQ835"] and "has changed" in str(error.value)


def test_rows_are_counted_behind_an_offset(folders: Shop) -> None:
    """The limits of the service and of the client are about the rows that are left."""
    folders.append("bikes", *((f"b{n}", {"station": "x", "rides": n}) for n in range(30)))
    with folders.served("bikes", limits=Limits(rows=5)) as service:
        for bounds, limit, rides, has_more in (
            ("OFFSET 10", None, range(10, 15), True),
            ("LIMIT 20 OFFSET 10", 3, range(10, 13), True),
            ("LIMIT 3 OFFSET 10", None, range(10, 13), False),
            ("LIMIT 5 OFFSET 10", None, range(10, 15), False),
            ("OFFSET 28", None, range(28, 30), False),
        ):
            served = service.query(f"SELECT rides FROM bikes ORDER BY rides {bounds}", limit=limit)
            assert [*answer_json(served.answer)] == [f'{{"rides":{n}}}' for n in rides], bounds
            assert served.has_more == has_more, bounds


def test_limits(folders: Shop) -> None:
    """Rows are cut, and a query that takes too long is ended; the next one is answered."""
    folders.append("bikes", *((f"b{n}", {"station": str(n % 7), "rides": n}) for n in range(600)))
    with folders.served("bikes", limits=Limits(rows=5)) as service:
        cut = service.query("SELECT * FROM bikes", limit=100)
        assert (len(cut.answer), cut.has_more) == (5, True)
        with pytest.raises(LsqlcError) as error:
            service.query("SELECT array(rides) AS x FROM bikes ORDER BY x")
        assert codes(error) == ["LSQ838"]


def test_a_query_that_takes_too_long_is_ended(folders: Shop) -> None:
    folders.append("bikes", *((f"b{n}", {"station": "x", "rides": n}) for n in range(700)))
    slow = (
        "SELECT count(*) AS n FROM bikes a JOIN bikes b ON a.station = b.station JOIN bikes c ON b.station = c.station"
    )
    with folders.served("bikes", limits=Limits(seconds=0.2)) as service:
        with pytest.raises(LsqlcError) as error:
            service.query(f"{slow} WHERE a.rides + b.rides + c.rides > 1")
        assert codes(error) == ["LSQ838"]
        assert len(service.row("bikes", "b1").answer) == 1


def test_an_interrupt_without_effect_is_repeated(folders: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first interrupt is lost, as one is that comes before the evaluation. The query ends by the second one."""
    folders.append("bikes", ("b1", {"station": "x", "rides": 1}))
    interrupts, is_interrupted = list[Reader](), Event()

    def interrupt(reader: Reader) -> None:
        interrupts.append(reader)
        if len(interrupts) == 2:
            is_interrupted.set()

    def evaluate(reader: Reader, *arguments: object) -> None:
        if is_interrupted.wait(30):
            raise InterruptedEvaluationError

    monkeypatch.setattr(Reader, "interrupt", interrupt)
    monkeypatch.setattr(Reader, "evaluate", evaluate)
    with folders.served("bikes", limits=Limits(seconds=0.1)) as service:
        with pytest.raises(LsqlcError) as error:
            service.query("SELECT count(*) AS n FROM bikes")
        assert codes(error) == ["LSQ838"] and len(interrupts) >= 2
        assert not [thread.name for thread in enumerate_threads() if thread.name == "deadline"]


def test_tables_that_cannot_be_served(folders: Shop) -> None:
    for topic, code in (("log", "LSQ834"), ("nothing", "LSQ063")):
        with pytest.raises(LsqlcError) as error, folders.served(topic):
            pass
        assert codes(error) == [code]
    with pytest.raises(LsqlcError) as error, folders.served("bikes", limits=Limits(memory="much")):
        pass
    assert codes(error) == ["LSQ837"]


def test_rows_that_do_not_fit_into_memory(folders: Shop) -> None:
    folders.append("bikes", *((f"b{n}", {"station": "x" * 2000, "rides": n}) for n in range(5000)))
    with folders.served("bikes", limits=Limits(memory="8MB"), loaded=False) as service:
        service.follower.look()
        fresh = service.follower.freshness("bikes")
        assert fresh.problem is not None and fresh.problem.code == "LSQ838" and not fresh.is_loaded


def test_a_reader_sees_the_rows_of_its_statement() -> None:
    """A row may be replaced and removed while an older version is read."""
    topic = Topic("t", Facet(data.STRING, "string"), Facet(data.STRING, "string"))
    rows = CurrentRows([RowTopic(topic)], readers=1)
    reader = rows.readers[0]

    def put(value: str | None) -> None:
        rows.write("t", {'"k"': StoredRecord("t", "k", value, 1, (0,))})

    put("one")
    connection: duckdb.DuckDBPyConnection = reader.database.connection
    connection.begin()
    assert reader.row("t", '"k"') == Record("t", "k", "one", 1)
    for value in ("two", None, "three"):
        put(value)
    assert reader.row("t", '"k"') == Record("t", "k", "one", 1)
    connection.commit()
    assert reader.row("t", '"k"') == Record("t", "k", "three", 1)
    rows.close()


def test_the_sign_of_a_zero_is_kept() -> None:
    topic = Topic("z", Facet(data.STRING, "string"), Facet(data.Struct((data.Field("f", data.DOUBLE),)), "json"))
    rows = CurrentRows([RowTopic(topic)])
    try:
        for value in (1.0, -0.0):
            rows.write("z", {'"a"': StoredRecord("z", "a", {"f": value}, 0, (0,))})
        row = rows.readers[0].row("z", '"a"')
        assert row is not None and str(row.value["f"]) == "-0.0"
    finally:
        rows.close()


def test_a_reader_of_changes_that_is_too_slow_knows_it() -> None:
    log = ChangeLog()
    log.add(RowChange("insert", Record("t", n, n)) for n in range(KEPT + 2))
    assert log.after(1).has_missed and not log.after(2).has_missed
    assert len(log.after(2).changes) == KEPT and log.after(log.end).changes == ()
    assert log.after(log.end + 1).has_missed
