"""The table of envelopes and the rows in them (`debezium.yml`), read by everything that reads records of Kafka."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from lsqlc.connectors.bad_records import BadRecord, raw_line, reader
from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.formats.debezium.settings import DECIMALS, TIMES
from lsqlc.functions.forms.json_values import json_of
from lsqlc.golden.case_records import raw_facet
from lsqlc.lower.spark.scan_decoding import ScanDecoding, parsed_columns
from lsqlc.lower.spark.validity import reason
from lsqlc.lower.spark.wire import records
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, line
from lsqlc.plan import nodes
from lsqlc.project.declared.facets import facet_of
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic
from tests.each import each

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def _table(name: str) -> Any:
    return yaml.safe_load((Path(__file__).parent / name).read_text("utf-8"))


TABLE: list[tuple[str, str, str]] = _table("debezium.yml")
# By type and settings: pairs of a column's text and its meaning.
COLUMNS: list[list[Any]] = _table("debezium_columns.yml")
ROW = parse_columns("id INT, name STRING, price DECIMAL(12,4)")
TOPIC = Topic("t", value=Facet(ROW, "debezium[decimals=number]"), ordinal_width=3)


_KAFKA = (
    "CAST(NULL AS BINARY) AS key, 2 AS partition, 3 AS offset, timestamp_millis(0) AS timestamp,"
    " CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS headers"
)


class Column(NamedTuple):
    """A topic with the one column `v`, and the texts of records with their meanings."""

    topic: Topic
    rows: list[tuple[str, str]]


def _columns() -> list[Column]:
    """Each type with its settings."""
    found = []
    for type, settings, *rows in COLUMNS:
        facet = Facet(parse_columns(f"v {type}"), f"debezium[{settings}]" if settings else "debezium")
        texts = [(f'{{"op":"c","after":{{"v":{text}}}}}', meaning) for text, meaning in rows]
        found.append(Column(Topic("t", value=facet, ordinal_width=3), texts))
    return found


@each(("topic", "rows"), _columns())
def test_the_client_reads_columns(topic: Topic, rows: list[tuple[str, str]]) -> None:
    """From the bytes, and from lines that are made of them."""
    decode, write, read = record_decoder(topic, Codecs()), line_writer(topic, Codecs()), reader(topic)
    for text, meaning in rows:
        wanted = meaning if meaning.startswith("wrong: ") else f'{{"v":{meaning}}}'
        found = read(write(None, text.encode(), 0, (1, 2, 3)))
        assert (text, _meaning(found, topic)) == (text, wanted)
        try:
            value = codec.encode_text(topic.value.type, decode(None, text.encode(), 0, (1, 2, 3)).value)
        except ValueProblems as problems:
            value = _without_path("; ".join(str(p).partition(", found")[0] for p in problems.problems))
        assert (text, value) == (text, wanted)


def test_spark_reads_columns(spark: SparkSession) -> None:
    """From lines that are made of records, and from their bytes."""
    lines: list[str] = []
    typed: list[str] = []
    wanted: dict[int, tuple[str, str]] = {}
    for number, (topic, rows) in enumerate(_columns()):
        scan, wire = nodes.Scan(topic, "t", "STREAM", topic.key, topic.value), TopicWire(None, encoding(topic.value))
        texts = {number * 100 + n: text for n, (text, _) in enumerate(rows)}
        wanted |= {number * 100 + n: (text, meaning) for n, (text, meaning) in enumerate(rows)}
        values = ", ".join(f"({n}, X'{text.encode().hex()}')" for n, text in texts.items())
        made = (
            f"SELECT n, {line(wire, 't')} AS _line FROM (SELECT n, value, {_KAFKA} FROM VALUES {values} AS t(n, value))"
        )
        judged = f"SELECT n, {records.reason('_line', reason(topic, '_line'))} AS why, _line FROM ({made})"
        decoding = ScanDecoding(scan, fails=False)
        parsed = f"SELECT n, why, if(why IS NULL, {decoding.parsed()}, NULL) AS _r0 FROM ({judged})"
        value = json_of("v0", topic.value.type)
        said = "concat('wrong: ', regexp_replace(why, '^value(: |[.])', ''))"
        view = f"SELECT {decoding.columns}, why, n FROM ({parsed})"
        lines.append(f"SELECT n, if(why IS NULL, {value}, {said}) AS meaning FROM ({view})")

        decoding = ScanDecoding(scan, wire)
        values = ", ".join(f"({n}L, CAST(NULL AS BINARY), X'{t.encode().hex()}', 2, 0L)" for n, t in texts.items())
        source = f"SELECT * FROM VALUES {values} AS t(_offset, _key, _value, _partition, _timestamp)"
        good = decoding.condition.replace("raise_error(", "isnull(0 || ")
        parsed = f"SELECT {parsed_columns((decoding, ''))} FROM ({source})"
        view = f"SELECT {decoding.columns}, {good} AS good, {decoding.ordinal}[1] AS n FROM ({parsed})"
        typed.append(f"SELECT n, if(good, {value}, 'wrong') AS meaning FROM ({view})")
    of_lines, of_bytes = (
        {row.n: row.meaning for row in spark.sql("\nUNION ALL ".join(queries)).collect()} for queries in (lines, typed)
    )
    wrong = []
    for n, (text, meaning) in wanted.items():
        is_wrong = meaning.startswith("wrong: ")
        pair = (meaning, "wrong") if is_wrong else (f'{{"v":{meaning}}}',) * 2
        if (of_lines[n], of_bytes[n]) != pair:
            wrong.append((text, pair, of_lines[n], of_bytes[n]))
    print(*wrong, sep="\n")
    assert not wrong


def _without_path(wrong: str) -> str:
    """The reason as the table has it: a reason about bytes begins with the facet, one about a field with its path."""
    return f"wrong: {wrong.removeprefix('value: ').removeprefix('value.')}"


@each(("name", "text", "meaning"), TABLE)
def test_the_client_reads_records(name: str, text: str, meaning: str) -> None:
    decode = record_decoder(TOPIC, Codecs())
    try:
        found = codec.encode_text(ROW, decode(None, text.encode(), 0, (1, 2, 3)).value)
    except ValueProblems as problems:
        found = _without_path("; ".join(str(p).partition(", found")[0] for p in problems.problems))
    assert found == meaning


@each(("name", "text", "meaning"), TABLE)
def test_the_client_makes_lines(name: str, text: str, meaning: str) -> None:
    read = reader(TOPIC)(line_writer(TOPIC, Codecs())(None, text.encode(), 0, (1, 2, 3)))
    assert _meaning(read) == meaning


@each(("name", "text", "meaning"), [row for row in TABLE if row[1]])
def test_raw_values_of_cases_are_envelopes(name: str, text: str, meaning: str) -> None:
    record = Record("t", None, raw_facet(TOPIC, "value", text))
    assert _meaning(reader(TOPIC)(raw_line(TOPIC, record, 1))) == meaning


def _meaning(found: object, topic: Topic = TOPIC) -> str:
    if isinstance(found, BadRecord):
        return _without_path(found.reason)
    return codec.encode_text(topic.value.type, found.value)  # type: ignore[attr-defined]


def test_broken_characters_are_no_json() -> None:
    decode = record_decoder(TOPIC, Codecs())
    with pytest.raises(ValueProblems, match="expected JSON"):
        decode(None, b'{"op":"c","after":{"id":1,"name":"\xff"}}', 0, (1, 2, 3))


def test_a_value_is_written_as_an_insertion() -> None:
    """In cases, and by `lsqlc produce`: models do not write envelopes."""
    value = {"id": 1, "name": "x", "price": None}
    _, written = record_encoder(TOPIC, Codecs())(Record("t", None, value))
    assert written == b'{"before":null,"after":{"id":1,"name":"x","price":null},"op":"c"}'
    assert record_decoder(TOPIC, Codecs())(None, written, 0, (1, 2, 3)).value == value


# A topic of changes, and one of documents that are texts, as MongoDB writes them.
CHANGES: list[tuple[str, str, str]] = yaml.safe_load(
    (Path(__file__).parent / "debezium_changes.yml").read_text("utf-8")
)
_CHANGE = facet_of({"format": "debezium-changes", "schema": "id INT, at TIMESTAMP", "times": "micros"})
OF_CHANGES = Topic("t", value=_CHANGE, ordinal_width=3)
OF_TEXTS = Topic("t", value=facet_of({"format": "debezium-changes", "schema": "STRING"}), ordinal_width=3)
TEXTS = [
    ("MongoDB inserts", '{"op":"c","after":"{\\"_id\\": 1}","before":null}', '{"op":"c","after":"{\\"_id\\": 1}"}'),
    ("a row", '{"op":"c","after":{"id":1}}', "wrong: the 'after' of the envelope is not a text"),
]
of_changes = pytest.mark.parametrize(
    ("topic", "cases"), [(OF_CHANGES, CHANGES), (OF_TEXTS, TEXTS)], ids=["rows", "texts"]
)


def _without_nulls(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(part) for name, part in value.items() if part is not None}


def _same_change(found: str, meaning: str) -> bool:
    if "wrong: " in (found[:7], meaning[:7]):
        return found == meaning
    return bool(_without_nulls(json.loads(found)) == json.loads(meaning))


@of_changes
def test_the_client_reads_changes(topic: Topic, cases: list[tuple[str, str, str]]) -> None:
    """From the bytes, and from lines that are made of them."""
    decode, write, read = record_decoder(topic, Codecs()), line_writer(topic, Codecs()), reader(topic)
    for name, text, meaning in cases:
        of_line = _meaning(read(write(None, text.encode(), 0, (1, 2, 3))), topic)
        assert _same_change(of_line, meaning), (name, of_line)
        try:
            value = codec.encode_text(topic.value.type, decode(None, text.encode(), 0, (1, 2, 3)).value)
        except ValueProblems:
            value = meaning
        assert _same_change(value, meaning), (name, value)


@of_changes
def test_changes_are_read_as_they_were_written(topic: Topic, cases: list[tuple[str, str, str]]) -> None:
    decode, encode = record_decoder(topic, Codecs()), record_encoder(topic, Codecs())
    for _, text, meaning in cases:
        if not meaning.startswith("wrong: "):
            value = decode(None, text.encode(), 0, (1, 2, 3)).value
            assert decode(None, *encode(Record("t", None, value))[1:], 0, (1, 2, 3)).value == value


@of_changes
def test_spark_reads_changes(spark: SparkSession, topic: Topic, cases: list[tuple[str, str, str]]) -> None:
    """From lines that are made of records, and from their bytes."""
    scan, wire = nodes.Scan(topic, "t", "STREAM", topic.key, topic.value), TopicWire(None, encoding(topic.value))
    value = f"coalesce({json_of('v0', topic.value.type)}, 'null')"
    values = ", ".join(f"({n}, X'{text.encode().hex()}')" for n, (_, text, _) in enumerate(cases))
    source = f"SELECT n, value, {_KAFKA} FROM VALUES {values} AS t(n, value)"
    made = f"SELECT n, {line(wire, 't')} AS _line FROM ({source})"
    judged = f"SELECT n, {records.reason('_line', reason(topic, '_line'))} AS why, _line FROM ({made})"
    decoding = ScanDecoding(scan, fails=False)
    parsed = f"SELECT n, why, if(why IS NULL, {decoding.parsed()}, NULL) AS _r0 FROM ({judged})"
    said = "concat('wrong: ', regexp_replace(why, '^value(: |[.])', ''))"
    view = f"SELECT {decoding.columns}, why, n FROM ({parsed})"
    of_lines = spark.sql(f"SELECT n, if(why IS NULL, {value}, {said}) AS meaning FROM ({view})").collect()
    decoding = ScanDecoding(scan, wire)
    values = ", ".join(
        f"({n}L, CAST(NULL AS BINARY), X'{t.encode().hex()}', 2, 0L)" for n, (_, t, _) in enumerate(cases)
    )
    source = f"SELECT * FROM VALUES {values} AS t(_offset, _key, _value, _partition, _timestamp)"
    good = decoding.condition.replace("raise_error(", "isnull(0 || ")
    parsed = f"SELECT {parsed_columns((decoding, ''))} FROM ({source})"
    view = f"SELECT {decoding.columns}, {good} AS good, {decoding.ordinal}[1] AS n FROM ({parsed})"
    of_bytes = {
        r.n: r.meaning for r in spark.sql(f"SELECT n, if(good, {value}, 'bad') AS meaning FROM ({view})").collect()
    }
    for row in of_lines:
        name, _, meaning = cases[row.n]
        assert _same_change(row.meaning, meaning), (name, row.meaning)
        is_wrong = meaning.startswith("wrong: ")
        assert of_bytes[row.n] == "bad" if is_wrong else _same_change(of_bytes[row.n], meaning), (name, of_bytes[row.n])


def test_a_value_is_read_as_it_was_written() -> None:
    """Whatever form the columns have."""
    row = parse_columns("at TIMESTAMP, hour TIME, price DECIMAL(10,2), day DATE")
    value = {
        "at": datetime(2023, 11, 14, 22, 13, 20, 5, UTC), "hour": 3_723_000_001, "price": Decimal("-1.50"),
        "day": date(2023, 11, 14),
    }  # fmt: skip
    for time, decimal in product(TIMES, DECIMALS):
        topic = Topic("t", value=Facet(row, f"debezium[times={time},decimals={decimal}]"), ordinal_width=3)
        for given in (value, dict.fromkeys(value)):
            _, written = record_encoder(topic, Codecs())(Record("t", None, given))
            assert record_decoder(topic, Codecs())(None, written, 0, (1, 2, 3)).value == given


def _same(spark: SparkSession, sql: str) -> bool:
    """Whether the rows `n`, `meaning` of a query are those of the table, and print those that are not."""
    found = {row.n: row.meaning for row in spark.sql(sql).collect()}
    wrong = [(name, found[n], meaning) for n, (name, _, meaning) in enumerate(TABLE) if found[n] != meaning]
    print(*wrong, sep="\n")
    return not wrong


def _source(columns: Callable[[int, str], str], names: str) -> str:
    values = ", ".join(f"({columns(n, text)})" for n, (_, text, _) in enumerate(TABLE))
    return f"SELECT * FROM VALUES {values} AS t({names})"


def test_spark_reads_records(spark: SparkSession) -> None:
    """Where a record that cannot be read fails the query."""
    decoding = ScanDecoding(
        nodes.Scan(TOPIC, "t", "STREAM", TOPIC.key, TOPIC.value), TopicWire(None, encoding(TOPIC.value))
    )
    source = _source(
        lambda n, text: f"{n}L, CAST(NULL AS BINARY), X'{text.encode().hex()}', 2, {n}L",
        "_offset, _key, _value, _partition, _timestamp",
    )
    # The refusal is what the row says instead.
    good = decoding.condition
    assert good.count("raise_error(") == 1
    why = good.replace("TRUE, raise_error(", "NULL, (")
    parsed = f"SELECT {parsed_columns((decoding, ''))} FROM ({source})"
    rows = f"SELECT {decoding.columns}, {why} AS why, {decoding.ordinal}[1] AS n FROM ({parsed})"
    said = "concat('wrong: ', replace(replace(substring_index(why, ': ', -1), 'LSQLC-RECORD', ''), 'value: ', ''))"
    value = f"coalesce({json_of('v0', ROW)}, 'null')"
    sql = f"SELECT n, if(why IS NULL, {value}, {said}) AS meaning FROM ({rows})"
    found = {row.n: row.meaning for row in spark.sql(sql).collect()}
    wrong = [
        (name, found[n], meaning)
        for n, (name, _, meaning) in enumerate(TABLE)
        # What is wrong with a field is said as a whole there.
        if found[n] != meaning and not (": expected" in meaning[6:] and "wrong" in found[n])
    ]
    print(*wrong, sep="\n")
    assert not wrong


def test_spark_makes_lines(spark: SparkSession) -> None:
    """Where records that cannot be read are passed over, or become letters."""
    source = _source(lambda n, text: f"{n}, X'{text.encode().hex()}'", "n, value")
    made = line(TopicWire(None, encoding(TOPIC.value)), "t")
    lines = f"SELECT n, {made} AS _line FROM (SELECT n, value, {_KAFKA} FROM ({source}))"
    judged = f"SELECT n, {records.reason('_line', reason(TOPIC, '_line'))} AS why, _line FROM ({lines})"
    decoding = ScanDecoding(nodes.Scan(TOPIC, "t", "STREAM", TOPIC.key, TOPIC.value), fails=False)
    parsed = f"SELECT n, why, if(why IS NULL, {decoding.parsed()}, NULL) AS _r0 FROM ({judged})"
    rows = f"SELECT {decoding.columns}, why, n FROM ({parsed})"
    said = "concat('wrong: ', regexp_replace(why, '^value(: |[.])', ''))"
    value = f"coalesce({json_of('v0', ROW)}, 'null')"
    assert _same(spark, f"SELECT n, if(why IS NULL, {value}, {said}) AS meaning FROM ({rows})")
