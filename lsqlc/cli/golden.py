"""Golden tests as `build` and `test` run them: files read, cases evaluated, files written, all findings together."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.cases import load_cases
from lsqlc.golden.files import read_case_files, read_golden_files, write_golden_files
from lsqlc.golden.run import Evaluate, GoldenRun, Goldens, Options, Update, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation

# Into how many batches Spark gets the records of a case that does not say itself.
_BATCHES = 3
# DuckDB plans without Python's lock, but all else that a worker does holds it.
_MOST_WORKERS = 4


@dataclass(frozen=True, slots=True)
class Tested:
    """What the golden tests gave; `diagnostics` are those of case files, and of golden files that cannot be written."""

    run: GoldenRun
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether every case passed and there is no error."""
        return self.run.ok and not any(d.is_error for d in self.diagnostics)


def run_goldens(
    sh: Shell,
    compilation: Compilation,
    evaluate: Evaluate,
    *,
    update: Update,
    fail_fast: bool,
    whole: bool,
    plans: Mapping[str, Plan] | None = None,
    batched: bool = False,
    judge: Evaluate | None = None,
) -> Tested:
    """Run the cases of the selected models, and write the golden files that this leads to.

    `whole`: no model is left out, so that orphans can be told; `plans`: the models to test, if not all selected ones;
    `batched`: for an engine that sees records in batches, whose results are never written;
    `judge`: what evaluates conditions, if `evaluate` does not.
    """
    project = compilation.project
    texts = read_case_files(project.root, project.config.case_paths)
    goldens = read_golden_files(project.root, project.config.golden_path)
    sh.texts.update({**texts.texts, **goldens.texts})
    names = [model.name for model in project.models]
    cases = load_cases(texts.texts, compilation.plans, models=names)
    options = Options(
        update=update,
        ci=batched or "CI" in os.environ,
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
    return Tested(tested, (*texts.diagnostics, *cases.diagnostics, *goldens.diagnostics, *problems))
