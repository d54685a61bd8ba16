"""A stage with topics on Kafka that have histories: records before a time, in files.

A history is read as part of Kafka. Before any step of the stage, the rows of the files become the bytes that a producer
would have written. They have the columns of Spark's Kafka source. So the stage and its state are unchanged. Only while
the history is read it has a further source, with a name.

The order is that of times, over all files. An offset is the time of the record, then the position of its row, and so
far below 0 that all records in Kafka follow. Each file counts as a partition of its own, with a number below 0.

- A stage without state reads the files in batches, and nothing else meanwhile: Kafka's records follow them.
- One with a state reads all files in one batch: records of a later batch are newer, and may be late by then.
- One in which topics meet by time reads the records in Kafka in that batch too, in which all records are merged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsqlc.lower.spark import files, rows
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.source_names import source_names
from lsqlc.lower.spark.steps import FileSource, Past, Source, Stage, Step
from lsqlc.lower.spark.wire.records import TopicWire, kafka_columns
from lsqlc.plan.history import FILE_LANES, PLACE_BITS, history_node
from lsqlc.plan.nodes import Scan
from lsqlc.types.record import Topic

# More than any offset that is computed from a time.
_BELOW = (1 << 63) - 1
# The names of the views of a history are distinct from those of any stage.
_APART = 100_000


@dataclass(frozen=True, slots=True)
class History:
    """The records of a topic before a time.

    `topic`: on Kafka, `wire`: their storage there; `files`: the topic that has the older ones.
    """

    topic: Topic
    wire: TopicWire
    files: Topic


def with_histories(stage: Stage, until: Mapping[str, int], histories: Mapping[str, History]) -> Stage:
    """Return the stage, whose sources have names, over topics with histories.

    `until`: the end of each; `histories`: those that are still to be read, by topic. Without one, earlier records in
    Kafka are skipped.
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
                history_steps, view, more = _read(histories[topic], until[topic], stage.held != "", name, number)
                steps += history_steps
                settings |= more
            past.append(Past(topic, until[topic], view))
        steps.append(replace(step, past=tuple(past), pinned=bool(histories) and not meets))
    return replace(stage, steps=tuple(steps), settings=tuple(sorted(settings.items())))


def _read(
    history: History, until: int, whole: bool, name: str, number: int
) -> tuple[tuple[Step, ...], str, Mapping[str, str]]:
    """Return the steps that read a history, their last view, and the settings that they need.

    `number`: of the history in its stage.
    """
    build = Builder(False, _number=number * _APART)
    node = history_node(history.files, history.topic)
    assert isinstance(node.input, Scan), "a history is read from files"
    history_rows = rows.projected(node, files.scan(node.input, build), build)
    past = build.add(
        "past", f"SELECT * FROM {history_rows} WHERE _ts < {until}L", "the records before the history ends"
    )
    sent = build.add(
        "sent",
        f"SELECT {kafka_columns(history.wire, history.topic, table=False)},\n"
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
