"""A stage while it reads the histories of its topics, and behind them."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.history import History, with_histories
from lsqlc.lower.spark.source_names import with_names
from lsqlc.lower.spark.steps import FileSource, Past, Source, Stage, View
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations

DECLARED = """
topics:
  - {name: orders, key: INT, value: "item STRING, n INT"}
  - {name: labels, key: STRING, value: "label STRING"}
  - name: lake
    connector: files
    key: id
    value: "id INT, item STRING, n INT, at TIMESTAMP"
    event_time: at
    files: {path: lake, format: parquet}
"""
TOPICS = {d.topic.name: d.topic for d in read_declarations(DECLARED, "topics.yml", Defaults()).topics}
WIRES = {
    name: TopicWire(encoding(topic.key), encoding(topic.value)) for name, topic in TOPICS.items() if topic.files is None
}
HISTORY = History(TOPICS["orders"], WIRES["orders"], TOPICS["lake"])
JOIN = """
    WITH l AS (SELECT TABLE label FROM labels);
    WITH o AS (SELECT STREAM item AS _key, n FROM orders);
    SELECT STREAM o.n, l.label FROM o INNER JOIN l ON o._key = l._key
"""


def stage_of(program: str) -> Stage:
    topics = [lsqlc.Topic("orders", key="INT", value="item STRING, n INT"),
              lsqlc.Topic("labels", key="STRING", value="label STRING")]  # fmt: skip
    plan = lsqlc.compile(program, topics=topics, name="out")
    wires = {**WIRES, "out": TopicWire(None, None)}
    for topic in plan.outputs:
        wires[topic.name] = TopicWire(encoding(topic.key), encoding(topic.value))
    (stage,) = lower(plan, wires=wires).stages
    return with_names(stage)


@pytest.mark.parametrize(
    ("program", "whole", "pinned"),
    [
        ("SELECT STREAM n FROM orders", False, True),
        ("SELECT STREAM item, COUNT(*) AS c FROM orders GROUP BY item", True, True),
        ("SELECT TABLE item, COUNT(*) AS c FROM orders GROUP BY item", True, True),
        (JOIN, True, False),
    ],
    ids=["without state", "a STREAM's groups", "a TABLE's groups", "topics that meet"],
)
def test_a_history_is_a_source_more(program: str, whole: bool, pinned: bool) -> None:
    """All files make a batch where there is a state, and Kafka is read meanwhile only where topics meet. The views of
    the stage stay as they are.
    """
    stage = stage_of(program)
    found = with_histories(stage, {"orders": 1_000}, {"orders": HISTORY})
    (files,) = (step for step in found.steps if isinstance(step, FileSource))
    assert (files.name, files.whole) == ("orders_history_1", whole)
    orders = next(source for source in found.sources if "orders" in source.topics)
    (past,) = orders.past
    assert (past.topic, past.until) == ("orders", 1_000)
    assert [source.pinned for source in found.sources] == [pinned] * len(found.sources)
    (view,) = (step for step in found.steps if isinstance(step, View) and step.name == past.view)
    assert "_ts < 1000L" in view.sql
    names = [step.name for step in found.steps if isinstance(step, View)]
    assert len(names) == len(set(names))
    kept = [step for step in found.steps if isinstance(step, View) and step in stage.steps]
    assert kept == [step for step in stage.steps if isinstance(step, View)]


def test_behind_a_history() -> None:
    """Its source is gone, and what lies in Kafka of before is still passed over."""
    stage = stage_of("SELECT STREAM n FROM orders")
    found = with_histories(stage, {"orders": 1_000}, {})
    assert not [step for step in found.steps if isinstance(step, FileSource)]
    (source,) = found.sources
    assert (source.past, source.pinned) == ((Past("orders", 1_000),), False)
    assert [s for s in found.steps if not isinstance(s, Source)] == [
        s for s in stage.steps if not isinstance(s, Source)
    ]
    assert found.settings == stage.settings
