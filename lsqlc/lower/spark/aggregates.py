"""Aggregate functions as Spark SQL: over the records of a STREAM, and over the weighted changes of a TABLE."""

from __future__ import annotations

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.counts import counted, left_over
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.ranked_values import ranked
from lsqlc.lower.spark.sums import decimal_total, floating_total, is_split
from lsqlc.lower.spark.values_left import of_values, over_values
from lsqlc.lower.spark.versions import Version
from lsqlc.plan.expression import Aggregation, Expression, Literal
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, Map

# Sums of 64-bit integers use a wide type, so that a total that fits never depends on the order of the records.
_WIDE = "DECIMAL(20,0)"
# The maximum length of ksqlDB's lists.
_MOST = 1_000


def summed(call: Aggregation) -> str:
    """Return the argument of a sum whose SQL repeats it, as the column that `over_stream` reads; else an empty
    string.
    """
    if call.function not in ("SUM", "AVG") or not is_split(call.arguments[0].type):
        return ""
    return _as_summed(sql(call.arguments[0]), call.arguments[0].type)


def over_stream(call: Aggregation, column: str, server: Version, width: int = 1) -> str:
    """Return one expression over the records of a group.

    `_ord` is their ordinal, of `width` numbers. `column` has the result of `summed`.
    """
    if not call.arguments:
        return "count(*)"
    argument = column if summed(call) else sql(call.arguments[0])
    limit = _limit(call)
    present = f"FILTER (WHERE {argument} IS NOT NULL)"
    match call.function:
        case "COUNT":
            return f"count({argument})"
        case "SUM":
            return _narrow(_total(argument, call.arguments[0].type), call.type)
        case "AVG" if call.arguments[0].type == data.INT:
            return f"avg(CAST({argument} AS DOUBLE))"
        case "AVG":
            return f"try_divide(CAST({_total(argument, call.arguments[0].type)} AS DOUBLE), count({argument}))"
        case "FIRST":
            return f"min_by({argument}, _ord)"
        case "LAST":
            return f"max_by({argument}, _ord)"
        case "LAST_ROW":
            parts = ", ".join(f"{sql(part)} AS o{i}" for i, part in enumerate(call.arguments[1:]))
            last = f"max_by({argument}, struct({parts}, _ord AS arrival))"
            return f"{last} {present}" if call.arguments[0].nullable else last
        case "COLLECT":
            return f"coalesce({ranked(server, 'min_by', argument, '_ord', limit, present)}, array())"
        case "COLLECT_UNIQUE":
            return f"slice(array_distinct({_in_order(call, argument, present)}), 1, {limit})"
        case "COLLECT_SET":
            return f"slice(array_distinct({_in_order(call, argument)}), 1, {_MOST})"
        case "COLLECT_LIST":
            # A struct is never null, so that nulls are kept.
            first = ranked(server, "min_by", f"struct({argument} AS item)", "_ord", _MOST)
            return f"coalesce(transform({first}, e -> e.item), array())"
        case "VALUES":
            return _ordered(call, _in_order(call, argument, present))
        case "COUNT_DISTINCT":
            return f"CAST(size(collect_set({argument})) AS BIGINT)"
        case "SUM_DISTINCT" | "AVG_DISTINCT":
            return _narrow(of_values(call.function, f"collect_set({argument})", call.arguments[0].type), call.type)
        case "MAXK_UNIQUE" | "MINK_UNIQUE" if limit == 1:
            return f"{'max' if call.function == 'MAXK_UNIQUE' else 'min'}({argument})"
        case "MAXK_UNIQUE" | "MINK_UNIQUE" | "TOPKDISTINCT":
            ascending = "TRUE" if call.function == "MINK_UNIQUE" else "FALSE"
            return f"slice(sort_array(collect_set({argument}), {ascending}), 1, {limit})"
        case "MAXK" | "MINK":
            largest = call.function == "MAXK"
            if limit == 1:
                return f"{'max' if largest else 'min'}({argument})"
            values = ranked(server, "max_by" if largest else "min_by", argument, argument, limit, present)
            return f"coalesce({values}, array())"
        case "MIN" | "MAX":
            return f"{call.function.lower()}({argument})"
        case "TOPK":
            return f"coalesce({ranked(server, 'max_by', argument, argument, limit, present)}, array())"
        case "TOPK_ROWS":
            # For equal ones the first to arrive is first.
            since = "-_ord" if width == 1 else "transform(_ord, o -> -o)"
            order = f"struct(({argument}).sort_col AS a, {since} AS b)"
            condition = f"FILTER (WHERE ({argument}).sort_col IS NOT NULL)"
            return f"coalesce({ranked(server, 'max_by', argument, order, limit, condition)}, array())"
        case "EARLIEST_BY_OFFSET" | "LATEST_BY_OFFSET":
            earliest = call.function == "EARLIEST_BY_OFFSET"
            not_null = "" if _keeps_nulls(call) else present
            if not limit:
                one = f"{'min_by' if earliest else 'max_by'}({argument}, _ord)"
                return f"{one} {not_null}" if not_null else one
            values = ranked(
                server, "min_by" if earliest else "max_by", f"struct({argument} AS item)", "_ord", limit, not_null
            )
            values = values if earliest else f"reverse({values})"
            return f"coalesce(transform({values}, e -> e.item), array())"
        case "HISTOGRAM":
            return f"map_from_entries(sort_array({counted(server, argument, f'{argument} IS NOT NULL')}))"
    raise AssertionError(f"no Spark form of {call.function}")


