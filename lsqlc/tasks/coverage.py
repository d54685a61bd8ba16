"""What the golden cases of the selected models reach, observed by one more evaluation of the cases on DuckDB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.bind.observed import observed
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics import LsqlcError
from lsqlc.dialects import dialect
from lsqlc.golden.coverage import CoveredPoint, ModelCoverage
from lsqlc.lower.duckdb import default_session
from lsqlc.plan.expression import Operation
from lsqlc.project.build.compile import bind_model
from lsqlc.project.build.linking import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lsqlc.diagnostics import Span
    from lsqlc.diagnostics.source import Extent, SourceText
    from lsqlc.plan import Plan
    from lsqlc.plan.points import Point
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model
    from lsqlc.tasks.model_cases import ModelCases
    from lsqlc.types.record import Case

# Characters of the source that name a point.
_WIDTH = 60


def coverage_of(models: Iterable[ModelCases], compilation: Compilation) -> tuple[ModelCoverage, ...]:
    """Return what the cases of models reach. `compilation`: that of the models."""
    return tuple(_of_model(each, compilation) for each in models)


@dataclass(frozen=True, slots=True)
class _Observed:
    """A model whose points are observed. `plan`: before it is optimised. `text`: that of the program."""

    model: Model
    plan: Plan
    points: tuple[Point, ...]
    text: SourceText

    def span(self, at: Extent) -> Span:
        """Return the span of an extent in the model's file."""
        span = self.text.span(at)
        return self.model.positions.span(span) if self.model.positions else span

    def label(self, point: Point) -> str:
        """Return the name of a point, or the start of its text."""
        if point.name:
            return point.name
        words = " ".join(self.text.text[point.at[0] : point.at[1]].split())
        operator = point.subject.operator if isinstance(point.subject, Operation) else ""
        if operator == "=" and "=" not in words:
            # CASE x WHEN y: the extent is that of y.
            words = f"= {words}"
        elif operator in ("IS NULL", "IS NOT NULL") and "NULL" not in words.upper():
            words = f"{words} {operator}"
        return words if len(words) <= _WIDTH else f"{words[: _WIDTH - 3]}..."


def _of_model(tested: ModelCases, compilation: Compilation) -> ModelCoverage:
    model = tested.model
    traced = _traced(model, tested.plan, compilation)
    reached, count = _reached(traced, tested.cases)
    merged: dict[tuple[Extent, str, str], CoveredPoint] = {}
    for point, outcomes in zip(traced.points, reached, strict=True):
        # A query that several others read is one place of the text.
        key = (point.at, point.kind, traced.label(point))
        other = merged.get(key)
        names = dict.fromkeys((*(other.outcomes if other else ()), *point.outcomes))
        all_reached = outcomes | (other.reached if other else frozenset())
        merged[key] = CoveredPoint(point.kind, traced.span(point.at), key[2], tuple(names), all_reached)
    points = sorted(merged.values(), key=lambda point: (point.span.line, point.span.column))
    return ModelCoverage(model.name, model.path, count, tuple(points))


def _traced(model: Model, plan: Plan, compilation: Compilation) -> _Observed:
    """Bind a model again, with the places of its expressions."""
    program, trace = parse(model).program, Trace()
    assert program is not None, "the model has a plan"
    bind_model(model, program, compilation.topics, compilation.project, trace=trace)
    selects = dialect(model.dialect).outline().selects(program)
    names = {source.label for _, sources in selects for source in sources}
    return _Observed(model, *observed(program, plan, trace, names), program.source)


def _reached(model: _Observed, cases: Sequence[Case]) -> tuple[list[frozenset[str]], int]:
    """Return the outcomes that cases reach of each point, and the number of cases that can be evaluated."""
    nothing = [frozenset[str]() for _ in model.points]
    if not cases:
        return nothing, 0
    try:
        return list(default_session().observe(model.plan, cases, model.points)), len(cases)
    except LsqlcError:
        if len(cases) == 1:
            return nothing, 0
    half = len(cases) // 2
    (one, first), (two, second) = (_reached(model, part) for part in (cases[:half], cases[half:]))
    return [a | b for a, b in zip(one, two, strict=True)], first + second
