"""Histories of topics: what is declared, what does not fit, and which start counts beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.build.starts import declared_starts, starts_of
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.starts import Begun, parse_start, shown
from lsqlc.project.discovery import load_project

_DAY = 86_400_000
_LAKE = """
  - name: lake
    connector: files
    key: id
    value: "id INT, item STRING, n INT, at TIMESTAMP"
    event_time: at
    files: {path: lake, format: parquet}
"""
_START = "start: {history: lake, until: 1970-01-03}"


def _compiled(root: Path, orders: str, lake: str = _LAKE) -> Compilation:
    texts = {
        "lsqlc.yml": "name: shop\n",
        "models/topics.yml": f"topics:\n  - {{name: orders, {orders}}}{lake}",
        "models/m.sql": "SELECT TABLE COUNT(*) AS c FROM orders GROUP BY item",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    project = load_project(root).project
    assert project is not None
    return compile_project(project)


def test_a_history_is_a_start(tmp_path: Path) -> None:
    """With the time at which it ends. A TABLE has it whatever a command says, and lacks no rows."""
    found = _compiled(tmp_path, f"key: INT, value: 'item STRING, n INT', {_START}")
    assert not found.diagnostics
    starts = declared_starts(found.project.topics)
    start = starts["orders"]
    assert (start.history, start.at, start.text) == ("lake", 2 * _DAY, "the history 'lake' until 1970-01-03")
    assert shown(start, 0) == "the history 'lake' until 1970-01-03T00:00:00Z"
    assert shown(Begun(start.text, 2 * _DAY, (), "lake"), 0) == shown(start, 0)
    (model,) = found.project.models
    for given in (parse_start("1d"), None):
        assert starts_of(found.plans["m"], model, starts, given)["orders"] == start


@pytest.mark.parametrize(
    ("orders", "lake", "notes"),
    [
        ("key: INT, value: 'item STRING', start: {history: lakes, until: 1d}", _LAKE, "'lakes' is not declared"),
        ("key: INT, value: 'item STRING', start: {history: orders, until: 1d}", _LAKE,
         "'orders' is not a topic of files"),
        (f"key: INT, value: STRING, {_START}", _LAKE,
         "the value of 'orders' is STRING, and only columns can be read from files"),
        (f"key: STRING, value: 'item STRING', {_START}", _LAKE,
         "'lake' has the key INT, and 'orders' has the key STRING"),
        (f"value: 'item STRING', {_START}", _LAKE, "'lake' has the key INT, and 'orders' has no key"),
        (f"key: INT, value: 'item STRING, x INT', {_START}", _LAKE, "'lake' does not declare the column 'x' INT"),
        (f"key: INT, value: 'item INT', {_START}", _LAKE, "'item' is STRING in 'lake', and INT in 'orders'"),
        (f"key: INT, value: 'item STRING NOT NULL', {_START}", _LAKE,
         "'item' may be null in 'lake', and must not be in 'orders'"),
        (f"key: INT, value: 'item STRING', {_START}", _LAKE.replace("    event_time: at\n", ""),
         "'lake' has no `event_time`: nothing says which of its records are before that time"),
    ],
)  # fmt: skip
def test_what_does_not_fit(tmp_path: Path, orders: str, lake: str, notes: str) -> None:
    """Is refused at the topic, with the columns."""
    found = _compiled(tmp_path, orders, lake)
    told = [d for d in found.diagnostics if d.code == "LSQ872"]
    assert [(d.span and d.span.line, d.notes) for d in told] == [(2, (notes,))]
    assert not found.ok


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (
            "{history: lake, until: latest}",
            "'latest' is not the time at which a history ends @ $.topics[0].start.until",
        ),
        ("{history: lake, until: soon}", "'soon' is not the time at which a history ends @ $.topics[0].start.until"),
        ("{history: lake}", "the key 'until' is missing @ $.topics[0].start"),
        ("{history: lake, until: 1d, to: 2d}", "unknown key 'to' @ $.topics[0].start"),
    ],
)
def test_no_time_to_split_at(start: str, message: str) -> None:
    """A history ends at a time."""
    text = f"topics:\n  - {{name: orders, key: INT, value: 'item STRING', start: {start}}}\n"
    found = read_declarations(text, "models/topics.yml", Defaults())
    assert [d.message for d in found.diagnostics] == [message]
