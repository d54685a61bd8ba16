"""Golden rows against outcomes, cell by cell."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.golden.compare import Cell, compare
from lsqlc.golden.show import difference_lines
from lsqlc.golden.snapshot import golden_text, read_golden
from lsqlc.plan import Plan
from lsqlc.types import data
from lsqlc.types.record import Facet, Outcome, Record, Topic

from .project import counted, late, outcome, plan

PLAN = plan()
PATH = "golden/m/c.jsonl"
COMPACTED = (
    "WITH c AS (SELECT TABLE COUNT(*) AS n FROM flights GROUP BY dest); INSERT INTO changes SELECT STREAM n FROM c;"
)


def _differences(golden: str, found: Outcome, of: Plan = PLAN, *, ordered: bool = True):  # type: ignore[no-untyped-def]
    return compare(of, read_golden(golden, PATH, of).rows, found, ordered=ordered)


def _kinds(golden: Outcome, found: Outcome, *, ordered: bool = True) -> list[tuple[str, str]]:
    differences = _differences(golden_text(PLAN, golden), found, ordered=ordered)
    return [(row.kind, row.key) for d in differences for row in d.rows]


ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, "a", "b"]), st.integers(0, 2), st.sampled_from([0.1, 2.0, float("nan")]), st.just(0)
    ),
    max_size=7,
)


@given(ROWS, ROWS)
def test_rows_differ_iff_something_is_told(
    a: list[tuple[str, int, float, int]], b: list[tuple[str, int, float, int]]
) -> None:
    """Streams compare equal exactly when their golden texts are the same; what is told accounts for their lengths."""
    left, right = outcome(late(*a)), outcome(late(*b))
    rows = _kinds(left, right)
    assert (rows == []) == (golden_text(PLAN, left) == golden_text(PLAN, right))
    kinds = [kind for kind, _ in rows]
    assert len(a) - kinds.count("missing") == len(b) - kinds.count("unexpected")


@given(ROWS, st.randoms(use_true_random=False))
def test_order_within_a_key_is_enough_when_batches_are_cut(
    rows: list[tuple[str, int, float, int]], random: Random
) -> None:
    """Unordered comparison takes any mixing of the keys' sequences."""
    by_key: dict[str | None, list[tuple[str | None, int, float, int]]] = {}
    for row in rows:
        by_key.setdefault(row[0], []).append(row)
    order = [row[0] for row in rows]
    random.shuffle(order)
    mixed = [by_key[key].pop(0) for key in order]
    assert _kinds(outcome(late(*rows)), outcome(late(*mixed)), ordered=False) == []


def test_order_counts_in_a_stream() -> None:
    """Two records that changed places are a difference, in a TABLE they are none."""
    a, b = ("a", 1, 2.0, 0), ("b", 2, 2.0, 0)
    assert _kinds(outcome(late(a, b)), outcome(late(b, a))) != []
    rows = counted(("x", 1, 1.0), ("y", 2, 2.0))
    assert _kinds(outcome(table=rows), outcome(table=rows[::-1])) == []


def test_a_record_in_the_middle_leaves_the_others_alone() -> None:
    """One more record, or one fewer, is one difference."""
    rows = [("a", 1, 2.0, 0), ("b", 2, 2.0, 0), ("c", 3, 2.0, 0)]
    assert _kinds(outcome(late(*rows)), outcome(late(rows[0], rows[2]))) == [("missing", '"b"')]
    assert _kinds(outcome(late(rows[0], rows[2])), outcome(late(*rows))) == [("unexpected", '"b"')]


def test_doubles_are_equal_to_a_relative_1e_9() -> None:
    """The last digits of a DOUBLE do not count, in streams and tables; those before do."""
    near, far = 2.0 * (1 + 1e-12), 2.0 * (1 + 1e-6)
    base = [("a", 1, 2.0, 0), ("b", 2, 2.0, 0)]
    assert _kinds(outcome(late(*base)), outcome(late(("a", 1, near, 0), base[1]))) == []
    assert _kinds(outcome(late(*base)), outcome(late(base[1]))) == [("missing", '"a"')]
    assert _kinds(outcome(late(*base)), outcome(late(("a", 1, far, 0), base[1]))) == [("changed", '"a"')]
    assert _kinds(outcome(table=counted(("x", 1, 2.0))), outcome(table=counted(("x", 1, near)))) == []
    # Off by a digit and off by a record at once.
    assert _kinds(outcome(late(*base)), outcome(late(("z", 9, 5.0, 0), ("a", 1, near, 0), base[1]))) == [
        ("unexpected", '"z"')
    ]


def test_nearly_equal_doubles_keep_records_of_one_key_apart() -> None:
    """A record that came before two nearly equal ones of its key is the only difference."""
    near = 1 + 1e-12
    found = late(("a", 1, 9.0, 0), ("a", 1, 2.0 * near, 0), ("a", 1, 5.0 * near, 0))
    assert _kinds(outcome(late(("a", 1, 2.0, 0), ("a", 1, 5.0, 0))), outcome(found)) == [("unexpected", '"a"')]