def _in_order(call: Aggregation, argument: str, condition: str = "") -> str:
    """Return all values of a group by ordinal."""
    every = f"collect_list(struct(_ord AS ordinal, {argument} AS item)){' ' if condition else ''}{condition}"
    ordered = f"sort_array({every})"
    if any(isinstance(part, Map) for part in data.parts(call.arguments[0].type)):
        # Spark does not sort values with a map, which never decides here.
        order = "CASE WHEN a.ordinal < b.ordinal THEN -1 WHEN a.ordinal > b.ordinal THEN 1 ELSE 0 END"
        ordered = f"array_sort({every}, (a, b) -> {order})"
    return f"transform({ordered}, e -> e.item)"


def keeps_values(call: Aggregation) -> bool:
    """Return True if an aggregate over a STREAM needs all values of its groups."""
    return call.function in ("COLLECT_UNIQUE", "COLLECT_SET", "VALUES")


def takes_several(call: Aggregation) -> bool:
    """Return True if an aggregate over a STREAM keeps several values of its groups, with a limit in the program."""
    if call.function in ("MAXK", "MINK"):
        return _limit(call) > 1
    if call.function in ("EARLIEST_BY_OFFSET", "LATEST_BY_OFFSET"):
        return _limit(call) > 0
    return call.function in ("COLLECT", "COLLECT_LIST", "TOPK", "TOPK_ROWS", "HISTOGRAM")


def keeps_rows(call: Aggregation) -> bool:
    """Return True if an aggregate over a TABLE needs the individual rows of its groups."""
    return call.function in ("COLLECT", "COLLECT_LIST", "FIRST_ROWS", "VALUES")


def over_changes(call: Aggregation, argument: str, server: Version) -> str:
    """Return one expression over changes of `weight`, +1 for an inserted row and -1 for a deleted one.

    `argument` is its SQL, and `_row` identifies the row, if `keeps_rows` is True.
    """
    if not call.arguments:
        return "sum(weight)"
    present = f"sum(if({argument} IS NULL, 0L, weight))"
    type = call.arguments[0].type
    match call.function:
        case "COUNT":
            return present
        case "SUM":
            return f"if({present} = 0, NULL, {_narrow(_weighted(_as_summed(argument, type), type), call.type)})"
        case "AVG":
            return f"if({present} = 0, NULL, CAST({_weighted(_as_summed(argument, type), type)} AS DOUBLE) / {present})"
        case "COLLECT":
            return f"slice({_live_values(argument, 'e.item IS NOT NULL AND ')}, 1, {_limit(call)})"
        case "COLLECT_LIST":
            return f"slice({_live_values(argument)}, 1, {_MOST})"
        case "VALUES":
            return _ordered(call, _live_values(argument, "e.item IS NOT NULL AND "))
        case "FIRST_ROWS":
            comparison = _in_order_of(call.arguments[2])
            first = f"array_sort({_live_values(argument)}, {comparison})" if comparison else _live_values(argument)
            first = f"slice({first}, 1, {_limit(call)})" if _limit(call) else first
            return f"transform({first}, (e, i) -> struct(i + 1 AS rank, e AS row))"
        case "HISTOGRAM":
            came, went = (
                counted(server, argument, f"{argument} IS NOT NULL AND weight {sign} 0") for sign in (">", "<")
            )
            return f"map_from_entries({left_over(came, went)})"
        case "SUM_DISTINCT":
            return _narrow(over_values(call, argument, server), call.type)
        case "MIN" | "MAX" | "COUNT_DISTINCT" | "AVG_DISTINCT":
            return over_values(call, argument, server)
    raise AssertionError(f"{call.function} has no form over changes")


