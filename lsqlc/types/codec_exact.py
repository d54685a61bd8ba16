"""A JSON tree to the Python value of its type, with everything that does not fit. The rules are those of
docs/reference/json.md.

`codec_fast` must agree with this for every value that it takes, and takes nothing that this refuses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lsqlc.types import codec_text, data
from lsqlc.types.codec_json import Kind, Node, from_value
from lsqlc.types.codec_text import shown
from lsqlc.types.data import Array, DataType, Decimal, Map, Primitive, Struct, quote


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a value is not of its type. `path` is such as `value.address.zip`; `clause` such as
    "expected INT, found the string 'x'". `start` and `end`: code points of the text from 0, or None without text.
    """

    path: str
    clause: str
    start: int | None = None
    end: int | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.clause}" if self.path else self.clause


_RANGES: dict[DataType, tuple[tuple[int, int], str]] = {
    data.INT: (codec_text.INT_RANGE, "does not fit 32 bits"),
    data.BIGINT: (codec_text.BIGINT_RANGE, "does not fit 64 bits"),
    data.TIME: (codec_text.TIME_RANGE, "is no time of day in microseconds"),
}
# Epoch milliseconds as a string, which many programs write.
_MILLIS = re.compile("-?[0-9]{1,15}")
# Longer numbers fit nothing; Python refuses to read those of more than 4,300 digits.
_MAX_DIGITS = 400


def inside(path: str, name: str) -> str:
    """The path of a field of the value at `path`."""
    return f"{path}.{quote(name)}" if path else quote(name)


def read_node(type: DataType, node: Node, path: str, strict: bool, problems: list[Problem]) -> Any:
    """The value; where a problem was added it is of no use. `strict`: an undeclared field is a problem."""
    if node.kind is Kind.NULL:
        return None
    if isinstance(type, Struct):
        return _struct(type, node, path, strict, problems)
    if isinstance(type, Array):
        return _array(type, node, path, strict, problems)
    if isinstance(type, Map):
        return _map(type, node, path, strict, problems)
    found = _decimal(type, node) if isinstance(type, Decimal) else _READERS[type](type, node)
    if isinstance(found, _Misfit):
        problems.append(_problem(path, found.clause, node))
        return None
    return found


@dataclass(frozen=True, slots=True)
class _Misfit:
    clause: str


def _problem(path: str, clause: str, node: Node) -> Problem:
    return Problem(path, clause, node.start, node.end) if node.start >= 0 else Problem(path, clause)


def _expected(type: DataType, node: Node, why: str = "") -> _Misfit:
    name = {Struct: "a STRUCT", Array: "an ARRAY", Map: "a MAP"}.get(type.__class__) or str(type)
    return _Misfit(f"expected {name}, found {_found(node)}{why}")


def _found(node: Node) -> str:
    match node.kind:
        case Kind.STRING:
            return f"the string {shown(node.value)}"
        case Kind.NUMBER:
            return f"the number {shown(node.text)[1:-1]}"
        case Kind.ARRAY:
            return "an array"
        case Kind.OBJECT:
            return "an object"
        case Kind.FOREIGN:
            return f"a value {node.text}"
        case _:
            return node.text


def _struct(type: Struct, node: Node, path: str, strict: bool, problems: list[Problem]) -> Any:
    if node.kind is not Kind.OBJECT:
        problems.append(_problem(path, _expected(type, node).clause, node))
        return None
    given = {name.value: (name, value) for name, value in node.value}
    out: dict[str, Any] = {}
    for field in type.fields:
        place = inside(path, field.name)
        pair = given.pop(field.name, None)
        if pair is None:
            out[field.name] = None
            if not field.nullable:
                problems.append(_problem(place, f"expected {field.type} NOT NULL, found no such field", node))
            continue
        out[field.name] = read_node(field.type, pair[1], place, strict, problems)
        if pair[1].kind is Kind.NULL and not field.nullable:
            problems.append(_problem(place, f"expected {field.type} NOT NULL, found null", pair[1]))
    if strict:
        problems += [
            _problem(inside(path, name.value), "the field is not declared", name) for name, _ in given.values()
        ]
    return out


def _array(type: Array, node: Node, path: str, strict: bool, problems: list[Problem]) -> Any:
    if node.kind is not Kind.ARRAY:
        problems.append(_problem(path, _expected(type, node).clause, node))
        return None
    return [read_node(type.element, v, f"{path}[{i}]", strict, problems) for i, v in enumerate(node.value)]


def _map(type: Map, node: Node, path: str, strict: bool, problems: list[Problem]) -> Any:
    if node.kind is not Kind.OBJECT:
        problems.append(_problem(path, _expected(type, node).clause, node))
        return None
    out: dict[Any, Any] = {}
    for name, value in node.value:
        place = f"{path}[{shown(name.value)}]"
        key = _map_key(type.key, name)
        if isinstance(key, _Misfit):
            problems.append(_problem(place, f"in the key, {key.clause}", name))
            continue
        if key in out:
            problems.append(_problem(place, "the key occurs twice in one map", name))
        out[key] = read_node(type.value, value, place, strict, problems)
    return out


