"""Equality of two trees without their extents.

The trees are walked in parallel without copies, because programs may have many thousand parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import cast

from lsqlc.types.frozen import field_names, is_frozen_data


def same_parts(one: object, two: object, judge: Callable[[object, object], bool | None] = lambda *_: None) -> bool:
    """Return whether two parts have one type and equal parts.

    Fields named `at`, or with a name that ends in `_at`, are extents and are ignored. `judge`: the answer for two parts
    of one type, None to compare their fields.
    """
    kind = type(one)
    if kind is not type(two):
        return False
    if kind is tuple:
        assert isinstance(one, tuple) and isinstance(two, tuple)
        if len(one) != len(two):
            return False
        for a, b in zip(one, two, strict=True):  # noqa: SIM110 - a generator for each part costs a third of all
            if not same_parts(a, b, judge):
                return False
        return True
    names = _compared(cast("Hashable", kind))
    if names is None:
        return one == two
    answer = judge(one, two)
    if answer is not None:
        return answer
    for name in names:  # noqa: SIM110 - as above
        if not same_parts(getattr(one, name), getattr(two, name), judge):
            return False
    return True


@cache
def _compared(kind: Hashable) -> tuple[str, ...] | None:
    """Return the compared fields of a type; None if it has no fields."""
    if not isinstance(kind, type) or not is_frozen_data(kind):
        return None
    return tuple(name for name in field_names(kind) if name != "at" and not name.endswith("_at"))