def _live_values(argument: str, condition: str = "") -> str:
    """Return the values of the rows of the group, in order of the identities of the rows.

    These are the rows without a deletion after their insertion.
    """
    changes = f"sort_array(collect_list(struct(_row, _ord, weight, {argument} AS item)))"
    last = "NOT coalesce(get(changes, i + 1)._row <=> e._row, FALSE)"
    # Named by an array of one, so that it is sorted once and not for each element.
    live = (
        f"get(transform(array({changes}), changes -> filter(changes, (e, i) -> e.weight > 0 AND {condition}{last})), 0)"
    )
    return f"transform({live}, e -> e.item)"


def _ordered(call: Aggregation, values: str) -> str:
    """Return the rows of VALUES in the order of its second argument, if it has one."""
    return f"array_sort({values}, {_in_order_of(call.arguments[1])})" if len(call.arguments) > 1 else values


def _in_order_of(order: Expression) -> str | None:
    """Return the comparison of two rows: a literal has the order of each of their fields `o0`, `o1`, ....

    None: they have only the order of their keys.
    """
    assert isinstance(order, Literal)
    if not order.value:
        return None
    cases = []
    for number, words in enumerate(str(order.value).split(",")):
        less = 1 if words.startswith("DESC") else -1
        null = -1 if words.endswith("FIRST") else 1
        a, b = f"a.o{number}", f"b.o{number}"
        cases += [
            f"WHEN {a} IS NULL AND {b} IS NOT NULL THEN {null} WHEN {a} IS NOT NULL AND {b} IS NULL THEN {-null}",
            f"WHEN {a} < {b} THEN {less} WHEN {a} > {b} THEN {-less}",
        ]
    return f"(a, b) -> CASE {' '.join(cases)} ELSE 0 END"


def _total(argument: str, type: DataType) -> str:
    """Return the sum of the values of a group that are not null."""
    if isinstance(type, Decimal) and is_split(type):
        return decimal_total(argument, type)
    if not is_split(type):
        return f"sum({_wide(argument, type)})"
    odd = f"sum(if({_is_odd(argument)}, {argument}, 0D))"
    return f"if(count({argument}) = 0, NULL, if({odd} <> 0D, {odd}, {floating_total(argument, type)}))"


def _weighted(argument: str, type: DataType) -> str:
    """Return the sum of the current values. NaN and infinities are counted apart, since they cannot be subtracted
    again.
    """
    if isinstance(type, Decimal) and is_split(type):
        return decimal_total(argument, type, "weight")
    if not is_split(type):
        return f"sum({_wide(argument, type)} * weight)"

    def number_of(condition: str) -> str:
        return f"sum(if({condition}, weight, 0L))"

    nans, plus, minus = (
        number_of(c)
        for c in (f"isnan({argument})", f"{argument} = double('Infinity')", f"{argument} = double('-Infinity')")
    )
    return (
        f"CASE WHEN {nans} > 0 OR ({plus} > 0 AND {minus} > 0) THEN double('NaN') "
        f"WHEN {plus} > 0 THEN double('Infinity') WHEN {minus} > 0 THEN double('-Infinity') "
        f"ELSE {floating_total(argument, type, 'weight')} END"
    )


def _is_odd(argument: str) -> str:
    return f"isnan({argument}) OR abs({argument}) = double('Infinity')"


def _as_summed(argument: str, type: DataType) -> str:
    return f"CAST({argument} AS DOUBLE)" if type == data.FLOAT else argument


def _wide(argument: str, type: DataType) -> str:
    if type == data.INT:
        return f"CAST({argument} AS BIGINT)"
    return f"CAST({argument} AS {_WIDE})" if type == data.BIGINT else argument


def _narrow(total: str, type: DataType) -> str:
    """Return the total as the function's type; null if it does not fit."""
    return (
        f"try_cast({total} AS {type_text('spark', type)})"
        if type == data.BIGINT or isinstance(type, Decimal)
        else total
    )


def _keeps_nulls(call: Aggregation) -> bool:
    """Return True if a null counts as a value, by the last argument."""
    return call.arguments[-1] == Literal(False, data.BOOLEAN)


def _limit(call: Aggregation) -> int:
    """Return the literal N of a function that keeps N values; 0 for the others."""
    second = call.arguments[1] if len(call.arguments) > 1 else None
    value = second.value if isinstance(second, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
