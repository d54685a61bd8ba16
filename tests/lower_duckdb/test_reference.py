"""DuckDB against the reference: the same programs over random records, row by row.

The records are few in kind, so that keys, values and times collide: null keys, tombstones, null fields, late records,
updates that move a row, deletions of what never was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.lower.duckdb.session import Session
from lsqlc.plan import Plan
from lsqlc.plan.identity import compacted
from lsqlc.plan.nodes import Node, inputs
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Case, Record
from tests import reference
from tests.lower_duckdb.programs import PROGRAMS, TOPICS

# Short, so that records are late and unmatched ones wait in vain.
LIMITS = Limits(grace=6, retention=8)


@cache
def compiled(name: str) -> Plan:
    program = parse(PROGRAMS[name], name).program
    assert program is not None
    plan = compile_program(program, TOPICS, name="out", limits=LIMITS).plan
    assert plan is not None
    return plan


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


def value(type: DataType, random: Random) -> Any:
    """One of few values of a type, or null, but never for a whole struct."""
    if isinstance(type, Struct):
        return {f.name: value(f.type, random) for f in type.fields}
    if random.random() < 0.15:
        return None
    if isinstance(type, Map):
        return {key: value(type.value, random) for key in random.sample("pqr", random.randrange(3))}
    if isinstance(type, Array):
        return [value(type.element, random) for _ in range(random.randrange(3))]
    return random.choice("pqr") if type == data.STRING else random.randrange(3)


def some_records(plan: Plan, random: Random) -> list[Record]:
    """A case's records in order of arrival; their times go forth, and often a step back."""
    found = []
    for place in range(random.randrange(14)):
        topic = random.choice(plan.inputs)
        facet = None if random.random() < 0.2 else value(topic.value.type, random)
        time = max(0, 2 * place + random.randrange(-6, 7))
        found.append(Record(topic.name, value(topic.key.type, random), facet, time))
    return found


def smallest(log: list[Record], fails: Callable[[list[Record]], bool]) -> list[Record]:
    """A failing log from which no record can be left out."""
    for place in range(len(log)):
        shorter = log[:place] + log[place + 1 :]
        if fails(shorter):
            return smallest(shorter, fails)
    return log


def comparable(plan: Plan, topic: str, rows: Sequence[Record]) -> Any:
    """What is promised of a result: a TABLE's timestamps and a compacted stream's early records are not."""
    sink = next(s for s in plan.sinks if s.topic.name == topic)
    if any(compacted(node) for node in sink.inputs):
        return {reference.frozen(r.key): r.value for r in rows}
    if sink.semantics == "TABLE":
        return [(r.key, r.value) for r in rows]
    return [(r.key, r.value, r.timestamp) for r in rows]


@pytest.mark.parametrize("name", PROGRAMS)
def test_duckdb_gives_what_the_reference_gives(name: str, session: Session) -> None:
    """Every record and every row is equal, in the same order, over a hundred logs."""
    plan = compiled(name)

    def results(log: list[Record]) -> tuple[Any, Any]:
        got, expected = session.evaluate(plan, [Case("", (tuple(log),))])[0].topics, reference.run(plan, log)
        return tuple({t: comparable(plan, t, rows[t]) for t in expected} for rows in (got, expected))  # type: ignore[return-value]

    random = Random(name)
    logs = [some_records(plan, random) for _ in range(100)]
    outcomes = session.evaluate(plan, [Case("", (tuple(log),)) for log in logs])
    for log, outcome in zip(logs, outcomes, strict=True):
        for topic, rows in reference.run(plan, log).items():
            if comparable(plan, topic, outcome.topics[topic]) != comparable(plan, topic, rows):
                log = smallest(log, lambda shorter: len(set(map(repr, results(shorter)))) == 2)
                got, expected = results(log)
                assert got == expected, log


def test_the_programs_have_every_node_and_join() -> None:
    """A node or a kind of join without a program would go unproved."""
    seen: set[str] = set()

    def walk(node: Node) -> None:
        seen.add(type(node).__name__)
        if type(node).__name__ == "Join":
            seen.add(f"{node.style} {node.kind}")  # type: ignore[union-attr]
        for part in inputs(node):
            walk(part)

    for name in PROGRAMS:
        for sink in compiled(name).sinks:
            for node in sink.inputs:
                walk(node)
    kinds = ("INNER", "LEFT", "RIGHT", "OUTER")
    wanted = {"Scan", "Reinterpret", "Filter", "Lateral", "Project", "Rekey", "Aggregate", "Join"}
    wanted |= {f"{style} {kind}" for style in ("stream-stream", "table-table") for kind in kinds}
    assert seen >= wanted | {"stream-table INNER", "stream-table LEFT", "table-stream RIGHT"}


def test_cases_do_not_meet(session: Session) -> None:
    """Cases that run in one statement give what each gives alone."""
    log = [Record("a", "p", {"id": 1, "n": 1, "name": "x"}, 1), Record("b", "p", {"id": 1, "m": 2, "ref": None}, 2)]
    plan = compiled("tables by key, outer")
    cases = [Case("one", ((log[0],),)), Case("other", ((log[1],),)), Case("both", (tuple(log),)), Case("none", ())]
    together = session.evaluate(plan, cases)
    assert [o.topics for o in together] == [session.evaluate(plan, [case])[0].topics for case in cases]
    assert together[2].topics["out"][0].value == {"n": 1, "m": 2}


def dropped(session: Session, name: str, *log: Record) -> dict[str, int]:
    return dict(session.evaluate(compiled(name), [Case("", (log,))])[0].counts)


def test_what_is_dropped_is_counted(session: Session) -> None:
    """Null keys of a TABLE, null groups, null values and late records are counted, each by its reason."""
    row = {"id": 1, "n": 1, "name": "x"}
    other = {"id": 1, "m": 1, "ref": "x"}
    assert dropped(session, "table as it is", Record("a", None, row), Record("a", "p", row)) == {"null key": 1}
    assert dropped(session, "aggregate of a stream", Record("a", "p", row | {"id": None}), Record("a", "p", None)) == {
        "null group key": 1,
        "null value": 1,
    }
    assert dropped(session, "lateral of what the query lists", Record("a", "p", None)) == {"null value": 1}
    late = Record("a", "p", row, 100), Record("b", "p", other, 89), Record("b", "p", other, 90)
    assert dropped(session, "streams", *late) == {"late": 1}


def test_a_late_record_is_one_whose_time_plus_within_and_grace_has_passed(session: Session) -> None:
    """At 100, with WITHIN 5 ms and a grace of 6 ms, 89 is late and 90 is not."""
    row, other = {"id": 1, "n": 1, "name": "x"}, {"id": 1, "m": 1, "ref": "x"}
    for time, expected in ((89, 1), (90, 2)):
        log = (Record("a", "p", row, 100), Record("b", "p", other, time))
        assert len(session.evaluate(compiled("streams, outer"), [Case("", (log,))])[0].topics["out"]) == expected
