"""Records that a query must read and that Kafka no longer has: the missing offsets, and the possible actions. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic, listing
from lsqlc.plan.tested import tested_topic

# Lines of a message, at most: a topic may have a thousand partitions.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Gap:
    """A partition that a query cannot continue to read. `next`: the offset that the query reads next; `first` and
    `end`: the first offset of the partition and the one behind its last committed record, None if there is no such
    partition.
    """

    topic: str
    partition: int
    next: int
    first: int | None = None
    end: int | None = None

    @property
    def text(self) -> str:
        """The missing records, for messages."""
        where = f"partition {self.partition} of '{self.topic}'"
        if self.first is None or self.end is None:
            return f"{where} does not exist, and the query has read it up to offset {self.next}"
        if self.next > self.end:
            return f"{where} ends at offset {self.end}, and the query has read it up to offset {self.next}"
        last = self.first - 1
        offsets = f"the offset {last} is" if last == self.next else f"the offsets {self.next} to {last} are"
        return f"{offsets} missing in {where}, which begins at offset {self.first}"


def gaps(topic: str, read: Mapping[int, int], bounds: Mapping[int, tuple[int, int]]) -> tuple[Gap, ...]:
    """Return the partitions of a topic that a query cannot continue to read, in order.

    `read`: the next offset of each partition, empty for a topic that the query has not read. `bounds`: as
    `offsets.bounds`. A partition that was added later is read from offset 0.

    >>> [gap.text for gap in gaps("t", {0: 5, 1: 5}, {0: (5, 9), 1: (7, 9)})]
    ["the offsets 5 to 6 are missing in partition 1 of 't', which begins at offset 7"]
    """
    if not read:
        return ()
    topic_gaps = []
    for partition in sorted({*read, *bounds}):
        next = read.get(partition, 0)
        if partition not in bounds:
            topic_gaps.append(Gap(topic, partition, next))
            continue
        first, end = bounds[partition]
        if not first <= next <= end:
            topic_gaps.append(Gap(topic, partition, next, first, end))
    return tuple(topic_gaps)


def accept_text(topics: Iterable[str]) -> str:
    """Return the command that accepts the loss of records of these topics."""
    options = "".join(f" --accept-loss {topic}" for topic in topics)
    return f"`lsqlc run{options}` continues with the records that are there"


def lost(model: str, topics: Sequence[str], notes: Iterable[str]) -> Diagnostic:
    """LSQ753. `topics`: those of which records are missing, or that the model reads; `notes`: what is missing."""
    all_notes = tuple(notes)
    more = (f"and {len(all_notes) - _SHOWN} more partitions",) if len(all_notes) > _SHOWN + 1 else ()
    help = accept_text(topics)
    if tested_topic(model) is None:
        refresh = f"`lsqlc run --select {model}+ --full-refresh` recomputes the results"
        help = f"{help}; {refresh}, with `--from TIME` from a time on"
    return Diagnostic(
        "LSQ753",
        f"records that the model '{model}' has not read were removed from {listing(topics)}",
        notes=(*(all_notes[:_SHOWN] if more else all_notes), *more),
        help=help,
    )
