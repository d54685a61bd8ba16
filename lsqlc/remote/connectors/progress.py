"""How far queries have read the topics of a connector, by what Spark notes in their checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from lsqlc.connectors.transport import Transport
from lsqlc.lower.spark.steps import Source
from lsqlc.remote.run.batch_log import BatchLog, End


class Reached(Protocol):
    """How far a query has read a topic: offsets of its partitions, or a set of its files."""

    def covers(self, other: Self) -> bool:
        """Whether everything that `other` contains has been read."""
        ...

    def shared(self, others: Sequence[Self]) -> Self:
        """What all of them have read."""
        ...

    def is_same(self, other: Self) -> bool:
        """Whether both have read the same records."""
        ...


@dataclass(frozen=True, slots=True)
class Goal:
    """How far a source is to read its topics. `topics`: by name, the log that has the topic, and how far it is to be
    read; None: to its end. `names`: their external names; `read`: gives the next offsets of the source by topic and
    partition.
    """

    source: Source
    topics: Mapping[str, tuple[Transport, Reached | None]]
    names: Mapping[str, str]
    read: Callable[[], Mapping[tuple[str, int], int]]


class Progress(Protocol):
    """The notes of Spark's source for a connector. The functions raise UnknownLogError and KeyError for notes in a form
    that is not known.
    """

    def nothing(self) -> Reached:
        """How far a query has read that has not begun."""
        ...

    def read(self, log: BatchLog, batch: int, number: int, names: Mapping[str, str]) -> Mapping[str, Reached]:
        """How far a source has read each of its topics by the end of a batch. `number`: that of the source; `names`:
        the external names of the topics.
        """
        ...

    def is_at_end(self, log: Transport, topic: str, reached: Iterable[Reached]) -> bool:
        """Whether all of these have read everything that the topic has."""
        ...

    def left(self, log: Transport, topics: Collection[str]) -> Callable[[str, Reached], int]:
        """A function that counts the records of a topic which have not been read, about."""
        ...

    def ends(self, goals: Sequence[Goal], log: Transport, records_per_batch: int | None) -> Sequence[End]:
        """Where the next batch of a query ends, for each of its sources, so that it comes nearer to the goals. Raises
        AheadError for a source that has read further.
        """
        ...
