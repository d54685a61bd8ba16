"""Records as bytes of Kafka: what each format writes, what comes back, and what is wrong with other bytes."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from lsqlc.connectors.kafka.codec import Codecs, record_decoder, record_encoder
from lsqlc.diagnostics import LsqlcError
from lsqlc.formats.delimited import format as formats
from lsqlc.formats.registered import FacetSchemas
from lsqlc.types import data
from lsqlc.types.codec import ValueProblems
from lsqlc.types.data import DataType
from lsqlc.types.ddl import parse_columns, parse_type
from lsqlc.types.record import ABSENT, Facet, Record, Topic
from tests.delimited_rows import READ, WRITTEN

NOON = datetime(2013, 1, 1, 12, 0, 0, 123456, UTC)
BY_FORMAT = [
    ("INT", "int", 258, "00000102"),
    ("INT", "int", -1, "ffffffff"),
    ("BIGINT", "long", 1, "0000000000000001"),
    ("FLOAT", "float", 1.5, "3fc00000"),
    ("DOUBLE", "double", -2.0, "c000000000000000"),
    ("DOUBLE", "double", float("inf"), "7ff0000000000000"),
    ("BOOLEAN", "boolean", True, "01"),
    ("BOOLEAN", "boolean", False, "00"),
    ("STRING", "string", "é", "c3a9"),
    ("STRING", "string", "", ""),
    ("BYTES", "bytes", b"\x00\xff", "00ff"),
    ("DATE", "date", date(2013, 1, 2), b"2013-01-02".hex()),
    ("TIME", "time", 3_600_000_001, b"3600000001".hex()),
    ("TIMESTAMP", "timestamp", NOON, b"2013-01-01T12:00:00.123456Z".hex()),
    ("STRING", "json", "k", b'"k"'.hex()),
    ("DECIMAL(10,2)", "json", Decimal("1.50"), b"1.50".hex()),
    ("ARRAY<INT>", "json", [1, None], b"[1,null]".hex()),
]
ROW = "id INT NOT NULL, big BIGINT, ok BOOLEAN, name STRING, d DOUBLE, f FLOAT, p DECIMAL(6,2), b BYTES, day DATE, t TIME, at TIMESTAMP"  # noqa: E501


def topic(type: DataType, format: str, key: Facet = ABSENT) -> Topic:
    return Topic("t", key, Facet(type, format))


def written(topic: Topic, value: Any, key: Any = None, codecs: Codecs = Codecs()) -> tuple[bytes | None, bytes | None]:  # noqa: B008
    return record_encoder(topic, codecs)(Record("t", key, value, 5))


def read(topic: Topic, value: bytes | None, key: bytes | None = None, codecs: Codecs = Codecs()) -> Any:  # noqa: B008
    return record_decoder(topic, codecs)(key, value, 5, (0, 7, 0))


def reasons(topic: Topic, value: bytes | None, key: bytes | None = None, time: int = 5) -> list[str]:
    with pytest.raises(ValueProblems) as error:
        record_decoder(topic, Codecs())(key, value, time, (0, 7, 0))
    return [str(p) for p in error.value.problems]


@pytest.mark.parametrize(("type", "format", "value", "bytes"), BY_FORMAT)
def test_a_value_is_these_bytes_and_back(type: str, format: str, value: Any, bytes: str) -> None:
    """As Kafka's own serializers write them, where it has one."""
    described = topic(parse_type(type), format)
    assert written(described, value) == (None, bytes_of(bytes))
    assert read(described, bytes_of(bytes)).value == value


def bytes_of(text: str) -> bytes:
    return bytes.fromhex(text)


def test_both_facets_and_the_place_of_a_record() -> None:
    """Key and value each by their own format; the time and the ordinal are what Kafka says."""
    described = topic(parse_columns("id INT NOT NULL, name STRING"), "json", Facet(data.STRING, "string"))
    assert written(described, {"id": 1, "name": "é"}, "k") == (b"k", '{"id":1,"name":"é"}'.encode())
    record = read(described, b'{"name":"x","id":1,"other":2}', b"k")
    assert (record.topic, record.key, record.value) == ("t", "k", {"id": 1, "name": "x"})
    assert (record.timestamp, record.ordinal) == (5, (0, 7, 0))


