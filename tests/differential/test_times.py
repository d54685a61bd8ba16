"""A record whose time lies before 1970 or after 9999 is a bad one: on both engines, for every operator and policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import lsqlc
from lsqlc.bind.lenses.program import compile_program
from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark.structure import node_digest
from lsqlc.plan import Plan
from lsqlc.plan.nodes import EventTime, inputs
from lsqlc.remote.cases import outcomes
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct
from lsqlc.types.record import LATEST, Case, Facet, Raw, Record, Topic

BAD_TIMES = (-1, LATEST + 1, 1_700_000_000_000_000, 2**62, 2**63 - 1, -(2**63))
PROGRAMS = {
    "stream": "SELECT STREAM g FROM t",
    "table": "SELECT TABLE g FROM t",
    "groups": "SELECT STREAM COUNT(*) AS n FROM t GROUP BY g",
    "groups of a table": "SELECT TABLE COUNT(*) AS n FROM t GROUP BY g",
    "windows": "SELECT STREAM COUNT(*) AS n FROM t WINDOW BY TUMBLE 1h GROUP BY g",
    "sessions": "SELECT STREAM COUNT(*) AS n FROM t WINDOW BY SESSION 1h GROUP BY g",
    "streams": "SELECT STREAM t.g AS g FROM t INNER JOIN u WITHIN 1h",
    "a topic with itself": "SELECT STREAM l.g AS g FROM t AS l LEFT JOIN t AS r WITHIN 1h",
    "tables": "SELECT TABLE t.g AS g FROM t INNER JOIN u",
    "stream with table": "WITH x AS (SELECT TABLE g FROM t); SELECT STREAM x.g AS g FROM u INNER JOIN x",
}

EVENT_TIME = {
    "EVENTTIME BY": ("SELECT STREAM COUNT(*) AS n FROM t EVENTTIME BY at WINDOW BY TUMBLE 1h GROUP BY g", None),
    "event time": ("SELECT STREAM g FROM t", "at"),
}
LETTERS = "SET error.policy = 'dlq'; SET dead.letter.queue = 'letters';\n"
CONTINUE = "SET error.policy = 'continue';\n"


def plan_of(text: str, event_time: str | None = None, at: DataType = data.BIGINT) -> Plan:
    value = Facet(Struct((Field("g", data.INT), Field("at", at))), "json")
    topics = {name: Topic(name, Facet(data.INT, "int"), value, event_time) for name in ("t", "u")}
    program = parse(text, "times").program
    assert program is not None
    compiled = compile_program(program, topics, name="out")
    assert compiled.plan is not None, compiled.diagnostics
    return compiled.plan


def case(plan: Plan, *times: int, value: bool = False) -> Case:
    """A good record of each topic of a plan, and between them one with each of the times: its own, or in its value."""
    bad = [Record("t", 2, {"g": 2, "at": time if value else 5}, 5 if value else time) for time in times]
    good = [Record(name, 1, {"g": 1, "at": 5}, 5) for name in ("t", "u")]
    batches = ((good[0],), (*bad, Record("u", 2, {"g": 2, "at": 5}, 5)), (good[1],))
    read = {topic.name for topic in plan.inputs}
    return Case("", tuple(tuple(r for r in batch if r.topic in read) for batch in batches))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("time", BAD_TIMES)
def test_duckdb_passes_over_times_that_are_none(name: str, time: int) -> None:
    """Nothing comes of the record, and it is counted."""
    plan = plan_of(CONTINUE + PROGRAMS[name])
    (outcome,) = default_session().evaluate(plan, [case(plan, time)])
    assert outcome.counts["bad record"] == 1
    assert {repr(r.value) for r in outcome.topics["out"]} == {repr({"n": 1} if "COUNT" in PROGRAMS[name] else {"g": 1})}


@pytest.mark.parametrize("name", PROGRAMS)
def test_duckdb_fails_on_times_that_are_none(name: str) -> None:
    """The policy to fail ends the evaluation, with the time in the message."""
    plan = plan_of(PROGRAMS[name])
    with pytest.raises(LsqlcError, match="timestamp: expected a time from 1970 to 9999, found -1") as refused:
        default_session().evaluate(plan, [case(plan, -1)])
    assert {d.code for d in refused.value.diagnostics} == {"LSQ432"}


@pytest.mark.parametrize("name", EVENT_TIME)
@pytest.mark.parametrize("time", BAD_TIMES)
def test_duckdb_judges_the_time_of_a_field(name: str, time: int) -> None:
    """What EVENTTIME BY gives, and the field that a topic declares, are times too."""
    text, event_time = EVENT_TIME[name]
    plan = plan_of(CONTINUE + text, event_time)
    (outcome,) = default_session().evaluate(plan, [case(plan, time, value=True)])
    assert outcome.counts["bad record"] == 1
    assert len(outcome.topics["out"]) == 1
    with pytest.raises(LsqlcError, match="from 1970 to 9999"):
        default_session().evaluate(plan_of(text, event_time), [case(plan, time, value=True)])


LETTERED = {
    "a source": EVENT_TIME["EVENTTIME BY"][0],
    "a view": """
        WITH w AS (SELECT STREAM g + 1 AS h, at * 1 AS x FROM t WHERE g < 9);
        INSERT INTO out SELECT STREAM h FROM w EVENTTIME BY COALESCE(x, -1)
    """,
    "two queries": """
        INSERT INTO out SELECT STREAM g FROM t EVENTTIME BY at;
        INSERT INTO other SELECT STREAM COUNT(*) AS n FROM t EVENTTIME BY at * 1 WINDOW BY TUMBLE 1h GROUP BY g
    """,
    "two topics": """
        WITH a AS (SELECT STREAM g, at FROM t EVENTTIME BY at);
        WITH b AS (SELECT STREAM g, at FROM u EVENTTIME BY at);
        INSERT INTO out SELECT STREAM a.g FROM a INNER JOIN b WITHIN 1h
    """,
}


def a_mixture(plan: Plan) -> Case:
    """Records with and without a time, one that cannot be read, one without a value, and one that WHERE leaves out."""
    values: list[Any] = [{"g": 1, "at": 5}, {"g": 2, "at": None}, Raw('{"g": 3, "at": -1}'), Raw('{"g": "x"}'), None]
    values += [{"g": 9, "at": 7}, {"g": 4, "at": LATEST}]
    names = [topic.name for topic in plan.inputs]
    records = [Record(name, n % 2, value, 5) for n, value in enumerate(values) for name in names]
    return Case("", (tuple(records[:4]), tuple(records[4:])))


@pytest.mark.parametrize("name", LETTERED)
def test_a_letter_is_written_about_a_record_without_an_event_time(name: str, tmp_path: Path) -> None:
    """One, with the line as it came, however many queries read the topic; over whole topics as over cases."""
    plan = plan_of(LETTERS + LETTERED[name])
    case = a_mixture(plan)
    (outcome,) = default_session().evaluate(plan, [case])
    letters = [(r.value["topic"], r.value["reason"], r.timestamp) for r in outcome.topics["letters"]]
    reason, unread = "event time: expected a time from 1970 to 9999", "value.g: expected INT"
    assert sorted(letters) == sorted((t.name, why, 5) for t in plan.inputs for why in (reason, reason, unread))
    assert any('"value":{"g": 3, "at": -1}' in r.value["record"] for r in outcome.topics["letters"])
    log = FileLog(tmp_path)
    for record in case.records:
        log.append(next(t for t in plan.inputs if t.name == record.topic), [record])
    segments = {topic.name: log.segments(topic.name) for topic in plan.inputs}
    whole = default_session().evaluate_logs(plan, segments).topics["letters"]
    assert sorted(r.value["reason"] for r in whole) == sorted(why for _, why, _ in letters)


@pytest.mark.parametrize("name", LETTERED)
def test_spark_writes_the_same_letters(name: str, spark: Any, tmp_path: Path) -> None:
    """And the same results."""
    plan = plan_of(LETTERS + LETTERED[name])
    cases = [a_mixture(plan)]
    wanted, got = default_session().evaluate(plan, cases), outcomes.evaluate(spark, tmp_path, plan, cases)
    assert [o.topics for o in got] == [o.topics for o in wanted]


@pytest.mark.parametrize(
    "text",
    [
        "WITH w AS (SELECT STREAM t.g AS g, u.at AS at FROM t INNER JOIN u WITHIN 1h);"
        " INSERT INTO out SELECT STREAM g FROM w EVENTTIME BY at",
        "SELECT STREAM g FROM t EVENTTIME BY at * LEN(UUID())",
    ],
)
def test_without_a_record_of_a_log_no_letter_is_written(text: str) -> None:
    """Of what a join made, and of a time that another query would compute otherwise: the query stops."""
    assert "passed over" not in plan_of(LETTERS + text).tree()


def test_letters_change_nothing_of_what_a_checkpoint_depends_on() -> None:
    """The query that counts goes on from its checkpoint where its time was refused before."""
    node = plan_of(LETTERS + LETTERED["a source"]).sinks[0].inputs[0]
    while not isinstance(node, EventTime):
        (node,) = inputs(node)
    assert node.lettered and node_digest(node) == node_digest(replace(node, lettered=False))


def test_ksqldb_writes_letters_about_the_time_of_a_column() -> None:
    """TIMESTAMP of a stream, and of a result."""
    source = """CREATE STREAM s (id INT KEY, at STRING) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON',
      TIMESTAMP = 'at', TIMESTAMP_FORMAT = 'yyyy-MM-dd'); CREATE STREAM o AS SELECT * FROM s;"""
    plan = lsqlc.compile(source, dialect="ksql", error_policy="dlq", dead_letters="letters")
    found = lsqlc.evaluate(plan, [Record("s", 1, {"AT": at}, 9) for at in ("1970-01-02", "soon", None)])
    assert [r.timestamp for r in found["O"]] == [86_400_000]
    assert [r.value["record"][-14:] for r in found["letters"]] == ['{"AT":"soon"}}', '":{"AT":null}}']


def test_the_first_and_the_last_time_are_good() -> None:
    """Both ends belong to what a record can have."""
    plan = plan_of(PROGRAMS["stream"])
    found = default_session().evaluate(plan, [case(plan, 0), case(plan, LATEST)])
    assert [[r.timestamp for r in outcome.topics["out"]] for outcome in found] == [[5, 0], [5, LATEST]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_spark_passes_over_the_same_records(name: str, spark: Any, tmp_path: Path) -> None:
    """The letters and the results are those of DuckDB."""
    plan = plan_of(LETTERS + PROGRAMS[name])
    cases = [case(plan, *BAD_TIMES)]
    wanted, got = default_session().evaluate(plan, cases), outcomes.evaluate(spark, tmp_path, plan, cases)
    assert len(wanted[0].topics["letters"]) == len(BAD_TIMES)
    assert [o.topics for o in got] == [o.topics for o in wanted]


@pytest.mark.parametrize("name", EVENT_TIME)
def test_spark_judges_the_time_of_a_field(name: str, spark: Any, tmp_path: Path) -> None:
    """As DuckDB does."""
    text, event_time = EVENT_TIME[name]
    plan = plan_of(CONTINUE + text, event_time)
    cases = [case(plan, *BAD_TIMES, value=True)]
    wanted, got = default_session().evaluate(plan, cases), outcomes.evaluate(spark, tmp_path, plan, cases)
    assert [o.topics for o in got] == [o.topics for o in wanted]


@pytest.mark.parametrize("at", [data.BIGINT, data.TIMESTAMP])
def test_a_letter_names_the_timestamp_where_the_field_is_null(at: DataType, spark: Any, tmp_path: Path) -> None:
    """The time of such a record is its timestamp, which is what is wrong."""
    plan = plan_of(LETTERS + "SELECT STREAM g FROM t", "at", at)
    bad = Case("", ((Record("t", 1, {"g": 1, "at": None}, -1),),))
    (wanted,), (got,) = default_session().evaluate(plan, [bad]), outcomes.evaluate(spark, tmp_path, plan, [bad])
    assert [r.value["reason"] for r in wanted.topics["letters"]] == ["timestamp: expected a time from 1970 to 9999"]
    assert got.topics == wanted.topics


@pytest.mark.parametrize("name", [*PROGRAMS, *EVENT_TIME])
def test_spark_fails_on_times_that_are_none(name: str, spark: Any, tmp_path: Path) -> None:
    """The policy to fail ends the query."""
    text, event_time = EVENT_TIME.get(name, (PROGRAMS.get(name, ""), None))
    plan = plan_of(text, event_time)
    with pytest.raises(LsqlcError) as refused:
        outcomes.evaluate(spark, tmp_path, plan, [case(plan, 2**62, value=name in EVENT_TIME)])
    (found,) = refused.value.diagnostics
    assert any("from 1970 to 9999" in text for text in (found.message, *found.notes))


@pytest.mark.parametrize("name", ["windows", "streams", "a topic with itself"])
def test_spark_takes_the_times_that_are_some(name: str, spark: Any, tmp_path: Path) -> None:
    """Also under the policy to fail, and where a case goes on with time that no record has."""
    plan = plan_of(PROGRAMS[name])
    (wanted,), (got,) = (
        default_session().evaluate(plan, [case(plan, 7)]),
        outcomes.evaluate(spark, tmp_path, plan, [case(plan, 7)]),
    )
    assert wanted.topics["out"] and got.topics == wanted.topics


@pytest.mark.parametrize("window", ["TUMBLE 7d", "HOP 3650000d, 3000000d", "SESSION 1h GRACE BY 3650000d"])
def test_windows_at_the_end_of_time_agree(window: str, spark: Any, tmp_path: Path) -> None:
    """The last record that there can be has its windows, however far they reach."""
    plan = plan_of(f"SELECT STREAM COUNT(*) AS n FROM t WINDOW BY {window} GROUP BY g")
    last = Case("", ((Record("t", 1, {"g": 1, "at": 0}, LATEST),),))
    (wanted,), (got,) = default_session().evaluate(plan, [last]), outcomes.evaluate(spark, tmp_path, plan, [last])
    assert wanted.topics["out"]
    assert got.topics == wanted.topics
