"""What a parameter accepts: kinds of types by name, each with the words that an error message uses.

A kind with a `target` also says in which type the argument reaches the engine: `calls.call` converts it.
NULL, the type of the literal, is accepted everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from lsqlc.types.data import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Map,
    is_integer,
    is_numeric,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """`words` complete "expected ...". `target`: the type that the argument is converted to, None to leave it."""

    words: str
    admits: Callable[[DataType], bool]
    target: DataType | None = None


KINDS: dict[str, Kind] = {
    "any": Kind("any value", lambda t: True),
    "boolean": Kind("a boolean", lambda t: t == BOOLEAN, BOOLEAN),
    "integer": Kind("an integer", is_integer, BIGINT),
    # A place or a length: a BIGINT that is no INT becomes null.
    "index": Kind("an integer", is_integer, INT),
    # A literal whose value decides the type of the result or the form of the call.
    "size": Kind("an integer literal", is_integer),
    "number": Kind("a number", is_numeric),
    "double": Kind("a number", is_numeric, DOUBLE),
    "string": Kind("a string", lambda t: t == STRING, STRING),
    "regex": Kind("a string literal that is a regular expression", lambda t: t == STRING, STRING),
    "array": Kind("an array", lambda t: isinstance(t, Array)),
    "nested array": Kind("an array of arrays", lambda t: isinstance(t, Array) and isinstance(t.element, Array)),
    "collection": Kind("an array or a map", lambda t: isinstance(t, Array | Map)),
    "timestamp": Kind("a date or a timestamp", lambda t: t in (DATE, TIMESTAMP), TIMESTAMP),
}


def accepts(kind: str, type: DataType) -> bool:
    """Whether an argument of this type is legal for a parameter of this kind."""
    return type == NULL or KINDS[kind].admits(type)


def literal_fault(kind: str, value: object) -> str | None:
    """Why this literal value is not legal for a parameter of this kind, as a clause, or None."""
    if kind == "regex" and isinstance(value, str):
        try:
            re.compile(value)
        except re.error as error:
            return f"not a regular expression: {error}"
    return None
