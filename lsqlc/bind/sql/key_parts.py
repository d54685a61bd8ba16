"""The key of rows that are combined from others: a struct of the parts of their keys, named after the sources."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from lsqlc.bind.sql.scope import field_names
from lsqlc.plan.expression import Expression, Field, StructOf
from lsqlc.types.data import Struct

Parts = tuple[tuple[str, Expression], ...]


def key_parts(key: Expression, label: str, *, several: bool = False, whole: bool = False) -> Parts:
    """Return the parts of a key: the fields of a struct, or the key itself.

    `label`: the name of the source, a prefix of each part's name. `several`: the fields already have the names of
    several sources. `whole`: a struct is one part.
    """
    fields = None if whole else _fields(key)
    if fields is None:
        return ((label, key),)
    return tuple((name if several or not label else f"{label}_{name}", value) for name, value in fields)


def struct_of(parts: Sequence[tuple[str, Expression]]) -> StructOf:
    """Return a key of such parts, whose names differ."""
    return StructOf(field_names([name for name, _ in parts]), tuple(value for _, value in parts))


def is_loose(key: Expression) -> bool:
    """Return whether all parts of a key may be null in an existing row, as those of groups may be."""
    fields = _fields(key)
    return fields is not None and all(value.nullable for _, value in fields)


def _fields(key: Expression) -> Parts | None:
    if isinstance(key, StructOf):
        return tuple(zip(key.names, key.values, strict=True))
    if isinstance(key, Field) and isinstance(key.type, Struct):
        return tuple(
            (f.name, structs.replace(key, path=(*key.path, f.name), type=f.type, nullable=f.nullable or key.nullable))
            for f in key.type.fields
        )
    return None
