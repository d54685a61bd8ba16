"""Edits of models, and whether the cases notice them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lsqlc.search.mutants import Mutant
from lsqlc.search.results import SearchResult

Verdict = Literal["noticed", "unnoticed", "not told apart"]


@dataclass(frozen=True, slots=True)
class MutantResult:
    """An edit of a model. `line`: in the model's file, from 1. `search` None: a case notices the edit."""

    line: int
    mutant: Mutant
    search: SearchResult | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict of the cases, or else of the search."""
        if self.search is None:
            return "noticed"
        return "unnoticed" if self.search.answer == "different" else "not told apart"


@dataclass(frozen=True, slots=True)
class ModelMutants:
    """The edits of a model that compile and have another plan. `cases`: the number of its cases."""

    model: str
    path: str
    cases: int
    results: tuple[MutantResult, ...]

    def count(self, verdict: Verdict) -> int:
        """Return the number of edits with a verdict."""
        return sum(result.verdict == verdict for result in self.results)


def score(models: Sequence[ModelMutants]) -> float:
    """Return the share of edits that a case notices, in percent, of those that change an answer; 100 of none."""
    noticed, unnoticed = (sum(each.count(verdict) for each in models) for verdict in ("noticed", "unnoticed"))
    return 100 * noticed / (noticed + unnoticed) if noticed + unnoticed else 100.0
