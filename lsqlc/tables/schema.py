"""The columns of a table that follows a topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, listing
from lsqlc.formats.windows import key_in_window, windowed
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, Primitive, Struct
from lsqlc.types.record import LATEST, Facet, StoredRecord, Topic

Keep = Literal["current", "all", "history"]
"""Which rows a table has: the newest of each key, all records, or all versions of each key with their times."""

WHOLE_KEY = "_key"
WHOLE_VALUE = "_value"
VALID_FROM = "_valid_from"
VALID_TO = "_valid_to"
IS_CURRENT = "_is_current"
# The prefix of the names of columns that stores add.
_OWN = "_lsqlc"
# The first time that a TIMESTAMP can have, 0001-01-01, in epoch milliseconds.
_FIRST = -62_135_596_800_000
# The bounds of the window around a key, which are epoch milliseconds in a record.
_BOUNDS = {"start": "window_start", "end": "window_end"}


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column. `facet`: where its value is in a record; `version`: it belongs to the version of a row. `path`: the
    names of the fields that lead to it; none: it is the whole facet. `is_bound`: epoch milliseconds in the record, a
    TIMESTAMP in the table. `is_copied`: the value of each record has a field of this name too, with the same value.
    """

    name: str
    type: DataType
    nullable: bool
    facet: Literal["key", "value", "version"]
    path: tuple[str, ...] = ()
    is_bound: bool = False
    is_copied: bool = False

    def of(self, facet: Any) -> Any:
        """Return the column's value in a key or a value that is not null."""
        value = facet
        for name in self.path:
            value = None if value is None else value[name]
        return time_of(value) if self.is_bound else value


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The columns of a table, those of the key first, and which rows it has."""

    topic: Topic
    keep: Keep
    columns: tuple[TableColumn, ...]

    @property
    def key(self) -> tuple[TableColumn, ...]:
        """Return the columns of the key; none for a topic without one."""
        return tuple(column for column in self.columns if column.facet == "key")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(column.name for column in self.columns)

    def reader(self) -> Callable[[StoredRecord], tuple[tuple[Any, ...], tuple[Any, ...] | None]]:
        """Return a function from a record to the key and the row. The row has no columns of versions, and is None for
        a record without a value.

        The function raises LsqlcError LSQ567 for a record whose value has other columns of the key.
        """
        keys, values = self.key, tuple(column for column in self.columns if column.facet == "value")
        copied = tuple(column for column in keys if column.is_copied)

        def read(record: StoredRecord) -> tuple[tuple[Any, ...], tuple[Any, ...] | None]:
            key = tuple([None if record.key is None else column.of(record.key) for column in keys])
            if record.value is None:
                return key, None
            for column in copied:
                if not _is_same(record.value[column.name], column.of(record.key)):
                    raise LsqlcError([_other_key(self.topic, record, column)])
            return key, (*key, *[column.of(record.value) for column in values])

        return read


def table_schema(topic: Topic, keep: Keep, key_names: tuple[str, ...], span: Span | None) -> TableSchema:
    """Return the columns of a table that follows a topic: those of its key, and the fields of its value.

    A key of one part is called `_key`, and the fields of a struct have their names. The bounds of a window are
    `window_start` and `window_end`. `key_names`: other names of the columns of the key, in their order. A column of the
    key that the value has too, with the same type, is one column. Raises LsqlcError LSQ560 for a topic that no such
    table can follow. `span`: of the declaration.
    """
    if keep != "all" and topic.key.is_absent:
        message = f"the topic '{topic.name}' has no key, so a table cannot have its {keep} rows"
        raise _unfit(message, "write `keep: all`: each record becomes a row", span)
    # The key of a row is not null as a whole.
    keys = _key_columns(topic.key, nullable=keep == "all")
    nested = [column.name for column in keys if not isinstance(column.type, Primitive | Decimal)]
    if keep != "all" and nested:
        message = f"the key of '{topic.name}' has parts inside of parts, by which no store tells rows apart"
        note = f"its column '{nested[0]}' is {next(column.type for column in keys if column.name == nested[0])}"
        help = "write `keep: all`, or give the topic a key of columns without parts"
        raise LsqlcError([Diagnostic("LSQ560", message, span, notes=(note,), help=help)])
    if key_names:
        if len(key_names) != len(keys):
            message = f"the key of '{topic.name}' has {len(keys)} columns, not {len(key_names)}"
            raise _unfit(message, f"give a name for each of {listing(c.name for c in keys)}", span)
        keys = tuple(_renamed(column, name) for column, name in zip(keys, key_names, strict=True))
    values = _value_columns(topic.value)
    by_name = {column.name: column for column in values}
    if len(by_name) < len(values):
        raise _unfit(f"the value of '{topic.name}' has two columns of one name", "rename one of them", span)
    merged: list[TableColumn] = []
    for column in keys:
        same = by_name.get(column.name)
        if same is None or not same.path:
            merged.append(column)
        elif same.type == column.type and not column.is_bound:
            merged.append(_copied(column))
        else:
            message = f"the key and the value of '{topic.name}' both have a column '{column.name}', of different types"
            raise _unfit(message, f"name the columns of the key: `key: [key_{column.name}]`", span)
    key_columns = {column.name for column in merged}
    columns = (*merged, *(column for column in values if column.name not in key_columns), *(_VERSION[keep]))
    own = [column.name for column in columns if column.name.lower().startswith(_OWN)]
    if own:
        raise _unfit(f"the column '{own[0]}' of '{topic.name}' has a name of lsqlc", "rename it in the query", span)
    lower_names = [column.name.lower() for column in columns]
    twice = sorted({column.name for column in columns if lower_names.count(column.name.lower()) > 1})
    if twice:
        message = f"columns of '{topic.name}' differ by letter case alone, or have a name of lsqlc: {listing(twice)}"
        raise _unfit(message, "rename them in the query", span)
    return TableSchema(topic, keep, columns)


def time_of(milliseconds: int) -> datetime:
    """Return the time of a number of milliseconds. One outside of the years 1 to 9999 is the first or the last time."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=max(_FIRST, min(milliseconds, LATEST)))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values of a key are equal: NaN is equal to itself."""
    return bool(one == other or (one != one and other != other))


