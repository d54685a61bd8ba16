"""The golden cases of a project through Kafka: each over topics of its own, several at a time.

What a case means there depends on the order of its records, of which Kafka only keeps that within a partition. Where
DuckDB gives the same for the records in the order of Kafka as in that of the case, the golden file holds for Kafka.
Where it does not, what DuckDB gives for the order of Kafka is what has to come out.
"""

from __future__ import annotations

import shutil
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity, Span
from lsqlc.golden.cases import LoadedCase, LoadedCases, cut
from lsqlc.golden.compare import TopicDifference, compare
from lsqlc.golden.run import GoldenRun, Options, Result, run
from lsqlc.golden.show import plural
from lsqlc.golden.snapshot import case_path, golden_text, read_golden
from lsqlc.lower import duckdb
from lsqlc.lower.spark import lower, unsupported
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.profiles import Target
from lsqlc.remote.cases.kafka import Passed, Topics, through_kafka
from lsqlc.remote.cases.kafka_limits import lacking_case, lacking_outcome, lacking_plan
from lsqlc.remote.cases.kafka_records import arranged, orders
from lsqlc.remote.session.session import connect
from lsqlc.tasks.golden import Read, Tested, read_goldens
from lsqlc.tasks.places import Place, place_of
from lsqlc.tasks.run import Session
from lsqlc.tasks.topics import applied, topics_plan
from lsqlc.topics.kafka import commits
from lsqlc.topics.kafka.names import LEASES
from lsqlc.types.record import Case, Outcome

# Of topics that declare no number, in a model none of whose topics does.
_PARTITIONS = 3
# Of a case that does not say how it is cut: each batch is another start of a query, which takes seconds.
_BATCHES = 1
# Records of a case are one batch of its queries.
_OFFSETS_PER_BATCH = 1_000_000


@dataclass(frozen=True, slots=True)
class KafkaCases:
    """The cases that can run over Kafka, of the models that can. `skipped`: a note for each model and case that cannot;
    `read`: all cases and golden files of the project.
    """

    plans: Mapping[str, Plan]
    cases: tuple[LoadedCase, ...]
    skipped: tuple[Diagnostic, ...]
    read: Read


@dataclass(frozen=True, slots=True)
class Bench:
    """Where cases run. `spark`: a session on a server that has the connector; `target`: has the cluster; `checkpoints`:
    a folder of the command's own that an embedded server sees, or an address that the server reaches; `workers`: cases
    that run at a time.
    """

    spark: Session
    target: Target
    checkpoints: Path | str
    workers: int


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
    order = {name: number for number, name in enumerate(plans)}
    return KafkaCases(plans, tuple(sorted(cases, key=lambda c: order[c.model])), tuple(skipped), read)


def run_kafka_cases(
    some: KafkaCases, compilation: Compilation, bench: Bench, *, fail_fast: bool, say: Callable[[str], None]
) -> Tested:
    """Run the cases, and compare what comes out; nothing is left of their topics and checkpoints, whatever ends it.
    `fail_fast`: no more models after the first with a failure; `say` is given a line for each model that is done.

    Raises LsqlcError LSQ663 for a lost server. What else goes wrong is the error of a case.
    """
    results: list[Result] = []
    notes = list(some.skipped)
    stopped = threading.Event()
    with _sessions(bench) as sessions, ThreadPoolExecutor(bench.workers) as pool:
        runner = _Runner(compilation, bench, sessions, stopped.is_set)
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
    return Tested(GoldenRun(tuple(results), {}), (*notes, *some.read.diagnostics), some.read.texts)


@dataclass(frozen=True, slots=True)
class _Tried:
    """What became of a case. `expected`: what DuckDB gives for the order of Kafka, if that is not what it gives for the
    order of the case.
    """

    outcome: Outcome = field(default_factory=lambda: Outcome({}))
    expected: Outcome | None = None
    skipped: str | None = None
    error: LsqlcError | None = None


