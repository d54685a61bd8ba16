"""The golden tests of a project: files are read, cases evaluated, golden files written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.cases import load_cases
from lsqlc.golden.files import read_case_files, read_golden_files, write_golden_files
from lsqlc.golden.run import Evaluate, GoldenRun, Goldens, Options, Update, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation

# The number of batches of a case on Spark, if the case does not declare it.
_BATCHES = 3
# DuckDB plans without Python's lock, but all else that a worker does holds it.
_MOST_WORKERS = 4


@dataclass(frozen=True, slots=True)
class Tested:
    """The results of the golden tests. `diagnostics` are those of case files and of unwritable golden files; `texts`
    are the case files and golden files by path, which diagnostics refer to.
    """

    run: GoldenRun
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str]

    @property
    def ok(self) -> bool:
        """Whether every case passed and there is no error."""
        return self.run.ok and not any(d.is_error for d in self.diagnostics)


def run_goldens(
    compilation: Compilation,
    evaluate: Evaluate,
    *,
    update: Update,
    fail_fast: bool,
    whole: bool,
    ci: bool,
    plans: Mapping[str, Plan] | None = None,
    batched: bool = False,
    judge: Evaluate | None = None,
) -> Tested:
    """Run the cases of the selected models with `evaluate`, and write golden files as `update` says.

    `whole`: all models are selected, so orphaned golden files can be found; `ci`: nothing is written; `plans`: those to
    test, if not all selected ones; `batched`: the engine gets records in batches, and its results are never written;
    `judge`: evaluates conditions, if `evaluate` does not.
    """
    project = compilation.project
    texts = read_case_files(project.root, project.config.case_paths)
    goldens = read_golden_files(project.root, project.config.golden_path)
    names = [model.name for model in project.models]
    cases = load_cases(texts.texts, compilation.plans, models=names)
    options = Options(
        update=update,
        ci=batched or ci,
        batches=_BATCHES if batched else None,
        ordered=not batched,
        workers=1 if batched else min(_MOST_WORKERS, os.cpu_count() or 1),
        orphans=whole,
        fail_fast=fail_fast,
        known=names,
    )
    tested = run(
        compilation.plans if plans is None else plans,
        cases,
        evaluate,
        Goldens(goldens.texts, goldens.broken, project.config.golden_path),
        options,
        judge=judge,
    )
    problems = write_golden_files(project.root, tested.writes)
    found = (*texts.diagnostics, *cases.diagnostics, *goldens.diagnostics, *problems)
    return Tested(tested, found, {**texts.texts, **goldens.texts})
