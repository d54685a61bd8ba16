"""Column lineage against what the engine does: what is no source of a column changes nothing in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from lsqlc.lower.duckdb.session import Session
from lsqlc.plan.lineage import Column, TopicLineage, columns, lineage
from lsqlc.types.record import Case, Outcome, Record, Topic
from tests.lanes import sampled
from tests.lower_duckdb.programs import PROGRAMS
from tests.lower_duckdb.test_reference import compiled, some_records, value

# Logs of records for each program and column.
LOGS = 12


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


def content(record: Record, name: str) -> Any:
    """What stands in the column of that name; no name of these programs needs quotes."""
    facet, *path = name.split(".")
    found = record.key if facet == "_key" else record.value
    for part in path:
        found = None if found is None else found[part]
    return found


def contents(outcome: Outcome, topic: str, column: str) -> Counter[str]:
    return Counter(repr(content(record, column)) for record in outcome.topics[topic])


def with_other(record: Record, topic: Topic, column: Column, random: Random) -> Record:
    """The record with something else in a column of its topic; a tombstone stays one."""
    facet, *path = column.name.split(".")
    which = facet.removeprefix("_")
    before, type = getattr(record, which), getattr(topic, which).type
    after = value(type, random)
    if record.topic != topic.name or before is None:
        return record
    changed: dict[str, Any] = {which: {**before, path[0]: after[path[0]]} if path else after}
    return replace(record, **changed)


def independent(found: TopicLineage, column: Column) -> list[str]:
    """The columns that do not come from one, in any use."""
    return [name for name in found.columns if column not in {source.column for source in found.sources(name)}]


@pytest.mark.parametrize("name", sampled(PROGRAMS, 2))
def test_what_is_no_source_changes_nothing(name: str, session: Session) -> None:
    """Each column that is read gets other contents: the columns that do not come from it keep theirs, in as many
    records.
    """
    plan, random = compiled(name), Random(name)
    found = lineage(plan)
    read = [(topic, Column(topic.name, column)) for topic in plan.inputs for column in columns(topic)]
    work = [(topic, column) for topic, column in read if any(independent(each, column) for each in found)]
    logs = [some_records(plan, random) for _ in range(LOGS)]
    changed = [[[with_other(r, topic, column, random) for r in log] for log in logs] for topic, column in work]
    cases = [Case("", (tuple(log),)) for each in (logs, *changed) for log in each]
    outcomes = session.evaluate(plan, cases)
    for place, (_, column) in enumerate(work, start=1):
        for each in found:
            for number, log in enumerate(logs):
                before, after = outcomes[number], outcomes[place * LOGS + number]
                for out in independent(each, column):
                    same = contents(before, each.topic, out) == contents(after, each.topic, out)
                    assert same, (column, out, log, changed[place - 1][number])