@dataclass(frozen=True, slots=True)
class _Runner:
    """Runs cases, in several threads at a time."""

    compilation: Compilation
    bench: Bench
    sessions: SimpleQueue[Any]
    stopped: Callable[[], bool]
    lowered: dict[str, SparkPlan] = field(default_factory=dict)
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    def tried(self, plan: Plan, loaded: LoadedCase) -> _Tried:
        """Raises LsqlcError LSQ663."""
        case = loaded.case if loaded.batched else cut(loaded.case, _BATCHES)
        session = self.sessions.get()
        try:
            return self._tried(plan, case, session)
        except LsqlcError as error:
            if any(d.code == "LSQ663" for d in error.diagnostics):
                raise
            return _Tried(error=error)
        finally:
            self.sessions.put(session)

    def _tried(self, plan: Plan, case: Case, session: Any) -> _Tried:
        (arrived,) = duckdb.evaluate(plan, [case])
        why = lacking_outcome(arrived)
        if why is not None:
            return _Tried(skipped=why)
        passed = self._passed(plan, case, session)
        if self.stopped():
            return _Tried(skipped="it was stopped")
        cases = [replace(case, batches=(records,)) for records in orders(plan, passed.batches)]
        of_kafka, *others = duckdb.evaluate(plan, cases)
        if any(_differences(plan, of_kafka, other) for other in others):
            return _Tried(skipped="it takes its records in two orders: by time, and as their partitions have them")
        expected = of_kafka if _differences(plan, arrived, of_kafka) else None
        return _Tried(arranged(plan, expected or arrived, passed.outcome), expected)

    def _passed(self, plan: Plan, case: Case, session: Any) -> Passed:
        bench = self.bench
        with self._place(plan, session) as place:
            key = plan.name
            if key not in self.lowered:
                self.lowered[key] = lower(plan, server=bench.spark.version, wires=place.wires)
            topics = Topics(place.log, place.streams(), place.checkpoints)
            return through_kafka(
                session, bench.spark.address, plan, self.lowered[key], topics, case.batches, stop=self.stopped
            )

    @contextmanager
    def _place(self, plan: Plan, session: Any) -> Iterator[Place]:
        """Topics and checkpoints of one case inside the `with`; they are removed after it."""
        target, own = self.bench.target, f"{self.token}-{uuid.uuid4().hex[:8]}"
        assert target.kafka is not None, "whoever made the bench has seen to it"
        declared = [t.partitions for t in (*plan.inputs, *plan.outputs) if t.partitions is not None]
        kafka = replace(
            target.kafka,
            prefix=f"{target.kafka.prefix}lsqlc-test-{own}.",
            partitions=max(declared, default=_PARTITIONS),
            offsets_per_batch=_OFFSETS_PER_BATCH,
        )
        own_target = replace(target, kafka=kafka, checkpoints=f"{self.bench.checkpoints}/{own}")
        project = self.compilation.project
        place = place_of(project.root, own_target, [plan], (), project)
        try:
            _create(place, plan)
            yield place
        finally:
            for name in (*place.log.names(), commits.TOPIC, LEASES):
                place.log.delete(name)
            if isinstance(place.checkpoints, Path):
                shutil.rmtree(place.checkpoints, ignore_errors=True)
            else:
                store = place.store(session)
                for name in store.described():
                    store.remove(name)


def _create(place: Place, plan: Plan) -> None:
    assert place.kafka is not None
    for topic in plan.inputs:
        place.log.prepare(topic)
    planned = topics_plan({plan.name: plan}, place.kafka)
    wrong = [d for d in planned.diagnostics if d.is_error]
    if wrong:
        raise LsqlcError(wrong)
    for one in applied(planned, place.kafka):
        if one.failure is not None:
            raise LsqlcError([one.failure])


@contextmanager
def _sessions(bench: Bench) -> Iterator[SimpleQueue[Any]]:
    """A session for each worker: in one, queries of several cases would have the same names."""
    sessions: SimpleQueue[Any] = SimpleQueue()
    opened = [connect(bench.spark.address.text) for _ in range(bench.workers)]
    for session in opened:
        sessions.put(session)
    yield sessions
    # Not after an error: a lost server cannot be told goodbye, and any other one ends them.
    for session in opened:
        session.stop()


def _by_model(
    cases: Sequence[LoadedCase], futures: Sequence[Future[_Tried]]
) -> Iterator[tuple[str, list[tuple[LoadedCase, Future[_Tried]]]]]:
    found: dict[str, list[tuple[LoadedCase, Future[_Tried]]]] = {}
    for case, future in zip(cases, futures, strict=True):
        found.setdefault(case.model, []).append((case, future))
    yield from found.items()


def _judged(some: KafkaCases, case: LoadedCase, tried: _Tried) -> tuple[Result | None, tuple[Diagnostic, ...]]:
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

    options = Options(ci=True, ordered=False, orphans=False)
    cases = LoadedCases((case,), (), ())
    judged = run({plan.name: plan}, cases, evaluate, some.read.goldens, options, judge=duckdb.evaluate)
    # The plans are DuckDB's to judge.
    return next(result for result in judged.results if result.kind == "case"), ()


def _of_order(some: KafkaCases, plan: Plan, case: LoadedCase, expected: Outcome, outcome: Outcome) -> Result:
    path = case_path(some.read.goldens.folder, plan.name, case.name)
    result = Result("case", plan.name, case.name, path, "passed", case.span)
    differences = _differences(plan, expected, outcome)
    if not differences:
        return result
    message = f"the case '{case.name}' of '{plan.name}' does not give over Kafka what DuckDB gives"
    note = "DuckDB had the records in the order that they have in Kafka"
    found = Diagnostic("LSQ877", message, case.span, (note,), "this is a defect of lsqlc: please report it")
    return replace(result, status="failed", unmet=differences, diagnostics=(found,))


def _differences(plan: Plan, expected: Outcome, outcome: Outcome) -> tuple[TopicDifference, ...]:
    rows = read_golden(golden_text(plan, expected), "", plan).rows
    return compare(plan, rows, arranged(plan, expected, outcome), ordered=False)


def _unstored(compilation: Compilation, target: Target, plan: Plan) -> str | None:
    """Why the topics of a plan cannot lie in Kafka, as a clause."""
    project = compilation.project
    place = place_of(project.root, target, [plan], (), project)
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
