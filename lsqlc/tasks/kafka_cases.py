"""The golden cases of a project through Kafka: each over topics of its own, several at a time.

What a case means there depends on the order of its records, of which Kafka only keeps that within a partition. Where
DuckDB gives the same for the records in the order of Kafka as in that of the case, the golden file holds for Kafka.
Where it does not, what DuckDB gives for the order of Kafka is what has to come out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity, Span
from lsqlc.golden.cases import LoadedCase, LoadedCases
from lsqlc.golden.run import GoldenRun, Options, Result, run
from lsqlc.golden.show import plural
from lsqlc.golden.snapshot import case_path
from lsqlc.golden.states import not_checked
from lsqlc.lower import duckdb
from lsqlc.lower.spark import unsupported
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.target import Target
from lsqlc.remote.cases.kafka_limits import lacking_case, lacking_plan
from lsqlc.tasks.golden import GoldenResult, Read, read_goldens
from lsqlc.tasks.kafka_bench import Bench, Runner, Tried, differences, sessions_on
from lsqlc.tasks.run_target import open_target
from lsqlc.types.record import Case, Outcome


@dataclass(frozen=True, slots=True)
class KafkaCases:
    """The cases that can run over Kafka, of the models that can. `skipped`: a note for each model and case that cannot;
    `read`: all cases and golden files of the project.
    """

    plans: Mapping[str, Plan]
    cases: tuple[LoadedCase, ...]
    skipped: tuple[Diagnostic, ...]
    read: Read


def kafka_cases(compilation: Compilation, target: Target) -> KafkaCases:
    """The cases of the selected models, of which nothing has been run. Raises LsqlcError as the target's schema
    registry does.
    """
    read = read_goldens(compilation)
    plans: dict[str, Plan] = {}
    skipped: list[Diagnostic] = []
    wanted = {case.model for case in read.cases.cases}
    for name, plan in compilation.plans.items():
        of_spark = unsupported(plan)
        skipped += (replace(d, severity=Severity.NOTE) for d in of_spark)
        if of_spark or name not in wanted:
            continue
        why = lacking_plan(plan) or _unstored(compilation, target, plan)
        if why is None:
            plans[name] = plan
        else:
            skipped.append(_skipped(f"the model '{name}'", why))
    cases = []
    for case in read.cases.cases:
        why = lacking_case(case.case) if case.model in plans else None
        if why is not None:
            skipped.append(_skipped_case(case, why))
        elif case.model in plans:
            cases.append(case)
    asserted = [state for case in cases for state in case.states]
    unchecked = not_checked(asserted, "topics in Kafka")
    skipped += [unchecked] if unchecked else []
    order = {name: number for number, name in enumerate(plans)}
    return KafkaCases(plans, tuple(sorted(cases, key=lambda c: order[c.model])), tuple(skipped), read)


def run_kafka_cases(
    some: KafkaCases, compilation: Compilation, bench: Bench, *, fail_fast: bool, say: Callable[[str], None]
) -> GoldenResult:
    """Run the cases, and compare what comes out; nothing is left of their topics and checkpoints, whatever ends it.
    `fail_fast`: no more models after the first with a failure; `say` is given a line for each model that is done.

    Raises LsqlcError LSQ663 for a lost server. What else goes wrong is the error of a case.
    """
    results: list[Result] = []
    notes = list(some.skipped)
    stopped = threading.Event()
    with sessions_on(bench) as sessions, ThreadPoolExecutor(bench.workers) as pool:
        runner = Runner(compilation, bench, sessions, stopped.is_set)
        try:
            futures = [pool.submit(runner.tried, some.plans[case.model], case) for case in some.cases]
            for name, found in _by_model(some.cases, futures):
                own = [_judged(some, case, future.result()) for case, future in found]
                notes += (d for _, note in own for d in note)
                done = [result for result, _ in own if result is not None]
                results += done
                say(f"{name}: {plural(len(done), 'case')}")
                if fail_fast and not all(result.ok for result in done):
                    break
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)
    return GoldenResult(compilation, GoldenRun(tuple(results), {}), (*notes, *some.read.diagnostics), some.read.texts)


def _by_model(
    cases: Sequence[LoadedCase], futures: Sequence[Future[Tried]]
) -> Iterator[tuple[str, list[tuple[LoadedCase, Future[Tried]]]]]:
    found: dict[str, list[tuple[LoadedCase, Future[Tried]]]] = {}
    for case, future in zip(cases, futures, strict=True):
        found.setdefault(case.model, []).append((case, future))
    yield from found.items()


def _judged(some: KafkaCases, case: LoadedCase, tried: Tried) -> tuple[Result | None, tuple[Diagnostic, ...]]:
    """The result of a case, None where it was skipped, and what is to be noted."""
    plan = some.plans[case.model]
    if tried.skipped is not None:
        return None, (_skipped_case(case, tried.skipped),)
    if tried.expected is not None:
        return _of_order(some, plan, case, tried.expected, tried.outcome), (_other_order(case),)

    def evaluate(plan: Plan, cases: Sequence[Case]) -> Sequence[Outcome]:
        if tried.error is not None:
            raise tried.error
        return [tried.outcome]

    options = Options(ci=True, ordered=False, orphans=False, judge=duckdb.evaluate)
    cases = LoadedCases((case,), (), ())
    judged = run({plan.name: plan}, cases, evaluate, some.read.goldens, options)
    # The plans are DuckDB's to judge.
    return next(result for result in judged.results if result.kind == "case"), ()


def _of_order(some: KafkaCases, plan: Plan, case: LoadedCase, expected: Outcome, outcome: Outcome) -> Result:
    path = case_path(some.read.goldens.folder, plan.name, case.name)
    result = Result("case", plan.name, case.name, path, "passed", case.span)
    unmet = differences(plan, expected, outcome)
    if not unmet:
        return result
    message = f"the case '{case.name}' of '{plan.name}' does not give over Kafka what DuckDB gives"
    note = "DuckDB had the records in the order that they have in Kafka"
    found = Diagnostic("LSQ529", message, case.span, (note,), "this is a defect of lsqlc: please report it")
    return replace(result, status="failed", unmet=unmet, diagnostics=(found,))


def _unstored(compilation: Compilation, target: Target, plan: Plan) -> str | None:
    """Why the topics of a plan cannot lie in Kafka, as a clause."""
    project = compilation.project
    place = open_target(project.root, target, [plan], (), project)
    try:
        assert place.wires is not None
    except LsqlcError as error:
        return error.diagnostics[0].message
    return None


def _skipped_case(case: LoadedCase, why: str) -> Diagnostic:
    return _skipped(f"the case '{case.name}' of '{case.model}'", why, case.span)


def _skipped(what: str, why: str, span: Span | None = None) -> Diagnostic:
    help = "`lsqlc test --engine spark` runs it on Spark without Kafka"
    return Diagnostic("LSQ875", f"{what} is not tested over Kafka: {why}", span, help=help, severity=Severity.NOTE)


def _other_order(case: LoadedCase) -> Diagnostic:
    return Diagnostic(
        "LSQ876",
        f"the case '{case.name}' of '{case.model}' has other results over Kafka",
        case.span,
        notes=(
            "its records have another order there, in which it was compared with DuckDB",
            "its golden file and its `expect` are of the order of the case",
        ),
        help="give its records times that rise in the order of the case",
        severity=Severity.NOTE,
    )
