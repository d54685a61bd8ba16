"""JSON whose members have the names of fields in another case: ksqlDB programs read it, on Spark as by the client."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import lsqlc
from lsqlc.connectors.bad_records import reader
from lsqlc.connectors.kafka.codec import Codecs, record_decoder
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.formats.record import StoredFacet
from lsqlc.formats.registered import FacetSchemas
from lsqlc.functions.forms.json_values import json_of
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire
from lsqlc.plan import Plan
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.ddl import parse_columns
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Facet, StoredRecord, Topic
from tests.kafka import client
from tests.kafka.test_run import Kafka
from tests.kafka.test_wire import lines, rows
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TYPE = parse_columns(
    "ITEM STRING, ORDERID BIGINT, PRICE DECIMAL(38,9), D DOUBLE, B BOOLEAN, `own` INT, AT STRUCT<X: DOUBLE, ZIP: INT>,"
    " PARTS ARRAY<STRUCT<NAME: STRING, P: DECIMAL(30,10)>>, M MAP<STRING, STRUCT<X: INT>>, DEEP ARRAY<MAP<STRING,"
    " ARRAY<STRUCT<Y: STRING>>>>, NS ARRAY<DECIMAL(30,10)>, PLAIN MAP<STRING, INT>, TS TIMESTAMP"
)
# Texts, and what their value has beside nulls; None: it is a bad record.
TEXTS: dict[str, dict[str, Any] | None] = {
    '{"ITEM":"pen"}': {"ITEM": "pen"},
    '{"item":"pen","orderId":7}': {"ITEM": "pen", "ORDERID": 7},
    ' { "Item" : "p\\"e\\u006e:\\n" , "orderid" : 9223372036854775807 } ': {"ITEM": 'p"en:\n', "ORDERID": 2**63 - 1},
    '{"\\u0069tem":"pen"}': {"ITEM": "pen"},
    '{"item":null,"orderid":1}': {"ORDERID": 1},
    # The exact one wins, also if it is null; else the last.
    '{"ITEM":null,"item":"pen","d":1}': {"D": 1.0},
    '{"item":"pen","ITEM":"ink","d":1.5}': {"ITEM": "ink", "D": 1.5},
    '{"item":"pen","Item":"ink","iTEM":"paper","other":{"item":1}}': {"ITEM": "paper"},
    # A name that was quoted is exact.
    '{"OWN":1,"Own":2,"item":"x"}': {"ITEM": "x"},
    '{"own":1,"item":"x"}': {"own": 1, "ITEM": "x"},
    # Digits are kept.
    '{"price":12345678901234567890.123456789,"d":-0.1}': {"PRICE": "12345678901234567890.123456789", "D": -0.1},
    '{"Price":1.10,"ns":[1.0,12345678901234567890.0123456789,null]}': {
        "PRICE": "1.10", "NS": ["1.0", "12345678901234567890.0123456789", None]
    },
    '{"b":true,"ts":"2024-02-29T23:59:59.123456Z"}': {"B": True, "TS": "2024-02-29T23:59:59.123456Z"},
    # Structs inside.
    '{"at":{"x":1.5,"zip":7}}': {"AT": {"X": 1.5, "ZIP": 7}},
    '{"AT":{"x":1.5,"ZIP":7}}': {"AT": {"X": 1.5, "ZIP": 7}},
    '{"at":null,"parts":[{"name":"a","p":1.5},null,{"NAME":"b","name":"c"}]}': {
        "PARTS": [{"NAME": "a", "P": "1.5"}, None, {"NAME": "b", "P": None}]
    },
    '{"m":{"a":{"x":1},"A":null,"":{"X":3}}}': {"M": {"a": {"X": 1}, "A": None, "": {"X": 3}}},
    '{"deep":[{"k":[{"y":"z"},null]},null]}': {"DEEP": [{"k": [{"Y": "z"}, None]}, None]},
    # Keys of a MAP are no names.
    '{"plain":{"item":1,"ITEM":2}}': {"PLAIN": {"item": 1, "ITEM": 2}},
    '{"ITEM":"{\\"item\\":1}"}': {"ITEM": '{"item":1}'},
    '{"item":"{\\"item\\":1}","at":{}}': {"ITEM": '{"item":1}', "AT": {"X": None, "ZIP": None}},
    "{}": {},
    # Bad ones.
    '{"orderid":"7"}': {"ORDERID": 7},
    '{"orderid":1.5}': {"ORDERID": 1},
    '{"orderid":"7 "}': None,
    '{"item":"a","item":"b"}': None,
    '{"item":"a","z":{"y":1,"y":2}}': None,
    '{"at":"{\\"x\\":1}"}': None,
    '{"at":[1]}': None,
    '{"parts":{"name":"a"}}': None,
    '[{"item":"a"}]': None,
    '{"item":"a"} {}': None,
    '{"item":"a"': None,
}  # fmt: skip


def numbers(given: dict[str, Any] | None) -> Any:
    """The expected value: a DECIMAL is written as text here, to keep its digits."""
    if given is None:
        return None
    text = json.dumps(given)
    for digits in ("12345678901234567890.123456789", "1.10", "12345678901234567890.0123456789", "1.0", "1.5"):
        text = text.replace(f'"{digits}"', digits)
    value, problems = codec.decode_text(TYPE, text)
    assert not problems, problems
    return value


def topic(format: str = "json") -> tuple[Topic, TopicWire]:
    facet = Facet(TYPE, format)
    wire = encoding(facet, stored=StoredFacet("t", "value", TYPE, format, schemas=FacetSchemas))
    return Topic("t", value=facet, ordinal_width=3, ksql_json=True), TopicWire(None, wire).as_ksqldb()


def by_client(of: Topic, raw: bytes) -> Any:
    """The value, or "bad"."""
    try:
        return record_decoder(of, Codecs())(None, raw, 0, (0, 0, 0)).value
    except ValueProblems:
        return "bad"


@pytest.mark.parametrize(("text", "value"), TEXTS.items())
def test_the_client_reads_names_in_any_case(text: str, value: dict[str, Any] | None) -> None:
    of, _ = topic()
    expected = "bad" if value is None else numbers(value)
    assert by_client(of, text.encode()) == expected
    # So do the lines that DuckDB gets.
    line = line_writer(of, Codecs())(None, text.encode(), 0, (0, 0, 0))
    found = reader(replace(of, ksql_json=False))(line.rstrip(b"\n"))
    assert (found.value if isinstance(found, StoredRecord) else "bad") == expected


def test_exact_names_are_the_rule() -> None:
    of, _ = topic()
    value = by_client(replace(of, ksql_json=False), b'{"item":"pen","D":1}')
    assert (value["ITEM"], value["D"]) == (None, 1.0)


def by_spark(spark: SparkSession, of: Topic, wire: TopicWire, raw: list[bytes]) -> list[Any]:
    """The values from Kafka's columns, each as the text that the client writes, or "bad"."""
    view = rows(spark, of, wire, [(None, text) for text in raw])
    found = spark.sql(f"SELECT if(_fits, {json_of('v0', TYPE)}, 'bad') AS v FROM {view} ORDER BY _ts").collect()
    return ["bad" if row.v == "bad" else codec.decode_text(TYPE, row.v)[0] for row in found]


