"""Records of ksqlDB's tests as those of cases, by the columns of their topic.

ksqlDB writes a record as its format has it: a line of DELIMITED, a bare value where there is one column, names in any
case, and dates as numbers. A case writes columns by name, in the types that these have.

JSON that is given to a program keeps its text, for the program to read, unless each reading of it gives the same
record: then the case has columns too, which are easier to read and to change.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from lsqlc.formats.names import delimiter, windowed
from lsqlc.imports.ksqldb.functional_tests import KsqlRecord
from lsqlc.imports.ksqldb.plain_json import NotPlain, plain
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Facet, Topic

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_JSON = ("json", "json_sr")
# The text of a facet stands in another member of a record.
_RAW = {"key": "raw_key", "value": "raw"}
_TEXT_OR_SPACE = re.compile(r'"(?:[^"\\]|\\.)*"|\s+')


def input_record(given: KsqlRecord, topic: Topic) -> dict[str, Any]:
    """Return a record that a program reads as a case has it, without its topic.

    Raises ValueError for a value that is not of its column's type, and is not JSON, whose reading says so.
    """
    found: dict[str, Any] = {}
    for name, facet in (("key", topic.key), ("value", topic.value)):
        value = given.members.get(name)
        if facet.type == data.NULL or (name == "value" and value is None):
            continue
        if facet.format not in _JSON or value is None:
            found[name] = _key(given, facet) if name == "key" else _facet(value, facet)
            continue
        try:
            found[name] = plain(value, facet.type)
        except NotPlain:
            found[_RAW[name]] = _one_line(given.texts[name])
    return {**found, **_envelope(given)}


def expected_record(given: KsqlRecord, topic: Topic) -> dict[str, Any]:
    """Return a record that a program writes as a case has it, without its topic.

    Raises ValueError for a value that is not of its column's type.
    """
    found: dict[str, Any] = {}
    if topic.key.type != data.NULL:
        found["key"] = _key(given, topic.key)
    value = given.members.get("value")
    if value is not None:
        found["value"] = _facet(value, topic.value)
    return {**found, **_envelope(given)}


def _envelope(given: KsqlRecord) -> dict[str, Any]:
    """What a record has beside its key and value."""
    found: dict[str, Any] = {}
    if given.members.get("timestamp"):
        found["timestamp"] = given.members["timestamp"]
    headers = given.members.get("headers")
    if isinstance(headers, list) and headers:
        found["headers"] = [
            {"key": h.get("KEY"), **({"value": h["VALUE"]} if h.get("VALUE") is not None else {})} for h in headers
        ]
    return found


def _one_line(text: str) -> str:
    """Return JSON on one line: as it is, or, if it has several, without the spaces between its parts."""
    if "\n" not in text and "\r" not in text:
        return text
    return _TEXT_OR_SPACE.sub(lambda m: m[0] if m[0][0] == '"' else "", text)


def final_rows(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that the changes of a TABLE leave: the last of each key, without those that are deleted."""
    rows: dict[str, dict[str, Any]] = {}
    for record in records:
        key = json.dumps(record.get("key"), sort_keys=True, default=str)
        rows.pop(key, None)
        if "value" in record:
            rows[key] = {name: record[name] for name in ("key", "value") if name in record}
    return list(rows.values())


def _key(given: KsqlRecord, facet: Facet) -> Any:
    key, window = given.members.get("key"), given.members.get("window")
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
    """Return a value of no parts: text that is a number is one, and a STRING has the text of a number or a boolean."""
    wrong = ValueError(f"{json.dumps(value, default=str)} is not {type}")
    if isinstance(value, dict | list):
        raise wrong
    try:
        if type == data.STRING:
            # A number keeps its digits.
            return str(value) if isinstance(value, Decimal) else value if isinstance(value, str) else json.dumps(value)
        if type == data.BOOLEAN and isinstance(value, str):
            value = {"true": True, "false": False}[value.lower()]
        if type in (data.DATE, data.TIME, data.TIMESTAMP) and isinstance(value, str) and value.isdecimal():
            value = int(value)
        if type == data.DATE and isinstance(value, int):
            return (_EPOCH + timedelta(days=value)).date().isoformat()
        if type == data.TIME and isinstance(value, int):
            return value * 1000
        if data.is_numeric(type) and isinstance(value, str):
            value = Decimal(value)
        if data.is_integer(type) and isinstance(value, Decimal):
            if value != int(value):
                raise wrong
            return int(value)
    except (ArithmeticError, OverflowError, KeyError):
        raise wrong from None
    return value
