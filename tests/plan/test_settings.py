"""SET: each setting does something that can be seen, or says that it does nothing."""

from __future__ import annotations

import pytest

from lsqlc.bind.lenses.settings import _ANYWAY, _CARRIED, _CLIENT_NAMES, _ENGINE, _ERRORS, _PREFIXES, _TOPIC
from lsqlc.lower.spark import lower, plan_sql
from lsqlc.plan.plan import Plan
from tests.each import each
from tests.fixture_files import compiled

SELECT = "INSERT INTO other SELECT STREAM COUNT(*) AS n FROM orders GROUP BY item"


def plan_of(settings: str) -> tuple[Plan, list[tuple[str, str]]]:
    """The plan of a program with these settings, and codes and messages of what was found."""
    result, found = compiled(f"{settings}\n{SELECT}")
    assert result.plan is not None, found
    return result.plan, [(d.code, d.message) for d in found]


@pytest.mark.parametrize("setting", ["defaults.topic.partitions", "topic.other.partitions", "topic.`other`.partitions"])
def test_partitions_are_those_of_a_topic_that_is_made(setting: str) -> None:
    """The setting of the one topic, or that of all, is in the topic that the program makes."""
    plan, found = plan_of(f"SET {setting} = 3;")
    assert (plan.outputs[0].partitions, found) == (3, [])


def test_a_setting_of_one_topic_goes_before_that_of_all() -> None:
    """Whichever stands first."""
    plan, _ = plan_of("SET topic.other.partitions = 3; SET defaults.topic.partitions = 7;")
    assert plan.outputs[0].partitions == 3


def test_the_name_of_a_topic_may_have_dots_and_hyphens() -> None:
    """What follows it decides where it ends."""
    text = "SET topic.`a.b-c`.partitions = 3; INSERT INTO `a.b-c` SELECT STREAM id FROM orders"
    result, found = compiled(text)
    assert result.plan is not None and result.plan.outputs[0].partitions == 3 and not found


def test_the_interval_of_commits_is_that_of_batches() -> None:
    """In every query of the model, and in its printed plan."""
    plan, found = plan_of("SET commit.interval.ms = 250;")
    lowered = lower(plan)
    assert [s.interval for s in lowered.stages] == [250] and not found
    assert "-- a batch every 250 ms" in plan_sql(lowered)
    assert [s.interval for s in lower(plan_of("")[0]).stages] == [None]


def test_threads_are_partitions_of_the_state() -> None:
    """A query without state has none to part."""
    plan, found = plan_of("SET num.stream.threads = 4;")
    stated = dict(lower(plan).stages[0].settings)
    assert (stated.get("spark.sql.shuffle.partitions"), found) == ("4" if lower(plan).stages[0].state else None, [])
    text = "SET num.stream.threads = 4; SELECT TABLE COUNT(*) AS n FROM orders GROUP BY item"
    table = compiled(text)[0].plan
    assert table is not None
    assert dict(lower(table).stages[0].settings)["spark.sql.shuffle.partitions"] == "4"


@each(
    "setting",
    [
        *(f"defaults.topic.{name} = 'x'" for name, wanted in _TOPIC.items() if wanted == "kafka"),
        *(f"topic.other.{name} = 'x'" for name, wanted in _TOPIC.items() if wanted == "kafka"),
        *(f"{name} = 'x'" for name in (*_ENGINE, *_CLIENT_NAMES)),
        *(f"{prefix}anything.at.all = 'x'" for prefix in _PREFIXES),
        "error.policy.write = 'continue'",
        "processing.guarantee = 'at_least_once'",
        "auto.offset.reset = 'latest'",
    ],
)
def test_what_means_nothing_on_spark_is_said(setting: str) -> None:
    """A finding, and no error: the program moves as it is."""
    key = setting.partition(" =")[0]
    assert plan_of(f"SET {setting};")[1] == [("LSQ803", f"'{key}' has no effect on Spark and is ignored")]


@pytest.mark.parametrize(
    "setting", [*(f"{k} = '{v}'" for k, values in _ANYWAY.items() for v in values), "error.policy.write = 'fail'"]
)
def test_what_holds_anyway_is_no_finding(setting: str) -> None:
    """The setting asks for what is done in any case."""
    assert plan_of(f"SET {setting};")[1] == []


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ("SET topic.othr.partitions = 3;", "topic.othr.partitions"),
        ("SET defaults.topic.partitions = 3; SET defaults.topic.partitions = 4;", "defaults.topic.partitions"),
        ("SET dead.letter.queue = 'bad';", "dead.letter.queue"),
        ("SET error.policy = 'continue'; SET dead.letter.queue = 'bad';", "dead.letter.queue"),
        ("SET error.policy = 'continue'; SET error.policy.read = 'fail';", "error.policy"),
    ],
)
def test_what_changes_nothing_is_said(settings: str, key: str) -> None:
    """The setting is known, and the program has no use for it."""
    assert plan_of(settings)[1] == [("LSQ850", f"'{key}' has no effect here")]


def test_a_declared_topic_is_not_made() -> None:
    """So that the number of its partitions is not for the program to set."""
    select = "INSERT INTO payments SELECT STREAM id AS order_id, amount AS paid FROM orders"
    text = f"SET topic.payments.partitions = 3; {select}"
    assert [d.code for d in compiled(text)[1]] == ["LSQ850"]


def test_every_error_setting_is_known() -> None:
    """Together they make a policy; the last of one name counts."""
    assert set(_ERRORS) == {"error.policy", "error.policy.read", "error.policy.write", "dead.letter.queue"}
    plan, found = plan_of("SET error.policy.read = 'DLQ'; SET dead.letter.queue = 'bad';")
    assert (plan.policy, plan.outputs[-1].name, plan.semantics["bad"], found) == ("dlq", "bad", "STREAM", [])
    assert plan_of("")[0].policy == "fail" and plan_of("")[0].dead_letters is None
    assert set(_CARRIED) == {"commit.interval.ms", "num.stream.threads"}
