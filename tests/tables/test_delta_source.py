"""How a Delta table is declared as the source of a topic, and which columns it has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lsqlc.diagnostics import Span
from lsqlc.tables.delta.commits import Commit, parse_commit
from lsqlc.tables.delta.source import DeltaSource, column_problems, table_columns, unfit_columns
from lsqlc.types.data import Struct
from lsqlc.types.ddl import columns_text, parse_columns

SPAN = Span("models/topics.yml", 2, 5, 2, 11)


def _schema(**types: Any) -> str:
    fields = [{"name": n, "type": t, "nullable": n != "id", "metadata": {}} for n, t in types.items()]
    return json.dumps({"type": "struct", "fields": fields})


def test_types_of_columns() -> None:
    """Each type that topics have, nested ones too. Small integers are INT, and times without a zone are in UTC."""
    inner = {"type": "struct", "fields": [{"name": "a", "type": "byte", "nullable": False}]}
    found = table_columns(
        _schema(
            id="long", i="integer", s="short", f="float", d="double", t="string", b="boolean", x="binary", day="date",
            at="timestamp", local="timestamp_ntz", price="decimal(12,2)",
            list={"type": "array", "elementType": "string", "containsNull": True},
            map={"type": "map", "keyType": "string", "valueType": inner, "valueContainsNull": True},
        )
    )  # fmt: skip
    assert (
        columns_text(found.columns)
        == (
            "id BIGINT NOT NULL, i INT, s INT, f FLOAT, d DOUBLE, t STRING, b BOOLEAN, x BYTES, day DATE, "
            "at TIMESTAMP, local TIMESTAMP, price DECIMAL(12,2), list ARRAY<STRING>, "
            "map MAP<STRING,STRUCT<a: INT NOT NULL>>"
        )
        and not found.unfit
    )


def test_types_that_no_topic_has() -> None:
    """They are named with their column, also inside of others. A declaration without the column leaves it out."""
    inner = {"type": "struct", "fields": [{"name": "v", "type": "variant", "nullable": True}]}
    found = table_columns(_schema(id="long", v="variant", s={"type": "array", "elementType": inner}))
    assert found.columns == parse_columns("id BIGINT NOT NULL")
    assert found.unfit == {"v": "variant", "s.element.v": "variant"}
    problem = unfit_columns("orders", SPAN, found.unfit)
    assert problem.code == "LSQ611" and problem.notes == ("'s.element.v' is variant",)
    assert problem.message == "the column 'v' of the Delta table of 'orders' has the type variant, which no topic has"
    assert _problems("id BIGINT", id="long", v="variant") == []
    assert "'v' of the Delta table of 'orders' is variant in version 4" in _problems("v STRING", v="variant")[0]
    assert "is a type with variant in version 4" in _problems("s STRING", s={"type": "array", "elementType": inner})[0]


@pytest.mark.parametrize(
    ("columns", "is_newest", "problem"),
    [
        ("id BIGINT, name STRING", True, None),
        ("id BIGINT NOT NULL", True, None),
        ("id INT", True, "the column 'id' of the Delta table of 'orders' is BIGINT in version 4, and INT in the topic"),
        ("nam STRING", True, "the Delta table of 'orders' has no column 'nam' in version 4"),
        ("nam STRING", False, None),
    ],
)
def test_columns_must_fit(columns: str, is_newest: bool, problem: str | None) -> None:
    """Nullability aside. An older version may lack a column, which was added later."""
    found = _problems(columns, is_newest=is_newest, id="long", name="string")
    assert found == ([] if problem is None else [problem])


def _problems(columns: str, *, is_newest: bool = True, **types: Any) -> list[str]:
    value = parse_columns(columns)
    assert isinstance(value, Struct)
    table = table_columns(_schema(**types))
    return [p.message for p in column_problems("orders", SPAN, value.fields, table, 4, is_newest=is_newest)]


def test_a_writer_is_of_a_table_a_key_and_rows() -> None:
    """Records of another declaration are not continued."""
    sources = [
        DeltaSource("lake/orders", SPAN), DeltaSource("lake/orders", SPAN, rows="current", key=("id",)),
        DeltaSource("lake/orders", SPAN, rows="current", key=("id", "shop")),
        DeltaSource("lake/orders", SPAN, key=("id",)),
    ]  # fmt: skip
    writers = {source.writer(id) for source in sources for id in ("3e5cba3e-0ed5-4fba-b1dc-7e2d9e1d4c5f", "other")}
    assert len(writers) == 8 and all(len(writer) <= 64 for writer in writers)
    assert DeltaSource("elsewhere", SPAN).writer("other") == DeltaSource("lake/orders", SPAN).writer("other")


@pytest.mark.parametrize(
    ("actions", "commit"),
    [
        (
            [{"commitInfo": {"timestamp": 5}}, {"add": {"path": "a", "dataChange": True}}],
            Commit(3, 5, adds=True, removes=False, has_changes=False, has_metadata=False),
        ),
        (
            [{"commitInfo": {"timestamp": 5, "inCommitTimestamp": 7}}, {"metaData": {"id": "x"}}],
            Commit(3, 7, adds=False, removes=False, has_changes=False, has_metadata=True),
        ),
        (
            [
                {"add": {"path": "a", "dataChange": False, "modificationTime": 9}},
                {"remove": {"path": "b", "dataChange": False}},
            ],
            Commit(3, 9, adds=False, removes=False, has_changes=False, has_metadata=False),
        ),
        (
            [{"remove": {"path": "b", "dataChange": True}}, {"cdc": {"path": "c"}}],
            Commit(3, None, adds=False, removes=True, has_changes=True, has_metadata=False),
        ),
    ],
)
def test_commits(actions: list[Any], commit: Commit) -> None:
    """A compaction changes no data. The time is that of the commit, else that of its files."""
    assert parse_commit(3, "\n".join(map(json.dumps, actions)).encode() + b"\n") == commit
