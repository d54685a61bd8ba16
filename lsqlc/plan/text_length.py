"""How long the SQL text of an expression may be, on either engine."""

from __future__ import annotations

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan.expression import Expression
from lsqlc.plan.sizes import size

# So many characters in any case, and so many for each part of the expression.
MAX_LENGTH = 1_000_000
PER_PART = 5_000


def bounded(expression: Expression, text: str) -> str:
    """Return the text of an expression.

    Raises LsqlcError where forms that write an argument more than once, nested in each other, have made it longer than
    anything that the expression says.
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
