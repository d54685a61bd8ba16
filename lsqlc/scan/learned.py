"""The schema that files teach one after the other: what a file has holds for the next.

What was learned is a schema like a declared one, whose columns stand behind those that are declared. So a column that a
later file lacks has the type that an earlier one gave it, and one that a later file has with another type is a
conflict. A column that no file has had yet has no type, and takes that of the first file that has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from lsqlc.scan.columns import Column, Schema, members
from lsqlc.scan.faults import Fault, new_column
from lsqlc.scan.projection import asks, project
from lsqlc.scan.request import Path, fold
from lsqlc.scan.shapes import element
from lsqlc.scan.special import SpecialColumns
from lsqlc.types.data import Array, DataType, Field, Struct


@dataclass(frozen=True, slots=True)
class Learned:
    """`schema`: what is declared and what the files had, over which the file that taught it last can be resolved; None:
    nothing at all. `faults`: columns of that file that come too late.
    """

    schema: Schema | None
    faults: tuple[Fault, ...] = ()


def learn(
    select: Sequence[Path] | None,
    schema: Schema | None,
    offered: Sequence[Column],
    *,
    special: SpecialColumns | None = None,
    settles: bool = False,
) -> Learned:
    """What is known behind a file that offers these columns. `schema`: what was known before it.

    Only what the SELECT list asks for is learned. `settles`: under a wildcard the first file says which columns and
    members there are; those that a later one has besides are faults and are not read. Otherwise they are added.
    """
    if schema is not None and not schema.columns:
        schema = None
    projection = project(select, schema, special=special, in_place=True)
    is_first = schema is None or not any(c.learned for c in schema.columns)
    columns = list(schema.columns) if schema else []
    places: dict[str, int] = {}
    for place, column in enumerate(columns):
        places.setdefault(fold(column.name), place)
    faults: list[Fault] = []
    for column in offered:
        place = places.get(fold(column.name), -1)
        known = columns[place] if place >= 0 else None
        if not asks(projection, column) or (known is not None and known.of_path):
            late = settles and not is_first and projection.is_wildcard and known is None and column.in_wildcard
            faults += [new_column(column.name)] if late else []
        elif known is None:
            places[fold(column.name)] = len(columns)
            columns.append(replace(column, learned=True))
        elif known.learned and settles:
            faults += [new_column(path) for path in _late(known.field.type, column.field.type, known.name)]
        elif known.learned:
            type = _joined(known.field.type, column.field.type)
            columns[place] = replace(known, field=replace(known.field, type=type))
    if not columns:
        return Learned(schema, tuple(faults))
    strict = bool(schema and schema.strict) or (settles and projection.is_wildcard)
    return Learned(Schema(tuple(columns), strict), tuple(faults))


def _joined(known: DataType, offered: DataType) -> DataType:
    """A learned type with the members that a file has besides, behind its own; of another shape, as it was."""
    old, dimensions = element(known)
    new, others = element(offered)
    if not isinstance(old, Struct) or not isinstance(new, Struct) or dimensions != others:
        return known
    fields: list[Field] = []
    old_members, new_members = members(old), members(new)
    for field in old.fields:
        _, same = new_members.get(fold(field.name), (-1, None))
        fields.append(replace(field, type=_joined(field.type, same.type)) if same else field)
    found: DataType = Struct((*fields, *(f for f in new.fields if fold(f.name) not in old_members)))
    for _ in range(dimensions):
        found = Array(found)
    return found


def _late(known: DataType, offered: DataType, path: str) -> list[str]:
    """The members that a file has besides."""
    old, new = element(known)[0], element(offered)[0]
    if not isinstance(old, Struct) or not isinstance(new, Struct):
        return []
    late: list[str] = []
    old_members = members(old)
    for field in new.fields:
        _, same = old_members.get(fold(field.name), (-1, None))
        below = f"{path}.{field.name}"
        late += [below] if same is None else _late(same.type, field.type, below)
    return late
