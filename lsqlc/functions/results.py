"""The usual rules for the type of a call."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.signature import Result
from lsqlc.types.data import NULL, Array, DataType, Map, Struct, unify


def always(type: DataType) -> Result:
    """Return a rule with the same type for all arguments."""
    return lambda types, literals: type


def first(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the type of the first argument."""
    return types[0]


def common(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return the common type of all arguments, None if they have none."""
    common_type: DataType = NULL
    for type in types:
        both = unify(common_type, type)
        if both is None:
            return None
        common_type = both
    return common_type


def map_type(key: DataType, value: DataType) -> DataType | None:
    """Return the type of a map; None for keys with parts, which a map cannot have."""
    return None if isinstance(key, Array | Map | Struct) else Map(key, value)
