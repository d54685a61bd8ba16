"""Two versions of models over the same cases, on DuckDB."""

from __future__ import annotations

from collections.abc import Collection

from lsqlc.golden.version_rows import CaseRows, VersionRows
from lsqlc.golden.versions import Readers, Side, compare_rows
from lsqlc.lower.duckdb import evaluate
from lsqlc.plan import Plan
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Topic

from .project import FLIGHTS, plan

LATE = "INSERT INTO late SELECT STREAM id, delay FROM flights WHERE delay > {0};"
CASES = """
cases:
  - name: two
    model: m
    inputs:
      flights:
        - {key: a, value: {id: 1, delay: 5.0, dest: X}, timestamp: 1}
        - {key: b, value: {id: 2, delay: 50.0, dest: X}, timestamp: 2}
  - name: none
    model: m
    inputs: {flights: [{key: a, value: {id: 1, delay: 500.0}}]}
"""


def nobody(models: Collection[str]) -> tuple[()]:
    return ()


def compared(
    old: Plan, new: Plan, *, before: str = CASES, after: str = CASES, readers: Readers = nobody
) -> VersionRows:
    sides = Side({"m": old}, {"tests/c.yml": before}), Side({"m": new}, {"tests/c.yml": after})
    return compare_rows(*sides, evaluate, readers)["m"]


def told(case: CaseRows) -> list[tuple[str, str, str, list[tuple[str, str | None, str | None]]]]:
    """Model, kind, key and cells of each row that differs."""
    return [
        (found.model, row.kind, row.key, [(c.path, c.expected, c.actual) for c in row.cells])
        for found in case.rows
        for topic in found.topics
        for row in topic.rows
    ]


def test_rows_of_a_changed_filter() -> None:
    """The record that no longer passes is missing in the case that has it; the other case is the same."""
    found = compared(plan(LATE.format(1)), plan(LATE.format(10)))
    assert (found.cases, [case.case for case in found.differing]) == (2, ["two"])
    assert told(found.differing[0]) == [("m", "missing", '"a"', [])]
    assert all(row.line is None for case in found.differing for m in case.rows for t in m.topics for row in t.rows)


def test_rows_that_are_the_same() -> None:
    """Another plan that gives the same rows in all cases: none is told."""
    found = compared(plan(LATE.format(1)), plan(LATE.format(2)))
    assert found == VersionRows(2, ())


def test_cells_of_a_column_that_came_and_one_that_went() -> None:
    """A column that one version lacks is a cell without a value on that side; so is a renamed one, twice."""
    new = "INSERT INTO late SELECT STREAM id, delay * 2 AS twice FROM flights WHERE delay > 10;"
    (two, _) = compared(plan(LATE.format(10)), plan(new)).differing
    assert told(two) == [
        ("m", "changed", '"b"', [("value.twice", None, "100.0"), ("value.delay", "50.0", None)]),
    ]


def test_a_table_where_a_stream_was() -> None:
    """Rows meet by key, whatever the topic was."""
    old = plan("INSERT INTO r SELECT STREAM COUNT(*) AS n FROM flights GROUP BY dest")
    new = plan("INSERT INTO r SELECT TABLE COUNT(*) AS n FROM flights GROUP BY dest")
    texts = CASES.replace("key: b", "key: a")
    (two,) = compared(old, new, before=texts, after=texts).differing
    assert told(two) == [("m", "changed", '"X"', [("value.n", "2", "1")])]


def test_a_topic_of_one_version_alone_has_no_rows_to_compare() -> None:
    """That a topic came or went is told elsewhere; what stays is compared."""
    both = "INSERT INTO more SELECT STREAM id FROM flights;" + LATE.format(1)
    assert compared(plan(both), plan(LATE.format(1))).differing == ()
    assert compared(plan(LATE.format(1)), plan(both)).differing == ()


def test_a_case_that_does_not_fit_gives_way_to_the_older_one() -> None:
    """A field that the older version's topic lacks: the case as the older version has it is given to both."""
    short = Topic(FLIGHTS.name, FLIGHTS.key, Facet(parse_columns("id INT, delay DOUBLE"), "json"))
    old = plan(LATE.format(1), topics=(short,))
    without = CASES.replace(", dest: X", "")
    found = compared(old, plan(LATE.format(10)), before=without)
    assert [(case.case, case.origin, told(case)[0][1]) for case in found.differing] == [("two", "older", "missing")]
    alone = compared(old, plan(LATE.format(10)), before="cases: []").differing
    assert [(case.case, case.rows, case.problem) for case in alone] == [
        ("two", (), "its records or expectations do not match the older version")
    ]


