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
from lsqlc.report.command_result import CommandResult
from lsqlc.tasks.selection import ALL_MODELS, ModelSelection, compile_selection
from lsqlc.tasks.unreviewed import write_unreviewed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace

# The number of batches of a case on Spark, if the case does not declare it.
_BATCHES = 3
# DuckDB plans without Python's lock, but all else that a worker does holds it.
MOST_WORKERS = 4


@dataclass(frozen=True, slots=True)
class GoldenRequest:
    """The golden tests that a command asks for.

    `update`: the golden files to write, none with `ci`; `fail_fast`: stop after the first model that fails;
    `orphans` False: golden files of other models and cases are not reported, although every model is selected.
    """

    selection: ModelSelection = ALL_MODELS
    update: Update = "none"
    fail_fast: bool = False
    ci: bool = False
    orphans: bool = True

    def is_whole(self, compilation: Compilation) -> bool:
        """Return whether all golden files have their case, so that orphans can be reported."""
        return self.orphans and self.selection.is_whole and compilation.ok


@dataclass(frozen=True, slots=True)
class Engine:
    """The evaluation of the cases.

    `is_batched`: it gets the records in batches, and its results are never written; `judge`: evaluates conditions, if
    the engine does not; `without_state`: the name of an engine that keeps no state, None for one that reports it.
    """

    evaluate: Evaluate
    is_batched: bool = False
    judge: Evaluate | None = None
    without_state: str | None = None


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """The results of the golden tests of a compilation.

    `diagnostics`: those of case files and of unwritable golden files; `texts`: the case files and golden files by path,
    which diagnostics refer to. `uncovered`: the selected models that compile and have no case.
    """

    compilation: Compilation
    run: GoldenRun
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str]
    uncovered: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every case passed, and case files and golden files have no error."""
        return self.run.ok and not any(d.is_error for d in self.diagnostics)

    def for_report(self, started: str | None = None, seconds: float | None = None) -> CommandResult:
        """Return the result as reports take it. `started`: an ISO date-time."""
        return CommandResult(self.compilation, self.run, self.diagnostics, started, seconds, self.uncovered)


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


def golden_tests(workspace: Workspace, request: GoldenRequest) -> GoldenResult:
    """Run the golden tests of the selected models on DuckDB, and write golden files as the request says.

    The models that do not compile are not tested. Raises LsqlcError as `compile_selection`.
    """
    return on_duckdb(compile_selection(workspace, request.selection), request)


def on_duckdb(compilation: Compilation, request: GoldenRequest) -> GoldenResult:
    """Run the golden tests of a compilation as `golden_tests`."""
    from lsqlc.lower.duckdb import evaluate

    return run_goldens(compilation, request, Engine(evaluate, without_state="DuckDB"))


def run_goldens(
    compilation: Compilation, request: GoldenRequest, engine: Engine, plans: Mapping[str, Plan] | None = None
) -> GoldenResult:
    """Run the golden tests of a compilation on an engine. `plans`: those to test, if not all selected ones."""
    project, whole, batched = compilation.project, request.is_whole(compilation), engine.is_batched
    read = read_goldens(compilation)
    options = Options(
        update=request.update,
        ci=batched or request.ci,
        batches=_BATCHES if batched else None,
        ordered=not batched,
        workers=1 if batched else min(MOST_WORKERS, os.cpu_count() or 1),
        orphans=whole,
        fail_fast=request.fail_fast,
        models=[model.name for model in project.models],
        functions=_functions(compilation, whole),
        judge=engine.judge,
    )
    results = run(compilation.plans if plans is None else plans, read.cases, engine.evaluate, read.goldens, options)
    problems = write_golden_files(project.root, results.writes)
    if options.update == "none":
        # Nobody asked for these files.
        new = {path: text for path, text in results.writes.items() if text is not None}
        problems = (*problems, *(write_unreviewed(project.root, add=new) if new else ()))
    asserted = [state for case in read.cases.cases for state in case.states]
    unchecked = not_checked(asserted, engine.without_state) if engine.without_state else None
    covered = {case.model for case in read.cases.cases}
    uncovered = tuple(name for name in compilation.plans if name not in covered)
    diagnostics = (*read.diagnostics, *problems, *([unchecked] if unchecked else []))
    return GoldenResult(compilation, results, diagnostics, read.texts, uncovered)


def _functions(compilation: Compilation, whole: bool) -> tuple[str, ...]:
    """Return the functions whose cases are run: all, or those that the selected models call by name."""
    functions = compilation.project.functions
    if whole:
        return tuple(plan_name(f.name) for f in functions.values())
    selected = [m.text or "" for m in compilation.project.models if m.name in compilation.selected]
    return tuple(plan_name(f.name) for f in called_by("\n".join(selected), functions))
