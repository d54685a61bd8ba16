"""Segments that are missing or not as they were written, and what is no fault."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lsqlc.connectors.folders import segments, sums
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import lost, stored_sum, sum_of, sum_path
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.transport import generation_name
from tests.connectors.contract import ORDERS, PAIRS, ids, order, pair


@pytest.fixture
def log(tmp_path: Path) -> FileLog:
    """Sixty records of a topic in four segments."""
    log = FileLog(tmp_path / ".lsqlc" / "topics")
    log.append(ORDERS, [order(n) for n in range(60)], segments_of=15)
    return log


def _lines(segment: Path) -> list[bytes]:
    return segment.read_bytes().splitlines(keepends=True)


def _flip(segment: Path) -> None:
    text = segment.read_bytes()
    segment.write_bytes(text.replace(b'"id":17', b'"id":71', 1))
    assert segment.read_bytes() != text


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "removed": (lambda s: s.unlink(), "is missing: expected 15 records"),
    "emptied": (lambda s: s.write_bytes(b""), "found 0 records, 0 bytes, CRC-32 00000000"),
    "cut at the end of a line": (lambda s: s.write_bytes(b"".join(_lines(s)[:10])), "found 10 records"),
    "another digit": (_flip, "found 15 records"),
    "a line more": (lambda s: s.write_bytes(s.read_bytes() + _lines(s)[-1]), "found 16 records"),
    "a line less in the middle": (lambda s: s.write_bytes(b"".join(_lines(s)[:3] + _lines(s)[4:])), "found 14 records"),
    "two lines in another order": (
        lambda s: s.write_bytes(b"".join([*_lines(s)[1::-1], *_lines(s)[2:]])),
        "found 15 records",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_an_error(log: FileLog, tmp_path: Path, name: str) -> None:
    """With the file, what is expected and what is there; for who reads records, follows a topic, and for DuckDB."""
    damage, message = DAMAGE[name]
    segment = log.segments("orders")[1]
    expected = str(sum_of(segment))
    damage(segment)
    follow = log.tail(ORDERS)
    for read in (
        lambda: list(log.read(ORDERS)),
        lambda: list(follow().records),
        lambda: log.segments_for(ORDERS, tmp_path),
        lambda: log.segments_for(ORDERS, tmp_path, since={0: 40}),
    ):
        with pytest.raises(LsqlcError) as error:
            read()
        [fault] = error.value.diagnostics
        assert fault.code == "LSQ764" and fault.span is not None
        assert fault.span.path == f".lsqlc/topics/orders/data/{segment.name}"
        assert f"expected {expected}" in fault.message and message in fault.message
    assert len(list(log.faults("orders"))) == 1


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_of_a_segment_of_a_query_is_an_error(tmp_path: Path, name: str) -> None:
    """That of any of its batches."""
    log = FileLog(tmp_path / "topics")
    for batch in range(3):
        first = 100 * batch
        log.append_batch(PAIRS, [pair(17, first + n, 0) for n in range(15)], generation="g", batch=batch)
    segment = log.segments("pairs")[1]
    DAMAGE["removed" if name == "another digit" else name][0](segment)
    with pytest.raises(LsqlcError, match="LSQ764"):
        list(log.read(PAIRS))


def test_no_record_comes_from_a_changed_segment(log: FileLog) -> None:
    """Those before it do."""
    _flip(log.segments("orders")[1])
    reading = log.read(ORDERS)
    assert [next(reading).value["id"] for _ in range(15)] == list(range(15))
    with pytest.raises(LsqlcError):
        next(reading)


def test_who_takes_unreadable_records_still_learns_of_damage(log: FileLog) -> None:
    """After all that can be read."""
    segment = log.segments("orders")[1]
    segment.write_bytes(b"".join(_lines(segment)[:10]) + b"{\n")
    bad: list[Unreadable] = []
    reading = log.read(ORDERS, bad=bad.append)
    assert [next(reading).value["id"] for _ in range(55)] == [*range(25), *range(30, 60)]
    with pytest.raises(LsqlcError) as error:
        next(reading)
    assert [d.code for d in error.value.diagnostics] == ["LSQ764"] and len(bad) == 1


def test_every_fault_is_reported(log: FileLog) -> None:
    """By the names of the segments; those that are skipped are not."""
    first, second, third, fourth = log.segments("orders")
    third.unlink()
    _flip(second)
    fourth.write_bytes(b"")
    sum_path(first).write_text("no sum")
    faults = list(log.faults("orders"))
    assert [d.span and d.span.path.rsplit("/", 1)[1] for d in faults] == [
        s.name for s in (first, second, third, fourth)
    ]
    assert "cannot be read" in faults[0].message
    assert len(list(log.faults("orders", {second.absolute(), third.absolute()}.__contains__))) == 2


def test_segments_without_sums_are_read_as_they_are(log: FileLog) -> None:
    """Those of other programs, and where a crash left an empty sum."""
    segment = log.segments("orders")[1]
    segment.write_bytes(b"".join(_lines(segment)[:10]))
    sum_path(segment).write_bytes(b"")
    assert len(ids(log)) == 55
    segment.unlink()
    assert len(ids(log)) == 45
    shutil.rmtree(log.root / "orders" / sums.FOLDER)
    assert len(ids(log)) == 45
    log.append(ORDERS, [order(60)])
    assert log.has_checksum(log.segments("orders")[-1]) and not list(log.faults("orders"))


def test_the_counter_and_the_end_need_no_sum(log: FileLog) -> None:
    """A topic of which segments are lost takes records again, and is as wrong as before."""
    log.segments("orders")[1].unlink()
    assert log.end(ORDERS) == (59,) and log.append(ORDERS, [order(60)]).first == 60
    assert len(list(log.faults("orders"))) == 1


def test_a_removed_topic_has_no_faults(log: FileLog) -> None:
    """Nor has the one that comes after it."""
    log.delete("orders")
    assert not list(log.faults("orders")) and ids(log) == []
    log.append(ORDERS, [order(1)])
    assert ids(log) == [1]


def test_a_query_that_begins_anew_leaves_no_faults(tmp_path: Path) -> None:
    """Its segments go with their sums; those of others stay. A crash in between is no fault, either."""
    log, transport = FileLog(tmp_path / "topics"), FileTransport(tmp_path / "topics")
    mine, other = generation_name("q", 1), generation_name("p", 1)
    for batch in range(3):
        for generation in (mine, other):
            log.append_batch(PAIRS, [pair(1, batch, 0)], generation=generation, batch=batch)
    # As far as an interrupted removal came.
    sum_path(next(s for s in log.segments("pairs") if s.name.startswith(mine))).unlink()
    assert not list(log.faults("pairs"))
    transport.discard("pairs", "q")
    assert {s.name.split("-")[0] for s in log.segments("pairs")} == {other} and not list(log.faults("pairs"))
    assert len(list((log.root / "pairs" / sums.FOLDER).iterdir())) == 3
    # Its next generation may have the same names.
    log.append_batch(PAIRS, [pair(2, 7, 0)], generation=mine, batch=0)
    assert not list(log.faults("pairs")) and all(map(log.has_checksum, log.segments("pairs")))


def test_a_stale_sum_is_replaced(tmp_path: Path) -> None:
    """A release without sums removes segments alone, and the names may come again."""
    log = FileLog(tmp_path / "topics")
    log.append_batch(PAIRS, [pair(1, 1, 0)], generation="g", batch=0)
    log.segments("pairs")[0].unlink()
    log.append_batch(PAIRS, [pair(2, 2, 0)], generation="g", batch=0)
    assert not list(log.faults("pairs"))


def test_a_replay_stores_the_sum_that_a_crash_prevented(tmp_path: Path) -> None:
    """That of the segment that is there; one that is stored stays."""
    log = FileLog(tmp_path / "topics")
    log.append_batch(PAIRS, [pair(1, 1, 0)], generation="g", batch=0)
    segment = log.segments("pairs")[0]
    sum_path(segment).unlink()
    assert not log.append_batch(PAIRS, [pair(9, 9, 9)], generation="g", batch=0)
    assert stored_sum(sum_path(segment)) == sum_of(segment)
    segment.write_bytes(b"")
    assert not log.append_batch(PAIRS, [pair(9, 9, 9)], generation="g", batch=0)
    assert len(list(log.faults("pairs"))) == 1


@pytest.mark.parametrize("step", ["link", "store_sum"])
def test_an_append_that_a_crash_interrupted_gets_its_sums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whoever looks next completes it; until then nothing is a fault."""
    log, module = FileLog(tmp_path / "topics"), segments if step == "link" else sums
    original: Callable[[Path, object], object] = getattr(module, step)
    calls = []

    def crash(first: Path, second: object) -> object:
        calls.append(first)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(first, second)

    with monkeypatch.context() as patch:
        patch.setattr(module, step, crash)
        with pytest.raises(KeyboardInterrupt):
            log.append(ORDERS, [order(n) for n in range(6)], segments_of=2)
    assert not lost("orders", log.root / "orders", "orders")
    assert ids(log) == list(range(6)) and all(map(log.has_checksum, log.segments("orders")))


def test_a_sum_is_the_same_for_other_programs(log: FileLog) -> None:
    """A JSON object with the CRC-32 of zlib, gzip and `crc32`, in hexadecimal digits."""
    import zlib

    segment = log.segments("orders")[0]
    stored = json.loads(sum_path(segment).read_text())
    text = segment.read_bytes()
    assert stored == {"records": 15, "bytes": len(text), "crc32": f"{zlib.crc32(text):08x}"}