def test_nothing_is_no_bytes() -> None:
    """A tombstone, a null key, and the facet that a topic has not, whatever stands there."""
    described = topic(data.INT, "int", Facet(data.INT, "int"))
    assert written(described, None) == (None, None)
    assert (read(described, None).key, read(described, None).value) == (None, None)
    absent = topic(data.INT, "int")
    assert read(absent, b"\0\0\0\1", b"whatever").key is None
    assert written(absent, 1) == (None, b"\0\0\0\1")


@pytest.mark.parametrize(
    ("type", "format", "raw", "reason"),
    [
        ("INT", "int", b"\0\0\1", "value: expected INT, found 3 bytes (00 00 01)"),
        ("BIGINT", "long", b"", "value: expected BIGINT, found 0 bytes"),
        ("BOOLEAN", "boolean", b"\2", "value: expected BOOLEAN, found 1 byte (02)"),
        ("STRING", "string", b"a\xff", "value: expected STRING, found the byte 0xff, which is not UTF-8"),
        (
            "DATE",
            "date",
            b"2013-13-01",
            "value: expected DATE, found the string '2013-13-01', which is not of the form 2013-01-01",
        ),
        ("DATE", "date", b'"', "value: expected DATE, found 1 byte (22)"),
        ("TIME", "time", b"null", "value: expected TIME, found 4 bytes (6e 75 6c 6c)"),
    ],
)
def test_bytes_that_are_no_value(type: str, format: str, raw: bytes, reason: str) -> None:
    """The reason has the path and what was expected, as that of a line of a file."""
    assert reasons(topic(parse_type(type), format), raw) == [reason]


def test_all_problems_of_a_record_come_at_once() -> None:
    """Of the key and of each field of the value; JSON that is none says in which facet."""
    described = topic(parse_columns("id INT NOT NULL, n INT"), "json", Facet(data.INT, "int"))
    assert reasons(described, b'{"n":"x"}', b"?") == [
        "key: expected INT, found 1 byte (3f)",
        "value.id: expected INT NOT NULL, found no such field",
        "value.n: expected INT, found the string 'x'",
    ]
    (broken,) = reasons(described, b'{"n":', b"\0\0\0\1")
    assert broken.startswith("value: ")


def test_a_time_that_no_record_can_have() -> None:
    """Kafka gives -1 where a record has none."""
    described = topic(data.INT, "int")
    assert reasons(described, b"\0\0\0\1", time=-1) == ["timestamp: expected a time from 1970 to 9999, found -1"]
    with pytest.raises(ValueProblems):
        record_encoder(described, Codecs())(Record("t", None, 1, -1))


def test_what_does_not_fit_is_not_written() -> None:
    """With the words of the file transport."""
    described = topic(parse_columns("id INT NOT NULL"), "json", Facet(data.STRING, "string"))
    with pytest.raises(ValueProblems) as error:
        written(described, {"id": "x"}, 3)
    assert [str(p) for p in error.value.problems] == [
        "key: expected STRING, found the int 3",
        "value.id: expected INT, found the string 'x'",
    ]


def test_delimited_rows() -> None:
    """ksqlDB's CSV: numbers for times, base64, quotes only where needed, nothing for null."""
    described = topic(parse_columns(ROW), "delimited")
    value = {
        "id": 1, "big": -2, "ok": True, "name": 'a "b", c', "d": 1.5, "f": 0.25, "p": Decimal("3.10"), "b": b"\0\1",
        "day": date(1970, 1, 3), "t": 1_000, "at": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
    }  # fmt: skip
    row = b'1,-2,true,"a ""b"", c",1.5,0.25,3.10,AAE=,2,1,1000'
    assert written(described, value) == (None, row)
    for end in (b"", b"\n", b"\r\n"):
        assert read(described, row + end).value == value
    nulls = dict.fromkeys(value, None) | {"id": 1}
    assert written(described, nulls) == (None, b"1,,,,,,,,,,")
    assert read(described, b"1,,,,,,,,,,").value == nulls