def of_lines(spark: SparkSession, of: Topic, wire: TopicWire, raw: list[bytes]) -> list[Any]:
    """The values from lines, which are made where bad records are skipped."""
    read = reader(replace(of, ksql_json=False))
    found = [read(line) for line in lines(spark, wire, [(None, text) for text in raw])]
    return [one.value if isinstance(one, StoredRecord) else "bad" for one in found]


@pytest.mark.parametrize("format", ["json", "json_sr"])
def test_spark_reads_names_in_any_case(kafka_spark: SparkSession, format: str) -> None:
    of, wire = topic(format)
    head = b"\x00\x00\x00\x00\x01" if format == "json_sr" else b""
    # A JSON Schema says how numbers are written.
    bad = {text for text, value in TEXTS.items() if value is None or (format == "json_sr" and text in OTHER_NUMBERS)}
    expected = ["bad" if text in bad else numbers(value or {}) for text, value in TEXTS.items()]
    raw = [head + text.encode() for text in TEXTS]
    from_lines = of_lines(kafka_spark, of, wire, raw)
    assert dict(zip(TEXTS, from_lines, strict=True)) == dict(zip(TEXTS, expected, strict=True))
    from_columns = by_spark(kafka_spark, of, wire, raw)
    assert dict(zip(TEXTS, from_columns, strict=True)) == dict(zip(TEXTS, expected, strict=True))


OTHER_NUMBERS = ('{"orderid":"7"}', '{"orderid":1.5}')
NAMES = ["ITEM", "item", "Item", "AT", "at", "x", "X", "zip", "PARTS", "parts", "name", "M", "m", "own", "OWN", "z"]
VALUES = st.recursive(
    st.none() | st.integers(-9, 9) | st.sampled_from(["", "a", '{"x":1}', "ä"]) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=6,
)


