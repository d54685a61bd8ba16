"""What a save affects, and what it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.duckdb import evaluate
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.tasks.dev import Affected, Look, look
from lsqlc.types.record import Record

FILES = {
    "lsqlc.yml": "name: shop\ndialect: lenses\nvars: {least: 2}\n",
    "models/topics.yml": "topics:\n"
    "  - {name: orders, key: STRING, value: 'item STRING, n INT', seed: {path: seeds/orders.csv, key: item}}\n"
    "  - {name: visits, key: STRING, value: 'page STRING'}\n",
    "models/big.sql": "SELECT STREAM item, n FROM orders WHERE n >= {{ var('least') }};",
    "models/by_item.sql": "SELECT TABLE SUM(n) AS total FROM {{ ref('big') }} GROUP BY item;",
    "models/pages.sql": "SELECT STREAM page FROM visits WHERE {{ known('page') }};",
    "macros/known.sql": "{% macro known(c) %}{{ c }} IS NOT NULL{% endmacro %}",
    "seeds/orders.csv": "item,n\npen,1\npen,2\nink,3\n",
    "tests/cases.yml": "cases:\n"
    "  - name: one\n    model: pages\n    inputs:\n      visits: [{key: a, value: {page: home}}]\n"
    "    expect:\n      pages: [{key: a, value: {page: home}}]\n    golden: false\n",
}


class _Shop:
    """A project on disk, looked at after each save."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.last: Look | None = None
        self.save(**FILES)

    def save(self, **files: str) -> None:
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def look(self, limit: int = 1000) -> dict[str, Affected]:
        loaded = load_project(self.root).project
        assert loaded is not None
        log = FileLog(self.root / ".lsqlc/topics")
        now, affected = look(compile_project(loaded), evaluate, log=log, limit=limit, before=self.last)
        self.last = now
        return {each.model.name: each for each in affected}

    def causes(self) -> dict[str, str]:
        return {name: each.cause for name, each in self.look().items()}


@pytest.fixture
def shop(tmp_path: Path) -> _Shop:
    return _Shop(tmp_path)


def values(each: Affected) -> list[object]:
    (rows,) = each.model.rows
    return [record.value for records in rows.outcome.topics.values() for record in records]


def kinds(each: Affected) -> list[str]:
    return [row.kind for topics in each.differences.values() for topic in topics for row in topic.rows]


def test_the_first_look(shop: _Shop) -> None:
    """All models over seeds and each other; a model without a sample shows its cases."""
    found = shop.look()
    assert values(found["big"]) == [{"item": "pen", "n": 2}, {"item": "ink", "n": 3}]
    assert values(found["by_item"]) == [{"total": 3}, {"total": 2}]
    assert found["pages"].model.lacking == ("visits",)
    assert [rows.case for rows in found["pages"].model.rows] == ["one"]
    assert shop.last is not None and shop.last.ok and [r.status for r in shop.last.results] == ["passed"]
    assert shop.look() == {}


def test_a_model_and_what_is_below_it(shop: _Shop) -> None:
    """The rows that a save changes are those of the model and of what reads it."""
    shop.look()
    shop.save(**{"models/big.sql": "SELECT STREAM item, n + 1 AS n FROM orders WHERE n >= 1;"})
    found = shop.look()
    assert {name: each.cause for name, each in found.items()} == {"big": "changed", "by_item": "downstream"}
    assert "changed" in kinds(found["big"]) and kinds(found["by_item"]) == ["changed"] * 2


@pytest.mark.parametrize(
    ("path", "old", "new", "causes"),
    [
        ("lsqlc.yml", "least: 2", "least: 3", {"big": "changed", "by_item": "downstream"}),
        ("macros/known.sql", "IS NOT NULL", "<> 'home'", {"pages": "changed"}),
        ("models/topics.yml", "n INT", "n BIGINT", {"big": "changed", "by_item": "downstream"}),
        ("seeds/orders.csv", "pen,2", "pen,5", {"big": "changed", "by_item": "downstream"}),
        ("tests/cases.yml", "home}}]\n    golden", "front}}]\n    golden", {"pages": "changed"}),
        ("tests/cases.yml", "cases:\n", "# A comment moves all places.\ncases:\n", {}),
        ("lsqlc.yml", "name: shop", "name: store", {}),
    ],
)
def test_any_file_of_the_project(shop: _Shop, path: str, old: str, new: str, causes: dict[str, str]) -> None:
    """Settings, macros, declarations, seeds and cases affect those models that depend on them."""
    shop.look()
    text = (shop.root / path).read_text()
    assert old in text
    shop.save(**{path: text.replace(old, new)})
    assert shop.causes() == causes


