"""Coverage by golden cases, as text, as JSON and as an lcov report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsqlc.diagnostics.paint import PLAIN, Paint
from lsqlc.golden.coverage import CoveredPoint, ModelCoverage, percent
from lsqlc.golden.show import plural, printable
from lsqlc.report.json_report import span_data
from lsqlc.report.tables import Column, table_lines

# Places of a model that are printed, and columns without nulls.
_PLACES = 20
_COLUMNS = 6


def coverage_lines(models: Sequence[ModelCoverage], paint: Paint = PLAIN, *, width: int) -> Iterator[str]:
    """Yield a table of the models, then for each model the outcomes that no case reaches. `width`: cells of a line."""
    yield from table_lines(
        (
            Column("model", tuple(model.model for model in models)),
            Column("cases", tuple(f"{model.cases:,}" for model in models), right=True),
            Column("reached", tuple(f"{model.reached:,} of {model.total:,}" for model in models), right=True),
            Column("%", tuple(f"{percent([model]):.0f}" for model in models), right=True),
        ),
        width,
    )
    for model in models:
        missing = [point for point in model.points if point.missing]
        if missing:
            yield ""
            yield paint(model.model, "strong")
            yield from _missing_lines(model, missing, paint)


def _missing_lines(model: ModelCoverage, missing: Sequence[CoveredPoint], paint: Paint) -> Iterator[str]:
    places = [point for point in missing if point.kind != "column"]
    for point in places[:_PLACES]:
        never = paint(f"never {', never '.join(point.missing)}", "bad")
        yield f"  {model.path}:{point.span.line}:{point.span.column}: {_label(point)}: {never}"
    if len(places) > _PLACES:
        yield f"  and {plural(len(places) - _PLACES, 'more place')}"
    names = [printable(point.text) for point in missing if point.kind == "column"]
    if names:
        more = f" and {len(names) - _COLUMNS:,} more" if len(names) > _COLUMNS else ""
        yield f"  {paint('never NULL', 'bad')}: {', '.join(names[:_COLUMNS])}{more}"


def _label(point: CoveredPoint) -> str:
    text = printable(point.text)
    match point.kind:
        case "join":
            return f"join of {text}"
        case "group":
            return f"groups of {text}"
        case "row":
            return f"rows of {text}"
        case "window":
            return f"windows of {text}"
    return text


def coverage_summary(models: Sequence[ModelCoverage]) -> str:
    """Return the share of all models on one line."""
    total = sum(model.total for model in models)
    count = sum(model.reached for model in models)
    if not total:
        return "no condition, join or column to reach"
    return f"{count:,} of {plural(total, 'outcome')} reached, {percent(models):.0f} %"


def coverage_data(models: Sequence[ModelCoverage]) -> dict[str, Any]:
    """Return the coverage as JSON-ready data."""
    return {
        "percent": round(percent(models), 2),
        "models": [
            {
                "name": model.model,
                "path": model.path,
                "cases": model.cases,
                "reached": model.reached,
                "total": model.total,
                "points": [
                    {
                        "kind": point.kind,
                        "span": span_data(point.span),
                        "text": point.text,
                        "reached": [each for each in point.outcomes if each in point.reached],
                        "missing": list(point.missing),
                    }
                    for point in model.points
                ],
            }
            for model in models
        ],
    }


def coverage_lcov(models: Sequence[ModelCoverage]) -> str:
    """Return the coverage as an lcov tracefile: outcomes are branches, and a line is hit if one of its outcomes is."""
    return "".join(line + "\n" for model in models for line in _lcov(model))


def _lcov(model: ModelCoverage) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{printable(model.path)}"
    by_line: dict[int, list[CoveredPoint]] = {}
    for point in model.points:
        by_line.setdefault(point.span.line, []).append(point)
    for number, point in enumerate(model.points):
        # A block without any outcome was not executed, and has no counts.
        none = not any(outcome in point.reached for outcome in point.outcomes)
        for branch, outcome in enumerate(point.outcomes):
            executions = "-" if none else str(int(outcome in point.reached))
            yield f"BRDA:{point.span.line},{number},{branch},{executions}"
    yield f"BRF:{model.total}"
    yield f"BRH:{model.reached}"
    hits = {
        line: sum(len(point.outcomes) - len(point.missing) for point in points)
        for line, points in sorted(by_line.items())
    }
    yield from (f"DA:{line},{count}" for line, count in hits.items())
    yield f"LF:{len(hits)}"
    yield f"LH:{sum(count > 0 for count in hits.values())}"
    yield "end_of_record"
