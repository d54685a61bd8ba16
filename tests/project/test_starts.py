"""Where the reading of topics begins: what is written, which of several starts counts, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import lsqlc
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.build.starts import declared_starts, starts_of
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.starts import Begun, Start, parse_start, shown
from lsqlc.project.discovery import load_project
from lsqlc.project.model import Model

_DAY = 86_400_000
_JOIN = """
    WITH c AS (SELECT TABLE name FROM customers);
    SELECT STREAM o.item, c.name FROM orders AS o INNER JOIN c ON o._key = c._key
"""


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("earliest", Start("earliest")),
        ("latest", Start("latest")),
        ("30d", Start("30d", ago=30 * _DAY)),
        ("90m", Start("90m", ago=5_400_000)),
        ("1970-01-02", Start("1970-01-02", at=_DAY)),
        ("1970-01-02T06:00:00+06:00", Start("1970-01-02T06:00:00+06:00", at=_DAY)),
        ("1970-01-01 00:00:01.5", Start("1970-01-01 00:00:01.5", at=1_500)),
        ("1969-12-31", None),
        ("2024-02-30", None),
        ("yesterday", None),
        ("30", None),
        ("-1d", None),
        ("", None),
    ],
)
def test_what_a_start_is(text: str, start: Start | None) -> None:
    """A time from 1970 on, a duration, or one of two words."""
    assert parse_start(text) == start


def test_the_time_that_a_start_means() -> None:
    """A duration counts from now, and never leads before 1970; the time is shown where the text does not say it."""
    now = 100 * _DAY
    assert Start("30d", ago=30 * _DAY).time(now) == 70 * _DAY
    assert Start("200d", ago=200 * _DAY).time(now) == 0
    assert Start("latest").time(now) is None
    assert shown(Start("30d", ago=30 * _DAY), now) == "1970-03-12T00:00:00Z (30d)"
    assert shown(Start("1970-01-02T00:00:00Z", at=_DAY), now) == "1970-01-02T00:00:00Z"
    assert shown(Begun("30d", _DAY, ((0, 5),)), now) == "1970-01-02T00:00:00Z (30d)"
    assert shown(Start("latest"), now) == "latest"


def test_starts_in_yaml() -> None:
    """Of topics and of models; a wrong one is told at its place, and so is one of a topic of files."""
    text = (
        "topics:\n"
        "  - {name: orders, key: INT, value: 'item STRING', start: 2024-01-01}\n"
        "  - {name: late, key: INT, value: 'item STRING', start: soon}\n"
        "  - {name: readings, connector: files, files: {path: data, format: csv}, value: 'a INT', start: 1d}\n"
        "models:\n"
        "  - {name: m, config: {start: 7d}}\n"
    )
    found = read_declarations(text, "models/topics.yml", Defaults())
    assert [d.start and d.start.text for d in found.topics] == ["2024-01-01"]
    assert [m.start and m.start.ago for m in found.models] == [7 * _DAY]
    told = [(d.code, d.span and d.span.line, d.message) for d in found.diagnostics]
    assert told == [
        ("LSQ007", 3, "'soon' is not a start @ $.topics[1].start"),
        ("LSQ007", 4, "'start' is not for a topic of files @ $.topics[2].start"),
    ]


def _plan() -> Plan:
    topics = [
        lsqlc.Topic("orders", key="INT", value="item STRING"),
        lsqlc.Topic("customers", key="INT", value="name STRING"),
    ]
    return lsqlc.compile(_JOIN, topics=topics, name="m")


@pytest.mark.parametrize(
    ("given", "model", "declared", "expected"),
    [
        (None, None, {}, {}),
        (None, None, {"orders": "2d"}, {"orders": "2d"}),
        (None, "3d", {"orders": "2d"}, {"orders": "3d"}),
        ("4d", "3d", {"orders": "2d"}, {"orders": "4d"}),
        ("earliest", "3d", {"orders": "2d"}, {}),
        (None, "earliest", {"orders": "2d"}, {}),
        ("4d", None, {"customers": "2d"}, {"orders": "4d", "customers": "2d"}),
        (None, None, {"others": "2d"}, {}),
    ],
)
def test_which_start_counts(
    given: str | None, model: str | None, declared: Mapping[str, str], expected: Mapping[str, str]
) -> None:
    """The command's, then the model's, then the topic's; of a TABLE only its own."""

    def start(text: str | None) -> Start | None:
        return None if text is None else parse_start(text)

    known = {topic: found for topic, text in declared.items() if (found := start(text))}
    of = Model("m", "models/m.sql", "", "", start=start(model))
    assert {topic: s.text for topic, s in starts_of(_plan(), of, known, start(given)).items()} == expected


def _compiled(root: Path, topics: str, program: str = _JOIN) -> Compilation:
    for name, text in (("lsqlc.yml", "name: shop\n"), ("models/topics.yml", topics), ("models/m.sql", program)):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    project = load_project(root).project
    assert project is not None
    return compile_project(project)


def test_a_table_that_is_read_in_part(tmp_path: Path) -> None:
    """Its missing rows are a finding where the program reads it; a STREAM has none, and `earliest` has none."""
    topics = (
        "topics:\n"
        "  - {name: orders, key: INT, value: 'item STRING', start: 1d}\n"
        "  - {name: customers, key: INT, value: 'name STRING'START}\n"
    )
    found = _compiled(tmp_path, topics.replace("START", ", start: 2024-01-01"))
    (told,) = found.diagnostics
    assert (told.code, told.is_error, told.span and (told.span.path, told.span.line)) == (
        "LSQ689",
        False,
        ("models/m.sql", 2),
    )
    assert found.ok
    assert declared_starts(found.project.topics).keys() == {"orders", "customers"}
    again = compile_project(found.project, cache=found.entries, plans=False)
    assert [d.code for d in again.diagnostics] == ["LSQ689"]
    # An entry of the build before does not hold once the start is another one.
    project = _compiled(tmp_path, topics.replace("START", "")).project
    assert not compile_project(project, cache=found.entries, plans=False).diagnostics
    assert not _compiled(tmp_path, topics.replace("START", ", start: earliest")).diagnostics


def test_a_start_of_what_a_model_writes(tmp_path: Path) -> None:
    """Is refused at the declaration of the topic."""
    topics = (
        "topics:\n  - {name: orders, key: INT, value: 'item STRING'}\n"
        "  - {name: m, key: INT, value: 'item STRING', start: 1d}\n"
    )
    found = _compiled(tmp_path, topics, "SELECT STREAM item FROM orders\n")
    assert [(d.code, d.span and d.span.line) for d in found.diagnostics] == [("LSQ688", 3)]
    assert not found.ok
