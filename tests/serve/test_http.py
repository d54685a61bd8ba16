"""The service over HTTP: what it answers, what it refuses, and what its answers include."""

from __future__ import annotations

import asyncio
import re
from threading import Event
from typing import Any
from urllib.parse import quote

import pytest

from lsqlc.serve.http import handlers
from lsqlc.serve.http.bodies import freshness_data
from lsqlc.serve.http.routes import ROUTES, openapi
from lsqlc.serve.http.server import Listening, application
from lsqlc.serve.service import Limits, Service
from tests.serve.conftest import BIKES, Answered, Asked, Shop, ask, asked, query, read

LISTENING = Listening("127.0.0.1", 0)


def rows(answer: Answered) -> list[tuple[Any, ...]]:
    assert answer.status == 200, answer.content
    return [tuple(row.values()) for row in answer.data["rows"]]


def test_rows_keys_and_conditions(shop: Shop) -> None:
    """The newest record of a key is its row; a record without a value removes it."""
    shop.append("bikes", *BIKES, ("b3", None))
    with shop.served("bikes") as service:
        every, one, none, where, first = ask(
            service,
            Asked("/tables/bikes"),
            Asked("/tables/bikes/b1"),
            Asked("/tables/bikes/b3"),
            Asked("/tables/bikes", "where=rides%20%3E%204"),
            Asked("/tables/bikes", "limit=1"),
        )
        assert rows(every) == [("b1", "harbour", 4), ("b2", "harbour", 5)]
        assert not every.data["has_more"] and first.data["has_more"]
        assert one.data["row"] == {"_key": "b1", "station": "harbour", "rides": 4}
        assert (none.status, none.data["row"]) == (404, None)
        assert rows(where) == [("b2", "harbour", 5)]
        assert every.data["columns"][0] == {"name": "_key", "type": "STRING", "key": True}
        assert one.headers["cross-origin-resource-policy"] == "same-origin"
        fresh = one.data["freshness"]["bikes"]
        assert sum(fresh["offsets"].values()) == 5
        assert (fresh["lag_records"], fresh["loaded"], fresh["problem"]) == (0, True, None)


def test_tables_have_columns_and_keys(folders: Shop) -> None:
    folders.append("stops", ({"line": "a", "stop": 1}, {"name": "x", "seen": None, "parts": [1]}))
    with folders.served() as service:
        [tables] = ask(service, Asked("/tables"))
        bikes, stops = tables.data["tables"]
        assert (bikes["name"], bikes["rows"], bikes["key"]) == ("bikes", 0, ["_key"])
        assert (stops["rows"], stops["key"]) == (1, ["_key.line", "_key.stop"])
        assert [column["type"] for column in stops["columns"]] == ["STRING", "INT", "STRING", "TIMESTAMP", "ARRAY<INT>"]


def test_a_key_of_several_columns_is_an_object(folders: Shop) -> None:
    folders.append("stops", ({"line": "a/b", "stop": 1}, {"name": "x", "seen": None, "parts": [1]}))
    with folders.served("stops") as service:
        found, other, wrong = ask(
            service,
            Asked('/tables/stops/{"stop": 1, "line": "a/b"}'),
            Asked("/tables/stops", "key=%7B%22line%22%3A%22a%2Fb%22%2C%22stop%22%3A1%7D"),
            Asked("/tables/stops/a"),
        )
        [unknown] = ask(service, Asked('/tables/stops/{"stop": 1, "Line": "a/b"}'))
        assert (unknown.status, unknown.code) == (400, "LSQ842")
        assert found.data["row"]["name"] == other.data["row"]["name"] == "x"
        assert (wrong.status, wrong.code) == (400, "LSQ842")


def test_a_text_is_a_key_as_it_is(folders: Shop) -> None:
    """A key that is the name of a route, or that is empty, is written as a parameter."""
    keys = ["", "a/b", "changes", "ü 'x' \"y\"", "\\", "null", "1", "1\n", "a\nb", "\n"]
    folders.append("bikes", *((key, {"station": key, "rides": 1}) for key in keys))
    with folders.served("bikes") as service:
        in_path = ask(service, *(Asked(f"/tables/bikes/{key}") for key in keys if key != "changes"))
        in_query = ask(service, *(Asked("/tables/bikes", f"key={quote(key)}") for key in keys))
    assert [answer.data["row"]["station"] for answer in in_path] == [key for key in keys if key != "changes"]
    assert [answer.data["row"]["_key"] for answer in in_query] == keys


