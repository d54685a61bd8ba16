"""Names of projections, and the meaning of hyphens without a schema."""

from __future__ import annotations

from lsqlc.syntax import tree
from lsqlc.syntax.lenses.expressions import as_written
from lsqlc.syntax.lenses.printer import text_of


def read(expression: tree.Expression, program: tree.Program) -> tree.Expression:
    """Return the expression with hyphens between words as parts of names; unchanged if it is too deep."""
    if not isinstance(expression, tree.Hyphenated):
        return expression
    resolved = as_written(expression, program.source)
    return resolved[0] if resolved else expression


def own_name(expression: tree.Expression) -> str:
    """Return the name of a projection without alias."""
    match expression:
        case tree.Reference(parts):
            return parts[-1]
        case tree.Member(_, field):
            return field.text
        case _:
            return text_of(expression)
