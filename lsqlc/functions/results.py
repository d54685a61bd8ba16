"""The usual rules for the type of a call."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.signature import Result
from lsqlc.types.data import NULL, Array, DataType, Map, Struct, unify


def always(type: DataType) -> Result:
    """The same type whatever the arguments are."""
    return lambda types, literals: type


def first(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """The type of the first argument."""
    return types[0]


def common(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """The type in which all arguments meet."""
    met: DataType = NULL
    for type in types:
        both = unify(met, type)
        if both is None:
            return None
        met = both
    return met


def map_type(key: DataType, value: DataType) -> DataType | None:
    """The type of a map; None for keys with parts, which a map cannot have."""
    return None if isinstance(key, Array | Map | Struct) else Map(key, value)
