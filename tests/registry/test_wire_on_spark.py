"""The SQL that reads and writes the wire format on Spark gives what the client's Python gives, and the same faults."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lsqlc.formats.avro.spark import decoded, encoded
from lsqlc.formats.avro.wire import avro_decoder, avro_encoder
from lsqlc.formats.avro.write import avro_text
from lsqlc.formats.json_schema.spark import JsonSchema
from lsqlc.formats.protobuf.codec import decoder, encoder
from lsqlc.formats.protobuf.spark import encoding as protobuf_encoding
from lsqlc.formats.protobuf.write import protobuf_schema
from lsqlc.formats.record import StoredFacet
from lsqlc.formats.registered import NO_MAGIC, FacetSchemas, Fault
from lsqlc.functions.forms.json_values import json_of
from lsqlc.lower.spark.wire.typed import facet_decoding
from lsqlc.remote.connectors.kafka.functions import register
from lsqlc.types import codec, data
from lsqlc.types.data import DataType, Map, parts
from lsqlc.types.ddl import parse_columns, parse_type
from tests.formats.schema_types import types
from tests.registry.test_protobuf import columns, present
from tests.registry.test_wire import (
    FAULTS,
    KINDS,
    NAMED,
    NEW,
    OLD,
    RENAMED,
    RENAMED_VALUE,
    schema,
    type_of,
    written,
)
from tests.registry.values import values

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


@pytest.fixture
def avro(kafka_spark: SparkSession) -> SparkSession:
    """A session that knows `from_avro` and `to_avro`."""
    return kafka_spark


def rows(session: SparkSession, contents: Sequence[bytes | None], *columns: str) -> list[Any]:
    """The columns over a column `b` of contents, in their order."""
    return session.sql(f"SELECT {', '.join(columns)} FROM {table(contents)} ORDER BY i").collect()


def table(contents: Sequence[bytes | None]) -> str:
    """Contents as a column `b` of a table, in the order of `i`."""
    lines = ", ".join(f"({i}, {_literal(content)})" for i, content in enumerate(contents))
    return f"(SELECT i, CAST(b AS BINARY) AS b FROM VALUES {lines} AS t(i, b))"


def _literal(content: bytes | None) -> str:
    return "NULL" if content is None else f"X'{content.hex()}'"


def agree(
    session: SparkSession, type: DataType, reader: str, writers: dict[int, str], contents: Sequence[bytes | None]
) -> None:
    """Spark reads each content as Python does: the same value, by its JSON and by what it writes again, or a fault."""
    expected = [avro_decoder(type, reader, writers)(content) for content in contents]
    read = decoded("b", type, reader, writers)
    as_json = not any(isinstance(part, Map) and part.key != data.STRING for part in parts(type))
    text = json_of("d.value", type) if as_json else "CAST(NULL AS STRING)"
    again = encoded("d.value", type, reader, 1)
    query = (
        f"SELECT d.fault AS fault, {text} AS text, {again} AS again"
        f" FROM (SELECT i, {read} AS d FROM {table(contents)}) ORDER BY i"
    )
    found = session.sql(query).collect()
    own = avro_decoder(type, reader, {1: reader})
    for content, value, row in zip(contents, expected, found, strict=True):
        if isinstance(value, Fault):
            assert (row.fault, row.text, row.again) == (value.reason, None, None), content
            continue
        assert row.fault is None, (content, value)
        assert content is None or value is not None
        rewritten = own(None if row.again is None else bytes(row.again))
        assert shown(type, rewritten) == shown(type, value)
        if as_json and value is not None:
            parsed, problems = codec.decode_text(type, row.text)
            assert not problems and shown(type, parsed) == shown(type, value)


def shown(type: DataType, value: Any) -> Any:
    """A value as JSON with all digits; the order of entries of a map, which Spark does not keep, does not count."""
    return json.loads(codec.encode_text(type, value), parse_float=str, parse_int=str)


@settings(suppress_health_check=[*HealthCheck], deadline=None, max_examples=12)
@given(st.data())
def test_random_values_of_random_types(avro: SparkSession, source: st.DataObject) -> None:
    """What fastavro writes Spark reads, and what Spark writes fastavro reads; a body that ends early is a fault."""
    type = source.draw(types())
    text = avro_text(type, "r")
    encode = avro_encoder(type, text, 7)
    whole = [codec.check(type, source.draw(values(type)))[0] for _ in range(4)]
    contents = [encode(value) for value in whole]
    assert contents[0] is not None
    agree(avro, type, text, {7: text}, [*contents, None, contents[0][:-1] if len(contents[0]) > 5 else b""])


@pytest.mark.parametrize("text", sorted({text for text, _, _ in FAULTS}))
def test_the_same_faults(avro: SparkSession, text: str) -> None:
    agree(avro, type_of(text), text, {7: text}, [content for other, content, _ in FAULTS if other == text])


def test_each_writer_is_read_with_the_reader_schema(avro: SparkSession) -> None:
    """Promotion, an alias and a default; fewer columns, in another order and case."""
    contents = [written(OLD, {"id": 5, "note": "n"}, 1), written(NEW, {"id": 6, "text": None, "at": 7}, 2), None]
    for type in (type_of(NEW), parse_columns("TEXT STRING, ID BIGINT")):
        read = avro_decoder(type, NEW, {1: OLD, 2: NEW})
        found = rows(avro, contents, f"to_json({decoded('b', type, NEW, {1: OLD, 2: NEW})}.value) AS text")
        assert [codec.decode_text(type, row.text)[0] if row.text else None for row in found] == list(
            map(read, contents)
        )


def test_names_of_types_are_not_compared(avro: SparkSession) -> None:
    """Of records, enums and fixed, wherever they stand."""
    agree(avro, type_of(NAMED), NAMED, {7: RENAMED, 8: NAMED}, [written(RENAMED, RENAMED_VALUE)])


def test_kinds_that_no_type_is_written_as(avro: SparkSession) -> None:
    """An enum, a fixed, a decimal in a fixed, times of milliseconds."""
    from datetime import date
    from decimal import Decimal

    value = {
        "state": "SENT",
        "hash": b"ab",
        "sum": Decimal("-1.50"),
        "day": date(2024, 2, 29),
        "time": 1_000,
        "id": "x",
    }
    agree(avro, type_of(KINDS), KINDS, {7: KINDS}, [avro_encoder(type_of(KINDS), KINDS, 7)(value)])


def test_a_record_of_nulls_is_not_a_broken_body(avro: SparkSession) -> None:
    """Both are a record of nulls to Spark's reader of Avro."""
    text = schema({"name": "a", "type": ["null", "int"]}, {"name": "b", "type": ["null", "string"]})
    agree(avro, type_of(text), text, {7: text}, [b"\0\0\0\0\7\0\0", b"\0\0\0\0\7\0", b"\0\0\0\0\7"])


