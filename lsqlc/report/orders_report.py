"""Results that depend on the order of records, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsqlc.diagnostics.paint import PLAIN, Paint, Tone
from lsqlc.golden.case_writer import flow
from lsqlc.golden.show import plural
from lsqlc.report.search_report import arrivals_of, rows_data, rows_lines
from lsqlc.search.orders import ModelOrders, OrderDependence
from lsqlc.types.record import Record


def orders_lines(models: Sequence[ModelOrders], paint: Paint = PLAIN) -> Iterator[str]:
    """Yield each model whose results depend on the order: both orders of few records, the rows, and the reasons."""
    for model in models:
        if model.dependence is not None:
            yield f"{paint(model.model, 'strong')}: {paint('depends on the order', 'bad')} of records"
            yield from _lines(model.dependence, paint)


def _lines(dependence: OrderDependence, paint: Paint) -> Iterator[str]:
    yield f"  case '{dependence.case}'"
    both: tuple[tuple[str, Tone, Sequence[Record]], ...] = (
        ("-", "removed", dependence.first),
        ("+", "added", dependence.second),
    )
    for sign, tone, records in both:
        for arrival in arrivals_of(dependence.topics, records):
            yield f"  {paint(sign, tone)} {flow(arrival)}"
    for output in dependence.rows:
        yield from (f"  {line}" for line in rows_lines(output, paint))
    yield from (f"  because {reason}" for reason in dependence.reasons)


def orders_summary(models: Sequence[ModelOrders]) -> str:
    """Return the number of orders, and of models that depend on them, on one line."""
    tried, dependent = sum(m.tried for m in models), sum(m.dependence is not None for m in models)
    skipped = sum(m.skipped for m in models)
    left_out = f"; {plural(skipped, 'case')} with advance_watermark not reordered" if skipped else ""
    verdict = f"{plural(dependent, 'model')} of {len(models):,} {'depends' if dependent == 1 else 'depend'} on them"
    return f"{plural(tried, 'other order')} of records: {verdict if dependent else 'the same rows'}{left_out}"


def orders_data(models: Sequence[ModelOrders]) -> list[dict[str, Any]]:
    """Return the results as JSON-ready data, an object per model."""
    return [
        {
            "name": model.model,
            "path": model.path,
            "cases": model.cases,
            "skipped": model.skipped,
            "orders": model.tried,
            "depends": model.dependence is not None,
            "example": None if model.dependence is None else _data(model.dependence),
        }
        for model in models
    ]


def _data(dependence: OrderDependence) -> dict[str, Any]:
    first, second = (arrivals_of(dependence.topics, each) for each in (dependence.first, dependence.second))
    return {
        "case": dependence.case,
        "first": [flow(arrival) for arrival in first],
        "second": [flow(arrival) for arrival in second],
        "topics": [rows_data(output) for output in dependence.rows],
        "reasons": list(dependence.reasons),
    }
