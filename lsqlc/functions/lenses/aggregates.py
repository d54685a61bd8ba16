"""Aggregate functions: signatures, result types, and whether each is legal on a STREAM and a TABLE.

A TABLE allows aggregates that can be computed from weighted deltas: an update retracts the old row and adds the new
one.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.sizes import MOST_VALUES
from lsqlc.functions.results import always
from lsqlc.functions.signature import Aggregate, Nulls, Parameter, Result
from lsqlc.types.data import BIGINT, DOUBLE, NULL, Array, DataType, Decimal, is_integer

_VALUE = Parameter("value", "any")
_NUMBER = Parameter("value", "number")
_LIMIT = Parameter("n", "size", literal=True)


def _sum(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    type = types[0]
    if isinstance(type, Decimal):
        return Decimal(min(38, type.precision + 10), type.scale)
    return BIGINT if is_integer(type) else NULL if type == NULL else DOUBLE


def _first(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0]


def _array(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[0]) if _limit(literals) else None


def _largest(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of the value for N = 1, as the documentation prints it, else of an array."""
    limit = _limit(literals)
    return None if not limit else types[0] if limit == 1 else Array(types[0])


def _limit(literals: Sequence[object]) -> int | None:
    limit = literals[1]
    return limit if isinstance(limit, int) and 1 <= limit <= MOST_VALUES else None


def _forgets(what: str, instead: str) -> str:
    return (
        f"a row of a TABLE can change or be deleted, and {what} that has left the group cannot be undone"
        f" from what it keeps; {instead}"
    )


_STREAM = "aggregate the records with SELECT STREAM instead"


def _on_stream(name: str, parameters: tuple[Parameter, ...], result: Result, doc: str, what: str) -> Aggregate:
    return Aggregate(name, parameters, result, doc, on_table=False, why_not=_forgets(what, _STREAM))


AGGREGATES: tuple[Aggregate, ...] = (
    Aggregate(
        "COUNT", (Parameter("value", "any", optional=True),), always(BIGINT),
        "the number of records, or of those whose value is not null", nulls=Nulls.NEVER,
    ),
    Aggregate("SUM", (_NUMBER,), _sum, "the total of the values that are not null"),
    Aggregate("AVG", (_NUMBER,), always(DOUBLE), "the mean of the values that are not null"),
    Aggregate("COLLECT", (_VALUE, _LIMIT), _array, "an array of at most `n` values that are not null"),
    _on_stream("COLLECT_UNIQUE", (_VALUE, _LIMIT), _array, "at most `n` different values as they came", "a value"),
    _on_stream("MAXK", (_NUMBER, _LIMIT), _largest, "the `n` largest values, largest first", "a maximum"),
    _on_stream("MINK", (_NUMBER, _LIMIT), _largest, "the `n` smallest values, smallest first", "a minimum"),
    _on_stream("MAXK_UNIQUE", (_NUMBER, _LIMIT), _largest, "the `n` largest different values", "a maximum"),
    _on_stream("MINK_UNIQUE", (_NUMBER, _LIMIT), _largest, "the `n` smallest different values", "a minimum"),
    _on_stream("FIRST", (_VALUE,), _first, "the value of the first record", "a first value"),
    _on_stream("LAST", (_VALUE,), _first, "the value of the last record", "a last value"),
)  # fmt: skip
