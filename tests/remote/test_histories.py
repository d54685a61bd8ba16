"""That a query has read the histories of its topics is noted beside its checkpoint, and what keeps one from reading."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.declared.starts import Begun, Start
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.checkpoints import (
    Checkpoint,
    CheckpointRequest,
    Form,
    begun_of,
    describe,
    described,
    note_history_read,
    open_checkpoint,
    reopened,
)
from lsqlc.remote.run.graph import Job, nodes
from lsqlc.remote.run.histories import check_histories
from lsqlc.remote.run.start_offsets import OffsetFinder, StartOffsets
from lsqlc.remote.run.stores import FolderStore

PLAN = lsqlc.compile("SELECT STREAM x FROM a", topics=[lsqlc.Topic("a", value="x INT")], name="q")
START = Start("the history 'lake' until 1970-01-02", at=86_400_000, history="lake")
NAMED = Form(named=True)


class Query:
    """A query that begins with a history."""

    def __init__(self, folder: Path) -> None:
        self.store, self.transport = FolderStore(folder / "ck"), FileTransport(folder / "topics")
        (self.stage,) = lower(PLAN).stages
        self.parts = describe(self.stage, partitions=1, server=(4, 3), model="q")

    def open(self, start: Start | Begun = START) -> Checkpoint:
        beginning = StartOffsets({"a": start}, OffsetFinder(lambda topic, time: {0: 5}, 0))
        return open_checkpoint(self.store, self.transport, CheckpointRequest("q", "q", self.parts, NAMED, beginning))

    def begin(self, checkpoint: Checkpoint) -> None:
        (checkpoint.folder / "offsets").mkdir(parents=True)
        (checkpoint.folder / "offsets" / "0").touch()


@pytest.fixture
def query(tmp_path: Path) -> Query:
    return Query(tmp_path)


def test_a_history_is_read_once(query: Query) -> None:
    """Until it is noted as read, a query that was killed goes on within it; from then on it goes on without it."""
    first = query.open()
    assert first.begun == {"a": Begun(START.text, START.at, ((0, 5),), "lake")}
    assert first.awaits_history and query.open() == first
    query.begin(first)
    again = query.open()
    assert again.resumed and again.awaits_history and again.generation == first.generation
    note_history_read(query.store, "q")
    assert not query.open().awaits_history
    read = reopened(query.store, "q", again)
    assert (read.begun["a"].is_read, read.location) == (True, first.location)
    # Another declaration counts for new checkpoints only.
    assert query.open(replace(START, text="other", history="pond")).begun == read.begun


def test_what_is_staged_reads_it_again(query: Query) -> None:
    """A query that begins where another one has begun has its own history to read."""
    found = query.open(Begun(START.text, START.at, ((0, 7),), "lake", is_read=True))
    assert found.awaits_history and found.begun["a"].places == ((0, 7),)


def test_releases_before_refuse_it(query: Query) -> None:
    """The description has a format that they do not know."""
    query.begin(query.open())
    text = query.store.read("q")
    assert text is not None and json.loads(text)["format"] == 1
    query.store.write("q", text.replace('"format": 1', '"format": 2'))
    with pytest.raises(LsqlcError) as error:
        query.open()
    assert [d.code for d in error.value.diagnostics] == ["LSQ666"]
    query.store.write("q", text)
    known = described(query.store, "q")
    assert known is not None and begun_of(known)["a"].history == "lake"


@pytest.mark.parametrize(
    ("form", "real_time", "reason"),
    [(Form(), False, "Spark 4.2 or newer"), (NAMED, True, "in real-time mode"), (NAMED, False, "")],
)
def test_what_keeps_a_query_from_reading(query: Query, form: Form, real_time: bool, reason: str) -> None:
    """A source without a name, or a query without an end; only while there is something to read."""
    (job,) = nodes([Job("q", lower(PLAN))])
    node = replace(job, stage=replace(job.stage, real_time=real_time))
    opened = replace(query.open(), form=form)
    if reason:
        with pytest.raises(LsqlcError) as error:
            check_histories((node,), {"q": opened})
        (found,) = error.value.diagnostics
        assert found.code == "LSQ873" and reason in found.notes[0]
    else:
        check_histories((node,), {"q": opened})
    begun = {"a": replace(opened.begun["a"], is_read=True)}
    check_histories((node,), {"q": replace(opened, begun=begun)})
