"""Conditions joined by AND: split and joined."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts


def conjuncts(condition: tree.Expression | None) -> tuple[tree.Expression, ...]:
    """Return the conditions that AND joins; empty for None."""
    conditions: list[tree.Expression] = []
    pending = [condition] if condition is not None else []
    while pending:
        part = pending.pop()
        if isinstance(part, tree.Logic) and part.operator == "AND":
            pending += reversed(part.operands)
        else:
            conditions.append(part)
    return tuple(conditions)


def shared(condition: tree.Expression | None) -> tuple[tree.Expression, ...]:
    """Return the conditions that AND joins, and the common ones of each side of an OR: (a AND b) OR (a AND c) has a."""
    conditions: list[tree.Expression] = []
    for part in conjuncts(condition):
        if not isinstance(part, tree.Logic) or part.operator != "OR":
            conditions.append(part)
            continue
        sides = [conjuncts(side) for side in part.operands]
        common = [p for p in sides[0] if all(any(same_parts(p, q) for q in side) for side in sides[1:])]
        rest = [conjunction([p for p in side if not any(same_parts(p, c) for c in common)]) for side in sides]
        conditions += common
        operands = tuple(side for side in rest if side is not None)
        # A side without other conditions is true if the common ones are.
        conditions += [structs.replace(part, operands=operands)] if len(operands) == len(sides) else []
    return tuple(conditions)


def conjunction(parts: Sequence[tree.Expression]) -> tree.Expression | None:
    """Return the conjunction of conditions; None for no condition."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return tree.Logic("AND", tuple(parts), (min(p.at[0] for p in parts), max(p.at[1] for p in parts)))
