"""Plans and topics compared: what is a change, what kind of change, and what it asks of readers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import lsqlc
from lsqlc.lower.spark.evolution import queries, verdict
from lsqlc.plan import Plan
from lsqlc.plan.diff import outline, plan_changes
from lsqlc.plan.topic_changes import CATEGORIES, RULES, topic_changes
from lsqlc.types.ddl import parse_type
from lsqlc.types.record import Facet, Topic

DOCS = Path(__file__).parents[2] / "docs" / "reference/diff.md"
ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING, price INT, note STRING")
BASE = "INSERT INTO dear SELECT STREAM item, price FROM orders WHERE price > 10"


def plan(text: str) -> Plan:
    return lsqlc.compile(text, topics=[ORDERS])


def changed(old: str, new: str) -> list[tuple[str, str]]:
    """Kind and class of the nodes that are not the same."""
    found = plan_changes(outline(plan(old)), outline(plan(new)))
    return [(n.kind, str(n.after or n.before).split()[0]) for n in found if n.kind != "same"]


@pytest.mark.parametrize(
    "text",
    [
        BASE.replace(" FROM", "\n  -- why\n  from"),
        "INSERT INTO dear SELECT STREAM o.item, o.price FROM orders AS o WHERE o.price > 10",
        "WITH big AS (SELECT STREAM * FROM orders WHERE price > 10); " + "INSERT INTO dear SELECT STREAM item, price "
        "FROM orders WHERE (price > 10)",
    ],
)
def test_what_only_people_see_is_no_change(text: str) -> None:
    """White space, comments, aliases, parentheses, and a WITH that nobody uses."""
    assert changed(BASE, text) == []


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        (BASE.replace("10", "20"), [("altered", "Filter")]),
        (BASE.replace(" WHERE price > 10", ""), [("removed", "Filter")]),
        (BASE.replace("price FROM", "price + 1 AS price FROM"), [("altered", "Project")]),
        (
            "SET defaults.topic.partitions = 3; " + BASE,
            [("added", "set"), ("altered", "Sink")],
        ),
    ],
)
def test_a_change_shows_at_its_own_node(text: str, nodes: list[tuple[str, str]]) -> None:
    """And not at those above it, in either direction."""
    assert changed(BASE, text) == nodes
    back = {"added": "removed", "removed": "added", "altered": "altered"}
    assert sorted(changed(text, BASE)) == sorted((back[kind], node) for kind, node in nodes)


def test_every_node_is_told() -> None:
    """The plan as it is, with the depth of its tree, so that what changed has its place."""
    new = plan(BASE.replace("10", "20"))
    found = plan_changes(outline(plan(BASE)), outline(new))
    assert [f"{'  ' * n.depth}{n.after}" for n in found] == new.tree().splitlines()[1:]
    altered = next(n for n in found if n.kind == "altered")
    assert (altered.before, altered.after) == ("Filter [STREAM] price > 10", "Filter [STREAM] price > 20")


def topic(value: str, key: str = "INT", **more: object) -> Topic:
    made = Topic("t", Facet(parse_type(key), "json"), Facet(parse_type(value), "json"))
    return replace(made, **more)  # type: ignore[arg-type]


OLD = topic(
    "STRUCT<a: INT, b: STRING NOT NULL, c: STRUCT<d: INT>, e: ARRAY<STRUCT<f: INT>>>", event_time="a", partitions=2
)
# What each rule about a topic that stays is told of, with a part of what it says.
TOPIC_CASES: dict[str, tuple[Topic, str]] = {
    "topic about": (replace(OLD, description="x"), "description of the topic"),
    "event time": (replace(OLD, event_time=None), "event time a is now of the record"),
    "partitions declared": (replace(OLD, partitions=None), "partitions 2 is now not declared"),
    "partitions": (replace(OLD, partitions=4), "partitions 2 is now 4"),
    "key": (replace(OLD, key=Facet(parse_type("BIGINT"), "json")), "key INT is now BIGINT"),
    "key format": (replace(OLD, key=Facet(parse_type("INT"), "avro")), "key format json is now avro"),
    "value format": (replace(OLD, value=Facet(OLD.value.type, "avro")), "value format json is now avro"),
}
COLUMN_CASES: dict[str, tuple[str, str, str]] = {
    "column added": ("STRUCT<a: INT>", "STRUCT<a: INT, b: INT>", "b INT was added"),
    "column removed": ("STRUCT<c: STRUCT<b: INT, d: INT>>", "STRUCT<c: STRUCT<d: INT>>", "c.b INT was removed"),
    "column renamed": ("STRUCT<a: INT, b: INT>", "STRUCT<a: INT, x: INT>", "b is now called x"),
    "column retyped": ("STRUCT<e: ARRAY<INT>>", "STRUCT<e: ARRAY<BIGINT>>", "e[] INT is now BIGINT"),
    "column order": ("STRUCT<a: INT, b: INT>", "STRUCT<b: INT, a: INT>", "the columns come in another order"),
    "column may be null": ("STRUCT<a: INT NOT NULL>", "STRUCT<a: INT>", "a may now be null"),
    "column never null": ("STRUCT<a: INT>", "STRUCT<a: INT NOT NULL>", "a is now never null"),
}  # fmt: skip


@pytest.mark.parametrize("rule", [*TOPIC_CASES, *COLUMN_CASES])
def test_each_change_of_a_topic_has_its_rule(rule: str) -> None:
    """One change gives one finding, by its rule, in words; no change gives none."""
    if rule in TOPIC_CASES:
        old, (new, words) = OLD, TOPIC_CASES[rule]
    else:
        before, after, words = COLUMN_CASES[rule]
        old, new = topic(before), topic(after)
    found = topic_changes(old, "STREAM", new, "STREAM")
    assert [c.rule for c in found] == [rule] and words in found[0].text and found[0].topic == "t"
    assert topic_changes(new, "STREAM", new, "STREAM") == ()


def test_semantics() -> None:
    """Readers of a STREAM and of a TABLE do different things with the same records."""
    assert [c.rule for c in topic_changes(OLD, "STREAM", OLD, "TABLE")] == ["semantics"]


def test_another_type_under_another_name_is_no_renaming() -> None:
    """Only a column of the same place and type can be the one that was there."""
    found = topic_changes(topic("STRUCT<a: INT, b: INT>"), "STREAM", topic("STRUCT<a: INT, x: STRING>"), "STREAM")
    assert [c.rule for c in found] == ["column removed", "column added"]


def test_the_page_has_every_rule() -> None:
    """With the category that the code gives it, in the same order."""
    told = re.findall(r"^\| `([^`]+)` \| (\w+) \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert told == list(RULES.items())
    assert {category for _, category in told} == set(CATEGORIES)


SUM = "INSERT INTO sums SELECT STREAM item, SUM(price) AS total FROM orders GROUP BY item"


@pytest.mark.parametrize(
    ("old", "new", "standing"),
    [
        (SUM, SUM.replace("SELECT", "-- why\nSELECT"), "continues"),
        (SUM, SUM.replace(" FROM orders", " FROM orders AS o"), "continues"),
        (SUM, SUM.replace("SUM(price)", "SUM(price * 2)"), "needs a new state and a replay"),
        (SUM, SUM.replace(" GROUP", " WHERE price > 1 GROUP"), "needs a new state and a replay"),
        (SUM, f"SET num.stream.threads = 3; {SUM}", "unknown"),
        (
            f"SET num.stream.threads = 3; {SUM}",
            f"SET num.stream.threads = 4; {SUM}",
            "needs a new state and a replay",
        ),
        (SUM, f"SET commit.interval.ms = 900; {SUM}", "continues"),
        (SUM, f"{SUM}; {BASE}", "unknown"),
    ],
)
def test_the_state_continues_with_the_same_queries_alone(old: str, new: str, standing: str) -> None:
    """By the parts that a run compares; with more queries each is called otherwise, and no rule speaks of that."""
    for before, after in ((old, new), (new, old)):
        found = verdict(queries(plan(before)), queries(plan(after)))
        assert found.standing == standing
        assert bool(found.reasons) == (standing != "continues")


def test_a_model_that_spark_cannot_run_has_no_known_state() -> None:
    """Nothing is said of a state that cannot be there, and what cannot be compared is not taken for the same."""
    known = queries(plan(SUM))
    assert verdict(None, known).reasons == ("the old version cannot run on Spark",)
    assert verdict(known, None).reasons == ("the new version cannot run on Spark",)
    assert verdict(None, None).standing == "unknown"
