"""Reports for CI: JUnit, SARIF, annotations, Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lsqlc.diagnostics import Diagnostic, Fix, LsqlcError, Severity, Span
from lsqlc.diagnostics.catalogue import codes
from lsqlc.diagnostics.visible import visible
from lsqlc.golden.cases import load_cases
from lsqlc.golden.run import GoldenRun, Goldens, Options, Result, run
from lsqlc.lint import apply_fixes
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.report.command_result import CommandResult
from lsqlc.report.findings import all_findings, repository_path
from lsqlc.report.github import annotation_lines
from lsqlc.report.junit import junit_xml
from lsqlc.report.markdown import build_markdown
from lsqlc.report.sarif import sarif_log
from lsqlc.types.record import Case, Outcome, Record

CASES = "cases:\n  - {name: one, model: late, inputs: {}}\n  - {name: two, model: late, inputs: {}}\n"
PLACE = Span("models/late.sql", 2, 3, 2, 7)


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
    return [Outcome({"late": (Record("late", "a", {"id": 1}),)}) for _ in cases]


def _run(compilation: Compilation, files: dict[str, str]) -> GoldenRun:
    cases = load_cases({"tests/c.yml": CASES}, compilation.plans)
    return run(compilation.plans, cases, _evaluate, Goldens(files), Options(ci=True))


def _good(compilation: Compilation) -> dict[str, str]:
    cases = load_cases({"tests/c.yml": CASES}, compilation.plans)
    writes = run(compilation.plans, cases, _evaluate, Goldens({}), Options(update="all")).writes
    return {p: t for p, t in writes.items() if t is not None}


def _finding(message: str = "wrong", span: Span | None = PLACE, **more: Any) -> Diagnostic:
    return replace(Diagnostic("LSQ201", message, span), **more)


# JUnit


def _junit(compilation: Compilation | None, found: GoldenRun | None, **more: Any) -> ElementTree.Element:
    text = junit_xml(CommandResult(compilation, found, **more), {"tests/c.yml": CASES}, command="build")
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites" and {s.tag for s in root} == {"testsuite"}
    for level, cases in ((root, root.findall("*/testcase")), *((s, s.findall("testcase")) for s in root)):
        # What every reader adds up, counted again.
        assert int(level.attrib["tests"]) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(level.attrib[attribute]) == sum(c.find(tag) is not None for c in cases)
    for case in root.iter("testcase"):
        assert case.attrib["name"] and case.attrib["classname"].startswith("lsqlc.")
        assert {c.tag for c in case} <= {"failure", "error", "skipped", "system-out"}
    return root


def _states(root: ElementTree.Element) -> dict[str, str]:
    return {
        f"{c.attrib['classname']}::{c.attrib['name']}": c[0].tag if len(c) else "passed" for c in root.iter("testcase")
    }


def test_junit_of_a_good_build(tmp_path: Path) -> None:
    """A suite for each model, a case for its compilation, its plan and each golden case; all passed."""
    compilation = _compiled(tmp_path)
    root = _junit(compilation, _run(compilation, _good(compilation)), seconds=1.5, started="2013-01-01T00:00:00+00:00")
    names = ("project::project files", "late::compilation", "late::plan", "late::one", "late::two")
    assert _states(root) == dict.fromkeys((f"lsqlc.{name}" for name in names), "passed")
    assert root.attrib["time"] == "1.500" and root[0].attrib["timestamp"] == "2013-01-01T00:00:00+00:00"


def test_junit_of_all_that_can_go_wrong(tmp_path: Path) -> None:
    """Failed, waiting, differing, new and orphaned, each with its text; a finding of no model is the project's."""
    compilation = _compiled(
        tmp_path, bad="INSERT INTO bad SELECT STREAM idd FROM flights;\n", waits="SELECT STREAM id FROM bad;\n"
    )
    files = _good(compilation) | {"golden/late/gone.jsonl": "", "golden/x/a.jsonl": ""}
    files["golden/late/one.jsonl"] = files["golden/late/one.jsonl"].replace('"id":1', '"id":2')
    del files["golden/late/two.jsonl"]
    elsewhere = _finding("a case is wrong", Span("tests/d.yml", 1, 1, 1, 2))
    root = _junit(compilation, _run(compilation, files), diagnostics=[elsewhere])
    assert _states(root) == {
        "lsqlc.project::project files": "error",
        "lsqlc.bad::compilation": "error",
        "lsqlc.late::compilation": "passed",
        "lsqlc.late::plan": "passed",
        "lsqlc.late::one": "failure",
        "lsqlc.late::two": "failure",
        "lsqlc.late::orphaned golden file gone.jsonl": "failure",
        "lsqlc.waits::compilation": "skipped",
        "lsqlc.x::orphaned golden file a.jsonl": "failure",
    }
    one = root.find(".//testcase[@name='one']/failure")
    assert one is not None and one.attrib["type"] == "LSQ514" and one.text
    assert "value.id  expected 2, found 1" in one.text and "+++ b/golden/late/one.jsonl" in one.text
    case = root.find(".//testcase[@name='one']")
    assert case is not None and (case.attrib["file"], case.attrib["line"]) == ("tests/c.yml", "2")
    bad = root.find("testsuite[@name='bad']/testcase")
    assert bad is not None and bad.attrib["file"] == "models/bad.sql" and "error[LSQ201]" in (bad[0].text or "")


