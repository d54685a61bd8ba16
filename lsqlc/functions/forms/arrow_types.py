"""The language's types as Arrow types, for functions in Python."""

from __future__ import annotations

from typing import Any

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct, parts


def has_arrow_type(type: DataType) -> bool:
    """Return whether functions in Python take and return values of a type: all but TIME, which engines have as a
    number.
    """
    return not any(part in (data.TIME, data.NULL) for part in parts(type))


def arrow_type(type: DataType, *, zoned: bool = True) -> Any:
    """Return the pyarrow type. `zoned`: a TIMESTAMP has the time zone UTC."""
    import pyarrow as pa

    def inner(part: DataType) -> Any:
        return arrow_type(part, zoned=zoned)

    match type:
        case Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case Array(element):
            return pa.list_(inner(element))
        case Map(key, value):
            return pa.map_(inner(key), inner(value))
        case Struct(fields):
            return pa.struct([pa.field(f.name, inner(f.type)) for f in fields])
    return {
        data.BOOLEAN: pa.bool_(),
        data.INT: pa.int32(),
        data.BIGINT: pa.int64(),
        data.FLOAT: pa.float32(),
        data.DOUBLE: pa.float64(),
        data.STRING: pa.string(),
        data.BYTES: pa.binary(),
        data.DATE: pa.date32(),
        data.TIMESTAMP: pa.timestamp("us", "UTC" if zoned else None),
    }[type]
