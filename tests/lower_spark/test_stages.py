"""What a plan becomes on Spark: its stages, what they keep, and what they pass on to one another."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc.lower.spark import lower, unsupported
from lsqlc.lower.spark.stages import internal_topics
from lsqlc.lower.spark.steps import View
from tests.differential.test_engines import plan_of
from tests.each import each
from tests.lower_duckdb.programs import PROGRAMS


@each("name", PROGRAMS)
def test_every_program_has_a_form(name: str) -> None:
    """Nothing of the language is left out, and what is written is the same text twice."""
    plan = plan_of(name)
    assert unsupported(plan) == ()
    assert lower(plan) == lower(plan)


def test_pairs_are_passed_on_by_the_rows_of_both_sides() -> None:
    """The internal topic's key tells pairs apart; the value holds the key and the value of the row."""
    ((topic, semantics),) = internal_topics(plan_of("tables on fields")).values()
    assert (str(topic.key.type), semantics) == ("STRUCT<l: STRING, r: STRING>", "TABLE")
    assert str(topic.value.type).startswith("STRUCT<k: STRING, v: STRUCT<")
    assert topic.ordinal_width == 2


def test_elements_are_passed_on_by_row_and_index() -> None:
    """So those of one row stay apart where the next stage reads them."""
    ((topic, _),) = internal_topics(plan_of("elements of a table, named and grouped")).values()
    assert str(topic.key.type) == "STRUCT<row: STRING, index: BIGINT>"


def test_a_table_of_its_own_keys_is_passed_on_as_it_is() -> None:
    """Where the key tells rows apart the internal topic is keyed by it alone."""
    ((topic, _),) = internal_topics(plan_of("aggregate of a rekeyed table")).values()
    assert str(topic.key.type) == "STRING"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tables on fields", "all versions of the rows of both sides, by what joins them: INT, growing with updates"),
        ("collected from a table", "with all its changes, of which the lists are made, growing with updates"),
        ("ordered aggregates", "with all its values, of which the lists are made, growing with updates"),
    ],
)
def test_what_grows_with_updates_is_said(name: str, words: str) -> None:
    """The plan says which state a fixed set of keys does not bound."""
    assert any(words in kept for stage in lower(plan_of(name)).stages for kept in stage.state)


@pytest.mark.parametrize("name", ["stream with table on a field", "tables on fields, outer", "a table with itself"])
def test_both_sides_are_one_source(name: str) -> None:
    """Two readers could see a file in different batches, and the order of arrival would be lost."""
    assert len(lower(plan_of(name)).stages[0].sources) == 1


def test_a_stream_that_is_laid_open_is_a_stage_below_a_join_with_a_table() -> None:
    """A join reads both sides as one stream of lines, on which it has filters and projections alone."""
    below, join = lower(plan_of("stream laid open, then a table")).stages
    assert below.state == () and join.sources[0].topics == ("_lsqlc.out.1", "b")


def test_a_literal_keeps_its_line_breaks() -> None:
    """However deep a statement has it: none is laid out as the lines of the statement are."""
    topic = lsqlc.Topic("orders", key="STRING", value="item STRING")
    plan = lsqlc.compile("SELECT STREAM COUNT(*) AS n FROM orders WHERE item = 'a\n b\r' GROUP BY item", topics=[topic])
    texts = [step.sql for stage in lower(plan).stages for step in stage.steps if isinstance(step, View)]
    assert any(r"= 'a\n b\r'" in text for text in texts)
