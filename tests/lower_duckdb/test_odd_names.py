"""Names of columns, fields and topics with any character reach both engines as they are. Numbers and lengths of time of
any size end in a value or a finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

import lsqlc
from lsqlc.dialects import DialectName
from lsqlc.lower.spark import lower, plan_sql
from lsqlc.plan import Plan

NAMES = ("a\nb", "a\rb", "\n", "a\tb", 'a"b', "a'b", "a`b", "a\\", "\x1b[0m", " ", "a.b", "{a}", "%s", "$1", "--",
         "/*", "*/", "a\u2028b", "\x85", "\u200b", "\ufeff", "😀", "n" * 10_000)  # fmt: skip


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def values(plan: Plan, value: Mapping[str, Any], topic: str = "t") -> Any:
    """The value of the only record that a plan writes, which also has a form on Spark."""
    assert plan_sql(lower(plan))
    (rows,) = lsqlc.evaluate(plan, [lsqlc.Record(topic, 1, dict(value), 0)]).values()
    return rows[0].value


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:9]))
@pytest.mark.parametrize("dialect", ["lenses", "sql"])
def test_a_column_a_field_and_a_topic_may_have_any_name(dialect: DialectName, name: str) -> None:
    """The name is read, is that of a field, and is written."""
    topic = lsqlc.Topic(name, key="INT", value=f"{quoted(name)} INT, s STRUCT<{quoted(name)}: INT>")
    stream = "STREAM " if dialect == "lenses" else ""
    columns = f"{quoted(name)} + 1 AS x, s.{quoted(name)} AS y, s, 3 AS {quoted(name)}"
    plan = lsqlc.compile(f"SELECT {stream}{columns} FROM {quoted(name)}", dialect=dialect, topics=[topic])
    expected = {"x": 2, "y": 2, "s": {name: 2}, name: 3}
    assert values(plan, {name: 1, "s": {name: 2}}, name) == expected


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:9]))
def test_the_same_in_ksqldb(name: str) -> None:
    """There in backticks, which keep the case."""
    source = f"CREATE STREAM t (k INT KEY, {quoted(name)} INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
    columns = f"{quoted(name)} AS X, STRUCT({quoted(name)} := 2) AS S, 3 AS {quoted(name)}"
    plan = lsqlc.compile(f"{source} CREATE STREAM o AS SELECT k, {columns} FROM t;", dialect="ksql")
    assert values(plan, {name: 1}) == {"X": 1, "S": {name: 2}, name: 3}


def test_the_lines_of_a_statement_with_such_a_name_stay_as_they_are() -> None:
    """What stands in parentheses is not indented there, since the name would be."""
    topic = lsqlc.Topic("t", key="INT", value="`a\nb` INT")
    plan = lsqlc.compile("SELECT STREAM `a\nb` FROM t", topics=[topic])
    assert "`a\nb`/* a line break in the name */" in plan_sql(lower(plan))


def test_topics_that_differ_in_case_are_two() -> None:
    """As in Kafka; to DuckDB the names of tables are the same."""
    topics = [lsqlc.Topic(name, key="INT", value="i INT") for name in ("a", "A")]
    text = "SELECT STREAM l.i AS x, r.i AS y FROM a AS l JOIN A AS r ON l._key = r._key WITHIN 1h"
    plan = lsqlc.compile(text, topics=topics)
    (rows,) = lsqlc.evaluate(plan, [lsqlc.Record("a", 1, {"i": 1}, 0), lsqlc.Record("A", 1, {"i": 2}, 0)]).values()
    assert [record.value for record in rows] == [{"x": 1, "y": 2}]


@pytest.mark.parametrize("half", ["\ud800", "a\udc00"])
def test_half_of_a_surrogate_pair_is_refused_everywhere(half: str) -> None:
    """In the declaration of a topic, in the name of an event time, in a program; a finding that quotes it is text."""
    topics = [
        lsqlc.Topic("t", key="INT", value=f"`{half}` INT"),
        lsqlc.Topic("t", key=f"`{half}` INT", value="i INT"),
        lsqlc.Topic("t", key="INT", value="i INT", event_time=half),
    ]
    for topic in topics:
        with pytest.raises(lsqlc.CompileError) as refused:
            lsqlc.compile("SELECT STREAM 1 AS x FROM t", topics=[topic])
        assert refused.value.diagnostics[0].code in ("LSQ010", "LSQ016")
        str(refused.value).encode()
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile("SELECT i FROM t", dialect="sql", topics=[lsqlc.Topic("t", value="i INT")], key=[half])
    str(refused.value).encode()


def test_an_event_time_is_a_field_of_the_value() -> None:
    """The API checks it as a project does."""
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile("SELECT STREAM i FROM t", topics=[lsqlc.Topic("t", value="i BIGINT", event_time="j")])
    assert [d.code for d in refused.value.diagnostics] == ["LSQ016"]
    assert lsqlc.compile("SELECT STREAM i FROM t", topics=[lsqlc.Topic("t", value="i BIGINT", event_time="i")])


@pytest.mark.parametrize("now", [-1, 253_402_300_799_999, 10**30])
def test_a_time_of_evaluation_beyond_the_calendar_is_refused(now: int) -> None:
    """The day before and the day after must have a date."""
    plan = lsqlc.compile("SELECT STREAM TOMORROW() AS t FROM t", topics=[lsqlc.Topic("t", key="INT", value="i INT")])
    with pytest.raises(ValueError, match="'now' must be a time"):
        lsqlc.evaluate(plan, [], now=now)
    (rows,) = lsqlc.evaluate(plan, [lsqlc.Record("t", 1, {}, 0)], now=253_402_300_799_999 - 86_400_000).values()
    assert str(rows[0].value["t"].date()) == "9999-12-31"


def test_a_name_with_the_character_nul_is_refused() -> None:
    """Engines end a name there."""
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile("SELECT STREAM i AS `a\x00b` FROM t", topics=[lsqlc.Topic("t", value="i INT")])
    assert [d.code for d in refused.value.diagnostics] == ["LSQ102"]
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile("SELECT STREAM * FROM t", topics=[lsqlc.Topic("t", value="`a\x00b` INT")])
    assert [d.code for d in refused.value.diagnostics] == ["LSQ010"]
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile(
            "SELECT STREAM ZIP(a, 'x\x00', a, 'y') AS z FROM t", topics=[lsqlc.Topic("t", value="a ARRAY<INT>")]
        )
    assert [d.code for d in refused.value.diagnostics] == ["LSQ217"]


LONG = "0" * 10_000


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("lenses", f"{LONG}7", 7),
        ("lenses", f"numbers[{LONG}1]", 2),
        ("lenses", f"TAKELEFT('abc', {LONG}2)", "ab"),
        ("ksql", f"{LONG}7", 7),
        ("sql", f"{LONG}7", 7),
        ("lenses", f"CAST('1e{'9' * 5_000}' AS DECIMAL(10,2))", None),
        ("ksql", f"CAST('1e-{'9' * 5_000}' AS DECIMAL(10,2))", None),
        ("sql", "CAST('1e99999999999' AS DECIMAL(10,2))", None),
        ("sql", f"CAST('{LONG}1.5' AS DECIMAL(10,2)) > 1.4", True),
    ],
)
def test_numbers_of_many_digits(dialect: DialectName, text: str, expected: Any) -> None:
    """Python reads no more than 4,300 digits by itself."""
    if dialect == "ksql":
        source = "CREATE STREAM t (k INT KEY, n INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
        plan = lsqlc.compile(f"{source} CREATE STREAM o AS SELECT k, {text} AS x FROM t;", dialect="ksql")
    else:
        topic = lsqlc.Topic("t", key="INT", value="n INT, numbers ARRAY<INT>")
        stream = "STREAM " if dialect == "lenses" else ""
        plan = lsqlc.compile(f"SELECT {stream}{text} AS x FROM t", dialect=dialect, topics=[topic])
    value = {"N": 1} if dialect == "ksql" else {"n": 1, "numbers": [1, 2]}
    assert next(iter(values(plan, value).values())) == expected


@pytest.mark.parametrize(
    ("dialect", "text", "code"),
    [
        ("sql", "SELECT CAST(n AS DECIMAL(1e5,0)) AS x FROM t", "LSQ450"),
        ("sql", f"SELECT CAST(n AS DECIMAL({'9' * 5_000},0)) AS x FROM t", "LSQ450"),
        ("sql", f"SELECT CAST(n AS DECIMAL(10,0.{'9' * 39})) AS x FROM t", "LSQ450"),
        ("sql", f"SELECT {'9' * 5_000} AS x FROM t", "LSQ211"),
        ("sql", f"SELECT n FROM t WHERE n > INTERVAL {'9' * 10_000} DAYS", "LSQ450"),
        ("sql", f"SELECT n FROM t WHERE n > INTERVAL '{'9' * 10_000}'", "LSQ450"),
        ("lenses", f"SET defaults.topic.partitions = {'9' * 5_000}; SELECT STREAM n FROM t", "LSQ321"),
        ("lenses", f"SELECT STREAM n FROM t WHERE n < {'9' * 300}", "LSQ211"),
    ],
)
def test_numbers_that_nothing_holds_are_findings(dialect: DialectName, text: str, code: str) -> None:
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile(text, dialect=dialect, topics=[lsqlc.Topic("t", key="INT", value="n INT")])
    assert code in [d.code for d in refused.value.diagnostics]


def test_a_number_of_partitions_has_digits_only() -> None:
    """A superscript is a digit to Python, and no number."""
    text = "CREATE STREAM t (k INT KEY) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON', PARTITIONS = '²');"
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile(f"{text} CREATE STREAM o AS SELECT * FROM t;", dialect="ksql")
    assert "LSQ374" in [d.code for d in refused.value.diagnostics]


@pytest.mark.parametrize("window", [f"window(ts, '{'9' * 30} days')", f"session_window(ts, '{'9' * 5_000} days')",
                                    f"window(ts, '{'9' * 30} days', '1 day')"])  # fmt: skip
def test_a_window_that_nothing_ends_is_a_finding(window: str) -> None:
    """Its bounds would be no BIGINT."""
    topic = lsqlc.Topic("t", key="INT", value="i INT, ts TIMESTAMP", event_time="ts")
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile(f"SELECT i, COUNT(*) AS c FROM STREAM(t) GROUP BY i, {window}", dialect="sql", topics=[topic])
    assert [d.code for d in refused.value.diagnostics] == ["LSQ325"]


@pytest.mark.parametrize(
    "interval", ["INTERVAL 3000000 DAYS", "INTERVAL 999999999999 SECONDS", "INTERVAL 100000 YEARS"]
)
@pytest.mark.parametrize("column", ["ts", "d"])
def test_an_interval_that_leaves_the_calendar_gives_null(column: str, interval: str) -> None:
    topic = lsqlc.Topic("t", key="INT", value="ts TIMESTAMP, d DATE")
    plan = lsqlc.compile(
        f"SELECT {column} + {interval} AS x, {column} - {interval} AS y FROM t", dialect="sql", topics=[topic]
    )
    value = {"ts": datetime(2024, 2, 29, tzinfo=UTC), "d": date(2024, 2, 29)}
    assert values(plan, value) == {"x": None, "y": None}


@pytest.mark.parametrize(
    "interval", [f"INTERVAL {'9' * 30} DAYS", f"INTERVAL '{'9' * 90}' SECONDS", "INTERVAL 3000000000 DAYS"]
)
def test_an_interval_beyond_its_type_is_refused(interval: str) -> None:
    """As by Spark, whose intervals of days have 64 bits of microseconds."""
    topic = lsqlc.Topic("t", key="INT", value="ts TIMESTAMP")
    with pytest.raises(lsqlc.CompileError) as refused:
        lsqlc.compile(f"SELECT ts + {interval} AS x FROM t", dialect="sql", topics=[topic])
    assert [d.code for d in refused.value.diagnostics] == ["LSQ450"]
