"""The order and the equality of values."""

from __future__ import annotations

import math
from typing import Any

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct

# Relative: what two engines may differ by in the order of a sum.
TOLERANCE = 1e-9


def sort_key(type: DataType, value: Any) -> Any:
    """A key for `sorted`: null first; numbers by value, NaN last; text by code point; structs field by field; arrays
    item by item; maps as their pairs in order of keys.
    """
    if value is None:
        return (0,)
    if isinstance(type, Struct):
        return (1, *[sort_key(f.type, value.get(f.name)) for f in type.fields])
    if isinstance(type, Array):
        return (1, [sort_key(type.element, v) for v in value])
    if isinstance(type, Map):
        return (1, sorted([(sort_key(type.key, k), sort_key(type.value, v)) for k, v in value.items()]))
    if type in (data.FLOAT, data.DOUBLE) and value != value:
        return (2,)
    return (1, value)


def equal(type: DataType, a: Any, b: Any) -> bool:
    """Whether two values in their one form are the same: FLOAT and DOUBLE to a relative 1e-9 (NaN is NaN), the rest
    exactly. Keys of maps compare exactly.
    """
    if a is None or b is None:
        return a is b
    if a == b:  # Python's own equality is never laxer, and quick where nearly all is equal
        return True
    if isinstance(type, Struct):
        return all(equal(f.type, a.get(f.name), b.get(f.name)) for f in type.fields)
    if isinstance(type, Array):
        return len(a) == len(b) and all(equal(type.element, x, y) for x, y in zip(a, b, strict=True))
    if isinstance(type, Map):
        return a.keys() == b.keys() and all(equal(type.value, v, b[k]) for k, v in a.items())
    if type in (data.FLOAT, data.DOUBLE):
        return (a != a and b != b) or math.isclose(a, b, rel_tol=TOLERANCE)
    return False
