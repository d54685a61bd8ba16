"""A case with a bad record fails by itself: the others of its model go on, on every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.golden.cases import load_cases
from lsqlc.golden.evaluation import Evaluate
from lsqlc.golden.run import GoldenRun, Goldens, Options, run
from lsqlc.lower.duckdb import evaluate as duckdb
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome

from .project import outcome, plan

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

LATE = "INSERT INTO late SELECT STREAM id, delay FROM flights"
PLANS = {"m": plan(LATE), "n": plan(LATE, "n")}
CASES = """cases:
  - {name: good, model: m, golden: false, inputs: {flights: [{key: a}]}, expect: {late: [{key: a}]}}
  - name: bad
    model: m
    golden: false
    inputs:
      flights:
        - {key: a, value: {id: 1}}
        - key: b
          raw: '{"id": "x"}'
        - {raw_key: '1', raw: '{'}
    expect: {late: {no_rows: true}}
  - {name: lines, model: m, golden: false, inputs: {flights: bad.jsonl}, expect: {late: {no_rows: true}}}
  - {name: other, model: n, golden: false, inputs: {flights: [{key: a}]}, expect: {late: [{key: a}]}}
"""
LINES = '{"key":"a","value":{"id":1}}\n{"key":"a","raw":"[]"}\n'


def _run(evaluate: Evaluate, plans: Mapping[str, Plan] = PLANS, **options: object) -> GoldenRun:
    cases = load_cases({"tests/c.yml": CASES, "tests/bad.jsonl": LINES}, plans)
    assert not cases.diagnostics
    return run(plans, cases, evaluate, Goldens({}), Options(update="all", **options))  # type: ignore[arg-type]


def _check(found: GoldenRun) -> None:
    cases = {(r.model, r.name): r for r in found.results if r.kind == "case"}
    assert {place: r.status for place, r in cases.items()} == {
        ("m", "good"): "passed", ("m", "bad"): "error", ("m", "lines"): "error", ("n", "other"): "passed",
    }  # fmt: skip
    told = [(d.code, d.span and (d.span.path, d.span.line, d.span.column)) for d in cases["m", "bad"].diagnostics]
    assert told == [("LSQ432", ("tests/c.yml", 10, 16)), ("LSQ432", ("tests/c.yml", 11, 31))]
    first, _ = cases["m", "bad"].diagnostics
    assert "value.id: expected INT, found the string 'x'" in first.message
    assert first.notes[0] == "it is record 2 of the case 'bad'"
    (line,) = cases["m", "lines"].diagnostics
    assert line.span and (line.span.path, line.span.line) == ("tests/bad.jsonl", 2)


def test_on_duckdb() -> None:
    """Each bad record is told at its place in the case file, or in the file of lines that the case names."""
    _check(_run(duckdb))


def test_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    """The same, though Spark itself only says that there is a bad record in some case."""
    from lsqlc.remote.cases.outcomes import evaluate

    _check(_run(lambda plan, cases: evaluate(spark, tmp_path, plan, cases), batches=3))


def test_halves() -> None:
    """A bad case among many costs a few calls; an error of the model itself is not asked for again."""
    text = "".join(f"  - {{name: c{n}, model: m, golden: false, inputs: {{}}, expect: {{}}}}\n" for n in range(64))
    text = text.replace("expect: {}", "expect: {late: {no_rows: true}}")
    cases = load_cases({"tests/c.yml": f"cases:\n{text}"}, {"m": PLANS["m"]})
    assert len(cases.cases) == 64

    def statuses(code: str) -> tuple[list[str], int]:
        calls = []

        def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
            calls.append(len(cases))
            if any(case.name == "c40" for case in cases):
                raise LsqlcError([Diagnostic(code, "no")])
            return [outcome() for _ in cases]

        found = run({"m": PLANS["m"]}, cases, evaluate, Goldens({}), Options(update="all"))
        wrong = [r for r in found.results if r.status == "error"]
        # What the engine does not place has the place of the case.
        assert all(d.span == r.span for r in wrong for d in r.diagnostics)
        return [r.name for r in wrong], len(calls)

    assert statuses("LSQ661") == (["c40"], 13)
    names, calls = statuses("LSQ665")
    assert (len(names), calls) == (64, 1)
