"""Operands that the dialects share, as parts of their grammars: literals, parentheses, CASE, CAST, arrays, calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lsqlc.syntax import tree
from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.grammar import Operand, Reader
from lsqlc.types.data import DataType


def _constant(value: bool | None) -> Operand:
    def read(reader: Reader) -> tree.Expression:
        token = reader.cursor.advance()
        return tree.Literal(value, (token.start, token.end))

    return read


CONSTANTS: Mapping[str, Operand] = {"NULL": _constant(None), "TRUE": _constant(True), "FALSE": _constant(False)}


def string(reader: Reader) -> tree.Expression:
    """Read a string literal."""
    token = reader.cursor.advance()
    return tree.Literal(token.text, (token.start, token.end))


def parenthesised(reader: Reader) -> tree.Expression:
    """Read `(x)`, which is x itself."""
    cursor = reader.cursor
    start = cursor.advance().start
    reader.deeper((start, start + 1))
    inner = reader.operation()
    cursor.depth -= 1
    cursor.expect_mark(")", "the expression")
    reader.parentheses[inner.at] = reader.parentheses.get(inner.at, 0) + 1
    return inner


def case(reader: Reader) -> tree.Expression:
    """Read `CASE WHEN c THEN a ELSE b END` or `CASE x WHEN 1 THEN a END`."""
    cursor = reader.cursor
    start = cursor.advance().start
    reader.deeper((start, cursor.previous_end))
    operand = None if cursor.is_word("WHEN") else reader.operation()
    branches = []
    while cursor.take_words("WHEN"):
        condition = reader.operation()
        cursor.expect_words("THEN")
        branches.append((condition, reader.operation()))
    if not branches:
        cursor.unexpected("WHEN")
    otherwise = reader.operation() if cursor.take_words("ELSE") else None
    cursor.depth -= 1
    cursor.expect_words("END")
    return tree.Case(operand, tuple(branches), otherwise, cursor.extent(start))


def cast(type_of: Callable[[Cursor], DataType]) -> Operand:
    """Return the reader of `CAST(x AS type)`; without a parenthesis CAST is a name. `type_of` reads the type."""

    def read(reader: Reader) -> tree.Expression | None:
        cursor = reader.cursor
        start = cursor.token.start
        after = cursor.ahead(1)
        if after.text != "(" or after.kind != "mark":
            return None
        cursor.advance()
        cursor.advance()
        reader.deeper((start, cursor.previous_end))
        operand = reader.operation()
        cursor.depth -= 1
        cursor.expect_words("AS")
        type = type_of(cursor)
        cursor.expect_mark(")", "the type")
        return tree.Cast(operand, type, cursor.extent(start))

    return read


def array(reader: Reader, start: int) -> tree.Expression:
    """Read the elements up to `]`. `start`: the offset where the literal begins."""
    cursor = reader.cursor
    items = reader.items("]")
    cursor.expect_mark("]", "the elements of an array")
    return tree.ArrayLiteral(items, cursor.extent(start))


def index(reader: Reader, operand: tree.Expression, start: int) -> tree.Expression:
    """Read `operand[i]`."""
    cursor = reader.cursor
    mark = cursor.advance()
    reader.deeper((mark.start, mark.end))
    place = reader.operation()
    cursor.expect_mark("]", "an index")
    return tree.Index(operand, place, cursor.extent(start))


def call(
    reader: Reader,
    name: str,
    argument: Callable[[Reader], tree.Expression] | None = None,
    arguments: Callable[[Reader], tuple[tree.Expression, ...]] | None = None,
) -> tree.Call:
    """Read `name(a, b)` or `COUNT(*)`; the name and the parenthesis are next. `name`: the dialect's name of the
    function.

    `argument`: reads one argument; None: an expression. `arguments`: reads all of them, if they are not a list.
    """
    cursor = reader.cursor
    token = cursor.advance()
    cursor.advance()
    star = cursor.is_mark("*") and cursor.ahead(1).text == ")"
    if star:
        cursor.advance()
        parts: tuple[tree.Expression, ...] = ()
    else:
        parts = arguments(reader) if arguments else reader.items(")", argument)
    cursor.expect_mark(")", f"the arguments of {name}")
    return tree.Call(tree.Name(name, (token.start, token.end)), parts, star, cursor.extent(token.start))
