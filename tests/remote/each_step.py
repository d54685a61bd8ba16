"""Kill a process before each of its steps on the file system in turn, and see that what follows mends it.

Run as a script in a process of its own, since it forks: `python -m tests.remote.each_step FOLDER SCENARIO`. It prints
how often it killed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.checkpoints import CheckpointRequest, finish_refreshes, open_checkpoint, refresh
from lsqlc.remote.run.stores import FolderStore
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic

Act = Callable[[Path], None]

_STEPS = frozenset(
    ("open", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod", "os.utime", "shutil.rmtree")
)
_CHAIN = tuple(
    (query, topic, Parts((), {"p": query}, {}, topic)) for query, topic in (("a", "one"), ("b", "two"), ("c", "three"))
)
_TOPIC = Topic("in", Facet(data.STRING, "string"), Facet(parse_columns("n BIGINT"), "json"))


def sweep(folder: Path, prepare: Act, act: Act, mended: Act) -> int:
    """Run `act` in a fork, killed before its first, second, ... step; then `mended`, which recovers and checks. Returns
    the number of kills.
    """
    for step in count(1):
        place = folder / str(step)
        place.mkdir(parents=True)
        prepare(place)
        child = os.fork()
        if child == 0:
            _kill_before(step)
            act(place)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"it failed at step {step} by itself"
        mended(place)
        if not os.WIFSIGNALED(status):
            return step - 1
    raise AssertionError("unreachable")


def _kill_before(step: int) -> None:
    left = step

    def see(event: str, arguments: Any) -> None:
        nonlocal left
        if event in _STEPS:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(see)


class Batch:
    """A batch as far as the publisher looks."""

    def __init__(self, *lines: str) -> None:
        self._lines = lines

    def toArrow(self) -> Batch:
        return self

    def column(self, number: int) -> Batch:
        return self

    def to_pylist(self) -> list[str]:
        return list(self._lines)


def publish(place: Path) -> None:
    """Two batches, as a query publishes them that begins at the first."""
    to = FileTransport(place).write("out", "g_000001")
    to(Batch('{"ordinal":0}', '{"ordinal":1}'), 0)
    to(Batch('{"ordinal":2}'), 1)


def published(place: Path) -> None:
    segments = sorted((place / "out" / "data").glob("*")) if (place / "out" / "data").exists() else []
    assert all(s.read_text().endswith("}\n") for s in segments)
    publish(place)
    texts = [s.read_text() for s in sorted((place / "out" / "data").iterdir())]
    assert texts == ['{"ordinal":0}\n{"ordinal":1}\n', '{"ordinal":2}\n'], texts
    assert not list((place / "out" / "tmp" / "g_000001").iterdir())
    log = FileLog(place)
    assert not list(log.faults("out")) and all(map(log.has_checksum, log.segments("out")))


def ran(place: Path) -> None:
    """Three queries that read from each other have each published a batch."""
    for query, topic, parts in _CHAIN:
        transport = FileTransport(place / "topics")
        checkpoint = open_checkpoint(FolderStore(place / "ck"), transport, CheckpointRequest(query, topic, parts))
        (checkpoint.folder / "offsets").mkdir(parents=True)
        (checkpoint.folder / "offsets" / "0").touch()
        transport.write(topic, checkpoint.generation)(Batch('{"ordinal":0}'), 0)


def refreshed(place: Path) -> None:
    refresh(FolderStore(place / "ck"), _CHAIN, FileTransport(place / "topics"))


def consistent(place: Path) -> None:
    """Readers of a restarted query are restarted too. A restarted query has no records; any other has all."""
    transport = FileTransport(place / "topics")
    finish_refreshes(FolderStore(place / "ck"), transport)
    opened = [
        open_checkpoint(FolderStore(place / "ck"), transport, CheckpointRequest(query, topic, parts))
        for query, topic, parts in _CHAIN
    ]
    resumed = [checkpoint.resumed for checkpoint in opened]
    assert resumed == sorted(resumed, reverse=True), resumed
    for checkpoint, (_, topic, _) in zip(opened, _CHAIN, strict=True):
        assert len(list((place / "topics" / topic / "data").iterdir())) == (1 if checkpoint.resumed else 0)
        assert checkpoint.resumed == checkpoint.folder.exists()


def append(place: Path) -> None:
    FileLog(place).append(_TOPIC, [Record("in", "k", {"n": n}) for n in range(5)], segments_of=2)


def appended(place: Path) -> None:
    """All records or none; more may follow, and no ordinal is given twice."""
    log = FileLog(place)
    before = list(log.read(_TOPIC))
    assert [r.value["n"] for r in before] in ([], [0, 1, 2, 3, 4])
    append(place)
    ordinals = [r.ordinal for r in log.read(_TOPIC)]
    assert len(ordinals) == len(before) + 5 and sorted(set(ordinals)) == ordinals


def begin(place: Path) -> None:
    """A query that has a row before its first record, up to its first batch."""
    transport, (query, topic, parts) = FileTransport(place / "topics"), _CHAIN[0]
    checkpoint = open_checkpoint(FolderStore(place / "ck"), transport, CheckpointRequest(query, topic, parts))
    if not checkpoint.resumed:
        transport.write_first(topic, checkpoint.generation, [('{"ordinal":-1}',)])
    (checkpoint.folder / "offsets").mkdir(parents=True, exist_ok=True)
    (checkpoint.folder / "offsets" / "0").touch()
    transport.write(topic, checkpoint.generation)(Batch('{"ordinal":0}'), 0)


def begun(place: Path) -> None:
    """The row and the batch are there once."""
    begin(place)
    log = FileLog(place / "topics")
    assert [segment.read_text() for segment in log.segments("one")] == ['{"ordinal":0}\n', '{"ordinal":-1}\n']
    assert not list(log.faults("one")) and all(map(log.has_checksum, log.segments("one")))


SCENARIOS = {
    "publish": (lambda place: None, publish, published),
    "refresh": (ran, refreshed, consistent),
    "append": (lambda place: None, append, appended),
    "begin": (lambda place: None, begin, begun),
}

if __name__ == "__main__":
    print(sweep(Path(sys.argv[1]), *SCENARIOS[sys.argv[2]]))
