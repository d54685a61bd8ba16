"""The key of rows that are made of others: a struct of the parts of their keys, each named after its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from lsqlc.bind.sql.scope import field_names
from lsqlc.plan.expression import Expression, Field, StructOf
from lsqlc.plan.nodes import JoinKind
from lsqlc.types.data import Struct

if TYPE_CHECKING:
    from lsqlc.bind.sql.side import Side

Parts = tuple[tuple[str, Expression], ...]


def both_keys(left: Side, right: Side, ours: Expression, theirs: Expression, kind: JoinKind) -> StructOf:
    """The keys of both sides of a join as one struct: the parts of each, called as its source and the part.

    A key of which each part may be null stays one part, called as its source, where its side may be missing: a row
    without that side is another one than a row whose key there has only nulls.
    """
    one, other = "_".join(n for n in left.labels if n) or "left", right.labels[0] or "right"
    one, other = (one, other) if one.casefold() != other.casefold() else ("left", "right")
    parts = (
        *key_parts(ours, one, several=len(left.labels) > 1, whole=kind in ("RIGHT", "OUTER") and left.loose_key),
        *key_parts(theirs, other, several=len(right.labels) > 1, whole=kind in ("LEFT", "OUTER") and right.loose_key),
    )
    return struct_of(parts)


def key_parts(key: Expression, label: str, *, several: bool = False, whole: bool = False) -> Parts:
    """The parts of a key: the fields of a struct, or the key itself.

    `label`: the name of the source, which is before those of the fields, unless they are the names of `several` sources
    already. `whole`: a struct is one part.
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
