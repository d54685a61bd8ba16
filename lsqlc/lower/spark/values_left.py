"""Aggregates of the current distinct values of a group of a TABLE: MIN, MAX, and those of DISTINCT.

A minimum cannot be reversed when a value is removed. So the state counts how often each value was inserted and deleted
(see `counts`); the values with more insertions are the current ones. The state grows with the distinct values that a
group ever had. All of it is read and written when a batch changes the group.
"""

from __future__ import annotations

from lsqlc.lower.spark.counts import counted, left_over
from lsqlc.lower.spark.versions import Version
from lsqlc.plan.expression import Aggregation
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

FUNCTIONS = ("MIN", "MAX", "COUNT_DISTINCT", "SUM_DISTINCT", "AVG_DISTINCT")
_NAMES = {name: name.removesuffix("_DISTINCT") for name in FUNCTIONS}


def counts_values(call: Aggregation) -> bool:
    """Return True if an aggregate over a TABLE counts the values of its groups."""
    return call.function in FUNCTIONS


def over_values(call: Aggregation, argument: str, server: Version) -> str:
    """Return one expression over changes of `weight`; `argument` is the SQL of the value. A sum is not narrowed."""
    type = call.arguments[0].type
    # Zeros of both signs are one value.
    argument = f"({argument} + CAST(0 AS {type}))" if type in (data.FLOAT, data.DOUBLE) else argument
    came, went = (
        counted(server, argument, f"{argument} IS NOT NULL AND weight {sign} 0", _NAMES[call.function]) for sign in "><"
    )
    values = f"transform({left_over(came, went)}, e -> e.value)"
    return of_values(call.function, values, type)


def of_values(function: str, values: str, type: DataType) -> str:
    """Return an aggregate of an array of distinct values."""
    match function:
        case "MIN" | "MAX":
            return f"array_{function.lower()}({values})"
        case "COUNT_DISTINCT":
            return f"CAST(size({values}) AS BIGINT)"
        case "SUM_DISTINCT":
            return _sum(values, type)
    assert function == "AVG_DISTINCT", f"{function} is not an aggregate of different values"
    mean = f"if(size(all_values) = 0, NULL, CAST({_sum('all_values', type)} AS DOUBLE) / size(all_values))"
    return f"get(transform(array({values}), all_values -> {mean}), 0)"


def _sum(values: str, type: DataType) -> str:
    """Return the exact sum of integers or DECIMALs; null for an empty array."""
    wide = f"DECIMAL(38,{type.scale if isinstance(type, Decimal) else 0})"
    total = f"CAST(coalesce(total, CAST(0 AS {wide})) + value AS {wide})"
    return f"aggregate({values}, CAST(NULL AS {wide}), (total, value) -> {total})"
