"""Many random programs on two engines: what differs, what they were made of, and how many there were."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome
from tests.fuzz import compare
from tests.fuzz.compare import Engine
from tests.fuzz.coverage import kinds
from tests.fuzz.ksql_syntax import KsqlProgram
from tests.fuzz.limits import cut_matters, order_of_times_matters, time_columns, timed
from tests.fuzz.programs import LATE, Dialect, Drawn, draw, lacking
from tests.fuzz.shrink import shrunk
from tests.fuzz.syntax import Program
from tests.fuzz.topics import some_cases

# How many cases a program is tried with: all in one query, or where a query has a watermark, one query each.
CASES = 16
TIMED_CASES = 2
# A server holds on to the plans of queries that have ended: 2 GB are full after 500 of them.
MEMORY = "6g"
PROGRAMS_PER_SERVER = 200
# That is no difference.
SERVER_LOST = "LSQ663"
# Of the programs that give nothing, one in so many is run.
_EMPTY_KEPT = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """A program and a case that two engines do not agree about; `one` and `other`: what each gives, or how it fails."""

    seed: int
    program: Program | KsqlProgram
    case: Case
    one: Any
    other: Any

    def __str__(self) -> str:
        records = "\n".join("  -- batch\n" + "\n".join(f"  {r}" for r in batch) for batch in self.case.batches)
        return f"seed {self.seed}\n{self.program}\n{records}\nDuckDB: {self.one}\nother:  {self.other}"


@dataclass(slots=True)
class Report:
    """What a run has seen. `refused`: codes of what was drawn and did not compile; `left_out`: programs that the other
    engine has no form for, and `lacking` their kinds; `empty`: those that gave nothing over any case.
    """

    programs: int = 0
    ksql: int = 0
    cases: int = 0
    single: int = 0
    empty: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    lacking: Counter[tuple[str, str]] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tried:
    """One program's part of a report."""

    drawn: Drawn
    cases: int
    single: bool
    empty: bool
    left_out: str | None = None
    difference: Difference | None = None


def fuzz(
    seeds: Iterable[int],
    other: Engine,
    *,
    jobs: int = 1,
    shrink: bool = True,
    say: Callable[[str], None] = lambda _: None,
    report: Report | None = None,
    dialect: Dialect = "lenses",
    native: bool = False,
) -> Report:
    """Try the program of each seed on DuckDB and another engine, `jobs` at a time. `report`: one to go on with;
    `native`: the other engine is Spark, which has no form for some of ksqlDB. Raises LsqlcError if the server is lost.
    """

    def try_one(drawn: Drawn) -> Tried:
        return attempt(drawn, other, shrink=shrink, native=native)

    return try_all(seeds, try_one, jobs=jobs, say=say, report=report, dialect=dialect)


