"""The part of a type that a query uses: the projection of a topic's facet, whose schema is always known.

A path is what an expression reads of a facet: `("address", "zip")`, or the empty path for all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from lsqlc.scan.request import Path, Requested, exactly, request
from lsqlc.types.data import Array, DataType, Map, Struct

__all__ = ["Path", "prune"]


def prune(type: DataType, paths: Iterable[Path]) -> DataType:
    """`type` with the fields that some path reads, in the type's own order.

    A struct of which nothing is read keeps its smallest field: whether the struct is there at all still counts.
    """
    paths = set(paths)
    if () in paths:
        return type
    # Fewer names first: an element that is read whole stays whole, in whatever order the query names its members.
    ordered = sorted(paths, key=lambda path: sum(isinstance(step, str) for step in path))
    return _pruned(type, request(ordered, exactly).columns)


def _pruned(type: DataType, asked: Sequence[Requested] | None) -> DataType:
    """`asked` None: all of it."""
    if asked is None:
        return type
    if isinstance(type, Array):
        return Array(_pruned(type.element, asked))
    if not isinstance(type, Struct):
        return type
    members = {column.name: column.members for column in asked}
    kept = [replace(f, type=_pruned(f.type, members[f.name])) for f in type.fields if f.name in members]
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