def test_queries_are_those_of_the_project(shop: Shop) -> None:
    shop.append("bikes", *BIKES)
    with shop.served("bikes") as service:
        grouped, ordered, limited, of_ksql = ask(
            service,
            query("SELECT station, count(*) AS n FROM bikes GROUP BY station ORDER BY n DESC, station"),
            query("SELECT rides FROM bikes ORDER BY rides DESC NULLS FIRST LIMIT 2"),
            query("SELECT rides FROM bikes ORDER BY rides DESC", limit=1),
            query("SELECT TABLE * FROM bikes", dialect="lenses", limit=1),
        )
        assert rows(grouped) == [("harbour", 2), (None, 1)]
        assert rows(ordered) == [(None,), (5,)] and not ordered.data["has_more"]
        assert rows(limited) == [(5,)] and limited.data["has_more"]
        assert rows(of_ksql) == [("b1", "harbour", 4)]
        assert [*grouped.data["freshness"]] == ["bikes"]


REFUSED = {
    "SELECT * FROM log": "LSQ835",
    "SELECT * FROM STREAM(bikes)": "LSQ835",
    "SELECT count(*) FROM STREAM(bikes)": "LSQ835",
    "SELECT * FROM stops": "LSQ835",
    "SELECT {{ env_var('HOME') }} AS home FROM bikes": "LSQ840",
    "{% set x = 1 %} SELECT * FROM bikes": "LSQ840",
    "SELECT * FROM read_text('/etc/passwd')": "LSQ450",
    "SELECT * FROM '/etc/passwd'": "LSQ200",
    "SELECT * FROM `topic bikes`": "LSQ200",
    "SELECT getenv('HOME') FROM bikes": "LSQ206",
    "COPY bikes TO '/tmp/x'": "LSQ450",
    "ATTACH 'x.db'": "LSQ102",
    "SET memory_limit = '1TB'": "LSQ450",
    "PRAGMA database_list": "LSQ450",
    "INSTALL httpfs": "LSQ450",
    "SELECT * FROM bikes; DROP TABLE bikes": "LSQ450",
    "INSERT INTO bikes VALUES ('x', 'y', 1)": "LSQ450",
    "": "LSQ882",
}


def test_queries_that_are_refused(folders: Shop) -> None:
    """Only a plan over the tables is evaluated, so that no text reaches DuckDB."""
    folders.append("bikes", *BIKES)
    with folders.served("bikes") as service:
        answers = ask(service, *map(query, REFUSED), Asked("/tables/bikes/b1"))
    *refused, after = answers
    assert {sql: (a.status, a.code) for sql, a in zip(REFUSED, refused, strict=True)} == {
        sql: (400, code) for sql, code in REFUSED.items()
    }
    assert after.status == 200


