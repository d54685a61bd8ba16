"""A star behind a struct has the fields of it, as in Spark."""

from __future__ import annotations

from typing import Any

import pytest

import lsqlc
from lsqlc import Record, Topic

TOPICS = (
    Topic(
        "changes",
        value="op STRING, before STRUCT<id: INT, name: STRING>, after STRUCT<id: INT, name: STRING, at STRUCT<x: INT>>",
    ),
    Topic("after", key="INT", value="n INT"),
)
GIVEN = [
    Record("changes", None, {"op": "c", "before": None, "after": {"id": 1, "name": "Ada", "at": {"x": 5}}}, 1),
    Record("changes", None, {"op": "d", "before": {"id": 1, "name": "Ada"}, "after": None}, 2),
]


def _rows(text: str) -> list[dict[str, Any]]:
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="t")
    return [r.value for r in lsqlc.evaluate(plan, GIVEN)["t"]]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SELECT after.* FROM STREAM(changes)", {"id": 1, "name": "Ada", "at": {"x": 5}}),
        ("SELECT op, AFTER.at.* FROM STREAM(changes)", {"op": "c", "x": 5}),
        ("SELECT c.after.* EXCEPT (AT, name) FROM STREAM(changes) AS c", {"id": 1}),
        ("SELECT changes.after.at.*, op AS o FROM STREAM(changes)", {"x": 5, "o": "c"}),
        ("SELECT after.* FROM (SELECT after FROM STREAM(changes)) AS q", {"id": 1, "name": "Ada", "at": {"x": 5}}),
        ("SELECT after.* FROM STREAM(changes) AS after", {"op": "c", **GIVEN[0].value}),
    ],
)
def test_it_has_its_fields(text: str, first: dict[str, Any]) -> None:
    """Null where the struct is. The name of a source comes first."""
    rows = _rows(text)
    assert rows[0] == first and list(rows[1]) == list(first)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("SELECT op.* FROM STREAM(changes)", "LSQ202", "'op' is STRING, which has no fields"),
        ("SELECT x.* FROM STREAM(changes)", "LSQ201", "'x' is not a source of this query, nor a column"),
        ("SELECT after.x.* FROM STREAM(changes)", "LSQ202", "has no field 'x'"),
        ("SELECT after.* EXCEPT (x) FROM STREAM(changes)", "LSQ201", "'after.*' has no column 'x'"),
        ("SELECT after.*, before.* FROM STREAM(changes)", "LSQ305", "two columns are named 'id'"),
    ],
)
def test_what_has_no_fields_is_named(text: str, code: str, message: str) -> None:
    """As are fields that it does not have, and those that two structs have."""
    with pytest.raises(lsqlc.CompileError) as error:
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="t")
    (found,) = error.value.diagnostics
    assert found.code == code and message in found.message
