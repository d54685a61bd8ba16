"""Aggregate functions by Spark's names. All are legal over a TABLE, where a retracted row is subtracted."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.operators import ordered
from lsqlc.functions.results import always
from lsqlc.functions.signature import Aggregate, Nulls, Parameter
from lsqlc.types.data import BIGINT, BOOLEAN, DOUBLE, NULL, DataType, Decimal, is_integer

_VALUE = Parameter("value", "any")
_NUMBER = Parameter("value", "number")
_CONDITION = Parameter("condition", "boolean")
# The digits of a DECIMAL of which the sum of ten thousand million values fits into 38 digits.
_SUMMED = 28


def _sum(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    type = types[0]
    if isinstance(type, Decimal):
        return Decimal(min(38, type.precision + 10), type.scale)
    return BIGINT if is_integer(type) else NULL if type == NULL else DOUBLE


def _exact_sum(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return _sum(types, literals) if _is_exact(types[0]) else None


def _exact_mean(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return DOUBLE if _is_exact(types[0]) else None


def _is_exact(type: DataType) -> bool:
    """Return whether sums of values of a type are exact in any order, and the engines hold each intermediate sum."""
    return is_integer(type) or type == NULL or (isinstance(type, Decimal) and type.precision <= _SUMMED)


SUMS_AND_COUNTS: tuple[Aggregate, ...] = (
    Aggregate(
        "COUNT", (Parameter("value", "any", optional=True),), always(BIGINT),
        "the number of rows, or of those whose value is not null", nulls=Nulls.NEVER,
    ),
    Aggregate("SUM", (_NUMBER,), _sum, "the total of the values that are not null; null for none"),
    Aggregate("AVG", (_NUMBER,), always(DOUBLE), 
              "the mean of the values that are not null, a DOUBLE, or a DECIMAL of DECIMALs; null for none"),
    Aggregate("MIN", (_VALUE,), ordered, "the smallest value"),
    Aggregate("MAX", (_VALUE,), ordered, "the largest value"),
    Aggregate("COUNT_DISTINCT", (_VALUE,), always(BIGINT),
              "the number of different values, written COUNT(DISTINCT value)", nulls=Nulls.NEVER),
    Aggregate("SUM_DISTINCT", (_NUMBER,), _exact_sum,
              "the total of the different values, written SUM(DISTINCT value); of integers and DECIMALs"),
    Aggregate("AVG_DISTINCT", (_NUMBER,), _exact_mean,
              "the mean of the different values, written AVG(DISTINCT value); of integers and DECIMALs"),
    Aggregate("MEAN", (_NUMBER,), always(DOUBLE), "as AVG"),
    Aggregate("TRY_SUM", (_NUMBER,), _sum, "as SUM"),
    Aggregate("TRY_AVG", (_NUMBER,), always(DOUBLE), "as AVG"),
    Aggregate("COUNT_IF", (_CONDITION,), always(BIGINT), "the number of rows of which the condition is true",
              nulls=Nulls.NEVER),
    *(Aggregate(name, (_CONDITION,), always(BOOLEAN), f"whether the condition is true of {rows} where it is not null;"
                " null for none")
      for names, rows in ((("BOOL_AND", "EVERY"), "all rows"), (("BOOL_OR", "SOME", "ANY"), "any row"))
      for name in names),
)  # fmt: skip
