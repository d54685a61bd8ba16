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

# What cannot pass, and why.
EXPECTED_FAILURES = {"implicit.v3.internal": "columns that Drill's own metadata queries have, and no user's"}


@pytest.mark.parametrize("case", parameters(PATH, CASES, EXPECTED_FAILURES))
def test_a_case_of_drill_passes(case: Mapping[str, Any]) -> None:
    """The same columns, the same filter for the reader, the same values of the path, or an error of the same rule."""
    verdict = judge(case)
    assert verdict.status == "passed", verdict.reason


def test_a_case_that_is_expected_to_fail_is_there() -> None:
    """None is listed that nobody has."""
    assert not CASES or {case["id"] for case in CASES} >= EXPECTED_FAILURES.keys()


MADE: dict[str, Any] = {
    "id": "made", "layer": "scan", "engine": "v2", "projection": ["a"], "options": {}, "provided_schema": None,
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


NESTED: dict[str, Any] = {
    **MADE, "layer": "parse", "projection": ["m.a.b", "m.**", "m.a.c[1]", "m.a.b"], "reader_schema": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        ({"columns": ["m"], "map_all": {"m": True, "m.a": False, "m.a.b": True, "m.z": True, "n": False}}, ""),
        ({"columns": [{"name": "m", "tuple": [{"name": "a", "refcount": 3, "tuple": ["b", "c"]}]}]}, ""),
        ({"columns": [{"name": "m", "tuple": {"a": [{"name": "b", "refcount": 2}, {"name": "c", "dims": 1}]}}]}, ""),
        ({"columns": [{"name": "m", "tuple": [{"a": ["b", "c"]}]}]}, ""),
        ({"columns": [{"name": "m", "tuple": [{"a": ["c"]}]}]}, "columns"),
        ({"columns": [{"name": "m", "tuple": None}]}, ""),
        ({"columns": [{"name": "m", "tuple": ["b"]}]}, "columns"),
        ({"columns": [{"name": "m", "tuple": {"a": ["b"]}}]}, "columns"),
        ({"columns": [{"name": "m", "tuple": [{"name": "a", "tuple": None}]}]}, "columns"),
        ({"columns": [{"name": "m", "tuple": [{"name": "a", "refcount": 2}]}]}, "columns"),
        ({"map_all": {"m.a": True}}, "map_all"),
    ],
)
def test_members_are_compared_at_every_depth(expect: Mapping[str, Any], reason: str) -> None:
    """As names, with what is said of them, or by name; no tuple at all says that all members are wanted."""
    verdict = judge({**NESTED, "expect": expect})
    assert (verdict.status, verdict.reason.startswith(reason)) == ("failed" if reason else "passed", True)


@pytest.mark.parametrize(
    ("members", "reason"),
    [({"n": ["x"]}, ""), ({"n": {"x": "reader"}}, ""), (["n"], ""), ({"n": ["y"]}, "res"), ({"n": ["x", "y"]}, "res")],
)
def test_maps_in_maps_are_resolved_with_their_names(members: Any, reason: str) -> None:
    """The members of each map, by names or with where they come from."""
    inner = {"name": "n", "type": "MAP", "members": ["x", "y"]}
    reader = [{"name": "m", "type": "MAP", "members": [inner, "z"]}]
    verdict = judge(
        {
            **MADE, "layer": "reader", "projection": ["m.n.x"], "reader_schema": reader,
            "expect": {"resolved": [["m", "map", members]]},
        }
    )  # fmt: skip
    assert (verdict.status, verdict.reason.startswith(reason)) == ("failed" if reason else "passed", True)


def test_columns_of_a_wildcard_say_whether_the_schema_has_them() -> None:
    """Those of the path too, which a schema may declare."""
    columns = [{"name": "a", "type": "INT"}, {"name": "f", "type": "VARCHAR", "implicit": "filename"}]
    wanted = [{"name": "a", "has_schema": True}, {"name": "f", "has_schema": True}]
    wanted.append({"name": "dir0", "has_schema": False})
    case = {
        **MADE, "layer": "scan", "projection": ["**", "dir0"], "options": {"implicit": True},
        "provided_schema": {"columns": columns}, "expect": {"output": wanted},
    }  # fmt: skip
    assert judge(case).status == "passed"


