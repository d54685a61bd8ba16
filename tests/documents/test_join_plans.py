"""The joins document on what the plan shows: repartitions, and filters that run before the join."""

from __future__ import annotations

from itertools import pairwise

import pytest

import lsqlc
from lsqlc import Record, Topic
from tests.documents.programs import values


def topics(a: int | None, b: int | None, c: int | None = None) -> tuple[Topic, ...]:
    return (
        Topic("a", "INT", "id INT, x INT", partitions=a),
        Topic("b", "INT", "id INT, y INT", partitions=b),
        Topic("c", "INT", "id INT, z INT", partitions=c),
    )


def steps(text: str, given: tuple[Topic, ...]) -> list[str]:
    """The plan below the sink, one line per node."""
    return [line.strip() for line in lsqlc.compile(text, topics=given).tree().splitlines()[2:]]


def moves(text: str, given: tuple[Topic, ...]) -> list[tuple[str, str]]:
    """Each repartition, with the node that it moves."""
    lines = steps(text, given)
    return [
        (line.split("] ")[1], lines[i + 1].split(" key")[0]) for i, line in enumerate(lines) if "Repartition" in line
    ]


@pytest.mark.parametrize("on", ["", "ON a.id = b.id"])
def test_the_side_with_fewer_partitions_moves(on: str) -> None:
    """To as many as the other has, whichever side that is; equal or unknown counts move nothing."""
    text = f"SELECT TABLE x, y FROM a JOIN b {on}"
    reason = "from {} to {} partitions: the other side of the join has {} partitions"
    assert moves(text, topics(2, 6)) == [(reason.format(2, 6, 6), "Scan [TABLE] a")]
    assert moves(text, topics(6, 2)) == [(reason.format(2, 6, 6), "Scan [TABLE] b")]
    assert moves(text, topics(4, 4)) == moves(text, topics(4, None)) == []


def test_a_repartition_changes_no_result() -> None:
    """It is shown, and its plan is another one than that without."""
    text = "SELECT TABLE x, y FROM a LEFT JOIN b"
    log = [Record("a", 1, {"id": 1, "x": 2}), Record("b", 1, {"id": 1, "y": 3}), Record("a", 2, {"id": 1, "x": 4})]
    assert values(text, topics(2, 6), log) == values(text, topics(None, None), log) == [(2, 3), (4, None)]


def test_what_a_join_gives_has_the_larger_count() -> None:
    """So a third source moves, or the result of the first join does."""
    text = "WITH ab AS (SELECT TABLE x, y FROM a JOIN b); SELECT TABLE x, z FROM ab JOIN c"
    assert [m[0][:24] for m in moves(text, topics(2, 6, 4))] == ["from 2 to 6 partitions: ", "from 4 to 6 partitions: "]
    assert [m[0][:24] for m in moves(text, topics(2, 6, 8))] == ["from 6 to 8 partitions: ", "from 2 to 6 partitions: "]
    assert [m[0][:24] for m in moves(text, topics(2, 6, 6))] == ["from 2 to 6 partitions: "]


def below(text: str) -> dict[str, str | None]:
    """For each scan, the filter right above it, and for the join the one above that."""
    lines = steps(text, topics(None, None))
    found: dict[str, str | None] = {}
    for before, line in pairwise(lines):
        name = (
            line.split("] ")[1].split(" ")[0]
            if line.startswith("Scan")
            else "join"
            if line.startswith("Join")
            else None
        )
        if name:
            found[name] = before.split("] ")[1] if before.startswith("Filter") else None
    return found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("INNER", {"join": None, "a": "x > 1", "b": "y > 2"}),
        ("LEFT", {"join": "b.y > 2", "a": "x > 1", "b": None}),
        ("RIGHT", {"join": "a.x > 1", "a": None, "b": "y > 2"}),
        ("OUTER", {"join": "(a.x > 1) AND (b.y > 2)", "a": None, "b": None}),
    ],
)
@pytest.mark.parametrize("word", ["TABLE", "STREAM"])
def test_a_filter_moves_below_the_join_on_a_side_that_is_kept(
    kind: str, expected: dict[str, str | None], word: str
) -> None:
    """Each part of WHERE for itself; on the optional side it would make an unmatched row of a dropped one."""
    within = "WITHIN 1h" if word == "STREAM" else ""
    assert below(f"SELECT {word} x, y FROM a {kind} JOIN b {within} WHERE a.x > 1 AND b.y > 2") == expected


def test_what_reads_both_sides_stays_above() -> None:
    """As does a part that an OR mixes; what stands beside it moves."""
    found = below("SELECT TABLE x, y FROM a JOIN b WHERE x > 1 AND (x > 2 OR y > 3) AND x = y")
    assert found == {"join": "((a.x > 2) OR (b.y > 3)) AND (a.x = b.y)", "a": "x > 1", "b": None}


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("INNER", ["x > 1", "y > 2"]), ("LEFT", ["y > 2"]), ("RIGHT", ["x > 1"]), ("OUTER", [])],
)
def test_a_condition_of_on_filters_the_side_that_may_be_missing(kind: str, kept: list[str]) -> None:
    """On a side that is kept it says what can match, and is never a filter."""
    found = below(f"SELECT TABLE x, y FROM a {kind} JOIN b ON a._key = b._key AND a.x > 1 AND b.y > 2")
    assert [found[side] for side in "ab" if found[side]] == kept and found["join"] is None


@pytest.mark.parametrize("kind", ["INNER", "LEFT", "RIGHT", "OUTER"])
def test_on_and_where_differ_by_the_rows_that_are_kept(kind: str) -> None:
    """A condition in ON leaves the row of a kept side alone; in WHERE it drops it."""
    log = [Record("a", k, {"id": k, "x": k}) for k in (1, 2)] + [Record("b", k, {"id": k, "y": k}) for k in (1, 2, 3)]
    text = f"SELECT TABLE x, y FROM a {kind} JOIN b "
    on = values(text + "ON a._key = b._key AND a.x > 1", topics(None, None), log)
    expected = {
        "INNER": [(2, 2)],
        "LEFT": [(1, None), (2, 2)],
        "RIGHT": [(None, 1), (2, 2), (None, 3)],
    }
    if kind in expected:
        assert on == expected[kind]
    assert values(text + "WHERE a.x > 1", topics(None, None), log) == [(2, 2)]
