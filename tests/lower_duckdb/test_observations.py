"""What records reach of a program: outcomes of conditions, branches, joins, groups and windows, by their text."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

import lsqlc
from lsqlc.bind.observed import observed
from lsqlc.bind.trace import Trace
from lsqlc.dialects import dialect
from lsqlc.lower.duckdb import default_session
from lsqlc.search.constants import constants_of
from lsqlc.search.sequences import Sequences
from lsqlc.search.values import Values
from lsqlc.syntax.program import Program
from lsqlc.types.record import Case, Record, Topic
from tests.lanes import sampled
from tests.lower_duckdb.programs import PROGRAMS, TOPICS

_Reached = Mapping[str, tuple[tuple[str, ...], frozenset[str]]]


def reached(text: str, cases: list[Case], language: str = "lenses", topics: Mapping[str, Topic] = TOPICS) -> _Reached:
    """The outcomes that can be reached and those that are, by kind and text, of points that are no columns."""
    parsed, trace = dialect(language).parse(text, "model.sql"), Trace()
    assert parsed.program is not None
    compiled = dialect(language).bind(parsed.program, topics, name="out", trace=trace)
    assert compiled.plan is not None, compiled.diagnostics
    plan, points = observed(parsed.program, compiled.plan, trace, names_of(language, parsed.program))
    outcomes = default_session().observe(plan, cases, points)
    return {
        f"{point.kind} {point.name or text[point.at[0] : point.at[1]]}": (point.outcomes, each)
        for point, each in zip(points, outcomes, strict=True)
    }


def test_cases_can_leave_out_columns_that_are_not_read() -> None:
    """Those that are NOT NULL too, of which the plan before the optimiser has all."""
    topic = lsqlc.Topic("c", key="INT", value="n INT, own INT NOT NULL, part STRUCT<x INT NOT NULL, y INT>")
    text = "INSERT INTO out SELECT STREAM n FROM c WHERE n > 1 AND part.y = 1;"
    topics = {each.name: each for each in lsqlc.compile(text, topics=[topic]).inputs}
    record = Record("c", 1, {"n": 2, "part": {"y": 1}})
    points = reached(text, [Case("", ((record,),))], topics=topics)
    assert points["condition n > 1"][1] == {"true"}


def test_branches_of_constant_conditions_are_outcomes() -> None:
    """Their conditions are no points."""
    text = "INSERT INTO out SELECT STREAM CASE WHEN false THEN 1 WHEN true THEN 2 ELSE 3 END AS x FROM a;"
    ((outcomes, found),) = (each for name, each in reached(text, [Case("", ((a("k"),),))]).items() if "case" in name)
    assert set(outcomes) == {"branch 1", "branch 2", "ELSE"} and found == {"branch 2"}


def names_of(language: str, program: Program) -> set[str]:
    return {source.label for _, sources in dialect(language).outline().selects(program) for source in sources}


def missing(text: str, *records: Record, language: str = "lenses") -> dict[str, set[str]]:
    """The outcomes that records do not reach, without those of columns."""
    points = reached(text, [Case("", (records,))], language)
    left = {name: set(all) - each for name, (all, each) in points.items() if not name.startswith("column")}
    return {name: outcomes for name, outcomes in left.items() if outcomes}


def a(key: str, at: int = 0, **value: object) -> Record:
    return Record("a", key, {"id": None, "n": None, "name": None, **value}, at)


def b(key: str, at: int = 0, **value: object) -> Record:
    return Record("b", key, {"id": None, "m": None, "ref": None, **value}, at)


def gone(topic: str, key: str, at: int = 0) -> Record:
    return Record(topic, key, None, at)


def test_a_condition_is_true_false_and_null() -> None:
    """Each part of AND and OR by itself, and null only where it can be."""
    text = "SELECT STREAM id FROM a WHERE (n > 1 OR name IS NULL) AND NOT id = 3"
    assert missing(text, a("p", n=2, name="x", id=3)) == {
        "condition n > 1": {"false", "NULL"},
        "condition name IS NULL": {"true"},
        "condition id = 3": {"false", "NULL"},
    }
    assert missing(text, a("p", n=2, name="x", id=3), a("p", n=1, id=1), a("p")) == {}


def test_a_branch_is_only_tried_after_those_before_it() -> None:
    text = "SELECT STREAM CASE WHEN n = 1 THEN 'a' WHEN id = 1 AND name = 'b' THEN 'b' ELSE 'c' END AS x FROM a"
    rest = {
        "condition n = 1": {"false", "NULL"},
        "condition id = 1": {"true", "false", "NULL"},
        "condition name = 'b'": {"true", "false", "NULL"},
        "case CASE WHEN n = 1 THEN 'a' WHEN id = 1 AND name = 'b' THEN 'b' ELSE 'c' END": {"branch 2", "ELSE"},
    }
    assert missing(text, a("p", n=1, id=1, name="b")) == rest
    assert missing(text, a("p", n=1), a("p", n=2, id=1, name="b"), a("p", id=2, name="c"), a("p")) == {}


def test_a_case_with_a_subject_has_the_place_of_its_values() -> None:
    text = "SELECT id, CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS x FROM a"
    assert missing(text, a("p", n=1), language="sql")["condition 1"] == {"false", "NULL"}


def test_a_test_for_null_is_a_condition_of_its_own() -> None:
    """Its place can be that of its operand."""
    text = "SELECT id FROM a WHERE n IS NOT NULL AND name IS NULL"
    assert {point for point in missing(text, a("p"), language="sql") if point.startswith("condition")} == {
        "condition n", "condition name",
    }  # fmt: skip


def test_a_condition_of_an_aggregate_and_of_its_groups() -> None:
    text = "SELECT name, COUNT(*) FILTER (WHERE n > 1) AS c FROM a GROUP BY name HAVING COUNT(*) > 1"
    assert missing(text, a("p", name="x", n=2), language="sql") == {
        "condition n > 1": {"false", "NULL"},
        "condition COUNT(*) > 1": {"true"},
        "row a": {"updated", "deleted"},
        "group name": {"emptied", "refilled"},
    }


def test_an_argument_of_coalesce_is_used() -> None:
    text = "SELECT STREAM COALESCE(name, 'x') AS name, COALESCE(n, id) AS n FROM a"
    assert missing(text, a("p", name="x")) == {
        "coalesce COALESCE(name, 'x')": {"argument 2"},
        "coalesce COALESCE(n, id)": {"argument 1", "argument 2"},
    }
    assert missing(text, a("p", name="x", n=1), a("p", id=1), a("p")) == {}


@pytest.mark.parametrize("kind", ["INNER", "LEFT", "OUTER"])
def test_both_sides_of_a_join_have_rows_without_a_match(kind: str) -> None:
    """Also where the join drops them."""
    text = f"SELECT STREAM a.n, b.m FROM a {kind} JOIN b ON a._key = b._key WITHIN 1s"
    name = "join a with b"
    assert missing(text, a("p"), b("p")) == {name: {"unmatched on the left", "unmatched on the right", "late"}}
    late = (a("r", at=10**9), b("r", at=10**9), a("s", at=0))
    assert missing(text, a("p"), b("p"), a("q"), b("r", at=2000), *late) == {}


def test_joins_that_are_not_in_the_text_are_no_points() -> None:
    """Those of queries in expressions."""
    text = "SELECT n, (SELECT MAX(m) FROM b) AS m FROM a"
    assert not any(name.startswith("join") for name in reached(text, [], "sql"))
    text = "SELECT TABLE a.n, b.m FROM a INNER JOIN b"
    assert "join a with b" in reached(text, [])


def test_rows_of_tables_are_updated_and_deleted() -> None:
    text = "SELECT TABLE a.n, b.m FROM a INNER JOIN b ON a._key = b._key"
    first = (a("p"), b("p"))
    assert missing(text, *first)["row a"] == {"updated", "deleted"}
    assert missing(text, *first, a("p", n=1), gone("b", "p")) == {
        "row a": {"deleted"},
        "row b": {"updated"},
        "join a with b": {"unmatched on the right"},
    }


def test_groups_are_emptied_and_refilled() -> None:
    text = "SELECT TABLE COUNT(*) AS c FROM a GROUP BY name"
    rows = {"row a": {"updated"}}
    assert missing(text, a("p", name="x"), gone("a", "p")) == {"group name": {"refilled"}, **rows}
    assert missing(text, a("p", name="x"), gone("a", "p"), a("q", name="x")) == rows


def test_records_lie_at_the_bounds_of_windows() -> None:
    text = "SELECT STREAM COUNT(*) AS c FROM a WINDOW BY TUMBLE 10ms GRACE BY 5ms GROUP BY name"
    bounds = {"at its first millisecond", "at its last millisecond", "late"}
    assert missing(text, a("p", at=5, name="x")) == {"window name": bounds}
    assert missing(text, a("p", at=9, name="x"), a("p", at=10, name="x"), a("p", at=1, name="x")) == {
        "window name": {"late"}
    }
    assert missing(text, a("p", at=19, name="x"), a("p", at=30, name="x"), a("p", at=1, name="x")) == {}
    text = "SELECT STREAM COUNT(*) AS c FROM a WINDOW BY SESSION 10ms GROUP BY name"
    assert missing(text, a("p", at=5, name="x"), a("p", at=15, name="x")) == {
        "window name": {"a millisecond more than the gap apart", "late"}
    }


def test_a_column_is_null_if_the_program_uses_it() -> None:
    text = "SELECT STREAM n FROM a WHERE id > 0"
    points = reached(text, [Case("", ((a("p", id=1),),))])
    assert {name: not each for name, (_, each) in points.items() if name.startswith("column")} == {
        "column a.n": False,
        "column a.id": True,
    }


def test_a_filter_below_leaves_no_null() -> None:
    text = "WITH x AS (SELECT STREAM n, id FROM a WHERE n > 1); SELECT STREAM id FROM x WHERE n < 5 AND id < 5"
    points = reached(text, [])
    assert points["condition n < 5"][0] == ("true", "false")
    assert points["condition id < 5"][0] == ("true", "false", "NULL")


@pytest.mark.parametrize("name", sampled(PROGRAMS, 40))
def test_every_program_can_be_observed(name: str) -> None:
    """Over random records, with outcomes that are expected only, or the branches of a CASE."""
    parsed, trace = dialect("lenses").parse(PROGRAMS[name], "model.sql"), Trace()
    assert parsed.program is not None
    plan = dialect("lenses").bind(parsed.program, TOPICS, name="out", trace=trace).plan
    if plan is None or "EVENTTIME" in PROGRAMS[name].upper():
        return
    whole, points = observed(parsed.program, plan, trace, names_of("lenses", parsed.program))
    constants, random = constants_of(plan, plan), Random(1)
    sequences = Sequences(plan.inputs, constants, random, Values(constants, random))
    outcomes = default_session().observe(whole, [Case(str(n), (sequences.draw(),)) for n in range(20)], points)
    for point, each in zip(points, outcomes, strict=True):
        assert point.kind == "case" or each <= set(point.outcomes)
    assert any(outcomes) or not points