def test_cells_name_what_differs() -> None:
    """A changed row tells each cell with both sides and its line in the file."""
    golden = golden_text(PLAN, outcome(late(("a", 1, 2.0, 5)), counted(("x", 1, 2.0))))
    found = _differences(golden, outcome(late(("a", 3, 2.0, 6)), counted(("x", 1, 2.5), ("z", 1, 1.0))))
    assert [d.topic for d in found] == ["late", "counted"]
    assert found[0].rows[0].cells == (Cell("value.id", "1", "3"), Cell("timestamp", "5", "6"))
    assert (found[0].rows[0].line, found[1].rows[0].line) == (1, 2)
    assert found[1].rows[0].cells == (Cell("value.mean", "2.0", "2.5"),)
    assert (found[1].expected, found[1].actual) == (1, 2)
    assert "\n".join(difference_lines(found)) == (
        "late (STREAM): 1 row changed\n"
        '  ~ changed: key "a"  (line 1)\n'
        "      value.id   expected 1, found 3\n"
        "      timestamp  expected 5, found 6\n"
        "counted (TABLE): 1 row unexpected, 1 row changed\n"
        '  ~ changed: key "x"  (line 2)\n'
        "      value.mean  expected 2.0, found 2.5\n"
        '  + unexpected: key "z", value {"n":1,"mean":1.0}'
    )


def test_a_schema_change_is_told_by_cells() -> None:
    """A field that came, and one that went, are differences, even where the new one is null."""
    golden = '{"topic":"late","key":"a","value":{"id":1,"old":2},"timestamp":0}\n'
    found = _differences(golden, Outcome({"late": (Record("late", "a", {"id": 1, "delay": None}),)}))
    assert found[0].rows[0].cells == (Cell("value.delay", None, "null"), Cell("value.old", "2", None))
    text = "\n".join(difference_lines(found))
    assert "expected no such field, found null" in text and "expected 2, found no such field" in text


def test_a_number_is_not_the_string_that_it_looks_like() -> None:
    """Any JSON reads as a STRING, but a golden number does not stand for one; keys still meet."""
    golden = '{"topic":"late","key":7,"value":{"id":1,"delay":2.0},"timestamp":0}\n'
    found = _differences(golden, outcome(late(("7", 1, 2.0, 0))))
    assert found[0].rows[0].cells == (Cell("key", "7", '"7"'),)


def test_a_tombstone_differs_from_a_value() -> None:
    """A null value against a struct is one cell."""
    golden = '{"topic":"late","key":"a","value":null,"timestamp":0}\n'
    found = _differences(golden, outcome(late(("a", 1, 2.0, 0))))
    assert found[0].rows[0].cells == (Cell("value", "null", '{"id":1,"delay":2.0}'),)
    assert _differences(golden, Outcome({"late": (Record("late", "a", None),)})) == ()


def test_a_compacted_stream_is_compared_by_the_last_record_of_each_key() -> None:
    """Of the changes of a derived table only the last of each key must be there; times do not count."""
    changes = plan(COMPACTED)

    def records(*rows: tuple[str, int, int]) -> Outcome:
        return Outcome({"changes": tuple(Record("changes", k, {"n": n}, t) for k, n, t in rows)})

    golden = golden_text(changes, records(("x", 1, 1), ("y", 1, 2), ("x", 2, 3)))
    assert _differences(golden, records(("y", 1, 2), ("x", 2, 9)), changes) == ()
    found = _differences(golden, records(("y", 1, 2), ("x", 2, 9), ("x", 3, 9)), changes)
    assert [(r.kind, r.key) for r in found[0].rows] == [("changed", '"x"')] and found[0].compacted


def test_the_deletion_of_a_row_that_never_was_may_be_missing_from_a_compacted_stream() -> None:
    """An engine that sees batches knows of no row that came and went within one; a deletion of a live row counts."""
    changes = plan(COMPACTED)

    def records(*rows: tuple[str, int | None]) -> Outcome:
        values = ((k, None if n is None else {"n": n}) for k, n in rows)
        return Outcome({"changes": tuple(Record("changes", k, v, 0) for k, v in values)})

    golden = golden_text(changes, records(("x", 1), ("y", 2), ("x", None)))
    assert _differences(golden, records(("y", 2)), changes) == ()
    assert _differences(golden_text(changes, records(("y", 2))), records(("x", None), ("y", 2)), changes) == ()
    found = _differences(golden, records(("x", 1), ("y", 2)), changes)
    assert [(r.kind, r.key) for r in found[0].rows] == [("changed", '"x"')]


def test_a_table_keyed_by_doubles_meets_by_value() -> None:
    """Keys that differ in their last digits are one row."""
    topic = Topic("t", Facet(data.DOUBLE, "double"), Facet(data.INT, "int"))
    doubles = plan("INSERT INTO o SELECT TABLE * FROM t", topics=[topic])
    golden = golden_text(doubles, Outcome({"o": (Record("o", 0.3, 1), Record("o", 7.0, 1))}))
    assert _differences(golden, Outcome({"o": (Record("o", 0.1 + 0.2, 1), Record("o", 7.0, 1))}), doubles) == ()


def test_equal_records_that_stand_twice() -> None:
    """Duplicates in a STREAM count."""
    row = ("a", 1, 2.0, 0)
    assert _kinds(outcome(late(row, row)), outcome(late(row))) == [("missing", '"a"')]


def test_long_lists_are_capped() -> None:
    """Twelve rows are shown, and the rest counted."""
    golden = golden_text(PLAN, outcome(late(*[("a", i, 2.0, 0) for i in range(13)])))
    lines = list(difference_lines(_differences(golden, outcome())))
    assert len(lines) == 14 and lines[0] == "late (STREAM): 13 rows missing" and lines[-1] == "  and 1 more row"


@pytest.mark.parametrize("ordered", [True, False])
def test_topics_that_nobody_asked_for_are_not_compared(ordered: bool) -> None:
    """`topics` limits what is looked at."""
    assert compare(PLAN, (), outcome(late(("a", 1, 2.0, 0))), topics=["counted"], ordered=ordered) == ()
