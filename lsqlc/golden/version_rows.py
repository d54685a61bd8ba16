"""What `versions` finds out, for those who show it. It stands apart, since what compares takes long to import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lsqlc.golden.compare import TopicDifference

Origin = Literal["newer", "older", "each"]


@dataclass(frozen=True, slots=True)
class ModelRows:
    """The rows of one model that differ: `expected` are the older version's, `actual` the newer one's."""

    model: str
    topics: tuple[TopicDifference, ...]


@dataclass(frozen=True, slots=True)
class CaseRows:
    """What one case shows: the rows of its model, then of those downstream. `origin`: whose case it is, `each` where
    each version has its own records; `problem`: why there are no rows to compare, or None.
    """

    case: str
    origin: Origin
    rows: tuple[ModelRows, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class VersionRows:
    """What the cases of a model show: how many there are, and those with rows that differ or with a problem."""

    cases: int
    found: tuple[CaseRows, ...]
