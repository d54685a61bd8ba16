"""Aggregate functions by Spark's names. A TABLE allows those from which a row that leaves can be taken out."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.results import always, first
from lsqlc.functions.signature import Aggregate, Nulls, Parameter, Result
from lsqlc.types.data import BIGINT, DOUBLE, NULL, DataType, Decimal, is_integer

_VALUE = Parameter("value", "any")
_NUMBER = Parameter("value", "number")


def _sum(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    type = types[0]
    if isinstance(type, Decimal):
        return Decimal(min(38, type.precision + 10), type.scale)
    return BIGINT if is_integer(type) else NULL if type == NULL else DOUBLE


def _on_stream(name: str, result: Result, doc: str, what: str, nulls: Nulls = Nulls.MAY) -> Aggregate:
    why = f"a row of a table can change or be deleted, and {what} that has left the group cannot be undone"
    return Aggregate(name, (_VALUE,), result, doc, on_table=False, why_not=why, nulls=nulls)


AGGREGATES: tuple[Aggregate, ...] = (
    Aggregate(
        "COUNT", (Parameter("value", "any", optional=True),), always(BIGINT),
        "the number of rows, or of those whose value is not null", nulls=Nulls.NEVER,
    ),
    Aggregate("SUM", (_NUMBER,), _sum, "the total of the values that are not null; null for none"),
    Aggregate("AVG", (_NUMBER,), always(DOUBLE), "the mean of the values that are not null, a DOUBLE; null for none"),
    _on_stream("MIN", first, "the smallest value", "a minimum"),
    _on_stream("MAX", first, "the largest value", "a maximum"),
    _on_stream("COUNT_DISTINCT", always(BIGINT), "the number of different values, written COUNT(DISTINCT value)",
               "a value", Nulls.NEVER),
)  # fmt: skip
