"""What becomes of records that a ksqlDB program cannot read: SET 'ksql.fail.on.deserialization.error'."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower import duckdb
from lsqlc.plan import Plan
from lsqlc.remote.cases import outcomes
from lsqlc.types.record import Case, Raw, Record

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

SETTING = "ksql.fail.on.deserialization.error"
SKIP, FAIL = f"SET '{SETTING}'='false';", f"SET '{SETTING}'='true';"
SOURCE = """
CREATE STREAM orders (k INT KEY, id INT, item STRING, at BIGINT)
  WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON', TIMESTAMP='at');
"""
QUERIES = """
CREATE STREAM copies AS SELECT k, id FROM orders;
CREATE TABLE counts AS SELECT item, COUNT(*) AS n FROM orders GROUP BY item;
"""
VALUES = (
    '{"ID":1,"ITEM":"a","AT":1}', '{"ID":"x","ITEM":"a","AT":2}', "{", '{"ID":2,"ITEM":"a","AT":-5}',
    '{"ID":4,"ITEM":"a","AT":4}',
)  # fmt: skip
CASE = Case("c", (tuple(Record("orders", n, Raw(value), n) for n, value in enumerate(VALUES)),))


def plan_of(settings: str, queries: str = QUERIES) -> Plan:
    return lsqlc.compile(settings + SOURCE + queries, dialect="ksql", name="out")


def test_false_skips_and_counts() -> None:
    """A record that cannot be read by one query is skipped by all of them, and counted once. Each query counts those
    without a possible time.
    """
    outcome = duckdb.evaluate(plan_of(SKIP), [CASE])[0]
    assert [r.value for r in outcome.topics["COPIES"]] == [{"ID": 1}, {"ID": 4}]
    assert [(r.key, r.value) for r in outcome.topics["COUNTS"]] == [("a", {"N": 2})]
    assert outcome.counts == {"bad record": 4}


@pytest.mark.parametrize("settings", ["", FAIL, SKIP + FAIL, f"{SKIP} UNSET '{SETTING}';"])
def test_true_fails_as_no_setting_does(settings: str) -> None:
    """The last value counts, and UNSET takes it back."""
    with pytest.raises(LsqlcError) as raised:
        duckdb.evaluate(plan_of(settings), [CASE])
    assert {d.code for d in raised.value.diagnostics} == {"LSQ432"}


def test_only_true_and_false_are_values() -> None:
    assert plan_of(f"SET '{SETTING}'='FALSE';").policy == "continue"
    with pytest.raises(lsqlc.CompileError, match="must be true or false, not 'never'") as raised:
        plan_of(f"SET '{SETTING}'='never';")
    assert [d.code for d in raised.value.diagnostics] == ["LSQ321"]


def test_the_policy_is_part_of_the_plan() -> None:
    """So that a change of it is shown, and is no other change of the settings."""
    assert dict(plan_of(SKIP).settings) == {"error.policy": "continue"}
    assert plan_of(SKIP).fingerprint != plan_of("").fingerprint
    assert "error.policy = continue" in plan_of(SKIP).tree()


def test_spark_skips_the_same_records(spark: SparkSession, tmp_path: Path) -> None:
    plan = plan_of(SKIP)
    here = duckdb.evaluate(plan, [CASE])[0]
    there = outcomes.evaluate(spark, tmp_path, plan, [CASE])[0]
    assert list(map(repr, there.topics["COPIES"])) == list(map(repr, here.topics["COPIES"]))
    assert [(r.key, r.value) for r in there.topics["COUNTS"]] == [(r.key, r.value) for r in here.topics["COUNTS"]]
