"""Types and values of records in PostgreSQL. Arrays, structs and maps are JSONB, in the JSON form of records."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, time
from typing import Any

from lsqlc.types import codec, data
from lsqlc.types.data import DataType, Decimal, Primitive

Convert = Callable[[Any], Any] | None

_NAMES = {
    data.BOOLEAN: "boolean", data.INT: "integer", data.BIGINT: "bigint", data.FLOAT: "real",
    data.DOUBLE: "double precision", data.STRING: "text", data.BYTES: "bytea", data.DATE: "date",
    data.TIME: "time without time zone", data.TIMESTAMP: "timestamp with time zone",
}  # fmt: skip


def type_name(type: DataType) -> str:
    """Return the type of a column as PostgreSQL prints it."""
    if isinstance(type, Decimal):
        return f"numeric({type.precision},{type.scale})"
    return _NAMES[type] if isinstance(type, Primitive) else "jsonb"


def to_database(type: DataType) -> Convert:
    """Return a function from a value of a record, not null, to a parameter of psycopg; None where both are the same.
    U+0000 in a text raises ValueError: PostgreSQL cannot hold it.
    """
    if type == data.STRING:
        return _text
    if type == data.TIME:
        return _time
    if isinstance(type, Primitive | Decimal):
        return None
    encode = codec.encoder(type)
    return lambda value: encode(value).decode()


def from_database(type: DataType) -> Convert:
    """Return a function from a value of psycopg, not null and JSONB as text, to that of a record. None: both are the
    same.
    """
    if type == data.TIMESTAMP:
        return lambda value: value.astimezone(UTC)
    if type == data.TIME:
        return lambda value: ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    if isinstance(type, Primitive | Decimal):
        return None
    decode = codec.decoder(type)
    return lambda value: decode(value.encode())


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError("a text has the character U+0000, which PostgreSQL cannot hold")
    return value


def _time(microseconds: int) -> time:
    seconds, micro = divmod(microseconds, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return time(hour, minute, second, micro)
