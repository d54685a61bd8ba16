"""Avro schemas whose types are named by their places, so that what is resolved meets by fields and not by names.

Libraries differ in which names of types they compare: of a record all, some or none, of an enum with its namespace or
without. What a record is called says nothing of its values. Named by their places, a writer's types are called as those
of the reader that they are read as, in every library.
"""

from __future__ import annotations

from dataclasses import replace

from lsqlc.formats.avro.resolution import written_for
from lsqlc.formats.avro.tree import Avro, Member

_NAMED = ("record", "enum", "fixed")
_ROOT = "lsqlc.wire.V"


def by_place(schema: Avro, reader: Avro | None = None) -> Avro:
    """A schema with its types named by their places; with a `reader`, by the places in the reader's schema, whose own
    types are to be named by `by_place(reader)`.
    """
    return _named(schema, reader or schema, (_ROOT,))


def _named(schema: Avro, reader: Avro | None, place: tuple[str, ...]) -> Avro:
    """`reader`: the schema that this part is read as; None where it is passed over."""
    if schema.kind == "union":
        # One branch at most is called as what the reader has there; the others need names of their own.
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
    other = next((m for m in read.members if written_for(m, (member,))), None) if read else None
    inside = (*place, other.name) if other else _apart("passed", (*place, member.name))
    return replace(member, schema=_named(member.schema, other.schema if other else None, inside))


def _apart(word: str, place: tuple[str, ...]) -> tuple[str, ...]:
    """A place that no field's is: names of fields stand behind the first part only."""
    return (f"{place[0]}_{word}", *place[1:])
