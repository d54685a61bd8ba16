"""Conditions that AND joins, taken apart and put together."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.syntax import tree


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


def conjunction(parts: Sequence[tree.Expression]) -> tree.Expression | None:
    """All of some conditions; None for none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return tree.Logic("AND", tuple(parts), (min(p.at[0] for p in parts), max(p.at[1] for p in parts)))
