"""Records that cannot be read, on both engines: the same are bad, for the same reason, and follow the error policy."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower import duckdb
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.scan_decoding import NULL_VALUE, ScanDecoding
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire
from lsqlc.plan import Plan, nodes
from lsqlc.remote.cases import outcomes
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.kafka.failures import explained
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunResources, run
from lsqlc.remote.session.failures import query_failed
from lsqlc.remote.session.session import parse_address
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import NO_TIME, Case, Raw, Record
from tests.shared import SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# Values of each field as JSON: the first is good, of the others some.
VALUES = {
    "id": ["1", "null", '"1"', "1.0", "1e2", "99999999999", "-0", "true"],
    "item": ['"x"', "5", '{"a":1}'],
    "tags": ["[1,2]", "[1,null]", '[1,"2",3.5]', "5", "{}"],
    "t": ['"2013-01-01T05:00:00Z"', '"2013-01-01T05:00:00.123456+02:00"', '"2013-13-01T05:00:00Z"', '"x"', "5.5"],
    "d": ['"2013-01-01"', '"2013-1-1"', '"2013-02-30"', "20130101", '"0001-01-01"'],
    "dec": ["1.25", "1", "1.256", "999.99", "1000", "1e2", '"1"', "1.2500", "12e-1", "0.000001"],
    "f": ["1.5", "1e39", '"NaN"', '"inf"', "3.4028235e38", "3.5e38"],
    "x": ["1e308", "1e400", '"Infinity"', "12345678901234567890123", '"1"', "-5"],
    "b": ['"aGk="', '"aGk"', '""', '"a b="', "5"],
    "yes": ["true", "0", '"true"'],
    "big": ["9223372036854775807", "9223372036854775808", "1.0"],
    "s": ['{"a":1}', "{}", '{"a":null,"n":[[{"q":1}],[{"q":"x"},{"q":2.5}]]}', "[]", '{"a":1,"n":[5,[6]]}'],
    "m": ['{"k":1}', '{"k":"v","l":null}', "[]", '{"a\'b":1.5}'],
}
LINES = [
    '{"id":1',
    '{"id":1,"id":2}',
    '{"id":1} x',
    '{"id":1}}{',
    '{"id":1},"value":{"id":2}',
    # What ends a list around the line by itself, whatever follows.
    '{"id":1}},0]',
    '{"id":1}}],[{"id":2',
    '{"id":1}},0],["',
    "]",
    '{"id":1}} {"id":{"a":2}',
    ' \t{"id":1} ',
    '{"id":1}\0',
    '{"id":1,"item":"\0"}',
    '{"id":NaN}',
    "{'id':1}",
    '{"id":1,"item":"\\ud800"}',
    "[1]",
    "null",
    # As many levels as Spark reads in a line, and one more.
    f'{{"id":1,"deep":{"[" * 997}{"]" * 997}}}',
    f'{{"id":1,"deep":{"[" * 998}{"]" * 998}}}',
]
TYPES = (
    "id INT NOT NULL, item STRING, tags ARRAY<INT>, t TIMESTAMP, d DATE, dec DECIMAL(5,2), f FLOAT, x DOUBLE, b BYTES, "
    "yes BOOLEAN, big BIGINT, s STRUCT<a: INT NOT NULL, n: ARRAY<ARRAY<STRUCT<q: INT>>>>, m MAP<STRING, INT>"
)
WRITES = """INSERT INTO copies SELECT STREAM * FROM orders;
INSERT INTO counts SELECT TABLE COUNT(*) AS n FROM orders GROUP BY id"""


def plan_of(text: str, value: str = "id INT NOT NULL, item STRING") -> Plan:
    return lsqlc.compile(text, topics=[lsqlc.Topic("orders", key="INT", value=value)], name="out")


def some_records(seed: int, count: int = 150) -> tuple[Record, ...]:
    choose = random.Random(seed)
    records = []
    for time in range(count):
        parts = [
            f'"{name}":{choose.choice(some) if choose.random() < 0.08 else some[0]}'
            for name, some in VALUES.items()
            if choose.random() < 0.95
        ]
        text = choose.choice(LINES) if choose.random() < 0.2 else "{" + ",".join(parts) + "}"
        key = Raw(choose.choice(['"k"', "true", "1.5", "[1", "7"])) if choose.random() < 0.1 else time % 5
        records.append(Record("orders", key, Raw(text), time))
    return tuple(records)


def test_both_engines_find_the_same_records_bad(spark: SparkSession, tmp_path: Path) -> None:
    """The results, and the letters with their reasons, are equal; each bad record has one letter, though two queries
    read its topic.
    """
    plan = plan_of(f"SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; {WRITES}", TYPES)
    records = (*some_records(7), *(Record("orders", 1, Raw(text)) for text in LINES))
    case = Case("c", (records[:60], records[60:]))
    here = duckdb.evaluate(plan, [case])[0]
    there = outcomes.evaluate(spark, tmp_path, plan, [case])[0]
    assert here.topics["bad"] == there.topics["bad"]
    assert list(map(repr, here.topics["copies"])) == list(map(repr, there.topics["copies"]))
    assert [(r.key, r.value) for r in here.topics["counts"]] == [(r.key, r.value) for r in there.topics["counts"]]
    letters, copies = here.topics["bad"], here.topics["copies"]
    assert len(letters) + len(copies) == len(records) and min(len(letters), len(copies)) > 20
    assert here.counts["bad record"] == len(letters)
    assert len({letter.value["reason"] for letter in letters}) > 15


def test_records_without_a_time_follow_the_policy(spark: SparkSession, tmp_path: Path) -> None:
    """`continue` passes over those to which EVENTTIME BY gives none, `fail` stops, and `dlq` writes letters."""
    windows = "SELECT STREAM COUNT(*) AS n FROM orders EVENTTIME BY id WINDOW BY TUMBLE 10ms GROUP BY item"
    values = [5, -1, None, 17, 7]
    records = tuple(Record("orders", 1, {"id": id, "item": "a"}) for id in values)
    plan = plan_of(f"SET error.policy = 'continue'; {windows}", "id INT, item STRING")
    case = Case("c", (records,))
    here = duckdb.evaluate(plan, [case])[0]
    there = outcomes.evaluate(spark, tmp_path, plan, [case])[0]
    expected = [({"key": "a", "start": 0, "end": 10}, {"n": 2}), ({"key": "a", "start": 10, "end": 20}, {"n": 1})]
    for outcome in (here, there):
        assert [(r.key, r.value) for r in outcome.topics["out"]] == expected
    assert here.counts == {"bad record": 2}
    with pytest.raises(LsqlcError) as raised:
        duckdb.evaluate(plan_of(windows, "id INT, item STRING"), [case])
    assert [d.code for d in raised.value.diagnostics] == ["LSQ431"]
    with_letters = plan_of(f"SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; {windows}", "id INT, item STRING")
    here = duckdb.evaluate(with_letters, [case])[0]
    there = outcomes.evaluate(spark, tmp_path, with_letters, [case])[0]
    assert here.topics == there.topics
    assert [(r.key, r.value) for r in here.topics["out"]] == expected
    assert [(r.value["ordinal"], r.value["reason"]) for r in here.topics["bad"]] == [
        (1, "event time: expected a time from 1970 to 9999"),
        (2, "event time: expected a time from 1970 to 9999"),
    ]


def test_records_without_a_time_and_unreadable_ones_are_counted_together() -> None:
    plan = plan_of("SET error.policy = 'continue'; SELECT STREAM id FROM orders EVENTTIME BY id", "id INT, item STRING")
    values = ('{"id":5}', '{"id":-1}', '{"id":"x"}', "{")
    outcome = duckdb.evaluate(plan, [Case("c", (tuple(Record("orders", 1, Raw(value)) for value in values),))])[0]
    assert ([r.value for r in outcome.topics["out"]], outcome.counts) == ([{"id": 5}], {"bad record": 3})


def test_a_letter_says_where_and_why() -> None:
    """The topic, the ordinal, the reason without what was found, and the whole line as it was."""
    plan = plan_of("SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; SELECT STREAM id FROM orders")
    good, bad = Record("orders", 1, {"id": 1, "item": "a"}, 5), Record("orders", 1, Raw('{"id": "x"}'), 7)
    line = '{"ordinal":1,"timestamp":7,"key":1,"value":{"id": "x"}}'
    value = {"topic": "orders", "ordinal": 1, "reason": "value.id: expected INT", "record": line}
    # Of a record in Kafka alone.
    value |= dict.fromkeys(("partition", "offset", "key", "key_encoding", "value", "value_encoding"))
    value["model"] = plan.name
    out = lsqlc.evaluate(plan, [good, bad])
    assert out == {"out": [Record("out", 1, {"id": 1}, 5)], "bad": [Record("bad", None, value, 7)]}


def test_only_what_is_read_can_be_bad() -> None:
    """A field that no query of the program asks for may hold anything; a line that is no JSON is always bad."""
    records = [Record("orders", 1, Raw('{"id":1,"item":"\\u0041"}')), Record("orders", 1, Raw('{"id":"x","item":"b"}'))]
    plan = plan_of("SELECT STREAM item FROM orders")
    assert [r.value for r in lsqlc.evaluate(plan, records)["out"]] == [{"item": "A"}, {"item": "b"}]


def test_continue_passes_over_and_counts() -> None:
    """Nothing is written of a bad record; the ordinals of the others stay."""
    plan = plan_of("SET error.policy.read = 'continue'; SELECT STREAM id FROM orders")
    case = Case("c", ((Record("orders", 1, Raw("{")), Record("orders", 1, {"id": 4}, 9)),))
    outcome = duckdb.evaluate(plan, [case])[0]
    assert outcome.topics == {"out": (Record("out", 1, {"id": 4}, 9),)}
    assert outcome.counts == {"bad record": 1}


def test_fail_tells_topic_place_and_reason() -> None:
    """Without a policy, all bad records at once, with what was found in them."""
    plan = plan_of("SELECT STREAM id FROM orders")
    case = Case("c", ((Record("orders", 1, Raw("{")), Record("orders", 1, Raw('{"id":null}'))),))
    with pytest.raises(LsqlcError) as raised:
        duckdb.evaluate(plan, [case])
    first, second = raised.value.diagnostics
    assert {first.code, second.code} == {"LSQ432"}
    assert second.message == (
        "the model 'out' cannot read a record of 'orders': value.id: expected INT NOT NULL, found null"
    )
    assert second.notes[0] == "it is record 2 of the case 'c'"


def test_the_help_is_for_the_dialect() -> None:
    """It is the setting which skips such records there, and it does."""
    topic = lsqlc.Topic("orders", key="INT", value="id INT")
    ksql = "CREATE STREAM orders (k INT KEY, id INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');"
    plans = {
        "lenses": lsqlc.compile("SELECT STREAM id FROM orders", topics=[topic]),
        "sql": lsqlc.compile("SELECT id FROM STREAM(orders)", dialect="sql", topics=[topic]),
        "ksql": lsqlc.compile(f"{ksql} CREATE STREAM o AS SELECT * FROM orders;", dialect="ksql"),
    }
    settings = {
        "lenses": "SET error.policy = 'continue';",
        "sql": "config(error_policy='continue')",
        "ksql": "SET 'ksql.fail.on.deserialization.error'='false';",
    }
    for dialect, plan in plans.items():
        with pytest.raises(LsqlcError) as raised:
            duckdb.evaluate(plan, [Case("c", ((Record("orders", 1, Raw("{")),),))])
        (stage,) = lower(plan).stages
        malformed = "[MALFORMED_RECORD_IN_PARSING] Malformed records are detected in record parsing: [7,1]"
        found = (*raised.value.diagnostics, query_failed("m", "m", malformed, (), stage.skip_setting))
        assert [d.code for d in found] == ["LSQ432", "LSQ667"]
        for help in (d.help or "" for d in found):
            assert help.endswith(f"fix the record, or skip such records: {settings[dialect]}")
    assert lsqlc.compile(settings["lenses"] + " SELECT STREAM id FROM orders", topics=[topic]).policy == "continue"
    program = f"{settings['ksql']} {ksql} CREATE STREAM o AS SELECT * FROM orders;"
    assert lsqlc.compile(program, dialect="ksql").policy == "continue"


def test_fail_over_a_log_tells_a_time_that_is_none(tmp_path: Path) -> None:
    """Which a transport does not write, and somebody else may have."""
    plan = plan_of("SELECT STREAM id FROM orders")
    segment = tmp_path / "0.jsonl"
    line = '{"ordinal":%d,"timestamp":%d,"key":1,"value":{"id":1,"item":"a"}}\n'
    segment.write_text(line % (0, 1) + line % (1, -1), "utf-8")
    with pytest.raises(LsqlcError, match="expected a time from 1970 to 9999") as raised:
        duckdb.default_session().evaluate_logs(plan, {"orders": [segment]})
    assert [found.code for found in raised.value.diagnostics] == ["LSQ432"]


@pytest.mark.parametrize("text", ['{"id":"x"}', '{"id":null}', '{"id":1'])
def test_fail_on_spark_tells_topic_and_place(spark: SparkSession, tmp_path: Path, text: str) -> None:
    """A value of another type, and null in a field that is NOT NULL, end the query with a finding of ours."""
    plan = plan_of("SELECT STREAM id FROM orders")
    case = Case("c", ((Record("orders", 1, {"id": 4}), Record("orders", 1, Raw(text))),))
    with pytest.raises(LsqlcError) as raised:
        outcomes.evaluate(spark, tmp_path, plan, [case])
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("LSQ667", "the model 'out' cannot read a record of 'orders'")


@pytest.mark.parametrize(
    ("value", "time", "why"),
    [
        ('{"id":"x","t":5}', 0, "value: does not match the fields that are read"),
        ('{"id":null,"t":5}', 0, NULL_VALUE),
        ('{"id":1,"t":-1}', 0, f"value.t: {NO_TIME}"),
        ('{"id":1}', -1, f"timestamp: {NO_TIME}"),
    ],
    ids=["a type", "a null", "a declared time", "a time"],
)
def test_each_refusal_on_kafka_says_the_place(spark: SparkSession, value: str, time: int, why: str) -> None:
    """Partition, offset and reason, whatever is wrong with a record; from lines its ordinal."""
    orders = lsqlc.Topic("orders", key="INT", value="id INT NOT NULL, t BIGINT", event_time="t")
    (topic,) = lsqlc.compile("SELECT STREAM id, t FROM orders", topics=[orders], name="out").inputs
    scan = nodes.Scan(topic, "orders", "STREAM", topic.key, topic.value)
    (key, body) = (encoding(facet, None) for facet in (topic.key, topic.value))
    decoding = ScanDecoding(scan, TopicWire(key, body), as_columns=True)
    row = (
        f"X'00000001' AS _key, CAST('{value}' AS BINARY) AS _value, {time}L AS _timestamp, "
        "2 AS _partition, 17L AS _offset"
    )
    with pytest.raises(Exception, match="LSQLC-RECORD") as raised:
        parsed = f"SELECT {decoding.parsed()} FROM (SELECT {row})"
        spark.sql(f"SELECT {decoding.columns} FROM ({parsed}) WHERE {decoding.condition}").collect()
    found = explained(str(raised.value), KafkaSettings("localhost:1"), "m", "out", ["orders"])
    assert found is not None and found.diagnostic.code == "LSQ667"
    assert found.diagnostic.notes == ("it is at offset 17 of partition 2", why)
    if why.startswith("value:"):
        return
    line = f'{{"ordinal":17,"timestamp":{time},"key":1,"value":{value}}}'
    lines = ScanDecoding(scan)
    with pytest.raises(Exception, match="cannot be read") as raised:
        spark.sql(f"SELECT explode(array({lines.parsed()})) AS _r0 FROM (SELECT '{line}' AS _line)").collect()
    of_lines = query_failed("m", "m", raised.value, ["orders"])
    assert (of_lines.code, of_lines.notes[:2]) == ("LSQ667", (why, "its ordinal is 17"))


def test_a_run_writes_each_letter_once(spark: SparkSession, spark_server: SharedServer, tmp_path: Path) -> None:
    """Over the lines of a topic, the broken and the foreign ones included; a second run has nothing to add; and DuckDB
    over the same files agrees.
    """
    plan = plan_of(f"SET error.policy = 'dlq'; SET dead.letter.queue = 'bad'; {WRITES}")
    log = FileLog(tmp_path / "topics")
    (topic,) = plan.inputs
    log.append(topic, [Record("orders", n, {"id": n, "item": "x"}, n) for n in range(4)], segments_of=2)
    broken = ['{"ordinal":4,"timestamp":9,"key":1,"value":{"id":"x"}}', "no JSON at all", '{"key":1,"value":{"id":1}}']
    (log.data_dir("orders") / f"{4:020d}.jsonl").write_text("\n".join(broken) + "\n", "utf-8")
    address, checkpoints = parse_address(spark_server.address), tmp_path / "checkpoints"
    jobs = [Job("m", lower(plan))]
    summaries = run(RunResources(spark, address, FileTransport(log.root), checkpoints), jobs)
    assert sum(s.counts.get("bad record", 0) for s in summaries) == 3
    again = run(RunResources(spark, address, FileTransport(log.root), checkpoints), jobs)
    assert sum(s.rows for s in again) == 0
    copies, _, letters = plan.outputs
    assert [r.value["id"] for r in log.read(copies)] == [0, 1, 2, 3]
    found = [(r.value["ordinal"], r.timestamp, r.value["reason"], r.value["record"]) for r in log.read(letters)]
    reasons = ["the line is no JSON", "ordinal: expected BIGINT NOT NULL; timestamp: expected BIGINT NOT NULL"]
    without_place = [(None, 0, reason, line) for reason, line in zip(reasons, broken[1:], strict=True)]
    expected = [(4, 9, "value.id: expected INT", broken[0]), *without_place]
    assert sorted(found, key=str) == sorted(expected, key=str)
    outcome = duckdb.default_session().evaluate_logs(plan, {"orders": log.segments("orders")})
    assert sorted(str(r.value) for r in outcome.topics["bad"]) == sorted(str(r.value) for r in log.read(letters))
    assert outcome.counts == {"bad record": 3}
