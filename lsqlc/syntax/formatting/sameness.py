"""Whether two trees are the same, the places of their parts aside.

The trees are walked side by side, so that nothing is made on the way: programs of many thousand parts are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import cast

from lsqlc.types.frozen import field_names, is_frozen_data


def same_parts(one: object, two: object, judge: Callable[[object, object], bool | None] = lambda *_: None) -> bool:
    """Whether two parts are of one type and their parts are the same. Fields that are called `at`, or whose names end
    in `_at`, say where something stands in the text. `judge`: the answer for two parts of one type, None where their
    fields decide.
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
    found = judge(one, two)
    if found is not None:
        return found
    for name in names:  # noqa: SIM110 - as above
        if not same_parts(getattr(one, name), getattr(two, name), judge):
            return False
    return True


@cache
def _compared(kind: Hashable) -> tuple[str, ...] | None:
    """The fields that are compared of a kind of parts; None where the value is no part with fields."""
    if not isinstance(kind, type) or not is_frozen_data(kind):
        return None
    return tuple(name for name in field_names(kind) if name != "at" and not name.endswith("_at"))
