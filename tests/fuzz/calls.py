"""`python -m tests.fuzz.calls`: every function of every dialect, called with arguments at their limits.

A call compiles to a plan or ends in diagnostics. The plan has a form on both engines, and DuckDB evaluates it to values
of the type that the plan declares; with `--engine spark`, Spark evaluates it to the same. Many calls make one program,
which is halved until the call is found that is wrong.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby
from multiprocessing import get_context
from random import Random
from typing import Literal

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.dialects import NAMES, DialectName
from lsqlc.functions import catalogue
from lsqlc.functions.signature import Aggregate, Function
from lsqlc.lower import spark
from lsqlc.plan import Plan
from lsqlc.types import codec
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Record
from tests.functions.engines import same
from tests.fuzz.call_arguments import DDL, argument, ksql_ddl, records
from tests.fuzz.quoting import escaped

Engine = Literal["duckdb", "spark"]
# Calls in one program.
TOGETHER = 60
# Times are from 1970 to 9999.
_NOW = 1_700_000_000_000
_TOPIC = lsqlc.Topic("t", key="INT", value=DDL)
_OPERATORS = ("+", "-", "*", "/", "%", "=", "<>", "<", ">=", "AND", "OR", "||", "LIKE", "IN", "BETWEEN", "[]", "NOT",
              "NEG", "IS NULL", "IS DISTINCT FROM", "CASE", "CAST", "ARRAY")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """The text of one expression. `aggregated`: it is an aggregate's, of a query with GROUP BY."""

    seed: int
    dialect: DialectName
    text: str
    aggregated: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A call that breaks a promise; `what` says which."""

    call: Call
    what: str

    def __str__(self) -> str:
        return f"seed {self.call.seed} ({self.call.dialect}): {self.what}\n  {self.call.text[:1_000]}"


@dataclass(slots=True)
class Report:
    """What a run has seen. `ends`: how many calls gave values, or were refused, by the first code."""

    calls: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)


@cache
def _callable(dialect: DialectName) -> tuple[Function | Aggregate, ...]:
    return (*catalogue.functions(dialect), *catalogue.aggregates(dialect))


def drawn(seed: int) -> Call:
    """The call of a seed. Each dialect's functions take turns."""
    dialect = NAMES[seed % len(NAMES)]
    random, turn = Random(seed), seed // len(NAMES)
    if turn % 10 == 9:
        return Call(seed, dialect, _operation(random, dialect))
    known = tuple(f for f in _callable(dialect) if f.name != "AS_NON_NULLABLE")
    function = known[(turn - turn // 10) % len(known)]
    most = len(function.parameters) + 2 if function.most is None else function.most
    count = random.randint(function.least, most)
    if isinstance(function, Function) and function.repeats > 1:
        count += (len(function.parameters) - count) % function.repeats
    count = max(function.least, count)
    texts, like = [], None
    for index in range(count):
        text, column = argument(random, dialect, function.parameter(index), like)
        like = like or column
        texts.append(text)
    return Call(seed, dialect, f"{function.name}({', '.join(texts)})", isinstance(function, Aggregate))


def _operation(random: Random, dialect: DialectName) -> str:
    """An operator between arguments."""
    anything = catalogue.functions("lenses")
    value = next(p for f in anything for p in f.parameters if p.accepts == "any")
    one, like = argument(random, dialect, value, None)
    two, _ = argument(random, dialect, value, like)
    three, _ = argument(random, dialect, value, like)
    match random.choice(_OPERATORS):
        case "IN":
            return f"{one} IN ({two}, {three})"
        case "BETWEEN":
            return f"{one} BETWEEN {two} AND {three}"
        case "[]":
            return f"{one if one != 'NULL' else 'c_ints'}[{two}]"
        case "NOT":
            return f"NOT {one}"
        case "NEG":
            return f"- {one}"
        case "IS NULL":
            return f"{one} IS NULL"
        case "CASE":
            return f"CASE WHEN {one} IS NULL THEN {two} ELSE {three} END"
        case "CAST":
            types = (
                "INT",
                "BIGINT",
                "DOUBLE",
                "DECIMAL(38,38)",
                "DECIMAL(1,0)",
                "STRING",
                "DATE",
                "TIMESTAMP",
                "BOOLEAN",
            )
            return f"CAST({one} AS {random.choice(types)})"
        case "ARRAY":
            listed = f"{one}, {two}, {three}"
            return f"ARRAY({listed})" if dialect == "sql" else f"{'ARRAY' * (dialect == 'ksql')}[{listed}]"
        case operator:
            return f"{one} {operator} {two}"


def _program(dialect: DialectName, calls: Sequence[Call]) -> tuple[str, int]:
    """A program with a call on each line, and the number of the first line that has one."""
    lines = ",\n".join(f"{call.text.replace(chr(10), ' ')} AS r{n}" for n, call in enumerate(calls))
    aggregated = calls[0].aggregated
    match dialect:
        case "lenses":
            return f"SELECT STREAM\n{lines}\nFROM t{' GROUP BY c_boolean' if aggregated else ''}", 2
        case "sql":
            key = "c_boolean,\n" if aggregated else ""
            return f"SELECT {key}\n{lines}\nFROM t{' GROUP BY c_boolean' if aggregated else ''}", 3 if aggregated else 2
        case _:
            source = f"CREATE STREAM t (k INT KEY, {ksql_ddl()}) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
            made = "CREATE TABLE" if aggregated else "CREATE STREAM"
            key = "c_int" if aggregated else "k"
            end = " GROUP BY c_int" if aggregated else ""
            return f"{source}\n{made} o WITH (KAFKA_TOPIC = 'result') AS SELECT {key},\n{lines}\nFROM t{end};", 3


def compiled(dialect: DialectName, calls: Sequence[Call], report: Report) -> tuple[Plan | None, list[Call]]:
    """The plan of the calls that compile, and these. The others are counted."""
    left = list(calls)
    while left:
        text, first = _program(dialect, left)
        try:
            topics = [] if dialect == "ksql" else [_TOPIC]
            return lsqlc.compile(text, dialect=dialect, topics=topics), left
        except lsqlc.CompileError as refused:
            found = [d for d in refused.diagnostics if d.is_error]
            codes = {(d.line or 0) - first: d.code for d in reversed(found)}
            wrong = {number for number in codes if 0 <= number < len(left)}
            if not wrong:
                raise
            for number in wrong:
                report.ends[codes[number]] += 1
            left = [call for number, call in enumerate(left) if number not in wrong]
    return None, []


def _attempt(dialect: DialectName, calls: Sequence[Call], report: Report, engine: Engine) -> str | list[Fault]:
    """What is wrong with a program of these calls, or with single ones."""
    try:
        plan, left = compiled(dialect, calls, report)
        if plan is None:
            return []
        runs = not spark.unsupported(plan)
        if runs:
            spark.lower(plan)
        if any(escaped(plan)):
            return "a text becomes SQL"
        upper = dialect == "ksql"
        given = [Record("t", n % 3, value, _NOW + n) for n, value in enumerate(records(upper))]
        rows = lsqlc.evaluate(plan, given, now=_NOW)
        (topic,) = plan.outputs
        assert rows[topic.name]
        for record in rows[topic.name]:
            if (bad := _unfit(topic.value.type, record.value)) is not None:
                return bad
        found: list[Fault] = []
        if engine == "spark" and runs:
            other = lsqlc.evaluate(plan, given, now=_NOW, engine="spark")
            found = list(_differences(left, rows[topic.name], other[topic.name]))
    except LsqlcError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {where.name}: {error}"[:1_500]
    report.ends["values"] += len(left)
    return found


def _differences(calls: Sequence[Call], ours: Sequence[Record], theirs: Sequence[Record]) -> Iterator[Fault]:
    """The calls of a program of which the engines give different values."""
    if len(ours) != len(theirs):
        yield Fault(calls[0], f"{len(ours)} rows on DuckDB, {len(theirs)} on Spark")
        return
    for number, call in enumerate(calls):
        name = f"R{number}" if call.dialect == "ksql" else f"r{number}"
        for one, other in zip(ours, theirs, strict=True):
            if not same(one.value[name], other.value[name]) and not _is_of_clock(call):
                yield Fault(call, f"DuckDB {one.value[name]!r}, Spark {other.value[name]!r}"[:300])
                break


def _is_of_clock(call: Call) -> bool:
    """Whether a call is of a function of the time of evaluation, which Spark's own clock gives."""
    function = catalogue.scalar(call.text.split("(")[0], call.dialect)
    return function is not None and (function.clock or call.text == "UNIX_TIMESTAMP()" or call.text == "UNIX_DATE()")


def _unfit(type: DataType, value: object) -> str | None:
    """What is wrong with a value of a result."""
    try:
        codec.checker(type, strict=True)(value)
    except codec.ValueProblems as problems:
        return f"not of its type: {problems}"
    if isinstance(type, Struct) and isinstance(value, dict):
        null = [f.name for f in type.fields if not f.nullable and value[f.name] is None]
        if null:
            return f"null, against its type: {null}"
    return None


def _faults(dialect: DialectName, calls: Sequence[Call], report: Report, engine: Engine) -> Iterator[Fault]:
    what = _attempt(dialect, calls, report, engine)
    if isinstance(what, list):
        yield from what
        return
    if len(calls) == 1:
        yield Fault(calls[0], what)
        return
    middle = len(calls) // 2
    yield from _faults(dialect, calls[:middle], report, engine)
    yield from _faults(dialect, calls[middle:], report, engine)


def _group(seeds: Sequence[int], engine: Engine = "duckdb") -> Report:
    """The calls of some seeds, in as few programs as there are kinds."""
    report = Report(calls=len(seeds))
    calls = sorted((drawn(seed) for seed in seeds), key=lambda c: (c.dialect, c.aggregated, c.seed))
    for (dialect, _), group in groupby(calls, key=lambda c: (c.dialect, c.aggregated)):
        report.faults += _faults(dialect, list(group), report, engine)
    return report


def calls(
    seeds: Sequence[int], *, engine: Engine = "duckdb", jobs: int = 1, say: Callable[[str], None] = lambda _: None
) -> Report:
    """Try the call of each seed. `jobs`: processes at a time."""
    report = Report()
    size = TOGETHER * len(NAMES)
    groups = [seeds[n : n + size] for n in range(0, len(seeds), size)]
    with get_context("fork").Pool(jobs) if jobs > 1 else nullcontext() as pool:
        attempt = partial(_group, engine=engine)
        for part in pool.imap_unordered(attempt, groups) if pool is not None else map(attempt, groups):
            report.calls += part.calls
            report.ends.update(part.ends)
            report.faults += part.faults
            for fault in part.faults:
                say(f"{fault}\n")
    return report


def main() -> int:
    """Print what breaks a promise, and what came of the calls. 1 if something does."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.calls", description=__doc__)
    parser.add_argument("--calls", type=int, default=30_000, help="how many (default: 30,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first call; the next has the next (default: 0)")
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb", help="what DuckDB is held against")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time on DuckDB (default: 2)")
    options = parser.parse_args()
    found = calls(
        range(options.seed, options.seed + options.calls),
        engine=options.engine,
        jobs=options.jobs if options.engine == "duckdb" else 1,
        say=lambda t: print(t, flush=True),
    )
    print(f"what came of them: {dict(found.ends.most_common())}")
    print(f"{found.calls} calls: {len(found.faults)} faults")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
