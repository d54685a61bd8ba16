"""Protobuf records of a registry, between bytes and the JSON text of their values.

This module is sent by value to Spark servers, where lsqlc is not installed. It imports only the standard library and
google.protobuf, which Spark Connect's own Python client requires. The client uses it too. Its arguments are plain data:
the schema in its single text (`formats/protobuf/tree.py`) and a shape (`formats/protobuf/fit.py`).

A record consists of a byte 0, four bytes of the schema's ID, the indexes of its message, and the message. The indexes
are zig-zag varints; a single 0 stands for the first message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any

# The first character of a text with a fault of bytes: no JSON text begins with it.
FAULT = "!"
_MOST_INDEXES = 64

Text = Callable[[Any], str]
Value = Callable[[Any], Any]


class BadValue(ValueError):
    """A value that the type, or the schema, does not allow; one clause."""


def protobuf_reader(
    schema: str,
    message: str,
    shape: tuple[Any, ...],
    writers: Mapping[int, Mapping[tuple[int, ...], str]] | None,
    no_magic: str,
    broken: str,
) -> Callable[[Any], str | None]:
    """Return the function from the bytes of a record to JSON text, or to `FAULT` and the reason why they have none;
    None gives None.

    `schema`: the reader's schema. `writers`: by the id of a schema and the indexes of a message, why its records cannot
    be read; empty: they can. None: records are messages without a head. `no_magic` and `broken`: the messages for bytes
    without a head, and with a corrupt body.
    """
    from google.protobuf.message import DecodeError

    message_class, text = _message_class(schema, message), _text_of(shape)

    def read(content: Any) -> str | None:
        if content is None:
            return None
        content = bytes(content)
        start = 0
        if writers is not None:
            if content[:1] != b"\0":
                return FAULT + no_magic
            if len(content) < 5:
                return FAULT + broken
            id = int.from_bytes(content[1:5], "big")
            if id not in writers:
                return f"{FAULT}the schema id {id} is of no version of the subject"
            indexes, start = _indexes(content, 5)
            reason = broken if indexes is None else writers[id].get(indexes)
            if reason is None:
                reason = f"its schema has no message with the indexes {list(indexes or ())}"
            if reason:
                return FAULT + reason
        parsed = message_class()
        try:
            parsed.ParseFromString(content[start:])
            return text(parsed)
        except (DecodeError, UnicodeDecodeError):
            return FAULT + broken
        except BadValue as bad:
            return FAULT + str(bad)

    return read


def protobuf_writer(
    schema: str, message: str, shape: tuple[Any, ...], head: bytes
) -> Callable[[str | None], bytes | None]:
    """Return the function from the JSON text of a value to the bytes of a record, which are the same for the same text;
    None gives None. `head`: the bytes before the message. The function raises BadValue.
    """
    message_class, fill = _message_class(schema, message), _fill_of(shape)

    def write(text: str | None) -> bytes | None:
        if text is None:
            return None
        parsed = message_class()
        fill(parsed, json.loads(text, parse_float=str))
        body: bytes = parsed.SerializeToString(deterministic=True)
        return head + body

    return write


def index_bytes(indexes: tuple[int, ...]) -> bytes:
    """Return the bytes of the indexes of a message in a record."""
    if indexes == (0,):
        return b"\0"
    return b"".join(_varint(number << 1) for number in (len(indexes), *indexes))


def _varint(number: int) -> bytes:
    result = bytearray()
    while number > 127:
        result.append(number & 127 | 128)
        number >>= 7
    return bytes((*result, number))


def _indexes(content: bytes, start: int) -> tuple[tuple[int, ...] | None, int]:
    """Return the indexes of a record's message, and the start of the message; None for an invalid list of numbers."""
    count, start = _zigzag(content, start)
    if count == 0:
        return (0,), start
    if count is None or not 0 < count <= _MOST_INDEXES:
        return None, start
    indexes = []
    for _ in range(count):
        number, start = _zigzag(content, start)
        if number is None or number < 0:
            return None, start
        indexes.append(number)
    return tuple(indexes), start


