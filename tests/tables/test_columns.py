"""Changes as Arrow data, beside those of records: the same, or none."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.transport import Lines
from lsqlc.tables.changes import changes_of, comparable
from lsqlc.tables.columns import ColumnChanges, column_reader
from lsqlc.tables.schema import Keep, TableSchema, table_schema
from lsqlc.types import codec, data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, StoredRecord, Topic
from tests.bytes.test_json import Rows, each_type

VALUE = parse_columns("s STRING, n BIGINT, d DECIMAL(6,2), at TIMESTAMP, a ARRAY<STRUCT<x: INT>>, t TIME")
TOPIC = Topic("orders", Facet(data.INT, "int"), Facet(VALUE, "json"))
FULL = '{"s":"x","n":1,"d":1.50,"at":"2026-01-01T00:00:00Z","a":[{"x":1},null],"t":5}'


def read(schema: TableSchema, *lines: str | bytes, is_ordered: bool = True) -> ColumnChanges | None:
    content = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    reader = column_reader(schema, has_time=True)
    assert reader is not None
    return reader([Lines(content, is_ordered)])


def line(value: str, key: str = "7", ordinal: str = "1", timestamp: str = "0") -> str:
    return f'{{"ordinal":{ordinal},"timestamp":{timestamp},"key":{key},"value":{value}}}'


def rows(changes: ColumnChanges) -> list[tuple[str, Any]]:
    return [(change.action, comparable(change.row)) for change in changes]


@each_type
def test_values_mean_what_records_mean(rows: Rows) -> None:
    """Of the table of JSON texts. What is not read is left to the reader of records."""
    schema = table_schema(rows.topic, "all", (), None)
    found: list[str | None] = []
    for each, meaning in zip(rows.lines, rows.meanings, strict=True):
        changes = read(schema, each)
        if changes is None:
            found.append(meaning)
        else:
            ((value,),) = [change.row for change in changes]
            found.append(codec.encode_text(rows.type, value))
    assert rows.same(found)


@pytest.mark.parametrize("type", ["BOOLEAN", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "DECIMAL(6,2)", "TIME"])
def test_usual_values_are_read(type: str) -> None:
    topic = Topic("t", value=Facet(parse_columns(f"v {type}"), "json"))
    text = {"BOOLEAN": "true", "STRING": '"x"', "DECIMAL(6,2)": "1.25", "FLOAT": "1.5", "DOUBLE": "-0.0"}.get(type, "7")
    schema = table_schema(topic, "all", (), None)
    assert read(schema, line(f'{{"v":{text}}}', "null"), line('{"v":null}', "null"), line("null", "null")) is not None


LEFT = {
    "two objects in a line": [line(FULL) + line(FULL), ""],
    "an object in two lines": [line(FULL).replace(',"key"', ',\n"key"')],
    "a name twice": [line(FULL.replace('"t":5', '"t":5,"t":6'))],
    "a name twice, and space": [line(FULL.replace('"t":5', '"t" :5,"t":6'))],
    "a name twice inside": [line(FULL.replace('"x":1', '"x":1,"x":2'))],
    "a name that is not declared": [line(FULL.replace('"t":5', '"t":5,"u":6'))],
    "a name that is missing": [line(FULL.replace(',"t":5', ""))],
    "headers": [line(FULL)[:-1] + ',"headers":[]}'],
    "no value": ['{"ordinal":1,"timestamp":0,"key":7}'],
    "null": ["null"],
    "an array": ["[]"],
    "no JSON": ["{nonsense}"],
    "a broken text": [line(FULL).replace('"x"', '"\xff"').encode("latin-1")],
    "a lone surrogate": [line(FULL.replace('"s":"x"', '"s":"\\ud800"'))],
    "a time before 1970": [line(FULL, timestamp="-1")],
    "a time behind 9999": [line(FULL, timestamp="253402300800000")],
    "a large ordinal": [line(FULL, ordinal="9223372036854775808")],
    "an ordinal of several numbers": [line(FULL, ordinal="[1]")],
    "a large number": [line(FULL.replace('"n":1', '"n":9223372036854775808'))],
    "a large key": [line(FULL, "2147483648")],
    "a day that is none": [line(FULL.replace("2026-01-01", "2026-02-30"))],
    "the year 0": [line(FULL.replace("2026-01-01", "0000-01-01"))],
    "a second that is none": [line(FULL.replace("00:00:00Z", "00:00:60Z"))],
    "another zone": [line(FULL.replace("00:00Z", "00:00+01:00"))],
    "a long fraction": [line(FULL.replace("1.50", "1.505"))],
    "a text for a number": [line(FULL.replace('"n":1', '"n":"1"'))],
}


@pytest.mark.parametrize("lines", LEFT.values(), ids=LEFT)
def test_what_is_left_to_the_reader_of_records(lines: Sequence[str]) -> None:
    """Also where it stands between lines that are plainly right."""
    for keep in ("all", "current"):
        schema = table_schema(TOPIC, keep, (), None)
        assert read(schema, line(FULL), line(FULL)) is not None
        assert read(schema, line(FULL), *lines, line(FULL)) is None


def test_texts_with_quotes_and_colons(tmp_path: Path) -> None:
    topic = Topic("orders", Facet(data.STRING, "string"), Facet(parse_columns("s STRING, `a b:` STRING"), "json"))
    schema = table_schema(topic, "current", (), None)
    texts = ['":', '\\":', "a :)", "}\n{", "\u2028", "é\x00", '{"s":']
    log = FileLog(tmp_path)
    log.append(topic, [Record("orders", text, {"s": text, "a b:": text}) for text in texts])
    reader = column_reader(schema, has_time=True)
    part = log.behind(topic, {}, 100)
    assert part is not None and reader is not None
    changes = reader(part.lines)
    assert changes is not None
    assert [change.row for change in changes] == [(text, text, text) for text in texts]
    content = part.lines[0].content
    assert reader([Lines(content.replace(b":)", b"\\u003a)"), True)]) is None
    assert reader([Lines(content.replace(b'"key":', b'"key" : ').removesuffix(b"\n"), True)]) is not None


def _drawn(draw: random.Random) -> tuple[Any, Any, int]:
    value = {
        "b": draw.choice([True, None]), "f": draw.choice([1.5, math.nan, None]), "d": draw.choice([-0.0, 1e300, None]),
        "dc": Decimal(draw.randrange(10**6)) / 100, "s": draw.choice(["", "é", None]), "by": b"\x00\xff",
        "day": date(1, 1, 1), "t": draw.choice([86_399_999_999, None]),
        "ts": datetime(9999, 12, 31, 23, 59, 59, draw.choice([0, 120_000, 999_999]), UTC),
        "a": draw.choice([[1, None], [], None]), "m": {"k": datetime(2026, 1, 1, tzinfo=UTC)}, "st": {"x": None},
    }  # fmt: skip
    key = draw.choice([None, {"k": draw.choice([0.0, -0.0, math.nan, 1.0, None]), "id": draw.randrange(3)}])
    return key, draw.choice([None, value, value]), draw.randrange(100)


def _stored(record: Record, ordinal: tuple[int, ...]) -> StoredRecord:
    return StoredRecord(record.topic, record.key, record.value, record.timestamp, ordinal)


@pytest.mark.parametrize("keep", ["all", "current"])
@pytest.mark.parametrize("is_derived", [False, True], ids=["appended", "derived"])
def test_changes_are_those_of_records(tmp_path: Path, keep: Keep, is_derived: bool) -> None:
    """Over several files, also those that a query wrote, whose lines are not in order."""
    columns = (
        "b BOOLEAN, f FLOAT, d DOUBLE, dc DECIMAL(8,2), s STRING, by BYTES, day DATE, t TIME, ts TIMESTAMP, "
        "a ARRAY<INT>, m MAP<STRING, TIMESTAMP>, st STRUCT<x: DATE>"
    )
    key = Facet(parse_columns("k FLOAT, id INT NOT NULL"), "json")
    topic = Topic("orders", key, Facet(parse_columns(columns), "json"), ordinal_width=2 if is_derived else 1)
    log, draw = FileLog(tmp_path), random.Random(3)
    for batch in range(3):
        records = [Record("orders", *_drawn(draw)) for _ in range(40)]
        if is_derived:
            places = [((draw.randrange(20), n), record) for n, record in enumerate(records)]
            stored = [_stored(record, ordinal) for ordinal, record in places]
            log.append_batch(topic, stored, generation="g", batch=batch)
        else:
            log.append(topic, records)
    part = log.behind(topic, {}, 1000)
    assert part is not None
    schema = table_schema(topic, keep, (), None)
    reader = column_reader(schema, has_time=True)
    assert reader is not None
    changes = reader(part.lines)
    assert changes is not None
    records_of_part = list(part.records)
    expected, _ = changes_of(schema, records_of_part, lambda keys: ())
    assert changes.records == len(records_of_part) == 120
    assert changes.keyless == (0 if keep == "all" else sum(record.key is None for record in records_of_part))
    by_order = [(change.action, comparable(change.row)) for change in expected]
    if keep == "all":
        assert rows(changes) == by_order
    else:
        assert len(changes) == len(by_order)
        assert set(rows(changes)) == set(by_order)
        assert changes.actions == sorted(changes.actions, reverse=True)
