"""Reports of builds, as text and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.golden.run import GoldenRun, Goldens, Options, run
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.report.command_result import CommandResult
from lsqlc.report.json_report import run_results
from lsqlc.report.text import build_text, duration_text
from lsqlc.types.record import Case, Outcome, Record

CASES = "cases:\n  - {name: one, model: late, inputs: {}}\n  - {name: two, model: late, inputs: {}}\n"
TREE = "golden/late/plan.txt"


def _compiled(folder: Path, **models: str) -> Compilation:
    files = {
        "lsqlc.yml": "name: p\n",
        "models/topics.yml": "topics:\n  - {name: flights, key: STRING, value: 'id INT, delay DOUBLE'}\n",
        "models/late.sql": "INSERT INTO late SELECT STREAM id FROM flights WHERE delay > 1;\n",
        **{f"models/{name}.sql": text for name, text in models.items()},
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    loaded = load_project(folder)
    assert loaded.project is not None
    return compile_project(loaded.project)


def _evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    return [Outcome({"late": (Record("late", "a", {"id": 1}),)}, {"null key": 2}) for _ in cases]


def _cases(compilation: Compilation, text: str = CASES) -> LoadedCases:
    return load_cases({"tests/c.yml": text}, compilation.plans)


def _run(compilation: Compilation, files: dict[str, str], options: Options | None = None) -> GoldenRun:
    return run(compilation.plans, _cases(compilation), _evaluate, Goldens(files), options)


def _good(compilation: Compilation) -> dict[str, str]:
    return {p: t for p, t in _run(compilation, {}).writes.items() if t is not None}


def test_a_good_build_is_two_lines_and_its_time(tmp_path: Path) -> None:
    """Nothing is said of what passed but how much it was, and what went nowhere."""
    compilation = _compiled(tmp_path)
    text = build_text(CommandResult(compilation, _run(compilation, _good(compilation)), seconds=0.4217), {})
    assert text == ("1 model compiled\n2 cases: 2 passed\ndropped records: 4 for null key\ntook 0.42 s")


def test_a_failure_has_place_cells_and_patch(tmp_path: Path) -> None:
    """Finding, rows and patch of each failure, then the counts."""
    compilation = _compiled(tmp_path, bad="SELECT STREAM idd FROM flights;\n")
    files = _good(compilation)
    files["golden/late/one.jsonl"] = files["golden/late/one.jsonl"].replace('"id":1', '"id":2')
    sources = {**compilation.project.texts, "tests/c.yml": CASES}
    text = build_text(CommandResult(compilation, _run(compilation, files)), sources)
    assert "error[LSQ514]: the case 'one' of 'late' does not match its golden file\n" in text
    assert " --> tests/c.yml:2:12\n" in text
    assert "not as in the golden file:\n  late (STREAM): 1 row changed" in text
    assert "      value.id  expected 2, found 1" in text
    assert "patch:\n--- a/golden/late/one.jsonl\n+++ b/golden/late/one.jsonl\n" in text
    assert "1 | SELECT STREAM idd FROM flights;" in text
    assert text.endswith(
        "1 model compiled, 1 failed\n2 cases: 1 passed, 1 failed\ndropped records: 4 for null key\n1 error"
    )


def test_errors_come_before_what_was_skipped(tmp_path: Path) -> None:
    """A model that is skipped comes after the error that is why, also if its file comes first, and after failures."""
    compilation = _compiled(
        tmp_path,
        above="INSERT INTO above SELECT STREAM id FROM wrong;\n",
        wrong="INSERT INTO wrong SELECT STREAM idd FROM flights;\n",
    )
    files = {**_good(compilation), "golden/x/a.jsonl": ""}
    text = build_text(CommandResult(compilation, _run(compilation, files)), compilation.project.texts)
    assert text.index("error[LSQ201]") < text.index("'golden/x/a.jsonl'") < text.index("note[LSQ033]")


def test_a_failure_is_in_colour_only_if_asked(tmp_path: Path) -> None:
    """The row, its cells and the patch have colours in a terminal, and are plain elsewhere."""
    compilation = _compiled(tmp_path)
    files = _good(compilation)
    files["golden/late/one.jsonl"] = files["golden/late/one.jsonl"].replace('"id":1', '"id":2')
    plain, coloured = (
        build_text(CommandResult(compilation, _run(compilation, files)), {}, colour=on) for on in (False, True)
    )
    assert "\x1b" not in plain and re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "expected \x1b[31m2\x1b[0m, found \x1b[32m1\x1b[0m" in coloured
    assert "\x1b[1m--- a/golden/late/one.jsonl\x1b[0m" in coloured


def test_new_changed_and_orphaned_are_counted(tmp_path: Path) -> None:
    """Plans and orphans have a line of their own."""
    compilation = _compiled(tmp_path)
    files = {**_good(compilation), TREE: "", "golden/x/a.jsonl": "", "golden/x/b.jsonl": ""}
    del files["golden/late/two.jsonl"]
    lines = build_text(CommandResult(compilation, _run(compilation, files)), {}).split("\n")
    assert "2 cases: 1 passed, 1 new" in lines and "1 plan changed, 2 orphaned golden files" in lines
    lines = build_text(CommandResult(compilation, _run(compilation, files, Options(update="all"))), {}).split("\n")
    assert "2 cases: 1 passed, 1 updated" in lines and "1 plan updated, 2 orphaned golden files removed" in lines


def test_long_lists_are_capped(tmp_path: Path) -> None:
    """Failures beyond the limit are named, then counted."""
    compilation = _compiled(tmp_path)
    files = {**_good(compilation), **{f"golden/x/{i}.jsonl": "" for i in range(9)}}
    text = build_text(CommandResult(compilation, _run(compilation, files)), {}, limit=3)
    assert text.count("has no case") == 3
    assert "and 6 more failures:\n  orphaned golden file golden/x/3.jsonl\n" in text and "\n  and 3 more\n" in text


def test_a_long_patch_is_left_to_json(tmp_path: Path) -> None:
    """Half a patch does not apply."""
    compilation = _compiled(tmp_path)
    files = {**_good(compilation), TREE: "x\n" * 100}
    found = _run(compilation, files)
    text = build_text(CommandResult(compilation, found), {})
    assert "-x" not in text and "lines; `--output json` shows all of them" in text
    data = run_results(CommandResult(compilation, found), lsqlc="0.1", command="build")
    assert "-x" in data["results"][0]["patch"]


def test_durations() -> None:
    """Short ones are exact, long ones in minutes."""
    assert [duration_text(s) for s in (0.004, 9.994, 12.34, 125.2)] == ["0.00 s", "9.99 s", "12.3 s", "2 min 5 s"]


def test_json_holds_everything(tmp_path: Path) -> None:
    """Versioned, ready for JSON, and with cells as JSON texts; `ok` is what the exit code says."""
    compilation = _compiled(tmp_path)
    good = _good(compilation)
    found = run_results(
        CommandResult(compilation, _run(compilation, good), seconds=1.5), lsqlc="0.1", command="test", engine="duckdb"
    )
    assert found["version"] == 1 and found["ok"] and found["written"] == []
    assert found["models"] == [{"name": "late", "status": "compiled", "selected": True}]
    files = {**good, "golden/late/one.jsonl": good["golden/late/one.jsonl"].replace('"id":1', '"id":2')}
    found = json.loads(
        json.dumps(run_results(CommandResult(compilation, _run(compilation, files)), lsqlc="0.1", command="test"))
    )
    assert not found["ok"]
    (result,) = [r for r in found["results"] if not r["ok"]]
    assert result["differences"][0]["rows"][0]["cells"] == [{"path": "value.id", "expected": "2", "actual": "1"}]
    assert result["diagnostics"][0]["span"] == {
        "path": "tests/c.yml", "line": 2, "column": 12, "end_line": 2, "end_column": 15,
    }  # fmt: skip


def test_a_build_with_an_error_is_not_ok(tmp_path: Path) -> None:
    """An error of a model, or one that is handed in, makes `ok` false."""
    compilation = _compiled(tmp_path, bad="SELECT STREAM idd FROM flights;\n")
    data = run_results(CommandResult(compilation), lsqlc="0.1", command="compile")
    assert not data["ok"] and data["diagnostics"][0]["code"].startswith("LSQ2") and data["results"] == []
    quiet = replace(compilation, diagnostics=())
    assert run_results(CommandResult(quiet), lsqlc="0.1", command="compile")["ok"]
    more = compilation.diagnostics
    assert not run_results(CommandResult(quiet, diagnostics=more), lsqlc="0.1", command="compile")["ok"]
