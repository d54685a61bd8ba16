"""Conditions that AND joins, taken apart and put together."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts


def conjuncts(condition: tree.Expression | None) -> tuple[tree.Expression, ...]:
    """The conditions that AND joins; none for None."""
    found: list[tree.Expression] = []
    pending = [condition] if condition is not None else []
    while pending:
        part = pending.pop()
        if isinstance(part, tree.Logic) and part.operator == "AND":
            pending += reversed(part.operands)
        else:
            found.append(part)
    return tuple(found)


def shared(condition: tree.Expression | None) -> tuple[tree.Expression, ...]:
    """The conditions that AND joins, those that each side of an OR has among them: (a AND b) OR (a AND c) has a."""
    found: list[tree.Expression] = []
    for part in conjuncts(condition):
        if not isinstance(part, tree.Logic) or part.operator != "OR":
            found.append(part)
            continue
        sides = [conjuncts(side) for side in part.operands]
        common = [p for p in sides[0] if all(any(same_parts(p, q) for q in side) for side in sides[1:])]
        rest = [conjunction([p for p in side if not any(same_parts(p, c) for c in common)]) for side in sides]
        found += common
        operands = tuple(side for side in rest if side is not None)
        # A side that has nothing else is true with what is common.
        found += [structs.replace(part, operands=operands)] if len(operands) == len(sides) else []
    return tuple(found)


def conjunction(parts: Sequence[tree.Expression]) -> tree.Expression | None:
    """All of some conditions; None for none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return tree.Logic("AND", tuple(parts), (min(p.at[0] for p in parts), max(p.at[1] for p in parts)))
