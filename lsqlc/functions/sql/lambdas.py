"""Functions of arrays with lambdas, by Spark's names.

A lambda is the engine's own text, with the type of its result; an index in it counts from 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.results import always, first
from lsqlc.functions.signature import Function, Nulls, Parameter
from lsqlc.types.data import BOOLEAN, Array, DataType

_ARRAY, _LAMBDA = Parameter("array", "array"), Parameter("lambda", "lambda")


def _transformed(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[-1])


def _last(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[-1]


def _aggregate_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    array, start, step, *last = texts
    reduced = f"list_reduce({array}, {step}, cast({start} as {type_text('duckdb', types[1])}))"
    return f"case when {array} is not null then list_transform([{reduced}], {last[0]})[1] end" if last else reduced


def _tested(decisive: str, other: str) -> str:
    """Return the SQL for whether any element, or every element, satisfies a lambda; null if that depends on nulls."""
    tests = (
        f"case when list_contains(bs, {decisive}) then {decisive}"
        f" when list_count(bs) < len(bs) then null else {other} end"
    )
    return f"case when {{0}} is not null then list_transform([list_transform({{0}}, {{1}})], lambda bs: {tests})[1] end"


def zipped_duckdb(arrays: Sequence[str]) -> str:
    """Return an array of structs `0`, `1`, ... of the elements at each index, as long as the longest array."""
    fields = ", ".join(f"'{i}': ({array})[z]" for i, array in enumerate(arrays))
    sizes = ", ".join(f"len({array})" for array in arrays)
    condition = " and ".join(f"{array} is not null" for array in arrays)
    structs = f"list_transform(range(1, greatest({sizes}) + 1), lambda z: {{{fields}}})"
    return f"case when {condition} then {structs} end"


def zipped_spark(arrays: Sequence[str]) -> str:
    """Return the same for Spark."""
    fields = ", ".join(f"'{i}', get({array}, z)" for i, array in enumerate(arrays))
    sizes = ", ".join(f"size({array})" for array in arrays)
    longest = f"greatest({sizes})" if len(arrays) > 1 else sizes
    condition = " and ".join(f"{array} is not null" for array in arrays)
    # A sequence from 0 to -1 would count down.
    places = f"slice(sequence(0, {longest}), 1, {longest})"
    return f"case when {condition} then transform({places}, z -> named_struct({fields})) end"


LAMBDAS: tuple[Function, ...] = (
    Function("TRANSFORM", (_ARRAY, _LAMBDA), _transformed, "list_transform({0}, {1})", "transform({0}, {1})",
             "what the lambda `x -> ...`, or `(x, index) -> ...`, makes of each element", nulls=Nulls.MAY),
    Function("FILTER", (_ARRAY, _LAMBDA), first, "list_filter({0}, {1})", "filter({0}, {1})",
             "the elements for which the lambda `x -> ...`, or `(x, index) -> ...`, is true", nulls=Nulls.MAY),
    Function("EXISTS", (_ARRAY, _LAMBDA), always(BOOLEAN), _tested("true", "false"), "exists({0}, {1})",
             "whether the lambda is true of an element", nulls=Nulls.MAY),
    Function("FORALL", (_ARRAY, _LAMBDA), always(BOOLEAN), _tested("false", "true"), "forall({0}, {1})",
             "whether the lambda is true of all elements", nulls=Nulls.MAY),
    Function("AGGREGATE", (_ARRAY, Parameter("start", "any"), _LAMBDA, Parameter("last", "lambda", optional=True)),
             _last, _aggregate_duckdb, lambda texts, types: f"aggregate({', '.join(texts)})",
             "the last state: the lambda `(state, x) -> ...` makes the next of a state and an element; another one"
             " makes the result of it", aliases=("REDUCE",), nulls=Nulls.MAY),
    Function("ZIP_WITH", (_ARRAY, _ARRAY, _LAMBDA), _transformed,
             lambda texts, types: f"list_transform({zipped_duckdb(texts[:2])}, {texts[2]})",
             lambda texts, types: f"transform({zipped_spark(texts[:2])}, {texts[2]})",
             "what the lambda `(x, y) -> ...` makes of the elements of two arrays at each place", nulls=Nulls.MAY),
)  # fmt: skip
