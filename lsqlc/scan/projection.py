"""The scan-level projection: what a query asks of a scan, known before any file is seen.

The output columns stand in the order of the SELECT list. A wildcard stands for the columns of the file, and the list's
own columns of the file fall away beside it, since it has them. With a declared schema it is the schema's columns, in
the schema's order and spelling, without those that only a query by name gets; a column that the schema declares to hold
what the path says is one of the path, under its own name. `reader.resolve` is the second step.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from lsqlc.scan.columns import Column, Schema, twins
from lsqlc.scan.columns_array import NAME, ColumnsArray, ColumnsRule, check_columns, is_columns
from lsqlc.scan.faults import Fault, same_name_twice
from lsqlc.scan.request import Path, Request, Requested, fold, request
from lsqlc.scan.shapes import shape_fault
from lsqlc.scan.special import FileColumn, PartitionColumn, SpecialColumns, declared, recognise

ProjectionKind = Literal["empty", "wildcard", "explicit", "schema_wildcard", "strict_schema_wildcard"]


class TableColumn(msgspec.Struct, frozen=True):
    """A column of the file, which a file may lack. `declared`: what the schema says of it, if anything."""

    asked: Requested
    declared: Column | None = None

    @property
    def name(self) -> str:
        return self.asked.name


class Wildcard(msgspec.Struct, frozen=True):
    """The place of the file's own columns, whatever they are."""

    @property
    def name(self) -> str:
        return "*"


SpecialColumn = FileColumn | PartitionColumn
OutputColumn = TableColumn | Wildcard | ColumnsArray | SpecialColumn


class ScanProjection(msgspec.Struct, frozen=True, dict=True):
    """`entries` is the length of the SELECT list; `faults` is empty where the query can be resolved against a file.

    `others`: how many of the columns stand before those of a file that a schema which is not strict lets through.
    """

    kind: ProjectionKind
    entries: int
    columns: tuple[OutputColumn, ...]
    schema: Schema | None = None
    faults: tuple[Fault, ...] = ()
    others: int = 0

    @property
    def is_wildcard(self) -> bool:
        """Whether the query has a `*`."""
        return self.kind not in ("empty", "explicit")

    @cached_property
    def table_names(self) -> frozenset[str]:
        """The folded names of the columns of the file that are asked."""
        return frozenset(fold(c.name) for c in self.columns if isinstance(c, TableColumn))

    @cached_property
    def taken(self) -> frozenset[str]:
        """The folded names that a wildcard does not add: what stands before it has taken them, and so has a special
        column, wherever it stands, and the schema.
        """
        columns = [c for i, c in enumerate(self.columns) if i < self.others or isinstance(c, SpecialColumn)]
        return frozenset(fold(c.name) for c in (*columns, *(self.schema.columns if self.schema else ())))

    @cached_property
    def has_array(self) -> bool:
        return any(isinstance(c, ColumnsArray) for c in self.columns)

    @cached_property
    def reads_nothing(self) -> bool:
        """Whether no column of a file is needed, only that there are records: `COUNT(*)`, or columns of the path."""
        return all(isinstance(c, SpecialColumn) for c in self.columns) and not self.is_wildcard


def project(
    select: Sequence[Path] | None,
    schema: Schema | None = None,
    *,
    special: SpecialColumns | None = None,
    columns_rule: ColumnsRule | None = None,
    in_place: bool = False,
) -> ScanProjection:
    """What a SELECT list asks of a scan. None: every column, as `*`.

    `special`: the columns of the path that the source has; None: none. `columns_rule`: what the source says of the
    array `columns`; None: it is a name like any other. `in_place`: the partitions and the other columns of a file,
    which a wildcard adds to those of the schema, stand in the wildcard's place instead of last, and columns of the file
    that the list names beside it stay where they are named, but for those behind it that it has (Drill's newer
    framework).
    A schema without columns is none.
    """
    if schema is not None and not schema.columns:
        schema = None
    asked = request(select)
    found = {c.name: _special(c, schema, special) for c in asked.columns}
    table = [c for c in asked.columns if found[c.name] is None]
    before, own, behind = _columns(asked, found, schema, columns_rule, in_place=in_place)
    partitions: list[PartitionColumn] = []
    if special and asked.wildcard is not None:
        partitions = list(_partitions((*before, *own, *behind), special))
    others = len(before) + len(own)
    if in_place:
        columns = (*before, *own, *partitions, *behind)
    else:
        columns = (*before, *own, *behind, *partitions)
        others = len(columns)
    faults = _faults(asked, table, schema, columns_rule)
    return ScanProjection(_kind(asked, schema), asked.entries, columns, schema, faults, others)