def test_no_known_writer(avro: SparkSession) -> None:
    """A subject without versions: each id is unknown."""
    agree(avro, type_of(OLD), OLD, {}, [b"\0\0\0\0\7\2\0", None, b"\1"])


@pytest.mark.parametrize(("value", "type", "text"), [
    ("named_struct('id', CAST(NULL AS BIGINT))", "STRUCT<id: BIGINT>", schema({"name": "id", "type": "long"})),
    ("named_struct('s', 'LOST')", "STRUCT<s: STRING>",
     schema({"name": "s", "type": {"type": "enum", "name": "State", "symbols": ["OPEN"]}})),
    ("named_struct('f', X'010203')", "STRUCT<f: BYTES>",
     schema({"name": "f", "type": {"type": "fixed", "name": "F", "size": 2}})),
])  # fmt: skip
def test_what_the_schema_has_no_place_for_fails(avro: SparkSession, value: str, type: str, text: str) -> None:
    """Rather than being written as something else."""
    with pytest.raises(Exception, match=r"(?i)avro"):
        avro.sql(f"SELECT {encoded('v', parse_type(type), text, 1)} AS b FROM (SELECT {value} AS v)").collect()


def test_an_int_is_written_into_a_long(avro: SparkSession) -> None:
    """Spark's own writer refuses it; fields meet by name, and a field that may be null is filled."""
    type = parse_columns("b FLOAT, a INT")
    text = schema({"name": "a", "type": "long"}, {"name": "b", "type": ["null", "double"]},
                  {"name": "c", "type": ["null", "string"], "default": None})  # fmt: skip
    query = (
        f"SELECT {encoded('v', type, text, 1)} AS b FROM (SELECT named_struct('b', CAST(1.5 AS FLOAT), 'a', 2) AS v)"
    )
    (row,) = avro.sql(query).collect()
    assert avro_decoder(type_of(text), text, {1: text})(bytes(row.b)) == {"a": 2, "b": 1.5, "c": None}