@pytest.mark.parametrize(
    ("readers", "expect", "reason"),
    [
        ([["a INT"], ["b VARCHAR NULL", "a INT"]], {"output": ["a INT", "b VARCHAR NULL"], "resolved": True}, ""),
        ([["a INT", "b INT"], ["a INT"]], {"output": ["a INT"]}, "output"),
        ([["a INT"], ["A INT"]], {"error": {"message": "type conflict"}}, "expected"),
        ([["a INT"], ["A INT NULL"]], {"error": {"message": "type conflict", "on_column": "a"}}, ""),
    ],
)
def test_readers_come_one_after_the_other(readers: list[list[str]], expect: Mapping[str, Any], reason: str) -> None:
    """What is expected is what comes after the last one."""
    case = {**MADE, "layer": "tracker", "engine": "v3", "projection": ["**"], "options": {"readers": readers}}
    verdict = judge({**case, "expect": expect})
    assert (verdict.status, verdict.reason.startswith(reason)) == ("failed" if reason else "passed", True)


@pytest.mark.parametrize(
    ("projection", "expect", "reason"),
    [
        ([], {"columns": ["n"], "rows": [[2]]}, ""),
        ([], {"columns": ["n"], "rows": [[1]]}, ""),
        ([], {"columns": ["n"], "rows": [[3]]}, "rows"),
        (["**", "filename"], {"columns": ["columns", "filename"]}, ""),
        (["**", "filename"], {"columns": ["filename", "dir0", "columns"], "values": {"x.csv": {"dir0": None}}}, ""),
        (["**", "filename"], {"columns": ["filename", "dir0", "columns"], "values": {"x.csv": {"dir0": "f"}}}, "val"),
        (["columns[0]"], {"columns": ["dir0"]}, "columns"),
        (["columns", "x"], {"columns": ["columns", "x"]}, "refused"),
    ],
)
def test_a_case_of_sql_runs(projection: list[str], expect: Mapping[str, Any], reason: str) -> None:
    """Over the files of the case, from any folder of it."""
    tree = {"tree": ["f/x.csv", "f/g/y.csv"]}
    verdict = judge(
        {**MADE, "layer": "sql", "engine": "sql", "projection": projection, "options": tree, "expect": expect}
    )
    assert (verdict.status, verdict.reason.startswith(reason)) == ("failed" if reason else "passed", True)


def test_an_option_that_nobody_knows_fails() -> None:
    """It may change what the case means."""
    assert judge({**MADE, "options": {"shuffle": True}, "expect": {}}).status == "failed"


def test_another_rules_error_is_not_the_expected_one() -> None:
    """Each of Drill's messages names its own kinds of faults."""
    assert kinds_of({"contains": "has map elements"}) == {"columns-members"}
    assert kinds_of({"class": "IllegalStateException"}) == {"columns-missing", "type-conflict", "new-column"}
    assert not kinds_of({"class": "UserException"})


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("**", ()),
        ("a", ("a",)),
        ("a.b", ("a", "b")),
        ("a[1][2].x", ("a", 1, 2, "x")),
        ("a.**", ("a", None)),
        ("`a.b`.`c``d`[0]", ("a.b", "c`d", 0)),
    ],
)
def test_a_path_is_read(text: str, steps: tuple[str | int | None, ...]) -> None:
    """Names, indexes and quotes of a projection."""
    assert path(text) == steps


def test_the_command_scores_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m tests.corpora drill PATH` prints totals, and what did not pass by reason."""
    file = tmp_path / "cases.json"
    file.write_text('{"cases": []}', "utf-8")
    assert command.main(["drill", str(file)]) == 0
    assert capsys.readouterr().out.startswith("0 cases")