@settings(suppress_health_check=[*HealthCheck], deadline=None, max_examples=2, phases=[Phase.generate])
@given(st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5), min_size=100, max_size=150))
def test_spark_reads_what_the_client_reads(kafka_spark: SparkSession, values: list[dict[str, Any]]) -> None:
    """Objects with any names, in which values may be of other types than those of the columns: the lines of both are
    the same values, or bad for both.
    """
    of, wire = topic()
    # Compact, since a STRING takes the text of an object, of which Spark leaves out the space.
    raw = [json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() for value in values]
    expected = [by_client(of, text) for text in raw]
    for text, found, value in zip(raw, of_lines(kafka_spark, of, wire, raw), expected, strict=True):
        assert found == value, text
    for text, found, value in zip(raw, by_spark(kafka_spark, of, wire, raw), expected, strict=True):
        # A text with the right names has the reading that it always has; Spark takes some that the client refuses.
        assert found == value or value == "bad", text


KSQL = """
    CREATE STREAM orders (id INT KEY, item STRING, n INT, at STRUCT<zip INT>)
        WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON');
    CREATE TABLE labels (a STRING PRIMARY KEY, label STRING) WITH (KAFKA_TOPIC = 'labels', VALUE_FORMAT = 'JSON');
    CREATE STREAM out WITH (KAFKA_TOPIC = 'out', VALUE_FORMAT = 'JSON') AS
        SELECT o.item AS item, o.n AS n, o.at->zip AS zip, l.label AS label
        FROM orders o LEFT JOIN labels l ON o.item = l.a EMIT CHANGES;
    CREATE TABLE sums WITH (KAFKA_TOPIC = 'sums', VALUE_FORMAT = 'JSON') AS
        SELECT item, COUNT(*) AS c, SUM(n) AS n FROM orders GROUP BY item EMIT CHANGES;
"""


def test_both_engines_agree_over_kafka(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> None:
    """Records that another client wrote, with names in several cases; the checkpoint goes on."""
    plan = lsqlc.compile(KSQL, dialect="ksql", name="shop")
    place = KafkaSettings(broker.bootstrap, prefix=topic_prefix, partitions=2)
    kafka = Kafka(plan, place, tmp_path, kafka_spark, kafka_spark_server.address)
    kafka.prepare()
    client.write(broker.bootstrap, f"{topic_prefix}labels", [(b"pen", b'{"label":"a pen"}', 1)])
    for first in (10, 20):
        texts = [
            b'{"item":"pen","n":1,"at":{"zip":7}}',
            b'{"ITEM":"pen","n":2}',
            b'{"Item":"ink","N":3,"At":{"ZIP":8}}',
        ]
        sent = [(b"\0\0\0\1", text, first + n) for n, text in enumerate(texts)]
        client.write(broker.bootstrap, f"{topic_prefix}orders", sent)
        ran = kafka.run()
        assert all(summary.finished for summary in ran) and not kafka.differences()
    assert all(summary.resumed for summary in ran)
    out, sums = plan.outputs
    written = [tuple(record.value.values()) for record in kafka.place.log.read(out)]
    assert sorted(written, key=str) == sorted(2 * [(1, 7, "a pen"), (2, None, "a pen"), (3, 8, None)], key=str)
    last = {record.key: tuple(record.value.values()) for record in kafka.place.log.read(sums)}
    assert last == {"pen": (4, 6), "ink": (2, 6)}


def sql_of(plan: Plan, wires: dict[str, TopicWire]) -> str:
    return str(lower(plan, wires=wires))


def test_only_ksqldb_programs_read_names_in_any_case() -> None:
    """The plan of a program, and how it is printed, do not say so: its checkpoints are what they were."""
    facet = Facet(parse_columns("ITEM STRING, N INT"), "json")
    declared = lsqlc.Topic("orders", value="ITEM STRING, N INT")
    ksql = lsqlc.compile(
        "CREATE STREAM orders (item STRING, n INT) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON');"
        "CREATE STREAM out WITH (KAFKA_TOPIC = 'out') AS SELECT item FROM orders EMIT CHANGES;",
        dialect="ksql", name="out",
    )  # fmt: skip
    lenses = lsqlc.compile("SELECT STREAM ITEM FROM orders", topics=[declared], name="out")
    assert [t.ksql_json for t in (*ksql.inputs, *lenses.inputs)] == [True, False]
    assert [t.ksql_json for t in (*ksql.outputs, *lenses.outputs)] == [True, False]
    wires = {name: TopicWire(None, encoding(facet)) for name in ("orders", "out")}
    assert "translate(" in sql_of(ksql, wires) and "translate(" not in sql_of(lenses, wires)
    assert "ksql_json" not in json.dumps(ksql.to_json())
