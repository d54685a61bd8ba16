"""The reader-level projection: the output columns of a scan, resolved against the columns that one file has.

Names match letter case aside; name and order are the SELECT list's, the type is the schema's, else the file's. A column
that the file lacks is null, or for a declared one what `stand_in` says; a member that it lacks is a struct around a
null. A schema that is not strict lets the file's other columns through, where the projection says. What a schema
declares, a file must have with that type and nullability, unless its reader delivers text, which is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from lsqlc.scan.columns import Column, members, stand_in, twins
from lsqlc.scan.columns_array import ColumnsArray
from lsqlc.scan.faults import Fault, columns_missing, same_name_twice, type_conflict
from lsqlc.scan.projection import ScanProjection, TableColumn, Wildcard, asks, is_extra
from lsqlc.scan.request import Requested, fold
from lsqlc.scan.shapes import element, shape_fault
from lsqlc.scan.special import FileColumn, PartitionColumn
from lsqlc.types.data import INT, STRING, Array, DataType, Decimal, Field, Primitive, Struct


class FromReader(msgspec.Struct, frozen=True):
    """The column or member at that place of the file, as it is; `parsed`: text to be read as the output's type."""

    index: int
    parsed: bool = False


class FromPath(msgspec.Struct, frozen=True):
    """A value of the file's path."""

    column: FileColumn | PartitionColumn


class Absent(msgspec.Struct, frozen=True):
    """Not in the file: the same value in each record."""

    value: Any


class Members(msgspec.Struct, frozen=True):
    """A struct put together of its members, for each element where the file has `dimensions` of arrays around it.

    `index` is its place in the file; None: the file lacks it.
    """

    index: int | None
    columns: tuple[ResolvedColumn, ...]
    dimensions: int = 0


class ResolvedColumn(msgspec.Struct, frozen=True):
    """An output column, or a member of one, and where its values come from."""

    field: Field
    source: FromReader | FromPath | Absent | Members

    @property
    def name(self) -> str:
        return self.field.name


class Resolution(msgspec.Struct, frozen=True):
    """The columns of one file's records; with faults those that are wrong are missing."""

    columns: tuple[ResolvedColumn, ...]
    faults: tuple[Fault, ...] = ()


class _Reader(msgspec.Struct, frozen=True):
    """`learned`: what the column in hand has to be is known of an earlier file, and is not declared."""

    text: bool
    null_type: DataType
    learned: bool = False


def resolve(
    projection: ScanProjection, offered: Sequence[Column], *, text: bool = False, null_type: DataType = INT
) -> Resolution:
    """The projection over a file with the columns `offered`.

    `text`: the reader delivers text, as that of CSV does. `null_type`: the type of a column that nobody declares.
    """
    columns: list[ResolvedColumn] = []
    asked = [(i, c) for i, c in enumerate(offered) if asks(projection, c)]
    faults = [same_name_twice(names) for names in twins([c for _, c in asked])]
    sources: dict[str, tuple[int, Column]] = {}
    for index, column in asked:
        sources.setdefault(fold(column.name), (index, column))
    for place, output in enumerate((*projection.columns, None)):
        if place == projection.others and projection.kind == "schema_wildcard":
            columns += _extras(projection, offered)
        if output is None:
            break
        if isinstance(output, FileColumn | PartitionColumn):
            columns.append(ResolvedColumn(output.field, FromPath(output)))
            continue
        if isinstance(output, Wildcard):
            columns += _extras(projection, offered)
            continue
        requested, declared, default = Requested(output.name), None, None
        reader = _Reader(text, null_type)
        if isinstance(output, TableColumn):
            requested = output.asked
            if output.declared:
                declared, default = output.declared.field, output.declared.default
                reader = replace(reader, learned=output.declared.learned)
        else:
            declared = output.field
        index, source = sources.get(fold(output.name), (-1, None))
        if source is not None and place >= projection.others and is_extra(projection, source):
            # The wildcard has it, in its own place.
            continue
        if source is None and isinstance(output, ColumnsArray):
            faults.append(columns_missing(output.name))
            continue
        if source is None:
            columns.append(_missing(requested, declared, default, reader))
            continue
        made = _present(requested, declared, source.field, index, reader, output.name)
        if isinstance(made, ResolvedColumn):
            columns.append(made)
        else:
            faults += made
    return Resolution(tuple(columns), tuple(faults))


