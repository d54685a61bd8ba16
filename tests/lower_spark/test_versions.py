"""What older servers lack, and what a plan for them says instead: without a server."""

from __future__ import annotations

import re

from lsqlc.lower.spark import NEWEST, OLDEST, lower
from lsqlc.lower.spark.steps import SparkPlan, View
from tests.differential.test_engines import plan_of
from tests.each import each
from tests.lower_duckdb.programs import PROGRAMS


def arguments(sql: str, name: str) -> list[int]:
    """How many arguments each call of a function has."""
    found = []
    for call in re.finditer(rf"\b{name}\(", sql):
        depth, commas, place = 1, 0, call.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[place], 0)
            commas += sql[place] == "," and depth == 1
            place += 1
        found.append(commas + 1)
    return found


def most_arguments(plan: SparkPlan) -> int:
    views = [step.sql for stage in plan.stages for step in stage.steps if isinstance(step, View)]
    return max((n for sql in views for name in ("max_by", "min_by") for n in arguments(sql, name)), default=0)


@each("name", PROGRAMS)
def test_no_program_asks_an_old_server_for_several_values(name: str) -> None:
    """`max_by` and `min_by` take two arguments before Spark 4.2."""
    plan = plan_of(name)
    assert most_arguments(lower(plan, server=(4, 1))) <= 2
    assert lower(plan, server=(4, 1)) == lower(plan, server=OLDEST)
    assert lower(plan, server=(4, 2)) == lower(plan, server=NEWEST) == lower(plan)


def test_new_servers_are_asked() -> None:
    """So their state keeps no more than the values that are asked for."""
    assert any(most_arguments(lower(plan_of(name))) == 3 for name in PROGRAMS)


def test_what_the_state_keeps_then_is_said() -> None:
    """A second state for the newest version; all values of a group, where other than two of them are asked for."""
    (stage,) = lower(plan_of("aggregate of a table"), server=OLDEST).stages
    assert "the newest of each alone, and how many batches had one" in stage.state
    (stage,) = lower(plan_of("greatest and least"), server=OLDEST).stages
    assert stage.state[-1].endswith("with all its values, which Spark before 4.2 has to keep, growing with updates")