def test_requests_that_are_refused(folders: Shop) -> None:
    """A parameter that is misspelt is not ignored, and a body is read as JSON only where it is declared so."""
    folders.append("bikes", *BIKES)
    json_type = {"content-type": "application/json"}
    wrong = {
        Asked("/tables/bike"): (404, "LSQ836"),
        Asked("/nothing"): (404, "LSQ840"),
        Asked("/tables", method="DELETE"): (405, "LSQ840"),
        Asked("/query"): (405, "LSQ840"),
        Asked("/tables/bikes", "limt=1"): (400, "LSQ840"),
        Asked("/tables/bikes", "limit=-1"): (400, "LSQ840"),
        Asked("/tables/bikes", "limit=1&limit=2"): (400, "LSQ840"),
        Asked("/tables/bikes", "key=b1&where=true"): (400, "LSQ840"),
        Asked("/tables/bikes", "where=ridez%3E1"): (400, "LSQ201"),
        Asked("/tables/bikes", "where=true%20GROUP%20BY%20station"): (400, "LSQ683"),
        Asked("/tables/bikes", "where=%7B%7B1%7D%7D"): (400, "LSQ840"),
        Asked("/tables/bikes/b1", "after=bikes"): (400, "LSQ840"),
        Asked("/tables/bikes/b1", "after=log:0:1"): (404, "LSQ836"),
        Asked("/query", method="POST", body=b'{"sql":"SELECT 1"}'): (400, "LSQ840"),
        Asked("/query", method="POST", body=b"{", headers=json_type): (400, "LSQ840"),
        Asked("/query", method="POST", body=b"\xff", headers=json_type): (400, "LSQ840"),
        Asked("/query", method="POST", body=b'{"sql": 1}', headers=json_type): (400, "LSQ840"),
        Asked("/query", method="POST", body=b'{"sql": "x", "more": 1}', headers=json_type): (400, "LSQ840"),
        query("SELECT * FROM bikes", dialect="duckdb"): (400, "LSQ840"),
        query("SELECT * FROM bikes", limit=-1): (400, "LSQ840"),
        Asked("/query", method="POST", body=b" " * 2_000_000, headers=json_type): (413, "LSQ838"),
        Asked("/tables", headers={"content-length": "9999999999"}): (413, "LSQ838"),
        Asked("/tables/bikes", "key=%FF"): (400, "LSQ840"),
        Asked("/tables/bikes/changes", method="HEAD"): (405, "LSQ840"),
        query(f"SELECT '{'x' * 70_000}' AS x FROM bikes"): (400, "LSQ840"),
        Asked("/tables", headers={"host": "evil.example"}): (403, "LSQ841"),
        Asked("/health", headers={"host": "evil.example"}): (403, "LSQ841"),
        Asked("/tables", headers={"host": "localhost:1@evil.example"}): (403, "LSQ841"),
        Asked("/tables", headers={"sec-fetch-site": "cross-site"}): (403, "LSQ841"),
        Asked("/tables", headers={"origin": "http://evil.example"}): (403, "LSQ841"),
        Asked("/tables", headers={"origin": "null"}): (403, "LSQ841"),
        Asked("http://evil.example/tables"): (404, "LSQ840"),
    }
    with folders.served("bikes") as service:
        answers = ask(service, *wrong)
    assert [(answer.status, answer.code) for answer in answers] == [*wrong.values()]


