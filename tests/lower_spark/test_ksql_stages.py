"""What programs of ksqlDB become on Spark, without a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import lsqlc
from lsqlc.lower.spark import NEWEST, OLDEST, lower, unsupported
from lsqlc.lower.spark.steps import View, Watermark
from tests.corpora.ksql import load, statements
from tests.corpora.parameters import parameters
from tests.corpora.verdict import corpus
from tests.differential.test_ksql_engines import PROGRAMS, plan_of
from tests.each import each
from tests.ksql.programs import SOURCES
from tests.lower_spark.test_versions import most_arguments

PATH = corpus("ksql_cases.json")
CASES = [case for case in load(PATH) if not case["negative"]] if PATH.is_file() else []


@pytest.mark.parametrize("case", parameters(PATH, CASES, {}))
def test_every_case_of_ksqldb_has_a_form(case: Mapping[str, Any]) -> None:
    """Nothing that ksqlDB's own tests ask for is left out."""
    assert unsupported(lsqlc.compile("\n".join(statements(case)), dialect="ksql")) == ()


@each("name", PROGRAMS)
def test_old_servers_are_asked_for_nothing_new(name: str) -> None:
    """No third argument of `max_by`, no `approx_top_k`."""
    plan = lower(plan_of(name), server=OLDEST)
    assert most_arguments(plan) <= 2
    assert not any("approx_top_k" in step.sql for s in plan.stages for step in s.steps if isinstance(step, View))
    assert lower(plan_of(name), server=NEWEST) == lower(plan_of(name))


@pytest.mark.parametrize("window", ["TUMBLING (SIZE 1 HOUR)", "HOPPING (SIZE 1 HOUR, ADVANCE BY 1 MINUTE)"])
def test_a_window_under_emit_final_is_written_once(window: str) -> None:
    """In append mode; without the words whenever it changes."""
    program = f"CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM orders WINDOW {window} GROUP BY id {{}};"
    modes = []
    for words in ("EMIT FINAL", "EMIT CHANGES"):
        (stage,) = lower(lsqlc.compile(SOURCES + program.format(words), dialect="ksql")).stages
        modes.append(stage.write.mode)
    assert modes == ["append", "update"]


def test_what_an_eager_join_keeps_is_bounded_by_time() -> None:
    """By WITHIN on both sides and the grace, of which there is a day in all: the watermark forgets the rest."""
    (stage,) = lower(plan_of("eager left")).stages
    (watermark,) = (step for step in stage.steps if isinstance(step, Watermark))
    assert watermark.delay == 86_400_000 + 2_000
    assert len(stage.sources) == 1
    assert stage.write.mode == "update"


def test_a_source_is_asked_for_places_where_a_query_reads_them() -> None:
    """A query that does not gets none."""
    asked = {n: [s.places for stage in lower(plan_of(n)).stages for s in stage.sources] for n in PROGRAMS}
    assert {n for n, places in asked.items() if any(places)} == {n for n in PROGRAMS if n.startswith("places")}
