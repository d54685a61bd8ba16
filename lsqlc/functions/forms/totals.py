"""Exact sums in Python, for DuckDB's aggregates."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from fractions import Fraction

from lsqlc.functions.signature import PythonForm

_EXACT = decimal.Context(prec=800, traps=[decimal.Inexact])


def floating_total(values: Sequence[float]) -> float:
    """Return the exact sum of finite numbers, rounded once; an infinity if it exceeds the range of DOUBLE."""
    try:
        return math.fsum(values) + 0.0
    except OverflowError:
        # This error is also raised if only an intermediate sum is too large.
        total = sum(map(Fraction, values), Fraction())
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def decimal_total(values: Sequence[str]) -> str:
    """Return the exact sum of the texts of decimals, as text."""
    total = decimal.Decimal()
    for value in values:
        total = _EXACT.add(total, decimal.Decimal(value))
    return format(total, "f")


FLOATING_TOTAL = PythonForm("lsqlc_floating_total", floating_total, ("DOUBLE[]",), "DOUBLE")
DECIMAL_TOTAL = PythonForm("lsqlc_decimal_total", decimal_total, ("VARCHAR[]",), "VARCHAR")

FORMS = (FLOATING_TOTAL, DECIMAL_TOTAL)
