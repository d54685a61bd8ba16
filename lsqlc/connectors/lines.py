"""A record as a line of a segment: `{"ordinal":17,"timestamp":1357034400000,"key":...,"value":{...}}`.

Every field of the schema is present, nulls included. `ordinal` is an integer, or an array of integers where the ordinal
of the topic is wider than one. What is missing in a line that somebody else wrote is null, as everywhere in JSON. A
record with headers has them in a further member, `"headers":[{"key":"trace","value":"aGk="}]`, their values in base64.
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
    """The schema of a line, without the headers that few have."""
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
    """From a line without its newline. The function raises ValueProblems, and MalformedJson for what is no JSON."""
    # The line is a level around its key and its value.
    whole = Struct((*line_type(topic).fields, Field("headers", LINE_HEADERS)))
    decode = codec.decoder(whole, path="", depth=MAX_DEPTH + 1)
    name, width = topic.name, topic.ordinal_width

    def read(line: bytes) -> StoredRecord:
        found = decode(line)
        if found is None:
            raise ValueProblems([Problem("", "expected an object, found null")])
        ordinal = (found["ordinal"],) if width == 1 else tuple(found["ordinal"])
        # Rows of joins have shorter ones where they stand alone, and longer ones where these say ranks.
        if not ordinal or None in ordinal:
            raise ValueProblems([Problem("ordinal", f"expected integers, found {list(ordinal)}")])
        problem = time_problem(topic, found["value"], found["timestamp"])
        if problem is not None:
            raise ValueProblems([problem])
        headers = headers_of(found["headers"])
        return StoredRecord(name, found["key"], found["value"], found["timestamp"], ordinal, headers)

    return read


def time_problem(topic: Topic, value: Any, timestamp: int) -> Problem | None:
    """What is wrong with the time of a record: the field that the topic declares, or else its timestamp."""
    path, time = time_path(topic), value
    for name in topic.event_time.split(".") if topic.event_time else ():
        time = time.get(name) if isinstance(time, dict) else None
    if not topic.event_time or time is None:
        path, time = "timestamp", timestamp
    if isinstance(time, date) and not isinstance(time, datetime):
        time = datetime(time.year, time.month, time.day, tzinfo=UTC)
    millis = millis_of_timestamp(time) if isinstance(time, datetime) else time
    # What is no time at all does not fit the schema either, which is said elsewhere.
    if not isinstance(millis, int) or 0 <= millis <= LATEST:
        return None
    return Problem(path, f"{NO_TIME}, found {time}")


def time_path(topic: Topic) -> str:
    """Where a line has the time of its record."""
    return f"value.{field_path(topic)}" if topic.event_time else "timestamp"


def field_path(topic: Topic) -> str:
    """The field that a topic declares as the time of its records."""
    return ".".join(map(quote, (topic.event_time or "").split(".")))


def record_checker(topic: Topic) -> Callable[[Record | StoredRecord], tuple[int, Any, Any]]:
    """From a record to its timestamp, and its key and value in their one form (see `codec.checker`). The function
    raises ValueProblems with all that does not fit the topic's schema.
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
    """The text of a facet that is `Raw`; None for a value."""
    return facet.text.encode("utf-8", "surrogatepass") if facet.__class__ is Raw else None


def line_encoder(topic: Topic) -> Callable[[Record | StoredRecord, tuple[int, ...]], bytes]:
    """To a line with its newline, under the ordinal given. The function raises ValueProblems."""
    check = record_checker(topic)
    write_key, write_value = codec.encoder(topic.key.type), codec.encoder(topic.value.type)
    width = topic.ordinal_width

    def write(record: Record | StoredRecord, ordinal: tuple[int, ...]) -> bytes:
        # What is raw is a part of a line, and was looked at by who gives it.
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
    """What stands behind the value in the line of a record: nothing for one without headers."""
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
