"""Records of ksqlDB's tests as those of a plan, and back: keys and values by column, numbers that came as text.

What ksqlDB's serializers do is the transport's affair, and so is done here: DELIMITED text is parsed already
(`key_norm`, `value_norm`), its JSON takes a number in quotes for a number, and a field that no column names is ignored.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal as Number
from typing import Any

from lsqlc import Record
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from lsqlc.types.record import Topic

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def record(given: Mapping[str, Any], topic: Topic) -> Record:
    """An input of a case for a topic of the plan."""
    key = given["key_norm"] if given["key"] is not None else None
    value = given["value_norm"] if given["value"] is not None else None
    converted = _key(key, given.get("window"), topic.key.type)
    return Record(topic.name, converted, _value(value, topic.value.type), given["timestamp"] or 0)


def _key(key: Any, window: Mapping[str, Any] | None, type: DataType) -> Any:
    if type == data.NULL or key is None:
        return None
    if window and isinstance(type, Struct):
        inner = type.field("key")
        assert inner is not None
        return {"key": _key(key, None, inner.type), "start": window["start"], "end": window["end"]}
    if isinstance(type, Struct) and isinstance(key, Mapping) and {f.name for f in type.fields} & set(key):
        return _value(key, type)
    if isinstance(key, Mapping):
        key = next(iter(key.values()), None)
    return _value(key, type)


def _value(value: Any, type: DataType) -> Any:
    """A JSON value as one of the type; ksqlDB takes text for a number, and anything for text."""
    if value is None:
        return None
    match type:
        case Struct(fields):
            by_name = {k.upper(): v for k, v in value.items()} if isinstance(value, Mapping) else {}
            exact = value if isinstance(value, Mapping) else {}
            return {f.name: _value(exact.get(f.name, by_name.get(f.name.upper())), f.type) for f in fields}
        case Array(element):
            return [_value(v, element) for v in value]
        case Map(_, inner):
            return {k: _value(v, inner) for k, v in value.items()}
        case Decimal():
            return Number(str(value))
        case data.INT | data.BIGINT:
            return int(value)
        case data.DOUBLE | data.FLOAT:
            return float(value)
        case data.BOOLEAN:
            return value if isinstance(value, bool) else str(value).lower() == "true"
        case data.STRING:
            return value if isinstance(value, str) else json.dumps(value)
        case data.BYTES:
            return base64.b64decode(value)
        case data.TIMESTAMP:
            return _EPOCH + timedelta(milliseconds=int(value))
        case data.DATE:
            return date(1970, 1, 1) + timedelta(days=int(value))
    return value


def expected_key(given: Mapping[str, Any], type: DataType) -> Any:
    """The key of an expected record as a plan gives it."""
    key = given["key_norm"] if given["key"] is not None else None
    return _key(key, given.get("window"), type)


def expected_value(given: Mapping[str, Any], type: DataType) -> Any:
    return _value(given["value_norm"] if given["value"] is not None else None, type)


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, DOUBLEs to a relative 1e-9."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)
