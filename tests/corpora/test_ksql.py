"""The cases of ksqlDB's own tests: all pass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.corpora import __main__ as command
from tests.corpora.ksql import judge, load
from tests.corpora.ksql_codes import codes_of
from tests.corpora.parameters import parameters
from tests.corpora.verdict import Verdict, corpus, summary

PATH = corpus("ksql_cases.json")
CASES = load(PATH) if PATH.is_file() else []


@pytest.mark.parametrize("case", parameters(PATH, CASES, {}))
def test_a_case_of_ksqldb_passes(case: Mapping[str, Any]) -> None:
    """The same rows, or an error that names the same rule."""
    verdict = judge(case)
    assert verdict.status == "passed", verdict.reason


def test_every_refused_case_has_a_rule() -> None:
    """The table of messages and codes knows the message of each case that must not compile."""
    unknown = [c["id"] for c in CASES if c["negative"] and not codes_of(c["expected_error"] or "")]
    assert not unknown


def test_wrong_rows_and_wrong_errors_fail() -> None:
    """The scorer tells a wrong value, a record too much, a program that compiles and another rule's error apart."""
    create = "CREATE STREAM I (ID INT KEY, V INT) WITH (KAFKA_TOPIC='i', VALUE_FORMAT='JSON');"
    given = {"topic": "i", "key": 1, "key_norm": {"ID": 1}, "value": {}, "value_norm": {"V": 2}, "timestamp": None}
    right = {**given, "topic": "O"}
    case = {
        "id": "made#1", "statements": [create, "CREATE STREAM O AS SELECT * FROM I;"], "inputs": [given],
        "outputs": [right], "negative": False, "expected_error": None, "schemas": [],
    }  # fmt: skip
    assert judge(case).status == "passed"
    assert judge({**case, "outputs": [{**right, "value_norm": {"V": 3}}]}).status == "failed"
    assert judge({**case, "outputs": []}).status == "failed"
    assert judge({**case, "outputs": [right, right]}).status == "failed"
    assert judge({**case, "negative": True, "expected_error": "missing from projection"}).status == "failed"
    broken = {**case, "statements": [create, "CREATE STREAM O AS SELECT V FROM I;"], "negative": True}
    assert judge({**broken, "expected_error": "key missing from projection"}).status == "passed"
    assert judge({**broken, "expected_error": "Comparison with NULL"}).status == "failed"
    assert judge({**broken, "negative": False}).status == "refused"


def test_a_summary_counts_by_topic_and_groups_by_reason() -> None:
    """Totals first, then what did not pass."""
    told = summary([Verdict("a#1", "passed"), Verdict("a#2", "failed", "x"), Verdict("b#1", "refused", "y")])
    assert told.split("\n") == [
        "3 cases: 1 passed, 1 failed, 1 refused",
        "  a: 1 passed, 1 failed",
        "  b: 1 refused",
        "failed: x: 1: a#2",
        "refused: y: 1: b#1",
    ]


def test_the_command_scores_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m tests.corpora ksql PATH`; an unknown corpus is wrong usage."""
    path = tmp_path / "cases.json"
    path.write_text('{"cases": []}', "utf-8")
    assert command.main(["ksql", str(path)]) == 0
    assert capsys.readouterr().out.startswith("0 cases")
    assert command.main(["nothing"]) == 2
