"""Python forms of number functions that DuckDB does not do as Spark does, and a check for one of Spark's."""

from __future__ import annotations

import decimal

from lsqlc.functions.signature import PythonForm
from lsqlc.types.data import Decimal

_WIDE = decimal.Context(prec=800, rounding=decimal.ROUND_HALF_UP)
# A double has no digit further than this from its point.
_FAR = 400
_MOST_DIGITS = 38


def round_double(value: float, places: int) -> float:
    """Round half away from zero, by the printed decimal digits of the finite number."""
    if places > _FAR:
        return value
    if places < -_FAR:
        return 0.0
    # Spark rounds a decimal, which has no negative zero.
    return float(decimal.Decimal(repr(value)).quantize(decimal.Decimal(1).scaleb(-places), context=_WIDE)) + 0.0


def round_decimal(value: str, places: int) -> str:
    """Round half away from zero, from and to the text of a decimal."""
    if abs(places) > _FAR:
        return value if places > 0 else "0"
    return format(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-places), context=_WIDE), "f")


ROUND_DOUBLE = PythonForm("lsqlc_round_double", round_double, ("DOUBLE", "INTEGER"), "DOUBLE")
ROUND_DECIMAL = PythonForm("lsqlc_round_decimal", round_decimal, ("VARCHAR", "INTEGER"), "VARCHAR")


def rounded_on_spark(number: str, places: int, type: Decimal) -> str:
    """Return Spark's SQL for a DECIMAL rounded to a constant number of places.

    Null if no DECIMAL can hold the result, where Spark raises. The result has one digit more than the number, unless
    the number has 38 before its point.
    """
    rounded = f"round({number}, {places})"
    if type.precision - type.scale < _MOST_DIGITS or not -_MOST_DIGITS <= places < 0:
        return rounded
    bound = 10**_MOST_DIGITS - 5 * 10 ** (-places - 1)
    return (
        f"case when {number} > cast('-{bound}' as {type}) and {number} < cast('{bound}' as {type}) then {rounded} end"
    )