def _zigzag(content: bytes, start: int) -> tuple[int | None, int]:
    number = shift = 0
    for place in range(start, min(start + 5, len(content))):
        number |= (content[place] & 127) << shift
        if content[place] < 128:
            return number >> 1 ^ -(number & 1), place + 1
        shift += 7
    return None, start


def _message_class(schema: str, message: str) -> Any:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.json_format import ParseDict
    from google.protobuf.message_factory import GetMessageClass

    pool = DescriptorPool()
    for file in json.loads(schema)["file"]:
        pool.Add(ParseDict(_without_options(file), FileDescriptorProto()))
    return GetMessageClass(pool.FindMessageTypeByName(message))


def _without_options(descriptor: Any) -> Any:
    """Return descriptors without the options of fields, which are needed for types only."""
    if isinstance(descriptor, dict):
        return {k: _without_options(v) for k, v in descriptor.items() if not (k == "options" and "mapEntry" not in v)}
    return [_without_options(one) for one in descriptor] if isinstance(descriptor, list) else descriptor


def _text_of(shape: tuple[Any, ...]) -> Text:
    """Return the function from a value to its JSON text."""
    kind = shape[0]
    if kind == "struct":
        members = tuple((json.dumps(field[0], ensure_ascii=False) + ":", _member_text(field)) for field in shape[1])
        return lambda message: "{" + ",".join([name + text(message) for name, text in members]) + "}"
    if kind == "only":
        return _member_text(shape[1])
    if kind == "wrapper":
        inner = _text_of(shape[1])
        return lambda message: inner(message.value)
    if kind == "enum":
        symbols = {number: json.dumps(name, ensure_ascii=False) for number, name in reversed(shape[1])}
        return lambda number: symbols.get(number) or f'"{number}"'
    if kind == "unsigned":
        limit = 1 << shape[1]
        return lambda number: str(number) if number < limit else _bad(f"is {number}, which BIGINT does not hold")
    if kind == "decimal":
        return lambda message: _decimal_text(message, *shape[1:])
    return _LEAF_TEXTS[kind]


def _member_text(field: tuple[Any, ...]) -> Text:
    """Return the function from a message to the JSON text of a field."""
    _, name, label, presence, is_nullable, path, shape = field
    if label == "map":
        return _at(path, _map_text(name, *shape[1:]))
    text = _text_of(shape)
    if label == "many":
        return _at(path, lambda message: "[" + ",".join(map(text, getattr(message, name))) + "]")
    if presence:
        return _at(path, _optional_text(name, is_nullable, text))
    if shape[0] in _NEVER_BAD:
        return lambda message: text(getattr(message, name))
    return _at(path, lambda message: text(getattr(message, name)))


def _optional_text(name: str, is_nullable: bool, text: Text) -> Text:
    def optional(message: Any) -> str:
        if message.HasField(name):
            return text(getattr(message, name))
        return "null" if is_nullable else _bad("is null, and is declared NOT NULL")

    return optional


def _map_text(name: str, key: tuple[Any, ...], value: tuple[Any, ...]) -> Text:
    of_key, of_value = _text_of(key), _text_of(value)
    # In JSON a member's name is a string, for any type of key.
    quote = "" if key[0] == "string" else '"'

    def entries(message: Any) -> str:
        items = getattr(message, name).items()
        return "{" + ",".join([f"{quote}{of_key(k)}{quote}:{of_value(v)}" for k, v in items]) + "}"

    return entries


