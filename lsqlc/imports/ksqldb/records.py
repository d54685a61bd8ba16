"""Records of ksqlDB's tests as those of cases: by the columns of their topic, in the types that these have.

ksqlDB writes a record as its format has it: a line of DELIMITED, a bare value where there is one column, names in any
case, and dates as numbers. A case writes columns by name.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.formats import delimiter, windowed
from lsqlc.types.record import Facet, Topic

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def case_record(given: Mapping[str, Any], topic: Topic) -> dict[str, Any]:
    """A record as a case has it, without its topic. Raises ValueError for a value that is not of its column's type."""
    found: dict[str, Any] = {}
    if topic.key.type != data.NULL:
        found["key"] = _key(given, topic.key)
    value = given.get("value")
    if value is not None:
        found["value"] = _facet(value, topic.value)
    if given.get("timestamp"):
        found["timestamp"] = given["timestamp"]
    headers = given.get("headers")
    if isinstance(headers, list) and headers:
        found["headers"] = [
            {"key": h.get("KEY"), **({"value": h["VALUE"]} if h.get("VALUE") is not None else {})} for h in headers
        ]
    return found


def final_rows(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows that the changes of a TABLE leave: the last of each key, without those that are deleted."""
    rows: dict[str, dict[str, Any]] = {}
    for record in records:
        key = json.dumps(record.get("key"), sort_keys=True, default=str)
        rows.pop(key, None)
        if "value" in record:
            rows[key] = {name: record[name] for name in ("key", "value") if name in record}
    return list(rows.values())


def _key(given: Mapping[str, Any], facet: Facet) -> Any:
    key, window = given.get("key"), given.get("window")
    inner = windowed(facet.format)
    if inner is None or not isinstance(facet.type, Struct):
        return _facet(key, facet)
    if not isinstance(window, dict):
        raise ValueError("the key of a windowed record has no 'window'")
    bounds = {name: window.get(name) for name in ("start", "end")}
    return {"key": _facet(key, Facet(facet.type.fields[0].type, inner[1])), **bounds}


def _facet(value: Any, facet: Facet) -> Any:
    type = facet.type
    if value is None:
        return None
    mark = delimiter(facet.format)
    if mark is not None and isinstance(value, str):
        cells: list[Any] = next(csv.reader([value], delimiter=mark), [])
        names = [f.name for f in type.fields] if isinstance(type, Struct) else [""]
        if len(cells) != len(names):
            raise ValueError(f"the line {value!r} has {len(cells)} values, and its topic {len(names)} columns")
        by_name = {n: c if c != "" else None for n, c in zip(names, cells, strict=True)}
        return _value(by_name if isinstance(type, Struct) else by_name[""], type)
    if isinstance(type, Struct) and not isinstance(value, dict) and len(type.fields) == 1:
        return _value({type.fields[0].name: value}, type)
    if not isinstance(type, Struct | Map) and isinstance(value, dict) and len(value) == 1:
        # The one column of a key, by its name.
        return _value(next(iter(value.values())), type)
    return _value(value, type)


def _value(value: Any, type: DataType) -> Any:
    if value is None:
        return None
    match type:
        case Struct(fields) if isinstance(value, dict):
            upper = {str(name).upper(): inner for name, inner in value.items()}
            names = {f.name for f in fields}
            given = {f.name: value.get(f.name, upper.get(f.name.upper())) for f in fields}
            return {n: _value(v, f.type) for f in fields if (n := f.name) in names and (v := given[n]) is not None}
        case Array(element) if isinstance(value, list):
            return [_value(v, element) for v in value]
        case Map(_, inner) if isinstance(value, dict):
            return {str(k): _value(v, inner) for k, v in value.items()}
        case Struct() | Array() | Map():
            raise ValueError(f"{json.dumps(value, default=str)} is not {type}")
    return _simple(value, type)


def _simple(value: Any, type: DataType) -> Any:
    """A value of no parts: text that is a number is one, and of anything a STRING has the text."""
    try:
        if type == data.STRING:
            return value if isinstance(value, str) else json.dumps(value, default=str)
        if type == data.BOOLEAN:
            return value if isinstance(value, bool) else str(value).lower() == "true"
        if type in (data.DATE, data.TIME, data.TIMESTAMP) and isinstance(value, str) and value.isdecimal():
            value = int(value)
        if type == data.DATE and isinstance(value, int):
            return (_EPOCH + timedelta(days=value)).date().isoformat()
        if type == data.TIME and isinstance(value, int):
            return value * 1000
        if data.is_numeric(type) and isinstance(value, str):
            number = Decimal(value)
            return int(number) if data.is_integer(type) else number
        if data.is_integer(type) and isinstance(value, Decimal):
            return int(value)
    except (ArithmeticError, OverflowError):
        raise ValueError(f"{value!r} is not {type}") from None
    return value
