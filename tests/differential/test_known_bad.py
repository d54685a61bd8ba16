"""Lowerings that are wrong on purpose: the comparison of the engines must find each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs

from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import SparkPlan, View
from lsqlc.plan import Plan
from lsqlc.plan.expression import shift
from lsqlc.plan.nodes import Filter, Join, Node, inputs, with_inputs
from lsqlc.remote.cases import outcomes
from lsqlc.types.record import Case, Record
from tests.differential.test_engines import comparable, cut, plan_of
from tests.fuzz.limits import timed
from tests.lower_duckdb.test_reference import some_records

# What is wrong, a program, what its SQL says, and what it is made to say.
BAD = (
    (
        "only the last version of a batch",
        "stream with table on a field",
        "get(newest_batches, 0)) AS versions",
        "slice(get(newest_batches, 0), -1, 1)) AS versions",
    ),
    (
        "a sum is taken back without a count of what it is of",
        "aggregate of a table",
        "if(sum(if(content.argument2 IS NULL, 0L, weight)) = 0, NULL,",
        "if(sum(weight) = 0, NULL,",
    ),
    (
        "a bound is left out",
        "streams, left",
        "BETWEEN l._at - INTERVAL 5 MILLISECONDS AND l._at +",
        "> l._at - INTERVAL 5 MILLISECONDS AND r._at <= l._at +",
    ),
    (
        "pairs never end",
        "tables on fields",
        "if(left_version.end_ordinal IS NOT NULL OR right_version.end_ordinal IS NOT NULL,",
        "if(FALSE,",
    ),
    (
        "a null joins a null",
        "tables on two equalities",
        "if(join_value IS NULL, row_id, NULL)",
        "if(FALSE, row_id, NULL)",
    ),
    ("a row stays unmatched", "tables joined, then grouped", "coalesce(gap.closed_by.began_now, FALSE)", "FALSE"),
    (
        "no row is unmatched again",
        "tables on fields, right",
        "(gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal)",
        "(gap.opens IS NULL OR gap.opens < lone.ordinal)",
    ),
    ("an old row's end counts", "stream with table on a field", "table_event.ordinal >= previous.ordinal", "TRUE"),
    (
        "older rows live on",
        "stream with table on a field",
        "get(table_events, i + 1).ordinal <= table_event.end_ordinal",
        "TRUE",
    ),
    (
        "a moved row stays",
        "stream with table on a field",
        "get(versions, i + 1).ordinal, NULL) AS end_ordinal",
        "NULL, NULL) AS end_ordinal",
    ),
    ("elements stay", "lateral of a table, counted", "version_number + 1 < size(versions)", "FALSE"),
    ("what has left is collected", "collected from a table", "e.weight > 0", "TRUE"),
)

# What random records seldom are: of two rows with one value the older one ends, and only then comes a newer one.
OLDER_ENDS = Case(
    "older",
    (
        (Record("b", "p", {"id": 1, "m": 1, "ref": None}, 0), Record("b", "q", {"id": 1, "m": 2, "ref": None}, 1)),
        (
            Record("b", "p", None, 2),
            Record("a", "k", {"id": 1, "n": 1, "name": None}, 3),
            Record("b", "r", {"id": 1, "m": 3, "ref": None}, 4),
        ),
    ),
)
# As far before the left record as the right one may be, to the millisecond.
AT_THE_BOUND = Case(
    "bound",
    ((Record("b", "p", {"id": 1, "m": 1, "ref": None}, 4),), (Record("a", "q", {"id": 1, "n": 1, "name": None}, 9),)),
)


@pytest.mark.parametrize(("program", "right", "wrong"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_a_wrong_lowering_is_found(
    program: str, right: str, wrong: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a hundred logs and one Spark no longer gives what DuckDB gives."""
    plan = plan_of(program)
    random = Random(program)
    # A query has one watermark, so each case of a plan with one is a query: one that is known to tell.
    cases = (
        [AT_THE_BOUND] if timed(plan) else [Case(str(i), cut(some_records(plan, random), random)) for i in range(100)]
    )
    cases += [OLDER_ENDS] if program == "stream with table on a field" else []
    monkeypatch.setattr(outcomes, "lower", _edited(right, wrong))
    assert _differ(plan, cases, spark, tmp_path)


def test_a_filter_below_an_outer_join_is_found(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WHERE on the side that is optional, applied before the join: rows then stand alone that have no place there."""
    plan = plan_of("tables joined, then filtered by the optional side")
    random = Random(0)
    cases = [Case(str(i), cut(some_records(plan, random), random)) for i in range(20)]
    monkeypatch.setattr(outcomes, "lower", lambda plan, **options: lower(_pushed(plan), **options))
    assert _differ(plan, cases, spark, tmp_path)


def _pushed(plan: Plan) -> Plan:
    """The plan with its condition below the right side of the join."""

    def pushed(node: Node) -> Node:
        if isinstance(node, Filter) and isinstance(node.input, Join):
            join = node.input
            return structs.replace(join, right=Filter(join.right, shift(node.condition, -len(join.left.relations))))
        return with_inputs(node, tuple(map(pushed, inputs(node))))

    (sink,) = plan.sinks
    changed = replace(plan, sinks=(structs.replace(sink, inputs=tuple(map(pushed, sink.inputs))),))
    assert changed != plan
    return changed


def _differ(plan: Plan, cases: Sequence[Case], spark: Any, work: Path) -> bool:
    """Whether Spark gives something else than DuckDB over one of the cases."""
    wanted, got = default_session().evaluate(plan, cases), outcomes.evaluate(spark, work, plan, cases)
    return any(
        comparable(plan, topic, found.topics[topic]) != comparable(plan, topic, rows)
        for expected, found in zip(wanted, got, strict=True)
        for topic, rows in expected.topics.items()
    )


def test_the_end_of_an_older_row_means_nothing(spark: Any, tmp_path: Path) -> None:
    """The newest row of a value goes on being met."""
    plan = plan_of("stream with table on a field")
    (got,) = outcomes.evaluate(spark, tmp_path, plan, [OLDER_ENDS])
    assert [r.value for r in got.topics["out"]] == [{"n": 1, "m": 2}]


def _edited(right: str, wrong: str) -> Callable[..., SparkPlan]:
    """The lowering with other words in its views."""

    def edited(plan: Plan, **options: Any) -> SparkPlan:
        found = lower(plan, **options)
        assert any(right in s.sql for stage in found.stages for s in stage.steps if isinstance(s, View)), right
        return replace(
            found,
            stages=tuple(
                replace(
                    stage,
                    steps=tuple(
                        replace(s, sql=s.sql.replace(right, wrong)) if isinstance(s, View) else s for s in stage.steps
                    ),
                )
                for stage in found.stages
            ),
        )

    return edited
