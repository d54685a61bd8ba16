"""The cases of Drill's own scan tests: all pass, but for those that are listed with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.corpora import __main__ as command
from tests.corpora.drill import judge, load
from tests.corpora.drill_forms import kinds_of, path
from tests.corpora.parameters import parameters
from tests.corpora.verdict import corpus

PATH = corpus("drill_cases.json")
CASES = load(PATH) if PATH.is_file() else []

_TAGS = "the newer framework's tags, which make a declared column an implicit one"
_TRACKER = "the newer framework's tracker, which learns a schema from one reader for the next"
# What cannot pass, and why: the rules are those of the framework that the documents describe.
EXPECTED_FAILURES = {
    "implicit.v3.provided": _TAGS,
    "implicit.v3.provided_err.0": _TAGS,
    "implicit.v3.provided_err.2": _TAGS,
    "implicit.v3.provided_err.3": _TAGS,
    "implicit.v3.provided_err.4": _TAGS,
    "implicit.v3.internal": "the newer framework's internal columns for metadata queries",
    "parse.array_and_map.2.v3": "the newer framework drops the members of an element that is asked for whole",
    "sql.count_where_implicit": "counts records, which takes an engine",
    "tracker.wildcard_no_change": _TRACKER,
    "tracker.wildcard_two_readers": _TRACKER,
}


@pytest.mark.parametrize("case", parameters(PATH, CASES, EXPECTED_FAILURES))
def test_a_case_of_drill_passes(case: Mapping[str, Any]) -> None:
    """The same columns, the same filter for the reader, the same values of the path, or an error of the same rule."""
    verdict = judge(case)
    assert verdict.status == "passed", verdict.reason


def test_only_cases_that_no_document_covers_are_expected_to_fail() -> None:
    """Each is there, and none is of the framework that the documents describe."""
    if CASES:
        listed = [case for case in CASES if case["id"] in EXPECTED_FAILURES]
        assert len(listed) == len(EXPECTED_FAILURES)
        assert {case["engine"] for case in listed} <= {"v3", "sql"}


MADE: dict[str, Any] = {
    "id": "made", "layer": "scan", "projection": ["a"], "options": {}, "provided_schema": None,
    "reader_schema": [{"name": "A", "type": "INT", "mode": "OPTIONAL"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        ({"projection_type": "EXPLICIT", "columns": ["a INT NULL"], "resolved": [["a", "reader", 0]]}, ""),
        ({"projection_type": "WILDCARD"}, "projection_type"),
        ({"columns": ["A INT NULL"]}, "columns"),
        ({"resolved": [["a", "null", 0]]}, "resolved"),
        ({"reader_projected": {"A": False}}, "reader_projected"),
        ({"output": [{"name": "a", "kind": "file"}]}, "output"),
        ({"error": {"message": "Reader and scan column type conflict"}}, "expected"),
        ({"error": {"message": "something else"}}, "no rule"),
        ({"colour": "red"}, "no scan has"),
    ],
)
def test_a_wrong_expectation_fails(expect: Mapping[str, Any], reason: str) -> None:
    """The scorer compares each key, and one that it does not know fails."""
    verdict = judge({**MADE, "expect": expect})
    assert (verdict.status, verdict.reason.startswith(reason)) == ("failed" if reason else "passed", True)


def test_an_option_that_nobody_knows_fails() -> None:
    """It may change what the case means."""
    assert judge({**MADE, "options": {"shuffle": True}, "expect": {}}).status == "failed"


def test_another_rules_error_is_not_the_expected_one() -> None:
    """Each of Drill's messages names its own kinds of faults."""
    assert kinds_of({"contains": "has map elements"}) == {"columns-members"}
    assert kinds_of({"class": "IllegalStateException"}) == {"columns-missing", "type-conflict"}
    assert not kinds_of({"class": "UserException"})


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("**", ()),
        ("a", ("a",)),
        ("a.b", ("a", "b")),
        ("a[1][2].x", ("a", 1, 2, "x")),
        ("`a.b`.`c``d`[0]", ("a.b", "c`d", 0)),
    ],
)
def test_a_path_is_read(text: str, steps: tuple[str | int, ...]) -> None:
    """Names, indexes and quotes of a projection."""
    assert path(text) == steps


def test_the_command_scores_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m tests.corpora drill PATH` prints totals, and what did not pass by reason."""
    file = tmp_path / "cases.json"
    file.write_text('{"cases": []}', "utf-8")
    assert command.main(["drill", str(file)]) == 0
    assert capsys.readouterr().out.startswith("0 cases")
