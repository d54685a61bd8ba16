"""Conversion of records in ksqlDB's tests to records of cases, by the columns of their topic.

ksqlDB writes a record in its format: a line of DELIMITED, a bare value for a single column, names in any case, and
dates as numbers. A case writes columns by name, in their types.

Input JSON keeps its text, unless its value is unambiguous. Then the case has columns, which are easier to read and
change.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from lsqlc.formats.catalogue import is_json
from lsqlc.formats.delimited.format import delimiter
from lsqlc.formats.windows import windowed
from lsqlc.imports.ksqldb.functional_tests import KsqlRecord
from lsqlc.imports.ksqldb.plain_json import NotPlain, plain
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Facet, Topic

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The member of a record that holds the text of a facet.
_RAW = {"key": "raw_key", "value": "raw"}
_TEXT_OR_SPACE = re.compile(r'"(?:[^"\\]|\\.)*"|\s+')


def input_record(record: KsqlRecord, topic: Topic) -> dict[str, Any]:
    """Return an input record in the form of a case, without its topic.

    Raises ValueError for a value that does not have its column's type. JSON is kept as text instead.
    """
    members: dict[str, Any] = {}
    for name, facet in (("key", topic.key), ("value", topic.value)):
        value = record.members.get(name)
        if facet.type == data.NULL or (name == "value" and value is None):
            continue
        if not is_json(facet.format) or value is None:
            members[name] = _key(record, facet) if name == "key" else _facet(value, facet)
            continue
        try:
            members[name] = plain(value, facet.type)
        except NotPlain:
            members[_RAW[name]] = _one_line(record.texts[name])
    return {**members, **_envelope(record)}


def expected_record(record: KsqlRecord, topic: Topic) -> dict[str, Any]:
    """Return an output record in the form of a case, without its topic.

    Raises ValueError for a value that does not have its column's type.
    """
    members: dict[str, Any] = {}
    if topic.key.type != data.NULL:
        members["key"] = _key(record, topic.key)
    value = record.members.get("value")
    if value is not None:
        members["value"] = _facet(value, topic.value)
    return {**members, **_envelope(record)}


def _envelope(record: KsqlRecord) -> dict[str, Any]:
    """Return the timestamp and headers of a record."""
    envelope: dict[str, Any] = {}
    if record.members.get("timestamp"):
        envelope["timestamp"] = record.members["timestamp"]
    headers = record.members.get("headers")
    if isinstance(headers, list) and headers:
        envelope["headers"] = [
            {"key": h.get("KEY"), **({"value": h["VALUE"]} if h.get("VALUE") is not None else {})} for h in headers
        ]
    return envelope


def _one_line(text: str) -> str:
    """Return JSON on one line. Text with line breaks loses the white space between tokens."""
    if "\n" not in text and "\r" not in text:
        return text
    return _TEXT_OR_SPACE.sub(lambda m: m[0] if m[0][0] == '"' else "", text)


def final_rows(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the final rows of a TABLE: the last record of each key, without deleted keys."""
    rows: dict[str, dict[str, Any]] = {}
    for record in records:
        key = json.dumps(record.get("key"), sort_keys=True, default=str)
        rows.pop(key, None)
        if "value" in record:
            rows[key] = {name: record[name] for name in ("key", "value") if name in record}
    return list(rows.values())


def _key(record: KsqlRecord, facet: Facet) -> Any:
    key, window = record.members.get("key"), record.members.get("window")
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
        # A key of one column, given by name.
        return _value(next(iter(value.values())), type)
    return _value(value, type)


def _value(value: Any, type: DataType) -> Any:
    if value is None:
        return None
    match type:
        case Struct(fields) if isinstance(value, dict):
            upper = {str(name).upper(): inner for name, inner in value.items()}
            names = {f.name for f in fields}
            by_column = {f.name: value.get(f.name, upper.get(f.name.upper())) for f in fields}
            return {n: _value(v, f.type) for f in fields if (n := f.name) in names and (v := by_column[n]) is not None}
        case Array(element) if isinstance(value, list):
            return [_value(v, element) for v in value]
        case Map(_, inner) if isinstance(value, dict):
            return {str(k): _value(v, inner) for k, v in value.items()}
        case Struct() | Array() | Map():
            raise ValueError(f"{json.dumps(value, default=str)} is not {type}")
    return _simple(value, type)


def _temporal(value: Any, type: DataType) -> Any:
    """Convert a number, or its text: days to a DATE, milliseconds to a TIME."""
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if not isinstance(number, int):
        return value
    if type == data.DATE:
        return (_EPOCH + timedelta(days=number)).date().isoformat()
    return number * 1000 if type == data.TIME else number


def _simple(value: Any, type: DataType) -> Any:
    """Convert a scalar: numeric text to a number, and a number or boolean to text for a STRING."""
    wrong = ValueError(f"{json.dumps(value, default=str)} is not {type}")
    if isinstance(value, dict | list):
        raise wrong
    try:
        if type == data.STRING:
            # Keep the digits of numbers.
            return str(value) if isinstance(value, Decimal) else value if isinstance(value, str) else json.dumps(value)
        if type == data.BOOLEAN and isinstance(value, str):
            value = {"true": True, "false": False}[value.lower()]
        if type in (data.DATE, data.TIME, data.TIMESTAMP):
            return _temporal(value, type)
        if data.is_numeric(type) and isinstance(value, str):
            value = Decimal(value)
        if data.is_integer(type) and isinstance(value, Decimal):
            if value != int(value):
                raise wrong
            return int(value)
    except (ArithmeticError, OverflowError, KeyError):
        raise wrong from None
    return value
