"""Columns as a schema declares them or as a reader offers them, and what stands in for one that a file lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal as Number
from functools import cached_property
from typing import Any

import msgspec

from lsqlc.scan.request import fold
from lsqlc.types.data import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    DataType,
    Decimal,
    Field,
    Map,
    Primitive,
    Struct,
)


class Column(msgspec.Struct, frozen=True):
    """A column of a schema. `default`: its value where a file lacks it, of the column's type; None: none is declared.

    `in_wildcard` False: only a query that names the column gets it. `of_path`: it holds what the file's path says,
    and this is the standard name for that, in any letter case (see `special`); None: it is a column of the file.
    `learned`: nobody declares it, a file that was read before had it.
    """

    field: Field
    default: Any = None
    in_wildcard: bool = True
    of_path: str | None = None
    learned: bool = False

    @property
    def name(self) -> str:
        return self.field.name


class Schema(msgspec.Struct, frozen=True, dict=True):
    """A declared schema. `strict`: a file's other columns are ignored; otherwise they follow the declared ones."""

    columns: tuple[Column, ...]
    strict: bool = False

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by their folded names."""
        return by_name(self.columns)


def by_name(columns: Iterable[Column]) -> dict[str, Column]:
    """Columns by their folded names; of several with one name, the first."""
    found: dict[str, Column] = {}
    for column in columns:
        found.setdefault(fold(column.name), column)
    return found


def members(type: DataType) -> dict[str, tuple[int, Field]]:
    """The members of a struct, with their places, by their folded names; none for any other type."""
    found: dict[str, tuple[int, Field]] = {}
    for index, field in enumerate(type.fields if isinstance(type, Struct) else ()):
        found.setdefault(fold(field.name), (index, field))
    return found


def twins(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """Names that differ at most in letter case, two or more together."""
    names: dict[str, list[str]] = {}
    for column in columns:
        names.setdefault(fold(column.name), []).append(column.name)
    return [tuple(each) for each in names.values() if len(each) > 1]


def stand_in(field: Field, default: Any = None) -> Any:
    """The value of a declared column that a file lacks: null, or if it is NOT NULL its default, or its type's zero.

    A nullable column is null even where a default is declared (Drill, missing column loader).
    """
    if field.nullable:
        return None
    return zero(field.type) if default is None else default


_ZEROS: dict[DataType, Any] = {
    BOOLEAN: False,
    INT: 0,
    BIGINT: 0,
    FLOAT: 0.0,
    DOUBLE: 0.0,
    STRING: "",
    BYTES: b"",
    DATE: date(1970, 1, 1),
    TIME: time(0),
    TIMESTAMP: datetime(1970, 1, 1, tzinfo=UTC),
}


def zero(type: DataType) -> Any:
    """The empty or zero value of a type, times at the epoch; None for NULL."""
    match type:
        case Struct(fields):
            return {f.name: stand_in(f) for f in fields}
        case Array():
            return []
        case Map():
            return {}
        case Decimal(_, scale):
            return Number(0).scaleb(-scale)
        case Primitive():
            return _ZEROS.get(type)
