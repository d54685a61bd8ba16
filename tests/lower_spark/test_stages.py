"""What a plan becomes on Spark: its stages, what they keep, and what they pass on to one another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

import lsqlc
from lsqlc.lower.spark import lower, unsupported
from lsqlc.lower.spark.stages import internal_topics
from lsqlc.lower.spark.steps import View
from lsqlc.plan import nodes
from lsqlc.plan.expression import ServerCall
from lsqlc.types import data
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


ROWS = tuple(lsqlc.Topic(name, key="INT", value="id INT, g STRING, x INT") for name in ("t", "u"))


def view(text: str) -> lsqlc.Plan:
    """A view in standard SQL over the two topics."""
    return lsqlc.compile(text, dialect="sql", topics=ROWS, name="v")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT p.x, q.x AS y FROM t AS p JOIN u AS q ON p.g = q.g",
        "SELECT p.x, q.x AS y FROM t AS p LEFT JOIN u AS q ON p.g = q.g AND p.x > 1 WHERE q.x IS NULL",
        "SELECT p.x, q.x AS y FROM t AS p FULL JOIN u AS q ON p.g = q.g",
        "SELECT p.n, q.x FROM (SELECT g, COUNT(*) AS n FROM t GROUP BY g) AS p JOIN u AS q ON p.g = q.g",
    ],
)
def test_pairs_under_the_keys_of_both_rows_are_written_by_the_join(text: str) -> None:
    """Each has a key of its own, so that no state has to find the newest row of a key."""
    *_, stage = lower(view(text)).stages
    assert [kept.split(",")[0] for kept in stage.state] == [
        "the versions of each row of both sides in its two newest batches",
        "all versions of the rows of both sides",
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("SELECT p._key AS k, q._key AS l FROM t AS p JOIN u AS q ON p.g = q.g", ["l", "k"]),
        ("SELECT p._key AS k, q._key AS l, p.x FROM t AS p JOIN u AS q ON p.g = q.g", ["k", "x", "l"]),
    ],
)
def test_pairs_under_another_key_have_one_row_each(text: str, key: list[str]) -> None:
    """Also where they are the keys of both rows by other names."""
    plan = lsqlc.compile(text, dialect="sql", topics=ROWS, name="v", key=key)
    assert lower(plan).stages[-1].state[-1] == "the newest version of each new key"


@pytest.mark.parametrize(
    ("join", "left_out"),
    [
        ("t INNER JOIN u ON t.g = u.g", True),
        ("t LEFT JOIN u ON t.g = u.g", False),
        ("t INNER JOIN u ON t._key = u._key", False),
    ],
)
def test_a_pair_that_does_not_satisfy_the_condition(join: str, left_out: bool) -> None:
    """Is left out of an INNER join, as it comes and as it goes. Else it is deleted: a row that the key identifies may
    have satisfied the condition before.
    """
    program = f"""
        WITH met AS (SELECT TABLE t.x AS x, u.x AS y FROM {join} WHERE t.x > u.x);
        SELECT TABLE COUNT(*) AS n FROM met GROUP BY y"""
    assert is_left_out(lsqlc.compile(program, topics=ROWS, name="v")) == left_out


def test_a_condition_that_may_differ_the_next_time() -> None:
    """A function of the server may say another thing of a pair that goes than it said as it came."""
    plan = view("SELECT p.x, q.x AS y FROM t AS p JOIN u AS q ON p.g = q.g WHERE p.x > q.x")
    (sink,) = plan.sinks
    (project,) = sink.inputs
    assert isinstance(project, nodes.Project) and isinstance(project.input, nodes.Filter)
    condition = ServerCall("chance", "chance", (), data.BOOLEAN, ())
    changed = structs.replace(project, input=structs.replace(project.input, condition=condition))
    assert is_left_out(plan)
    assert not is_left_out(replace(plan, sinks=(structs.replace(sink, inputs=(changed,)),)))


def is_left_out(plan: lsqlc.Plan) -> bool:
    """Whether the filter above a join leaves out what does not satisfy it."""
    (views,) = [step for step in lower(plan).stages[0].steps if isinstance(step, View) and step.pieces][-1:]
    (words,) = [words for name, words in views.pieces if name.startswith("filter")]
    return "_live AND" not in words