def _at(path: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with the path of the value in its exceptions; an inner path has priority."""

    def located(*value: Any) -> Any:
        try:
            return function(*value)
        except BadValue as bad:
            message = str(bad)
            if message.startswith("'"):
                raise
            raise BadValue(f"'{path}' {message}" if path else f"the value {message}") from None

    return located


def _bad(why: str) -> Any:
    raise BadValue(why)


def _bool_text(value: bool) -> str:
    return "true" if value else "false"


def _float_text(number: float) -> str:
    if number != number:
        return '"NaN"'
    if number in (float("inf"), float("-inf")):
        return '"Infinity"' if number > 0 else '"-Infinity"'
    return repr(number)


def _bytes_text(value: bytes) -> str:
    import base64

    return f'"{base64.b64encode(value).decode()}"'


def _timestamp_text(message: Any) -> str:
    import datetime

    # The years 1 to 9999.
    if not -62_135_596_800 <= message.seconds <= 253_402_300_799 or not 0 <= message.nanos < 1_000_000_000:
        return str(_bad("is not in the years 1 to 9999"))
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=message.seconds)
    fraction = f".{message.nanos // 1000:06d}".rstrip("0").rstrip(".")
    return f'"{moment.isoformat()}{fraction}Z"'


def _date_text(message: Any) -> str:
    import datetime

    try:
        return f'"{datetime.date(message.year, message.month, message.day).isoformat()}"'
    except (ValueError, OverflowError):
        return str(_bad("is not a day of the years 1 to 9999"))


def _time_text(message: Any) -> str:
    parts = ((message.hours, 24), (message.minutes, 60), (message.seconds, 60), (message.nanos, 1_000_000_000))
    if not all(0 <= number < limit for number, limit in parts):
        return str(_bad("is not a time of day"))
    seconds = (message.hours * 60 + message.minutes) * 60 + message.seconds
    return str(seconds * 1_000_000 + message.nanos // 1000)


def _decimal_text(message: Any, precision: int, scale: int, field_meta: Any) -> str:
    import decimal

    from_scale = field_meta[1] if field_meta is not None and not message.precision else message.scale
    if not -100 <= from_scale <= 100 or len(message.value) > 100:
        return str(_bad(f"does not fit DECIMAL({precision},{scale})"))
    unscaled = int.from_bytes(message.value, "big", signed=True)
    with decimal.localcontext(prec=1000):
        number = decimal.Decimal(unscaled).scaleb(-from_scale)
        if number != round(number, scale) or abs(number) >= decimal.Decimal(10) ** (precision - scale):
            return str(_bad(f"is {number:f}, which DECIMAL({precision},{scale}) does not hold"))
        return f"{round(number, scale):f}"


_LEAF_TEXTS: dict[str, Text] = {
    "bool": _bool_text, "int": str, "float": _float_text, "string": encode_basestring, "bytes": _bytes_text,
    "timestamp": _timestamp_text, "date": _date_text, "time": _time_text,
}  # fmt: skip
_NEVER_BAD = ("bool", "int", "float", "string", "bytes", "enum")


def _fill_of(shape: tuple[Any, ...]) -> Callable[[Any, Any], None]:
    """Return the function that fills a message from a value of JSON."""
    kind = shape[0]
    if kind == "struct":
        members = tuple((field[0], _member_fill(field)) for field in shape[1])

        def struct(message: Any, value: Any) -> None:
            for name, fill in members:
                fill(message, value.get(name))

        return struct
    if kind == "only":
        return _member_fill(shape[1])
    if kind == "wrapper":
        inner = _value_of(shape[1])
        return lambda message, value: setattr(message, "value", inner(value))
    if kind == "decimal":
        return lambda message, value: _fill_decimal(message, value, *shape[1:])
    return _MESSAGE_FILLS[kind]


def _value_of(shape: tuple[Any, ...]) -> Value:
    """Return the function to the value of a field that is not a message."""
    if shape[0] == "enum":
        numbers = {name: number for number, name in shape[1]}

        def number(name: str) -> Any:
            return numbers[name] if name in numbers else _bad(f"is '{name}', which is not a symbol of its enum")

        return number
    converters: dict[str, Value] = {"bytes": _bytes_of, "float": float, "unsigned": int}
    return converters.get(shape[0], _same)


def _is_message(shape: tuple[Any, ...]) -> bool:
    return shape[0] in ("struct", "wrapper", "decimal", *_MESSAGE_FILLS)


def _member_fill(field: tuple[Any, ...]) -> Callable[[Any, Any], None]:
    """Return the function that sets a field of a message."""
    _, name, label, presence, _, path, shape = field
    fill = {"map": _map_fill, "many": _list_fill, "one": _one_fill}[label](name, shape)

    def member(message: Any, value: Any) -> None:
        if value is None:
            if not presence:
                _bad("is null, which the schema has no place for")
            return
        if isinstance(presence, str) and (other := message.WhichOneof(presence)) is not None:
            _bad(f"is not null, and neither is '{other}': the schema has a place for one of them")
        try:
            fill(message, value)
        except BadValue:
            raise
        except (ValueError, TypeError, OverflowError):
            _bad(f"is {json.dumps(value)[:60]}, which the schema has no place for")

    return _at(path, member)


def _one_fill(name: str, shape: tuple[Any, ...]) -> Callable[[Any, Any], None]:
    if not _is_message(shape):
        convert = _value_of(shape)
        return lambda message, value: setattr(message, name, convert(value))
    fill = _fill_of(shape)

    def message_fill(message: Any, value: Any) -> None:
        inner = getattr(message, name)
        # A message without any value is there all the same.
        inner.SetInParent()
        fill(inner, value)

    return message_fill


def _list_fill(name: str, shape: tuple[Any, ...]) -> Callable[[Any, Any], None]:
    if not _is_message(shape):
        convert = _value_of(shape)
        return lambda message, value: getattr(message, name).extend([convert(item) for item in _present(value)])
    fill = _fill_of(shape)

    def messages_fill(message: Any, value: Any) -> None:
        items = getattr(message, name)
        for item in _present(value):
            fill(items.add(), item)

    return messages_fill


def _present(value: list[Any]) -> list[Any]:
    return _bad("has a null element, which the schema has no place for") if None in value else value


def _map_fill(name: str, shape: tuple[Any, ...]) -> Callable[[Any, Any], None]:
    is_message, key_kind = _is_message(shape[2]), shape[1][0]
    key_of = {"string": _same, "bool": "true".__eq__}.get(key_kind, int)
    fill = _fill_of(shape[2]) if is_message else None
    convert = None if is_message else _value_of(shape[2])

    def entries_fill(message: Any, value: Any) -> None:
        items = getattr(message, name)
        for key, item in value.items():
            if item is None:
                _bad("has a null value, which the schema has no place for")
            if fill is not None:
                fill(items[key_of(key)], item)
            elif convert is not None:
                items[key_of(key)] = convert(item)

    return entries_fill


def _same(value: Any) -> Any:
    return value


def _bytes_of(text: str) -> bytes:
    import base64

    return base64.b64decode(text)


def _fill_timestamp(message: Any, text: str) -> None:
    import datetime

    since = datetime.datetime.fromisoformat(text) - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    message.seconds = since.days * 86_400 + since.seconds
    message.nanos = since.microseconds * 1000


def _fill_date(message: Any, text: str) -> None:
    message.year, message.month, message.day = map(int, text.split("-"))


def _fill_time(message: Any, micros: int) -> None:
    seconds, rest = divmod(micros, 1_000_000)
    message.hours, message.minutes, message.seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    message.nanos = rest * 1000


def _fill_decimal(message: Any, value: Any, precision: int, scale: int, field_meta: Any) -> None:
    import decimal

    with decimal.localcontext(prec=100):
        places = field_meta[1] if field_meta is not None else scale
        unscaled = int(decimal.Decimal(value).scaleb(places))
    message.value = unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)
    message.precision, message.scale = field_meta if field_meta is not None else (precision, scale)


_MESSAGE_FILLS: dict[str, Callable[[Any, Any], None]] = {
    "timestamp": _fill_timestamp, "date": _fill_date, "time": _fill_time,
}  # fmt: skip
