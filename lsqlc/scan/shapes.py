"""Whether a type has the members and elements that a query reads of it."""

from __future__ import annotations

from lsqlc.scan.faults import Fault, not_a_struct, not_an_array
from lsqlc.scan.request import Requested
from lsqlc.types.data import Array, DataType, Map, Struct


def element(type: DataType) -> tuple[DataType, int]:
    """What lies below the arrays of a type, and how many they are."""
    dimensions = 0
    while isinstance(type, Array):
        type, dimensions = type.element, dimensions + 1
    return type, dimensions


def shape_fault(asked: Requested, found: DataType, path: str) -> Fault | None:
    """What is wrong where the query reads members or elements of a type that has none; a map has both.

    The members of an array are those of its elements. `path`: how the message names the column.
    """
    inner, dimensions = element(found)
    if isinstance(inner, Map):
        return None
    if asked.dimensions > dimensions:
        return not_an_array(path, found)
    if asked.is_struct and not isinstance(inner, Struct):
        return not_a_struct(path, found)
    return None
