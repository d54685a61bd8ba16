"""Laws that the selected models must satisfy over their golden cases and random records, on DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.lower.duckdb import evaluate
from lsqlc.search.laws import ModelLaws, violation_of
from lsqlc.tasks.golden import read_goldens

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation


def laws_of(compilation: Compilation) -> tuple[ModelLaws, ...]:
    """Return whether each selected model satisfies the laws."""
    loaded = read_goldens(compilation).cases.cases
    results = []
    for model in compilation.project.models:
        plan = compilation.plans.get(model.name)
        if plan is not None:
            cases = [each.case for each in loaded if each.model == model.name and not each.of_function]
            results.append(ModelLaws(model.name, model.path, *violation_of(plan, cases, evaluate)))
    return tuple(results)
