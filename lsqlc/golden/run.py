"""Cases against their golden files: what passed, what differs, what to write. Pure: files come and go as texts.

The cases of a model are evaluated in one call. A case without golden file fails as `new`, and what came out is to be
written, so that it can be reviewed; an update that covers the finding writes and passes; with `ci` nothing is ever
written. `expect` is compared first: an update does not touch a case that its own file contradicts. A golden file
without a case is an orphan and fails. A model with a case has its plan in a file beside the goldens, which is compared
as text.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.golden.assertions import judged
from lsqlc.golden.cases import LoadedCase, LoadedCases, cut, file_stem
from lsqlc.golden.compare import TopicDifference, compare, expected_rows
from lsqlc.golden.evaluation import Evaluate, explained
from lsqlc.golden.evaluation import outcomes as outcomes_of
from lsqlc.golden.patch import patch
from lsqlc.golden.snapshot import PLAN_FILE, case_path, golden_text, plan_path, read_golden
from lsqlc.golden.states import unmet_states
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome

# For fewer models it is not worth the start of another session.
_MODELS_PER_WORKER = 20

Update = Literal["none", "all", "new", "changed", "orphaned"]
Status = Literal["passed", "failed", "new", "updated", "error"]
Kind = Literal["case", "plan", "orphan"]


@dataclass(frozen=True, slots=True)
class Goldens:
    """The files below the golden path, by path; `broken` are there but have no text."""

    texts: Mapping[str, str]
    broken: Collection[str] = ()
    folder: str = "golden"


@dataclass(frozen=True, slots=True)
class Options:
    """`batches`: how many a case is cut into that does not say itself; None: none is cut. `ordered`: see `compare`.
    `workers`: how many models are evaluated side by side, each in a thread of its own.
    `orphans` False: do not look for them, as when some models or cases are left out. `fail_fast`: no more models after
    the first with a failure. `known`: the project's models, whose files are no orphans. `functions`: the programs of
    functions whose cases are run, by their names in `LoadedCases.functions`.
    """

    update: Update = "none"
    ci: bool = False
    batches: int | None = None
    ordered: bool = True
    workers: int = 1
    orphans: bool = True
    fail_fast: bool = False
    known: Collection[str] = ()
    functions: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one golden file: that of a case, of a plan, or of an orphan.

    `differences` are those from the golden file, `unmet` those from `expect`. `patch`: what `git apply` takes to accept
    the outcome; empty if that was done or nothing differs. `counts`: records that went nowhere, by reason.
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
    """What a run found, model by model. `writes`: what the caller is to write, text by path; None removes the file."""

    results: tuple[Result, ...]
    writes: Mapping[str, str | None]

    @property
    def ok(self) -> bool:
        """Whether everything passed, or was updated as asked for."""
        return all(result.ok for result in self.results)


def run(
    plans: Mapping[str, Plan],
    cases: LoadedCases,
    evaluate: Evaluate,
    goldens: Goldens,
    options: Options | None = None,
    *,
    judge: Evaluate | None = None,
) -> GoldenRun:
    """Evaluate the cases of each model in `plans` and compare. Bad input that `evaluate` raises as LsqlcError becomes
    the error of the cases that have it, or of all cases of the model; anything else it raises goes through. `judge`
    evaluates the conditions of cases, if `evaluate` does not.
    """
    runner = _Run(goldens, options or Options(), judge or evaluate)
    by_model: dict[str, list[LoadedCase]] = {}
    for case in cases.cases:
        by_model.setdefault(case.model, []).append(case)
    results: list[Result] = []
    work = [(plan, by_model.get(name, [])) for name, plan in plans.items()]
    if runner.options.functions:
        # A plan of a function is made of the function alone, so that no file of it says more.
        named = cases.functions.items()
        work += [(plan, by_model.get(n, [])) for n, plan in named if n in runner.options.functions]
    with closing(_evaluated(work, evaluate, runner.options)) as evaluated:
        for plan, own, outcomes in evaluated:
            results += runner.model(plan, own, outcomes, is_function=plan.name in cases.functions)
            if runner.options.fail_fast and not all(result.ok for result in results):
                return GoldenRun(tuple(results), runner.writes)
    # Where a case cannot be read, its golden file only seems to be an orphan.
    if runner.options.orphans and cases.complete:
        results += runner.orphans(plans, cases)
    return GoldenRun(tuple(results), runner.writes)


# What each case of a model gives, or why it gives nothing.
_Outcomes = Sequence[Outcome | LsqlcError]


def _evaluated(
    work: Sequence[tuple[Plan, list[LoadedCase]]], evaluate: Evaluate, options: Options
) -> Generator[tuple[Plan, list[LoadedCase], _Outcomes]]:
    """Yield each model with what its cases gave, in the order given; several at a time if there are enough for it."""

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
    """Collects what is to be written."""

    def __init__(self, goldens: Goldens, options: Options, judge: Evaluate) -> None:
        self.options = options
        self._judge = judge
        self.writes: dict[str, str | None] = {}
        self._goldens = goldens

    def model(
        self, plan: Plan, cases: Sequence[LoadedCase], outcomes: _Outcomes, *, is_function: bool
    ) -> Iterator[Result]:
        """Yield the results of one model: its plan, then its cases."""
        path = plan_path(self._goldens.folder, plan.name)
        if not is_function and (cases or path in self._goldens.texts or path in self._goldens.broken):
            yield self._plan(plan, path, cases)
        given = [(c, o) for c, o in zip(cases, outcomes, strict=True) if not isinstance(o, LsqlcError)]
        judgements = iter(self._judged(given))
        for case, outcome in zip(cases, outcomes, strict=True):
            if isinstance(outcome, LsqlcError):
                path = case_path(self._goldens.folder, plan.name, case.name)
                found = explained(plan, case, outcome)
                yield Result("case", plan.name, case.name, path, "error", case.span, diagnostics=found)
            else:
                yield self._case(plan, case, outcome, next(judgements))

    def _judged(self, given: Sequence[tuple[LoadedCase, Outcome]]) -> Sequence[tuple[Diagnostic, ...]]:
        """What each case asserts and does not get."""
        asked = [(case.case, case.assertions, outcome) for case, outcome in given]
        if not any(assertions for _, assertions, _ in asked):
            return [()] * len(asked)
        try:
            return judged(asked, self._judge)
        except LsqlcError as error:
            return [error.diagnostics if case.assertions else () for case, _ in given]

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
        # A patch of a file that is no text would not apply.
        change = "" if before is None else patch(result.path, before, after)
        return replace(result, status="failed", patch=change, diagnostics=(finding, *result.diagnostics))

    def _covers(self, what: Update) -> bool:
        return not self.options.ci and self.options.update in (what, "all")

    def orphans(self, plans: Mapping[str, Plan], cases: LoadedCases) -> Iterator[Result]:
        """Yield the golden files that belong to no case."""
        without = {(case.model, case.name) for case in cases.cases if not case.golden}
        named = [(model, name) for _, model, name in cases.places if (model, name) not in without]
        folder = self._goldens.folder
        kept = {case_path(folder, model, name) for model, name in named}
        kept |= {plan_path(folder, model) for model in (*plans, *self.options.known)}
        models = {*plans, *self.options.known}
        for path in sorted({*self._goldens.texts, *self._goldens.broken} - kept):
            inner = path.removeprefix(f"{folder}/")
            model = inner.rsplit("/", 1)[0] if "/" in inner else ""
            name = inner.rsplit("/", 1)[-1]
            result = Result("orphan", model, name, path, "failed")
            if self._covers("orphaned"):
                self.writes[path] = None
                yield replace(result, status="updated")
                continue
            stem = name.removesuffix(".jsonl")
            near = next((n for m, n in named if m == model and file_stem(n).casefold() == stem.casefold()), None)
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
