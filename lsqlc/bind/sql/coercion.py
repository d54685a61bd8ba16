"""Implicit conversions, as in Spark's ANSI mode.

The common type of a text and an integer is BIGINT, of a text and any other number DOUBLE. A text next to a boolean, a
date, a time or bytes gets their type. The common type of DATE and TIMESTAMP is TIMESTAMP. A literal text is converted
at compile time; other invalid texts are null.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

from lsqlc.bind.coerce import coerce
from lsqlc.bind.sql.casts import spark_cast
from lsqlc.functions import kinds
from lsqlc.functions.forms import cast_forms
from lsqlc.functions.inner.casts import date_text, timestamp_text
from lsqlc.plan.expression import Cast, Expression, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, Primitive, unify
from lsqlc.types.day_times import time_number

# Functions that compare their arguments, and do not convert texts.
UNMIXED = ("GREATEST", "LEAST")
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_RANGES: dict[DataType, int] = {data.INT: 2**31, data.BIGINT: 2**63}
# The type of a text as an argument for a kind of parameter without a target.
_TARGETS: dict[str, DataType] = {
    "number": data.DOUBLE, "whole": data.BIGINT, "size": data.INT, "date": data.DATE,
}  # fmt: skip
_BLANK = "".join(map(chr, range(0x21)))


class Unreadable(Exception):
    """A literal that is not valid for the type to which it is converted."""

    def __init__(self, value: str, type: DataType) -> None:
        super().__init__(f"the text '{value}' cannot be read as {type}")


def common_type(types: Sequence[DataType]) -> DataType | None:
    """Return the common type of several types; None if they have none. Texts come first, as in Spark."""
    common: DataType = data.NULL
    for type in sorted(types, key=lambda t: t != data.STRING):
        both = _meet(common, type)
        if both is None:
            return None
        common = both
    return common


def _meet(one: DataType, other: DataType) -> DataType | None:
    same = unify(one, other)
    if same is not None:
        return same
    if {one, other} == {data.DATE, data.TIMESTAMP}:
        return data.TIMESTAMP
    if data.STRING in (one, other):
        return _read_as(other if one == data.STRING else one)
    return None


def _read_as(type: DataType) -> DataType | None:
    """Return the type of a text next to a value of another type; None if it is not converted."""
    if data.is_numeric(type):
        return data.BIGINT if data.is_integer(type) else data.DOUBLE
    return type if type in (data.BOOLEAN, data.DATE, data.TIME, data.TIMESTAMP, data.BYTES) else None


def converted(expression: Expression, type: DataType) -> Expression:
    """Return a value converted to the common type.

    Raises Unreadable for an invalid literal.
    """
    if expression.type != data.STRING or type == data.STRING:
        if type == data.STRING and expression.type not in (data.STRING, data.NULL):
            spark_text = spark_cast(expression, type)
            return spark_text or Cast(expression, type, expression.nullable or expression.type == data.BYTES)
        return coerce(expression, type)
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return _read(expression, expression.value, type)
    return spark_cast(expression, type) or Cast(expression, type, True)


def _read(literal: Literal, text: str, type: DataType) -> Expression:
    word = text.strip(_BLANK)
    if type in _RANGES:
        if _INTEGER.fullmatch(word) and len(word) <= 20 and -_RANGES[type] <= int(word) < _RANGES[type]:
            return Literal(int(word), type)
        raise Unreadable(text, type)
    read: object = text
    if type == data.DOUBLE:
        number = cast_forms.double(text)
        if number is not None and isfinite(float(number)):
            return Literal(float(number), type)
        read = number
    elif type == data.BOOLEAN:
        truth = cast_forms.boolean(text)
        if truth is not None:
            return Literal(truth, type)
        read = None
    elif type == data.DATE:
        read = date_text(text)
    elif type == data.TIMESTAMP:
        read = timestamp_text(text)
    elif type == data.TIME:
        read = time_number(text)
    elif isinstance(type, Decimal):
        read = cast_forms.fixed(text, type.precision, type.scale)
    if read is None:
        raise Unreadable(text, type)
    return spark_cast(literal, type) or Cast(literal, type, False)


def as_kind(expression: Expression, kind: str) -> Expression:
    """Return a value converted for a parameter of a kind, if there is a conversion.

    Raises Unreadable.
    """
    if expression.type == data.NULL or kinds.accepts(kind, expression.type):
        return expression
    if kinds.accepts(kind, data.STRING):
        return converted(expression, data.STRING) if _has_text(expression.type) else expression
    if expression.type == data.STRING:
        target = kinds.KINDS[kind].target or _TARGETS.get(kind)
        return converted(expression, target) if target is not None else expression
    if kind in ("index", "integer") and data.is_numeric(expression.type):
        return Cast(expression, data.INT if kind == "index" else data.BIGINT, True)
    if kind == "date" and expression.type == data.TIMESTAMP:
        return Cast(expression, data.DATE, expression.nullable)
    return expression


def _has_text(type: DataType) -> bool:
    """Return whether a value of the type can be converted to a text."""
    return isinstance(type, Primitive | Decimal)
