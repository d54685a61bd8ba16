"""The part of a type that a query uses.

A path is what an expression reads of a facet: `("address", "zip")`, or the empty path for all of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lsqlc.types.data import Array, DataType, Map, Struct

Path = tuple[str, ...]


def prune(type: DataType, paths: Iterable[Path]) -> DataType:
    """`type` with the fields that some path reads, in the type's own order.

    A struct of which nothing is read keeps its smallest field: whether the struct is there at all still counts.
    """
    used = set(paths)
    if not isinstance(type, Struct) or () in used:
        return type
    kept = []
    for field in type.fields:
        below = [path[1:] for path in used if path[0] == field.name]
        if below:
            kept.append(replace(field, type=prune(field.type, below)))
    if not kept:
        kept = [min(type.fields, key=lambda f: (_weight(f.type), f.name))]
    return Struct(tuple(kept))


def _weight(type: DataType) -> int:
    """How much there is to read: a number of its parts."""
    if isinstance(type, Struct):
        return 1 + sum(_weight(f.type) for f in type.fields)
    if isinstance(type, Array):
        return 2 + _weight(type.element)
    if isinstance(type, Map):
        return 2 + _weight(type.key) + _weight(type.value)
    return 1
