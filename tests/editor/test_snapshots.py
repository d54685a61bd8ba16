"""Snapshots: what is told of which file, what is remembered; fixes and formatting of what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.editor.actions import fix_all, fixes
from lsqlc.editor.answers import Edit
from lsqlc.editor.completion import completion
from lsqlc.editor.definition import definition
from lsqlc.editor.formatting import format_model
from lsqlc.editor.hover import hover
from lsqlc.editor.references import references
from lsqlc.editor.snapshot import Snapshot, kind_of, take
from lsqlc.editor.symbols import symbols
from lsqlc.lint import apply_fixes
from lsqlc.project.declared.config import ProjectConfig

from .project import FILES, OUTSIDE, write

LARGE = "models/large.sql"


def codes(snapshot: Snapshot, path: str) -> list[str]:
    return [d.code for d in snapshot.findings.get(path, ())]


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda e: e.at, reverse=True):
        text = text[: edit.at[0]] + edit.text + text[edit.at[1] :]
    return text


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("lsqlc.yml", "project"),
        ("profiles.yml", "profiles"),
        ("models/a/b.sql", "model"),
        ("models/a.yaml", "declarations"),
        ("macros/a.sql", "macro"),
        ("tests/a.yml", "cases"),
        ("tests/a.sql", None),
        ("a.sql", None),
        ("docs/a.yml", None),
        ("target/compiled/a.sql", None),
        ("models/.hidden/a.sql", None),
    ],
)
def test_kinds_of_files(path: str, kind: str | None) -> None:
    """Where a file lies says what it is."""
    assert kind_of(path, ProjectConfig("a")) == kind


def test_kinds_follow_the_paths_of_the_project() -> None:
    """Other folders, and the project's own folder as one."""
    assert kind_of("sql/a.sql", ProjectConfig("a", model_paths=("sql/",))) == "model"
    assert kind_of("a.sql", ProjectConfig("a", model_paths=(".",))) == "model"


def test_a_broken_project_file_keeps_what_was_known(shop: Path) -> None:
    """While lsqlc.yml is being typed, columns are still completed."""
    before = take(shop, {}, OUTSIDE)
    broken = take(shop, {"lsqlc.yml": "name: ["}, OUTSIDE, before)
    assert codes(broken, "lsqlc.yml") == ["LSQ003"] and broken.compilation is None
    text = "SELECT STREAM ship. FROM orders"
    found = completion(broken.typed({LARGE: text}), LARGE, text.index(".") + 1)
    assert found is not None and [item.label for item in found.items] == ["city"]


def test_an_edit_compiles_what_it_touches(shop: Path) -> None:
    """A comment in one model compiles that one; a column of a topic, those that read it."""
    first = take(shop, {}, OUTSIDE)
    again = take(shop, {LARGE: FILES[LARGE] + "-- more\n"}, OUTSIDE, first)
    assert again.compilation is not None
    assert {n for n, b in again.compilation.models.items() if b.status == "compiled"} == {"large"}
    text = FILES["models/topics.yml"].replace("price DOUBLE", "price INT")
    other = take(shop, {"models/topics.yml": text}, OUTSIDE, first)
    assert other.compilation is not None
    compiled = {n for n, b in other.compilation.models.items() if b.status == "compiled"}
    assert compiled == {"large", "per_item", "templated"}


def test_rules_are_told_of_open_models_alone(shop: Path) -> None:
    """What lint says of the others is for `lsqlc lint`; settings and comments of the project hold."""
    text = "SELECT STREAM item AS item FROM orders;"
    (shop / LARGE).write_text(text)
    assert codes(take(shop, {}, OUTSIDE), LARGE) == []
    assert codes(take(shop, {LARGE: text}, OUTSIDE), LARGE) == ["LSQ825"]
    ignored = text + "  -- lint: ignore LSQ825"
    assert codes(take(shop, {LARGE: ignored}, OUTSIDE), LARGE) == []
    settings = {"lsqlc.yml": "name: shop\nvars: {least: 1}\nlint: {ignore: [LSQ825]}\n"}
    assert codes(take(shop, {LARGE: text, **settings}, OUTSIDE), LARGE) == []


