"""Columns as a schema declares them or as a reader offers them, and what stands in for one that a file lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal as Number
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


class Schema(msgspec.Struct, frozen=True):
    """A declared schema. `strict`: a file's other columns are ignored; otherwise they follow the declared ones."""

    columns: tuple[Column, ...]
    strict: bool = False


def find(columns: Iterable[Column], name: str) -> Column | None:
    """The column of that name, letter case aside."""
    return next((c for c in columns if fold(c.name) == fold(name)), None)


def member(type: DataType, name: str) -> Field | None:
    """The member of a struct by its name, letter case aside; None for any other type."""
    fields = type.fields if isinstance(type, Struct) else ()
    return next((f for f in fields if fold(f.name) == fold(name)), None)


def twins(columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """Names that differ at most in letter case, two or more together."""
    count = Counter(fold(c.name) for c in columns)
    return [tuple(c.name for c in columns if fold(c.name) == name) for name, n in count.items() if n > 1]


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
