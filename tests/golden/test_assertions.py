"""What cases assert of the rows that come out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.golden.run import GoldenRun, Goldens, Options, run
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome

from .project import plan

RECORDS = """    inputs:
      flights:
        - {key: A, value: {id: 1, delay: 5, dest: BOS}}
        - {key: B, value: {id: 2, delay: 30, dest: BOS}}
        - {key: C, value: {id: 2, dest: ORD}}
        - {key: D, value: {id: 4, delay: 7}}
"""


def _load(expect: str, *, golden: bool = False, text: str | None = None) -> LoadedCases:
    case = f"cases:\n  - name: a\n    model: m\n    golden: {str(golden).lower()}\n    expect:\n{expect}"
    return load_cases({"tests/c.yml": (text or case) + RECORDS}, {"m": _plan()})


def _plan() -> Plan:
    return plan(
        "INSERT INTO late SELECT STREAM id, delay, dest FROM flights;"
        "INSERT INTO counted SELECT TABLE COUNT(*) AS n FROM flights GROUP BY dest;"
    )


def _run(expect: str) -> GoldenRun:
    loaded = _load(expect)
    assert loaded.diagnostics == ()
    plan_text = {"golden/m/plan.txt": _plan().tree()}
    return run({"m": _plan()}, loaded, evaluate, Goldens(plan_text), Options())


@pytest.mark.parametrize(
    ("asserted", "broken"),
    [
        ("not_null: id", 0),
        ("not_null: [id, _key, _value.id]", 0),
        ("not_null: [id, delay]", 1),
        ("not_null: dest", 1),
        ("unique: _key", 0),
        ("unique: [id, dest]", 0),
        ("unique: id", 2),
        ("unique: dest", 2),
        ("unique: delay", 0),
        ("no_rows: true", 4),
        ("no_rows: false", 0),
        ("no_rows: id > 4", 0),
        ("no_rows: delay > 6", 2),
        ("condition: id > 0", 0),
        ("condition: id > 1", 1),
        ("condition: delay > 1", 1),
        ("condition: delay IS NULL OR delay BETWEEN 5 AND 30", 0),
        ("condition: [id > 0, _key <> 'B']", 1),
        ("condition: \"UPPER(dest) = 'BOS'\"", 2),
        ("rows: [], no_rows: false", 0),
    ],
)
def test_an_assertion_holds_or_names_the_rows_that_break_it(asserted: str, broken: int) -> None:
    """A null does not repeat itself, and satisfies no condition. Each row that breaks the assertion is a note."""
    if asserted.startswith("rows"):
        assert not _run(f"      late: {{{asserted}}}\n").ok
        return
    result = next(r for r in _run(f"      late: {{{asserted}}}\n").results if r.kind == "case")
    assert result.ok is (broken == 0)
    assert [(d.code, len(d.notes), d.line) for d in result.diagnostics] == ([("LSQ525", broken, 6)] if broken else [])


def test_a_failed_assertion_shows_the_row() -> None:
    """The message has the condition, the note the key and the value."""
    result = next(r for r in _run("      late:\n        condition: id < 4\n").results if r.kind == "case")
    (found,) = result.diagnostics
    assert found.message == "'late' has rows for which id < 4 is not true"
    assert found.notes == ('key "D", value {"id":4,"delay":7.0,"dest":null}',)
    assert (found.line, found.column) == (7, 20)


def test_a_table_is_judged_by_its_rows() -> None:
    """Rows of a TABLE are its live rows."""
    assert _run("      counted: {unique: _key, condition: n >= 1, no_rows: n > 2, not_null: n}\n").ok
    assert not _run("      counted: {condition: n = 1}\n").ok


def test_all_that_is_not_met_is_told() -> None:
    """Rows that differ and assertions that fail, of every topic, in one run."""
    expect = "      late: {rows: [], unique: id, condition: id > 1}\n      counted: {no_rows: true}\n"
    result = next(r for r in _run(expect).results if r.kind == "case")
    assert [d.code for d in result.diagnostics] == ["LSQ514", "LSQ525", "LSQ525", "LSQ525"]
    assert [d.topic for d in result.unmet] == ["late"]


def test_beside_a_golden_file() -> None:
    """A case with assertions has a golden file unless it says otherwise; no update covers what is not met."""
    good = _load("      late: {not_null: id}\n", golden=True)
    new = run({"m": _plan()}, good, evaluate, Goldens({}), Options(update="new"))
    assert new.ok and "golden/m/a.jsonl" in new.writes
    bad = _load("      late: {no_rows: true}\n", golden=True)
    kept = run({"m": _plan()}, bad, evaluate, Goldens({}), Options(update="all"))
    assert not kept.ok and "golden/m/a.jsonl" not in kept.writes


def test_without_a_golden_file() -> None:
    """With `golden: false` none is missed, and one that is there is an orphan."""
    loaded = _load("      late: {not_null: id}\n")
    goldens = Goldens({"golden/m/plan.txt": _plan().tree(), "golden/m/a.jsonl": ""})
    found = run({"m": _plan()}, loaded, evaluate, goldens, Options())
    assert [(r.kind, r.ok) for r in found.results] == [("plan", True), ("case", True), ("orphan", False)]


def test_conditions_are_evaluated_by_the_judge() -> None:
    """An engine that only gives rows does not see them."""
    asked: list[str] = []

    def judge(plan: Plan, cases: Sequence[Case]) -> Sequence[Outcome]:
        asked.append(plan.name)
        return evaluate(plan, cases)

    loaded = _load("      late: {condition: id > 0, not_null: id}\n")
    run({"m": _plan()}, loaded, evaluate, Goldens({}), Options(judge=judge))
    assert asked == ["_condition"]


@pytest.mark.parametrize(
    ("asserted", "code", "column"),
    [
        ("not_null: idd", "LSQ523", 24),
        ("not_null: [id, idd]", "LSQ523", 29),
        ("unique: _key.a", "LSQ523", 22),
        ("not_nul: id", "LSQ006", 14),
        ("no_rows: 3", "LSQ007", 23),
        ("condition: id", "LSQ524", 25),
        ("condition: idd > 3", "LSQ201", 25),
        ("condition: id > 3 AND delai > 1", "LSQ201", 36),
        ("condition: id >", "LSQ102", 29),
        ("condition: 'id > 3) AS x, (dest'", "LSQ524", 26),
        ("condition: 'TRUE) AS holds FROM late; INSERT INTO x SELECT STREAM (TRUE'", "", 0),
        ("condition: COUNT(*) > 1", "", 0),
        ("no_rows: delay + 1", "LSQ524", 23),
    ],
)
def test_mistakes_are_told_at_their_words(asserted: str, code: str, column: int) -> None:
    """Also inside of a condition, which is read as the language reads it."""
    found = [(d.code, d.line, d.column) for d in _load(f"      late: {{{asserted}}}\n").diagnostics]
    assert found
    if code:
        assert found == [(code, 6, column)]


def test_a_condition_of_several_lines() -> None:
    """The place is that of the word, line by line."""
    loaded = _load("      late:\n        condition: |\n          id > 0\n          AND idd > 1\n")
    assert [(d.code, d.line, d.column) for d in loaded.diagnostics] == [("LSQ201", 9, 15)]


def test_a_case_that_proves_nothing() -> None:
    """Neither golden file nor expectation."""
    text = "cases:\n  - name: a\n    model: m\n    golden: false\n"
    assert [(d.code, d.line, d.column) for d in _load("", text=text).diagnostics] == [("LSQ527", 4, 5)]