_VERSION: Mapping[Keep, tuple[TableColumn, ...]] = {
    "current": (),
    "all": (),
    "history": (
        TableColumn(VALID_FROM, data.TIMESTAMP, False, "version"),
        TableColumn(VALID_TO, data.TIMESTAMP, True, "version"),
        TableColumn(IS_CURRENT, data.BOOLEAN, False, "version"),
    ),
}


def _key_columns(key: Facet, *, nullable: bool) -> tuple[TableColumn, ...]:
    if key.is_absent:
        return ()
    inner = key_in_window(key.type) if windowed(key.format) is not None else None
    if inner is None:
        return _parts(key.type, (), nullable=nullable)
    bounds = (
        TableColumn(name, data.TIMESTAMP, False, "key", (field,), is_bound=True) for field, name in _BOUNDS.items()
    )
    return (*_parts(inner.type, (inner.name,), nullable=nullable), *bounds)


def _parts(type: DataType, path: tuple[str, ...], *, nullable: bool) -> tuple[TableColumn, ...]:
    """Return the columns of a key without a window: its fields, or itself."""
    if not isinstance(type, Struct) or not type.fields:
        return (TableColumn(WHOLE_KEY, type, nullable, "key", path),)
    return tuple(TableColumn(f.name, f.type, nullable or f.nullable, "key", (*path, f.name)) for f in type.fields)


def _value_columns(value: Facet) -> tuple[TableColumn, ...]:
    if value.is_absent:
        return ()
    if not isinstance(value.type, Struct) or not value.type.fields:
        return (TableColumn(WHOLE_VALUE, value.type, True, "value"),)
    return tuple(TableColumn(f.name, f.type, f.nullable, "value", (f.name,)) for f in value.type.fields)


def _renamed(column: TableColumn, name: str) -> TableColumn:
    return replace(column, name=name)


def _copied(column: TableColumn) -> TableColumn:
    return replace(column, is_copied=True)


def _unfit(message: str, help: str, span: Span | None) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ560", message, span, help=help)])


def _other_key(topic: Topic, record: StoredRecord, column: TableColumn) -> Diagnostic:
    message = f"a record of '{topic.name}' has another '{column.name}' in its value than in its key"
    note = f"the key has {column.of(record.key)!r}, the value has {record.value[column.name]!r}"
    help = f"give the column of the key a name of its own: `key: [key_{column.name}]`"
    return Diagnostic("LSQ567", message, notes=(note,), help=help)
