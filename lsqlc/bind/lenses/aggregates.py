"""Whether an expression of the syntax calls an aggregate function."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

from lsqlc.functions import catalogue
from lsqlc.syntax import tree
from lsqlc.types.frozen import field_names

# The kinds of expression, and the fields of each.
_FIELDS = {kind: field_names(kind) for kind in get_args(tree.Expression)}


def calls_aggregate(expression: tree.Expression) -> bool:
    """Return whether an aggregate is called anywhere in it. MIN and MAX of several values are scalars."""
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


def _parts(expression: tree.Expression) -> list[tree.Expression]:
    """Return the direct parts of an expression, also in tuples."""
    parts: list[tree.Expression] = []
    pending = [getattr(expression, name) for name in reversed(_FIELDS[type(expression)])]
    while pending:
        value = pending.pop()
        if isinstance(value, tuple):
            pending += reversed(value)
        elif type(value) in _FIELDS:
            parts.append(value)
    return parts
