"""Clients and servers that are killed: what was half done is finished once, and what nobody watches any more does no
harm. The bench of the same name kills hundreds of times.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.checkpoints import CheckpointRequest, describe, open_checkpoint
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.queries import Query, QueryOptions, start
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.session.session import connect, parse_address, server_version
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic
from tests.flights import need_flights
from tests.shared import SharedServer
from tools.bench.crashes import AT_RANDOM, Victim, crash, prepared

from .plans import copy

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.spark

NUMBER = Facet(parse_columns("n BIGINT"), "json")


def numbers(name: str) -> Topic:
    return Topic(name, Facet(data.STRING, "string"), NUMBER)


def append(log: FileLog, first: int, last: int) -> None:
    """A segment for each number."""
    records = [Record("in", "k", {"n": n}) for n in range(first, last)]
    log.append(numbers("in"), records, segments_of=1)


def come_out(log: FileLog) -> list[int]:
    return [r.value["n"] for r in log.read(numbers("out"))]


def until(found: Callable[[], bool], seconds: float = 200) -> None:
    deadline = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.1)


@pytest.fixture
def unwatched(spark_server: SharedServer, tmp_path: Path) -> StreamingQuery:
    """The query of a client that was killed in a run that goes on: it lives on, in a session of its own."""
    log = FileLog(tmp_path / "topics")
    append(log, 0, 3)
    session, transport = connect(spark_server.address), FileTransport(log.root)
    stage = copy("copied", "in", "out").stages[0]
    parts = describe(stage, partitions=1, server=server_version(session.version))
    place = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("copied", "out", parts))
    options = QueryOptions(until_read=False)
    publish = transport.write("out", place.generation)
    query = start(session, Query("m", stage, transport, options), publish, place.location)
    until(lambda: come_out(log) == [0, 1, 2])
    return query


def test_a_query_that_lives_on_is_taken_over(
    spark: SparkSession, spark_server: SharedServer, tmp_path: Path, unwatched: StreamingQuery
) -> None:
    """After a killed client its queries go on; the next run ends them, goes on where they were, and nothing doubles."""
    log, jobs = FileLog(tmp_path / "topics"), [Job("m", copy("copied", "in", "out"))]
    append(log, 3, 6)
    (summary,) = run(
        RunResources(spark, parse_address(spark_server.address), FileTransport(log.root), tmp_path / "ck"), jobs
    )
    assert summary.resumed and come_out(log) == [0, 1, 2, 3, 4, 5]
    until(lambda: not unwatched.isActive)
    assert come_out(log) == [0, 1, 2, 3, 4, 5]


def test_a_query_that_lives_on_through_a_full_refresh(
    spark: SparkSession, spark_server: SharedServer, tmp_path: Path, unwatched: StreamingQuery
) -> None:
    """A query of an older generation, that nobody watches, writes nothing beside the one that was started again."""
    log, jobs = FileLog(tmp_path / "topics"), [Job("m", copy("copied", "in", "out"))]
    address, options = parse_address(spark_server.address), RunOptions(refresh={"m"})
    run(RunResources(spark, address, FileTransport(log.root), tmp_path / "ck"), jobs, options=options)
    assert come_out(log) == [0, 1, 2]
    append(log, 3, 6)
    until(lambda: not unwatched.isActive)
    assert come_out(log) == [0, 1, 2]
    run(RunResources(spark, address, FileTransport(log.root), tmp_path / "ck"), jobs)
    assert come_out(log) == [0, 1, 2, 3, 4, 5]


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference project over 1,100 flights, in 55 segments."""
    need_flights()
    return prepared(tmp_path_factory.mktemp("crashes"), flights=1_100, segment=20)


@pytest.mark.parametrize(
    ("standing", "kills"),
    [
        (False, [("both", "between state commit and sink")]),
        (
            True,
            [("client", "in the sink, before the link"), ("client", "before the offset log"), ("client", AT_RANDOM)],
        ),
        (True, [("both", "in the sink, after the link"), ("server", "before the commit log")]),
        (
            False,
            [("server", "while a file is renamed"), ("client", "before the state is committed"), ("server", AT_RANDOM)],
        ),
    ],
)
def test_kills(flights: Path, tmp_path: Path, standing: bool, kills: list[tuple[Victim, str]]) -> None:
    """A run of more than 50 batches that is killed at these points leaves the topics of an undisturbed one."""
    ended = crash(tmp_path / "round", flights, ["planes_by_airport"], kills, Random(1), standing=standing)
    assert ended.differences == ()
    assert [(k.victim, k.point) for k in ended.kills] == kills
    assert ended.batches["planes_by_airport"] >= 50
