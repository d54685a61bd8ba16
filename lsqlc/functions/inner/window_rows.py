"""The ordered rows of a partition as an array, and functions over them for calls with OVER."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.results import always, first
from lsqlc.functions.signature import Function, Nulls, Parameter
from lsqlc.types import data
from lsqlc.types.data import BIGINT, DOUBLE, INT, Array, DataType, Decimal

EACH, WITH, FIRST_PEER, LAST_PEER = "inner.EACH", "inner.WITH", "inner.FIRST_PEER", "inner.LAST_PEER"
DISTINCT_BEFORE, FRAME, PRESENT = "inner.DISTINCT_BEFORE", "inner.FRAME", "inner.PRESENT"
FRAME_SUM, FRAME_MIN, FRAME_MAX, FRAME_SIZE = (
    "inner.FRAME_SUM",
    "inner.FRAME_MIN",
    "inner.FRAME_MAX",
    "inner.FRAME_SIZE",
)

_ANY = Parameter("value", "any")


def _second(types: Sequence[DataType], literals: Sequence[object]) -> DataType:
    return types[1]


def _array_of_second(types: Sequence[DataType], literals: Sequence[object]) -> DataType:
    return Array(types[1])


def _element(types: Sequence[DataType], literals: Sequence[object]) -> DataType:
    assert isinstance(types[0], Array)
    return types[0].element


def total_type(type: DataType) -> DataType:
    """Return the type of the SUM of values of a type: that of Spark."""
    if isinstance(type, Decimal):
        return Decimal(min(type.precision + 10, 38), type.scale)
    return BIGINT if data.is_integer(type) else DOUBLE


def _total(types: Sequence[DataType], literals: Sequence[object]) -> DataType:
    return total_type(_element(types, literals))


def _duckdb_total(texts: Sequence[str], types: Sequence[DataType]) -> str:
    total = total_type(_element(types, ()))
    if total == DOUBLE:
        # The sum goes from left to right, as in Spark.
        doubles = f"list_transform({texts[0]}, lambda y: CAST(y AS DOUBLE))"
        return f"case when len({texts[0]}) > 0 then list_reduce({doubles}, lambda s, y: s + y) end"
    return f"try_cast(list_sum({texts[0]}) as {type_text('duckdb', total)})"


def _spark_total(texts: Sequence[str], types: Sequence[DataType]) -> str:
    total = total_type(_element(types, ()))
    if total == DOUBLE:
        return (
            f"aggregate({texts[0]}, CAST(NULL AS DOUBLE), (s, y) -> coalesce(s + CAST(y AS DOUBLE), CAST(y AS DOUBLE)))"
        )
    wide = f"DECIMAL(38,{total.scale if isinstance(total, Decimal) else 0})"
    step = f"CAST(coalesce(s, CAST(0 AS {wide})) + y AS {wide})"
    sum = f"aggregate({texts[0]}, CAST(NULL AS {wide}), (s, y) -> {step})"
    return f"try_cast({sum} AS {type_text('spark', total)})"


FUNCTIONS = (
    Function("EACH", (_ANY, _ANY), _array_of_second, "list_transform({0}, {1})", "transform({0}, {1})",
             "what a lambda makes of each element", nulls=Nulls.NEVER),
    Function("WITH", (_ANY, _ANY), _second, "(list_transform([{0}], {1}))[1]", "get(transform(array({0}), {1}), 0)",
             "what a lambda makes of a value, which is computed once", nulls=Nulls.NEVER),
    Function("FIRST_PEER", (_ANY, _ANY), always(INT), "cast(list_position({0}, {1}) as integer)",
             "cast(array_position({0}, {1}) as int)",
             "where an element first stands in an array, counted from 1", nulls=Nulls.NEVER),
    Function("LAST_PEER", (_ANY, _ANY), always(INT),
             "cast(len({0}) - list_position(list_reverse({0}), {1}) + 1 as integer)",
             "cast(size({0}) - array_position(reverse({0}), {1}) + 1 as int)",
             "where an element last stands in an array, counted from 1", nulls=Nulls.NEVER),
    Function("DISTINCT_BEFORE", (_ANY, _ANY), always(INT), "cast(len(list_distinct(({0})[1:{1}])) as integer)",
             "size(array_distinct(slice({0}, 1, {1})))",
             "how many different elements an array has up to a place", nulls=Nulls.NEVER),
    Function("FRAME", (_ANY, _ANY, _ANY), first, "({0})[greatest({1}, 1):{2}]",
             "slice({0}, greatest({1}, 1), greatest({2} - greatest({1}, 1) + 1, 0))",
             "the elements of an array from a place to another, counted from 1", nulls=Nulls.NEVER),
    Function("PRESENT", (_ANY,), first, "list_filter({0}, lambda y: y is not null)", "filter({0}, y -> y is not null)",
             "the elements that are not null", nulls=Nulls.NEVER),
    Function("FRAME_SUM", (_ANY,), _total, _duckdb_total, _spark_total,
             "the sum of an array without nulls, null of none", nulls=Nulls.MAY),
    Function("FRAME_MIN", (_ANY,), _element, "list_min({0})", "array_min({0})", "the least element", nulls=Nulls.MAY),
    Function("FRAME_MAX", (_ANY,), _element, "list_max({0})", "array_max({0})", "the largest element",
             nulls=Nulls.MAY),
    Function("FRAME_SIZE", (_ANY,), always(INT), "cast(len({0}) as integer)", "size({0})", "the number of elements",
             nulls=Nulls.NEVER),
)  # fmt: skip
