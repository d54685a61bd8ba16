"""The key of rows that are made of others: a struct of the parts of their keys, each named after its source."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from lsqlc.bind.sql.scope import field_names
from lsqlc.plan.expression import Expression, Field, StructOf
from lsqlc.types.data import Struct

Parts = tuple[tuple[str, Expression], ...]


def key_parts(key: Expression, label: str, *, several: bool = False, whole: bool = False) -> Parts:
    """The parts of a key: the fields of a struct, or the key itself.

    `label`: the name of the source, which begins the name of each part. `several`: the fields already have the names of
    several sources. `whole`: a struct is one part.
    """
    fields = None if whole else _fields(key)
    if fields is None:
        return ((label, key),)
    return tuple((name if several or not label else f"{label}_{name}", value) for name, value in fields)


def struct_of(parts: Sequence[tuple[str, Expression]]) -> StructOf:
    """A key of such parts, whose names differ."""
    return StructOf(field_names([name for name, _ in parts]), tuple(value for _, value in parts))


def is_loose(key: Expression) -> bool:
    """Whether all parts of a key may be null in a row that is there, as those of groups may be."""
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
