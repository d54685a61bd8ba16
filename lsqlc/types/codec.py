"""Values of records: JSON to Python values and back, Python values checked, their order and their equality.

Rules: docs/reference/lenses.md, "Types and nulls"; the order is that of codec_order.py. Problems are data, so that
the caller words the diagnostic and knows the place. A type may be pruned to what a scan asks for: the rest is not
looked at, unless `strict`, which makes an undeclared field a problem, as in a golden case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import msgspec

from lsqlc.types import codec_encode
from lsqlc.types.codec_exact import Problem, read_node, read_value
from lsqlc.types.codec_fast import Unfit, converter, has_decimal, json_leaf, json_reader, python_leaf
from lsqlc.types.codec_json import MAX_DEPTH, JsonError, Node, read
from lsqlc.types.codec_order import equal, sort_key
from lsqlc.types.codec_values import check_value
from lsqlc.types.data import DataType

__all__ = [
    "MalformedJson",
    "Problem",
    "ValueProblems",
    "check",
    "checker",
    "decode",
    "decode_text",
    "decoder",
    "encode",
    "encode_text",
    "encoder",
    "equal",
    "is_json",
    "sort_key",
]


class ValueProblems(Exception):
    """A value that is not of its type, with all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))


class MalformedJson(ValueProblems):
    """Text that is no JSON: one problem, with its place and an empty path."""


def decode(type: DataType, value: Any, *, strict: bool = False, path: str = "value") -> tuple[Any, tuple[Problem, ...]]:
    """The Python value of a JSON value, given as `json.loads` or a YAML reader gives it (dates and datetimes of YAML
    too). Where there are problems the value is of no use. None fits every type at the top.
    """
    problems: list[Problem] = []
    return read_value(type, value, path, strict, problems), tuple(problems)


def decode_text(
    type: DataType, text: str | bytes, *, strict: bool = False, path: str = "value", depth: int = MAX_DEPTH
) -> tuple[Any, tuple[Problem, ...]]:
    """As decode, from JSON text of so many levels at most; problems have their place in it. Raises MalformedJson."""
    problems: list[Problem] = []
    return read_node(type, _parse(text, depth), path, strict, problems), tuple(problems)


def _parse(text: str | bytes, depth: int) -> Node:
    try:
        return read(text if isinstance(text, str) else text.decode("utf-8"), depth)
    except JsonError as error:
        raise MalformedJson([Problem("", str(error), error.start, error.end)]) from None
    except UnicodeDecodeError as error:
        place = len(error.object[: error.start].decode("utf-8"))
        byte = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise MalformedJson([Problem("", byte, place, place + 1)]) from None


_skip_value = msgspec.json.Decoder(msgspec.Raw).decode


def is_json(text: bytes) -> bool:
    """Return whether bytes are one JSON value in UTF-8, of `MAX_DEPTH` levels at most. Names may stand twice.

    Numbers are not converted: one that no number of Python holds is JSON too.
    """
    try:
        text.decode("utf-8")
        _skip_value(text)
    except RecursionError:
        # The limit of Python is lower in a deep call.
        return _is_strict_json(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _is_strict_json(text: bytes) -> bool:
    try:
        _parse(text, MAX_DEPTH)
    except MalformedJson:
        return False
    return True


@lru_cache(maxsize=512)
def decoder(
    type: DataType, *, strict: bool = False, path: str = "value", depth: int = MAX_DEPTH
) -> Callable[[str | bytes], Any]:
    """A function from JSON text of so many levels at most to the value, made once for a type, for records in bulk. It
    raises ValueProblems.
    """
    parse = json_reader(type, depth)
    convert = converter(type, json_leaf, strict)

    def decode_one(text: str | bytes) -> Any:
        try:
            value = parse(text)
            return None if value is None else convert(value)
        except Unfit:
            value, problems = decode_text(type, text, strict=strict, path=path, depth=depth)
        if problems:
            raise ValueProblems(problems)
        return value

    return decode_one


def check(type: DataType, value: Any, *, strict: bool = False, path: str = "value") -> tuple[Any, tuple[Problem, ...]]:
    """A Python value in its one form (see codec_values), and what does not fit. An int is a good DOUBLE or DECIMAL, a
    bool is never a number, a mapping is a struct, a datetime must have a time zone. None fits every type at the top.
    """
    problems: list[Problem] = []
    return check_value(type, value, path, strict, problems), tuple(problems)


@lru_cache(maxsize=512)
def checker(type: DataType, *, strict: bool = False, path: str = "value") -> Callable[[Any], Any]:
    """A function from a Python value to its one form, made once for a type. It raises ValueProblems."""
    convert = converter(type, python_leaf, strict)

    def check_one(value: Any) -> Any:
        if value is None:
            return None
        try:
            return convert(value)
        except Unfit:
            found, problems = check(type, value, strict=strict, path=path)
        if problems:
            raise ValueProblems(problems)
        return found

    return check_one


def encode(type: DataType, value: Any) -> Any:
    """A value in its one form as JSON-ready lists, dicts and scalars. A DECIMAL stays a Decimal, which `json.dumps`
    does not write; `encode_text` does, with all digits.
    """
    ready = codec_encode.ready(type, decimals_as_text=False)
    return value if value is None or ready is None else ready(value)


def encode_text(type: DataType, value: Any) -> str:
    """A value in its one form as compact JSON text: fields in the order of the schema, nulls included."""
    return encoder(type)(value).decode("utf-8")


@lru_cache(maxsize=512)
def encoder(type: DataType, *, times_as_numbers: bool = False) -> Callable[[Any], bytes]:
    """encode_text made once for a type, giving UTF-8. `times_as_numbers`: as ksqlDB writes them, a DATE in days, a TIME
    and a TIMESTAMP in milliseconds.
    """
    ready = codec_encode.ready(type, decimals_as_text=has_decimal(type), times_as_numbers=times_as_numbers)
    write = msgspec.json.Encoder().encode
    if ready is None:
        return write
    return lambda value: write(value if value is None else ready(value))
