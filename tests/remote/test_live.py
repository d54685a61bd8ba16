"""Against an embedded server: sessions, queries, exactly once, resuming, failures, cases."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.steps import Source, SparkPlan, Stage, View, Write
from lsqlc.remote.cases.cases import Model, evaluate
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.server.embedded import SETTINGS, EmbeddedServer, ServerOptions
from lsqlc.remote.session.localhost import BOUND
from lsqlc.remote.session.probe import probe
from lsqlc.remote.session.session import connect, parse_address
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Case, Facet, Record, Topic
from tests.shared import SharedServer

from .plans import copy, points, windows

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

pytestmark = pytest.mark.spark

PLAYER = Facet(parse_columns("country STRING, points BIGINT"), "json")
KEY = Facet(data.STRING, "string")
TOTAL = Topic("totals", KEY, Facet(parse_columns("points BIGINT"), "json"))
FILE_BY_FILE = RunOptions(QueryOptions(segments_per_batch=1))


def topic(name: str) -> Topic:
    return Topic(name, KEY, PLAYER)


def players(count: int, seed: int) -> list[Record]:
    """Upserts and tombstones of 40 players in 6 countries."""
    choose = random.Random(seed)
    records = []
    for _ in range(count):
        country = f"c{choose.randrange(6)}"
        value = None if choose.random() < 0.1 else {"country": country, "points": choose.randrange(100)}
        records.append(Record("players", f"p{choose.randrange(40)}", value))
    return records


def expected_totals(records: list[Record]) -> dict[str, int]:
    newest = {r.key: r.value for r in records}
    totals: dict[str, int] = {}
    for value in newest.values():
        if value is not None:
            totals[value["country"]] = totals.get(value["country"], 0) + value["points"]
    return totals


def live_totals(log: FileLog) -> dict[str, int]:
    rows = {r.key: r.value for r in log.read(TOTAL)}
    return {key: value["points"] for key, value in rows.items() if value is not None}


def test_session_has_our_settings(spark: SparkSession) -> None:
    """A session runs in UTC and ANSI mode on a server of a supported version."""
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"


def test_chain_of_queries_runs_and_resumes(spark: SparkSession, spark_server: SharedServer, tmp_path: Path) -> None:
    """Two models run in order over many batches, a second run reads only what is new, each batch is reported once."""
    log, records = FileLog(tmp_path / "topics"), players(300, seed=1)
    log.append(topic("players"), records, segments_of=30)
    jobs = [
        Job("totals", points("totals", "play-ers", "totals")),
        Job("copied", copy("copied", "players", "play-ers")),
    ]
    events: list[object] = []

    def go() -> tuple[QuerySummary, ...]:
        events.clear()
        address = parse_address(spark_server.address)
        return run(
            RunResources(spark, address, FileTransport(log.root), tmp_path / "checkpoints"),
            jobs,
            options=FILE_BY_FILE,
            report=events.append,
        )

    copied, totals = go()
    assert (copied.rows, copied.batches, copied.counts) == (300, 10, {"copied": 300, "nulls": 0})
    assert copied.finished and totals.finished and not totals.resumed
    assert totals.state_rows > 0
    assert [e.batch for e in events if isinstance(e, BatchProgress) and e.query == "copied"] == list(range(10))
    assert [e.model for e in events if isinstance(e, Started)] == ["copied", "totals"]
    for query, written in (("copied", topic("play-ers")), ("totals", TOTAL)):
        counted = [e.written for e in events if isinstance(e, BatchProgress) and e.query == query]
        assert sum(filter(None, counted)) == len(list(log.read(written))) > 0 and None not in counted
    assert live_totals(log) == expected_totals(records)
    more = players(60, seed=2)
    log.append(topic("players"), more, segments_of=30)
    copied, totals = go()
    assert (copied.rows, copied.resumed, totals.batches) == (60, True, 2)
    assert live_totals(log) == expected_totals(records + more)
    assert len(list(log.read(topic("play-ers")))) == 360


def test_one_source_reads_topics_in_order_of_arrival(
    spark: SparkSession, spark_server: SharedServer, tmp_path: Path
) -> None:
    """Segments of several topics come in the order of their ordinals; a topic that does not exist is empty."""
    choose = random.Random(5)
    log = FileLog(tmp_path / "topics")
    order = [choose.choice(["a", "b-b", "c.c"]) for _ in range(12)]
    for name in order:
        log.append(topic(name), [Record(name, "k", {"country": "x", "points": 1})])
    source = Source("lines", ("a", "b-b", "c.c", "none"))
    line = "select concat('{\"ordinal\":', get_json_object(_line, '$.ordinal'), ',\"from\":\"', _topic, '\"}') as line"
    stage = Stage("mixed", (source, View("out", f"{line} from lines", "")), Write("out", "mixed", "append"))
    events: list[object] = []
    transport, address = FileTransport(log.root), parse_address(spark_server.address)
    jobs = [Job("m", SparkPlan((stage,)))]
    run(RunResources(spark, address, transport, tmp_path / "ck"), jobs, options=FILE_BY_FILE, report=events.append)
    segments = sorted((log.data_dir("mixed")).iterdir())
    # One segment per batch, so their order is the order in which the records were read.
    assert [s.read_text() for s in segments] == [f'{{"ordinal":{i},"from":"{t}"}}\n' for i, t in enumerate(order)]


def test_stopping_and_going_on_gives_the_same(spark: SparkSession, spark_server: SharedServer, tmp_path: Path) -> None:
    """A run that is asked to stop ends unfinished, and the next one makes the topic what one run would have made it."""
    log, records = FileLog(tmp_path / "topics"), players(400, seed=3)
    log.append(topic("players"), records, segments_of=40)
    jobs = [Job("totals", points("totals", "players", "totals"))]
    seen = threading.Event()
    address, transport = parse_address(spark_server.address), FileTransport(log.root)
    (first,) = run(
        RunResources(spark, address, transport, tmp_path / "ck"),
        jobs,
        options=FILE_BY_FILE,
        report=lambda e: seen.set() if isinstance(e, BatchProgress) and e.batch == 2 else None,
        stop=seen.is_set,
    )
    assert not first.finished and 2 < first.batches < 10
    (second,) = run(RunResources(spark, address, transport, tmp_path / "ck"), jobs, options=FILE_BY_FILE)
    assert second.finished and second.resumed
    # A batch for each file. One that was stopped when the source had noted its file, and the query had not, takes the
    # next file with it.
    assert len(list(log.data_dir("totals").iterdir())) in (9, 10)
    assert live_totals(log) == expected_totals(records)


def test_running_on_takes_what_arrives(spark: SparkSession, spark_server: SharedServer, tmp_path: Path) -> None:
    """Without an end, a chain of queries reads records that arrive while it runs, until it is stopped."""
    log = FileLog(tmp_path / "topics")
    jobs = [Job("c", copy("c1", "players", "mid")), Job("d", copy("d1", "mid", "end"))]
    arrived = threading.Event()
    log.append(topic("players"), players(5, seed=4))

    def report(event: object) -> None:
        if isinstance(event, BatchProgress) and event.query == "d1" and event.rows == 5:
            log.append(topic("players"), players(7, seed=5))
        if isinstance(event, BatchProgress) and event.query == "d1" and event.rows == 7:
            arrived.set()

    deadline = time.monotonic() + 60
    options = RunOptions(QueryOptions(until_read=False))
    run(
        RunResources(spark, parse_address(spark_server.address), FileTransport(log.root), tmp_path / "ck"),
        jobs,
        options=options,
        report=report,
        stop=lambda: arrived.is_set() or time.monotonic() > deadline,
    )
    assert len(list(log.read(topic("end")))) == 12


def test_failing_query_says_why(spark: SparkSession, spark_server: SharedServer, tmp_path: Path) -> None:
    """A query that fails on a record is LSQ661 with Spark's class and no stack; SQL that Spark refuses is LSQ665."""
    log = FileLog(tmp_path / "topics")
    log.append(topic("players"), players(5, seed=1))
    address, transport = parse_address(spark_server.address), FileTransport(log.root)
    broken = copy("b1", "players", "out", column="cast(1 div (length(_line) - length(_line)) as string)")
    with pytest.raises(LsqlcError) as error:
        run(RunResources(spark, address, transport, tmp_path / "ck"), [Job("broken", broken)])
    (found,) = error.value.diagnostics
    assert found.code == "LSQ661"
    assert "'broken'" in found.message and "DIVIDE_BY_ZERO" in " ".join(found.notes)
    assert "\tat " not in str(found)
    with pytest.raises(LsqlcError) as error:
        run(
            RunResources(spark, address, transport, tmp_path / "ck"),
            [Job("wrong", copy("w1", "players", "o", column="nothing"))],
        )
    (found,) = error.value.diagnostics
    # Where the server's version was not tried, queries are looked at before any starts.
    assert found.code in ("LSQ665", "LSQ698")
    assert "UNRESOLVED_COLUMN" in found.notes[0]


