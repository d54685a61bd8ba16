"""Several streams and tables over one topic, each with some of its columns; and over topics that a project declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import lsqlc
from lsqlc import CompileError, Record, Topic

SHARED = """
CREATE STREAM wide (id INT KEY, a STRING, b INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON', PARTITIONS = 3);
CREATE STREAM other (id INT KEY, c DOUBLE, b INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');
CREATE STREAM keyless (c DOUBLE) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');
CREATE TABLE newest (id INT PRIMARY KEY, a STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');
CREATE STREAM o1 AS SELECT * FROM wide;
CREATE STREAM o2 AS SELECT * FROM other;
CREATE STREAM o3 AS SELECT * FROM keyless;
CREATE TABLE o4 AS SELECT a, COUNT(*) AS n FROM newest GROUP BY a;
CREATE STREAM o5 AS SELECT w.id, w.a, o.c FROM wide w JOIN other o WITHIN 1 SECOND ON w.id = o.id;
"""
RECORDS = [
    Record("t", 1, {"A": "x", "B": 2, "C": 0.5}, 5),
    Record("t", 1, {"A": "y", "B": 3, "C": None}, 60_000),
]


def _values(out: Mapping[str, Sequence[Record]], topic: str) -> list[tuple[Any, Any]]:
    return [(r.key, r.value) for r in out[topic]]


def _codes(text: str, *topics: Topic) -> list[str]:
    with pytest.raises(CompileError) as refused:
        lsqlc.compile(text, dialect="ksql", topics=topics)
    return [d.code for d in refused.value.diagnostics if d.is_error]


def test_each_stream_reads_its_columns() -> None:
    """The topic has all of them, and one key; without a key column the key is not read."""
    plan = lsqlc.compile(SHARED, dialect="ksql")
    (topic,) = plan.inputs
    assert (str(topic.key.type), str(topic.value.type)) == ("INT", "STRUCT<A: STRING, B: INT, C: DOUBLE>")
    assert topic.partitions == 3
    out = lsqlc.evaluate(plan, RECORDS)
    assert _values(out, "O1") == [(1, {"A": "x", "B": 2}), (1, {"A": "y", "B": 3})]
    assert _values(out, "O2") == [(1, {"C": 0.5, "B": 2}), (1, {"C": None, "B": 3})]
    assert _values(out, "O3") == [(None, {"C": 0.5}), (None, {"C": None})]
    assert _values(out, "O4") == [("x", {"N": 0}), ("y", {"N": 1})]
    assert _values(out, "O5") == [(1, {"A": "x", "C": 0.5}), (1, {"A": "y", "C": None})]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("(id INT KEY, a STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON')",
         "(id INT KEY, a INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON')"),
        ("(id INT KEY, a STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON')",
         "(id BIGINT KEY, a STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON')"),
        ("(id INT KEY, a STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON')",
         "(id INT KEY, a STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'AVRO')"),
        ("(id INT KEY, a STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'DELIMITED')",
         "(id INT KEY, a STRING, b INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'DELIMITED')"),
    ],
)  # fmt: skip
def test_declarations_that_contradict_each_other_are_refused(one: str, two: str) -> None:
    """Another type of a column, another key, another format, and other columns where they are known by position."""
    text = f"CREATE STREAM one {one}; CREATE STREAM two {two}; CREATE STREAM o AS SELECT * FROM one;"
    assert _codes(text) == ["LSQ378"]


PART = "CREATE STREAM part (id INT KEY, b INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
PART_OUT = f"{PART} CREATE STREAM o AS SELECT * FROM part;"


def test_a_part_of_the_columns_of_a_declared_topic() -> None:
    """Columns that must not be null there may be declared without a word; the time of a record is read all the same."""
    topic = Topic("t", "INT", "A STRING NOT NULL, B INT NOT NULL, T BIGINT", event_time="T")
    plan = lsqlc.compile(PART_OUT, dialect="ksql", topics=[topic])
    (found,) = lsqlc.evaluate(plan, [Record("t", 1, {"A": "x", "B": 2, "T": 77}, 5)])["O"]
    assert (found.key, found.value, found.timestamp) == (1, {"B": 2}, 77)
    nested = PART_OUT.replace("b INT", "s STRUCT<x INT, y STRING>")
    whole = Topic("t", "INT", "S STRUCT<X: INT NOT NULL, Y: STRING>, B INT")
    assert lsqlc.compile(nested, dialect="ksql", topics=[whole]).outputs[0].name == "O"


@pytest.mark.parametrize("value", ["A STRING", "B BIGINT, A STRING", "b INT, A STRING"])
def test_columns_that_a_declared_topic_lacks_are_refused(value: str) -> None:
    """No such column, another type, or another case of letters."""
    assert _codes(PART_OUT, Topic("t", "INT", value)) == ["LSQ328"]


def test_a_part_of_the_columns_that_a_query_writes() -> None:
    """Over its topic, in another order too; what it does not write is refused."""
    text = """
    CREATE STREAM s (id INT KEY, a STRING, b INT, c INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');
    CREATE STREAM w AS SELECT * FROM s;
    CREATE TABLE back (id INT PRIMARY KEY, c INT, a STRING) WITH (KAFKA_TOPIC = 'W', VALUE_FORMAT = 'JSON');
    CREATE TABLE o AS SELECT * FROM back WHERE c > 1;
    """
    plan = lsqlc.compile(text, dialect="ksql")
    rows = [Record("s", 1, {"A": "x", "B": 2, "C": 3}), Record("s", 2, {"A": "y", "B": 2, "C": 1})]
    assert _values(lsqlc.evaluate(plan, rows), "O") == [(1, {"C": 3, "A": "x"})]
    assert _codes(text.replace("c INT, a STRING) WITH (KAFKA_TOPIC = 'W'", "d INT) WITH (KAFKA_TOPIC = 'W'")) == [
        "LSQ328"
    ]


OWN = """
CREATE STREAM s (id INT KEY, a STRING, b INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM w AS SELECT * FROM s;
CREATE TABLE n AS SELECT a, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 1 SECOND) GROUP BY a;
"""


def test_a_stream_without_a_key_over_the_topic_of_a_query() -> None:
    """It does not read the key, as over any other topic: of a stream, of a table, and of windows."""
    text = (
        OWN
        + """
    CREATE STREAM one (b INT, a STRING) WITH (KAFKA_TOPIC = 'W', VALUE_FORMAT = 'JSON');
    CREATE STREAM two (n BIGINT) WITH (KAFKA_TOPIC = 'N', VALUE_FORMAT = 'JSON');
    CREATE STREAM o1 AS SELECT * FROM one;
    CREATE TABLE o2 AS SELECT a, SUM(b) AS b FROM one GROUP BY a;
    CREATE STREAM o3 AS SELECT * FROM two;
    """
    )
    records = [Record("s", n, {"A": "x", "B": n}, n) for n in (1, 2)]
    out = lsqlc.evaluate(lsqlc.compile(text, dialect="ksql"), [*records, Record("s", 3, None, 3)])
    assert _values(out, "O1") == [(None, {"B": 1, "A": "x"}), (None, {"B": 2, "A": "x"}), (None, None)]
    assert _values(out, "O2") == [("x", {"B": 3})]
    assert _values(out, "O3") == [(None, {"N": 1}), (None, {"N": 2})]


@pytest.mark.parametrize(
    "columns",
    ["(c INT) WITH (KAFKA_TOPIC = 'W'", "(b BIGINT) WITH (KAFKA_TOPIC = 'W'",
     "(a STRING KEY, b INT) WITH (KAFKA_TOPIC = 'W'", "(a STRING KEY, n BIGINT) WITH (KAFKA_TOPIC = 'N'"],
)  # fmt: skip
def test_columns_that_a_query_does_not_write_are_refused(columns: str) -> None:
    """Another column, another type, another key, and a key without the bounds of its windows."""
    assert _codes(f"{OWN} CREATE STREAM r {columns}, VALUE_FORMAT = 'JSON'); CREATE STREAM o AS SELECT * FROM r;") == [
        "LSQ328"
    ]


AVRO = """
CREATE STREAM s (id INT KEY, a STRING, b INT) WITH (KAFKA_TOPIC = 's', FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM w WITH (KAFKA_TOPIC = 'w') AS SELECT * FROM s;
CREATE STREAM r WITH (KAFKA_TOPIC = 'w', {});
CREATE STREAM o AS SELECT * FROM r;
"""


@pytest.mark.parametrize(("formats", "key"), [("FORMAT = 'AVRO'", 1), ("VALUE_FORMAT = 'AVRO'", None)])
def test_columns_that_are_left_out_are_those_of_the_query_that_writes_the_topic(formats: str, key: int | None) -> None:
    """Of each facet whose format has schemas; a key in another format is not read."""
    plan = lsqlc.compile(AVRO.format(formats), dialect="ksql")
    out = lsqlc.evaluate(plan, [Record("s", 1, {"A": "x", "B": 2})])
    assert _values(out, "O") == [(key, {"A": "x", "B": 2})]
    assert [(str(t.value.type), t.value.format) for t in plan.outputs] == [("STRUCT<A: STRING, B: INT>", "avro")] * 2


def test_columns_of_a_format_without_schemas_must_be_declared() -> None:
    """And those of another format than the query writes."""
    assert _codes(AVRO.format("FORMAT = 'JSON'"))[0] == "LSQ375"
    assert _codes(AVRO.format("FORMAT = 'JSON_SR'"))[0] == "LSQ375"
