"""A stage whose topics on Kafka have histories: records before a time, which lie in files.

A history is read as though it lay in Kafka: the rows of the files become the bytes that a producer would have written,
with the columns of Spark's Kafka source, before anything of the stage looks at them. So the stage stays as it is, and
so does its state; only while the history is read it has a source more, which goes by its name.

The order is that of times, over all files: an offset is the time of the record, then the place of its row, and so far
below 0 that what lies in Kafka is behind it. Each file counts as a partition of its own, with a number below 0.

- A stage without state reads the files in batches, and nothing else meanwhile: Kafka's records come behind them.
- One with a state reads all files in one batch, as what a later batch brings is newer, and may be late by then.
- One in which topics meet by time reads what lies in Kafka in that batch too, where its records are merged with others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsqlc.lower.spark import files, rows
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.source_names import source_names
from lsqlc.lower.spark.steps import FileSource, Past, Source, Stage, Step
from lsqlc.lower.spark.wire.records import TopicWire, written
from lsqlc.plan.history import FILE_LANES, PLACE_BITS, history_node
from lsqlc.plan.nodes import Scan
from lsqlc.types.record import Topic

# More than any offset that is made of a time.
_BELOW = (1 << 63) - 1
# The names of the views of a history are behind those of any stage.
_APART = 100_000


@dataclass(frozen=True, slots=True)
class History:
    """What a topic has before a time. `topic`: on Kafka, `wire`: how its records lie there; `files`: the topic that has
    the older ones.
    """

    topic: Topic
    wire: TopicWire
    files: Topic


def with_histories(stage: Stage, until: Mapping[str, int], histories: Mapping[str, History]) -> Stage:
    """The stage, whose sources have names, over topics with histories. `until`: when each ends; `histories`: those that
    are still to be read, by topic. Without one, what lies in Kafka of before that time is passed over.
    """
    settings = dict(stage.settings)
    steps: list[Step] = []
    meets = any(source.together for source in stage.sources)
    for step in stage.steps:
        if not isinstance(step, Source):
            steps.append(step)
            continue
        past = []
        for topic in (topic for topic in step.topics if topic in until):
            view = ""
            if topic in histories:
                number = sum(isinstance(s, FileSource) and s.name != "" for s in steps) + 1
                name = f"{source_names([topic])[0]}_history_{number}"
                made, view, more = _read(histories[topic], until[topic], stage.held != "", name, number)
                steps += made
                settings |= more
            past.append(Past(topic, until[topic], view))
        steps.append(replace(step, past=tuple(past), pinned=bool(histories) and not meets))
    return replace(stage, steps=tuple(steps), settings=tuple(sorted(settings.items())))


def _read(
    history: History, until: int, whole: bool, name: str, number: int
) -> tuple[tuple[Step, ...], str, Mapping[str, str]]:
    """The steps that read a history, their last view, and the settings that they need. `number`: of the history in its
    stage.
    """
    build = Builder(False, _number=number * _APART)
    node = history_node(history.files, history.topic)
    assert isinstance(node.input, Scan), "a history is read from files"
    made = rows.projected(node, files.scan(node.input, build), build)
    past = build.add("past", f"SELECT * FROM {made} WHERE _ts < {until}L", "the records before the history ends")
    sent = build.add(
        "sent",
        f"SELECT {written(history.wire, history.topic, table=False)},\n"
        f"  element_at(_ord, 2) AS _file, element_at(_ord, -1) AS _row FROM {past}",
        f"the records as they would lie in {history.topic.name}",
    )
    build.add(
        "placed",
        f"SELECT key, value, CAST(-1 - pmod(_file, {FILE_LANES}L) AS INT) AS partition,\n"
        f"  shiftleft(timestamp, {PLACE_BITS}) + pmod(_row, {1 << PLACE_BITS}L) - {_BELOW}L AS offset,\n"
        f"  timestamp_millis(timestamp) AS timestamp, 0 AS timestampType,\n"
        f"  CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS headers\nFROM {sent}",
        "each with a place in the order of times",
    )
    view = build.view()
    steps = (replace(s, name=name, whole=whole) if isinstance(s, FileSource) else s for s in build.steps)
    return tuple(steps), view, build.settings
