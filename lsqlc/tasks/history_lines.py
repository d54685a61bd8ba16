"""The lines of a topic on Kafka behind its history, as a query has read them (see `lower.spark.history`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsqlc.connectors.lines import line_encoder
from lsqlc.lower.duckdb import Session
from lsqlc.plan.history import PLACE_BITS, history_plan
from lsqlc.plan.kafka_order import ORDINAL_WIDTH, lane
from lsqlc.types.record import Topic

_TIME = re.compile(rb'\{"ordinal":\[[^\]]*\],"timestamp":(\d+)')


def behind_history(
    paths: Sequence[Path], folder: Path, topic: Topic, files: Topic, until: int, root: Path, *, timed: bool
) -> tuple[Path, ...]:
    """Files of lines in `folder`: the records of `files` before `until`, in epoch milliseconds, then the lines of
    `paths` from that time on. `root`: the project's folder; `timed`: times come first in ordinals.

    Raises LsqlcError (LSQ440, LSQ441) for what cannot be read of a file.
    """
    encode = line_encoder(replace(topic, ordinal_width=ORDINAL_WIDTH))
    outcome = Session().evaluate_logs(history_plan(files, topic), {}, root=root)
    older = folder / "history.jsonl"
    with older.open("wb") as file:
        for number, record in enumerate(outcome.topics[topic.name]):
            time = record.timestamp
            if time < until:
                offset = time << PLACE_BITS | number % (1 << PLACE_BITS)
                # Where times do not count, the first number is 0 for what lies in Kafka.
                file.write(encode(record, (time if timed else -1, offset, lane(topic.name) - 1)))
    parts = [older]
    for path in paths:
        tail = folder / f"behind-{path.name}"
        with path.open("rb") as lines, tail.open("wb") as file:
            file.writelines(line for line in lines if _time(line) >= until)
        parts.append(tail)
    return tuple(parts)


def _time(line: bytes) -> int:
    match = _TIME.search(line)
    assert match is not None, "a line of a topic on Kafka has a time"
    return int(match[1])
