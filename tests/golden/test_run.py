"""Cases against golden files: statuses, updates, what is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import get_ident

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.golden.cases import LoadedCases, SkippedCase, load_cases
from lsqlc.golden.run import GoldenRun, Goldens, Options, run
from lsqlc.golden.snapshot import golden_text
from lsqlc.lower.duckdb import evaluate as duckdb
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome

from .project import counted, engine, late, load, outcome, plan

PLAN = plan()
CASES = load("cases:\n  - {name: a b, model: m, inputs: {}}\n  - {name: c, model: m, inputs: {}}\n")
OUTCOMES = {"a b": outcome(late(("a", 1, 2.0, 0))), "c": outcome(table=counted(("x", 1, 2.0)))}
FILES = {
    "golden/m/plan.txt": PLAN.tree(),
    "golden/m/a_b.jsonl": golden_text(PLAN, OUTCOMES["a b"]),
    "golden/m/c.jsonl": golden_text(PLAN, OUTCOMES["c"]),
}


def _run(
    files: Mapping[str, str] = FILES,
    outcomes: Mapping[str, Outcome] = OUTCOMES,
    cases: LoadedCases = CASES,
    broken: Sequence[str] = (),
    **options: object,
) -> GoldenRun:
    return run({"m": PLAN}, cases, engine(outcomes), Goldens(files, broken), Options(**options))  # type: ignore[arg-type]


def _statuses(found: GoldenRun) -> dict[str, str]:
    return {result.path.removeprefix("golden/"): result.status for result in found.results}


def test_all_is_as_it_was() -> None:
    """Equal files pass, Windows line ends included, and nothing is written."""
    for files in (FILES, {p: t.replace("\n", "\r\n") for p, t in FILES.items()}):
        found = _run(files)
        assert found.ok and found.writes == {}
        assert _statuses(found) == {"m/plan.txt": "passed", "m/a_b.jsonl": "passed", "m/c.jsonl": "passed"}


def test_a_first_run_writes_and_fails() -> None:
    """Without golden files each is new, written, and a failure that says so."""
    found = _run({})
    assert not found.ok and found.writes == FILES
    assert {r.status for r in found.results} == {"new"} and {r.patch for r in found.results} == {""}
    assert {d.code for r in found.results for d in r.diagnostics} == {"LSQ513"}


def test_an_update_of_the_new_passes() -> None:
    """`new` and `all` write what has no file, without failing; `changed` does not make it right."""
    for update in ("new", "all"):
        found = _run({}, update=update)
        assert found.ok and found.writes == FILES
    assert not _run({}, update="changed").ok


@pytest.mark.parametrize("update", ["none", "all", "new", "changed", "orphaned"])
def test_under_ci_nothing_is_written(update: str) -> None:
    """Whatever is asked for; new files fail with a patch and a way out."""
    files = {"golden/m/c.jsonl": "", "golden/m/old.jsonl": ""}
    found = _run(files, update=update, ci=True)
    assert found.writes == {}
    assert _statuses(found) == {
        "m/plan.txt": "new", "m/a_b.jsonl": "new", "m/c.jsonl": "failed", "m/old.jsonl": "failed",
    }  # fmt: skip
    assert all(r.patch.startswith(("--- ", "diff --git")) and r.diagnostics for r in found.results)
    assert "--update new" in (found.results[0].diagnostics[0].help or "")


def test_a_changed_row_fails_with_cells_and_patch() -> None:
    """Nothing is written, until an update of the changed."""
    changed = {**OUTCOMES, "a b": outcome(late(("a", 1, 3.0, 0)))}
    found = _run(outcomes=changed)
    (result,) = [r for r in found.results if not r.ok]
    assert (result.name, result.status, result.diagnostics[0].code) == ("a b", "failed", "LSQ514")
    assert result.diagnostics[0].span == CASES.cases[0].span
    assert result.differences[0].rows[0].cells[0].path == "value.delay"
    assert result.patch.startswith("--- a/golden/m/a_b.jsonl") and found.writes == {}
    for update, ok in (("changed", True), ("all", True), ("new", False), ("orphaned", False)):
        updated = _run(outcomes=changed, update=update)
        assert updated.ok is ok
        assert updated.writes == ({"golden/m/a_b.jsonl": golden_text(PLAN, changed["a b"])} if ok else {})


def test_last_digits_of_a_double_do_not_fail() -> None:
    """The file is left as it is, even by an update of everything."""
    near = {**OUTCOMES, "a b": outcome(late(("a", 1, 2.0 * (1 + 1e-12), 0)))}
    found = _run(outcomes=near, update="all")
    assert found.ok and found.writes == {}


def test_a_changed_plan_fails() -> None:
    """plan.txt is compared as text, and updated like a golden file."""
    files = {**FILES, "golden/m/plan.txt": "model m\n"}
    (result,) = [r for r in _run(files).results if not r.ok]
    assert (result.kind, result.diagnostics[0].code) == ("plan", "LSQ515") and "-model m\n" not in result.patch
    assert _run(files, update="changed").writes == {"golden/m/plan.txt": PLAN.tree()}


def test_a_model_without_cases_needs_no_plan_file() -> None:
    """But one that is there is compared."""
    none = LoadedCases((), (), ())
    assert _run({}, cases=none).results == ()
    assert _statuses(_run({"golden/m/plan.txt": ""}, cases=none)) == {"m/plan.txt": "failed"}


def test_orphans_fail_and_are_removed_when_asked() -> None:
    """A golden file without case or model, or outside of a model's folder, is an orphan."""
    old = {f"golden/{p}": "x\n" for p in ("m/A_B.jsonl", "m/gone.jsonl", "n/c.jsonl", "n/plan.txt", "top.jsonl")}
    found = _run({**FILES, **old})
    orphans = [r for r in found.results if r.kind == "orphan"]
    assert [r.path for r in orphans] == sorted(old) and all(r.patch and r.status == "failed" for r in orphans)
    assert [r.diagnostics[0].notes[0] for r in orphans] == [
        "the name of the case is 'a b'",
        "no case of 'm' has the name 'gone'",
        "unknown model 'n'",
        "unknown model 'n'",
        "golden files are in folders named after models",
    ]
    for update in ("orphaned", "all"):
        removed = _run({**FILES, **old}, update=update)
        assert removed.ok and removed.writes == dict.fromkeys(old)
    assert _run({**FILES, **old}, orphans=False).ok


