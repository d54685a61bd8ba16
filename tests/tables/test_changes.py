"""What records change in a table, whatever the batches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.diagnostics import LsqlcError
from lsqlc.tables.changes import Change, LastVersion, appended, current, versions
from lsqlc.tables.schema import Keep, TableSchema, table_schema
from lsqlc.types import data
from lsqlc.types.data import Map
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, StoredRecord, Topic

TOPIC = Topic("t", Facet(data.STRING, "string"), Facet(parse_columns("v INT"), "json"))


def schema(keep: Keep) -> TableSchema:
    return table_schema(TOPIC, keep, (), None)


def record(key: str, value: int | None, time: int = 0) -> StoredRecord:
    return StoredRecord("t", key, None if value is None else {"v": value}, time, (0,))


class Versions:
    """A table with history, as a list of versions: the changes of a batch applied one by one."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []

    def take(self, records: Sequence[StoredRecord]) -> None:
        last: dict[str, LastVersion] = {}
        for key, _, start, end, _ in self.rows:
            time = start if end is None else end
            newest = last.get(key)
            if newest is None or (time, end is None) > (newest.time, newest.is_current):
                last[key] = LastVersion(time, end is None)
        changes, _ = versions(
            schema("history"), records, lambda keys: [((key,), last[key]) for (key,) in keys if key in last]
        )
        for change in changes:
            row = [*change.row[:2], *(None if t is None else round(t.timestamp() * 1000) for t in change.row[2:4])]
            row.append(change.row[4])
            if change.action == "insert":
                self.rows.append(row)
                continue
            (mine,) = [each for each in self.rows if each[0] == row[0] and each[4]]
            if change.action == "replace":
                mine[:] = row
            else:
                mine[3:] = row[3:]


RECORDS = st.lists(
    st.builds(record, st.sampled_from("ab"), st.one_of(st.none(), st.integers(0, 9)), st.integers(0, 8)), max_size=12
)


@given(RECORDS, st.lists(st.integers(0, 12), max_size=4))
def test_versions_do_not_depend_on_batches(records: list[StoredRecord], cuts: list[int]) -> None:
    whole, parts = Versions(), Versions()
    whole.take(records)
    places = [0, *sorted(min(cut, len(records)) for cut in cuts), len(records)]
    for start, end in pairwise(places):
        parts.take(records[start:end])
    assert sorted(map(repr, parts.rows)) == sorted(map(repr, whole.rows))


@given(RECORDS)
def test_versions_have_neither_gaps_nor_overlaps(records: list[StoredRecord]) -> None:
    """The value of a key at its end is that of its newest record, and each version ends where the next one begins, or
    where the row was deleted.
    """
    table = Versions()
    table.take(records)
    for key in "ab":
        mine = [row for row in table.rows if row[0] == key]
        for one, other in pairwise(mine):
            assert one[3] is not None
            assert one[2] <= one[3] <= other[2]
            assert not one[4]
        newest = [r.value for r in records if r.key == key]
        expected = newest[-1] if newest else None
        assert [row[1] for row in mine if row[4]] == ([] if expected is None else [expected["v"]])


@given(RECORDS)
def test_current_rows_are_those_of_the_newest_records(records: list[StoredRecord]) -> None:
    expected = {r.key: r.value for r in records}
    changes = current(schema("current"), records)
    assert {c.row[0]: None if c.action == "delete" else {"v": c.row[1]} for c in changes} == expected
    assert len(changes) == len(expected)


def test_records_without_a_value_are_no_rows() -> None:
    assert appended(schema("all"), [record("a", 1), record("a", None)]) == [Change("insert", ("a", 1))]


def test_a_column_of_key_and_value() -> None:
    """It is one column, as long as both have one value."""
    key = Facet(parse_columns("id INT NOT NULL"), "json")
    topic = Topic("t", key, Facet(parse_columns("v STRING, id INT"), "json"))
    shared = table_schema(topic, "current", (), None)
    assert shared.names == ("id", "v")
    good = StoredRecord("t", {"id": 1}, {"id": 1, "v": "x"}, 0, (0,))
    assert current(shared, [good]) == [Change("upsert", (1, "x"))]
    bad = StoredRecord("t", {"id": 1}, {"id": 2, "v": "x"}, 0, (0,))
    with pytest.raises(LsqlcError) as raised:
        current(shared, [bad])
    assert [d.code for d in raised.value.diagnostics] == ["LSQ567"]
    apart = table_schema(topic, "current", ("key_id",), None)
    assert apart.names == ("key_id", "v", "id")
    assert current(apart, [bad]) == [Change("upsert", (1, "x", 2))]


@pytest.mark.parametrize(
    ("key", "value", "keep", "names", "clause"),
    [
        (data.NULL, "v INT", "current", (), "has no key"),
        (data.NULL, "v INT", "history", (), "has no key"),
        (data.STRING, "v INT", "current", ("a", "b"), "has 1 columns, not 2"),
        (parse_columns("v STRING"), "v INT", "current", (), "of different types"),
        (parse_columns("a INT"), "A INT", "current", (), "differ by letter case"),
        (Map(data.STRING, data.INT), "v INT", "current", (), "parts inside of parts"),
        (parse_columns("a ARRAY<INT>"), "v INT", "history", (), "parts inside of parts"),
        (data.STRING, "_valid_from INT", "history", (), "a name of lsqlc"),
        (data.STRING, "_key INT", "current", (), "of different types"),
    ],
)
def test_topics_that_no_table_can_follow(key: Any, value: str, keep: Keep, names: tuple[str, ...], clause: str) -> None:
    topic = Topic("t", Facet(key, "json"), Facet(parse_columns(value), "json"))
    with pytest.raises(LsqlcError, match=clause) as raised:
        table_schema(topic, keep, names, None)
    assert [d.code for d in raised.value.diagnostics] == ["LSQ560"]
