"""The bytes of one value without parts: those of Kafka's own serializers, or text for a type that they do not have.

Numbers are big endian: INT 4 bytes, BIGINT and DOUBLE 8, FLOAT 4. A BOOLEAN is the byte 1 or 0, a STRING its UTF-8,
BYTES are themselves. Kafka has no serializer for DATE, TIME and TIMESTAMP: their bytes are their text in JSON without
quotes, which is exact and readable on a console.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from lsqlc.types import codec, data
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import DataType, Field

Encode = Callable[[Any], bytes]
Decode = Callable[[bytes], Any]

_PACKED: dict[DataType, str] = {data.INT: ">i", data.BIGINT: ">q", data.FLOAT: ">f", data.DOUBLE: ">d"}
_TEXTS = (data.DATE, data.TIME, data.TIMESTAMP)
_BOOLEANS = {b"\x00": False, b"\x01": True}


def encoder(type: DataType) -> Encode:
    """Return the function from a value, not None, to its bytes."""
    if type == data.BYTES:
        return bytes
    if type == data.STRING:
        return str.encode
    if type == data.BOOLEAN:
        return lambda value: b"\x01" if value else b"\x00"
    if type in _TEXTS:
        in_json = codec.encoder(type)
        return lambda value: in_json(value).strip(b'"')
    return struct.Struct(_PACKED[type]).pack


def decoder(type: DataType, path: str) -> Decode:
    """Return the function from bytes to the value. It raises ValueProblems for bytes that are no value of the type."""
    if type == data.BYTES:
        return bytes
    if type == data.STRING:
        return lambda raw: text(raw, type, path)
    if type == data.BOOLEAN:
        return lambda raw: _boolean(raw, path)
    if type in _TEXTS:
        # A TIME is a number in JSON, the others are strings.
        mark = b"" if type == data.TIME else b'"'
        in_json = codec.decoder(type, path=path)
        return lambda raw: _from_json(in_json, mark, raw, type, path)
    return _unpacker(type, path)


def column_encoder(column: Field) -> Callable[[Any], bytes | None]:
    """Return the function from a struct of one column to the bytes of the column; a null has none."""
    write, name = encoder(column.type), column.name
    return lambda value: None if value[name] is None else write(value[name])


def column_decoder(column: Field, path: str) -> Decode:
    """Return the function from the bytes of one column to the struct. It raises ValueProblems."""
    read, name = decoder(column.type, f"{path}.{data.quote(column.name)}"), column.name
    return lambda raw: {name: read(raw)}


def text(raw: bytes, type: DataType, path: str) -> str:
    """Decode bytes as UTF-8. Raises ValueProblems for invalid bytes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        actual = f"the byte 0x{raw[error.start]:02x}, which is not UTF-8"
        raise ValueProblems([Problem(path, f"expected {type}, found {actual}")]) from None


def _boolean(raw: bytes, path: str) -> bool:
    try:
        return _BOOLEANS[raw]
    except KeyError:
        raise _unfit(raw, data.BOOLEAN, path) from None


def _from_json(in_json: Decode, mark: bytes, raw: bytes, type: DataType, path: str) -> Any:
    if not raw or raw == b"null":
        raise _unfit(raw, type, path)
    try:
        return in_json(mark + raw + mark)
    except codec.MalformedJson:
        raise _unfit(raw, type, path) from None


def _unpacker(type: DataType, path: str) -> Decode:
    layout = struct.Struct(_PACKED[type])
    unpack, size = layout.unpack, layout.size

    def decode(raw: bytes) -> Any:
        if len(raw) != size:
            raise _unfit(raw, type, path)
        return unpack(raw)[0]

    return decode


def _unfit(raw: bytes, type: DataType, path: str) -> ValueProblems:
    hex_bytes = raw[:16].hex(" ") + (" ..." if len(raw) > 16 else "")
    actual = f"{len(raw)} byte{'s' * (len(raw) != 1)}" + (f" ({hex_bytes})" if raw else "")
    return ValueProblems([Problem(path, f"expected {type}, found {actual}")])