def _special(asked: Requested, schema: Schema | None, special: SpecialColumns | None) -> SpecialColumn | None:
    """The column of the path that an entry of the list means: one that the schema declares, or one of the source."""
    of_schema = schema.by_name.get(fold(asked.name)) if schema and asked.is_plain else None
    of_path = declared(of_schema, asked.name) if of_schema else None
    if of_path is not None:
        return None if isinstance(of_path, Fault) else of_path
    return recognise(asked, special) if special else None


def _kind(asked: Request, schema: Schema | None) -> ProjectionKind:
    if asked.wildcard is None:
        return "explicit" if asked.columns else "empty"
    if schema is None:
        return "wildcard"
    return "strict_schema_wildcard" if schema.strict else "schema_wildcard"


def _faults(
    asked: Request, table: Sequence[Requested], schema: Schema | None, rule: ColumnsRule | None
) -> tuple[Fault, ...]:
    of_schema = schema.columns if schema else ()
    faults = [same_name_twice(names) for names in twins(of_schema)]
    faults += [wrong for c in of_schema if isinstance(wrong := declared(c, c.name), Fault)]
    if rule:
        faults += check_columns(table, asked.wildcard is not None, rule)
    for column in table:
        known = schema.by_name.get(fold(column.name)) if schema else None
        misread = shape_fault(column, known.field.type, column.name) if known else None
        faults += [misread] if misread else []
    return tuple(faults)


def _columns(
    asked: Request,
    found: dict[str, SpecialColumn | None],
    schema: Schema | None,
    rule: ColumnsRule | None,
    *,
    in_place: bool,
) -> tuple[list[OutputColumn], list[OutputColumn], list[OutputColumn]]:
    """Those before the wildcard, its own and those behind it; all before it where there is none. `columns` stands once,
    where it or the wildcard is named first.
    """
    before: list[OutputColumn] = []
    own: list[OutputColumn] = []
    behind: list[OutputColumn] = []
    columns = before
    has_array = rule is not None and rule.mode == "required"
    cells = next((c for c in asked.columns if is_columns(c)), None) if has_array else None
    placed = False
    for place, column in enumerate((*asked.columns, None)):
        if place == asked.wildcard:
            columns = behind
            if has_array:
                own += [] if placed else [ColumnsArray(cells.name if cells else NAME)]
                placed = True
            else:
                own += _expanded(schema, {fold(c.name) for c in before})
        if column is None:
            break
        declares = schema.by_name.get(fold(column.name)) if schema else None
        if of_path := found[column.name]:
            if columns is before or declares is None or not (declares.of_path and declares.in_wildcard):
                columns.append(of_path)
        elif column is cells:
            if not placed:
                columns.append(ColumnsArray(column.name, None if asked.wildcard is not None else column.indexes))
            placed = True
        else:
            stays = in_place and not has_array and (columns is before or declares is None)
            if asked.wildcard is None or stays or (declares and not declares.in_wildcard):
                columns.append(TableColumn(column, declares))
    return before, own, behind


def _expanded(schema: Schema | None, named: Container[str]) -> Iterator[OutputColumn]:
    """What a wildcard stands for before any file is seen, without what the list has `named` before it."""
    if schema is None:
        yield Wildcard()
        return
    for column in schema.columns:
        of_path = declared(column, column.name)
        if column.in_wildcard and fold(column.name) not in named:
            yield (
                TableColumn(Requested(column.name), column)
                if of_path is None or isinstance(of_path, Fault)
                else of_path
            )


def _partitions(columns: Sequence[OutputColumn], special: SpecialColumns) -> Iterator[PartitionColumn]:
    named = {c.level for c in columns if isinstance(c, PartitionColumn)}
    for level in range(special.partitions_in_wildcard):
        if level not in named:
            yield PartitionColumn(f"{special.partition}{level}", level)


def asks(projection: ScanProjection, offered: Column) -> bool:
    """Whether a reader has to deliver a column that it offers: the filter that a reader is given."""
    name = fold(offered.name)
    if projection.reads_nothing:
        return False
    if projection.has_array:
        return name == NAME
    if name in projection.table_names:
        schema = projection.schema
        return schema is None or not schema.strict or name in schema.by_name
    return is_extra(projection, offered)


def is_extra(projection: ScanProjection, offered: Column) -> bool:
    """Whether a column is in the wildcard though neither the list nor the schema names it."""
    if projection.kind not in ("wildcard", "schema_wildcard") or not offered.in_wildcard:
        return False
    return fold(offered.name) not in projection.taken
