"""Aggregate functions as DuckDB SQL, over all the rows that a group has at one time."""

from __future__ import annotations

from lsqlc.functions.engine_types import type_text
from lsqlc.lower.duckdb.expressions import sql
from lsqlc.plan.expression import Aggregation, Literal


def aggregate(call: Aggregation, order: str) -> str:
    """The SQL text of an aggregate over rows called `t`. `order`: the column that says which row is first."""
    if not call.arguments:
        return "count(*)"
    x = sql(call.arguments[0])
    type = type_text("duckdb", call.type)
    limit = _limit(call)
    match call.function:
        case "COUNT":
            return f"count({x})"
        case "SUM":
            # Summed wide, so that the order of the rows never matters; a total that does not fit is null.
            return f"try_cast(sum({x}) AS {type})"
        case "AVG":
            return f"avg({x})"
        case "FIRST":
            return f"arg_min_null({x}, {order})"
        case "LAST":
            return f"arg_max_null({x}, {order})"
        case "COLLECT":
            return f"coalesce((list({x} ORDER BY {order}) FILTER ({x} IS NOT NULL))[1:{limit}], [])"
        case "COLLECT_UNIQUE":
            values = f"list({x} ORDER BY {order}) FILTER ({x} IS NOT NULL)"
            first = f"list_filter({values}, lambda y, i: list_position({values}, y) = i)"
            return f"coalesce(({first})[1:{limit}], [])"
        case "MAXK" | "MAXK_UNIQUE" | "MINK" | "MINK_UNIQUE":
            direction = "DESC" if call.function.startswith("MAX") else "ASC"
            distinct = "DISTINCT " if call.function.endswith("_UNIQUE") else ""
            values = f"list({distinct}{x} ORDER BY {x} {direction}) FILTER ({x} IS NOT NULL)"
            return f"({values})[1]" if limit == 1 else f"coalesce(({values})[1:{limit}], [])"
    raise AssertionError(f"no DuckDB form of {call.function}")


def _limit(call: Aggregation) -> int:
    """The literal N of a function that keeps N values; 0 for the others."""
    last = call.arguments[-1]
    return last.value if len(call.arguments) > 1 and isinstance(last, Literal) and isinstance(last.value, int) else 0
