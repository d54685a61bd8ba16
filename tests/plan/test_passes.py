"""Each pass alone: what it makes of a plan, and that it changes no result.

A fixture file per pass holds pairs: a program, and its plan after that pass. Both sides of a pair run on DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb.session import Session
from lsqlc.plan import Plan, passes
from lsqlc.plan.nodes import Node
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Case, Record
from tests.fixture_files import Pair, compiled, pairs
from tests.lanes import sampled
from tests.lower_duckdb.programs import PROGRAMS, TOPICS

FIXTURES = Path(__file__).parent / "fixtures"
Pass = Callable[[Node], Node]
NAMES = [p.__name__ for p in passes.PASSES]
ENTRIES = [(name, pair) for name in NAMES for pair in pairs(FIXTURES / f"{name}.sql")]


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


def with_passes(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    chosen = tuple(p for p in passes.PASSES if p.__name__ in names)
    monkeypatch.setattr(passes, "PASSES", chosen)


def value(type: DataType, random: Random) -> Any:
    """A value of a type, or null; numbers and strings around those that the fixtures speak of."""
    if isinstance(type, Struct):
        return {f.name: value(f.type, random) for f in type.fields}
    if random.random() < 0.15:
        return None
    if isinstance(type, Map):
        return {key: value(type.value, random) for key in random.sample("xyz", random.randrange(3))}
    if isinstance(type, Array):
        return [value(type.element, random) for _ in range(random.randrange(3))]
    if type == data.BOOLEAN:
        return random.random() < 0.5
    if type == data.DOUBLE:
        return random.choice([0.5, 2.0])
    return random.choice("xy") if type == data.STRING else random.randrange(4)


def some_cases(plan: Plan, random: Random) -> list[Case]:
    """Logs whose times go forth, so that nothing is late."""
    cases = []
    for _ in range(30):
        log = []
        for place in range(random.randrange(12)):
            topic = random.choice(plan.inputs)
            facet = None if random.random() < 0.15 else value(topic.value.type, random)
            log.append(Record(topic.name, value(topic.key.type, random), facet, place))
        cases.append(Case("", (tuple(log),)))
    return cases


@pytest.mark.parametrize(("name", "pair"), ENTRIES, ids=[f"{n}: {p.title}" for n, p in ENTRIES])
def test_a_pass_gives_the_plan_of_its_file(
    name: str, pair: Pair, monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    """The text of the plan after this pass alone, and the rows that the plan gives without it."""
    with_passes(monkeypatch, (name,))
    after = compiled(pair.text)[0].plan
    with_passes(monkeypatch, ())
    before = compiled(pair.text)[0].plan
    assert after and before
    assert after.tree().split("\n", 1)[1] == pair.expected
    cases = some_cases(before, Random(pair.title))
    rows = [[o.topics for o in session.evaluate(plan, cases)] for plan in (before, after)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_changes_nothing_that_it_has_changed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Applied twice it gives what it gave once."""
    (step,) = [p for p in passes.PASSES if p.__name__ == name]
    with_passes(monkeypatch, (name,))
    for pair in pairs(FIXTURES / f"{name}.sql"):
        plan = compiled(pair.text)[0].plan
        assert plan
        for sink in plan.sinks:
            assert [step(node) for node in sink.inputs] == list(sink.inputs), pair.title


@pytest.mark.parametrize("name", sampled(PROGRAMS, 2))
def test_all_passes_together_change_no_result(name: str, monkeypatch: pytest.MonkeyPatch, session: Session) -> None:
    """Every program of the reference, with all passes and with none."""

    def plan() -> Plan:
        program = parse(PROGRAMS[name], name).program
        assert program
        found = compile_program(program, TOPICS, name="out").plan
        assert found
        return found

    after = plan()
    with_passes(monkeypatch, ())
    before = plan()
    cases = some_cases(before, Random(name))
    rows = [[o.topics for o in session.evaluate(p, cases)] for p in (before, after)]
    assert rows[0] == rows[1]
