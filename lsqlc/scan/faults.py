"""What can be wrong between a query, a schema and a file: one kind each, with its message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lsqlc.types.data import DataType, Field

FaultKind = Literal[
    "columns-with-others",
    "columns-alone",
    "columns-members",
    "columns-index",
    "columns-disabled",
    "columns-missing",
    "not-a-struct",
    "not-an-array",
    "type-conflict",
    "new-column",
    "path-type",
    "path-unknown",
    "twins",
    "outside-root",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding without a place: `column` is the name it speaks of (a path for `outside-root`)."""

    kind: FaultKind
    column: str
    message: str


def columns_with_others(column: str) -> Fault:
    message = f"'columns' contains every cell of a line, and cannot be read together with '{column}'"
    return Fault("columns-with-others", column, message)


def columns_alone(column: str) -> Fault:
    return Fault("columns-alone", column, f"a file without a header only has the column 'columns', not '{column}'")


def columns_members(column: str) -> Fault:
    return Fault("columns-members", column, f"'{column}' is an array of cells and has no members")


def columns_index(column: str, index: int, limit: int) -> Fault:
    return Fault("columns-index", column, f"'{column}[{index}]' is beyond the {limit} cells that a line can have")


def columns_disabled(column: str) -> Fault:
    message = f"'{column}' has an index, which only the cells of a file without a header have"
    return Fault("columns-disabled", column, message)


def columns_missing(column: str) -> Fault:
    return Fault(
        "columns-missing", column, f"the query reads the array '{column}', which the file's reader does not support"
    )


def not_a_struct(column: str, found: DataType) -> Fault:
    return Fault("not-a-struct", column, f"the query reads members of '{column}', which is {found} and not a struct")


def not_an_array(column: str, found: DataType) -> Fault:
    return Fault("not-an-array", column, f"the query reads elements of '{column}', which is {found} and not an array")


def type_conflict(column: str, declared: Field, offered: Field, *, learned: bool = False) -> Fault:
    """`learned`: nobody declares the type, an earlier file has it."""
    said = f"is {_typed(declared)} in an earlier file" if learned else f"is declared {_typed(declared)}"
    return Fault("type-conflict", column, f"'{column}' {said}, and is {_typed(offered)} in the file")


def new_column(column: str) -> Fault:
    message = f"'{column}' is in no earlier file, and the first file defines the columns"
    return Fault("new-column", column, message)


def path_type(column: Field, what: str, *, nullable: bool) -> Fault:
    """`nullable`: it has to be, since some file may lie less deep than the folder that it holds."""
    wanted = "nullable STRING" if nullable else "STRING"
    message = f"'{column.name}' contains the {what} of each file, and must be {wanted}, not {_typed(column)}"
    return Fault("path-type", column.name, message)


def path_unknown(column: str, what: str, known: str) -> Fault:
    message = f"'{column}' is declared as '{what}', which is not a column of the path: those are {known}"
    return Fault("path-unknown", column, message)


def same_name_twice(names: Sequence[str]) -> Fault:
    listed = ", ".join(f"'{n}'" for n in names)
    return Fault("twins", names[0], f"{listed} only differ in letter case")


def outside_root(path: str, root: str) -> Fault:
    return Fault("outside-root", path, f"'{path}' is not below '{root}'")


def _typed(field: Field) -> str:
    return str(field.type) + ("" if field.nullable else " NOT NULL")