def test_cases_of_a_model_run_in_one_query(spark: SparkSession, tmp_path: Path) -> None:
    """Cases stay apart, their batches in step, and a case without output is there with none."""

    def player(key: str, country: str | None, score: int = 0) -> Record:
        return Record("players", key, None if country is None else {"country": country, "points": score})

    cases = [
        Case("moves", ((player("a", "uk", 1), player("b", "uk", 2)), (player("a", "usa", 5),), (player("b", None),))),
        Case("one", ((player("a", "uk", 9),),)),
        Case("none", ()),
    ]
    plan = points("totals", "players", "totals", cases=True)
    found = evaluate(Model("totals", plan, {"players": topic("players")}), spark, tmp_path, cases)
    assert found["none"].lines == {"totals": ()}
    assert found["one"].lines["totals"] == ('{"case":"one","ordinal":0,"timestamp":0,"key":"uk","value":{"points":9}}',)
    last = {line.split('"key":')[1].split(",")[0]: line for line in found["moves"].lines["totals"]}
    assert last['"uk"'].endswith('"value":null}') and last['"usa"'].endswith('"value":{"points":5}}')
    assert list(tmp_path.iterdir()) == []


def test_stages_of_a_case_follow_each_other(spark: SparkSession, tmp_path: Path) -> None:
    """A second stage reads what the first one wrote, by case."""
    first = points("s1", "players", "totals", cases=True).stages[0]
    lines = (
        "select concat('{\"case\":\"', _case, '\",', substring(_line, instr(_line, '\"ordinal\"'))) as line from lines"
    )
    steps = (Source("lines", ("totals",)), View("out", lines, "again"))
    plan = SparkPlan((first, Stage("s2", steps, Write("out", "again", "append"))))
    cases = [Case(n, ((Record("players", "a", {"country": n, "points": 1}),),)) for n in ("x", "y")]
    found = evaluate(Model("m", plan, {"players": topic("players")}), spark, tmp_path, cases)
    assert found["x"].lines["again"] == found["x"].lines["totals"] != ()
    assert found["y"].lines["again"] == found["y"].lines["totals"] != found["x"].lines["totals"]


