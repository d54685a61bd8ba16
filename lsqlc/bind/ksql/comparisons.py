"""Comparisons of ksqlDB: literals take the type of the other operand, and null equals nothing.

A comparison of a null is false, not null, so that NOT of it is true. A string literal next to a number, a boolean or a
time is converted to its type. A number next to strings becomes a string (the rules for literals in ksqlDB's type
coercion).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from lsqlc.bind.ksql.scope import SYSTEM
from lsqlc.plan.expression import Call, Expression, Literal, Operation
from lsqlc.syntax import tree
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal
from lsqlc.types.digits import integer

_FALSE = Literal(False, data.BOOLEAN)
_TIMES = (data.TIMESTAMP, data.DATE, data.TIME)


def known(comparison: Expression) -> Expression:
    """Return the comparison, false if it is null."""
    if not comparison.nullable:
        return comparison
    return Call("COALESCE", (comparison, _FALSE), data.BOOLEAN, False)


def decisive(condition: Expression) -> Expression:
    """Return a condition that is true for the same rows, without the conversion of null to false."""
    match condition:
        case Call("COALESCE", (inner, last)) if last == _FALSE:
            return decisive(inner)
        case Operation("AND" | "OR" as operator, (left, right)):
            left, right = decisive(left), decisive(right)
            return Operation(operator, (left, right), data.BOOLEAN, left.nullable or right.nullable)
    return condition


def alike(
    parts: Sequence[tree.Expression], other: tuple[tree.Expression, DataType] | None, *, times: bool = False
) -> Sequence[tree.Expression]:
    """Return the same parts, with literals converted to the type of the others.

    `other`: the first part that is not a literal, and its type; None if there is none. `times`: convert only to times,
    as next to an operator; the elements of a list take any type.
    """
    if not any(isinstance(part, tree.Literal) for part in parts) or len(parts) < 2:
        return parts
    if other is None:
        return parts if times else _literals(parts)
    part, type = other
    if isinstance(part, tree.Reference) and part.parts[-1] in SYSTEM:
        return tuple(_moment(p) for p in parts)
    if times and type not in _TIMES:
        return parts
    return tuple(_as(p, type) if isinstance(p, tree.Literal) else p for p in parts)


def _literals(parts: Sequence[tree.Expression]) -> Sequence[tree.Expression]:
    """Convert literals next to each other: the type of the first decides if it is a string next to a number or
    boolean.
    """
    values = [p for p in parts if isinstance(p, tree.Literal) and p.value is not None]
    first = values[0] if values else None
    if first is None or not any(isinstance(v.value, str) for v in values):
        return parts
    target: DataType = data.STRING
    if isinstance(first.value, bool):
        target = data.BOOLEAN
    elif isinstance(first.value, int):
        target = data.INT
    return tuple(_as(p, target) if isinstance(p, tree.Literal) else p for p in parts)


def _as(literal: tree.Literal, type: DataType) -> tree.Expression:
    """Return the literal converted to a type, if a string can be read as one, or a value be written as a string."""
    value, at = literal.value, literal.at
    if value is None:
        return literal
    if type == data.STRING:
        return literal if isinstance(value, str) else tree.Literal(_text(value), at)
    if not isinstance(value, str):
        return literal
    if type in _TIMES:
        return tree.Cast(literal, type, at)
    if type == data.BOOLEAN:
        return tree.Literal(truth, at) if (truth := boolean(value)) is not None else literal
    if data.is_numeric(type):
        return _number(value, literal)
    return literal


def _text(value: bool | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def boolean(text: str) -> bool | None:
    """Return the boolean of a text: `true`, `yes`, `false`, `no`, or a prefix of one of them; None for another text."""
    word = text.strip().lower()
    if word and ("true".startswith(word) or "yes".startswith(word)):
        return True
    return False if word and ("false".startswith(word) or "no".startswith(word)) else None


def _number(text: str, literal: tree.Literal) -> tree.Expression:
    """Return a number of ksqlDB: an integer, a DECIMAL with a point, a DOUBLE with an exponent."""
    stripped = text.strip()
    digits = stripped.lstrip("+-")
    if not stripped.isascii() or not digits.replace(".", "", 1).isdigit():
        try:
            return tree.Literal(float(stripped), literal.at) if "e" in stripped.lower() else literal
        except ValueError:
            return literal
    if "." not in digits:
        return tree.Literal(integer(stripped), literal.at)
    whole, _, places = digits.partition(".")
    precision = max(len(whole.lstrip("0")) + len(places), 1)
    return tree.Cast(tree.Literal(stripped, literal.at), Decimal(min(precision, 38), len(places)), literal.at)


def _moment(part: tree.Expression) -> tree.Expression:
    """Return a time as epoch milliseconds, next to ROWTIME and the bounds of windows."""
    if not (isinstance(part, tree.Literal) and isinstance(part.value, str)):
        return part
    try:
        time = datetime.fromisoformat(part.value)
    except ValueError:
        return part
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return tree.Literal(round(time.timestamp() * 1000), part.at)
