"""The progress of queries in the topics of a connector, from the offsets in Spark's checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from lsqlc.connectors.transport import Transport
from lsqlc.lower.spark.steps import Source
from lsqlc.remote.run.batch_log import BatchLog, End


class Reached(Protocol):
    """The position of a query in a topic: offsets of its partitions, or a set of its files."""

    def covers(self, other: Self) -> bool:
        """Return whether all records before `other` have been read."""
        ...

    def shared(self, others: Sequence[Self]) -> Self:
        """Return the position up to which this query and all others have read."""
        ...

    def is_same(self, other: Self) -> bool:
        """Return whether both have read the same records."""
        ...


@dataclass(frozen=True, slots=True)
class Goal:
    """The position up to which a source has to read its topics.

    `topics`: by name, the log of the topic and the position; None: its end. `names`: their external names; `read`:
    returns the next offsets of the source by topic and partition.
    """

    source: Source
    topics: Mapping[str, tuple[Transport, Reached | None]]
    names: Mapping[str, str]
    read: Callable[[], Mapping[tuple[str, int], int]]


class Progress(Protocol):
    """The progress of a connector's Spark source.

    The methods raise UnknownLogError and KeyError for unknown formats.
    """

    def nothing(self) -> Reached:
        """Return the position of a query that has read nothing."""
        ...

    def read(self, log: BatchLog, batch: int, number: int, names: Mapping[str, str]) -> Mapping[str, Reached]:
        """Return the position of a source in each of its topics at the end of a batch.

        `number`: the index of the source; `names`: the external names of the topics.
        """
        ...

    def is_at_end(self, log: Transport, topic: str, positions: Iterable[Reached]) -> bool:
        """Return whether all of these positions are at the end of the topic."""
        ...

    def left(self, log: Transport, topics: Collection[str]) -> Callable[[str, Reached], int]:
        """Return a function that estimates the number of a topic's records after a position."""
        ...

    def ends(self, goals: Sequence[Goal], log: Transport, records_per_batch: int | None) -> Sequence[End]:
        """Return the ends of a query's next batch, for each of its sources, on the way to the goals.

        Raises AheadError for a source that has read more than its goal.
        """
        ...