def test_time_goes_to_infinity_after_a_case(spark: SparkSession, tmp_path: Path) -> None:
    """Windows that no record closes come out after the last batch, and the end itself is no record."""
    at = [1_000, 2_000, 61_000, 130_000]
    records = [Record("players", "a", {"country": "uk", "points": 1}, t) for t in at]
    cases = [Case("w", (tuple(records[:3]), tuple(records[3:]))), Case("v", ((records[0],),))]
    model = Model("w", windows("w", "players", "o"), {"players": topic("players")})
    found = evaluate(model, spark, tmp_path, cases)
    counted = [line.split('"start":')[1] for line in found["w"].lines["o"]]
    assert sorted(counted) == ['0,"n":2}', '120000,"n":1}', '60000,"n":1}']
    assert len(found["v"].lines["o"]) == 1


def test_a_client_without_the_token_is_refused(spark_server: SharedServer) -> None:
    """Whoever has a session can run programs as the user of the server, so a port on the loopback is not enough."""
    for parameters in ("", "/;token=guessed"):
        with pytest.raises(LsqlcError, match="LSQ658"):
            connect(f"sc://localhost:{spark_server.port}{parameters}")


def test_taken_port_is_told(spark_server: SharedServer, tmp_path: Path) -> None:
    """A server on the port of another one is LSQ652."""
    with pytest.raises(LsqlcError) as error:
        EmbeddedServer(tmp_path, os.environ, ServerOptions(port=spark_server.port)).start()
    assert [d.code for d in error.value.diagnostics] == ["LSQ652"]


