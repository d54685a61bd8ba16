"""Aggregate functions of ksqlDB: signatures, result types, and whether a TABLE allows them.

SUM and AVG of no value are 0 here, which the binder writes out. Unlike those of Lenses, the arrays keep nulls. A TABLE
allows aggregates from which the values of a retracted row can be removed.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.operators import comparable, ordered
from lsqlc.functions.forms.sizes import MOST_VALUES
from lsqlc.functions.results import always
from lsqlc.functions.signature import Aggregate, Nulls, Parameter, Result
from lsqlc.types.data import BIGINT, DOUBLE, NULL, STRING, Array, DataType, Map

_VALUE = Parameter("value", "any")
_NUMBER = Parameter("value", "number")
_COUNT = Parameter("n", "size", literal=True)
# The number of values for an array of them, or whether nulls are skipped, which is the default.
_HOW = Parameter("n_or_ignore_nulls", "any", literal=True, optional=True)
_IGNORE_NULLS = Parameter("ignore_nulls", "boolean", literal=True, optional=True)

# For these, ksqlDB's state of a group is one value of the result's type. For every other aggregate it is an array, a
# map or a struct.
PLAIN_STATE = ("COUNT", "SUM", "MIN", "MAX")


def _array(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[0])


def _sum(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of the values: a sum of INT is an INT."""
    return None if types[0] == NULL else types[0]


def _extreme(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return ordered(types[:1], literals)


def _largest(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    size = literals[1]
    fits = isinstance(size, int) and 1 <= size <= MOST_VALUES
    return Array(types[0]) if fits and comparable(types[0], ordered=True) else None


def _offset(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of the value, or of an array of values if a number of them is an argument."""
    how = literals[1] if len(literals) > 1 else True
    if isinstance(how, bool):
        return types[0] if len(types) < 3 else None
    return Array(types[0]) if isinstance(how, int) and 1 <= how <= MOST_VALUES else None


def _histogram(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Map(STRING, BIGINT) if types[0] in (STRING, NULL) else None


_STREAM = "aggregate the records of the topic as a STREAM instead"


def _on_stream(
    name: str, parameters: tuple[Parameter, ...], result: Result, doc: str, what: str, nulls: Nulls = Nulls.MAY
) -> Aggregate:
    why = f"a row of a TABLE can change or be deleted, and {what} that has left the group cannot be undone; {_STREAM}"
    return Aggregate(name, parameters, result, doc, on_table=False, why_not=why, nulls=nulls)


AGGREGATES: tuple[Aggregate, ...] = (
    Aggregate(
        "COUNT", (Parameter("value", "any", optional=True),), always(BIGINT),
        "the number of records, or of those whose value is not null", nulls=Nulls.NEVER,
    ),
    Aggregate("SUM", (_NUMBER,), _sum, "the total of the values that are not null, of their type; 0 for none"),
    Aggregate("AVG", (_NUMBER,), always(DOUBLE), "the mean of the values that are not null; 0 for none"),
    Aggregate("STDDEV_SAMP", (_NUMBER,), always(DOUBLE),
              "the variance of a sample, as ksqlDB has it under this name; 0 for less than two values"),
    Aggregate("STDDEV_SAMPLE", (_NUMBER,), always(DOUBLE),
              "the standard deviation of a sample; 0 for less than two values"),
    Aggregate("CORRELATION", (_NUMBER, Parameter("other", "number")), always(DOUBLE),
              "the correlation of two values of each record; NaN where one of them does not vary"),
    Aggregate("COLLECT_LIST", (_VALUE,), _array, "an array of the values, nulls too, at most 1000", nulls=Nulls.NEVER),
    _on_stream("MIN", (_VALUE,), _extreme, "the smallest value", "a minimum"),
    _on_stream("MAX", (_VALUE,), _extreme, "the largest value", "a maximum"),
    _on_stream(
        "COUNT_DISTINCT", (_VALUE,), always(BIGINT), "the number of different values, exactly", "a value", Nulls.NEVER
    ),
    _on_stream(
        "COLLECT_SET", (_VALUE,), _array, "an array of the different values as they came, at most 1000", "a value",
        Nulls.NEVER,
    ),
    _on_stream(
        "TOPK", (_VALUE, _COUNT), _largest,
        "the `n` largest values, largest first; `TOPK(value, columns, n)`: structs of `sort_col`, `col0`, `col1`, ...",
        "a maximum", Nulls.NEVER,
    ),
    _on_stream(
        "TOPKDISTINCT", (_VALUE, _COUNT), _largest, "the `n` largest different values, largest first", "a maximum",
        Nulls.NEVER,
    ),
    _on_stream(
        "EARLIEST_BY_OFFSET", (_VALUE, _HOW, _IGNORE_NULLS), _offset,
        "the first value that is not null, or an array of the first `n`", "a value",
    ),
    _on_stream(
        "LATEST_BY_OFFSET", (_VALUE, _HOW, _IGNORE_NULLS), _offset,
        "the last value that is not null, or an array of the last `n`", "a value",
    ),
    Aggregate("HISTOGRAM", (_VALUE,), _histogram, "how often each text occurs, as a map", nulls=Nulls.NEVER),
)  # fmt: skip
