"""Violations of laws by models, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsqlc.diagnostics.paint import PLAIN, Paint
from lsqlc.golden.case_writer import flow
from lsqlc.golden.show import plural, printable
from lsqlc.report.search_report import arrivals_of, rows_data, rows_lines
from lsqlc.search.laws import Law, ModelLaws, Violation

_TEXTS: dict[Law, str] = {
    "partition": "the rows of a condition, of its negation and of its nulls are not all rows",
    "deletion": "a row that was inserted and deleted again changes the result",
}


def laws_lines(models: Sequence[ModelLaws], paint: Paint = PLAIN) -> Iterator[str]:
    """Yield each violation: the law, the records, and the rows that differ."""
    for model in models:
        if model.violation is not None:
            yield f"{paint(model.model, 'strong')}: {paint(_TEXTS[model.violation.law], 'bad')}"
            yield from _lines(model.violation, paint)


def _lines(violation: Violation, paint: Paint) -> Iterator[str]:
    yield f"  {printable(violation.about)}, case '{violation.case}'"
    yield from (f"  {flow(arrival)}" for arrival in arrivals_of(violation.topics, violation.records))
    for output in violation.rows:
        yield from (f"  {line}" for line in rows_lines(output, paint))
    yield "  this is an error of lsqlc, not of the model: please report it with these records"


def laws_summary(models: Sequence[ModelLaws]) -> str:
    """Return the number of checks and of violations on one line."""
    counts = {law: sum(model.tried.get(law, 0) for model in models) for law in _TEXTS}
    violated = sum(model.violation is not None for model in models)
    checks = ", ".join(f"{law} over {plural(count, 'sequence')} of records" for law, count in counts.items())
    return f"laws: {checks}; {plural(violated, 'violation') if violated else 'no violation'}"


def laws_data(models: Sequence[ModelLaws]) -> list[dict[str, Any]]:
    """Return the results as JSON-ready data, an object per model."""
    return [
        {
            "name": model.model,
            "path": model.path,
            "tried": {law: model.tried.get(law, 0) for law in _TEXTS},
            "violation": None if model.violation is None else _data(model.violation),
        }
        for model in models
    ]


def _data(violation: Violation) -> dict[str, Any]:
    return {
        "law": violation.law,
        "about": violation.about,
        "case": violation.case,
        "records": [flow(arrival) for arrival in arrivals_of(violation.topics, violation.records)],
        "topics": [rows_data(output) for output in violation.rows],
    }