def test_json_bodies(avro: SparkSession) -> None:
    """Their text with or without an id before it, and back with the id of the schema that is written."""
    encoding = JsonSchema(parse_type("STRUCT<a: INT>"), 7)
    good = [b'\0\0\0\0\7{"a": 1}', b'\0\0\0\0\x08{"a": 1}', b'{"a": 1}']
    bad = [b"\1", b"\0\0", b"\0\0\0\0\7\xff", b'\0\0\0\0\7{"a": 1}}']
    again = encoding.bytes("from_json(CAST(substring(b, 6) AS STRING), 'a INT')")
    read = encoding.read("b")
    found = rows(avro, [*good, *bad], f"coalesce({read}.wrong, {read}.json) AS d", f"{again} AS again")
    assert [row.d for row in found] == ['{"a": 1}'] * len(good) + ["expected JSON"] * len(bad)
    assert bytes(found[0].again) == b'\0\0\0\0\7{"a":1}'


def protobuf_of(type: DataType, schema: str) -> StoredFacet:
    """A facet whose values are under a schema with the id 7."""
    schemas = FacetSchemas(schema, {7: schema}, (schema, 7))
    return StoredFacet("t", "value", type, "protobuf", schemas=lambda: schemas)


@settings(suppress_health_check=[*HealthCheck], deadline=None, max_examples=8, phases=[Phase.generate])
@given(st.data())
def test_random_values_in_protobuf(kafka_spark: SparkSession, source: st.DataObject) -> None:
    """Spark reads what the client writes, and writes it again; bytes that are cut off are a fault."""
    type = source.draw(columns())
    facet = protobuf_of(type, protobuf_schema(type, "value"))
    encoding, encode, decode = protobuf_encoding(facet), encoder(facet), decoder(facet)
    register(kafka_spark, encoding.functions)
    whole = [codec.check(type, present(type, source.draw(values(type))))[0] for _ in range(4)]
    contents = [encode(value) for value in whole]
    decoding = facet_decoding(encoding, "b", type)
    step = f"{decoding.parsed} AS p, {decoding.bytes_problem} AS fault"
    parsed = f"SELECT i, b, {step} FROM {table([*contents, None, b'', b'{}'])}"
    again = encoding.bytes("value")
    values_of = f"SELECT i, b, fault, {decoding.value('p')} AS value FROM ({parsed})"
    query = f"SELECT fault, if(value IS NULL, NULL, {again}) AS again FROM ({values_of}) ORDER BY i"
    found = kafka_spark.sql(query).collect()
    for value, row in zip(whole, found, strict=False):
        assert row.fault is None and shown(type, decode(bytes(row.again))) == shown(type, value)
    assert [(row.again, row.fault) for row in found[4:]] == [(None, None), (None, NO_MAGIC), (None, NO_MAGIC)]
