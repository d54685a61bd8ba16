"""The answer of a search. A separate module, because the search takes long to import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.search.certificates import Certificate
from lsqlc.types.record import Record, Topic

Answer = Literal["same", "different", "not told apart", "not searched"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row that only one version gives, or that has another value in the other one. `key` and `value`: Python values.

    `timestamp`: epoch milliseconds, for a record of a STREAM; None for a row of a TABLE, which is compared without it.
    """

    key: Any
    value: Any
    timestamp: int | None


@dataclass(frozen=True, slots=True)
class OutputRows:
    """The rows of one topic that differ: those of the older version, and those of the newer one.

    `old` and `new`: the topic as each version declares it, with the compared columns only.
    """

    old: Topic
    new: Topic
    before: tuple[Row, ...]
    after: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search for a difference of two plans.

    `tried`: the number of sequences of records. `with_rows`: those over which a version gave rows. `records`: the
    smallest sequence that tells the versions apart, in order of arrival, and `topics` the topics of these records by
    name. `rows`: the rows that differ. `left_out`: columns that were not compared, as `topic.column`, because only one
    version has them with their type. `reason`: why there was no search, or None. `certificate`: proves that both
    versions give the same rows, so that nothing was searched.
    """

    tried: int = 0
    with_rows: int = 0
    records: tuple[Record, ...] = ()
    topics: tuple[Topic, ...] = ()
    rows: tuple[OutputRows, ...] = ()
    left_out: tuple[str, ...] = ()
    reason: str | None = None
    certificate: Certificate | None = None

    @property
    def answer(self) -> Answer:
        """The answer in words."""
        if self.certificate is not None:
            return "same"
        if self.reason is not None:
            return "not searched"
        return "different" if self.rows else "not told apart"