@pytest.mark.parametrize(
    ("delimiter", "row"),
    [
        ("|", b"5|a;b|1.50"), (";", b'5;"a;b";1.50'), ("\t", b"5\ta;b\t1.50"), (" ", b"5 a;b 1.50"),
        ("-", b"5-a;b-1.50"), ("5", b'"5"5a;b5"1.50"'), (".", b'5.a;b."1.50"'), ("a", b'5a"a;b"a1.50'),
    ],
)  # fmt: skip
def test_delimiters(delimiter: str, row: bytes) -> None:
    """Any cell that has the delimiter is in quotes, a number too."""
    described = topic(parse_columns("n INT, s STRING, p DECIMAL(6,2)"), formats.delimited(delimiter))
    value = {"n": 5, "s": "a;b", "p": Decimal("1.50")}
    assert written(described, value) == (None, row)
    assert read(described, row).value == value


_CELLS = parse_columns("a STRING, b STRING")


@pytest.mark.parametrize(("delimiter", "row", "cells"), READ)
def test_rows_are_read_as_ksqldb_reads_them(delimiter: str, row: bytes, cells: tuple[str | None, ...] | None) -> None:
    """Quotes, blanks, line ends and empty cells."""
    described = topic(_CELLS, formats.delimited(delimiter))
    if cells is None:
        assert reasons(described, row)[0].startswith("value: expected 2 cells, found ")
    else:
        assert tuple(read(described, row).value.values()) == cells


@pytest.mark.parametrize(("delimiter", "cells", "row"), WRITTEN)
def test_rows_are_written_as_ksqldb_writes_them(delimiter: str, cells: tuple[str | None, ...], row: bytes) -> None:
    """In quotes where Apache Commons CSV 1.4 has them; what was written is read, but for empty texts."""
    described = topic(_CELLS, formats.delimited(delimiter))
    assert written(described, dict(zip("ab", cells, strict=True))) == (None, row)
    assert tuple(read(described, row).value.values()) == tuple(cell or None for cell in cells)


def test_numbers_are_written_as_java_writes_them() -> None:
    """A first cell with a sign is in quotes."""
    described = topic(parse_columns("d DOUBLE, e DOUBLE, f FLOAT"), "delimited")
    assert written(described, {"d": -1.0, "e": 1e300, "f": 0.1}) == (None, b'"-1.0",1.0E300,0.1')


def test_a_delimited_key_of_one_column() -> None:
    """Is bare, and an empty text comes back as null: CSV has no other word for it."""
    described = topic(data.INT, "int", Facet(data.STRING, "delimited"))
    assert written(described, 1, "a,b")[0] == b'"a,b"'
    assert read(described, None, b'"a,b"').key == "a,b"
    assert written(described, 1, "")[0] == b'""'
    assert read(described, None, b'""').key is None
    assert read(described, None, b"").key is None


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (b"1", ["value: expected 2 cells, found 1"]),
        (b"1,2,3", ["value: expected 2 cells, found 3"]),
        (b'1,"a', ["value: expected 2 cells, found text that is not a row"]),
        (b'1,"a"b', ["value: expected 2 cells, found text that is not a row"]),
        (b"x,y\ny", ["value: expected 2 cells, found text that is not a row"]),
        (b",2013", ["value.id: expected INT NOT NULL, found null"]),
        (b"99999999999,x", ["value.id: expected INT, found '99999999999'", "value.day: expected DATE, found 'x'"]),
        (b"1,9999999999999", ["value.day: expected DATE, found '9999999999999'"]),
    ],
)
def test_bad_rows(row: bytes, found: list[str]) -> None:
    """The number of cells, and each cell that is none of its column's type."""
    assert reasons(topic(parse_columns("id INT NOT NULL, day DATE"), "delimited"), row) == found