def _extras(projection: ScanProjection, offered: Sequence[Column]) -> Iterator[ResolvedColumn]:
    for index, column in enumerate(offered):
        if is_extra(projection, column):
            yield ResolvedColumn(column.field, FromReader(index))


def _missing(asked: Requested, declared: Field | None, default: Any, reader: _Reader) -> ResolvedColumn:
    if declared is not None:
        return ResolvedColumn(replace(declared, name=asked.name), Absent(stand_in(declared, default)))
    if asked.members is None or asked.dimensions:
        return ResolvedColumn(Field(asked.name, _unknown(asked, reader)), Absent(None))
    members = tuple(_missing(m, None, None, reader) for m in asked.members)
    type = Struct(tuple(m.field for m in members))
    return ResolvedColumn(Field(asked.name, type, nullable=False), Members(None, members))


def _unknown(asked: Requested, reader: _Reader) -> DataType:
    """The type of what neither a schema nor the file knows, in the shape that the query gives it."""
    type = reader.null_type
    if asked.named:
        type = Struct(tuple(Field(m.name, _unknown(m, reader)) for m in asked.named))
    for _ in range(asked.dimensions):
        type = Array(type)
    return type


def _present(
    asked: Requested, declared: Field | None, offered: Field, index: int, reader: _Reader, path: str
) -> ResolvedColumn | list[Fault]:
    """`path`: how a message names the column or member."""
    wrong = shape_fault(asked, offered.type, path)
    if wrong:
        return [wrong]
    found, _ = element(offered.type)
    wanted = element(declared.type)[0] if declared else None
    if declared and not _may_be(declared, offered, reader):
        return [type_conflict(path, declared, offered, learned=reader.learned)]
    if isinstance(found, Struct) and (asked.members is not None or isinstance(wanted, Struct)):
        return _struct(asked, declared, wanted, offered, index, reader, path)
    field = replace(declared or offered, name=asked.name)
    return ResolvedColumn(field, FromReader(index, parsed=field.type != offered.type))


def _struct(
    asked: Requested,
    declared: Field | None,
    wanted: DataType | None,
    offered: Field,
    index: int,
    reader: _Reader,
    path: str,
) -> ResolvedColumn | list[Fault]:
    found, dimensions = element(offered.type)
    assert isinstance(found, Struct)
    declared_members = wanted.fields if isinstance(wanted, Struct) else ()
    requested = asked.members
    if requested is None:
        requested = tuple(Requested(f.name) for f in declared_members)
    known_members, offered_members = members(wanted) if wanted else {}, members(found)
    made: list[ResolvedColumn] = []
    faults: list[Fault] = []
    for each in requested:
        _, known = known_members.get(fold(each.name), (-1, None))
        if fold(each.name) not in offered_members:
            made.append(_missing(each, known, None, reader))
            continue
        place, there = offered_members[fold(each.name)]
        below = _present(each, known, there, place, reader, f"{path}.{each.name}")
        if isinstance(below, ResolvedColumn):
            made.append(below)
        else:
            faults += below
    if faults:
        return faults
    if _is_whole(made, found):
        field = replace(offered, name=asked.name, nullable=(declared or offered).nullable)
        return ResolvedColumn(field, FromReader(index))
    type: DataType = Struct(tuple(m.field for m in made))
    for _ in range(dimensions):
        type = Array(type)
    nullable = (declared or offered).nullable
    return ResolvedColumn(Field(asked.name, type, nullable), Members(index, tuple(made), dimensions))


def _is_whole(made: Sequence[ResolvedColumn], found: Struct) -> bool:
    """Whether all members are wanted as they are, so that the struct passes as it is."""
    kept = {m.source.index: m.field for m in made if isinstance(m.source, FromReader)}
    return len(made) == len(found.fields) and all(kept.get(i) == f for i, f in enumerate(found.fields))


def _may_be(declared: Field, offered: Field, reader: _Reader) -> bool:
    """Whether a file's column can be what is declared; structs are compared member by member, later."""
    if reader.text and offered.type == STRING:
        return isinstance(declared.type, Primitive | Decimal)
    if not reader.text and declared.nullable != offered.nullable:
        return False
    a, dimensions = element(declared.type)
    b, offered_dimensions = element(offered.type)
    if isinstance(a, Struct) and isinstance(b, Struct):
        return dimensions == offered_dimensions
    return declared.type == offered.type
