"""Whether an expression of the syntax calls an aggregate function."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import pairwise

from lsqlc.functions import catalogue
from lsqlc.syntax import tree


def calls_aggregate(expression: tree.Expression) -> bool:
    """True if an aggregate is called anywhere in it. MIN and MAX of several values are scalars."""
    if isinstance(expression, tree.Hyphenated):
        tokens = expression.tokens
        return any(
            after.text == "(" and _is_aggregate(token.text) for token, after in pairwise(tokens) if token.kind == "name"
        )
    if isinstance(expression, tree.Call) and _is_aggregate(expression.name.text):
        return True
    return any(calls_aggregate(part) for part in _parts(expression))


def _is_aggregate(name: str) -> bool:
    return catalogue.aggregate(name) is not None and catalogue.scalar(name) is None


def _parts(expression: object) -> list[tree.Expression]:
    """Every expression right below this one, in tuples too."""
    found: list[tree.Expression] = []
    for field in fields(expression):  # type: ignore[arg-type]
        pending = [getattr(expression, field.name)]
        while pending:
            value = pending.pop()
            if isinstance(value, tuple):
                pending += value
            elif is_dataclass(value) and isinstance(value, tree.Expression):
                found.append(value)
    return found
