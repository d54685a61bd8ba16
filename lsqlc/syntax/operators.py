"""Operators that the dialects share, as parts of their grammars."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.grammar import Binary, Chain, Ended, Infix, Prefix, Reader

_SPELLING = {"!=": "<>"}


def logic(word: tree.LogicWord) -> Chain:
    """Return AND or OR, which joins any number of conditions at once."""

    def build(_: str, operands: Sequence[Ended], start: int, at: Extent) -> tree.Expression:
        return tree.Logic(word, tuple(operand for operand, _ in operands), (start, operands[-1][1]))

    return Chain(build)


def left_to_right(*marks: str) -> dict[str, Infix | Prefix]:
    """Return operators over two operands, which group from the left."""
    return dict.fromkeys(marks, Binary(_binary))


def _binary(mark: str, operands: Sequence[Ended], start: int, at: Extent) -> tree.Expression:
    (left, _), (right, end) = operands
    return tree.Binary(_SPELLING.get(mark, mark), left, right, (start, end))


def is_null(reader: Reader, left: tree.Expression, start: int, level: int) -> tree.Expression:
    """Read `IS NULL` or `IS NOT NULL`."""
    cursor = reader.cursor
    cursor.advance()
    negated = cursor.take_words("NOT")
    cursor.expect_words("NULL")
    return tree.IsNull(left, negated, cursor.extent(start))


def like(reader: Reader, left: tree.Expression, start: int, level: int) -> tree.Like:
    """Read `LIKE pattern`."""
    cursor = reader.cursor
    negated = cursor.take_words("NOT")
    cursor.advance()
    return tree.Like(left, reader.operation(level + 1), negated, cursor.extent(start))


def between(reader: Reader, left: tree.Expression, start: int, level: int) -> tree.Expression:
    """Read `BETWEEN low AND high`."""
    cursor = reader.cursor
    negated = cursor.take_words("NOT")
    cursor.advance()
    low = reader.operation(level + 1)
    cursor.expect_words("AND")
    return tree.Between(left, low, reader.operation(level + 1), negated, cursor.extent(start))


def within(reader: Reader, left: tree.Expression, start: int, level: int) -> tree.Expression:
    """Read `IN (a, b)`."""
    cursor = reader.cursor
    negated = cursor.take_words("NOT")
    cursor.advance()
    cursor.expect_mark("(", "IN")
    items = reader.items(")")
    if not items:
        cursor.unexpected("a value in the list of IN")
    cursor.expect_mark(")", "the list of IN")
    return tree.In(left, items, negated, cursor.extent(start))


def negation(reader: Reader, level: int) -> tree.Expression:
    """Read `NOT condition`."""
    cursor = reader.cursor
    start = cursor.advance().start
    reader.deeper(cursor.extent(start))
    operand = reader.operation(level + 1)
    cursor.depth -= 1
    return tree.Unary("NOT", operand, cursor.extent(start))


def minus(reader: Reader, level: int) -> tree.Expression:
    """Read `-x`; before a number it is the negative number."""
    cursor = reader.cursor
    start = cursor.advance().start
    reader.deeper((start, start + 1))
    operand = reader.operand(level)
    cursor.depth -= 1
    at = cursor.extent(start)
    if isinstance(operand, tree.Literal) and type(operand.value) in (int, float):
        assert isinstance(operand.value, int | float)
        return tree.Literal(-operand.value, at)
    return tree.Unary("-", operand, at)
