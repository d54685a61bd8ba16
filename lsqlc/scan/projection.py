"""The scan-level projection: what a query asks of a scan, known before any file is seen.

The output columns stand in the order of the SELECT list. A wildcard stands for the columns of the file, and the list's
own columns of the file fall away beside it, since it has them. With a declared schema it is the schema's columns, in
the schema's order and spelling, without those that only a query by name gets. `reader.resolve` is the second step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lsqlc.scan.columns import Column, Schema, find, twins
from lsqlc.scan.columns_array import NAME, ColumnsArray, ColumnsRule, check_columns, is_columns
from lsqlc.scan.faults import Fault, same_name_twice
from lsqlc.scan.request import Path, Request, Requested, fold, request
from lsqlc.scan.shapes import shape_fault
from lsqlc.scan.special import FileColumn, PartitionColumn, SpecialColumns, recognise

ProjectionKind = Literal["empty", "wildcard", "explicit", "schema_wildcard", "strict_schema_wildcard"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of the file, which a file may lack. `declared`: what the schema says of it, if anything."""

    asked: Requested
    declared: Column | None = None

    @property
    def name(self) -> str:
        return self.asked.name


@dataclass(frozen=True, slots=True)
class Wildcard:
    """The place of the file's own columns, whatever they are."""

    @property
    def name(self) -> str:
        return "*"


SpecialColumn = FileColumn | PartitionColumn
OutputColumn = TableColumn | Wildcard | ColumnsArray | SpecialColumn


@dataclass(frozen=True, slots=True)
class ScanProjection:
    """`entries` is the length of the SELECT list; `faults` is empty where the query can be resolved against a file."""

    kind: ProjectionKind
    entries: int
    columns: tuple[OutputColumn, ...]
    schema: Schema | None = None
    faults: tuple[Fault, ...] = ()

    @property
    def is_wildcard(self) -> bool:
        """Whether the query has a `*`."""
        return self.kind not in ("empty", "explicit")

    @property
    def reads_nothing(self) -> bool:
        """Whether no column of a file is needed, only that there are records: `COUNT(*)`, or columns of the path."""
        return all(isinstance(c, SpecialColumn) for c in self.columns) and not self.is_wildcard


def project(
    select: Sequence[Path] | None,
    schema: Schema | None = None,
    *,
    special: SpecialColumns | None = None,
    columns_rule: ColumnsRule | None = None,
) -> ScanProjection:
    """What a SELECT list asks of a scan. None: every column, as `*`.

    `special`: the columns of the path that the source has; None: none. `columns_rule`: what the source says of the
    array `columns`; None: it is a name like any other. A schema without columns is none.
    """
    if schema is not None and not schema.columns:
        schema = None
    asked = request(select)
    found = {c.name: recognise(c, special) if special else None for c in asked.columns}
    table = [c for c in asked.columns if found[c.name] is None]
    columns = list(_columns(asked, found, schema, columns_rule))
    if special and asked.wildcard is not None:
        columns += _partitions(columns, special)
    faults = _faults(asked, table, schema, columns_rule)
    return ScanProjection(_kind(asked, schema), asked.entries, tuple(columns), schema, faults)


def _kind(asked: Request, schema: Schema | None) -> ProjectionKind:
    if asked.wildcard is None:
        return "explicit" if asked.columns else "empty"
    if schema is None:
        return "wildcard"
    return "strict_schema_wildcard" if schema.strict else "schema_wildcard"


def _faults(
    asked: Request, table: Sequence[Requested], schema: Schema | None, rule: ColumnsRule | None
) -> tuple[Fault, ...]:
    faults = [same_name_twice(names) for names in twins(schema.columns)] if schema else []
    if rule:
        faults += check_columns(table, asked.wildcard is not None, rule)
    for column in table:
        declared = find(schema.columns, column.name) if schema else None
        wrong = shape_fault(column, declared.field.type, column.name) if declared else None
        faults += [wrong] if wrong else []
    return tuple(faults)


def _columns(
    asked: Request, found: dict[str, SpecialColumn | None], schema: Schema | None, rule: ColumnsRule | None
) -> Iterator[OutputColumn]:
    """In the order of the list; `columns` stands once, where it or the wildcard is named first."""
    has_array = rule is not None and rule.mode == "required"
    cells = next((c for c in asked.columns if is_columns(c)), None) if has_array else None
    placed = False
    for place, column in enumerate((*asked.columns, None)):
        if place == asked.wildcard and not (has_array and placed):
            placed = True
            yield from [ColumnsArray(cells.name if cells else NAME)] if has_array else _expanded(schema)
        if column is None:
            break
        if of_path := found[column.name]:
            yield of_path
        elif column is cells:
            if not placed:
                yield ColumnsArray(column.name, None if asked.wildcard is not None else column.indexes)
            placed = True
        elif asked.wildcard is None or _left_out(column, schema):
            yield TableColumn(column, find(schema.columns, column.name) if schema else None)


def _expanded(schema: Schema | None) -> Iterator[OutputColumn]:
    if schema is None:
        yield Wildcard()
        return
    for column in schema.columns:
        if column.in_wildcard:
            yield TableColumn(Requested(column.name), column)


def _left_out(column: Requested, schema: Schema | None) -> bool:
    """Whether a wildcard lacks a column that the list names: one that is declared to be got by name only."""
    declared = find(schema.columns, column.name) if schema else None
    return declared is not None and not declared.in_wildcard


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
    if any(isinstance(c, ColumnsArray) for c in projection.columns):
        return name == NAME
    if any(isinstance(c, TableColumn) and fold(c.name) == name for c in projection.columns):
        schema = projection.schema
        return schema is None or not schema.strict or find(schema.columns, name) is not None
    return is_extra(projection, offered)


def is_extra(projection: ScanProjection, offered: Column) -> bool:
    """Whether a column is in the wildcard though neither the list nor the schema names it."""
    if projection.kind not in ("wildcard", "schema_wildcard") or not offered.in_wildcard:
        return False
    # A special column that the list names has taken the name.
    named = (c.name for c in projection.columns)
    declared = (c.name for c in projection.schema.columns) if projection.schema else ()
    return fold(offered.name) not in {fold(n) for n in (*named, *declared)}
