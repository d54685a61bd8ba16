"""The types of the language as those of Arrow, in which functions in Python see values."""

from __future__ import annotations

from typing import Any

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct, parts


def has_arrow_type(type: DataType) -> bool:
    """Whether functions in Python take and give values of a type: all but TIME, which engines have as numbers."""
    return not any(part in (data.TIME, data.NULL) for part in parts(type))


def arrow_type(type: DataType, *, zoned: bool = True) -> Any:
    """The type of pyarrow. `zoned`: a TIMESTAMP says that it is in UTC."""
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
