"""Aggregate functions as DuckDB SQL, over all rows of a group at one time."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.forms.totals import DECIMAL_TOTAL, FLOATING_TOTAL
from lsqlc.lower.duckdb.expressions import sql
from lsqlc.plan.expression import Aggregation, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

# The length of arrays from functions without a limit of their own.
_MOST = 1_000
# The highest precision at which the sum of ten thousand million DECIMAL values fits into 128 bits.
_SUMMED = 28
# The directions of a literal that orders rows. Its text never becomes SQL.
_DIRECTIONS = {text: text for text in (f"{way} NULLS {end}" for way in ("ASC", "DESC") for end in ("FIRST", "LAST"))}


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a group, as an aggregate reads them.

    `x`: SQL of the argument. `item`: the same, with unsigned zeros. `order`: the column that orders the rows. `tie`:
    the ORDER BY term that decides between zeros of both signs. `limit`: the number of values to keep, 0 for no limit.
    """

    call: Aggregation
    x: str
    item: str
    order: str
    tie: str
    limit: int
    table: bool

    @property
    def argument_type(self) -> DataType:
        return self.call.arguments[0].type

    @property
    def type(self) -> str:
        """The result type in DuckDB."""
        return type_text("duckdb", self.call.type)

    @property
    def is_floating(self) -> bool:
        return _is_floating(self.argument_type)


def aggregate(call: Aggregation, order: str, *, table: bool = False) -> str:
    """Return the SQL of an aggregate over rows with the alias `t`.

    `order`: the column that orders the rows. `table`: they are rows of a TABLE.
    """
    if not call.arguments:
        return "count(*)"
    x = sql(call.arguments[0])
    if isinstance(call.arguments[0], Literal):
        # DuckDB rejects ORDER BY of a literal.
        x = f"CAST({x} AS {type_text('duckdb', call.arguments[0].type)})"
    # Zeros of both signs are equal. Spark keeps the first one, and the unsigned one in sets.
    floating = _is_floating(call.arguments[0].type)
    rows = _Rows(call, x, f"({x} + 0)" if floating else x, order, f", {order}" if floating else "", _limit(call), table)
    for family in (_number, _extreme, _by_order, _collection, _ranking):
        text = family(rows)
        if text is not None:
            return text
    raise AssertionError(f"no DuckDB form of {call.function}")


def _number(rows: _Rows) -> str | None:
    """Return the SQL of a count, a sum or an average."""
    x = rows.x
    match rows.call.function:
        case "COUNT":
            return f"count({x})"
        case "SUM":
            # The sum has a wider type, so that the order of rows does not matter. A total that overflows the result
            # type is null.
            return f"try_cast({_total(x, rows.argument_type)} AS {rows.type})"
        case "AVG":
            return _mean(x, rows.argument_type)
        case "COUNT_DISTINCT":
            return f"count(DISTINCT {x})"
        case "SUM_DISTINCT":
            return f"try_cast(sum(DISTINCT {x}) AS {rows.type})"
        case "AVG_DISTINCT":
            return f"CAST(sum(DISTINCT {x}) AS DOUBLE) / nullif(count(DISTINCT {x}), 0)"
    return None


def _extreme(rows: _Rows) -> str | None:
    """Return the SQL of a minimum or a maximum."""
    function, x = rows.call.function, rows.x
    if function not in ("MIN", "MAX"):
        return None
    if rows.is_floating and rows.table:
        return f"{function.lower()}({rows.item})"
    if rows.is_floating:
        direction = "DESC" if function == "MAX" else "ASC"
        return f"(list({x} ORDER BY {x} {direction}{rows.tie}) FILTER ({x} IS NOT NULL))[1]"
    return f"{function.lower()}({x})"


def _by_order(rows: _Rows) -> str | None:
    """Return the SQL of the first or last values in order of the rows."""
    x, order, limit = rows.x, rows.order, rows.limit
    match rows.call.function:
        case "FIRST":
            return f"arg_min_null({x}, {order})"
        case "LAST":
            return f"arg_max_null({x}, {order})"
        case "LAST_ROW":
            parts = [f"{sql(part)} DESC NULLS LAST" for part in rows.call.arguments[1:]]
            present = f" FILTER ({x} IS NOT NULL)" if rows.call.arguments[0].nullable else ""
            return f"(list({x} ORDER BY {', '.join(parts)}, {order} DESC){present})[1]"
        case "EARLIEST_BY_OFFSET" | "LATEST_BY_OFFSET" if limit:
            present = "" if _keeps_nulls(rows.call) else f" FILTER ({x} IS NOT NULL)"
            values = f"(list({x} ORDER BY {order}){present})"
            cut = f"[1:{limit}]" if rows.call.function == "EARLIEST_BY_OFFSET" else f"[-{limit}:]"
            return f"coalesce({values}{cut}, [])"
        case "EARLIEST_BY_OFFSET" | "LATEST_BY_OFFSET":
            name = "arg_min" if rows.call.function == "EARLIEST_BY_OFFSET" else "arg_max"
            return f"{name}{'_null' if _keeps_nulls(rows.call) else ''}({x}, {order})"
    return None


