"""Expressions of a plan: every name resolved, every conversion written out, every node with its type.

An expression speaks of the relations of the node that feeds it, by number (see `nodes.Relation`): no alias of the query
remains, so that renaming one changes no plan.
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
    """A constant: None, bool, int, float or str as Python has them."""

    value: bool | int | float | str | None
    type: DataType

    @property
    def nullable(self) -> bool:
        return self.value is None


class Field(msgspec.Struct, frozen=True):
    """What stands at `path` in a facet of relation number `relation`; the whole facet for an empty path."""

    relation: int
    facet: FacetName
    path: tuple[str, ...]
    type: DataType
    nullable: bool


class RecordTime(msgspec.Struct, frozen=True):
    """The record's own time: epoch milliseconds. Stands where one input feeds a node, which then tells whose."""

    type: DataType = data.BIGINT
    nullable: bool = False


class Operation(msgspec.Struct, frozen=True):
    """An operator: + - * / % = <> < <= > >= AND OR NOT, NEGATE (unary minus), LIKE, IN, IS NULL, IS NOT NULL.

    The operands are of one type where the operator wants that; IN has the tested value first. A third operand of LIKE
    is the literal of its escape character.
    """

    operator: str
    operands: tuple[Expression, ...]
    type: DataType
    nullable: bool


class Call(msgspec.Struct, frozen=True):
    """A scalar function of the catalogue, by its first name there."""

    function: str
    arguments: tuple[Expression, ...]
    type: DataType
    nullable: bool


class Cast(msgspec.Struct, frozen=True):
    """A conversion; a value that cannot be converted becomes null."""

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
    """The element at an index from 0; null where there is none."""

    array: Expression
    index: Expression
    type: DataType
    nullable: bool = True


class Member(msgspec.Struct, frozen=True):
    """A field of a struct that is itself computed."""

    operand: Expression
    name: str
    type: DataType
    nullable: bool


class StructOf(msgspec.Struct, frozen=True):
    """A struct made of named parts, in order."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]

    @property
    def type(self) -> Struct:
        return Struct(tuple(data.Field(n, v.type, v.nullable) for n, v in zip(self.names, self.values, strict=True)))

    @property
    def nullable(self) -> bool:
        return False


class Variable(msgspec.Struct, frozen=True):
    """A parameter of a lambda. Its name says how deep the lambda stands, so that no two in sight are called alike."""

    name: str
    type: DataType
    nullable: bool = True


class Lambda(msgspec.Struct, frozen=True):
    """A function of the elements of an array: an argument of a call, and nothing by itself."""

    parameters: tuple[Variable, ...]
    body: Expression

    @property
    def type(self) -> DataType:
        return self.body.type

    @property
    def nullable(self) -> bool:
        return self.body.nullable


class PythonCall(msgspec.Struct, frozen=True):
    """A function in Python of the project, over whole arrays of Arrow. `source`: the file that defines it, whole, so
    that another one is another plan. The arguments have the types of its parameters.
    """

    function: str
    source: str
    arguments: tuple[Expression, ...]
    type: DataType
    nullable: bool = True


class ServerCall(msgspec.Struct, frozen=True):
    """A function that the server knows by the name `registered`, such as one of a jar. `examples`: what it gives, each
    as the arguments and the result in JSON; where no server is, it is known of these arguments alone.
    """

    function: str
    registered: str
    arguments: tuple[Expression, ...]
    type: DataType
    examples: tuple[tuple[tuple[str, ...], str], ...]
    nullable: bool = True


class Aggregation(msgspec.Struct, frozen=True):
    """A call of an aggregate function; COUNT(*) has no argument. Stands in `nodes.Aggregate` only."""

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
# What engines and Python can take of expressions in expressions is some hundreds.
MAX_LEVELS = 100
# A tree of fewer conditions is no lower than their chain.
_ALWAYS_LOW = 4


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct parts, in order."""
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
    """Return the same expression over other parts, given in the order of `children`."""
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
    """Yield the expression and all its parts, from the outside in."""
    pending = [expression]
    while pending:
        part = pending.pop()
        yield part
        pending += reversed(children(part))


def rewrite(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` applied to every part, from the inside out."""
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
    """Return the parts of a condition that its top-level ANDs join."""
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
    """Return all parts joined by AND; None for no part."""
    return joined("AND", parts) if parts else None


def joined(operator: Choice["AND", "OR"], parts: Sequence[Expression]) -> Expression:
    """One condition or more, joined by AND or OR: two by two from the left, or where that would make more levels than
    MAX_LEVELS, a tree as low as can be, which means the same.
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
    """How many expressions stand one in another."""
    row, found = [expression], 0
    while row:
        found += 1
        row = [part for each in row for part in children(each)]
    return found


def shift(expression: Expression, by: int) -> Expression:
    """Return the expression over relations renumbered by `by`: how a join's right input comes to speak of its own."""

    def change(part: Expression) -> Expression:
        return replace(part, relation=part.relation + by) if isinstance(part, Field) else part

    return rewrite(expression, change)
