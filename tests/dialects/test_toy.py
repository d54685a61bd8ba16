"""A third dialect is a folder in three rooms and a record: everything else takes it as it is.

The toy language has a folder each in `syntax`, `functions` and `bind` here, and a record; the test puts them where
lsqlc looks for those of its own dialects.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lsqlc
from lsqlc import CompileError, Record, Topic, dialects, functions, syntax
from lsqlc.dialects.record import Dialect
from lsqlc.editor.snapshot import Surroundings, take
from lsqlc.editor.symbols import symbols
from lsqlc.functions import catalogue
from lsqlc.project.build.formatting import format_model
from tests.rooms import STAGES, modules

HERE = Path(__file__).parent
ORDERS = Topic("orders", key="INT", value="id INT, item STRING, amount BIGINT")
PROGRAM = "orders|keep id,SHOUT(item) as loud, amount+1 as next"
# Where a dialect is named outside of its folders and its record, with the reason.
NAMED = {
    "lsqlc.api": "the dialect of a program whose dialect is not said",
    "lsqlc.project.declared.config": "the dialect of a project that does not say one",
    "lsqlc.project.model": "the dialect of a project that does not say one",
    "lsqlc.project.templates.functions": "the dialect of a project that does not say one",
    "lsqlc.functions.catalogue": "a plan calls the functions of one dialect by their own names",
    "lsqlc.functions.matrix": "a default",
    "lsqlc.syntax.tokens": "a default",
    "lsqlc.syntax.formatting.align": "a default",
    "lsqlc.imports.ksqldb.client": "a key of ksqlDB's own requests",
    "lsqlc.imports.ksqldb.sources": "what is imported is written in one dialect",
    "lsqlc.imports.ksqldb.statements": "what is imported is written in one dialect",
    "lsqlc.tasks.import_lenses": "what is imported is written in one dialect",
    "lsqlc.cli.import": "the name of a verb",
}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dialect]:
    """The toy language, registered: its folders are found beside those of the other dialects."""
    for package, folder in ((dialects, "records"), (functions, "functions"), (syntax, "syntax")):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(HERE / folder)])
    monkeypatch.setattr(dialects, "NAMES", (*dialects.NAMES, "toy"))
    caches = (dialects.dialect, catalogue.tables, catalogue._scalars, catalogue._aggregates)
    for cache in caches:
        cache.cache_clear()
    yield dialects.dialect("toy")
    for cache in caches:
        cache.cache_clear()
    for name in [n for n in sys.modules if n.startswith("lsqlc.") and ".toy" in n]:
        monkeypatch.delitem(sys.modules, name)


def test_a_program_compiles_and_runs(toy: Dialect) -> None:
    """Through the public API and on DuckDB; the plan calls its function by the dialect's name."""
    plan = lsqlc.compile(PROGRAM, dialect="toy", topics=[ORDERS], name="kept")  # type: ignore[arg-type]
    assert "toy.SHOUT" in plan.tree()
    record = Record("orders", 7, {"id": 1, "item": "pen", "amount": 2}, 5)
    assert lsqlc.evaluate(plan, [record]) == {
        "kept": [Record("kept", 7, {"id": 1, "loud": "PEN!", "next": 3}, 5)],
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("orders | drop id", "LSQ102"),
        ("orders | keep idd", "LSQ201"),
        ("orders | keep item + 1 as x", "LSQ212"),
        ("orders | keep shout(id) as x", "LSQ209"),
        ("orders | keep whisper(item) as x", "LSQ207"),
        ("orders | keep shout(*) as x", "LSQ208"),
        ("orders | keep 1 + as x", "LSQ102"),
        ("orders | keep 1.5 as x", "LSQ102"),
        ("orders | keep 'text' as x", "LSQ102"),
        ("orders | keep '(' as x", "LSQ102"),
        ("orders | keep " + "(" * 101 + "id" + ")" * 101 + " as x", "LSQ103"),
        ("orders | keep id" + " + id" * 100 + " as x", "LSQ114"),
        ("orders | keep 'open", "LSQ101"),
    ],
)
def test_what_is_wrong_is_reported(toy: Dialect, text: str, code: str) -> None:
    """By the rules that all dialects share."""
    with pytest.raises(CompileError) as caught:
        lsqlc.compile(text, dialect="toy", topics=[ORDERS])  # type: ignore[arg-type]
    assert [d.code for d in caught.value.diagnostics] == [code]


@pytest.mark.parametrize(
    ("text", "formatted", "value"),
    [
        ("1+2*3-4", "1 + 2 * 3 - 4", 3),
        ("(1+2)*3-4", "(1 + 2) * 3 - 4", 5),
        ("10-(3-2)-1", "10 - (3 - 2) - 1", 8),
        ("10-3-2-1", "10 - 3 - 2 - 1", 4),
        ("2*(3*(amount+1))", "2 * (3 * (amount + 1))", 18),
    ],
)
def test_its_operators_group_as_its_grammar_says(toy: Dialect, text: str, formatted: str, value: int) -> None:
    """Levels from the loosest, each from the left; parentheses before all."""
    program = f"orders|keep {text} as x"
    assert format_model(program, "it.sql", toy).text == f"orders | keep\n  {formatted} as x\n"
    plan = lsqlc.compile(program, dialect="toy", topics=[ORDERS], name="kept")  # type: ignore[arg-type]
    (record,) = lsqlc.evaluate(plan, [Record("orders", 7, {"id": 1, "item": "pen", "amount": 2}, 5)])["kept"]
    assert record.value == {"x": value}


def test_it_is_formatted(toy: Dialect) -> None:
    """And once only."""
    text = "orders | keep\n  id,\n  shout(item) as loud,\n  amount + 1 as next\n"
    assert format_model(PROGRAM, "it.sql", toy).text == text
    assert format_model(text, "it.sql", toy).text == text


def test_a_project_and_the_editor_take_it(toy: Dialect, tmp_path: Path) -> None:
    """A model says its dialect, compiles among the others, and has an outline."""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\n")
    topics = "topics:\n  - name: orders\n    key: INT\n    value: 'id INT, item STRING, amount BIGINT'\n"
    (tmp_path / "models" / "topics.yml").write_text(topics)
    (tmp_path / "models" / "kept.sql").write_text("{{ config(dialect='toy') }}\n" + PROGRAM)
    (tmp_path / "models" / "after.sql").write_text("SELECT STREAM loud FROM {{ ref('kept') }}")
    project = lsqlc.Project.load(tmp_path)
    assert list(project.plans) == ["kept", "after"]
    snapshot = take(tmp_path, {}, Surroundings("test"))
    (symbol,) = symbols(snapshot, "models/kept.sql")
    assert (symbol.name, symbol.detail, [c.name for c in symbol.children]) == ("kept", "keep", ["id", "loud", "next"])


def test_no_shared_module_names_a_dialect() -> None:
    """What differs by dialect is in its folders and its record; NAMED lists the others, with the reason."""
    naming = set()
    for module in modules().values():
        if module.room == "dialects" or (module.room in STAGES and module.dialect):
            continue
        named = {n.value for n in ast.walk(module.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        if named & {"ksql", "lenses"}:
            naming.add(module.name)
    assert naming == NAMED.keys()


def test_no_module_compares_the_name_of_a_dialect() -> None:
    """The record is asked instead."""
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Compare):
                sides = (node.left, *node.comparators)
                names = [s.value for s in sides if isinstance(s, ast.Constant)]
                assert not {"ksql", "lenses"} & {n for n in names if isinstance(n, str)}, module.name