def test_a_query_that_cannot_be_interrupted_has_an_answer(folders: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    folders.append("bikes", *BIKES)
    monkeypatch.setattr(handlers, "_GRACE", 0.0)
    end = Event()
    monkeypatch.setattr(Service, "query", lambda *_: end.wait())
    with folders.served("bikes", limits=Limits(seconds=0.01)) as service:

        async def answered() -> Answered:
            async with application(service, LISTENING) as (guard, _):
                answer = await asked(guard, query("SELECT * FROM bikes"))
                end.set()
                return answer

        answer = asyncio.run(answered())
        assert (answer.status, answer.code) == (503, "LSQ838")


def test_a_token_is_needed_by_all_but_probes(folders: Shop) -> None:
    requests = [
        Asked("/tables"),
        Asked("/tables", headers={"authorization": "Bearer wrong"}),
        Asked("/tables", headers={"authorization": "Basic secret"}),
        Asked("/metrics"),
        Asked("/openapi.json"),
        Asked("/tables", headers={"authorization": "Bearer secret", "host": "shop.example"}),
        Asked("/health", headers={"host": "shop.example"}),
        Asked("/ready"),
    ]
    with folders.served("bikes") as service:
        answers = ask(service, *requests, token="secret", host="0.0.0.0")
    assert [answer.status for answer in answers] == [401, 401, 401, 401, 401, 200, 200, 200]
    assert answers[0].headers["www-authenticate"] == "Bearer"


def test_a_table_is_ready_when_its_topic_has_been_read(shop: Shop) -> None:
    shop.append("bikes", *BIKES)
    with shop.served("bikes", loaded=False) as service:
        live, early, *refused = ask(
            service, Asked("/health"), Asked("/ready"), Asked("/tables/bikes"), query("SELECT * FROM bikes")
        )
        assert (live.status, early.status, early.data["ready"]) == (200, 503, False)
        assert [(answer.status, answer.code) for answer in refused] == [(503, "LSQ839")] * 2
        assert refused[0].headers["retry-after"] == "1"
        read(service)
        [ready] = ask(service, Asked("/ready"))
        assert (ready.status, ready.data["ready"]) == (200, True)


def test_an_answer_waits_for_a_record(shop: Shop) -> None:
    """`after` names a record by the offset that a producer knows; one that does not come ends the wait."""
    shop.append("bikes", *BIKES)
    with shop.served("bikes", limits=Limits(seconds=60)) as service:
        offsets = freshness_data(service, service.follower.freshness("bikes"))["offsets"]
        partition = max(offsets, key=lambda each: offsets[each])
        next_record = f"after=bikes:{partition}:{offsets[partition]}"

        async def waited() -> tuple[Answered, bool]:
            async with application(service, LISTENING) as (guard, _):
                waiting = asyncio.create_task(asked(guard, Asked("/tables/bikes", next_record)))
                await asked(guard, Asked("/health"))
                was_waiting = not waiting.done()
                # Enough for all partitions.
                shop.append("bikes", *((f"n{n}", {"station": "x", "rides": n}) for n in range(20)))
                await asyncio.to_thread(read, service)
                return await waiting, was_waiting

        answer, was_waiting = asyncio.run(waited())
        assert was_waiting and len(rows(answer)) == 23
        [known] = ask(service, Asked("/tables/bikes", next_record))
        assert known.status == 200
    with shop.served("bikes", limits=Limits(seconds=0.01)) as service:
        [late] = ask(service, Asked("/tables/bikes", "after=bikes:0:999"))
        assert (late.status, late.code) == (503, "LSQ839")


def events(content: bytes) -> list[tuple[str, str]]:
    """The names and the data of events."""
    parsed = [dict(line.split(": ", 1) for line in event.splitlines()) for event in content.decode().split("\n\n")[:-1]]
    return [(event["event"], event["data"]) for event in parsed]


def test_changes_are_events(shop: Shop) -> None:
    """A change that leaves the row as it was is none; a client goes on after the last event that it has seen."""
    shop.append("bikes", *BIKES)
    with shop.served("bikes") as service:

        async def changes() -> tuple[Answered, Answered, Answered]:
            async with application(service, LISTENING) as (guard, handlers):
                following = asyncio.create_task(asked(guard, Asked("/tables/bikes/changes"), 5))
                await asked(guard, Asked("/health"))
                shop.append(
                    "bikes", ("b1", {"station": "sea", "rides": 4}), ("b2", None), ("b9", {"station": "a", "rides": 1})
                )
                shop.append("bikes", ("b3", {"station": None, "rides": None}), ("nobody", None))
                await asyncio.to_thread(read, service)
                first = await following
                seen = {"last-event-id": f"{handlers.run}-1"}
                again = await asked(guard, Asked("/tables/bikes/changes", headers=seen), 4)
                other = await asked(guard, Asked("/tables/bikes/changes", headers={"last-event-id": "x-1"}), 2)
                return first, again, other

        first, again, other = asyncio.run(changes())
    assert first.headers["content-type"].startswith("text/event-stream")
    (opened, _), *changed = events(first.content)
    assert opened == "open"
    assert sorted(each for each in changed if each[0] != "freshness") == [
        ("delete", '{"_key":"b2","station":"harbour","rides":5}'),
        ("insert", '{"_key":"b9","station":"a","rides":1}'),
        ("update", '{"_key":"b1","station":"sea","rides":4}'),
    ]
    assert events(again.content)[1:3] == changed[1:3]
    assert [name for name, _ in events(other.content)] == ["open", "missed"]


def test_the_openapi_document_is_of_the_routes(folders: Shop) -> None:
    with folders.served("bikes") as service:
        [answer] = ask(service, Asked("/openapi.json"))
        document = answer.data
        handlers = {
            name for path in document["paths"].values() for name in (each["operationId"] for each in path.values())
        }
        assert len(handlers) == len(ROUTES) and document == openapi("", has_token=False)
        names = set(re.findall(r"#/components/schemas/(\w+)", answer.content.decode()))
        assert names == set(document["components"]["schemas"])
        in_path = {
            path: [p["name"] for p in each.get("parameters", ()) if p["in"] == "path"]
            for path, methods in document["paths"].items()
            for each in methods.values()
        }
        assert all(re.findall(r"{(\w+)}", path) == names for path, names in in_path.items())


def test_metrics(folders: Shop) -> None:
    folders.append("bikes", *BIKES)
    with folders.served("bikes") as service:
        _, _, answer = ask(service, Asked("/tables/bikes/b1"), Asked("/tables/bikes/x"), Asked("/metrics"))
        labels = 'project="shop",target="here",topic="bikes"'
        text = answer.content.decode()
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        for line in ("rows{%s} 3", "loaded{%s} 1", "lag_records{%s} 0", "records_read_total{%s} 4"):
            assert f"lsqlc_serve_{line % labels}\n" in text
        assert 'lsqlc_serve_requests_total{project="shop",target="here",status="404"} 1\n' in text