def _collection(rows: _Rows) -> str | None:
    """Return the SQL of an array, a set or a map of values."""
    x, item, order, limit = rows.x, rows.item, rows.order, rows.limit
    match rows.call.function:
        case "COLLECT":
            return f"coalesce((list({x} ORDER BY {order}) FILTER ({x} IS NOT NULL))[1:{limit}], [])"
        case "COLLECT_UNIQUE":
            values = f"list({item} ORDER BY {order}) FILTER ({x} IS NOT NULL)"
            # Inside a lambda DuckDB rejects an aggregate whose argument contains a lambda, as a quotient does.
            first = "list_filter(v, lambda y, i: list_position(v, y) = i)"
            return f"coalesce((list_transform([{values}], lambda v: {first})[1])[1:{limit}], [])"
        case "COLLECT_LIST":
            return f"coalesce((list({x} ORDER BY {order}))[1:{_MOST}], [])"
        case "COLLECT_SET":
            values = f"list({item} ORDER BY {order})"
            # list_position does not find nulls.
            is_new = "CASE WHEN y IS NULL THEN len(list_filter(v[1:i - 1], lambda z: z IS NULL)) = 0"
            first = f"list_filter(v, lambda y, i: {is_new} ELSE list_position(v, y) = i END)"
            return f"coalesce((list_transform([{values}], lambda v: {first})[1])[1:{_MOST}], [])"
        case "VALUES":
            by = _sort_terms(rows, 1)
            return f"coalesce(list({x} ORDER BY {', '.join((*by, order))}) FILTER ({x} IS NOT NULL), [])"
        case "HISTOGRAM":
            counts = f"histogram({x}) FILTER ({x} IS NOT NULL)"
            pair = "{'key': e.key, 'value': CAST(e.value AS BIGINT)}"
            return f"map_from_entries(coalesce(list_transform(map_entries({counts}), lambda e: {pair}), []))"
    return None


def _ranking(rows: _Rows) -> str | None:
    """Return the SQL of the highest or lowest values."""
    x, item, order, limit = rows.x, rows.item, rows.order, rows.limit
    match rows.call.function:
        case "MAXK" | "MAXK_UNIQUE" | "MINK" | "MINK_UNIQUE" as function:
            direction = "DESC" if function.startswith("MAX") else "ASC"
            if function.endswith("_UNIQUE") and limit > 1:
                values = f"list(DISTINCT {item} ORDER BY {item} {direction}) FILTER ({x} IS NOT NULL)"
            else:
                values = f"list({x} ORDER BY {x} {direction}{rows.tie}) FILTER ({x} IS NOT NULL)"
            return f"({values})[1]" if limit == 1 else f"coalesce(({values})[1:{limit}], [])"
        case "FIRST_ROWS":
            by = _sort_terms(rows, 2)
            first = f"(list({x} ORDER BY {', '.join((*by, order))}))"
            first += f"[1:{limit}]" if limit else ""
            return f"list_transform({first}, lambda y, i: {{'rank': CAST(i AS INTEGER), 'row': y}})"
        case "TOPK":
            return f"coalesce((list({x} ORDER BY {x} DESC{rows.tie}) FILTER ({x} IS NOT NULL))[1:{limit}], [])"
        case "TOPK_ROWS":
            value = f"({x}).sort_col"
            sorted_rows = f"list({x} ORDER BY {value} DESC, {order}) FILTER ({value} IS NOT NULL)"
            return f"coalesce(({sorted_rows})[1:{limit}], [])"
        case "TOPKDISTINCT":
            values = f"list(DISTINCT {item} ORDER BY {item} DESC) FILTER ({x} IS NOT NULL)"
            return f"coalesce(({values})[1:{limit}], [])"
    return None


def _sort_terms(rows: _Rows, position: int) -> list[str]:
    """Return the ORDER BY terms over `o0`, `o1`, ... of the argument.

    `position`: of the literal with the directions.
    """
    if len(rows.call.arguments) <= position:
        return []
    marks = str(getattr(rows.call.arguments[position], "value", "")).split(",")
    return [f"({rows.x}).o{i} {_DIRECTIONS[mark]}" for i, mark in enumerate(marks) if mark]


def _is_floating(type: DataType) -> bool:
    return type in (data.FLOAT, data.DOUBLE)


def _total(x: str, type: DataType) -> str:
    """Return the exact sum, as text if no DuckDB type can hold it."""
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
    """Return whether a sum of a type may overflow DuckDB's 128 bits."""
    return isinstance(type, Decimal) and type.precision > _SUMMED


def _keeps_nulls(call: Aggregation) -> bool:
    """Return whether nulls count as values, which the last argument determines."""
    return call.arguments[-1] == Literal(False, data.BOOLEAN)


def _limit(call: Aggregation) -> int:
    """Return the literal N of a function that keeps N values; 0 for other functions."""
    second = call.arguments[1] if len(call.arguments) > 1 else None
    value = second.value if isinstance(second, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
