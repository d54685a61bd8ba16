"""Windowed keys: the format of the key inside with the kind of window around it, `tw[avro]` or `sw[string]`."""

from __future__ import annotations

import re

from lsqlc.types import data
from lsqlc.types.data import DataType, Struct

_WINDOWED = re.compile(r"\s*(TW|SW)\s*\[(.*)\]\s*", re.IGNORECASE | re.DOTALL)


def may_be_empty(type: DataType) -> bool:
    """Return whether a value of the type, not null, may be stored as no bytes."""
    return type in (data.STRING, data.BYTES)


def windowed(text: str) -> tuple[str, str] | None:
    """Return the kind of window, `tw` or `sw`, and the text of the format inside; None without a window."""
    parts = _WINDOWED.fullmatch(text)
    return (parts[1].lower(), parts[2]) if parts else None


def inside(format: str) -> str:
    """Return the format of the bytes: that inside of the window, if there is one."""
    window = windowed(format)
    return window[1] if window else format


def window_key(type: DataType) -> Struct:
    """Return the type of a windowed key around a type: the bounds are epoch milliseconds."""
    bounds = (data.Field("start", data.BIGINT, False), data.Field("end", data.BIGINT, False))
    return Struct((data.Field("key", type), *bounds))


def key_in_window(type: DataType) -> data.Field | None:
    """Return the key's field of a windowed key; None for any other type."""
    if not isinstance(type, Struct) or [f.name for f in type.fields] != ["key", "start", "end"]:
        return None
    return type.fields[0] if all(f.type == data.BIGINT for f in type.fields[1:]) else None


def type_inside(type: DataType, format: str) -> DataType:
    """Return the type that a format inside of a window stores: that of the key; without a window the type itself."""
    return type.fields[0].type if windowed(format) and isinstance(type, Struct) else type