def test_cases_are_told_with_the_files_that_they_need(shop: Path) -> None:
    """Fixtures of other files are known, a name that another file has is found twice, records are checked."""
    case = "cases:\n  - {name: one, model: large, fixtures: desks}\n"
    fixture = "fixtures:\n  desks:\n    orders: [{key: 1, value: {id: 1, item: desk, price: 200}}]\n"
    (shop / "tests/fixtures.yml").write_text(fixture)
    found = take(shop, {"tests/more.yml": case}, OUTSIDE)
    assert codes(found, "tests/more.yml") == ["LSQ503"]
    (shop / "tests/more.yml").write_text(case.replace("one", "two"))
    assert not take(shop, {"tests/more.yml": case.replace("one", "two")}, OUTSIDE).findings
    wrong = take(shop, {"tests/fixtures.yml": fixture.replace("price", "prise")}, OUTSIDE)
    assert codes(wrong, "tests/fixtures.yml") == ["LSQ508"]
    assert not take(shop, {"tests/large.yml": FILES["tests/large.yml"]}, OUTSIDE).findings


def test_nothing_is_written(shop: Path) -> None:
    """Not even a cache; one that a build has left is read."""
    before = {path: path.stat().st_mtime_ns for path in shop.rglob("*")}
    snapshot = take(shop, dict(FILES), OUTSIDE)
    take(shop, {LARGE: "SELECT"}, OUTSIDE, snapshot)
    format_model(snapshot, LARGE)
    assert {path: path.stat().st_mtime_ns for path in shop.rglob("*")} == before


def test_a_new_model_has_findings_before_it_is_saved(shop: Path) -> None:
    """A document whose file is not there yet is a model of the project, and others can read what it writes."""
    new = "INSERT INTO made SELECT STREAM nothing FROM orders"
    assert codes(take(shop, {"models/new.sql": new}, OUTSIDE), "models/new.sql") == ["LSQ201"]
    reads = {"models/new.sql": new.replace("nothing", "item"), "models/reader.sql": "SELECT STREAM item FROM made"}
    assert not take(shop, reads, OUTSIDE).findings


@pytest.mark.parametrize(
    ("path", "text", "title", "after"),
    [
        (LARGE, "SELECT STREAM prise FROM orders", "write 'price'", "SELECT STREAM price FROM orders"),
        (LARGE, "SELECT STREAM o.prise FROM orders AS o", "write 'price'", "SELECT STREAM o.price FROM orders AS o"),
        (LARGE, "SELECT STREAM item FROM customer-evens", "write 'customer-events'",
         "SELECT STREAM item FROM customer-events"),
        (LARGE, "SELECT STREAM UPER(item) AS u FROM orders", "write 'UPPER'",
         "SELECT STREAM UPPER(item) AS u FROM orders"),
        (LARGE, "SELECT STREAM item FROM {{ ref('per_itme') }}", "write 'per_item'",
         "SELECT STREAM item FROM {{ ref('per_item') }}"),
        (LARGE, "SELECT STREAM item AS item FROM orders", "remove the alias", "SELECT STREAM item FROM orders"),
        (LARGE, "SELECT STREAM item AS item FROM orders;\n", "ignore LSQ825 in this line",
         "SELECT STREAM item AS item FROM orders;  -- lint: ignore LSQ825\n"),
        (LARGE, "SELECT STREAM item, FROM orders", "remove it", "SELECT STREAM item FROM orders"),
        ("lsqlc.yml", "name: shop\nmodel-path: [models]\nvars: {least: 1}\n", "write 'model-paths'",
         "name: shop\nmodel-paths: [models]\nvars: {least: 1}\n"),
        ("tests/large.yml", "cases:\n  - {name: a, model: larg}\n", "write 'large'",
         "cases:\n  - {name: a, model: large}\n"),
    ],
)  # fmt: skip
def test_quick_fixes(shop: Path, path: str, text: str, title: str, after: str) -> None:
    """Each makes the text that its title promises, and the finding is gone."""
    snapshot = take(shop, {path: text}, OUTSIDE)
    (found,) = [(d, a) for d, a in fixes(snapshot, path, (0, len(text))) if a.title == title]
    assert edited(text, found[1].edits) == after
    assert found[0].code not in codes(take(shop, {path: after}, OUTSIDE), path)


