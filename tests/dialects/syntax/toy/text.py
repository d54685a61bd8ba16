"""Programs of the toy language as text."""

from __future__ import annotations

from lsqlc.syntax import tree
from lsqlc.syntax.formatting.align import same_comments
from tests.dialects.syntax.toy.parser import parse
from tests.dialects.syntax.toy.tree import Column, Program


def text_of(expression: tree.Expression) -> str:
    """An expression on one line."""
    match expression:
        case tree.Literal(value):
            return str(value)
        case tree.Reference(parts):
            return parts[0]
        case tree.Binary(operator, left, right):
            tight = operator == "*"
            return f"{_side(left, tight, tight)} {operator} {_side(right, True, tight)}"
        case tree.Call(name, arguments, star):
            return f"{name.text.lower()}({'*' if star else ', '.join(map(text_of, arguments))})"
    raise AssertionError(f"{type(expression).__name__} is not of the toy language")


def _side(expression: tree.Expression, adds: bool, multiplies: bool) -> str:
    """An operand, in parentheses if it is a sum or a product that needs them there."""
    if not isinstance(expression, tree.Binary):
        return text_of(expression)
    needs = multiplies if expression.operator == "*" else adds
    return f"({text_of(expression)})" if needs else text_of(expression)


def program_text(program: Program) -> str:
    """A column on each line."""
    return f"{program.topic.text} | keep\n  " + ",\n  ".join(map(_column, program.columns)) + "\n"


def is_same(before: Program, text: str) -> bool:
    """Whether a text is the same program with the same comments."""
    after = parse(text, before.source.path).program
    same = after is not None and program_text(before) == program_text(after)
    return same and same_comments(before.source, after.source, "toy") if after else False


def _column(column: Column) -> str:
    text = text_of(column.expression)
    return text if isinstance(column.expression, tree.Reference) else f"{text} as {column.name.text}"