def test_junit_of_a_case_that_cannot_be_evaluated(tmp_path: Path) -> None:
    """An error and no failure."""
    compilation = _compiled(tmp_path)

    def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        raise LsqlcError([_finding("cannot be evaluated")])

    cases = load_cases({"tests/c.yml": CASES}, compilation.plans)
    found = run(compilation.plans, cases, evaluate, Goldens(_good(compilation)), Options(ci=True))
    states = _states(_junit(compilation, found))
    assert states["lsqlc.late::one"] == states["lsqlc.late::two"] == "error"


def test_junit_where_there_is_no_project() -> None:
    """What was found is the project's error."""
    assert _states(_junit(None, None, diagnostics=[_finding(span=None)])) == {"lsqlc.project::project files": "error"}


@given(st.text(st.characters(), min_size=1))
def test_junit_holds_any_text(text: str) -> None:
    """Also what XML cannot hold; what it can comes back as it was."""
    root = _junit(None, None, diagnostics=[_finding(text, None)])
    error = root.find(".//error")
    assert error is not None
    if re.fullmatch("[ -~\u00a0-\ud7ff]+", text):
        assert error.attrib["message"] == text


# SARIF


def test_sarif_has_what_the_specification_asks_for(tmp_path: Path) -> None:
    """Version, tool, rules that results point to, regions and levels (SARIF 2.1.0, sections 3.13 to 3.30)."""
    compilation = _compiled(tmp_path, bad="SELECT STREAM idd, ide FROM flights;\n")
    found = all_findings(compilation, _run(compilation, {}))
    log = sarif_log(found, lsqlc="0.1", prefix="sql/a b")
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    (made,) = log["runs"]
    assert made["columnKind"] == "unicodeCodePoints"
    driver = made["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("lsqlc", "0.1")
    assert [rule["id"] for rule in driver["rules"]] == ["LSQ201", "LSQ513"]
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] == codes()[rule["id"]]
        assert rule["help"]["text"] and rule["help"]["markdown"].startswith("# ")
        assert rule["fullDescription"]["text"] and "```" not in rule["fullDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    assert len(made["results"]) == len(found) == 5
    for result, finding in zip(made["results"], found, strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == finding.code
        assert result["level"] == "error" and result["message"]["text"].startswith(finding.message)
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert finding.span and place["artifactLocation"]["uri"] == f"sql/a%20b/{finding.span.path}"
        assert list(place["region"].values()) == [
            *(finding.span.line, finding.span.column, finding.span.end_line, finding.span.end_column)
        ]


def test_sarif_fixes_are_edits_of_the_text() -> None:
    """Replacing the deleted region by the inserted text is what the fix does."""
    text = "SELECT\n  a AS a\n"
    fix = Fix(Span("m.sql", 2, 4, 2, 9), "")
    (result,) = sarif_log([_finding(fix=fix, severity=Severity.WARNING)], lsqlc="1")["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    (edit,) = change["replacements"]
    assert result["level"] == "warning" and change["artifactLocation"]["uri"] == "m.sql"
    region = edit["deletedRegion"]
    span = Span("m.sql", region["startLine"], region["startColumn"], region["endLine"], region["endColumn"])
    assert apply_fixes(text, [Fix(span, edit["insertedContent"]["text"])]) == ("SELECT\n  a\n", 1)


def test_sarif_of_findings_without_a_place() -> None:
    """They are the project file's, which code scanning needs; without a project they have no location."""
    found = [_finding(span=None), _finding(span=Span("<--vars>", 1, 1, 1, 2))]
    for result in sarif_log(found, lsqlc="1", prefix="sql", otherwise="lsqlc.yml")["runs"][0]["results"]:
        (location,) = result["locations"]
        assert location == {
            "physicalLocation": {"artifactLocation": {"uri": "sql/lsqlc.yml", "uriBaseId": "%SRCROOT%"}}
        }
    assert [r["locations"] for r in sarif_log(found, lsqlc="1")["runs"][0]["results"]] == [[], []]
    assert sarif_log([], lsqlc="1")["runs"][0]["results"] == []


def test_paths_are_the_repository_s() -> None:
    """From its root on; none for what is no file in it."""
    assert repository_path("models/a.sql", "") == "models/a.sql"
    assert repository_path("models/a.sql", "sql/p") == "sql/p/models/a.sql"
    assert repository_path("../seeds/a.csv", "sql/p") == "sql/seeds/a.csv"
    assert repository_path("../a.csv", "") is repository_path("/etc/a", "p") is repository_path("<--vars>", "p") is None


# GitHub


def _read(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as GitHub's runner reads it."""
    found = re.fullmatch("::(\\w+)(?: (.*?))?::([^\r\n]*)", line)
    assert found, line

    def unescaped(text: str, *more: tuple[str, str]) -> str:
        for code, character in (*more, ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, character)
        return text

    pairs = [p.partition("=") for p in (found[2] or "").split(",") if p]
    return (
        found[1],
        {name: unescaped(value, ("%3A", ":"), ("%2C", ",")) for name, _, value in pairs},
        unescaped(found[3]),
    )


def test_an_annotation_has_place_title_and_all_that_is_said() -> None:
    """Columns only where the place is in one line; a finding without a place has neither."""
    finding = _finding(notes=("why",), help="do so")
    (line,) = annotation_lines([finding], prefix="sql")
    place = {"file": "sql/models/late.sql", "line": "2", "col": "3", "endColumn": "7", "endLine": "2"}
    assert _read(line) == ("error", {**place, "title": "lsqlc LSQ201"}, "wrong\nnote: why\nhelp: do so")
    (line,) = annotation_lines([_finding(span=Span("a", 2, 3, 4, 5), severity=Severity.NOTE)])
    assert _read(line)[:2] == ("notice", {"file": "a", "line": "2", "endLine": "4", "title": "lsqlc LSQ201"})
    (line,) = annotation_lines([_finding(span=None, severity=Severity.WARNING)])
    assert line == "::warning title=lsqlc LSQ201::wrong"


@given(st.text(), st.text(st.characters(exclude_characters="/.<\0"), min_size=1))
def test_annotations_hold_any_text(message: str, path: str) -> None:
    """One line each, and the runner reads what was meant: nothing in a name or a message ends the command or begins
    another one.
    """
    (line,) = annotation_lines([_finding(message, Span(path, 1, 1, 1, 2))])
    kind, properties, said = _read(line)
    assert (kind, properties["file"], said) == ("error", visible(path), visible(message))
    assert not re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f]", line), "the log shows it, where it would steer a terminal"


def test_more_than_ten_of_a_kind_are_summed_up() -> None:
    """Ten are shown; of eleven nine, and a tenth names the number and the files of the others. Errors come first."""
    many = [_finding(f"m{n}", Span(f"models/{n}.sql", 1, 1, 1, 2)) for n in range(11)]
    assert [_read(line)[2] for line in annotation_lines(many[:10])] == [f"m{n}" for n in range(10)]
    warning = _finding(severity=Severity.WARNING)
    *shown, last, other = annotation_lines([warning, *many])
    assert [_read(line)[2] for line in shown] == [f"m{n}" for n in range(9)]
    said = "and 2 more errors, in 'models/10.sql', 'models/9.sql'; the log has all of them"
    assert _read(last) == ("error", {"title": "lsqlc"}, said)
    assert other.startswith("::warning ")


# Markdown


def test_markdown_of_a_build(tmp_path: Path) -> None:
    """A heading that says how it went, the counts, then findings and failures; the patch is a diff."""
    compilation = _compiled(tmp_path)
    good = _good(compilation)
    text = build_markdown(
        CommandResult(compilation, _run(compilation, good), seconds=0.5), {}, command="build", ok=True
    )
    assert text == (
        "<!-- lsqlc build -->\n### lsqlc build: passed\n\n- 1 model compiled\n- 2 cases: 2 passed\n- took 0.50 s\n"
    )
    good["golden/late/one.jsonl"] = good["golden/late/one.jsonl"].replace('"id":1', '"id":2')
    text = build_markdown(
        CommandResult(compilation, _run(compilation, good), diagnostics=[_finding(span=None)]),
        {},
        command="test",
        ok=False,
    )
    assert text.startswith("<!-- lsqlc test -->\n### lsqlc test: failed\n")
    assert "\n\n```text\nerror[LSQ201]: wrong\n```\n\n" in text
    assert "<details><summary>case <code>late::one</code></summary>\n\n```text\n" in text
    assert "\n```diff\n--- a/golden/late/one.jsonl\n" in text and text.count("--- a/golden") == 1


def test_markdown_keeps_what_others_wrote_in_code() -> None:
    """Backticks do not end a block, and a file's name is no markup."""
    orphan = Result("orphan", "x", "a", "golden/x/</code>@me\n# b`", "failed")
    text = build_markdown(
        CommandResult(None, GoldenRun((orphan,), {}), diagnostics=[_finding("a\n````\n@me", None)]),
        {},
        command="build",
        ok=False,
    )
    assert "`````text\nerror[LSQ201]: a\n````\n@me\n`````\n" in text
    assert "<code>golden/x/&lt;/code&gt;@me\\n# b`</code></summary>\n" in text


def test_markdown_has_room_in_a_comment() -> None:
    """Above the limit findings are counted; a patch that is too long is left out."""
    found = [_finding(f"{n} " + "x" * 900, None) for n in range(400)]
    text = build_markdown(CommandResult(None, diagnostics=found), {}, command="lint", ok=False)
    shown = text.count("error[LSQ201]")
    assert 50 < shown < 400 and len(text) < 65_536
    assert text.endswith(f"\n\nand {400 - shown} more findings: the log has all of them\n")
    long = Result("plan", "late", "plan.txt", "golden/late/plan.txt", "failed", patch="+x\n" * 9_000)
    text = build_markdown(CommandResult(None, GoldenRun((long,), {})), {}, command="build", ok=False)
    assert len(text) < 1_000 and "`--output json` has it" in text
