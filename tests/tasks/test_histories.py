"""Histories on a place: whether Kafka still has what comes behind them, and what both give together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.declared.starts import Start
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.tasks.histories import history_check, history_finder, history_text, removed_partitions
from lsqlc.tasks.history_lines import behind_history
from lsqlc.tasks.run_target import open_target
from lsqlc.tasks.starts import starts_at
from lsqlc.types.kafka import KafkaSettings

_LAKE = "n,at\n1,1970-01-01T00:00:00Z\n2,1970-01-02T00:00:00Z\n3,1970-01-01T23:59:59.999Z\n"
Bounds = Mapping[int, tuple[int, int]]


@pytest.mark.parametrize(
    ("places", "bounds", "expected"),
    [
        ({0: 5, 1: 0}, {0: (0, 9), 1: (0, 0)}, ()),
        ({0: 0}, {0: (0, 9)}, ()),
        ({0: 5}, {0: (4, 9)}, ()),
        ({0: 4}, {0: (4, 9)}, (0,)),
        ({0: 5, 1: 7}, {0: (4, 9), 1: (7, 9)}, (1,)),
        # An empty partition says nothing of itself.
        ({0: 5, 1: 7}, {0: (4, 9), 1: (7, 7)}, ()),
        ({0: 4, 1: 7}, {0: (4, 9), 1: (7, 7)}, (0, 1)),
        ({0: 7}, {0: (7, 7)}, (0,)),
    ],
    ids=["nothing was removed", "all is behind", "older ones are left", "no older one is left", "in one partition",
         "an empty one beside another", "an empty one, and none is sure", "an empty topic"],
)  # fmt: skip
def test_partitions_with_a_gap(places: Mapping[int, int], bounds: Bounds, expected: tuple[int, ...]) -> None:
    """A record of before the place that is still there shows that retention has not come to it."""
    assert tuple(removed_partitions(places, bounds)) == expected


def _project(root: Path) -> Compilation:
    texts = {
        "lsqlc.yml": "name: shop\n",
        "models/topics.yml": (
            "topics:\n"
            "  - {name: lake, connector: files, value: 'n INT, at TIMESTAMP', event_time: at, "
            "files: {path: lake, format: csv}}\n"
            "  - {name: orders, value: 'n INT', start: {history: lake, until: 1970-01-02}}\n"
        ),
        "models/m.sql": "SELECT STREAM n FROM orders",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    project = load_project(root).project
    assert project is not None
    return compile_project(project)


@pytest.mark.parametrize(
    ("target", "code"),
    [
        (Target("folders"), "LSQ873"),
        (Target("away", connection=KafkaSettings("localhost:1"), checkpoints="s3a://shop/checkpoints"), "LSQ873"),
        (Target("here", connection=KafkaSettings("localhost:1")), "LSQ877"),
    ],
    ids=["topics in folders", "checkpoints at an address", "no files"],
)
def test_where_no_history_is_read(tmp_path: Path, target: Target, code: str) -> None:
    """Before any broker is asked; a start without a history is none of it."""
    compilation = _project(tmp_path)
    place = open_target(tmp_path, target, compilation.plans.values())
    check = history_check(compilation, place)
    start = starts_at(compilation, place)["m"]["orders"]
    assert isinstance(start, Start)
    with pytest.raises(LsqlcError) as error:
        check("orders", start, {0: 5})
    assert [d.code for d in error.value.diagnostics] == [code]
    check("orders", replace(start, history=""), {0: 5})


def test_a_history_that_is_no_longer_declared(tmp_path: Path) -> None:
    """A query that has read a part of it is told so."""
    compilation = _project(tmp_path)
    place = open_target(tmp_path, Target("here", connection=KafkaSettings("localhost:1")), compilation.plans.values())
    find = history_finder(compilation, place)
    assert find("orders", "lake").files.name == "lake"
    with pytest.raises(LsqlcError) as error:
        find("orders", "pond")
    assert [d.code for d in error.value.diagnostics] == ["LSQ873"]


def test_what_a_plan_says_of_the_files(tmp_path: Path) -> None:
    """How many there are, and their size."""
    compilation = _project(tmp_path)
    place = open_target(tmp_path, Target("folders"), compilation.plans.values())
    (tmp_path / "lake").mkdir()
    assert history_text(compilation, place, "lake") == "0 files, 0 bytes"
    for name in ("a.csv", "b.csv"):
        (tmp_path / "lake" / name).write_text("n,at\n1,1970-01-01\n", "utf-8")
    assert history_text(compilation, place, "lake") == "2 files, 36 bytes"


def test_lines_of_both(tmp_path: Path) -> None:
    """Each record is of the history or of Kafka, by its time, and the history is before."""
    compilation = _project(tmp_path)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "a.csv").write_text(_LAKE, "utf-8")
    topics = {d.topic.name: d.topic for d in compilation.project.topics}
    line = '{"ordinal":[%d,%d,4],"timestamp":%d,"key":null,"value":{"n":%d}}\n'
    day = 86_400_000
    given = tmp_path / "orders.jsonl"
    given.write_text(line % (day - 1, 0, day - 1, 3) + line % (day, 1, day, 4), "utf-8")
    for timed in (True, False):
        found = behind_history([given], tmp_path, topics["orders"], topics["lake"], day, tmp_path, timed=timed)
        read = [json.loads(text) for path in found for text in path.read_text("utf-8").splitlines()]
        assert [(each["value"]["n"], each["timestamp"]) for each in read] == [(1, 0), (3, day - 1), (4, day)]
        if timed:
            assert [each["ordinal"][0] for each in read] == [0, day - 1, day]
        else:
            assert [each["ordinal"][0] for each in read[:2]] == [-1, -1]