def try_all(
    seeds: Iterable[int],
    try_one: Callable[[Drawn], Tried],
    *,
    jobs: int = 1,
    say: Callable[[str], None] = lambda _: None,
    report: Report | None = None,
    dialect: Dialect = "lenses",
) -> Report:
    """As `fuzz`, for any way to try a program."""
    report = Report() if report is None else report
    queue = iter(seeds)

    def tried(seed: int) -> tuple[Tried, Counter[str]]:
        refused: Counter[str] = Counter()
        return try_one(draw(seed, refused, dialect)), refused

    with ThreadPoolExecutor(jobs) as pool:
        running: set[Future[tuple[Tried, Counter[str]]]] = {pool.submit(tried, s) for s in islice(queue, 2 * jobs)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                running |= {pool.submit(tried, seed) for seed in islice(queue, 1)}
                one, refused = future.result()
                report.refused.update(refused)
                _add(report, one, say)
    return report


def _add(report: Report, tried: Tried, say: Callable[[str], None]) -> None:
    drawn = tried.drawn
    made_of = kinds(drawn.program, drawn.plan, late=drawn.limits is LATE)
    if tried.left_out is not None:
        report.left_out[tried.left_out] += 1
        report.lacking.update(made_of)
        return
    report.programs += 1
    report.ksql += isinstance(drawn.program, KsqlProgram)
    report.cases += tried.cases
    report.single += tried.single
    report.empty += tried.empty
    report.kinds.update(made_of)
    if tried.difference is not None:
        report.differences.append(tried.difference)
        say(f"{tried.difference}\n")
    if report.programs % 20 == 0:
        say(f"{report.programs} programs, {report.cases} cases, {len(report.differences)} differences")


def attempt(drawn: Drawn, other: Engine, *, shrink: bool, native: bool = False) -> Tried:
    """One program over random cases. `native`: on Spark."""
    plan = drawn.plan
    single = drawn.limits is LATE or cut_matters(plan)
    number = TIMED_CASES if native and timed(plan) else CASES
    empty = False
    lacks = lacking(plan) if native else None
    if lacks is not None:
        return Tried(drawn, number, single, empty, left_out=lacks)
    cases = some_cases(
        plan.inputs, Random(drawn.seed), number, single=single, times=time_columns(plan),
        orderly=order_of_times_matters(plan, native=native),
    )  # fmt: skip
    try:
        wanted = _refused_alike(plan, cases, other)
        if wanted is None:
            return Tried(drawn, number, single, True)
        empty = not any(rows for outcome in wanted for rows in outcome.topics.values())
        if empty and drawn.seed % _EMPTY_KEPT:
            return Tried(drawn, number, single, empty, left_out="gave nothing")
        found = compare.differing(plan, cases, lambda *_: wanted, other)
    except compare.NoReferenceError as unknown:
        return Tried(drawn, number, single, empty, left_out=str(unknown))
    except Exception as error:
        if isinstance(error, LsqlcError) and any(d.code == SERVER_LOST for d in error.diagnostics):
            raise
        return Tried(drawn, number, single, empty, None, _failed(drawn, cases, error))
    if not found:
        return Tried(drawn, number, single, empty)
    case, one, two = found[0]
    program = drawn.program
    if shrink:
        program, case, one, two = _shrunk(drawn, case, other, native=native)
    return Tried(drawn, number, single, empty, None, Difference(drawn.seed, program, case, one, two))


def _refused_alike(plan: Plan, cases: Sequence[Case], other: Engine) -> list[Outcome] | None:
    """What DuckDB gives; None if it refuses a record (one without a time, say), as the other engine then has to."""
    try:
        return default_session().evaluate(plan, cases)
    except LsqlcError as refused:
        with suppress(LsqlcError):
            other(plan, cases)
            raise AssertionError(f"only DuckDB refuses a record: {refused}") from None
        return None


def _failed(drawn: Drawn, cases: Sequence[Case], error: Exception) -> Difference:
    return Difference(drawn.seed, drawn.program, cases[0], "runs", f"{error}\n{traceback.format_exc()[-1500:]}")


def _shrunk(
    drawn: Drawn, case: Case, other: Engine, *, native: bool
) -> tuple[Program | KsqlProgram, Case, Any, Any]:  # fmt: skip
    last: list[tuple[Any, Any]] = []
    in_order = order_of_times_matters(drawn.plan, native=native)

    def finds(plan: Plan, cases: Sequence[Case]) -> Case | None:
        if drawn.limits is not LATE and cut_matters(plan) != cut_matters(drawn.plan):
            return None
        if (native and lacking(plan) is not None) or (not in_order and order_of_times_matters(plan, native=native)):
            return None
        try:
            found = compare.differing(plan, cases, default_session().evaluate, other)
        except Exception:  # what a smaller program does beyond differing is not this difference
            return None
        if not found:
            return None
        last.append(found[0][1:])
        return found[0][0]

    program, case = shrunk(drawn.program, drawn.limits, case, finds)
    return (program, case, *(last[-1] if last else ("differs", "differs")))


@contextmanager
def on_spark(work: Path, environment: dict[str, str]) -> Iterator[Engine]:
    """Spark as an engine: one embedded server, one session on it."""
    from lsqlc.remote.cases import outcomes
    from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
    from lsqlc.remote.session.session import connect

    with EmbeddedServer(work, environment, ServerOptions(memory=MEMORY)) as server:
        spark = connect(server.address)

        def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
            return outcomes.evaluate(spark, work, plan, cases)

        try:
            yield evaluate
        finally:
            spark.stop()