def test_fixes_are_of_the_place_that_is_asked_about(shop: Path) -> None:
    """A finding elsewhere in the file offers nothing here."""
    text = "SELECT STREAM prise,\n  item AS item FROM orders"
    snapshot = take(shop, {LARGE: text}, OUTSIDE)
    assert [a.title for _, a in fixes(snapshot, LARGE, (15, 15))] == ["write 'price'"]
    assert fixes(snapshot, LARGE, (0, 3)) == ()


def test_all_fixes_at_once_are_those_of_lint(shop: Path) -> None:
    """One edit with all that findings of the file carry; nothing where there are none."""
    text = "SELECT STREAM item AS item, price AS price, FROM orders"
    snapshot = take(shop, {LARGE: text}, OUTSIDE)
    action = fix_all(snapshot, LARGE)
    assert action is not None and edited(text, action.edits) == "SELECT STREAM item, price FROM orders"
    edits = [d.fix for d in snapshot.findings[LARGE] if d.fix]
    assert apply_fixes(text, edits)[0] == edited(text, action.edits)
    assert fix_all(take(shop, {}, OUTSIDE), LARGE) is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("select stream item from orders", "SELECT STREAM\n    item\nFROM orders;\n"),
        ("select stream item from {{ref('large')}}", "SELECT STREAM\n    item\nFROM {{ref('large')}};\n"),
        ("SELECT STREAM item FROM", None),
        ("SELECT STREAM\n    item\nFROM orders;\n", None),
        ("{{ config(dialect='ksql') }} create stream", None),
    ],
)
def test_formatting(shop: Path, text: str, after: str | None) -> None:
    """The form of `lsqlc fmt`; what has errors, or has it already, stays."""
    assert format_model(take(shop, {LARGE: text}, OUTSIDE), LARGE) == after


@pytest.mark.parametrize("path", ["../outside.sql", "models/../../outside.sql", "/etc/passwd", "", "models/"])
def test_paths_that_are_no_files_of_the_project(shop: Path, path: str) -> None:
    """Nothing is read for them, and nothing is said."""
    snapshot = take(shop, {}, OUTSIDE)
    assert hover(snapshot, path, 0) is None and completion(snapshot, path, 0) is None
    assert definition(snapshot, path, 0) == () and references(snapshot, path, 0) == ()
    assert (
        symbols(snapshot, path) == () and fixes(snapshot, path, (0, 0)) == () and format_model(snapshot, path) is None
    )


def test_a_project_of_hostile_files_has_findings(tmp_path: Path) -> None:
    """Links that lead out, endless templates and deep nesting end in findings, as on the command line."""
    files = {
        "lsqlc.yml": "name: a\n",
        "models/deep.sql": "SELECT STREAM " + "(" * 3_000 + "1" + ")" * 3_000 + " FROM a",
        "models/loop.sql": "{% for a in range(100000000) %}x{% endfor %}",
        "models/bomb.yml": "a: &a [x]\nb: [*a, *a]\n",
    }
    root = write(tmp_path / "p", files)
    (tmp_path / "secret.sql").write_text("SELECT STREAM secret FROM vault")
    (root / "models/out.sql").symlink_to(tmp_path / "secret.sql")
    snapshot = take(root, {}, OUTSIDE)
    found = {path: codes(snapshot, path) for path in snapshot.findings}
    assert found["models/deep.sql"] == ["LSQ103"] and found["models/loop.sql"] == ["LSQ026"]
    assert found["models/bomb.yml"] == ["LSQ005"] and "LSQ009" in found["lsqlc.yml"]
    assert not any("vault" in text for text in snapshot.texts.values())
