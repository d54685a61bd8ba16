"""Number functions that DuckDB cannot do as Spark does them, in Python."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from fractions import Fraction

from lsqlc.functions.signature import PythonForm

_WIDE = decimal.Context(prec=800, rounding=decimal.ROUND_HALF_UP)
_EXACT = decimal.Context(prec=800, traps=[decimal.Inexact])
# A double has no digit further than this from its point.
_FAR = 400


def round_double(value: float, places: int) -> float:
    """Half away from zero, judged by the decimal digits that the finite number prints."""
    if places > _FAR:
        return value
    if places < -_FAR:
        return 0.0
    # Spark rounds a decimal, which has no negative zero.
    return float(decimal.Decimal(repr(value)).quantize(decimal.Decimal(1).scaleb(-places), context=_WIDE)) + 0.0


def round_decimal(value: str, places: int) -> str:
    """Half away from zero, from and to the text of a decimal."""
    if abs(places) > _FAR:
        return value if places > 0 else "0"
    return format(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-places), context=_WIDE), "f")


def floating_total(values: Sequence[float]) -> float:
    """The exact sum of finite numbers, rounded once; an infinity where no DOUBLE holds it."""
    try:
        return math.fsum(values) + 0.0
    except OverflowError:
        # Also raised where only what lies on the way to the sum is too large.
        total = sum(map(Fraction, values), Fraction())
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def decimal_total(values: Sequence[str]) -> str:
    """The exact sum of the texts of decimals, as text."""
    total = decimal.Decimal()
    for value in values:
        total = _EXACT.add(total, decimal.Decimal(value))
    return format(total, "f")


ROUND_DOUBLE = PythonForm("lsqlc_round_double", round_double, ("DOUBLE", "INTEGER"), "DOUBLE")
ROUND_DECIMAL = PythonForm("lsqlc_round_decimal", round_decimal, ("VARCHAR", "INTEGER"), "VARCHAR")
FLOATING_TOTAL = PythonForm("lsqlc_floating_total", floating_total, ("DOUBLE[]",), "DOUBLE")
DECIMAL_TOTAL = PythonForm("lsqlc_decimal_total", decimal_total, ("VARCHAR[]",), "VARCHAR")

# What aggregates need.
FORMS = (FLOATING_TOTAL, DECIMAL_TOTAL)
