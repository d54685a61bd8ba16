"""CAST of Spark SQL: conversions that differ from those of the other dialects."""

from __future__ import annotations

import re

from lsqlc.bind.coerce import coerce
from lsqlc.bind.sql.day_times import time_cast
from lsqlc.bind.sql.interval_casts import interval_cast
from lsqlc.functions.forms import cast_forms
from lsqlc.functions.inner.casts import OF_TEXT, date_text, timestamp_text
from lsqlc.plan.expression import Call, Cast, Expression, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType
from lsqlc.types.day_times import time_number

_OF_SECONDS, _SECONDS, _WHOLE_SECONDS = "inner.TIMESTAMP_OF_SECONDS", "inner.SECONDS", "sql.UNIX_SECONDS"
_TOO_EXACT = re.compile("[.][0-9]{6,}[1-9]")
_READERS = {data.DATE: date_text, data.TIMESTAMP: timestamp_text, data.TIME: time_number}


def spark_cast(operand: Expression, type: DataType) -> Expression | None:
    """Return the operand converted to a type; None if the conversion is that of all dialects, or if there is none."""
    source = operand.type
    if type in data.INTERVALS or source in data.INTERVALS:
        return interval_cast(operand, type)
    if data.TIME in (type, source):
        return time_cast(operand, type)
    if source == data.STRING and type in OF_TEXT:
        return Call(OF_TEXT[type], (operand,), type, True)
    if type == data.TIMESTAMP and data.is_numeric(source):
        return Call(_OF_SECONDS, (operand,), type, True)
    if source == data.TIMESTAMP and data.is_integer(type):
        seconds = Call(_WHOLE_SECONDS, (operand,), data.BIGINT, operand.nullable)
        return seconds if type == data.BIGINT else Cast(seconds, type, True)
    if source == data.TIMESTAMP and data.is_numeric(type):
        exact = Call(_SECONDS, (operand,), data.DOUBLE, operand.nullable)
        return coerce(exact, type) if type == data.DOUBLE else Cast(exact, type, True)
    return None


def literal_fault(literal: Literal, type: DataType, *, typed: bool) -> str | None:
    """Return the reason why the text of a literal is not a value of a type, as a clause, or None.

    `typed`: the literal has its type, as in DATE '2024-01-05', so that an invalid text is an error and not null.
    """
    if not isinstance(literal.value, str) or type not in _READERS:
        return None
    if type != data.TIME and cast_forms.needs_clock(literal.value, type == data.TIMESTAMP):
        return f"'{literal.value}' depends on the time at which the query runs"
    if typed and type == data.TIME and _TOO_EXACT.search(literal.value):
        return f"'{literal.value}' has parts of a microsecond, and a TIME has none"
    value = _READERS[type](literal.value) if typed else ""
    return f"'{literal.value}' is not a {type}" if value is None else None
