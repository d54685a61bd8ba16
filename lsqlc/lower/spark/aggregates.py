"""Aggregate functions as Spark SQL: over the records of a STREAM, and over the weighted changes of a TABLE."""

from __future__ import annotations

from lsqlc.functions.engine_types import type_text
from lsqlc.lower.spark.expressions import sql
from lsqlc.plan.expression import Aggregation, Expression, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

# Sums of 64-bit integers run wide, so that a total that fits never depends on the order of the records.
_WIDE = "DECIMAL(20,0)"


def over_stream(call: Aggregation) -> str:
    """One expression over the records of a group; `_ord` is their ordinal."""
    if not call.arguments:
        return "count(*)"
    x = sql(call.arguments[0])
    limit = _limit(call)
    present = f"FILTER (WHERE {x} IS NOT NULL)"
    match call.function:
        case "COUNT":
            return f"count({x})"
        case "SUM":
            return _narrow(f"sum({_wide(x, call.arguments[0].type)})", call.type)
        case "AVG":
            return f"avg(CAST({x} AS DOUBLE))"
        case "FIRST":
            return f"min_by({x}, _ord)"
        case "LAST":
            return f"max_by({x}, _ord)"
        case "COLLECT":
            return f"coalesce(min_by({x}, _ord, {limit}) {present}, array())"
        case "MAXK" | "MINK":
            name = "max" if call.function == "MAXK" else "min"
            return f"{name}({x})" if limit == 1 else f"coalesce({name}_by({x}, {x}, {limit}) {present}, array())"
        case "MIN" | "MAX":
            return f"{call.function.lower()}({x})"
        case "TOPK":
            return f"coalesce(max_by({x}, {x}, {limit}) {present}, array())"
        case "EARLIEST_BY_OFFSET" | "LATEST_BY_OFFSET":
            name = "min_by" if call.function == "EARLIEST_BY_OFFSET" else "max_by"
            keeps_nulls = call.arguments[-1] == Literal(False, data.BOOLEAN)
            return f"{name}({x}, _ord){'' if keeps_nulls else f' {present}'}"
    raise AssertionError(f"no Spark form of {call.function}")


def over_changes(call: Aggregation, x: str) -> str:
    """One expression over changes of weight `w`, +1 for a row that came and -1 for one that went; `x` is its
    argument.
    """
    if not call.arguments:
        return "sum(w)"
    counted = f"sum(if({x} IS NULL, 0L, w))"
    type = call.arguments[0].type
    match call.function:
        case "COUNT":
            return counted
        case "SUM":
            return f"if({counted} = 0, NULL, {_narrow(_weighted(x, type), call.type)})"
        case "AVG":
            return f"if({counted} = 0, NULL, CAST({_weighted(x, type)} AS DOUBLE) / {counted})"
    raise AssertionError(f"{call.function} has no form over changes")


def _weighted(x: str, type: DataType) -> str:
    """The sum of what is there now. NaN and infinities are counted apart, since they cannot be subtracted again."""
    if type not in (data.DOUBLE, data.FLOAT):
        return f"sum({_wide(x, type)} * w)"
    odd = f"isnan({x}) OR abs({x}) = double('Infinity')"

    def number_of(condition: str) -> str:
        return f"sum(if({condition}, w, 0L))"

    nans, plus, minus = (
        number_of(c) for c in (f"isnan({x})", f"{x} = double('Infinity')", f"{x} = double('-Infinity')")
    )
    return (
        f"CASE WHEN {nans} > 0 OR ({plus} > 0 AND {minus} > 0) THEN double('NaN') "
        f"WHEN {plus} > 0 THEN double('Infinity') WHEN {minus} > 0 THEN double('-Infinity') "
        f"ELSE sum(if({odd}, 0D, CAST({x} AS DOUBLE) * w)) END"
    )


def _wide(x: str, type: DataType) -> str:
    if type == data.INT:
        return f"CAST({x} AS BIGINT)"
    return f"CAST({x} AS {_WIDE})" if type == data.BIGINT else x


def _narrow(total: str, type: DataType) -> str:
    """The total as the function's type; null where it does not fit."""
    return (
        f"try_cast({total} AS {type_text('spark', type)})"
        if type == data.BIGINT or isinstance(type, Decimal)
        else total
    )


def _limit(call: Aggregation) -> int:
    """The literal N of a function that keeps N values; 0 for the others."""
    last: Expression | None = call.arguments[-1] if len(call.arguments) > 1 else None
    return last.value if isinstance(last, Literal) and isinstance(last.value, int) else 0
