"""Types of Spark SQL as data types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax.sql.refusals import Parts
from lsqlc.types import data
from lsqlc.types.data import DataType
from lsqlc.types.digits import integer

_PLAIN: Mapping[Any, DataType] = {
    exp.DType.BOOLEAN: data.BOOLEAN,
    # INTs, whose casts have their range: `NARROW`.
    exp.DType.TINYINT: data.INT,
    exp.DType.SMALLINT: data.INT,
    exp.DType.INT: data.INT,
    exp.DType.BIGINT: data.BIGINT,
    exp.DType.FLOAT: data.FLOAT,
    exp.DType.DOUBLE: data.DOUBLE,
    exp.DType.TEXT: data.STRING,
    exp.DType.BINARY: data.BYTES,
    exp.DType.DATE: data.DATE,
    exp.DType.TIME: data.TIME,
    # All sessions are in UTC, where there is no difference.
    **dict.fromkeys(
        (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ, exp.DType.TIMESTAMPNTZ), data.TIMESTAMP
    ),
}
# The functions that convert to a type with fewer bits than an INT.
NARROW: Mapping[Any, str] = {exp.DType.TINYINT: "TINYINT", exp.DType.SMALLINT: "SMALLINT"}
_INSTEAD: Mapping[Any, str] = {
    exp.DType.VARIANT: "keep it as a STRING of JSON",
    exp.DType.INTERVAL: "write its fields: INTERVAL DAY TO SECOND, or INTERVAL YEAR TO MONTH",
    exp.DType.OBJECT: "keep it as a STRING of JSON, or as a MAP or a STRUCT",
}
# Functions with the name of the type to which they convert.
CONVERSIONS: Mapping[str, DataType] = {
    "BOOLEAN": data.BOOLEAN, "INT": data.INT, "BIGINT": data.BIGINT, "FLOAT": data.FLOAT, "DOUBLE": data.DOUBLE,
    "STRING": data.STRING, "BINARY": data.BYTES, "DATE": data.DATE, "TIMESTAMP": data.TIMESTAMP,
}  # fmt: skip
_KNOWN = (
    "known are BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE, TIME, "
    "TIMESTAMP, ARRAY, MAP, STRUCT"
)
_DIGITS = 38


def type_of(node: Any, parts: Parts) -> DataType:
    """Return the data type of a node.

    Raises SyntaxFault for an unsupported one.
    """
    at = parts.places.of(node)
    if not isinstance(node, exp.DataType):
        parts.unknown(node)
    inner = parts.listed(node.args.get("expressions"))
    kind = node.this
    if isinstance(kind, exp.Interval):
        parts.only(node, "this")
        return _interval(kind, parts, at)
    if kind == exp.DType.DECIMAL:
        parts.only(node, "this", "expressions")
        numbers = [_number(n, parts, at) for n in inner] or [10, 0]
        precision, scale = numbers if len(numbers) == 2 else (numbers[0], 0)
        if not (1 <= precision <= _DIGITS and 0 <= scale <= precision):
            message = f"the type DECIMAL({precision}, {scale}) is not supported in models of the dialect sql"
            parts.fault("LSQ450", message, at, f"DECIMAL has 1 to {_DIGITS} digits")
        return data.Decimal(precision, scale)
    if kind == exp.DType.ARRAY and len(inner) == 1:
        parts.only(node, "this", "expressions")
        return data.Array(type_of(inner[0], parts))
    if kind == exp.DType.MAP and len(inner) == 2:
        parts.only(node, "this", "expressions")
        return data.Map(type_of(inner[0], parts), type_of(inner[1], parts))
    if kind == exp.DType.STRUCT:
        parts.only(node, "this", "expressions")
        fields = []
        for field in inner:
            if not isinstance(field, exp.ColumnDef):
                parts.unknown(field)
            parts.only(field, "this", "kind")
            parts.only(field.this, "this")
            fields.append(data.Field(field.this.name, type_of(field.args.get("kind"), parts)))
        return data.Struct(tuple(fields))
    if kind == exp.DType.TIME and inner:
        parts.only(node, "this", "expressions")
        if [_number(n, parts, at) for n in inner] != [6]:
            parts.fault("LSQ450", "a TIME has microseconds in models of the dialect sql", at, "write TIME or TIME(6)")
        return data.TIME
    type = _PLAIN.get(kind)
    if type is None or inner:
        name = kind.value if isinstance(kind, exp.DType) else str(kind)
        help = _INSTEAD.get(kind, _KNOWN)
        parts.fault("LSQ450", f"the type {name} is not supported in models of the dialect sql", at, help)
    parts.only(node, "this")
    return type


def _interval(node: exp.Interval, parts: Parts, at: Extent) -> DataType:
    """Return the type of `INTERVAL DAY TO SECOND`."""
    parts.only(node, "unit")
    unit = node.args["unit"]
    words = [unit.this, unit.expression] if isinstance(unit, exp.IntervalSpan) else [unit, unit]
    first, last = (str(word.this).upper().removesuffix("S") for word in words)
    for units in (data.MONTH_UNITS, data.TIME_UNITS):
        if first in units and last in units[units.index(first) :]:
            return data.interval(first, last)
    name = first if first == last else f"{first} TO {last}"
    parts.fault("LSQ450", f"the type INTERVAL {name} is not supported in models of the dialect sql", at,
                "write INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH, or some of their fields")  # fmt: skip


def _number(node: exp.Expr, parts: Parts, at: Extent) -> int:
    if not isinstance(node, exp.DataTypeParam) or not isinstance(node.this, exp.Literal):
        parts.unknown(node)
    parts.only(node, "this")
    parts.only(node.this, "this")
    if not node.this.this.isdecimal():
        message = f"'{node.this.this}' is not a number of digits"
        parts.fault("LSQ450", message, at, f"DECIMAL has 1 to {_DIGITS} digits")
    return integer(node.this.this)
