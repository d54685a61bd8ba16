"""Expressions of a plan: names are resolved, conversions are explicit, every node has its type.

An expression refers to the relations of its node's input by number (see `nodes.Relation`). It contains no alias, so
that renaming one does not change the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import is_
from typing import Literal as Choice

import msgspec
from msgspec.structs import replace

from lsqlc.types import data
from lsqlc.types.data import DataType, Struct

FacetName = Choice["key", "value"]


class Literal(msgspec.Struct, frozen=True):
    """A constant: None, or a Python bool, int, float or str."""

    value: bool | int | float | str | None
    type: DataType

    @property
    def nullable(self) -> bool:
        return self.value is None


class Field(msgspec.Struct, frozen=True):
    """The value at `path` in a facet of relation number `relation`; the whole facet for an empty path."""

    relation: int
    facet: FacetName
    path: tuple[str, ...]
    type: DataType
    nullable: bool


class RecordTime(msgspec.Struct, frozen=True):
    """The time of a record, in epoch milliseconds. Only valid in a node with one input."""

    type: DataType = data.BIGINT
    nullable: bool = False


class Operation(msgspec.Struct, frozen=True):
    """An operator: + - * / % = <> < <= > >= AND OR NOT, NEGATE (unary minus), LIKE, IN, IS NULL, IS NOT NULL.

    Operands have one common type if the operator requires it. The first operand of IN is the tested value. The third
    operand of LIKE is the literal of its escape character.
    """

    operator: str
    operands: tuple[Expression, ...]
    type: DataType
    nullable: bool


class Call(msgspec.Struct, frozen=True):
    """A scalar function of the catalogue, by its primary name."""

    function: str
    arguments: tuple[Expression, ...]
    type: DataType
    nullable: bool


class Cast(msgspec.Struct, frozen=True):
    """A conversion. A value that cannot be converted becomes null."""

    operand: Expression
    type: DataType
    nullable: bool


class Case(msgspec.Struct, frozen=True):
    """The result of the first branch whose condition is true."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression
    type: DataType

    @property
    def nullable(self) -> bool:
        return self.otherwise.nullable or any(result.nullable for _, result in self.branches)


class ArrayOf(msgspec.Struct, frozen=True):
    items: tuple[Expression, ...]
    type: DataType
    nullable: bool = False


class ElementAt(msgspec.Struct, frozen=True):
    """The element at an index from 0; null if it does not exist."""

    array: Expression
    index: Expression
    type: DataType
    nullable: bool = True


class Member(msgspec.Struct, frozen=True):
    """A field of a computed struct."""

    operand: Expression
    name: str
    type: DataType
    nullable: bool


