"""The sides of joins: the joins so far, and a source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lsqlc.bind.columns import Column
from lsqlc.bind.sql.key_parts import is_loose, key_parts, struct_of
from lsqlc.bind.sql.rows import Kind, Rows
from lsqlc.bind.sql.scope import TIME
from lsqlc.plan.expression import Expression, Field, Literal, StructOf
from lsqlc.plan.nodes import JoinKind, Node, Project
from lsqlc.types import data

# The constant join key of all rows of both sides: no column has these names.
LEFT, RIGHT = " left", " right"


@dataclass(frozen=True, slots=True)
class Side:
    """The joins so far, over one relation or, right after a join, over both of its sides.

    `unkeyed`: rows share their keys. `loose_key`: all parts of a key may be null.
    """

    node: Node
    kind: Kind
    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    key: Expression
    key_format: str
    unkeyed: bool = False
    loose_key: bool = False


def side_of(rows: Rows, label: str) -> Side:
    """Return the rows of a source as a side of a join."""
    columns = tuple(c for c in rows.columns if c.name != TIME)
    key = rows.node.relations[0].key
    loose = is_loose(Field(0, "key", (), key.type, False))
    return Side(rows.node, rows.kind, columns, (label,), rows.key, key.format, rows.unkeyed, loose)


def flat(side: Side) -> Side:
    """Return a join's two relations as one, as the left side of the next join."""
    names = tuple(f"c{i}" for i in range(len(side.columns)))
    value = StructOf(names, tuple(c.expression for c in side.columns))
    node = Project(side.node, side.key, value, side.key_format, "json", False, "join")
    columns = tuple(
        replace(c, expression=Field(0, "value", (n,), c.expression.type, c.expression.nullable))
        for c, n in zip(side.columns, names, strict=True)
    )
    return replace(side, node=node, columns=columns, key=Field(0, "key", (), node.relations[0].key.type, True))


def with_constant(side: Side, name: str) -> Side:
    """Return a side with one more column, which is the same in all rows."""
    constant = Column("", name, Literal("all", data.STRING), True, listed=False)
    return flat(replace(side, columns=(*side.columns, constant)))


def without_constants(side: Side) -> Side:
    return replace(side, columns=tuple(c for c in side.columns if c.name not in (LEFT, RIGHT)))


def both_keys(left: Side, right: Side, ours: Expression, theirs: Expression, kind: JoinKind) -> StructOf:
    """Return the keys of both sides of a join as one struct: the parts of each, with the names of source and part.

    A key whose parts may all be null stays one part, with the name of its source, if its side may be missing. So a row
    without that side differs from a row whose key there has only nulls.
    """
    one, other = "_".join(n for n in left.labels if n) or "left", right.labels[0] or "right"
    one, other = (one, other) if one.casefold() != other.casefold() else ("left", "right")
    parts = (
        *key_parts(ours, one, several=len(left.labels) > 1, whole=kind in ("RIGHT", "OUTER") and left.loose_key),
        *key_parts(theirs, other, several=len(right.labels) > 1, whole=kind in ("LEFT", "OUTER") and right.loose_key),
    )
    return struct_of(parts)
