"""Aggregate functions as DuckDB SQL, over all the rows that a group has at one time."""

from __future__ import annotations

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.forms.totals import DECIMAL_TOTAL, FLOATING_TOTAL
from lsqlc.lower.duckdb.expressions import sql
from lsqlc.plan.expression import Aggregation, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

# How many values an array without a limit of its own may hold.
_MOST = 1_000
# The digits of a DECIMAL of which ten thousand million fit into 128 bits together.
_SUMMED = 28


def aggregate(call: Aggregation, order: str, *, table: bool = False) -> str:
    """Return the SQL text of an aggregate over rows called `t`.

    `order`: the column that says which row is first; `table`: they are those of a TABLE.
    """
    if not call.arguments:
        return "count(*)"
    x = sql(call.arguments[0])
    if isinstance(call.arguments[0], Literal):
        # DuckDB refuses to order by a literal.
        x = f"CAST({x} AS {type_text('duckdb', call.arguments[0].type)})"
    type = type_text("duckdb", call.type)
    limit = _limit(call)
    # Zeros of both signs are equal: Spark keeps the first that came, and none with a sign where it makes a set.
    floating = call.arguments[0].type in (data.FLOAT, data.DOUBLE)
    item = f"({x} + 0)" if floating else x
    first_came = f", {order}" if floating else ""
    match call.function:
        case "COUNT":
            return f"count({x})"
        case "SUM":
            # Summed wide, so that the order of the rows never matters; a total that does not fit is null.
            return f"try_cast({_total(x, call.arguments[0].type)} AS {type})"
        case "AVG":
            return _mean(x, call.arguments[0].type)
        case "FIRST":
            return f"arg_min_null({x}, {order})"
        case "LAST":
            return f"arg_max_null({x}, {order})"
        case "COLLECT":
            return f"coalesce((list({x} ORDER BY {order}) FILTER ({x} IS NOT NULL))[1:{limit}], [])"
        case "COLLECT_UNIQUE":
            values = f"list({item} ORDER BY {order}) FILTER ({x} IS NOT NULL)"
            # In a lambda DuckDB takes no aggregate whose argument has a lambda of its own, as a quotient has.
            first = "list_filter(v, lambda y, i: list_position(v, y) = i)"
            return f"coalesce((list_transform([{values}], lambda v: {first})[1])[1:{limit}], [])"
        case "MAXK" | "MAXK_UNIQUE" | "MINK" | "MINK_UNIQUE":
            direction = "DESC" if call.function.startswith("MAX") else "ASC"
            if call.function.endswith("_UNIQUE") and limit > 1:
                values = f"list(DISTINCT {item} ORDER BY {item} {direction}) FILTER ({x} IS NOT NULL)"
            else:
                values = f"list({x} ORDER BY {x} {direction}{first_came}) FILTER ({x} IS NOT NULL)"
            return f"({values})[1]" if limit == 1 else f"coalesce(({values})[1:{limit}], [])"
        case "MIN" | "MAX" if floating and table:
            return f"{call.function.lower()}({item})"
        case "MIN" | "MAX" if floating:
            direction = "DESC" if call.function == "MAX" else "ASC"
            return f"(list({x} ORDER BY {x} {direction}{first_came}) FILTER ({x} IS NOT NULL))[1]"
        case "MIN" | "MAX":
            return f"{call.function.lower()}({x})"
        case "COUNT_DISTINCT":
            return f"count(DISTINCT {x})"
        case "SUM_DISTINCT":
            return f"try_cast(sum(DISTINCT {x}) AS {type})"
        case "AVG_DISTINCT":
            return f"CAST(sum(DISTINCT {x}) AS DOUBLE) / nullif(count(DISTINCT {x}), 0)"
        case "COLLECT_LIST":
            return f"coalesce((list({x} ORDER BY {order}))[1:{_MOST}], [])"
        case "FIRST_ROWS":
            marks = str(getattr(call.arguments[2], "value", "")).split(",")
            by = [f"({x}).o{i} {mark}" for i, mark in enumerate(marks) if mark]
            first = f"(list({x} ORDER BY {', '.join((*by, order))}))"
            first += f"[1:{limit}]" if limit else ""
            return f"list_transform({first}, lambda y, i: {{'rank': CAST(i AS INTEGER), 'row': y}})"
        case "COLLECT_SET":
            values = f"list({item} ORDER BY {order})"
            # A null is one of the values, which list_position does not find.
            known = "CASE WHEN y IS NULL THEN len(list_filter(v[1:i - 1], lambda z: z IS NULL)) = 0"
            first = f"list_filter(v, lambda y, i: {known} ELSE list_position(v, y) = i END)"
            return f"coalesce((list_transform([{values}], lambda v: {first})[1])[1:{_MOST}], [])"
        case "TOPK":
            return f"coalesce((list({x} ORDER BY {x} DESC{first_came}) FILTER ({x} IS NOT NULL))[1:{limit}], [])"
        case "TOPK_ROWS":
            value = f"({x}).sort_col"
            rows = f"list({x} ORDER BY {value} DESC, {order}) FILTER ({value} IS NOT NULL)"
            return f"coalesce(({rows})[1:{limit}], [])"
        case "TOPKDISTINCT":
            values = f"list(DISTINCT {item} ORDER BY {item} DESC) FILTER ({x} IS NOT NULL)"
            return f"coalesce(({values})[1:{limit}], [])"
        case "VALUES":
            marks = str(getattr(call.arguments[1], "value", "")).split(",") if len(call.arguments) > 1 else []
            by = [f"({x}).o{i} {mark}" for i, mark in enumerate(marks)]
            return f"coalesce(list({x} ORDER BY {', '.join((*by, order))}) FILTER ({x} IS NOT NULL), [])"
        case "HISTOGRAM":
            counts = f"histogram({x}) FILTER ({x} IS NOT NULL)"
            pair = "{'key': e.key, 'value': CAST(e.value AS BIGINT)}"
            return f"map_from_entries(coalesce(list_transform(map_entries({counts}), lambda e: {pair}), []))"
        case "EARLIEST_BY_OFFSET" | "LATEST_BY_OFFSET" if limit:
            present = "" if _keeps_nulls(call) else f" FILTER ({x} IS NOT NULL)"
            values = f"(list({x} ORDER BY {order}){present})"
            cut = f"[1:{limit}]" if call.function == "EARLIEST_BY_OFFSET" else f"[-{limit}:]"
            return f"coalesce({values}{cut}, [])"
        case "EARLIEST_BY_OFFSET" | "LATEST_BY_OFFSET":
            name = "arg_min" if call.function == "EARLIEST_BY_OFFSET" else "arg_max"
            return f"{name}{'_null' if _keeps_nulls(call) else ''}({x}, {order})"
    raise AssertionError(f"no DuckDB form of {call.function}")


