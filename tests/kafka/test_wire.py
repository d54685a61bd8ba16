"""The bytes of keys and values on Spark against those of the client: the same both ways, and bad ones told apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsqlc.connectors.bad_records import UNREAD
from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.connectors.lines import line_decoder, line_encoder
from lsqlc.formats.delimited import format as formats
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.record_lines import written_columns
from lsqlc.lower.spark.scan_decoding import ScanDecoding, parsed_columns
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, line
from lsqlc.plan import nodes
from lsqlc.plan.kafka_order import lane
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import ABSENT, Facet, Record, StoredRecord, Topic
from tests.delimited_rows import READ, WRITTEN

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_WIDE = parse_columns(
    "i INT, l BIGINT, f FLOAT, d DOUBLE, s STRING, b BOOLEAN, y BYTES, c DECIMAL(20,3), t TIMESTAMP, o DATE,"
    " a ARRAY<STRUCT<x INT, t TIMESTAMP>>, m MAP<STRING, DOUBLE>"
)
_AT = datetime(2024, 2, 29, 23, 59, 59, 123456, UTC)
_ROW = {
    "i": -(2**31), "l": 2**63 - 1, "f": 1.5, "d": -0.0, "s": 'ä"\\\n\u2028\U0001f600', "b": True, "y": b"\x00\xff",
    "c": Decimal("12345678901234567.125"), "t": _AT, "o": date(1999, 12, 31), "a": [{"x": 1, "t": _AT}, None],
    "m": {"k": float("inf"), "": None},
}  # fmt: skip
# By format: values that are at the edges of the type.
_VALUES: dict[str, tuple[data.DataType, list[Any]]] = {
    "int": (data.INT, [0, 1, -1, 2**31 - 1, -(2**31)]),
    "long": (data.BIGINT, [0, 1, -1, 2**63 - 1, -(2**63), 255, 256]),
    "float": (data.FLOAT, [0.0, -0.0, 1.5, -3.0, float("inf"), float("-inf")]),
    "double": (data.DOUBLE, [0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308, float("inf")]),
    "string": (data.STRING, ["", "a", 'q"\\\n\t', "ä\u2028\U0001f600", "null", "1"]),
    "boolean": (data.BOOLEAN, [True, False]),
    "bytes": (data.BYTES, [b"", b"\x00", bytes(range(256))]),
    "date": (data.DATE, [date(1970, 1, 1), date(9999, 12, 31), date(1, 1, 1)]),
    "timestamp": (data.TIMESTAMP, [_AT, datetime(1970, 1, 1, tzinfo=UTC)]),
    "time": (data.TIME, [0, 86_399_999_999]),
    "json": (_WIDE, [_ROW, dict.fromkeys(_ROW), {**_ROW, "s": ""}]),
}
# ksqlDB has milliseconds.
_TIMES = parse_columns("D DATE, M TIME, T TIMESTAMP, A ARRAY<STRUCT<T TIMESTAMP>>, S MAP<STRING, DATE>, I INT")
_ROW_OF_KSQLDB = {
    "D": date(1969, 12, 31), "M": 47_106_789_000, "T": datetime(2024, 2, 29, 13, 5, 6, 789000, UTC),
    "A": [{"T": datetime(1969, 12, 31, 23, 59, 59, 999000, UTC)}, None], "S": {"k": date(2024, 2, 29), "n": None},
    "I": 7,
}  # fmt: skip
_KAFKA = parse_columns("only BIGINT")
_ROWS = parse_columns("i INT, l BIGINT, d DOUBLE, s STRING, b BOOLEAN, y BYTES, c DECIMAL(9,2), t TIMESTAMP, o DATE")
_CELLS = parse_columns("a STRING, b STRING")
_ROW_OF_CSV = {
    "i": -1, "l": 2**63 - 1, "d": 1e300, "s": ' a,"b"\n', "b": False, "y": b"\xff\x00", "c": Decimal("-1.50"),
    "t": datetime(1969, 12, 31, 23, 59, 59, 250000, UTC), "o": date(1969, 12, 31),
}  # fmt: skip
_WINDOWED = {
    "tw[string]": ({"key": "k", "start": 0, "end": 60_000}, 60_000),
    "sw[int]": ({"key": 7, "start": 5, "end": 2**40}, None),
}


def topic(format: str, type: data.DataType, window_size: int | None = None) -> tuple[Topic, TopicWire]:
    facet = Facet(type, format)
    wire = encoding(facet, window_size)
    assert wire is not None
    return Topic("t", facet, facet, ordinal_width=3), TopicWire(wire, wire)


def lines(
    spark: SparkSession,
    wire: TopicWire,
    raw: Sequence[tuple[bytes | None, bytes | None]],
    headers: str = "CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>)",
) -> list[str]:
    """The line of each record, by Spark; all have the same headers."""
    rows = ", ".join(f"({n}L, {_hex(k)}, {_hex(v)})" for n, (k, v) in enumerate(raw))
    place = f"2 AS partition, timestamp_millis(offset) AS timestamp, {headers} AS headers"
    source = f"SELECT *, {place} FROM VALUES {rows} AS t(offset, key, value)"
    found = spark.sql(f"SELECT {line(wire, 't')} AS line FROM ({source})")
    return [row[0] for row in found.collect()]


def rows(spark: SparkSession, of: Topic, wire: TopicWire, raw: Sequence[tuple[bytes | None, bytes | None]]) -> str:
    """The view of the records as queries read them from Kafka's columns: `_ord`, `_ts`, `k0`, `v0`, and `_fits`, false
    where a record fails the query.
    """
    decoding = ScanDecoding(nodes.Scan(of, "t", "STREAM", of.key, of.value), wire)
    values = ", ".join(f"({n}L, {_hex(k)}, {_hex(v)})" for n, (k, v) in enumerate(raw))
    source = f"SELECT *, 2 AS _partition, _offset AS _timestamp FROM VALUES {values} AS t(_offset, _key, _value)"
    fits = decoding.condition.replace("raise_error(", "isnull(0 || ")
    spark.sql(
        f"SELECT {decoding.ordinal} AS _ord, {decoding.time} AS _ts, {decoding.columns}, {fits} AS _fits"
        f" FROM (SELECT {parsed_columns((decoding, ''))} FROM ({source}))"
    ).createOrReplaceTempView("wire_rows")
    return "wire_rows"


def _hex(raw: bytes | None) -> str:
    return "CAST(NULL AS BINARY)" if raw is None else f"X'{raw.hex()}'"


def cases() -> list[tuple[Topic, TopicWire, list[Any], Codecs]]:
    found = []
    for format, (type, values) in _VALUES.items():
        found.append((*topic(format, type), values, Codecs()))
    for delimiter in (",", ";", "|", "\t", " ", "-", "1", "e", "="):
        of = topic(formats.delimited(delimiter), _ROWS)
        found.append((*of, [_ROW_OF_CSV, dict.fromkeys(_ROW_OF_CSV)], Codecs()))
    of_ksqldb, wire = topic("json", _TIMES)
    rows_of_ksqldb = [_ROW_OF_KSQLDB, dict.fromkeys(_ROW_OF_KSQLDB)]
    found.append((replace(of_ksqldb, ksql_json=True), wire.as_ksqldb(), rows_of_ksqldb, Codecs()))
    found.append((*topic("delimited", data.BIGINT), [-7], Codecs()))
    found.append((*topic("kafka", _KAFKA), [{"only": -5}], Codecs()))
    for format, (value, size) in _WINDOWED.items():
        inner = data.STRING if "string" in format else data.INT
        bounds = (data.Field("start", data.BIGINT, False), data.Field("end", data.BIGINT, False))
        type = data.Struct((data.Field("key", inner), *bounds))
        sizes = {"t": size} if size else {}
        found.append((*topic(format, type, size), [value], Codecs(window_sizes=sizes)))
    return found


def by_client(
    of: Topic, values: list[Any], codecs: Codecs
) -> tuple[list[tuple[bytes | None, bytes | None]], list[StoredRecord]]:
    """A record with each value as key and value, the first one without a value: the bytes that the client writes, and
    the records as they are read.
    """
    records = [Record("t", value, None if n == 0 else value, n) for n, value in enumerate(values)]
    raw = list(map(record_encoder(of, codecs), records))
    return raw, [StoredRecord("t", r.key, r.value, n, (n, n, lane("t", 2))) for n, r in enumerate(records)]


def test_a_window_without_an_end(kafka_spark: SparkSession) -> None:
    """Its start and its size together are more than a BIGINT."""
    bounds = (data.Field("start", data.BIGINT, False), data.Field("end", data.BIGINT, False))
    of, wire = topic("tw[string]", data.Struct((data.Field("key", data.STRING), *bounds)), 5)
    keys = [b"k" + (2**63 - 1 - n).to_bytes(8, "big") for n in (5, 4)]
    good, bad = lines(kafka_spark, wire, [(key, None) for key in keys])
    assert line_decoder(of)(good.encode()).key == {"key": "k", "start": 2**63 - 6, "end": 2**63 - 1}
    assert bad.startswith(f"{UNREAD}key: expected STRUCT<")
    view = rows(kafka_spark, of, wire, [(key, None) for key in keys])
    assert [row[0] for row in kafka_spark.sql(f"SELECT _fits FROM {view} ORDER BY _ord").collect()] == [True, False]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case[0].key.format)
def test_bytes_are_those_of_the_client(
    kafka_spark: SparkSession, case: tuple[Topic, TopicWire, list[Any], Codecs]
) -> None:
    """What the client writes Spark reads, and the other way round; a null facet is no bytes."""
    of, wire, values, codecs = case
    raw, wanted = by_client(of, values, codecs)
    decode = record_decoder(of, codecs)
    read = line_decoder(of)
    texts = lines(kafka_spark, wire, raw)
    assert [str(read(text.encode())) for text in texts] == list(map(str, wanted))
    # Back: the rows that Spark reads of those lines, written again.
    write = line_encoder(of)
    whole = [write(record, record.ordinal).decode() for record in wanted]
    kind = type_text("spark", of.key.type)
    schema = f"ordinal array<bigint>, timestamp bigint, key {kind}, value {kind}"
    frame = kafka_spark.createDataFrame([(text,) for text in whole], "line string")
    frame.createOrReplaceTempView("wire_lines")
    columns = written_columns(of, {"t": wire}, table=False, cases=False)
    rows = kafka_spark.sql(
        f"SELECT {columns} FROM (SELECT r.ordinal AS _ord, r.timestamp AS _ts, r.key AS k0, r.value AS v0"
        f" FROM (SELECT from_json(line, '{schema}') AS r FROM wire_lines))"
    ).collect()
    back = [
        decode(bytes(r.key), None if r.value is None else bytes(r.value), r.timestamp, tuple(r.ordinal)) for r in rows
    ]
    assert list(map(str, back)) == list(map(str, wanted))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case[0].key.format)
def test_columns_are_read_as_the_client_reads_them(
    kafka_spark: SparkSession, case: tuple[Topic, TopicWire, list[Any], Codecs]
) -> None:
    """Without a line in between: the rows are written again as the bytes that the client wrote."""
    of, wire, values, codecs = case
    raw, wanted = by_client(of, values, codecs)
    decode = record_decoder(of, codecs)
    view = rows(kafka_spark, of, wire, raw)
    columns = written_columns(of, {"t": wire}, table=False, cases=False)
    found = kafka_spark.sql(f"SELECT _fits, {columns} FROM {view} ORDER BY _ts").collect()
    assert all(row["_fits"] for row in found)
    back = [decode(bytes(r.key), r.value and bytes(r.value), r.timestamp, tuple(r.ordinal)) for r in found]
    assert list(map(str, back)) == list(map(str, wanted))


@pytest.mark.parametrize("delimiter", sorted({delimiter for delimiter, *_ in READ}))
def test_rows_of_delimited_are_read_as_the_client_reads_them(kafka_spark: SparkSession, delimiter: str) -> None:
    """Quotes, blanks, line ends and empty cells, in all rows with the delimiter."""
    wire = topic(formats.delimited(delimiter), _CELLS)[1]
    cases = [(row, cells) for mark, row, cells in READ if mark == delimiter]
    found = lines(kafka_spark, wire, [(row, None) for row, _ in cases])
    for text, (row, cells) in zip(found, cases, strict=True):
        assert text.startswith(UNREAD) == (cells is None), row
        if cells is not None:
            assert tuple(json.loads(text)["key"].values()) == cells, row


@pytest.mark.parametrize("delimiter", sorted({delimiter for delimiter, *_ in WRITTEN}))
def test_rows_of_delimited_are_written_as_the_client_writes_them(kafka_spark: SparkSession, delimiter: str) -> None:
    """In quotes where ksqlDB has them."""
    of, wire = topic(formats.delimited(delimiter), _CELLS)
    cases = [(cells, row) for mark, cells, row in WRITTEN if mark == delimiter]
    schema = (
        "ordinal array<bigint>, timestamp bigint, key struct<a: string, b: string>, value struct<a: string, b: string>"
    )
    records = [Record("t", dict(zip("ab", cells, strict=True)), None, n) for n, (cells, _) in enumerate(cases)]
    write = line_encoder(of)
    texts = [write(record, (n, n, lane("t", 2))).decode() for n, record in enumerate(records)]
    kafka_spark.createDataFrame([(text,) for text in texts], "line string").createOrReplaceTempView("wire_lines")
    columns = written_columns(of, {"t": wire}, table=False, cases=False)
    found = kafka_spark.sql(
        f"SELECT {columns} FROM (SELECT r.ordinal AS _ord, r.timestamp AS _ts, r.key AS k0, r.value AS v0"
        f" FROM (SELECT from_json(line, '{schema}') AS r FROM wire_lines)) ORDER BY timestamp"
    ).collect()
    assert [bytes(r.key) for r in found] == [row for _, row in cases]
    assert [record_encoder(of, Codecs())(record)[0] for record in records] == [row for _, row in cases]


BAD = {
    "int": [b"", b"\x00\x00\x00", b"\x00" * 5],
    "long": [b"1", b"\x00" * 9],
    "double": [b"", b"\x00" * 4],
    "boolean": [b"", b"\x02", b"\x00\x00"],
    "string": [b"\xff\xfe"],
    "delimited": [b"1,2", b'1,2,3,"a', b"\xff,,,,,,,,", b'1,,,"a"b,,,,,'],
    "json": [
        b"",
        b"{",
        b"nul",
        b'{"i":1}}',
        b'{"i":1},"timestamp":7',
        b'{"i":1} {"i":2}',
        b"\xff",
        b'{"i":1}],[{"i":2}',
        b'{"i":1},0],[{"i":2}',
        b'{"i":1},0]',
        b"],[",
        b"]",
        b'{"a":[1]},2],"x',
    ],
}


@pytest.mark.parametrize("format", BAD)
def test_bytes_that_are_no_value_are_told_apart(kafka_spark: SparkSession, format: str) -> None:
    """Such a record is a line of its own kind, with the reason and all of its bytes; those beside it are read."""
    of, wire = topic(format, _ROWS if format == "delimited" else _VALUES[format][0])
    raw = [(b, None) for b in BAD[format]] + [(None, None)]
    *bad, good = lines(kafka_spark, wire, raw)
    assert json.loads(good)["key"] is None
    for text in bad:
        _, _, record = text.split("\t")
        assert text.startswith(f"{UNREAD}key: expected ") and json.loads(record)["value"] is None, text
    view = rows(kafka_spark, of, wire, raw)
    fits = [row[0] for row in kafka_spark.sql(f"SELECT _fits FROM {view} ORDER BY _ts").collect()]
    assert fits == [False] * len(bad) + [True]


def test_a_topic_without_key(kafka_spark: SparkSession) -> None:
    """Whatever bytes are there."""
    wire = TopicWire(None, encoding(Facet(data.INT, "int")))
    (text,) = lines(kafka_spark, wire, [(b"\xff", b"\x00\x00\x00\x05")])
    assert json.loads(text) == {"ordinal": [0, 0, lane("t", 2)], "timestamp": 0, "key": None, "value": 5}
    assert ABSENT.is_absent


JSON_TEXTS = st.one_of(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab[]{},":0\\', max_size=4),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a],"', max_size=2), inner, max_size=2),
        max_leaves=5,
    ).map(json.dumps),
    st.text('01a[]{},": \\', max_size=8),
    st.lists(st.sampled_from(["[1]", "0]", ",0]", "[", "{}", ",", '"a"', ":1", "}", "1", " "]), max_size=4).map(
        "".join
    ),
)


@settings(suppress_health_check=[*HealthCheck], deadline=None, max_examples=5)
@given(st.lists(JSON_TEXTS, min_size=150, max_size=200))
def test_only_one_value_is_json(kafka_spark: SparkSession, texts: list[str]) -> None:
    """A text that is more than one value, or less, is none, whatever brackets are in it."""
    of, both = topic("json", _WIDE)
    wire, raw = TopicWire(None, both.value), [(None, text.encode()) for text in texts]
    found = lines(kafka_spark, wire, raw)
    view = rows(kafka_spark, Topic("t", ABSENT, of.value, ordinal_width=3), wire, raw)
    fits = kafka_spark.sql(f"SELECT _fits, v0 IS NULL FROM {view} ORDER BY _ts").collect()
    for text, read, (fit, null) in zip(texts, found, fits, strict=True):
        try:
            json.loads(text)
        except ValueError:
            assert read.startswith(f"{UNREAD}value: expected JSON") and not fit, text
        else:
            assert json.loads(read)["value"] == json.loads(text), text
            # No member of those objects is one of the type's but `a`, which has other elements.
            value = json.loads(text)
            fitting = value is None or (isinstance(value, dict) and value.get("a") in (None, [], [None]))
            assert (fit, null or not fit) == (fitting, value is None or not fitting), text