def test_server_that_dies_shows_its_log(tmp_path: Path) -> None:
    """A JVM that cannot start is LSQ653 with the end of the log, at once."""
    with pytest.raises(LsqlcError) as error:
        EmbeddedServer(tmp_path, os.environ, ServerOptions(memory="1k")).start()
    (found,) = error.value.diagnostics
    assert found.code == "LSQ653"
    assert any("heap" in note for note in found.notes)


SUPERVISOR = """
import os, sys, time
from pathlib import Path
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
server = EmbeddedServer(Path(sys.argv[1]), {"PATH": "/usr/bin:/bin"})
server.start()
print(server.pid, server.port, flush=True)
time.sleep(600)
"""


def test_server_goes_with_a_killed_parent(tmp_path: Path) -> None:
    """After a kill -9 of the process that started it, the server ends by itself; it never was on the PATH's Java."""
    with subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    ) as parent:
        assert parent.stdout
        pid, port = map(int, parent.stdout.readline().split())
        assert probe("127.0.0.1", port) == "serving"
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 30
        while probe("127.0.0.1", port) != "refused" and time.monotonic() < deadline:
            time.sleep(0.1)
    assert probe("127.0.0.1", port) == "refused"
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(pid, 0)
            time.sleep(0.1)


def test_killed_server_is_told_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    """A kill -9 of the server in a run is LSQ663; the run on the next server completes the topics exactly."""
    log, records = FileLog(tmp_path / "topics"), players(600, seed=7)
    log.append(topic("players"), records, segments_of=30)
    jobs = [
        Job("copied", copy("copied", "players", "middle")),
        Job("totals", points("totals", "players", "totals")),
    ]
    for kills in (3, 8, None):
        with EmbeddedServer(tmp_path / "server", os.environ) as server:
            session = connect(server.address)

            def report(event: object, server: EmbeddedServer = server, kills: int | None = kills) -> None:
                if isinstance(event, BatchProgress) and event.batch == kills:
                    os.killpg(server.pid, signal.SIGKILL)

            address, transport = parse_address(server.address), FileTransport(log.root)
            if kills is None:
                run(RunResources(session, address, transport, tmp_path / "ck"), jobs, options=FILE_BY_FILE)
                session.stop()
                continue
            with pytest.raises(LsqlcError) as error:
                run(
                    RunResources(session, address, transport, tmp_path / "ck"),
                    jobs,
                    options=FILE_BY_FILE,
                    report=report,
                )
            assert [d.code for d in error.value.diagnostics] == ["LSQ663"]
    assert [r.value for r in log.read(topic("middle"))] == [r.value for r in records]
    assert live_totals(log) == expected_totals(records)


def test_a_server_says_where_it_listens(spark: SparkSession) -> None:
    """What `check_localhost` goes by."""
    assert spark.conf.get(BOUND, "") == SETTINGS[BOUND]


def test_server_that_answers_no_more_is_told(tmp_path: Path) -> None:
    """A server that holds its socket open and is silent, in the middle of a call, is LSQ663 after a while."""
    log, records = FileLog(tmp_path / "topics"), players(90, seed=7)
    log.append(topic("players"), records, segments_of=30)
    with EmbeddedServer(tmp_path / "server", os.environ) as server:
        session = connect(server.address)

        def report(event: object) -> None:
            if isinstance(event, BatchProgress):
                os.killpg(server.pid, signal.SIGSTOP)

        try:
            jobs, options = (
                [Job("copied", copy("copied", "players", "middle"))],
                replace(FILE_BY_FILE, call_timeout=20.0),
            )
            address, transport = parse_address(server.address), FileTransport(log.root)
            with pytest.raises(LsqlcError) as error:
                run(RunResources(session, address, transport, tmp_path / "ck"), jobs, options=options, report=report)
        finally:
            os.killpg(server.pid, signal.SIGKILL)
    assert [d.code for d in error.value.diagnostics] == ["LSQ663"]