def test_the_format_kafka_holds_one_column() -> None:
    """Without its name; a null there is a tombstone."""
    described = topic(parse_columns("n BIGINT"), "kafka")
    assert written(described, {"n": 1}) == (None, b"\0\0\0\0\0\0\0\1")
    assert read(described, b"\0\0\0\0\0\0\0\1").value == {"n": 1}
    assert written(described, {"n": None}) == (None, None)
    assert reasons(described, b"1") == ["value.n: expected BIGINT, found 1 byte (31)"]


def test_windowed_keys() -> None:
    """As Kafka Streams writes them: the start behind the key; of a session the end and the start."""
    key = parse_type("STRUCT<key STRING, start BIGINT NOT NULL, end BIGINT NOT NULL>")
    value = {"key": "k", "start": 1, "end": 6}
    session = topic(data.INT, "int", Facet(key, "sw[string]"))
    assert written(session, 1, value)[0] == b"k" + b"\0" * 7 + b"\6" + b"\0" * 7 + b"\1"
    assert read(session, None, written(session, 1, value)[0]).key == value
    time = topic(data.INT, "int", Facet(key, "tw[string]"))
    assert written(time, 1, value)[0] == b"k" + b"\0" * 7 + b"\1"
    assert read(time, None, b"k" + b"\0" * 7 + b"\1", Codecs(window_sizes={"t": 5})).key == value
    (reason,) = reasons(session, None, b"short")
    assert reason.startswith("key: expected STRUCT<") and reason.endswith("found 5 bytes")
    with pytest.raises(ValueProblems, match="found a window that begins at 9223372036854775807"):
        read(time, None, b"k\x7f" + b"\xff" * 7, Codecs(window_sizes={"t": 5}))
    with pytest.raises(LsqlcError) as error:
        record_decoder(time, Codecs())
    assert error.value.diagnostics[0].message == "the size of the windows in the keys of 't' is not known"


def test_schemas_of_a_registry_are_brought_along() -> None:
    """They are known by the topic's name without the prefix of Kafka; without a registry the target is named."""
    described = topic(data.STRING, "avro", Facet(data.STRING, "avro"))
    schemas = {"key": (5, '"string"'), "value": (6, '["null","string"]')}

    def of(name: str, part: str) -> FacetSchemas:
        assert name == "t"
        id, text = schemas[part]
        return FacetSchemas(text, {id: text}, (text, id))

    codecs = Codecs(of, prefix="dev.")
    raw = (b"\0\0\0\0\5\2k", b"\0\0\0\0\6\2\6abc")
    assert written(described, "abc", "k", codecs) == raw
    record = read(described, raw[1], raw[0], codecs)
    assert (record.key, record.value) == ("k", "abc")
    for make in (record_encoder, record_decoder):
        with pytest.raises(LsqlcError) as error:
            make(described, Codecs())
        (found,) = error.value.diagnostics
        assert (found.code, found.help) == ("LSQ738", "add `registry:` to the target in profiles.yml")
        assert found.message == "the key of 't' is stored as AVRO, whose schemas are in a schema registry"


def test_a_format_that_is_not_supported() -> None:
    """Is not one that a registry would help with."""
    for make in (record_encoder, record_decoder):
        with pytest.raises(LsqlcError) as error:
            make(topic(data.STRING, "xml"), Codecs())
        (found,) = error.value.diagnostics
        assert (found.code, found.help) == ("LSQ738", "declare another format, such as JSON or AVRO")
        assert found.message == "the value of 't' is STRING, which is not supported in the format XML"


def test_a_format_that_cannot_hold_the_type() -> None:
    """Is refused before the first record."""
    with pytest.raises(LsqlcError) as error:
        record_encoder(topic(data.INT, "string"), Codecs())
    assert error.value.diagnostics[0].message == "the value of 't' is INT, which is not supported in the format STRING"
