"""The size limits of one expression, because functions over it are recursive, here and in both engines.

AND and OR join any number of conditions, because they are associative. The other operators are evaluated from the left,
one by one: a sum that overflows is null, whatever is subtracted from it later. So each of them is a level.
"""

from __future__ import annotations

from typing import NoReturn

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.cursor import MAX_DEPTH, Cursor
from lsqlc.syntax.walk import children

# The maximum number of operators other than AND and OR in a sequence without parentheses.
MAX_CHAIN = MAX_DEPTH - 1


def too_deep(cursor: Cursor, at: Extent, help: str) -> NoReturn:
    """Raise a fault for too deep nesting."""
    cursor.fault("LSQ103", f"this expression has more than {MAX_DEPTH} levels", at, help=help)


def check_chain(cursor: Cursor, operators: int, word: str, help: str) -> None:
    """Raise a fault at the next token, the operator `word`, if its sequence is too long."""
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
    """Raise a fault if an expression that begins at the token `start` has more levels than MAX_DEPTH."""
    if cursor.at - start <= MAX_DEPTH:
        # An expression has at most as many levels as tokens.
        return
    pending = [(expression, 1)]
    while pending:
        part, level = pending.pop()
        if level > MAX_DEPTH:
            too_deep(cursor, part.at, help)
        # A long sequence of conditions becomes a tree of this height.
        own = (len(part.operands) - 1).bit_length() if isinstance(part, tree.Logic) else 1
        pending += [(child, level + own) for child in children(part)]
