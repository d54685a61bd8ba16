"""How many parts an expression has where each use of a part counts.

An operand that its operator uses twice (that of BETWEEN, the subject of a CASE, a computed index of ksqlDB) is one
object in the plan, and two texts in the SQL. Where such operators nest, their parts double with every level: what is
written in a line would be more than any engine can read.
"""

from __future__ import annotations

from lsqlc.plan.expression import Expression, children

# So many parts an expression may have in any case, and so many for each character that it is written in.
MAX_PARTS = 100_000
PER_CHARACTER = 50

# By the identity of an expression: itself, so that it stays alive, and how many parts it has.
Sizes = dict[int, tuple[Expression, int]]


def size(expression: Expression, known: Sizes) -> int:
    """Return the parts of an expression; those of each of its parts are added to `known`."""
    pending = [expression]
    while pending:
        part = pending[-1]
        inner = children(part)
        missing = [each for each in inner if id(each) not in known]
        if missing:
            pending += missing
            continue
        pending.pop()
        known[id(part)] = part, 1 + sum(known[id(each)][1] for each in inner)
    return known[id(expression)][1]