def test_each_version_runs_over_its_own_case() -> None:
    """Where a column of the topic was renamed, and in the case with it, neither case fits both versions."""
    named = Topic(FLIGHTS.name, FLIGHTS.key, Facet(parse_columns("id INT, lag DOUBLE"), "json"))
    old = plan(
        LATE.format(1).replace("delay FROM", "lag AS delay FROM").replace("WHERE delay", "WHERE lag"), topics=(named,)
    )
    before = CASES.replace(", dest: X", "").replace("delay", "lag")
    (two,) = compared(old, plan(LATE.format(10)), before=before).differing
    assert (two.origin, told(two)) == ("each", [("m", "missing", '"a"', [])])


def test_cases_that_only_the_older_version_has() -> None:
    """They count where they still fit, and are left out where they do not."""
    found = compared(plan(LATE.format(1)), plan(LATE.format(10)), after="cases: []")
    assert (found.cases, [(case.case, case.origin) for case in found.differing]) == (2, [("two", "older")])
    short = Topic(FLIGHTS.name, FLIGHTS.key, Facet(parse_columns("id INT, delay DOUBLE"), "json"))
    new = plan(LATE.format(10), topics=(short,))
    assert compared(plan(LATE.format(1)), new, after="cases: []") == VersionRows(1, ())


def test_a_case_that_one_version_refuses() -> None:
    """The other cases run all the same, and the reason is told; refused by both, nothing has changed."""
    bad = CASES + "  - {name: bad, model: m, inputs: {flights: [{key: a, raw: '{'}]}}\n"

    def find(old: str, new: str) -> list[tuple[str, str | None]]:
        found = compared(plan(old), plan(new), before=bad, after=bad).differing
        return [(case.case, case.problem and case.problem.partition(":")[0]) for case in found]

    dropping, failing = "SET error.policy = 'continue';" + LATE.format(1), LATE.format(10)
    assert find(dropping, failing) == [("two", None), ("bad", "the newer version rejects it")]
    assert find(failing, dropping) == [("two", None), ("bad", "the older version rejects it")]
    assert find(LATE.format(1), failing) == [("two", None)]


COUNTED = "INSERT INTO counted SELECT STREAM COUNT(*) AS n FROM late GROUP BY id;"


def downstream(text: str, name: str, *above: Plan) -> Plan:
    others = Topic("others", Facet(data.STRING, "string"), Facet(parse_columns("n INT"), "json"))
    return plan(text, name, (FLIGHTS, others, *(topic for each in above for topic in each.outputs)))


def test_rows_downstream() -> None:
    """What a changed model writes goes on through those that read it; each is asked for once, upstream first."""
    old, new = plan(LATE.format(1)), plan(LATE.format(10))
    counted = downstream(COUNTED, "counted", new)
    asked = []

    def readers(models: Collection[str]) -> list[tuple[Plan, Plan]]:
        asked.append(set(models))
        return [(counted, counted)]

    found = compared(old, new, readers=readers)
    assert asked == [{"m"}]
    (two,) = found.differing
    assert told(two) == [("m", "missing", '"a"', []), ("counted", "missing", "1", [])]


def test_no_rows_downstream_of_unknown_topics() -> None:
    """A model that reads a topic of which the case says nothing is left out; without any difference nobody is asked."""
    old, new = plan(LATE.format(1)), plan(LATE.format(10))
    joined = downstream("INSERT INTO j SELECT STREAM late.id, o.n FROM late INNER JOIN others AS o WITHIN 1h", "j", new)
    (two,) = compared(old, new, readers=lambda models: [(joined, joined)]).differing
    assert [m.model for m in two.rows] == ["m"]

    def refuse(models: Collection[str]) -> list[tuple[Plan, Plan]]:
        raise AssertionError(models)

    assert compared(old, plan(LATE.format(2)), readers=refuse).differing == ()
