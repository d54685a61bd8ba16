"""Canonical text of values in golden files: equal values have equal text."""

from __future__ import annotations

from typing import Any

from lsqlc.connectors.lines import headers_member
from lsqlc.types import codec
from lsqlc.types.data import Array, DataType, Map, Struct, has_map
from lsqlc.types.headers import Headers


def canonical_text(type: DataType, value: Any) -> str:
    """Return the canonical JSON text of a value. Maps are sorted by key."""
    return codec.encode_text(type, _sorted_maps(type, value) if has_map(type) else value)


def headers_text(headers: Headers | None) -> str:
    """Return the `headers` member that follows the other members of a JSON record; empty for a record without
    headers.
    """
    return headers_member(headers).decode()


def _sorted_maps(type: DataType, value: Any) -> Any:
    if value is None:
        return None
    match type:
        case Map(key, inner):
            pairs = sorted(value.items(), key=lambda pair: codec.sort_key(key, pair[0]))
            return {k: _sorted_maps(inner, v) for k, v in pairs}
        case Array(element):
            return [_sorted_maps(element, v) for v in value]
        case Struct(fields):
            return {f.name: _sorted_maps(f.type, value.get(f.name)) for f in fields}
    return value
