"""Topics of Debezium whose schemas are in a registry: a schema is of envelopes, and the columns are those of rows."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastavro
import pytest

import lsqlc
from lsqlc.connectors.bad_records import BadRecord, reader
from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.diagnostics import LsqlcError
from lsqlc.formats.catalogue import find_format, schema_kind
from lsqlc.formats.record import StoredFacet
from lsqlc.formats.registered import FacetSchemas
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.functions.forms.json_values import json_of
from lsqlc.lower.spark.scan_decoding import ScanDecoding, parsed_columns
from lsqlc.lower.spark.wire import records
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, line
from lsqlc.plan import nodes
from lsqlc.project.declared.facets import FacetError, facet_of
from lsqlc.project.declared.registered import Registration
from lsqlc.registry.written import written_schemas
from lsqlc.tasks.schemas_in_use import schemas_in_use
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Topic

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def _unit(kind: str, name: str) -> dict[str, Any]:
    return {"type": kind, "connect.version": 1, "connect.name": f"io.debezium.time.{name}"}


# As a connector registers it: the columns have units by name, and `before` and `after` have one record.
ROW = {
    "type": "record", "name": "Value", "fields": [
        {"name": "id", "type": "int"},
        {"name": "status", "type": ["null", "string"], "default": None},
        {"name": "placed", "type": ["null", _unit("long", "MicroTimestamp")], "default": None},
        {"name": "booked", "type": ["null", _unit("long", "Timestamp")], "default": None},
        {"name": "day", "type": ["null", _unit("int", "Date")], "default": None},
        {"name": "hour", "type": ["null", _unit("int", "Time")], "default": None},
        {"name": "exact", "type": ["null", _unit("long", "NanoTimestamp")], "default": None},
        {"name": "price", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2,
                                            "connect.name": "org.apache.kafka.connect.data.Decimal"}], "default": None},
    ],
    "connect.name": "shop.public.orders.Value",
}  # fmt: skip
ENVELOPE = {
    "type": "record", "name": "Envelope", "namespace": "shop.public.orders", "fields": [
        {"name": "before", "type": ["null", ROW], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {"name": "source", "type": {"type": "record", "name": "Source", "namespace": "io.debezium.connector.postgresql",
                                    "fields": [{"name": "connector", "type": "string"},
                                               {"name": "lsn", "type": "long"}]}},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"], "default": None},
    ],
    "connect.name": "shop.public.orders.Envelope",
}  # fmt: skip
COLUMNS = (
    "id INT NOT NULL, status STRING, placed TIMESTAMP, booked TIMESTAMP, day DATE, hour TIME, exact BIGINT,"
    " price DECIMAL(10,2)"
)
AVRO = schema_kind("AVRO")
assert AVRO is not None
TEXT = AVRO.one_text(json.dumps(ENVELOPE), {})
SUBJECT = Subject("orders-value", "BACKWARD", (SubjectVersion(7, 1, "AVRO", TEXT),))
VALUE = {
    "id": 1, "status": "new", "placed": 1_700_000_000_123_456, "booked": 1_700_000_000_123, "day": 19_675,
    "hour": 3_600_001, "exact": 1_700_000_000_123_456_789, "price": Decimal("12.50"),
}  # fmt: skip
READ = {
    "id": 1, "status": "new", "placed": datetime(2023, 11, 14, 22, 13, 20, 123456, UTC),
    "booked": datetime(2023, 11, 14, 22, 13, 20, 123000, UTC), "day": date(2023, 11, 14), "hour": 3_600_001_000,
    "exact": 1_700_000_000_123_456_789, "price": Decimal("12.50"),
}  # fmt: skip


def avro(op: str, after: Any) -> bytes:
    """The bytes of an envelope behind the id of its schema, as another client writes them."""
    out = io.BytesIO(b"\0\0\0\0\7")
    out.seek(5)
    source = {"connector": "postgresql", "lsn": 1}
    fastavro.schemaless_writer(
        out, fastavro.parse_schema(ENVELOPE), {"before": None, "after": after, "source": source, "op": op, "ts_ms": 1}
    )
    return out.getvalue()


def in_json(text: str) -> bytes:
    return b"\0\0\0\0\7" + text.encode()


RECORDS = [
    (avro("c", VALUE), READ),
    (avro("u", {**dict.fromkeys(VALUE), "id": 2}), {**dict.fromkeys(READ), "id": 2}),
    (avro("d", None), None),
    (avro("c", None), "the envelope has no row in 'after'"),
    (avro("t", None), "a truncation (op t) has no row"),
    (avro("x", VALUE), "the 'op' of the envelope is not one of c, r, u, d"),
    (avro("c", {**VALUE, "status": "__debezium_unavailable_value"}),
     "'status' has the placeholder of a value that the database did not send"),
    (b"\0\0\0\0\x08" + avro("c", VALUE)[5:], "the schema id 8 is of no version of the subject"),
    (avro("c", VALUE)[:9], "the body cannot be read with the schema that wrote it"),
    (b'{"op":"c"}', "the first byte is not 0, which begins the wire format of schema registries"),
]  # fmt: skip
JSON_RECORDS = [
    (in_json('{"op":"c","after":{"id":1,"at":1700000000123456}}'),
     {"id": 1, "at": datetime(2023, 11, 14, 22, 13, 20, 123456, UTC)}),
    (in_json('{"op":"d","after":null}'), None),
    (in_json('{"op":"m"}'), "a message (op m) has no row"),
    (in_json('{"op":'), "expected JSON"),
]  # fmt: skip
TOPIC = Topic("orders", value=Facet(parse_columns(COLUMNS), "debezium-avro"), ordinal_width=3)
JSON_TOPIC = Topic(
    "orders", value=Facet(parse_columns("id INT, at TIMESTAMP"), "debezium-json_sr[times=micros]"), ordinal_width=3
)
CHANGES = [
    (avro("c", VALUE), {"op": "c", "ts": datetime(1970, 1, 1, 0, 0, 0, 1000, UTC), "before": None, "after": READ}),
    (avro("d", None), {"op": "d", "ts": datetime(1970, 1, 1, 0, 0, 0, 1000, UTC), "before": None, "after": None}),
    (avro("x", None), "the 'op' of the envelope is not one of c, r, u, d, t, m"),
]
OF_CHANGES = Topic(
    "orders",
    value=facet_of(
        {"format": "debezium-avro-changes"}, registered=Registration("orders", "value", {SUBJECT.name: SUBJECT})
    ),
    ordinal_width=3,
)
FORMATS = pytest.mark.parametrize(
    ("topic", "cases"),
    [(TOPIC, RECORDS), (JSON_TOPIC, JSON_RECORDS), (OF_CHANGES, CHANGES)],
    ids=["avro", "json", "changes"],
)


def schemas(topic: Topic) -> FacetSchemas:
    format = find_format(topic.value.format)
    assert format is not None and format.schema is not None
    versions = {7: TEXT} if format.schema.type == "AVRO" else {7: "{}"}
    found = format.schema.for_reading(topic.value.type, versions, None)
    assert found is not None
    return found


def codecs(topic: Topic) -> Codecs:
    return Codecs(schemas=lambda name, part: schemas(topic))


def test_the_lock_file_keeps_units_of_time() -> None:
    assert '"connect.name":"io.debezium.time.MicroTimestamp"' in TEXT
    assert "org.apache" not in TEXT and "connect.version" not in TEXT
    assert AVRO is not None and AVRO.one_text(TEXT, {}) == TEXT


def test_the_columns_are_those_of_the_row() -> None:
    registration = Registration("orders", "value", {SUBJECT.name: SUBJECT})
    facet = facet_of({"format": "debezium-avro"}, registered=registration)
    assert facet == Facet(parse_columns(COLUMNS), "debezium-avro")
    some = facet_of({"format": "debezium-avro", "schema": "id INT, placed TIMESTAMP"}, registered=registration)
    assert some.type == parse_columns("id INT, placed TIMESTAMP")
    # Numbers without their unit are what AVRO reads.
    envelope = facet_of({"format": "avro", "schema": "after STRUCT<placed: BIGINT>"}, registered=registration)
    assert envelope.format == "avro"


def test_declared_columns_are_compared_with_the_row() -> None:
    registration = Registration("orders", "value", {SUBJECT.name: SUBJECT})
    with pytest.raises(FacetError) as caught:
        facet_of({"format": "debezium-avro", "schema": "id STRING, more INT"}, registered=registration)
    assert caught.value.code == "LSQ717"
    why = "'id' is STRING here, and int in the schema; 'more' is INT here, and is not in the schema"
    assert why in str(caught.value)


def test_a_schema_without_rows() -> None:
    plain = Subject("orders-value", "BACKWARD", (SubjectVersion(7, 1, "AVRO", json.dumps(ROW)),))
    with pytest.raises(FacetError) as caught:
        facet_of({"format": "debezium-avro"}, registered=Registration("orders", "value", {plain.name: plain}))
    assert "the schema has no columns in 'after'" in str(caught.value)


@pytest.mark.parametrize("format", ["debezium-avro", "debezium-avro-confluent"])
def test_avro_says_the_forms(format: str) -> None:
    assert facet_of({"format": format, "schema": COLUMNS}).format == "debezium-avro"
    with pytest.raises(FacetError, match="unknown key 'times'"):
        facet_of({"format": format, "schema": COLUMNS, "times": "micros"})


def test_changes_are_declared_by_the_row() -> None:
    row = "STRUCT<id: INT NOT NULL, status: STRING>"
    facet = facet_of({"format": "debezium-avro-changes", "schema": "id INT NOT NULL, status STRING"})
    assert facet.type == parse_columns(f"op STRING, ts TIMESTAMP, before {row}, after {row}")
    with pytest.raises(FacetError, match="id' is STRING here, and int in the schema"):
        registration = Registration("orders", "value", {SUBJECT.name: SUBJECT})
        facet_of({"format": "debezium-avro-changes", "schema": "id STRING"}, registered=registration)


def test_json_schema_does_not() -> None:
    with pytest.raises(FacetError) as caught:
        facet_of({"format": "debezium-json-schema", "schema": "at TIMESTAMP"})
    assert caught.value.code == "LSQ644"


@FORMATS
def test_the_client_reads_records(topic: Topic, cases: list[tuple[bytes, Any]]) -> None:
    decode, write = record_decoder(topic, codecs(topic)), line_writer(topic, codecs(topic))
    for content, meaning in cases:
        found = reader(topic)(write(None, content, 0, (1, 2, 3)))
        if isinstance(meaning, str):
            assert isinstance(found, BadRecord) and found.reason == f"value: {meaning}"
            with pytest.raises(ValueProblems):
                decode(None, content, 0, (1, 2, 3))
        else:
            assert not isinstance(found, BadRecord) and found.value == meaning
            assert decode(None, content, 0, (1, 2, 3)).value == meaning


@FORMATS
def test_nobody_writes_records(topic: Topic, cases: list[tuple[bytes, Any]]) -> None:
    with pytest.raises(LsqlcError) as caught:
        record_encoder(topic, codecs(topic))
    assert [d.code for d in caught.value.diagnostics] == ["LSQ646"]


@FORMATS
def test_spark_reads_records(kafka_spark: SparkSession, topic: Topic, cases: list[tuple[bytes, Any]]) -> None:
    """From their bytes, and from the lines that are made of them."""
    stored = StoredFacet("orders", "value", topic.value.type, topic.value.format, schemas=lambda: schemas(topic))
    wire = TopicWire(None, encoding(topic.value, stored=stored))
    assert wire.value is not None
    decoding = ScanDecoding(nodes.Scan(topic, "t", "STREAM", topic.key, topic.value), wire)
    values = ", ".join(f"({n}L, CAST(NULL AS BINARY), X'{c.hex()}', 2, 0L)" for n, (c, _) in enumerate(cases))
    source = f"SELECT * FROM VALUES {values} AS t(_offset, _key, _value, _partition, _timestamp)"
    good = decoding.condition.replace("raise_error(", "isnull(0 || ")
    parsed = f"SELECT {parsed_columns((decoding, ''))} FROM ({source})"
    view = f"SELECT {decoding.columns}, {good} AS good, {decoding.ordinal}[1] AS n FROM ({parsed})"
    value = f"coalesce({json_of('v0', topic.value.type)}, 'null')"
    typed = kafka_spark.sql(f"SELECT n, if(good, {value}, 'wrong') AS meaning FROM ({view})").collect()
    of_bytes = {row.n: row.meaning for row in typed}
    values = ", ".join(f"({n}, X'{c.hex()}')" for n, (c, _) in enumerate(cases))
    columns = (
        "CAST(NULL AS BINARY) AS key, 2 AS partition, 3 AS offset, timestamp_millis(0) AS timestamp,"
        " CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS headers"
    )
    source = f"SELECT n, value, {columns} FROM VALUES {values} AS t(n, value)"
    lines = f"SELECT n, {line(wire, 'orders')} AS line FROM ({source})"
    judged = kafka_spark.sql(f"SELECT n, {records.reason('line', 'NULL')} AS why FROM ({lines})").collect()
    why = {row.n: row.why for row in judged}
    for n, (_, meaning) in enumerate(cases):
        is_wrong = isinstance(meaning, str)
        assert (n, of_bytes[n]) == (n, "wrong" if is_wrong else codec.encode_text(topic.value.type, meaning))
        assert (n, why[n]) == (n, f"value: {meaning}" if is_wrong else None)


def test_a_run_reads_envelopes_and_writes_rows() -> None:
    """The schema of the result is that of its columns, in Avro."""
    orders = lsqlc.Topic("orders", key="INT", value={"format": "debezium-avro", "schema": COLUMNS})
    plan = lsqlc.compile("SELECT STREAM id, placed FROM orders", topics=[orders], name="out")
    assert plan.outputs[0].value.format == "avro"
    (written,) = written_schemas([plan], {SUBJECT.name: SUBJECT})
    assert [field["name"] for field in json.loads(written.text)["fields"]] == ["id", "placed"]
    found = schemas_in_use([plan], [], {SUBJECT.name: SUBJECT}, {}, None)
    assert '"logicalType":"timestamp-micros"' in found.of("orders", "value").reader
    assert {key: d.code for key, d in found.problems.items()} == {("out", "value"): "LSQ756"}


def test_a_subject_of_another_type() -> None:
    with pytest.raises(FacetError) as caught:
        facet_of({"format": "debezium-json_sr"}, registered=Registration("orders", "value", {SUBJECT.name: SUBJECT}))
    assert caught.value.code == "LSQ719"


@pytest.mark.parametrize("text", ["", "{", '{"type":' * 2_000, "5", '"Envelope"'])
def test_a_lock_file_with_no_schema(text: str) -> None:
    """It is reported as of any other format."""
    format = find_format("debezium-avro")
    assert format is not None and format.schema is not None
    result = format.schema.read(text, None)
    assert result.type is None and result.problems
