"""Avro schemas whose types are named by their positions, so that schema resolution matches fields and not names.

Libraries differ in which names of types they compare: the full name, the name without namespace, or none. The name of
a record has no influence on its values. After the change, a type of the writer has the name of the reader's type at the
same position, in every library.
"""

from __future__ import annotations

from dataclasses import replace

from lsqlc.formats.avro.resolution import writer_field
from lsqlc.formats.avro.tree import Avro, Member

_NAMED = ("record", "enum", "fixed")
_ROOT = "lsqlc.wire.V"


def by_position(schema: Avro, reader: Avro | None = None) -> Avro:
    """Return a schema whose types are named by their positions. `reader`: the schema whose positions count; its own
    types are named by `by_position(reader)`.
    """
    return _named(schema, reader or schema, (_ROOT,))


def _named(schema: Avro, reader: Avro | None, place: tuple[str, ...]) -> Avro:
    """Name the types of a schema. `reader`: the part of the reader's schema; None if the reader skips this part."""
    if schema.kind == "union":
        # At most one branch has the name of the reader's type; the others need names of their own.
        branches, number = [], 0
        for branch in schema.inner:
            branches.append(_named(branch, reader, place if number == 0 else _apart(f"branch{number}", place)))
            number += not branch.is_null
        return replace(schema, inner=tuple(branches))
    read = reader.present if reader else None
    if read is not None and read.kind != schema.kind:
        read = None
    members = tuple(_member(member, read, place) for member in schema.members)
    items = read.inner[0] if read is not None and read.inner else None
    inner = tuple(_named(part, items, (*place, "item")) for part in schema.inner)
    name = ".".join(place) if schema.kind in _NAMED else ""
    return replace(schema, name=name, aliases=(), members=members, inner=inner)


def _member(member: Member, read: Avro | None, place: tuple[str, ...]) -> Member:
    other = next((m for m in read.members if writer_field(m, (member,))), None) if read else None
    inside = (*place, other.name) if other else _apart("passed", (*place, member.name))
    return replace(member, schema=_named(member.schema, other.schema if other else None, inside))


def _apart(word: str, place: tuple[str, ...]) -> tuple[str, ...]:
    """Return a position that no field has, since names of fields are only behind the first part."""
    return (f"{place[0]}_{word}", *place[1:])
