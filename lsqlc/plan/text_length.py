"""The limit for the SQL text of an expression, on either engine."""

from __future__ import annotations

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan.expression import Expression
from lsqlc.plan.sizes import size

# The length that is always allowed, and the length allowed per part of the expression.
MAX_LENGTH = 1_000_000
PER_PART = 5_000


def bounded(expression: Expression, text: str) -> str:
    """Return the text of an expression.

    Raises LsqlcError if the text is too long, because nested functions repeat their arguments.
    """
    if len(text) <= MAX_LENGTH or len(text) <= PER_PART * size(expression, {}):
        return text
    message = f"an expression of {size(expression, {})} parts would be more than {len(text):,} characters of SQL"
    raise LsqlcError(
        [
            Diagnostic(
                "LSQ115",
                message,
                notes=("some functions use an argument more than once, with everything in it",),
                help="compute the argument in a separate statement before this one",
            )
        ]
    )
