"""The table of JSON texts and their meaning (`json.yml`), read by everything that reads JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
import yaml

from lsqlc.connectors.bad_records import BadRecord, reader
from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.formats.json.numbers import of_ksqldb, rewriter
from lsqlc.functions.forms.json_values import json_of
from lsqlc.lower.spark.scan_decoding import ScanDecoding, parsed_columns
from lsqlc.lower.spark.validity import reason
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, line
from lsqlc.plan import nodes
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.data import DataType
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

BAD = "bad"
TABLE: dict[str, list[list[str]]] = yaml.safe_load((Path(__file__).parent / "json.yml").read_text("utf-8"))


class Rows(NamedTuple):
    """The rows of a type: a topic with the field `v` of it, the JSON texts of records, and the meaning of each."""

    topic: Topic
    type: DataType
    texts: list[str]
    meanings: list[str]

    @property
    def lines(self) -> list[str]:
        """The records as lines of a segment."""
        return [f'{{"ordinal":[1,2,3],"timestamp":0,"key":null,"value":{text}}}' for text in self.texts]

    def same(self, values: list[str | None]) -> bool:
        """Whether these are the meanings, and print those that are not."""
        pairs = list(zip(self.texts, map(_plain, values), map(_plain, self.meanings), strict=True))
        wrong = [pair for pair in pairs if pair[1] != pair[2]]
        print(*wrong, sep="\n")
        return not wrong


def _plain(text: str | None) -> object:
    return text if text is None or text == BAD else json.loads(text)


def table(*, ksql: bool) -> Iterator[Rows]:
    """Yield the rows of each type, with the meanings in a topic of a ksqlDB program or in any other."""
    for words, rows in TABLE.items():
        type = parse_columns(f"v {words}")
        texts = [f'{{"v":{row[0]}}}' for row in rows]
        topic = Topic("t", value=Facet(type, "json"), ordinal_width=3, ksql_json=ksql)
        yield Rows(topic, type.fields[0].type, texts, [row[-1 if ksql else 1] for row in rows])


ROWS, OF_KSQLDB = list(table(ksql=False)), list(table(ksql=True))
each_type = pytest.mark.parametrize("rows", ROWS, ids=TABLE)
dialects = pytest.mark.parametrize("table", [ROWS, OF_KSQLDB], ids=["", "ksqlDB"])


@pytest.mark.parametrize("rows", ROWS + OF_KSQLDB, ids=[*TABLE, *(f"{words} of ksqlDB" for words in TABLE)])
def test_the_client_reads_records_of_kafka(rows: Rows) -> None:
    decode = record_decoder(rows.topic, Codecs())

    def read(text: str) -> str:
        try:
            value = decode(None, text.encode(), 0, (1, 2, 3)).value["v"]
        except ValueProblems:
            return BAD
        return codec.encode_text(rows.type, value)

    assert rows.same([read(text) for text in rows.texts])


@each_type
def test_the_client_reads_lines(rows: Rows) -> None:
    """As `raw` in a case, and segments in folders."""
    read = reader(rows.topic)
    records = [read(line) for line in rows.lines]
    assert rows.same([BAD if isinstance(r, BadRecord) else codec.encode_text(rows.type, r.value["v"]) for r in records])


def test_a_ksqldb_program_writes_times_as_numbers() -> None:
    type = parse_columns("D DATE, M TIME, T TIMESTAMP, A ARRAY<DATE>, S STRUCT<T TIMESTAMP>")
    topic = Topic("t", value=Facet(type, "json"), ksql_json=True)
    value = {
        "D": date(2024, 2, 29), "M": 47_106_789_999, "T": datetime(2024, 2, 29, 13, 5, 6, 789999, UTC),
        "A": [date(1969, 12, 31), None], "S": {"T": None},
    }  # fmt: skip
    _, written = record_encoder(topic, Codecs())(Record("t", None, value))
    assert written == b'{"D":19782,"M":47106789,"T":1709211906789,"A":[-1,null],"S":{"T":null}}'


@pytest.mark.parametrize(
    ("columns", "text", "result"),
    [
        ("ID INT, S STRUCT<ID STRING>", '{"ID":"7","S":{"ID":"007"}}', '{"ID":"7","S":{"ID":"007"}}'),
        ("`a b.c` INT", '{"a b.c" : "7" }', '{"a b.c" : 7 }'),
        ("N INT", '{"N":"7", "o":"\\"N\\":\\"8\\"}"}', '{"N":7, "o":"\\"N\\":\\"8\\"}"}'),
        ("N INT", '{"N":"7"', '{"N":"7"'),
        ("N DOUBLE", '{"N":"-01.50e3"}', '{"N":-1.50e3}'),
    ],
)
def test_what_is_rewritten_of_ksqldb(columns: str, text: str, result: str) -> None:
    """Not a name of fields of several types, nor what stands in a string."""
    assert rewriter(of_ksqldb(parse_columns(columns)))(text.encode()).decode() == result


def _values(rows: Rows, sql: str, of: str) -> str:
    """A query of the meaning of each row. `sql`: a view with `v0`, the condition `good`, and the number `n`."""
    good = f"if(good, {json_of('v0.v', rows.type)}, '{BAD}')"
    return f"SELECT '{of}' AS type, n, {good} AS meaning FROM ({sql})"


def _by_type(spark: SparkSession, queries: list[str]) -> list[list[str | None]]:
    """The meanings of each type, by one query."""
    found = spark.sql("\nUNION ALL ".join(queries)).collect()
    return [[r.meaning for r in sorted(found, key=lambda r: r.n) if r.type == str(i)] for i in range(len(queries))]


def _scan(topic: Topic) -> nodes.Scan:
    return nodes.Scan(topic, "t", "STREAM", topic.key, topic.value)


def _wire(topic: Topic) -> TopicWire:
    wire = TopicWire(None, encoding(topic.value))
    return wire.as_ksqldb() if topic.ksql_json else wire


def _of_columns(rows: Rows) -> str:
    decoding = ScanDecoding(_scan(rows.topic), _wire(rows.topic))
    values = ", ".join(f"({n}L, CAST(NULL AS BINARY), X'{t.encode().hex()}')" for n, t in enumerate(rows.texts))
    source = f"SELECT *, 2 AS _partition, _offset AS _timestamp FROM VALUES {values} AS t(_offset, _key, _value)"
    good = decoding.condition.replace("raise_error(", "isnull(0 || ")
    parsed = f"SELECT {parsed_columns((decoding, ''))} FROM ({source})"
    return f"SELECT {decoding.columns}, {good} AS good, {decoding.ordinal}[1] AS n FROM ({parsed})"


_KAFKA = (
    "CAST(NULL AS BINARY) AS key, 2 AS partition, 3 AS offset, timestamp_millis(0) AS timestamp,"
    " CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS headers"
)


def _lines(rows: Rows) -> str:
    pairs = enumerate(zip(rows.lines, rows.texts, strict=True))
    values = (f"({n}, CAST(X'{line.encode().hex()}' AS STRING), X'{text.encode().hex()}')" for n, (line, text) in pairs)
    return f"SELECT * FROM VALUES {', '.join(values)} AS t(n, _line, value)"


def _of_checked_lines(rows: Rows) -> str:
    """The lines that are made of records of Kafka."""
    decoding = ScanDecoding(_scan(rows.topic), fails=False)
    records = f"SELECT n, value, {_KAFKA} FROM ({_lines(rows)})"
    lines = f"SELECT n, {line(_wire(rows.topic), 't')} AS _line FROM ({records})"
    judged = f"SELECT n, {reason(rows.topic, '_line')} IS NULL AS good, _line FROM ({lines})"
    parsed = f"SELECT n, good, if(good, {decoding.parsed()}, NULL) AS _r0 FROM ({judged})"
    return f"SELECT {decoding.columns}, good, n FROM ({parsed})"


@dialects
def test_spark_reads_records_of_kafka(spark: SparkSession, table: list[Rows]) -> None:
    """Where a record that cannot be read fails the query."""
    found = _by_type(spark, [_values(rows, _of_columns(rows), str(n)) for n, rows in enumerate(table)])
    wrong = [rows for rows, values in zip(table, found, strict=True) if not rows.same(values)]
    assert not wrong


@dialects
def test_spark_reads_records_that_it_has_checked(spark: SparkSession, table: list[Rows]) -> None:
    """Where records that cannot be read are passed over."""
    found = _by_type(spark, [_values(rows, _of_checked_lines(rows), str(n)) for n, rows in enumerate(table)])
    wrong = [rows for rows, values in zip(table, found, strict=True) if not rows.same(values)]
    assert not wrong


def _of_lines(rows: Rows) -> str:
    decoding = ScanDecoding(_scan(rows.topic))
    parsed = f"SELECT n, {parsed_columns((decoding, ''))} FROM ({_lines(rows)})"
    return f"SELECT {decoding.columns}, TRUE AS good, n FROM ({parsed})"


def _only(rows: Rows, kept: list[int]) -> Rows:
    return rows._replace(texts=[rows.texts[n] for n in kept], meanings=[rows.meanings[n] for n in kept])


def test_spark_reads_lines(spark: SparkSession) -> None:
    """Those that can be read; others fail the query."""
    good = [_only(rows, [n for n, meaning in enumerate(rows.meanings) if meaning != BAD]) for rows in ROWS]
    found = _by_type(spark, [_values(rows, _of_lines(rows), str(n)) for n, rows in enumerate(good)])
    wrong = [rows for rows, values in zip(good, found, strict=True) if not rows.same(values)]
    assert not wrong


# Each takes a query of its own: the types of which Spark's own reader takes what is none of theirs.
@pytest.mark.parametrize("words", ["FLOAT", "DECIMAL(6,2)", "STRING", "DATE", "TIME", "TIMESTAMP", "ARRAY<TIMESTAMP>"])
def test_a_line_that_cannot_be_read_fails_the_query(spark: SparkSession, words: str) -> None:
    rows = ROWS[[*TABLE].index(words)]
    for n, meaning in enumerate(rows.meanings):
        if meaning == BAD:
            one = _only(rows, [n])
            with pytest.raises(Exception, match=r"MALFORMED_RECORD|cannot be read"):
                spark.sql(_values(one, _of_lines(one), "0")).collect()


def test_the_table_has_every_type_of_a_column() -> None:
    assert {"BOOLEAN", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "BYTES", "DATE", "TIME", "TIMESTAMP"} <= {*TABLE}


# Bytes of a STRING that are no UTF-8: a lone byte, half of a surrogate pair, a character beyond the last one.
_BROKEN = (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf")


@pytest.mark.parametrize("ksql", [False, True])
def test_broken_characters_are_no_json(spark: SparkSession, *, ksql: bool) -> None:
    """In a record, in the line of a record, and in a line of a folder."""
    topic = Topic("t", value=Facet(parse_columns("V STRING"), "json"), ordinal_width=3, ksql_json=ksql)
    raws = [b'{"V":"%s"}' % text for text in (*_BROKEN, "é😀".encode())]
    scan, wire, decode = _scan(topic), _wire(topic), record_decoder(topic, Codecs())
    for raw in raws[:-1]:
        with pytest.raises(ValueProblems):
            decode(None, raw, 0, (1, 2, 3))
    rows = ", ".join(f"({n}L, CAST(NULL AS BINARY), X'{raw.hex()}')" for n, raw in enumerate(raws))
    source = f"SELECT *, 2 AS _partition, _offset AS _timestamp FROM VALUES {rows} AS t(_offset, _key, _value)"
    decoding = ScanDecoding(scan, wire)
    good = decoding.condition.replace("raise_error(", "isnull(0 || ")
    parsed = f"SELECT {parsed_columns((decoding, ''))} FROM ({source})"
    of_records = spark.sql(f"SELECT {good} AS good FROM ({parsed}) ORDER BY {decoding.ordinal}[1]").collect()
    assert [row.good for row in of_records] == [False] * len(_BROKEN) + [True]
    kafka = f"SELECT _offset AS n, _value AS value, {_KAFKA} FROM ({source})"
    made = f"SELECT n, {line(wire, 't')} AS _line FROM ({kafka})"
    of_lines = spark.sql(f"SELECT {reason(topic, '_line')} IS NULL AS good FROM ({made}) ORDER BY n").collect()
    assert [row.good for row in of_lines] == [False] * len(_BROKEN) + [True]
    for raw in raws[:-1]:
        text = b'{"ordinal":[1,2,3],"timestamp":0,"key":null,"value":%s}' % raw
        of_folder = f"SELECT CAST(X'{text.hex()}' AS STRING) AS _line"
        with pytest.raises(Exception, match=r"MALFORMED_RECORD|cannot be read"):
            spark.sql(f"SELECT {parsed_columns((ScanDecoding(scan), ''))} FROM ({of_folder})").collect()