def test_a_case_that_fails(shop: _Shop) -> None:
    """It is reported with its model, and stays a failure when something else is saved."""
    shop.look()
    shop.save(**{"models/pages.sql": "SELECT STREAM CONCAT(page, '!') AS page FROM visits;"})
    found = shop.look()
    assert [result.status for result in found["pages"].model.results] == ["failed"] and kinds(found["pages"]) == [
        "changed"
    ]
    shop.save(**{"seeds/orders.csv": "item,n\npen,9\n"})
    assert "pages" not in shop.look()
    assert shop.last is not None and [r.status for r in shop.last.results] == ["failed"] and not shop.last.ok


def test_a_save_with_an_error(shop: _Shop) -> None:
    """The rows of the save that mends it are compared with those before the error."""
    shop.look()
    shop.save(**{"models/big.sql": "SELECT STREAM item, m FROM orders;"})
    found = shop.look()
    assert {name: each.model.status for name, each in found.items()} == {"big": "failed", "by_item": "skipped"}
    assert {name: each.cause for name, each in found.items()} == {"big": "changed", "by_item": "downstream"}
    shop.save(**{"models/big.sql": "SELECT STREAM item, n FROM orders WHERE n >= 3;"})
    found = shop.look()
    assert kinds(found["big"]) == ["missing"] and kinds(found["by_item"]) == ["missing"]
    assert found["by_item"].cause == "downstream"


def test_a_model_that_comes_and_goes(shop: _Shop) -> None:
    """A new model is affected with nothing to compare it with; one that was removed is gone."""
    shop.look()
    shop.save(**{"models/more.sql": "SELECT STREAM item FROM orders;"})
    found = shop.look()
    assert found.keys() == {"more"} and found["more"].differences == {} and len(values(found["more"])) == 3
    (shop.root / "models/more.sql").unlink()
    assert shop.look() == {} and shop.last is not None and "more" not in shop.last.models


def test_a_seed_that_cannot_be_read(shop: _Shop) -> None:
    """It is told with its place, and what reads it has no sample."""
    shop.look()
    shop.save(**{"seeds/orders.csv": "item,n\npen,many\n"})
    found = shop.look()
    assert found["big"].model.lacking == ("orders",)
    assert shop.last is not None and [d.code for d in shop.last.diagnostics] == ["LSQ411"]
    (shop.root / "seeds/orders.csv").unlink()
    shop.look()
    assert [d.code for d in shop.last.diagnostics] == ["LSQ410"]


def test_records_that_lie_in_the_topics(shop: _Shop) -> None:
    """A topic without a seed has the records of the target, as they are at each look."""
    shop.look()
    log = FileLog(shop.root / ".lsqlc/topics")
    assert shop.last is not None
    topic = shop.last.compilation.topics["visits"]
    log.append(topic, [Record("visits", "a", {"page": "home"}, 5)])
    found = shop.look()
    assert found.keys() == {"pages"} and values(found["pages"]) == [{"page": "home"}]
    log.append(topic, [Record("visits", "b", {"page": "cart"}, 6)])
    assert kinds(shop.look()["pages"]) == ["unexpected"]


def test_only_the_first_records_of_a_topic(shop: _Shop) -> None:
    assert values(shop.look(limit=2)["big"]) == [{"item": "pen", "n": 2}]


def test_topics_of_files_and_late_records(shop: _Shop) -> None:
    """Files are samples too; and a record that is late stays behind those that came before it."""
    shop.save(
        **{
            "models/files.yml": "topics:\n"
            "  - {name: lines, value: 'n INT', connector: files, files: {path: drop, format: csv}}\n"
            "  - {name: times, key: STRING, value: 'at BIGINT', seed: {path: seeds/t.csv, key: at, timestamp: at}}\n",
            "drop/a.csv": "n\n7\n",
            "seeds/t.csv": "at\n5000\n1000\n9000\n",
            "models/lines_seen.sql": "SELECT STREAM n FROM lines;",
            "models/times_seen.sql": "SELECT STREAM at FROM times;",
        }
    )
    found = shop.look()
    assert values(found["lines_seen"]) == [{"n": 7}]
    assert values(found["times_seen"]) == [{"at": 5000}, {"at": 1000}, {"at": 9000}]