def test_a_known_model_keeps_its_files() -> None:
    """Files of a model that was not compiled are no orphans, nor are those of its cases."""
    cases = LoadedCases(CASES.cases, _skipped(), ())
    files = {**FILES, "golden/n/plan.txt": "x", "golden/n/z.jsonl": "x"}
    assert _run(files, cases=cases, models=["n"]).ok


def _skipped() -> tuple[SkippedCase, ...]:
    return load_cases({"t.yml": "cases:\n  - {name: z, model: n}\n"}, {}, models=["n"]).skipped


def test_no_orphans_are_told_while_a_case_cannot_be_read() -> None:
    """Its golden file only seems to be one: an update must not remove it."""
    cases = LoadedCases(CASES.cases, (), (Diagnostic("LSQ508", "a record does not fit"),))
    assert _run({**FILES, "golden/m/gone.jsonl": ""}, cases=cases, update="all").writes == {}


def test_an_engine_error_is_that_of_the_models_cases() -> None:
    """Bad input that evaluation finds fails each case of the model; other models go on."""

    def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        if plan.name == "m":
            raise LsqlcError([Diagnostic("LSQ430", "no")])
        return [outcome()]

    other = plan(name="n")
    cases = load(
        "cases:\n  - {name: a, model: m, inputs: {}}\n  - {name: a, model: n, inputs: {}}\n", {"m": PLAN, "n": other}
    )
    found = run({"m": PLAN, "n": other}, cases, evaluate, Goldens({}), Options(update="new"))
    assert _statuses(found) == {
        "m/plan.txt": "updated", "m/a.jsonl": "error", "n/plan.txt": "updated", "n/a.jsonl": "updated",
    }  # fmt: skip
    assert found.results[1].diagnostics[0].code == "LSQ430" and "golden/m/a.jsonl" not in found.writes


def test_a_broken_golden_file_is_told_and_can_be_written_anew() -> None:
    """A line that is no JSON is a finding with file and line, beside the patch; so is a file that cannot be read."""
    files = {**FILES, "golden/m/c.jsonl": "{\n"}
    (result,) = [r for r in _run(files).results if not r.ok]
    assert [(d.code, d.span.path if d.span else "") for d in result.diagnostics] == [
        ("LSQ514", "tests/c.yml"),
        ("LSQ510", "golden/m/c.jsonl"),
    ]
    assert result.patch and _run(files, update="changed").ok
    # The rows are all there, and a line that is none beside them.
    marked = {**FILES, "golden/m/c.jsonl": FILES["golden/m/c.jsonl"] + "=======\n"}
    assert [r.status for r in _run(marked).results] == ["passed", "passed", "failed"]
    unreadable = {p: t for p, t in FILES.items() if p != "golden/m/c.jsonl"}
    (result,) = [r for r in _run(unreadable, broken=["golden/m/c.jsonl"]).results if not r.ok]
    assert (result.status, result.patch) == ("failed", "")


