"""The number of parts in the SQL of an expression, where each use of a shared part counts.

An operand that its operator uses twice is one object in the plan, and two texts in the SQL: the operand of BETWEEN, the
subject of a CASE, a computed index of ksqlDB. If such operators are nested, the text doubles with every level and can
exceed the limits of an engine.
"""

from __future__ import annotations

from lsqlc.plan.expression import Expression, children

# The number of parts that is always allowed, and the number allowed per character of the program's text.
MAX_PARTS = 100_000
PER_CHARACTER = 50

# By identity of an expression: the expression, so that it stays alive, and its number of parts.
Sizes = dict[int, tuple[Expression, int]]


def size(expression: Expression, sizes: Sizes) -> int:
    """Return the number of parts of an expression. Adds the sizes of all its parts to `sizes`."""
    pending = [expression]
    while pending:
        part = pending[-1]
        inner = children(part)
        missing = [each for each in inner if id(each) not in sizes]
        if missing:
            pending += missing
            continue
        pending.pop()
        sizes[id(part)] = part, 1 + sum(sizes[id(each)][1] for each in inner)
    return sizes[id(expression)][1]
