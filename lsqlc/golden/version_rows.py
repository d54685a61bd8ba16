"""Results of `versions`. A separate module, because the comparison takes long to import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lsqlc.golden.compare import TopicDifference

Origin = Literal["newer", "older", "each"]


@dataclass(frozen=True, slots=True)
class ModelRows:
    """The differing rows of one model: `expected` is the older version, `actual` the newer one."""

    model: str
    topics: tuple[TopicDifference, ...]


@dataclass(frozen=True, slots=True)
class CaseRows:
    """The differences in one case: rows of its model, then of models downstream.

    `origin`: the version that the case is from, `each` if each version has its own records. `problem`: the reason why
    there are no rows to compare, or None.
    """

    case: str
    origin: Origin
    rows: tuple[ModelRows, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class VersionRows:
    """The differences in the cases of a model.

    `cases`: their number. `differing`: those with differing rows or a problem.
    """

    cases: int
    differing: tuple[CaseRows, ...]
