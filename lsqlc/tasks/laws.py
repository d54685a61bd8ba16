"""Laws that the selected models must satisfy over their golden cases and random records, on DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.lower.duckdb import evaluate
from lsqlc.search.laws import ModelLaws, violation_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsqlc.tasks.model_cases import ModelCases


def laws_of(models: Iterable[ModelCases]) -> tuple[ModelLaws, ...]:
    """Return whether each model satisfies the laws."""
    return tuple(
        ModelLaws(each.model.name, each.model.path, *violation_of(each.plan, each.cases, evaluate)) for each in models
    )
