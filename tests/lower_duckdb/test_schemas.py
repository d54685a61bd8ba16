"""What a result's schema promises holds for its records: a field that is NOT NULL never is null, whatever comes in.

Over the programs of the reference, with topics whose fields may be null and with topics whose fields are all NOT NULL.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from msgspec import structs

from lsqlc.bind.lenses.program import compile_program
from lsqlc.bind.limits import Limits
from lsqlc.lower.duckdb import evaluate
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct
from lsqlc.types.record import Case, Facet, Record, Topic
from tests.formats.validate import check_records
from tests.lanes import sampled
from tests.lower_duckdb.programs import PROGRAMS, TOPICS


def filled(facet: Facet) -> Facet:
    """The facet with every field NOT NULL."""
    if not isinstance(facet.type, Struct):
        return facet
    return structs.replace(facet, type=Struct(tuple(Field(f.name, f.type, False) for f in facet.type.fields)))


NOT_NULL = {name: replace(t, key=filled(t.key), value=filled(t.value)) for name, t in TOPICS.items()}


def value(type: DataType, random: Random, nullable: bool) -> Any:
    """One of few values; null only where the type allows it."""
    if nullable and random.random() < 0.2:
        return None
    if isinstance(type, Struct):
        return {f.name: value(f.type, random, f.nullable) for f in type.fields}
    if isinstance(type, Map):
        return {key: value(type.value, random, True) for key in random.sample("pqr", random.randrange(3))}
    if isinstance(type, Array):
        return [value(type.element, random, True) for _ in range(random.randrange(3))]
    return random.choice("pqr") if type == data.STRING else random.randrange(3)


def records(topics: tuple[Topic, ...], random: Random) -> tuple[Record, ...]:
    """In order of arrival; keys may be null, and values: tombstones."""
    found = []
    for place in range(random.randrange(2, 16)):
        topic = random.choice(topics)
        key, inner = value(topic.key.type, random, True), value(topic.value.type, random, True)
        found.append(Record(topic.name, key, inner, 2 * place))
    return tuple(found)


@pytest.mark.parametrize("name", sampled(PROGRAMS, 3))
@pytest.mark.parametrize("topics", [TOPICS, NOT_NULL], ids=["nullable", "not-null"])
def test_records_fit_the_schema_of_their_topic(name: str, topics: dict[str, Topic]) -> None:
    """By fastavro with the printed Avro schema, and by jsonschema with the printed JSON Schema."""
    program = parse(PROGRAMS[name], name).program
    assert program is not None
    plan = compile_program(program, topics, name="out", limits=Limits(grace=6, retention=8)).plan
    assert plan is not None
    random = Random(name)
    cases = [Case(str(number), (records(plan.inputs, random),)) for number in range(8)]
    for outcome in evaluate(plan, cases):
        for topic in plan.outputs:
            check_records(topic, outcome.topics[topic.name], {})
