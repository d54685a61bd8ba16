"""Lines of a topic on Kafka in the order in which it meets others (docs/explanation/kafka-order.md), as though
all records had come in one batch.
"""

from __future__ import annotations

import re
from pathlib import Path

# Of a line of `KafkaLog.segments_for`: the time, the offset and the lane.
_ORDINAL = re.compile(rb'\{"ordinal":\[(\d+),(\d+),(\d+)\]')


def merged_lines(path: Path, rank: int) -> Path:
    """The file beside `path` with the same lines, whose ordinals begin with the highest time that the partition has had
    up to the record, doubled, plus `rank`: 0 for what comes first at a tie, or 1.
    """
    found = []
    for line in path.read_bytes().splitlines(keepends=True):
        match = _ORDINAL.search(line)
        assert match is not None, "a topic on Kafka has ordinals of three numbers"
        time, offset, lane = map(int, match.groups())
        found.append((lane, offset, time, line, match.span(1)))
    found.sort(key=lambda each: each[:2])
    highest: dict[int, int] = {}
    placed = []
    for lane, offset, time, line, (begin, end) in found:
        highest[lane] = max(highest.get(lane, 0), time)
        first = 2 * highest[lane] + rank
        placed.append((first, offset, lane, line[:begin] + b"%d" % first + line[end:]))
    placed.sort(key=lambda each: each[:3])
    merged = path.with_suffix(f".merged-{rank}.jsonl")
    with merged.open("wb") as file:
        file.writelines(line for *_, line in placed)
    return merged
