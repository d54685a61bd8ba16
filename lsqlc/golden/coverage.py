"""Coverage by the golden cases of models: the outcomes of conditions, branches, joins, groups and windows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Span
from lsqlc.plan.points import PointKind


@dataclass(frozen=True, slots=True)
class CoveredPoint:
    """A place of a model, and the outcomes that its cases reach.

    `span`: in the model's file. `text`: the source there, or the name of a column, a join or a table. `outcomes`: those
    that can be reached, and `reached` those of them that are.
    """

    kind: PointKind
    span: Span
    text: str
    outcomes: tuple[str, ...]
    reached: frozenset[str]

    @property
    def missing(self) -> tuple[str, ...]:
        """The outcomes that no case reaches."""
        return tuple(outcome for outcome in self.outcomes if outcome not in self.reached)


@dataclass(frozen=True, slots=True)
class ModelCoverage:
    """The points of a model, in order of the text. `cases`: the number of its cases without errors."""

    model: str
    path: str
    cases: int
    points: tuple[CoveredPoint, ...]

    @property
    def total(self) -> int:
        """The number of outcomes."""
        return sum(len(point.outcomes) for point in self.points)

    @property
    def reached(self) -> int:
        """The number of outcomes that a case reaches."""
        return sum(len(point.outcomes) - len(point.missing) for point in self.points)


def percent(models: Iterable[ModelCoverage]) -> float:
    """Return the share of outcomes that cases reach, in percent; 100 of none."""
    all_models: Sequence[ModelCoverage] = tuple(models)
    total = sum(model.total for model in all_models)
    return 100 * sum(model.reached for model in all_models) / total if total else 100.0