def test_expect_is_compared_first_and_never_updated() -> None:
    """A case that its own file contradicts fails, and its golden file stays as it is; a left out timestamp is open."""
    text = "cases:\n  - {name: a, model: m, inputs: {}, expect: {late: [{key: a, value: {id: 1, delay: %s}}]}}\n"
    outcomes = {"a": outcome(late(("a", 1, 2.0, 99)), counted(("x", 1, 1.0)))}
    found = _run({}, outcomes, load(text % "3"), update="all")
    assert [(r.name, r.status) for r in found.results] == [("plan.txt", "updated"), ("a", "failed")]
    assert found.results[1].unmet[0].rows[0].cells[0].path == "value.delay" and list(found.writes) == [
        "golden/m/plan.txt"
    ]
    assert _run({}, outcomes, load(text % "2"), update="all").ok


def test_cases_of_a_model_are_evaluated_in_one_call_and_cut_where_they_do_not_say() -> None:
    """`batches` of a case stay; others are cut as the options say."""
    calls: list[list[int]] = []

    def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        calls.append([len(case.batches) for case in cases])
        return [outcome() for _ in cases]

    records = "arrivals: [{topic: flights}, {topic: flights}, {topic: flights}, {topic: flights}]"
    cases = load(
        f"cases:\n  - {{name: a, model: m, {records}}}\n  - {{name: b, model: m, {records}, batches: [2, 2]}}\n"
    )
    for batches in (None, 3):
        run({"m": PLAN}, cases, evaluate, Goldens({}), Options(batches=batches))
    assert calls == [[1, 2], [3, 2]]


def test_fail_fast_stops_after_a_model_with_a_failure() -> None:
    """Later models are not evaluated, and orphans not looked for."""
    other = plan(name="n")
    cases = load(
        "cases:\n  - {name: a, model: m, inputs: {}}\n  - {name: a, model: n, inputs: {}}\n", {"m": PLAN, "n": other}
    )
    found = run({"m": PLAN, "n": other}, cases, engine({"a": outcome()}), Goldens({}), Options(fail_fast=True))
    assert {r.model for r in found.results} == {"m"}


def test_with_duckdb() -> None:
    """Real cases on the real engine: a first run, a second one, and a changed model."""
    cases = load(
        "cases:\n  - name: two\n    model: m\n    inputs:\n      flights:\n"
        "        - {key: a, value: {id: 1, delay: 2, dest: JFK}, timestamp: 7}\n"
        "        - {key: b, value: {id: 2, delay: 1, dest: JFK}}\n"
        "    expect: {counted: [{key: JFK, value: {n: 2, mean: 1.5}}]}\n"
    )
    first = run({"m": PLAN}, cases, duckdb, Goldens({}))
    assert first.writes["golden/m/two.jsonl"] == (
        '{"topic":"late","key":"a","value":{"id":1,"delay":2.0},"timestamp":7}\n'
        '{"topic":"counted","key":"JFK","value":{"n":2,"mean":1.5}}\n'
    )
    files = {path: text for path, text in first.writes.items() if text is not None}
    assert run({"m": PLAN}, cases, duckdb, Goldens(files)).ok
    from .project import BOTH

    changed = plan(BOTH.replace("delay > 1;", "delay >= 1;"))
    again = run({"m": changed}, cases, duckdb, Goldens(files))
    assert [(r.kind, r.status) for r in again.results] == [("plan", "failed"), ("case", "failed")]
    assert [(r.kind, r.key) for r in again.results[1].differences[0].rows] == [("unexpected", '"b"')]


def test_models_side_by_side() -> None:
    """Several workers give the same results in the same order, an error of one model stays its own, and after a failure
    that ends the run no more models follow.
    """
    names = [f"m{number:03}" for number in range(60)]
    plans = {name: replace(PLAN, name=name) for name in names}
    text = "".join(f"  - {{name: c, model: {name}, inputs: {{}}}}\n" for name in names)
    loaded = load_cases({"tests/c.yml": "cases:\n" + text}, plans, models=names)
    threads = set()

    def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        threads.add(get_ident())
        if plan.name == "m030":
            raise LsqlcError([Diagnostic("LSQ430", "bad")])
        return [OUTCOMES["c"] for _ in cases]

    one, two = (run(plans, loaded, evaluate, Goldens({}), Options(ci=True, workers=n)) for n in (1, 3))
    assert one == two and [r.model for r in one.results] == sorted([*names, *names])
    assert [r.model for r in two.results if r.status == "error"] == ["m030"]
    assert len(threads) > 1
    first = run(plans, loaded, evaluate, Goldens({}), Options(ci=True, workers=3, fail_fast=True))
    assert {r.model for r in first.results} == {"m000"}
