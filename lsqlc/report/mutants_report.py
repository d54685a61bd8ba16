"""The edits of models that no case notices, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsqlc.diagnostics.paint import PLAIN, Paint
from lsqlc.golden.show import plural
from lsqlc.report.search_report import search_data, search_lines
from lsqlc.search.mutant_results import ModelMutants, MutantResult, score

# Edits of a model that are printed.
_EDITS = 10


def mutants_lines(model: ModelMutants, paint: Paint = PLAIN) -> Iterator[str]:
    """Yield the number of edits of a model that its cases notice, then those that they do not notice."""
    noticed, unnoticed, same = (model.count(v) for v in ("noticed", "unnoticed", "not told apart"))
    counts = f"{noticed:,} of {plural(noticed + unnoticed, 'edit')} noticed by {plural(model.cases, 'case')}"
    yield f"{paint(model.model, 'strong')}: {counts}{f', {same:,} not told apart' if same else ''}"
    missing = [result for result in model.results if result.verdict == "unnoticed"]
    for result in missing[:_EDITS]:
        yield f"  {model.path}:{result.line}: {paint(_edit(result), 'bad')}: no case notices"
        assert result.search is not None
        yield from (f"  {line}" for line in list(search_lines(result.search, paint))[1:])
    if len(missing) > _EDITS:
        yield f"  and {plural(len(missing) - _EDITS, 'more edit')}"


def _edit(result: MutantResult) -> str:
    old, new = result.mutant.old.strip(), result.mutant.new.strip()
    return f"{new} for {old}" if new else f"without {old}"


def mutants_summary(models: Sequence[ModelMutants]) -> str:
    """Return the score of all models on one line."""
    noticed, unnoticed = (sum(model.count(v) for model in models) for v in ("noticed", "unnoticed"))
    if not noticed + unnoticed:
        return "no edit changes an answer"
    return f"{noticed:,} of {plural(noticed + unnoticed, 'edit')} noticed, {score(models):.0f} %"


def mutants_data(models: Sequence[ModelMutants]) -> list[dict[str, Any]]:
    """Return the edits as JSON-ready data, an object per model."""
    return [
        {
            "name": model.model,
            "path": model.path,
            "cases": model.cases,
            "edits": [
                {
                    "line": result.line,
                    "old": result.mutant.old,
                    "new": result.mutant.new,
                    "verdict": result.verdict,
                    "search": None if result.search is None else search_data(result.search),
                }
                for result in model.results
            ],
        }
        for model in models
    ]
