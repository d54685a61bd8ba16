"""A record as a line of a segment: `{"ordinal":17,"timestamp":1357034400000,"key":...,"value":{...}}`.

Every field of the schema is present, nulls included. `ordinal` is an integer, or an array of integers if the topic's
ordinal has several numbers. A field that is absent in a foreign line is null. A record with headers has them in a
further member, `"headers":[{"key":"trace","value":"aGk="}]`, their values in base64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from lsqlc.types import codec, data
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.codec_json import MAX_DEPTH
from lsqlc.types.codec_text import millis_of_timestamp
from lsqlc.types.data import Array, Field, Struct, quote
from lsqlc.types.headers import LINE_HEADERS, Headers, header_values, headers_of
from lsqlc.types.record import LATEST, NO_TIME, Raw, Record, StoredRecord, Topic


def line_type(topic: Topic) -> Struct:
    """Return the schema of a line, without headers, which few lines have."""
    ordinal = data.BIGINT if topic.ordinal_width == 1 else Array(data.BIGINT)
    return Struct(
        (
            Field("ordinal", ordinal, nullable=False),
            Field("timestamp", data.BIGINT, nullable=False),
            Field("key", topic.key.type),
            Field("value", topic.value.type),
        )
    )


def line_decoder(topic: Topic) -> Callable[[bytes], StoredRecord]:
    """Return the function from a line without its newline to the record.

    It raises ValueProblems, and MalformedJson for invalid JSON.
    """
    # The line adds a level around its key and its value.
    whole = Struct((*line_type(topic).fields, Field("headers", LINE_HEADERS)))
    decode = codec.decoder(whole, path="", depth=MAX_DEPTH + 1)
    name, width = topic.name, topic.ordinal_width

    def read(line: bytes) -> StoredRecord:
        members = decode(line)
        if members is None:
            raise ValueProblems([Problem("", "expected an object, found null")])
        ordinal = (members["ordinal"],) if width == 1 else tuple(members["ordinal"])
        # Ordinals of joins are shorter for unmatched rows, and longer if they contain ranks.
        if not ordinal or None in ordinal:
            raise ValueProblems([Problem("ordinal", f"expected integers, found {list(ordinal)}")])
        problem = time_problem(topic, members["value"], members["timestamp"])
        if problem is not None:
            raise ValueProblems([problem])
        headers = headers_of(members["headers"])
        return StoredRecord(name, members["key"], members["value"], members["timestamp"], ordinal, headers)

    return read


def time_problem(topic: Topic, value: Any, timestamp: int) -> Problem | None:
    """Return the problem of a record's time, or None: of the field that the topic declares, or else of its
    timestamp.
    """
    path, time = time_path(topic), value
    for name in topic.event_time.split(".") if topic.event_time else ():
        time = time.get(name) if isinstance(time, dict) else None
    if not topic.event_time or time is None:
        path, time = "timestamp", timestamp
    if isinstance(time, date) and not isinstance(time, datetime):
        time = datetime(time.year, time.month, time.day, tzinfo=UTC)
    millis = millis_of_timestamp(time) if isinstance(time, datetime) else time
    # An invalid type of the time is reported with the schema.
    if not isinstance(millis, int) or 0 <= millis <= LATEST:
        return None
    return Problem(path, f"{NO_TIME}, found {time}")


def time_path(topic: Topic) -> str:
    """Return the path of the record's time in a line."""
    return f"value.{field_path(topic)}" if topic.event_time else "timestamp"


def field_path(topic: Topic) -> str:
    """Return the path of the field that a topic declares as the time of its records."""
    return ".".join(map(quote, (topic.event_time or "").split(".")))


def record_checker(topic: Topic) -> Callable[[Record | StoredRecord], tuple[int, Any, Any]]:
    """Return the function from a record to its timestamp, and its key and value in normal form (see `codec.checker`).

    It raises ValueProblems with all parts that do not match the topic's schema.
    """
    check_time = codec.checker(data.BIGINT, path="timestamp")
    check_key, check_value = codec.checker(topic.key.type, path="key"), codec.checker(topic.value.type, path="value")
    check_headers = codec.checker(LINE_HEADERS, path="headers")

    def check(record: Record | StoredRecord) -> tuple[int, Any, Any]:
        try:
            time, key, value = check_time(record.timestamp), check_key(record.key), check_value(record.value)
            if record.headers:
                check_headers(header_values(record.headers))
        except ValueProblems:
            raise ValueProblems(_all_problems(topic, record)) from None
        if time is None:
            raise ValueProblems([Problem("timestamp", "expected BIGINT NOT NULL, found null")])
        return time, key, value

    return check


def raw_text(facet: Any) -> bytes | None:
    """Return the text of a facet that is `Raw`; None for a value."""
    return facet.text.encode("utf-8", "surrogatepass") if facet.__class__ is Raw else None


def line_encoder(topic: Topic) -> Callable[[Record | StoredRecord, tuple[int, ...]], bytes]:
    """Return the function from a record and an ordinal to a line with its newline. It raises ValueProblems."""
    check = record_checker(topic)
    write_key, write_value = codec.encoder(topic.key.type), codec.encoder(topic.value.type)
    width = topic.ordinal_width

    def write(record: Record | StoredRecord, ordinal: tuple[int, ...]) -> bytes:
        # A raw facet is a part of a line, which its source has checked.
        raw_key, raw_value = raw_text(record.key), raw_text(record.value)
        if raw_key is not None or raw_value is not None:
            record = replace(record, key=None if raw_key else record.key, value=None if raw_value else record.value)
        time, key, value = check(record)
        if len(ordinal) != width:
            raise ValueProblems([Problem("ordinal", f"expected 1 to {width} integers, found {list(ordinal)}")])
        place = b"%d" % ordinal[0] if width == 1 else b"[%s]" % b",".join(b"%d" % n for n in ordinal)
        return b'{"ordinal":%s,"timestamp":%d,"key":%s,"value":%s%s}\n' % (
            place,
            time,
            write_key(key) if raw_key is None else raw_key,
            write_value(value) if raw_value is None else raw_value,
            headers_member(record.headers),
        )

    return write


def headers_member(headers: Headers | None) -> bytes:
    """Return the text after the value in the line of a record: empty without headers."""
    return b"" if not headers else b',"headers":' + _write_headers(header_values(headers))


_write_headers = codec.encoder(LINE_HEADERS)


def _all_problems(topic: Topic, record: Record | StoredRecord) -> list[Problem]:
    parts: tuple[tuple[str, data.DataType, Any], ...] = (
        ("timestamp", data.BIGINT, record.timestamp),
        ("key", topic.key.type, record.key),
        ("value", topic.value.type, record.value),
        ("headers", LINE_HEADERS, header_values(record.headers or ())),
    )
    return [p for path, type, value in parts for p in codec.check(type, value, path=path)[1]]