def _total(x: str, type: DataType) -> str:
    """Return the exact sum: as text where DuckDB has no type that holds every one."""
    if type in (data.FLOAT, data.DOUBLE):
        x = f"CAST({x} AS DOUBLE)"
        finite = FLOATING_TOTAL.call([f"list({x}) FILTER (isfinite({x}))"])
        return f"coalesce(sum({x}) FILTER (NOT isfinite({x})), {finite})"
    if _is_wide(type):
        return DECIMAL_TOTAL.call([f"list(CAST({x} AS VARCHAR)) FILTER ({x} IS NOT NULL)"])
    return f"sum({x})"


def _mean(x: str, type: DataType) -> str:
    if type in (data.FLOAT, data.DOUBLE) or _is_wide(type):
        return f"CAST({_total(x, type)} AS DOUBLE) / nullif(count({x}), 0)"
    return f"avg({x})"


def _is_wide(type: DataType) -> bool:
    """Return whether DuckDB, which sums in 128 bits, may fail to sum values of a type."""
    return isinstance(type, Decimal) and type.precision > _SUMMED


def _keeps_nulls(call: Aggregation) -> bool:
    """Return whether a null counts as a value: where the last argument says so."""
    return call.arguments[-1] == Literal(False, data.BOOLEAN)


def _limit(call: Aggregation) -> int:
    """Return the literal N of a function that keeps N values; 0 for the others."""
    second = call.arguments[1] if len(call.arguments) > 1 else None
    value = second.value if isinstance(second, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
