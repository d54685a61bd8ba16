"""The golden tests of a project: files are read, cases evaluated, golden files written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.bind.own_function import called_by
from lsqlc.bind.own_plan import plan_name
from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.golden.evaluation import Evaluate
from lsqlc.golden.files import read_case_files, read_golden_files, write_golden_files
from lsqlc.golden.run import GoldenRun, Goldens, Options, Update, run
from lsqlc.golden.states import not_checked
from lsqlc.tasks.unreviewed import write_unreviewed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation

# The number of batches of a case on Spark, if the case does not declare it.
_BATCHES = 3
# DuckDB plans without Python's lock, but all else that a worker does holds it.
MOST_WORKERS = 4


@dataclass(frozen=True, slots=True)
class Tested:
    """The results of the golden tests. `diagnostics` are those of case files and of unwritable golden files; `texts`
    are the case files and golden files by path, which diagnostics refer to. `uncovered`: the selected models that
    compile and have no case.
    """

    run: GoldenRun
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str]
    uncovered: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every case passed and there is no error."""
        return self.run.ok and not any(d.is_error for d in self.diagnostics)


@dataclass(frozen=True, slots=True)
class Read:
    """The cases and golden files of a project. `diagnostics`: the errors in them; `texts`: the files by path."""

    cases: LoadedCases
    goldens: Goldens
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str]


def read_goldens(compilation: Compilation) -> Read:
    """Return the cases of the selected models, and all golden files."""
    project = compilation.project
    texts = read_case_files(project.root, project.config.case_paths)
    files = read_golden_files(project.root, project.config.golden_path)
    models = [model.name for model in project.models]
    cases = load_cases(texts.texts, compilation.plans, models=models, functions=project.functions)
    goldens = Goldens(files.texts, files.broken, project.config.golden_path)
    diagnostics = (*texts.diagnostics, *cases.diagnostics, *files.diagnostics)
    return Read(cases, goldens, diagnostics, {**texts.texts, **files.texts})


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
    without_state: str | None = "DuckDB",
) -> Tested:
    """Run the cases of the selected models with `evaluate`, and write golden files as `update` says.

    `whole`: all models are selected, so orphaned golden files can be found; `ci`: nothing is written; `plans`: those to
    test, if not all selected ones; `batched`: the engine gets records in batches, and its results are never written;
    `judge`: evaluates conditions, if `evaluate` does not; `without_state`: what the engine is called that keeps no
    state, None for one that says what it has kept.
    """
    project = compilation.project
    read = read_goldens(compilation)
    options = Options(
        update=update,
        ci=batched or ci,
        batches=_BATCHES if batched else None,
        ordered=not batched,
        workers=1 if batched else min(MOST_WORKERS, os.cpu_count() or 1),
        orphans=whole,
        fail_fast=fail_fast,
        models=[model.name for model in project.models],
        functions=_functions(compilation, whole),
        judge=judge,
    )
    tested = run(compilation.plans if plans is None else plans, read.cases, evaluate, read.goldens, options)
    problems = write_golden_files(project.root, tested.writes)
    if options.update == "none":
        # Written without anybody having asked for it.
        new = {path: text for path, text in tested.writes.items() if text is not None}
        problems = (*problems, *(write_unreviewed(project.root, add=new) if new else ()))
    asserted = [state for case in read.cases.cases for state in case.states]
    unchecked = not_checked(asserted, without_state) if without_state else None
    covered = {case.model for case in read.cases.cases}
    uncovered = tuple(name for name in compilation.plans if name not in covered)
    diagnostics = (*read.diagnostics, *problems, *([unchecked] if unchecked else []))
    return Tested(tested, diagnostics, read.texts, uncovered)


def _functions(compilation: Compilation, whole: bool) -> tuple[str, ...]:
    """Return the functions whose cases are run: all, or those that the selected models call by name."""
    functions = compilation.project.functions
    if whole:
        return tuple(plan_name(f.name) for f in functions.values())
    selected = [m.text or "" for m in compilation.project.models if m.name in compilation.selected]
    return tuple(plan_name(f.name) for f in called_by("\n".join(selected), functions))
