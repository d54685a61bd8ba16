"""JSON whose members have the names of fields in another case: ksqlDB programs read it, on Spark as by the client."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.json_schema import JsonSchema
from lsqlc.lower.spark.wire.records import TopicWire
from lsqlc.topics.bad_records import reader
from lsqlc.topics.kafka.codec import Codecs, record_decoder
from lsqlc.topics.kafka.raw_lines import line_writer
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, StoredRecord, Topic
from tests.kafka.test_wire import lines, rows

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
    '{"orderid":"7"}': None,
    '{"orderid":1.5}': None,
    '{"item":"a","item":"b"}': None,
    '{"item":"a","z":{"y":1,"y":2}}': None,
    '{"at":"{\\"x\\":1}"}': None,
    '{"at":[1]}': None,
    '{"parts":{"name":"a"}}': None,
    '[{"item":"a"}]': None,
    '{"item":"a"} {}': None,
    '{"item":"a"': None,
}  # fmt: skip


def wanted(given: dict[str, Any]) -> Any:
    value, problems = codec.decode_text(TYPE, json.dumps({f.name: None for f in TYPE.fields} | given, default=str))
    assert not problems
    return value


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
    wire = encoding(facet, registered=JsonSchema(TYPE, None))
    return Topic("t", value=facet, ordinal_width=3, any_case=True), TopicWire(None, wire).in_any_case()


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
    found = reader(replace(of, any_case=False))(line.rstrip(b"\n"))
    assert (found.value if isinstance(found, StoredRecord) else "bad") == expected


def test_exact_names_are_the_rule() -> None:
    of, _ = topic()
    value = by_client(replace(of, any_case=False), b'{"item":"pen","D":1}')
    assert (value["ITEM"], value["D"]) == (None, 1.0)


def by_spark(spark: SparkSession, of: Topic, wire: TopicWire, raw: list[bytes]) -> list[Any]:
    """The values from Kafka's columns, each as the text that the client writes, or "bad"."""
    view = rows(spark, of, wire, [(None, text) for text in raw])
    found = spark.sql(
        f"SELECT if(_fits, to_json(v0, map('ignoreNullFields', 'false')), 'bad') AS v FROM {view} ORDER BY _ts"
    ).collect()
    return ["bad" if row.v == "bad" else codec.decode_text(TYPE, row.v)[0] for row in found]


def of_lines(spark: SparkSession, of: Topic, wire: TopicWire, raw: list[bytes]) -> list[Any]:
    """The values from lines, which are made where bad records are skipped."""
    read = reader(replace(of, any_case=False))
    found = [read(line) for line in lines(spark, wire, [(None, text) for text in raw])]
    return [one.value if isinstance(one, StoredRecord) else "bad" for one in found]


# What Spark's parser takes where the policy is to fail, whatever the case of names.
LOOSE = {'{"orderid":"7"}', '{"orderid":1.5}', '{"item":"a","z":{"y":1,"y":2}}'}


@pytest.mark.parametrize("format", ["json", "json_sr"])
def test_spark_reads_names_in_any_case(kafka_spark: SparkSession, format: str) -> None:
    of, wire = topic(format)
    head = b"\x00\x00\x00\x00\x01" if format == "json_sr" else b""
    expected = ["bad" if value is None else numbers(value) for value in TEXTS.values()]
    raw = [head + text.encode() for text in TEXTS]
    from_lines = of_lines(kafka_spark, of, wire, raw)
    assert dict(zip(TEXTS, from_lines, strict=True)) == dict(zip(TEXTS, expected, strict=True))
    from_columns = by_spark(kafka_spark, of, wire, raw)
    assert dict(zip(TEXTS, from_columns, strict=True)) == dict(zip(TEXTS, expected, strict=True))
