"""Where a new query begins is noted beside its checkpoint, and only counts for a new one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.project.declared.starts import Begun, Start, parse_start
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.checkpoints import (
    Checkpoint,
    CheckpointRequest,
    describe,
    describe_elsewhere,
    described,
    open_checkpoint,
    refresh,
    take_up,
)
from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.start_offsets import OffsetFinder, StartOffsets, begun_data, begun_from
from lsqlc.remote.run.stores import FolderStore
from lsqlc.report.progress import started_line
from lsqlc.tasks.starts import begun_live, check_times, common_places, not_counted

NOW = 1_000_000


def parts(program: str) -> Parts:
    topic = lsqlc.Topic("a", key="STRING", value="item STRING, price INT")
    (stage,) = lower(lsqlc.compile(f"INSERT INTO b {program}", topics=[topic], name="q")).stages
    return describe(stage, partitions=1, server=(4, 3), model="q")


PARTS = parts("SELECT TABLE COUNT(*) AS n FROM a GROUP BY item")


class Query:
    """A query over topics whose end grows by one with each look."""

    def __init__(self, folder: Path) -> None:
        self.store, self.transport = FolderStore(folder / "ck"), FileTransport(folder / "topics")
        self.looks: list[tuple[str, int | None]] = []

    def place(self, topic: str, time: int | None) -> dict[int, int]:
        self.looks.append((topic, time))
        return {0: 100 + len(self.looks), 1: 7}

    def open(self, text: str = "earliest") -> Checkpoint:
        start = parse_start(text)
        assert start is not None
        beginning = StartOffsets({} if start.is_earliest else {"a": start, "z": start}, OffsetFinder(self.place, NOW))
        return open_checkpoint(
            self.store, self.transport, CheckpointRequest("q", "b", PARTS, starts=beginning.of(("a",)))
        )

    def begin(self, checkpoint: Checkpoint) -> None:
        (checkpoint.folder / "offsets").mkdir(parents=True)
        (checkpoint.folder / "offsets" / "0").touch()


@pytest.fixture
def query(tmp_path: Path) -> Query:
    return Query(tmp_path)


def test_a_place_is_looked_up_once(query: Query) -> None:
    """A query that was killed before its first batch begins where it was to begin; so do all queries of one run."""
    first = query.open("latest")
    assert first.begun == {"a": Begun("latest", None, ((0, 101), (1, 7)))}
    assert query.open("latest") == first and query.looks == [("a", None)]
    find = OffsetFinder(query.place, NOW)
    assert find("a", Start("9s", ago=9_000)) == find("a", Start("9s", ago=9_000))
    assert query.looks[1:] == [("a", NOW - 9_000)]


def test_another_start_before_the_first_batch(query: Query) -> None:
    """Counts, in a place of its own: whoever began with the other one is another generation."""
    first = query.open("latest")
    second = query.open("9s")
    assert second.begun["a"].time == NOW - 9_000 and second.generation > first.generation
    third = query.open()
    assert not third.begun and third.generation > second.generation
    assert query.open() == third


def test_a_start_only_counts_for_a_new_checkpoint(query: Query) -> None:
    """One that goes on keeps what is noted, also where its program has changed or its description was moved."""
    first = query.open("latest")
    query.begin(first)
    again = query.open("9s")
    assert again.resumed and again.begun == first.begun and len(query.looks) == 1
    assert query.open().begun == first.begun
    take_up(query.store, "q", PARTS)
    assert query.open().begun == first.begun
    assert begun_live(query.store, ["q", "other"]) == {"q": first.begun}
    known = described(query.store, "q")
    assert known is not None
    describe_elsewhere(query.store.below("aside"), "q", known, "..")
    moved = described(query.store.below("aside"), "q")
    assert moved is not None and moved["begun"] == begun_data(first.begun)
    refresh(query.store, [("q", "b", PARTS)], query.transport)
    fresh = query.open("9s")
    assert fresh.begun["a"].text == "9s" and fresh.generation > first.generation


def test_a_refresh_that_begins_with_the_first_record(query: Query) -> None:
    """Forgets where the query had begun before."""
    query.begin(query.open("latest"))
    refresh(query.store, [("q", "b", PARTS)], query.transport)
    assert not query.open().begun


def test_a_note_that_is_damaged(query: Query) -> None:
    """Is told as any other damage of a description: nothing is guessed."""
    begun = {"a": Begun("9s", 5, ((0, 1), (12, 3)))}
    assert begun_from(json.loads(json.dumps(begun_data(begun)))) == begun
    query.begin(query.open("latest"))
    text = query.store.read("q")
    assert text is not None
    query.store.write("q", text.replace('"0": 101', '"zero": 101'))
    with pytest.raises(LsqlcError) as error:
        query.open("latest")
    assert [d.code for d in error.value.diagnostics] == ["LSQ666"]


def test_what_is_compared_with_duckdb() -> None:
    """The place that all queries of a model have; None where they differ, nothing for topics that are read whole."""
    here, there = Begun("1d", 5, ((0, 3),)), Begun("1d", 6, ((0, 4),))
    summaries = [
        QuerySummary("q.1", "q", "b", reads={"a": here, "whole": None}),
        QuerySummary("q.2", "q", "b", reads={"a": here, "c": here}),
        QuerySummary("q.3", "q", "b", reads={"c": there, "d": here}),
        QuerySummary("q.4", "q", "b", reads={"d": None}),
        QuerySummary("r", "r", "e", reads={"a": there}),
    ]
    assert common_places(summaries) == {"q": {"a": {0: 3}, "c": None, "d": None}, "r": {"a": {0: 4}}}


def test_what_people_are_told() -> None:
    """Where a query begins; and that a start of the command line does not count for one that continues."""
    begun = {"a": Begun("1s", 5_000, ((0, 3),))}
    line = started_line(Started("q", "q", "b", resumed=False, begun=begun))
    assert line == "q: writes 'b', from 1970-01-01T00:00:05Z (1s) of 'a'"
    given = Start("1s", ago=1_000)
    assert not_counted(Started("q", "q", "b", resumed=False), given) is None
    assert not_counted(Started("q", "q", "b", resumed=True, begun=begun), given) is None
    told = not_counted(Started("q", "q", "b", resumed=True), given)
    assert told is not None and (told.code, told.is_error) == ("LSQ699", False)
    other = not_counted(Started("q", "q", "b", resumed=True, begun=begun), Start("2s", ago=2_000))
    assert other is not None and other.notes == ("it began to read 'a' from 1970-01-01T00:00:05Z (1s)",)


def test_a_start_in_the_future() -> None:
    """Is refused, once for each topic."""
    start = Start("1970-01-02", at=86_400_000)
    check_times({"q": {"a": start, "b": Start("latest")}}, 86_400.0)
    with pytest.raises(LsqlcError) as error:
        check_times({"q": {"a": start}, "r": {"a": start}}, 86_399.0)
    assert [d.code for d in error.value.diagnostics] == ["LSQ750"]
