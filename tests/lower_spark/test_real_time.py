"""Of which records what a stage writes is made, and how it reads in micro-batches what it has read in real time."""

from __future__ import annotations

from pathlib import Path

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.real_time import in_batches, origins
from lsqlc.lower.spark.steps import Stage
from lsqlc.project.declared.target import Target
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings

TOPICS = [
    lsqlc.Topic("orders", key="INT", value="item STRING, n INT, tags ARRAY<STRING>"),
    lsqlc.Topic("others", key="INT", value="item STRING, n INT, tags ARRAY<STRING>"),
]


def stage(program: str, *, real_time: bool = True) -> Stage:
    plan = lsqlc.compile(program, topics=TOPICS, name="out")
    place = open_target(Path("/nowhere"), Target("local", connection=KafkaSettings("localhost:1")), [plan])
    return lower(plan, wires=place.wires, real_time=real_time).stages[0]


@pytest.mark.parametrize(
    ("program", "topics", "dated"),
    [
        ("SELECT STREAM * FROM orders", ("orders",), False),
        ("SELECT STREAM item AS _key, n FROM orders WHERE n > 2", ("orders",), False),
        ("SELECT STREAM tag FROM orders LATERAL tags AS tag", ("orders",), False),
        ("SELECT TABLE item, n FROM orders WHERE n > 2", ("orders",), True),
        ("SELECT STREAM COUNT(*) AS c FROM orders GROUP BY item", (), False),
        ("SELECT TABLE COUNT(*) AS c FROM orders GROUP BY item", (), False),
    ],
)
def test_the_records_that_a_record_is_made_of(program: str, topics: tuple[str, ...], dated: bool) -> None:
    """A TABLE's ordinals have the time of their batch before them; a group is made of many records."""
    found = origins(stage(program))
    assert found.topics == topics and (not topics or found.dated == dated)


@pytest.mark.parametrize("program", ["SELECT STREAM * FROM orders", "SELECT TABLE item FROM orders"])
def test_the_same_steps_in_micro_batches(program: str) -> None:
    """What a stage without state reads again in micro-batches has the steps of one that never ran in real time."""
    in_real_time, in_micro_batches = stage(program), stage(program, real_time=False)
    assert in_real_time.steps != in_micro_batches.steps
    again = in_batches(in_real_time)
    assert again.steps == in_micro_batches.steps and not again.real_time
    assert in_batches(in_micro_batches) is in_micro_batches
