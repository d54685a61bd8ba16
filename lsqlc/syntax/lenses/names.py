"""What projections are called, and how hyphens are read where no schema is known."""

from __future__ import annotations

from lsqlc.syntax import tree
from lsqlc.syntax.lenses.expressions import as_written
from lsqlc.syntax.lenses.printer import text_of


def read(expression: tree.Expression, program: tree.Program) -> tree.Expression:
    """The expression, hyphens between words taken as parts of names; unread where it is too deep."""
    if not isinstance(expression, tree.Hyphenated):
        return expression
    resolved = as_written(expression, program.source)
    return resolved[0] if resolved else expression


def own_name(expression: tree.Expression) -> str:
    """The name of a projection without alias."""
    match expression:
        case tree.Reference(parts):
            return parts[-1]
        case tree.Member(_, field):
            return field.text
        case _:
            return text_of(expression)
