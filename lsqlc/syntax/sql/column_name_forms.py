"""Spark's names of calls with OVER, and of functions with words between their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sqlglot import exp

from lsqlc.types.day_times import time_number, time_text

# Pieces of a name, and the function that returns the pieces of a node.
Pieces = Iterator[str | tuple[str, ...]]
Of = Callable[[exp.Expr], Pieces]
# PARTITION BY, ORDER BY and the frame of a call with OVER, in the call or in WINDOW.
Definition = Callable[[exp.Window], tuple[list[exp.Expr], list[exp.Expr], exp.Expr | None]]

_RANKS: dict[type[exp.Expr], str] = {
    exp.RowNumber: "row_number()", exp.Rank: "RANK()", exp.DenseRank: "DENSE_RANK()", exp.PercentRank: "PERCENT_RANK()",
}  # fmt: skip
_UP_TO_ROW = "UNBOUNDED PRECEDING AND CURRENT ROW"
_DATE, _TIME = re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"(\d{4}-\d\d-\d\d)([ T]\d\d:\d\d:\d\d)?")
# Doubles of this size have no exponent.
_SMALL, _LARGE = 1e-3, 1e7


class Unnamed(Exception):
    """An expression whose name in Spark is unknown."""


def is_interval(node: exp.Expr) -> bool:
    """Return whether an expression is an interval in the text."""
    if isinstance(node, (exp.Paren, exp.Neg)):
        return is_interval(node.this)
    if isinstance(node, (exp.Add, exp.Sub)):
        return is_interval(node.this) and is_interval(node.expression)
    return isinstance(node, exp.Interval)


def over(node: exp.Window, of: Of, definition: Definition) -> Pieces:
    """Yield the name of a call with OVER, which always has a frame.

    Raises Unnamed.
    """
    call, ignores = node.this, False
    while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
        ignores, call = isinstance(call, exp.IgnoreNulls), call.this
    partition, order, spec = definition(node)
    offset = None
    if type(call) in _RANKS:
        yield _RANKS[type(call)]
    elif isinstance(call, exp.CumeDist):
        yield "cume_dist()"
    elif isinstance(call, exp.Ntile):
        yield from ("ntile(", *of(call.this), ")")
    elif isinstance(call, exp.NthValue):
        yield from ("nth_value(", *of(call.this), ", ", *of(call.args["offset"]), ")", " ignore nulls" * ignores)
    elif isinstance(call, (exp.Lag, exp.Lead)):
        word = "lag" if isinstance(call, exp.Lag) else "lead"
        offset = call.args.get("offset") or exp.Literal.number(1)
        default = call.args.get("default") or exp.Null()
        yield from (f"{word}(", *of(call.this), ", ", *of(offset), ", ", *of(default), ")")
    else:
        yield from of(node.this)
    yield " OVER ("
    if partition:
        yield from ("PARTITION BY ", *_commas(partition, of), " ")
    if order:
        yield from ("ORDER BY ", *ordered(order, of), " ")
    yield from (_frame(spec, of) if spec is not None else _default(call, offset, of, is_ordered=bool(order)))
    yield ")"


def _default(call: exp.Expr, offset: exp.Expr | None, of: Of, *, is_ordered: bool) -> Pieces:
    """Yield the frame of a call that has none in the text."""
    if offset is not None:
        number = tuple(of(offset))
        minus = ("-", *number) if isinstance(call, exp.Lag) else number
        if minus[:1] == ("-",) and isinstance(offset, exp.Neg):
            raise Unnamed
        yield from ("ROWS BETWEEN ", *minus, " FOLLOWING AND ", *minus, " FOLLOWING")
    elif type(call) in _RANKS or isinstance(call, exp.Ntile):
        yield f"ROWS BETWEEN {_UP_TO_ROW}"
    elif is_ordered:
        yield f"RANGE BETWEEN {_UP_TO_ROW}"
    else:
        yield "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def _frame(spec: exp.Expr, of: Of) -> Pieces:
    yield f"{str(spec.args['kind']).upper()} BETWEEN "
    yield from _bound(spec.args.get("start"), spec.args.get("start_side"), of)
    yield " AND "
    yield from _bound(spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"), of)


def _bound(value: object, side: object, of: Of) -> Pieces:
    if value == "CURRENT ROW":
        yield "CURRENT ROW"
    elif value == "UNBOUNDED":
        yield f"UNBOUNDED {str(side).upper()}"
    elif isinstance(value, exp.Literal) and not value.is_string and str(value.this).isdigit():
        yield from (*of(value), f" {str(side).upper()}")
    else:
        raise Unnamed


def ordered(keys: Sequence[exp.Expr], of: Of) -> Pieces:
    """Yield the keys of an order, with all words."""
    for i, key in enumerate(keys):
        descending, first = bool(key.args.get("desc")), bool(key.args.get("nulls_first"))
        words = f" {'DESC' if descending else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"
        yield from (", " * (i > 0), *of(key.this), words)


def within_group(node: exp.WithinGroup, of: Of) -> Pieces:
    """Yield `LISTAGG(x) WITHIN GROUP (ORDER BY y)`.

    Raises Unnamed.
    """
    name = tuple(of(node.this))
    order = tuple(ordered(node.expression.expressions, of))
    if str(name[0]).startswith("percentile_") and len(node.expression.expressions) == 1:
        key = node.expression.expressions[0]
        order = (*of(key.this), " DESC" * bool(key.args.get("desc")))
    elif str(name[0]).startswith("mode("):
        # Spark's name has the opposite of the order in the text.
        key = node.expression.expressions[0]
        order = (*of(key.this), " DESC" * (not key.args.get("desc")))
    yield from (*name, " WITHIN GROUP (ORDER BY ", *order, ")")


def trimmed(node: exp.Trim, word: str, of: Of) -> Pieces:
    """Yield TRIM and similar functions, with words or with two arguments."""
    position, cut = str(node.args.get("position") or "BOTH"), node.expression
    if cut is not None:
        yield from (f"TRIM({position} ", *of(cut), " FROM ", *of(node.this), ")")
        return
    function = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, word)
    yield from (f"{function}(", *of(node.this), ")")


def typed_literal(text: str, type: str) -> str:
    """Return `DATE '2024-01-05'`, as Spark prints the value.

    Raises Unnamed.
    """
    if type == "DATE" and _DATE.fullmatch(text):
        return f"DATE '{text}'"
    if type == "TIMESTAMP" and (parts := _TIME.fullmatch(text)) is not None:
        return f"TIMESTAMP '{parts[1]} {(parts[2] or ' 00:00:00')[1:]}'"
    if type == "TIME" and (number := time_number(text)) is not None:
        return f"TIME '{time_text(number)}'"
    raise Unnamed


def double(value: float) -> str:
    """Return a double in Spark's form, which has an exponent if it is small or large."""
    if value == 0 or _SMALL <= abs(value) < _LARGE:
        return str(value)
    shortest = next(text for n in range(17) if float(text := f"{value:.{n}e}") == value)
    digits, _, exponent = shortest.partition("e")
    return f"{digits if '.' in digits else f'{digits}.0'}E{int(exponent)}"


def _commas(nodes: Sequence[exp.Expr], of: Of) -> Pieces:
    for i, node in enumerate(nodes):
        yield from (", " * (i > 0), *of(node))