class StructOf(msgspec.Struct, frozen=True):
    """A struct of named values, in order."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]

    @property
    def type(self) -> Struct:
        return Struct(tuple(data.Field(n, v.type, v.nullable) for n, v in zip(self.names, self.values, strict=True)))

    @property
    def nullable(self) -> bool:
        return False


class Variable(msgspec.Struct, frozen=True):
    """A parameter of a lambda.

    The name contains the depth of the lambda, so that nested parameters have different names.
    """

    name: str
    type: DataType
    nullable: bool = True


class Lambda(msgspec.Struct, frozen=True):
    """A function of array elements. Only valid as an argument of a call."""

    parameters: tuple[Variable, ...]
    body: Expression

    @property
    def type(self) -> DataType:
        return self.body.type

    @property
    def nullable(self) -> bool:
        return self.body.nullable


class PythonCall(msgspec.Struct, frozen=True):
    """A Python function of the project, over Arrow arrays.

    `source`: the whole file that defines it, so that an edit changes the plan. The arguments have the types of its
    parameters.
    """

    function: str
    source: str
    arguments: tuple[Expression, ...]
    type: DataType
    nullable: bool = True


class ServerCall(msgspec.Struct, frozen=True):
    """A function that the server registers under `registered`, for example from a jar.

    `examples`: arguments and results in JSON. Without a server, only these results are available.
    """

    function: str
    registered: str
    arguments: tuple[Expression, ...]
    type: DataType
    examples: tuple[tuple[tuple[str, ...], str], ...]
    nullable: bool = True


class Aggregation(msgspec.Struct, frozen=True):
    """A call of an aggregate function; COUNT(*) has no argument. Only valid in `nodes.Aggregate`."""

    function: str
    arguments: tuple[Expression, ...]
    type: DataType
    nullable: bool


Expression = (
    Literal
    | Field
    | RecordTime
    | Operation
    | Call
    | Cast
    | Case
    | ArrayOf
    | ElementAt
    | Member
    | StructOf
    | Variable
    | Lambda
    | PythonCall
    | ServerCall
)

TRUE = Literal(True, data.BOOLEAN)
# Engines and Python support some hundred levels of nested expressions.
MAX_LEVELS = 100
# A balanced tree of fewer conditions is not lower than a chain.
_ALWAYS_LOW = 4


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct operands of an expression, in order."""
    match expression:
        case Operation(operands=parts) | Call(arguments=parts) | ArrayOf(items=parts) | StructOf(values=parts):
            return parts
        case PythonCall(arguments=parts) | ServerCall(arguments=parts):
            return parts
        case Cast(operand=part) | Member(operand=part) | Lambda(body=part):
            return (part,)
        case ElementAt(array=array, index=index):
            return (array, index)
        case Case(branches=branches, otherwise=otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case _:
            return ()


def with_children(expression: Expression, parts: tuple[Expression, ...]) -> Expression:
    """Return the expression with other operands, in the order of `children`."""
    match expression:
        case Operation():
            return replace(expression, operands=parts)
        case Call() | PythonCall() | ServerCall():
            return replace(expression, arguments=parts)
        case ArrayOf():
            return replace(expression, items=parts)
        case StructOf():
            return replace(expression, values=parts)
        case Cast() | Member():
            return replace(expression, operand=parts[0])
        case Lambda():
            return replace(expression, body=parts[0])
        case ElementAt():
            return replace(expression, array=parts[0], index=parts[1])
        case Case():
            pairs = tuple(zip(parts[:-1:2], parts[1:-1:2], strict=True))
            return replace(expression, branches=pairs, otherwise=parts[-1])
        case _:
            return expression


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all its parts, outermost first."""
    pending = [expression]
    while pending:
        part = pending.pop()
        yield part
        pending += reversed(children(part))


def rewrite(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` applied to every part, innermost first."""
    parts = children(expression)
    if not parts:
        return change(expression)
    changed = tuple([rewrite(part, change) for part in parts])
    return change(expression if all(map(is_, changed, parts)) else with_children(expression, changed))


def relations_of(expression: Expression) -> frozenset[int]:
    """Return the numbers of the relations that the expression reads."""
    return frozenset(part.relation for part in walk(expression) if isinstance(part, Field))


def reads_value(expression: Expression) -> bool:
    """Return whether the expression reads the value of a record, or a part of it."""
    return any(isinstance(part, Field) and part.facet == "value" for part in walk(expression))


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """Return the conditions that top-level ANDs combine."""
    parts: list[Expression] = []
    pending = [condition]
    while pending:
        part = pending.pop()
        if isinstance(part, Operation) and part.operator == "AND":
            pending += reversed(part.operands)
        else:
            parts.append(part)
    return tuple(parts)


def conjunction(parts: tuple[Expression, ...]) -> Expression | None:
    """Combine conditions by AND; None without conditions."""
    return joined("AND", parts) if parts else None


def joined(operator: Choice["AND", "OR"], parts: Sequence[Expression]) -> Expression:
    """Combine one or more conditions by AND or OR.

    The result is a chain, or an equivalent balanced tree if the chain would have more than MAX_LEVELS levels.
    """

    def of_two(left: Expression, right: Expression) -> Expression:
        return Operation(operator, (left, right), data.BOOLEAN, left.nullable or right.nullable)

    if len(parts) < _ALWAYS_LOW or len(parts) + max(map(levels, parts)) <= MAX_LEVELS:
        return reduce(of_two, parts)
    row = list(parts)
    while len(row) > 1:
        last = [row[-1]] if len(row) % 2 else []
        row = [*map(of_two, row[::2], row[1::2]), *last]
    return row[0]


def levels(expression: Expression) -> int:
    """Return the number of nested levels."""
    row, count = [expression], 0
    while row:
        count += 1
        row = [part for each in row for part in children(each)]
    return count


def shift(expression: Expression, by: int) -> Expression:
    """Renumber the relations of an expression by `by`, for example between a join and its right input."""

    def change(part: Expression) -> Expression:
        return replace(part, relation=part.relation + by) if isinstance(part, Field) else part

    return rewrite(expression, change)
