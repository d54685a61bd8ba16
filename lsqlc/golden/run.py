"""Test run: compares the outcomes of cases with their golden files. Pure: files are arguments and results.

The cases of a model are evaluated in one call. A case without a golden file fails as `new`, and its outcome is written
for review. If `update` covers a difference, the golden file is written and the case passes. Nothing is written with
`ci`. `expect` is compared first: a case that contradicts it is not updated. A golden file without a case is an orphan
and fails. The plan of a model with cases is a text file beside the golden files.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.golden.assertions import failed_assertions
from lsqlc.golden.cases import LoadedCase, LoadedCases, cut, file_stem
from lsqlc.golden.compare import TopicDifference, compare, expected_rows
from lsqlc.golden.evaluation import Evaluate, locate_errors
from lsqlc.golden.evaluation import outcomes as outcomes_of
from lsqlc.golden.patch import patch
from lsqlc.golden.snapshot import PLAN_FILE, case_path, golden_text, plan_path, read_golden
from lsqlc.golden.states import unmet_states
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome

# With fewer models per thread, the start of another session costs more time than it saves.
_MODELS_PER_WORKER = 20

Update = Literal["none", "all", "new", "changed", "orphaned"]
Status = Literal["passed", "failed", "new", "updated", "error"]
Kind = Literal["case", "plan", "orphan"]


@dataclass(frozen=True, slots=True)
class Goldens:
    """The files below the golden path, by path. `broken`: files that exist but cannot be read."""

    texts: Mapping[str, str]
    broken: Collection[str] = ()
    folder: str = "golden"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a test run.

    `batches`: the number of batches of a case that has no `batches`; None: one batch. `ordered`: see `compare`.
    `workers`: threads that evaluate models in parallel. `orphans` False: do not report orphans, because not all models
    or cases are selected. `fail_fast`: stop after the first model with a failure. `models`: all models of the project,
    whose files are not orphans. `functions`: the functions to test, by their names in `LoadedCases.functions`.
    `judge`: evaluates the conditions of assertions, by default the engine under test.
    """

    update: Update = "none"
    ci: bool = False
    batches: int | None = None
    ordered: bool = True
    workers: int = 1
    orphans: bool = True
    fail_fast: bool = False
    models: Collection[str] = ()
    functions: Collection[str] = ()
    judge: Evaluate | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result for one golden file: of a case, a plan, or an orphan.

    `differences`: from the golden file. `unmet`: from `expect`. `patch`: for `git apply`, to accept the outcome; empty
    if nothing differs or the file was updated. `counts`: records that were dropped, by reason.
    """

    kind: Kind
    model: str
    name: str
    path: str
    status: Status
    span: Span | None = None
    differences: tuple[TopicDifference, ...] = ()
    unmet: tuple[TopicDifference, ...] = ()
    patch: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.status in ("passed", "updated")


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """The results of a run, model by model. `writes`: files to write, by path; None removes the file."""

    results: tuple[Result, ...]
    writes: Mapping[str, str | None]

    @property
    def ok(self) -> bool:
        """Whether all cases passed or were updated."""
        return all(result.ok for result in self.results)


def run(
    plans: Mapping[str, Plan],
    cases: LoadedCases,
    evaluate: Evaluate,
    goldens: Goldens,
    options: Options | None = None,
) -> GoldenRun:
    """Evaluate the cases of each model in `plans`, and compare the outcomes.

    An LsqlcError of `evaluate` becomes an error of the cases that cause it, or of all cases of the model. Other
    exceptions are not caught.
    """
    options = options or Options()
    runner = _Run(goldens, options, options.judge or evaluate)
    by_model: dict[str, list[LoadedCase]] = {}
    for case in cases.cases:
        by_model.setdefault(case.model, []).append(case)
    results: list[Result] = []
    work = [(plan, by_model.get(name, [])) for name, plan in plans.items()]
    if runner.options.functions:
        # The plan of a function depends on the function only, so that it needs no file.
        programs = cases.functions.items()
        work += [(plan, by_model.get(n, [])) for n, plan in programs if n in runner.options.functions]
    with closing(_evaluated(work, evaluate, runner.options)) as evaluated:
        for plan, own, outcomes in evaluated:
            results += runner.model(plan, own, outcomes, is_function=plan.name in cases.functions)
            if runner.options.fail_fast and not all(result.ok for result in results):
                return GoldenRun(tuple(results), runner.writes)
    # If some case cannot be read, its golden file would be reported as an orphan.
    if runner.options.orphans and cases.complete:
        results += runner.orphans(plans, cases)
    return GoldenRun(tuple(results), runner.writes)


# The outcome or the error of each case of a model.
_Outcomes = Sequence[Outcome | LsqlcError]


def _evaluated(
    work: Sequence[tuple[Plan, list[LoadedCase]]], evaluate: Evaluate, options: Options
) -> Generator[tuple[Plan, list[LoadedCase], _Outcomes]]:
    """Yield each model with the outcomes of its cases, in order. Evaluates in parallel if there are enough models."""

    def outcomes(item: tuple[Plan, list[LoadedCase]]) -> _Outcomes:
        plan, cases = item
        return outcomes_of(plan, [_cut(case, options.batches) for case in cases], evaluate)

    workers = min(options.workers, sum(1 for _, cases in work if cases) // _MODELS_PER_WORKER)
    if workers < 2:
        for plan, cases in work:
            yield plan, cases, outcomes((plan, cases))
        return
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(outcomes, item) for item in work]
        try:
            for (plan, cases), future in zip(work, futures, strict=True):
                yield plan, cases, future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _cut(case: LoadedCase, count: int | None) -> Case:
    return case.case if case.batched or count is None else cut(case.case, count)


class _Run:
    """A run in progress. Collects the files to write."""

    def __init__(self, goldens: Goldens, options: Options, judge: Evaluate) -> None:
        self.options = options
        self._judge = judge
        self.writes: dict[str, str | None] = {}
        self._goldens = goldens

    def model(
        self, plan: Plan, cases: Sequence[LoadedCase], outcomes: _Outcomes, *, is_function: bool
    ) -> Iterator[Result]:
        """Yield the results of one model: of its plan, then of its cases."""
        path = plan_path(self._goldens.folder, plan.name)
        if not is_function and (cases or path in self._goldens.texts or path in self._goldens.broken):
            yield self._plan(plan, path, cases)
        evaluated = [(c, o) for c, o in zip(cases, outcomes, strict=True) if not isinstance(o, LsqlcError)]
        judgements = iter(self._failed_assertions(evaluated))
        for case, outcome in zip(cases, outcomes, strict=True):
            if isinstance(outcome, LsqlcError):
                path = case_path(self._goldens.folder, plan.name, case.name)
                diagnostics = locate_errors(plan, case, outcome)
                yield Result("case", plan.name, case.name, path, "error", case.span, diagnostics=diagnostics)
            else:
                yield self._case(plan, case, outcome, next(judgements))

    def _failed_assertions(self, evaluated: Sequence[tuple[LoadedCase, Outcome]]) -> Sequence[tuple[Diagnostic, ...]]:
        """Return the failed assertions of each case."""
        requests = [(case.case, case.assertions, outcome) for case, outcome in evaluated]
        if not any(assertions for _, assertions, _ in requests):
            return [()] * len(requests)
        try:
            return failed_assertions(requests, self._judge)
        except LsqlcError as error:
            return [error.diagnostics if case.assertions else () for case, _ in evaluated]

    def _case(self, plan: Plan, case: LoadedCase, outcome: Outcome, failed: tuple[Diagnostic, ...]) -> Result:
        path = case_path(self._goldens.folder, plan.name, case.name)
        result = Result("case", plan.name, case.name, path, "passed", case.span, counts=outcome.counts)
        unmet: tuple[TopicDifference, ...] = ()
        if case.expect:
            rows = expected_rows(plan, case.expect)
            unmet = compare(plan, rows, outcome, topics=case.expect, ordered=self.options.ordered)
            if unmet:
                message = f"the case '{case.name}' of '{plan.name}' does not give the expected rows"
                help = "correct the model, or 'expect' in the case"
                if case.of_function:
                    message = f"calls of {plan.name} in the case '{case.name}' do not give the expected results"
                    help = "the key is the number of the call; correct the function, or the 'result' of the call"
                finding = Diagnostic("LSQ514", message, case.span, help=help)
                failed = (finding, *failed)
        failed = (*failed, *unmet_states(case.name, case.states, outcome.state))
        if failed:
            return replace(result, status="failed", unmet=unmet, diagnostics=failed)
        if not case.golden:
            return result
        after = golden_text(plan, outcome)
        before = self._goldens.texts.get(path)
        if before is None and path not in self._goldens.broken:
            return self._new(result, after, f"the case '{case.name}' of '{plan.name}' has no golden file")
        if before is None:
            return self._differs(result, before, after, f"'{path}' cannot be read")
        if before.replace("\r\n", "\n") == after:
            return result
        golden = read_golden(before, path, plan)
        differences = compare(plan, golden.rows, outcome, ordered=self.options.ordered)
        if not differences and not golden.diagnostics:
            return result
        message = f"the case '{case.name}' of '{plan.name}' does not match its golden file"
        result = replace(result, differences=differences, diagnostics=golden.diagnostics)
        return self._differs(result, before, after, message)

    def _plan(self, plan: Plan, path: str, cases: Sequence[LoadedCase]) -> Result:
        span = cases[0].span if cases else None
        result = Result("plan", plan.name, PLAN_FILE, path, "passed", span)
        before, after = self._goldens.texts.get(path), plan.tree()
        if before is None and path not in self._goldens.broken:
            return self._new(result, after, f"the plan of '{plan.name}' has no file yet")
        if before is not None and before.replace("\r\n", "\n") == after:
            return result
        return self._differs(result, before, after, f"the plan of '{plan.name}' differs from '{path}'")

    def _new(self, result: Result, after: str, message: str) -> Result:
        if self._covers("new"):
            self.writes[result.path] = after
            return replace(result, status="updated")
        change = ""
        if self.options.ci:
            help = "write it with `lsqlc test --update new` on your machine, review it and commit it"
            change = patch(result.path, None, after)
        else:
            self.writes[result.path] = after
            help = f"it was written to '{result.path}': review it with `lsqlc review`, and commit it"
        finding = Diagnostic("LSQ513", message, result.span, help=help)
        return replace(result, status="new", patch=change, diagnostics=(finding,))

    def _differs(self, result: Result, before: str | None, after: str, message: str) -> Result:
        if self._covers("changed"):
            self.writes[result.path] = after
            return replace(result, status="updated", diagnostics=())
        code = "LSQ515" if result.kind == "plan" else "LSQ514"
        help = "if the change is intended, `lsqlc review` or `lsqlc test --update changed` accepts it"
        finding = Diagnostic(code, message, result.span, help=help)
        # A patch of a binary file would not apply.
        change = "" if before is None else patch(result.path, before, after)
        return replace(result, status="failed", patch=change, diagnostics=(finding, *result.diagnostics))

    def _covers(self, what: Update) -> bool:
        return not self.options.ci and self.options.update in (what, "all")

    def orphans(self, plans: Mapping[str, Plan], cases: LoadedCases) -> Iterator[Result]:
        """Yield a result for each golden file without a case."""
        without = {(case.model, case.name) for case in cases.cases if not case.golden}
        named_cases = [(model, name) for _, model, name in cases.places if (model, name) not in without]
        folder = self._goldens.folder
        expected_paths = {case_path(folder, model, name) for model, name in named_cases}
        expected_paths |= {plan_path(folder, model) for model in (*plans, *self.options.models)}
        models = {*plans, *self.options.models}
        for path in sorted({*self._goldens.texts, *self._goldens.broken} - expected_paths):
            inner = path.removeprefix(f"{folder}/")
            model = inner.rsplit("/", 1)[0] if "/" in inner else ""
            name = inner.rsplit("/", 1)[-1]
            result = Result("orphan", model, name, path, "failed")
            if self._covers("orphaned"):
                self.writes[path] = None
                yield replace(result, status="updated")
                continue
            stem = name.removesuffix(".jsonl")
            near = next((n for m, n in named_cases if m == model and file_stem(n).casefold() == stem.casefold()), None)
            why = f"the name of the case is '{near}'" if near else f"no case of '{model}' has the name '{stem}'"
            if model not in models:
                why = f"unknown model '{model}'" if model else "golden files are in folders named after models"
            notes = (why,)
            finding = Diagnostic(
                "LSQ512",
                f"'{path}' has no case",
                Span(path, 1, 1, 1, 1),
                notes,
                "remove it, or run `lsqlc test --update orphaned`",
            )
            text = self._goldens.texts.get(path)
            change = "" if text is None else patch(path, text, None)
            yield replace(result, patch=change, diagnostics=(finding,))
