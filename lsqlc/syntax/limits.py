"""How much one expression may be: what walks it afterwards, here and in both engines, does so by recursion.

AND and OR join any number of conditions, since it makes no difference which are joined first. The other operators are
done from the left, one by one (a sum that overflows is null, whatever is taken away from it later), so that each is a
level of its own.
"""

from __future__ import annotations

from typing import NoReturn

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.syntax.walk import children

# How many operators other than AND and OR may follow each other without parentheses.
MAX_CHAIN = MAX_DEPTH - 1


def too_deep(cursor: Cursor, at: Extent, help: str) -> NoReturn:
    """Give up at what is nested too deeply."""
    cursor.fault("LSQ103", f"this expression has more than {MAX_DEPTH} levels", at, help=help)


def check_chain(cursor: Cursor, operators: int, word: str, help: str) -> None:
    """Give up at the next token, the operator `word`, where it is one too many in its chain."""
    if operators > MAX_CHAIN:
        token = cursor.token
        cursor.fault(
            "LSQ114",
            f"this chain of operators has more than {MAX_CHAIN + 1} operands",
            (token.start, token.end),
            notes=(f"'{word}' is evaluated from left to right, so that each operand is a separate level",),
            help=f"put groups of operands in parentheses, or {help}" if word in "+*" else help,
        )


def check_levels(cursor: Cursor, start: int, expression: tree.Expression, help: str) -> None:
    """Give up where an expression that was read from the token `start` on has more levels than MAX_DEPTH."""
    if cursor.at - start <= MAX_DEPTH:
        # An expression has no more levels than tokens.
        return
    pending = [(expression, 1)]
    while pending:
        part, level = pending.pop()
        if level > MAX_DEPTH:
            too_deep(cursor, part.at, help)
        # A long chain of conditions becomes a tree of such a height.
        own = (len(part.operands) - 1).bit_length() if isinstance(part, tree.Logic) else 1
        pending += [(child, level + own) for child in children(part)]
