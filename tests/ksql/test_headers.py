"""Columns of headers, and which records keep the headers of those that they are made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lsqlc
from lsqlc import Plan, Record
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.remote.cases import outcomes
from lsqlc.types.headers import Headers
from lsqlc.types.record import Case, Raw
from tests.differential.test_engines import agree

SOURCES = """
CREATE STREAM s (id INT KEY, hs ARRAY<STRUCT<key STRING, value BYTES>> HEADERS, x INT, tags ARRAY<STRING>)
    WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');
CREATE STREAM one (id INT KEY, x INT, abc BYTES HEADER('abc'), def BYTES HEADER('it''s'))
    WITH (KAFKA_TOPIC = 'one', VALUE_FORMAT = 'JSON');
CREATE STREAM other (id INT KEY, y INT, "def" BYTES HEADER('def')) WITH (KAFKA_TOPIC = 'b', VALUE_FORMAT = 'JSON');
CREATE STREAM plain (id INT KEY, x INT) WITH (KAFKA_TOPIC = 'p', VALUE_FORMAT = 'JSON');
CREATE TABLE t (id INT PRIMARY KEY, y INT, h BYTES HEADER('abc')) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');
"""
ABC: Headers = (("abc", b"\x1a"), ("abc", b"!"), ("it's", b"\xff"))
NULLS: Headers = (("abc", b"1"), ("abc", None), ('é"\\', b""))
# By name: what a program has besides the sources.
PROGRAMS = {
    "all": "CREATE STREAM o AS SELECT * FROM s;",
    "single ones": "CREATE STREAM o AS SELECT * FROM one;",
    "a function": "CREATE STREAM o AS SELECT id, LEN(abc) AS n FROM one;",
    "a filter": "CREATE STREAM o AS SELECT id, x FROM s WHERE hs[1]->key = 'abc' AND x > 0;",
    "a new key": "CREATE STREAM o AS SELECT id, x, hs[1]->value AS k FROM s PARTITION BY hs[1]->value;",
    "elements": "CREATE STREAM o AS SELECT id, EXPLODE(tags) AS tag FROM s;",
    "elements of headers": "CREATE STREAM o AS SELECT id, EXPLODE(hs) AS h FROM s;",
    "after another query": "CREATE STREAM m AS SELECT id, x + 1 AS x FROM s; CREATE STREAM o AS SELECT * FROM m;",
    "several writers": """
        CREATE STREAM o AS SELECT s.id AS id, s.x AS x FROM s JOIN t ON s.id = t.id;
        INSERT INTO o SELECT id, x FROM plain;
    """,
    "another time": "CREATE STREAM o WITH (TIMESTAMP = 'at') AS SELECT id, CAST(x AS BIGINT) AS at FROM s WHERE x > 0;",
    "groups": "CREATE TABLE o AS SELECT abc, COUNT(*) AS c FROM one GROUP BY abc;",
    "groups of a table": "CREATE TABLE o AS SELECT h, COUNT(*) AS c FROM t GROUP BY h;",
    "a table": "CREATE TABLE o AS SELECT * FROM t;",
    "two streams": "CREATE STREAM o AS SELECT * FROM one JOIN other WITHIN 10 SECONDS ON one.id = other.id;",
    "a stream and a table": "CREATE STREAM o AS SELECT one.id AS id, abc, h FROM one LEFT JOIN t ON one.id = t.id;",
}


def plan_of(program: str) -> Plan:
    return lsqlc.compile(SOURCES + program, dialect="ksql", name="out")


def record(id: int, headers: Headers | None = None, topic: str = "s", time: int = 0) -> Record:
    fields = {"s": {"X": id, "TAGS": ["p", "q"]}, "one": {"X": id}, "b": {"Y": id}, "p": {"X": id}, "t": {"Y": id}}
    return Record(topic, id, fields[topic], time, headers)


def given(plan: Plan) -> list[Record]:
    """Records for the topics that a plan reads: with headers, with nulls among them, without any, and a tombstone."""
    found = []
    for time, (id, headers) in enumerate([(1, ABC), (2, None), (3, NULLS), (1, (("def", b"#"),)), (2, ABC)]):
        found += [record(id, headers, topic.name, time) for topic in plan.inputs]
    return [*found, *(Record(topic.name, 3, None, 9, ABC) for topic in plan.inputs)]


def values(program: str, *records: Record) -> list[dict[str, Any]]:
    found = lsqlc.evaluate(plan_of(program), list(records))["O"]
    return [r.value for r in found]


def kept(program: str, *records: Record) -> list[Headers | None]:
    return [r.headers for r in lsqlc.evaluate(plan_of(program), list(records))["O"]]


def codes(program: str) -> list[str]:
    try:
        plan_of(program)
    except LsqlcError as error:
        return [d.code for d in error.diagnostics]
    return []


def test_a_column_of_all_headers() -> None:
    """In their order; none are an empty array. A star finds the column behind the others."""
    empty, full = values(PROGRAMS["all"], record(1), record(2, NULLS))
    assert list(full) == ["X", "TAGS", "HS"] and empty["HS"] == []
    assert full["HS"] == [{"KEY": key, "VALUE": value} for key, value in NULLS]


def test_a_column_of_one_header() -> None:
    """The last one of its key; null where there is none, and where that one has no value."""
    program = PROGRAMS["single ones"]
    found = values(program, record(1, None, "one"), record(2, ABC, "one"), record(3, NULLS, "one"))
    assert [(v["ABC"], v["DEF"]) for v in found] == [(None, None), (b"!", b"\xff"), (None, None)]


def test_headers_are_read_like_other_columns() -> None:
    """In conditions, functions, groups and keys."""
    records = record(1, ABC), record(2), record(3, (("other", b"x"),))
    ones = [replace(r, topic="one", value={"X": r.key}) for r in records]
    assert values(PROGRAMS["a function"], *ones) == [{"N": 1}, {"N": None}, {"N": None}]
    assert values(PROGRAMS["a filter"], *records) == [{"X": 1}]
    rows = lsqlc.evaluate(plan_of(PROGRAMS["groups"]), [*ones, record(4, ABC, "one")])["O"]
    assert [(r.key, r.value["C"]) for r in rows] == [(b"!", 2)]
    keyed = lsqlc.evaluate(plan_of(PROGRAMS["a new key"]), list(records))["O"]
    assert [r.key for r in keyed] == [b"\x1a", None, b"x"]


def test_a_table_has_the_headers_of_its_newest_records() -> None:
    """Of each key."""
    records = [record(1, None, "t"), record(1, ABC, "t"), record(2, ABC, "t"), record(2, None, "t")]
    assert values(PROGRAMS["a table"], *records) == [{"Y": 1, "H": b"!"}, {"Y": 2, "H": None}]


def test_what_is_not_read_is_not_in_the_plan() -> None:
    """A program whose columns of headers nobody reads is that without them."""
    with_headers = plan_of("CREATE STREAM o AS SELECT id, x FROM one;")
    without = SOURCES.replace(", abc BYTES HEADER('abc'), def BYTES HEADER('it''s')", "")
    plain = lsqlc.compile(without + "CREATE STREAM o AS SELECT id, x FROM one;", dialect="ksql", name="out")
    assert with_headers.to_json() == plain.to_json()
    reads = plan_of(PROGRAMS["single ones"])
    assert "the header abc as ABC, the header `it's` as DEF" in reads.tree()
    renamed = plan_of(PROGRAMS["single ones"].replace("*", "id, x, abc, abc AS def"))
    assert reads.to_json()["fingerprint"] != renamed.to_json()["fingerprint"]


@pytest.mark.parametrize("name", ["all", "a filter", "a new key", "elements", "after another query", "another time"])
def test_what_is_made_of_one_record_keeps_its_headers(name: str) -> None:
    """Also several records of one."""
    found = kept(PROGRAMS[name], record(1, ABC), record(2), record(3, NULLS))
    times = 2 if name == "elements" else 1
    wanted = [ABC, NULLS] if name == "a filter" else [ABC, None, NULLS]
    assert found == [headers for headers in wanted for _ in range(times)]


def test_what_is_joined_or_grouped_has_no_headers() -> None:
    """And of several writers of one stream each decides for its own records."""
    assert kept(PROGRAMS["groups"], record(1, ABC, "one")) == [None]
    assert kept(PROGRAMS["two streams"], record(1, ABC, "one"), record(1, ABC, "b")) == [None]
    found = kept(PROGRAMS["several writers"], record(1, None, "t"), record(1, ABC), record(2, ABC, "p"))
    assert found == [None, ABC]


def test_changes_of_a_table() -> None:
    """A STREAM of them has the headers of the record that made each change, also where that ends a row."""
    topic = lsqlc.Topic("p", key="INT", value="x INT")
    plan = lsqlc.compile("WITH t AS (SELECT TABLE x FROM p WHERE x > 1); SELECT STREAM x FROM t", topics=[topic])
    given = [(1, 5), (2, 1), (1, 0), (2, 7)]
    records = [Record("p", k, {"x": x}, 0, (("n", str(n).encode()),)) for n, (k, x) in enumerate(given)]
    found = lsqlc.evaluate(plan, records)["result"]
    made = [(r.key, r.value and r.value["x"], dict(r.headers or ())["n"]) for r in found]
    assert made == [(1, 5, b"0"), (2, None, b"1"), (1, None, b"2"), (2, 7, b"3")]


def test_records_that_are_read_from_their_lines() -> None:
    """Good ones beside bad ones, which are passed over."""
    (found,) = lsqlc.evaluate(plan_of(PROGRAMS["single ones"]), [Record("one", 1, Raw('{"X": 5}'), 0, ABC)])["O"]
    assert (found.value["ABC"], found.headers) == (b"!", ABC)
    topic = lsqlc.Topic("p", key="INT", value="x INT")
    plan = lsqlc.compile("SET error.policy = 'continue'; SELECT STREAM x FROM p", topics=[topic])
    records = [Record("p", 1, Raw(text), 0, (("n", str(n).encode()),)) for n, text in enumerate(('{"x":1}', "{", "{}"))]
    assert [r.headers for r in lsqlc.evaluate(plan, records)["result"]] == [(("n", b"0"),), (("n", b"2"),)]


@pytest.mark.parametrize(
    ("column", "code"),
    [
        ("h INT HEADER('h')", ["LSQ387"]),
        ("h STRING HEADERS", ["LSQ387"]),
        ("h BYTES HEADERS", ["LSQ387"]),
        ("h ARRAY<STRUCT<key STRING, value BYTES>> HEADER('h')", ["LSQ387"]),
        ("h BYTES HEADER('h')", []),
    ],
)
def test_the_types_of_columns(column: str, code: list[str]) -> None:
    program = f"CREATE STREAM h (id INT KEY, x INT, {column}) WITH (KAFKA_TOPIC = 'h', VALUE_FORMAT = 'JSON');"
    assert codes(f"{program} CREATE STREAM o AS SELECT * FROM h;") == code


def test_headers_cannot_be_written() -> None:
    """Neither by a query nor by values; the columns of a result are those of values."""
    query = "CREATE STREAM o AS SELECT * FROM plain;"
    assert codes(f"{query} INSERT INTO one SELECT id, x FROM plain;") == ["LSQ391"]
    assert codes(f"{query} INSERT INTO one VALUES (1, 2, null, null);") == ["LSQ391"]
    assert codes(f"{query} INSERT INTO one (id, abc) VALUES (1, null);") == ["LSQ391"]
    reads = "CREATE STREAM o AS SELECT * FROM one;"
    assert codes(f"{reads} INSERT INTO one (id, x) VALUES (1, 2);") == []
    again = "CREATE STREAM o AS SELECT * FROM one; INSERT INTO o SELECT id, x, abc, def FROM one;"
    assert codes(again) == []


def test_spark_carries_headers_only_where_they_are_wanted() -> None:
    """What a program is on Spark without headers does not change."""
    plan = plan_of("CREATE STREAM o AS SELECT id, x FROM s;")
    assert "_headers" not in str(lower(plan)) and "_headers" in str(lower(plan, headers=("O",)))
    joined = plan_of(PROGRAMS["two streams"].replace("*", "one.id AS id, x, y"))
    assert "_headers" not in str(lower(joined, headers=("O",)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_spark_gives_what_duckdb_gives(name: str, spark: Any, tmp_path: Path) -> None:
    """Columns of headers, and the headers that records keep, in one batch and in several."""
    plan = plan_of(PROGRAMS[name])
    records = given(plan)
    cases = [Case("one", (tuple(records),)), Case("several", (tuple(records[:4]), tuple(records[4:])))]
    agree(plan, cases, spark, tmp_path)
    for case, found in zip(cases, outcomes.evaluate(spark, tmp_path, plan, cases), strict=True):
        wanted = lsqlc.evaluate(plan, list(case.records))["O"]
        if plan.semantics["O"] == "STREAM":
            assert sorted(str(r.headers) for r in found.topics["O"]) == sorted(str(r.headers) for r in wanted)
