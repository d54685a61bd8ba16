"""All parts of an expression of the syntax."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from lsqlc.syntax import tree


def walk(expression: tree.Expression) -> Iterator[tree.Expression]:
    """The expression and everything in it, from the outside in."""
    yield expression
    for field in fields(expression):
        pending = [getattr(expression, field.name)]
        while pending:
            value = pending.pop(0)
            if isinstance(value, tuple):
                pending = [*value, *pending]
            elif isinstance(value, tree.Expression):
                yield from walk(value)
