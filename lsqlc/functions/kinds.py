"""Kinds of types that a parameter accepts, by name, each with its words for error messages.

A kind with a `target` also declares the type in which the engine gets the argument: `calls.call` converts it. NULL, the
type of the literal, is accepted everywhere: `null_type` gives the type that it gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lsqlc.functions.forms import date_patterns, json_steps, regexes
from lsqlc.functions.forms.time_zones import time_zone
from lsqlc.types.data import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INT,
    NULL,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    DataType,
    Map,
    is_integer,
    is_numeric,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of types. `words` complete "expected ...".

    `target`: the type that the argument is converted to, None to leave it. `of_null`: the type of a NULL without a type
    if there is no target; None if any type would do.
    """

    words: str
    admits: Callable[[DataType], bool]
    target: DataType | None = None
    of_null: DataType | None = None


KINDS: dict[str, Kind] = {
    "any": Kind("any value", lambda t: True),
    "boolean": Kind("a boolean", lambda t: t == BOOLEAN, BOOLEAN),
    "integer": Kind("an integer", is_integer, BIGINT),
    # Not converted: an INT does not become 64 bits wide.
    "whole": Kind("an integer", is_integer, of_null=INT),
    # A position or a length: a BIGINT outside the range of INT becomes null.
    "index": Kind("an integer", is_integer, INT),
    # A literal whose value decides the type of the result or the form of the call.
    "size": Kind("an integer literal", is_integer),
    "number": Kind("a number", is_numeric),
    "double": Kind("a number", is_numeric, DOUBLE),
    "string": Kind("a string", lambda t: t == STRING, STRING),
    # A literal that names a field of the resulting struct.
    "field name": Kind("a string literal that names a field", lambda t: t == STRING, STRING),
    "regex": Kind("a string literal that is a regular expression", lambda t: t == STRING, STRING),
    "regex without groups": Kind("a string literal that is a regular expression", lambda t: t == STRING, STRING),
    "scalar": Kind("a string, a number or a boolean", lambda t: t in (STRING, BOOLEAN) or is_numeric(t)),
    "array": Kind("an array", lambda t: isinstance(t, Array), of_null=Array(NULL)),
    "nested array": Kind(
        "an array of arrays",
        lambda t: isinstance(t, Array) and isinstance(t.element, Array),
        of_null=Array(Array(NULL)),
    ),
    "collection": Kind("an array or a map", lambda t: isinstance(t, Array | Map), of_null=Array(NULL)),
    "map": Kind("a map", lambda t: isinstance(t, Map), of_null=Map(NULL, NULL)),
    # Any result type of a lambda is accepted. The binder checks where a lambda may be.
    "lambda": Kind("a lambda, such as x => x + 1", lambda t: True),
    "timestamp": Kind("a date or a timestamp", lambda t: t in (DATE, TIMESTAMP), TIMESTAMP),
    "instant": Kind(
        "a date, a timestamp or epoch milliseconds",
        lambda t: t in (DATE, TIMESTAMP) or is_integer(t),
        of_null=TIMESTAMP,
    ),
    "text or milliseconds": Kind(
        "a string or epoch milliseconds", lambda t: t == STRING or is_integer(t), of_null=STRING
    ),
    "time": Kind("a time of the day", lambda t: t == TIME, of_null=TIME),
    "date": Kind("a date", lambda t: t == DATE, of_null=DATE),
    "time zone": Kind("a string literal that is a time zone", lambda t: t == STRING),
    "unit of time": Kind("a unit of time", lambda t: t == STRING),
    "text or bytes": Kind("a string or bytes", lambda t: t in (STRING, BYTES), of_null=STRING),
    "bytes": Kind("bytes", lambda t: t == BYTES, of_null=BYTES),
    "code point": Kind("an integer or a string", lambda t: t == STRING or is_integer(t), of_null=BIGINT),
    "encoding": Kind("a string literal that is an encoding", lambda t: t == STRING),
    "path in json": Kind("a string literal that is a path in JSON, such as $.a[0]", lambda t: t == STRING, STRING),
    "json path": Kind("a string literal that is a JSON path", lambda t: t == STRING),
    "pattern that reads": Kind("a string literal that is a pattern of dates", lambda t: t == STRING),
    "pattern that writes": Kind("a string literal that is a pattern of dates", lambda t: t == STRING),
    "pattern of a time": Kind("a string literal that is a pattern of times", lambda t: t == STRING),
}


def accepts(kind: str, type: DataType) -> bool:
    """Return whether an argument of this type is legal for a parameter of this kind."""
    return type == NULL or KINDS[kind].admits(type)


def null_type(kind: str) -> DataType:
    """Return the type of a NULL without a type as an argument for a parameter of this kind; NULL if any type
    would do.
    """
    return KINDS[kind].target or KINDS[kind].of_null or NULL


def literal_fault(kind: str, value: object) -> str | None:
    """Return the reason why this literal value is not legal for a parameter of this kind, as a clause, or None."""
    if kind == "size" and isinstance(value, int):
        return None if -_INT <= value < _INT else "the number does not fit an INT"
    check = _LITERALS.get(kind)
    return check(value) if check and isinstance(value, str) else None


_INT = 2**31
_UNITS = ("DAYS", "HOURS", "MINUTES", "SECONDS", "MILLISECONDS")
ENCODINGS = ("hex", "utf8", "ascii", "base64")


def _one_of(names: tuple[str, ...], value: str, singular: bool = False) -> str | None:
    words = [k.lower() for k in names] + [k.lower().removesuffix("s") for k in names if singular]
    return None if value.lower() in words else f"'{value}' is none of {', '.join(names)}"


def _name_fault(value: str) -> str | None:
    if not value:
        return "a name has at least one character"
    return "a name cannot have the character NUL" if "\x00" in value else None


def _path_fault(value: str) -> str | None:
    return f"'{value}' is not a path such as $.a[0].b or $['a b']; it has no wildcards" if "*" in value else None


def _zone_fault(value: str) -> str | None:
    """Return the reason why a text is not a time zone of Java, or None; both engines read it alike."""
    return None if time_zone(value) else f"'{value}' is not a time zone, such as Europe/London, +02:00 or UTC+2"


_LITERALS: dict[str, Callable[[str], str | None]] = {
    "field name": _name_fault,
    "regex": regexes.fault,
    "regex without groups": partial(regexes.fault, groups=False),
    "json path": json_steps.fault,
    "path in json": _path_fault,
    "pattern that reads": partial(date_patterns.fault, reads=True),
    "pattern that writes": partial(date_patterns.fault, reads=False),
    "time zone": _zone_fault,
    "unit of time": partial(_one_of, _UNITS, singular=True),
    "encoding": partial(_one_of, ENCODINGS),
    "pattern of a time": partial(date_patterns.fault, reads=False, time_only=True),
}
