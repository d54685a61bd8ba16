"""What of a stage its state depends on, and what may be edited behind it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.checkpoint_parts import stage_parts
from lsqlc.lower.spark.evolution import RULES, STANDINGS, queries, verdict

TOPICS = [
    lsqlc.Topic("orders", key="STRING", value="item STRING, price INT, note STRING"),
    lsqlc.Topic("items", key="STRING", value="label STRING, weight INT"),
]
CONTINUES = "continues, but old rows keep their old value"
REPLAY = "needs a new state and a replay"
SUMS = "SELECT STREAM COUNT(*) AS n, SUM(price) AS s FROM orders GROUP BY item"
PAIRS = "SELECT TABLE item, label FROM orders LEFT JOIN items ON orders._key = items._key"
NAMES = "WITH names AS (SELECT TABLE label, weight FROM items WHERE weight > 1); "
MET = NAMES + "SELECT STREAM o.item, names.label FROM orders AS o INNER JOIN names ON o._key = names._key"
NEAR = "SELECT STREAM o.item, i.label FROM orders AS o INNER JOIN items AS i WITHIN 1h ON o._key = i._key"
INNER = "WITH sums AS (SELECT TABLE COUNT(*) AS n, SUM(price) AS s FROM orders GROUP BY item); "
CHANGES = "WITH sums AS (SELECT TABLE COUNT(*) AS n FROM orders GROUP BY item); SELECT STREAM n FROM sums"


@pytest.mark.parametrize(
    ("old", "new", "standing"),
    [
        # Each column has one aggregate, in their order: whatever Spark merges, the state is laid out alike.
        (SUMS, SUMS.replace("SUM(price)", "SUM(price) * 2"), CONTINUES),
        (SUMS, f"{SUMS} HAVING n > 1", CONTINUES),
        # A condition that is told first would turn the order round.
        (SUMS, f"{SUMS} HAVING s > 1", "unknown"),
        (SUMS.replace("SUM(", "COUNT(*) + SUM("), SUMS.replace("SUM(", "COUNT(*) - SUM("), "unknown"),
        (SUMS.replace("STREAM", "TABLE"), f"{SUMS} HAVING s > 1".replace("STREAM", "TABLE"), CONTINUES),
        # Two projections: how they are merged is Spark's affair.
        (f"{INNER}SELECT TABLE s FROM sums", f"{INNER}SELECT TABLE s * 2 AS s FROM sums", "unknown"),
        # A condition on records can be pushed below the aggregation.
        (CHANGES, f"{CHANGES} WHERE n > 1", "unknown"),
        # What nobody uses of a joined row is dropped below the join.
        (PAIRS, PAIRS.replace("item, label", "label, item"), CONTINUES),
        (PAIRS, PAIRS.replace("item, label", "item, UPPER(label) AS label"), CONTINUES),
        (PAIRS, PAIRS.replace("item, label", "item, orders._key AS label"), REPLAY),
        (MET, MET.replace("names.label FROM", "UPPER(names.label) AS label FROM"), CONTINUES),
        (MET, MET.replace("names.label FROM", "CAST(names.weight AS STRING) AS label FROM"), REPLAY),
        # Spark's own join keeps what is used behind it.
        (NEAR, NEAR.replace("i.label", "UPPER(i.label) AS label"), "unknown"),
    ],
)  # fmt: skip
def test_what_may_change_behind_a_state(old: str, new: str, standing: str) -> None:
    """In both directions alike."""
    for before, after in ((old, new), (new, old)):
        plans = [lsqlc.compile(text, topics=TOPICS, name="m") for text in (before, after)]
        assert verdict(*map(queries, plans)).standing == standing


def test_what_a_stage_passes_on_to_another_is_state() -> None:
    """A join below an aggregate is a stage of its own: what it writes, the next one has added up."""
    text = (
        "SELECT TABLE COUNT(*) AS n FROM orders INNER JOIN items ON orders._key = items._key "
        "GROUP BY CONCAT(label, '{}')"
    )
    plans = [lsqlc.compile(text.format(word), topics=TOPICS, name="m") for word in ("a", "b")]
    first, second = lower(plans[0]).stages
    assert first.held is None and second.held
    found = verdict(*map(queries, plans))
    assert found.standing == REPLAY and found.reasons[0].startswith("m.stage1: the projection")


def test_a_query_without_state_depends_on_its_sources_alone() -> None:
    """Everything behind them is what becomes of each record."""
    (stage,) = lower(lsqlc.compile("SELECT STREAM item FROM orders WHERE price > 1", topics=TOPICS)).stages
    parts = stage_parts(stage)
    assert stage.held == "" and parts.used == () and not parts.state


def test_one_topic_read_twice_without_state_is_unknown() -> None:
    """Each reader has its own place in the topic, and nothing says which is which after an edit."""
    text = "INSERT INTO t SELECT STREAM item FROM orders WHERE {}; INSERT INTO t SELECT STREAM note AS item FROM orders"
    plans = [lsqlc.compile(text.format(word), topics=TOPICS, name="m") for word in ("price > 1", "price > 2")]
    found = verdict(*map(queries, plans))
    assert (found.standing, found.rules) == ("unknown", ("one topic twice",))


def test_the_page_has_every_rule() -> None:
    """With the verdict that the code gives it, in the same order."""
    text = (Path(__file__).parents[2] / "docs" / "reference/diff.md").read_text("utf-8").partition("## State")[2]
    told = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", text, re.MULTILINE)
    assert told == list(RULES.items())
    assert set(RULES.values()) <= set(STANDINGS) and all(f"`{standing}`" in text for standing in STANDINGS)
