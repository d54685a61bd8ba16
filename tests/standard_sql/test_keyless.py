"""Topics without a key, whose records are rows under the places where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import lsqlc
from lsqlc import Record, Topic
from lsqlc.dialects.sql import DIALECT

TOPICS = (
    Topic("r", value="a INT, g STRING"),
    Topic("u", key="INT", value="g STRING, w INT"),
    Topic("v", value="STRING"),
)
RECORDS = (
    Record("r", None, {"a": 1, "g": "x"}, 5),
    Record("r", None, None, 6),
    Record("r", None, {"a": 1, "g": "x"}, 7),
    Record("u", 1, {"g": "x", "w": 3}, 8),
    Record("r", None, {"a": 2, "g": None}, 9),
    Record("u", 1, {"g": "x", "w": 4}, 10),
)


def _compiled(text: str, **settings: Any) -> lsqlc.Plan:
    return lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o", **settings)


def _made(text: str, **settings: Any) -> Sequence[Record]:
    plan = _compiled(text, **settings)
    names = {topic.name for topic in plan.inputs}
    return lsqlc.evaluate(plan, [r for r in RECORDS if r.topic in names])["o"]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT a, g FROM r", {(0, 0): (1, "x"), (0, 2): (1, "x"), (0, 3): (2, None)}),
        ("SELECT a + 1 AS b FROM r WHERE g = 'x'", {(0, 0): (2,), (0, 2): (2,)}),
        ("SELECT r.a, u.w FROM r LEFT JOIN u ON u.g = r.g",
         {(0, 0, 1): (1, 4), (0, 2, 1): (1, 4), (0, 3, None): (2, None)}),
        ("SELECT a, RANK() OVER (ORDER BY a DESC) AS k FROM r", {(0, 0): (1, 2), (0, 2): (1, 2), (0, 3): (2, 1)}),
        ("SELECT a FROM r WHERE g IN (SELECT g FROM u WHERE w > 3)", {(0, 0): (1,), (0, 2): (1,)}),
        ("SELECT a FROM r ORDER BY a DESC LIMIT 1", {(0, 3): (2,)}),
        ("SELECT e FROM r LATERAL VIEW explode(array(a, 7)) AS e WHERE a = 2", {(0, 3, 0): (2,), (0, 3, 1): (7,)}),
    ],
)  # fmt: skip
def test_each_record_is_a_row(text: str, rows: dict[tuple[Any, ...], tuple[Any, ...]]) -> None:
    """Records without a value are none, and two that are equal are two."""
    assert {tuple(r.key.values()): tuple(r.value.values()) for r in _made(text)} == rows


def test_parts_of_a_union_are_rows_of_records_and_of_tables() -> None:
    """Under keys of different types."""
    assert sorted(r.value["a"] for r in _made("SELECT a FROM r UNION ALL SELECT w FROM u")) == [1, 1, 2, 4]


def test_groups_of_records_keep_no_records() -> None:
    """Their state is that of a stream: no record is taken back."""
    assert "ROWOFFSET" not in str(_compiled("SELECT g, MAX(a) AS m FROM r GROUP BY g").sinks)


def test_a_state_of_all_records_is_reported() -> None:
    """Where a view needs one; a view that only filters keeps nothing."""
    for text, codes in (("SELECT r.a FROM r JOIN u ON u.g = r.g", ["LSQ477"]), ("SELECT a FROM r WHERE a > 1", [])):
        program = DIALECT.parse(text, "m.sql").program
        assert program is not None
        topics = {topic.name: topic for topic in _compiled(text).inputs}
        assert [each.code for each in DIALECT.bind(program, topics, name="o").diagnostics] == codes


def test_a_declared_key_keeps_the_newest_record_of_each() -> None:
    """As before."""
    made = _made("SELECT a, g FROM r", key=["a"])
    assert {str(r.key): r.value["g"] for r in made} == {"{'a': 1}": "x", "{'a': 2}": None}


def test_a_value_that_is_no_struct_has_no_key() -> None:
    """And the errors of a query stay those of its own."""
    with pytest.raises(lsqlc.CompileError, match="LSQ451"):
        _compiled("SELECT _value FROM v")
    with pytest.raises(lsqlc.CompileError, match="unknown column 'b'"):
        _compiled("SELECT r.b FROM r JOIN u ON u.g = r.g")