def _map_key(type: DataType, name: Node) -> Any:
    """The key from the name of a JSON object: names are strings, so a number stands there as its text."""
    if not isinstance(type, Primitive | Decimal) or type == data.NULL:
        return _Misfit(f"expected a primitive type, found {type}")
    read = _decimal if isinstance(type, Decimal) else _READERS[type]
    if type in (data.STRING, data.BYTES, data.DATE, data.TIMESTAMP):
        return read(type, name)
    if type == data.BOOLEAN and name.value in ("true", "false"):
        return name.value == "true"
    if codec_text.is_number(name.value):
        return read(type, Node(Kind.NUMBER, name.value))
    return read(type, name)


def _boolean(type: DataType, node: Node) -> Any:
    return node.value if node.kind is Kind.BOOLEAN else _expected(type, node)


def _integer(type: DataType, node: Node) -> Any:
    if node.kind is not Kind.NUMBER:
        return _expected(type, node)
    text = node.text
    if not text.lstrip("-").isdecimal():
        return _expected(type, node, ", which is not written as an integer")
    (low, high), why = _RANGES[type]
    if len(text) <= _MAX_DIGITS and low <= int(text) <= high:
        return int(text)
    return _expected(type, node, f", which {why}")


def _float(type: DataType, node: Node) -> Any:
    if node.kind is Kind.STRING:
        word = codec_text.parse_float_word(node.value)
        return _expected(type, node) if word is None else word
    if node.kind is not Kind.NUMBER:
        return _expected(type, node)
    value: float | None = float(node.text)
    if type == data.FLOAT and value is not None and math.isfinite(value):
        value = codec_text.single(value)
    return value if value is not None and math.isfinite(value) else _expected(type, node, ", which is too large")


def _decimal(type: DataType, node: Node) -> Any:
    assert isinstance(type, Decimal)
    if node.kind is not Kind.NUMBER:
        return _expected(type, node)
    value = codec_text.parse_decimal(node.text, type.precision, type.scale)
    return _expected(type, node, ", which has too many digits") if value is None else value


def _string(type: DataType, node: Node) -> Any:
    if node.kind is Kind.FOREIGN:
        return _expected(type, node)
    if node.kind is Kind.STRING:
        return _Misfit("the string holds half of a surrogate pair") if _is_broken(node.value) else node.value
    return node.text


def _is_broken(text: str) -> bool:
    return codec_text.has_lone_surrogate(text)


def _parsed(parse: Callable[[str], Any], form: str) -> Callable[[DataType, Node], Any]:
    def read(type: DataType, node: Node) -> Any:
        if node.kind is not Kind.STRING:
            return _expected(type, node)
        value = parse(node.value)
        return _expected(type, node, f", which is not {form}") if value is None else value

    return read


_timestamp_text = _parsed(codec_text.parse_timestamp, "of the form 2013-01-01T05:00:00Z")


_date_text = _parsed(codec_text.parse_date, "of the form 2013-01-01")


def _date(type: DataType, node: Node) -> Any:
    if node.kind is not Kind.NUMBER:
        return _date_text(type, node)
    days = _integer(data.BIGINT, node)
    value = None if isinstance(days, _Misfit) else codec_text.date_of_days(days)
    return _expected(type, node, ", which is not in days since 1970") if value is None else value


def _timestamp(type: DataType, node: Node) -> Any:
    if node.kind is Kind.STRING and _MILLIS.fullmatch(node.value):
        node = replace(node, kind=Kind.NUMBER, written=node.value, is_whole=False)
    if node.kind is not Kind.NUMBER:
        return _timestamp_text(type, node)
    millis = _integer(data.BIGINT, node)
    value = None if isinstance(millis, _Misfit) else codec_text.timestamp_of_millis(millis)
    return _expected(type, node, ", which is not in epoch milliseconds") if value is None else value


def _absent(type: DataType, node: Node) -> Any:
    return _Misfit(f"expected null, since no type is declared, found {_found(node)}")


_READERS: dict[DataType, Callable[[DataType, Node], Any]] = {
    data.NULL: _absent,
    data.BOOLEAN: _boolean,
    data.INT: _integer,
    data.BIGINT: _integer,
    data.TIME: _integer,
    data.FLOAT: _float,
    data.DOUBLE: _float,
    data.STRING: _string,
    data.BYTES: _parsed(codec_text.parse_base64, "base64"),
    data.DATE: _date,
    data.TIMESTAMP: _timestamp,
}


def read_value(type: DataType, value: Any, path: str, strict: bool, problems: list[Problem]) -> Any:
    """As read_node, for a value as `json.loads` or a YAML reader gives it."""
    return read_node(type, from_value(value), path, strict, problems)
