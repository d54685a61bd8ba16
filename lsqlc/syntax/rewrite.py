"""Replacement of parts of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from msgspec import structs

from lsqlc.syntax import tree

_EXPRESSIONS = get_args(tree.Expression)


def rewrite(expression: Any, change: Callable[[tree.Expression], tree.Expression | None]) -> Any:
    """Return the expression with parts replaced by `change`, from the outside in.

    `change` returns None to keep a part. The parts of a replacement are not visited.
    """
    if isinstance(expression, tuple):
        return tuple(rewrite(part, change) for part in expression)
    if not isinstance(expression, _EXPRESSIONS):
        return expression
    changed = change(expression)
    if changed is not None:
        return changed
    values = {name: getattr(expression, name) for name in expression.__struct_fields__}
    parts = {name: rewrite(value, change) for name, value in values.items()}
    return structs.replace(expression, **parts) if any(parts[n] is not values[n] for n in parts) else expression
