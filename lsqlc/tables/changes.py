"""The changes that the records of a batch make in a table: pure functions, which all stores share.

The result does not depend on where the records are cut into batches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.tables.schema import TableSchema, time_of
from lsqlc.types.record import StoredRecord

Key = tuple[Any, ...]
# Before the times of all records.
_NEVER = -1


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one row. `row`: the values of all columns, or of those of the key alone, followed by None.

    `insert`: a new row. `upsert`: the row of this key is this one. `delete`: there is no row of this key. Two change
    the current version of a key: `close` sets its end and says that it is no longer current, `replace` gives it other
    values, and an end where it has one.
    """

    action: Literal["insert", "upsert", "delete", "close", "replace"]
    row: tuple[Any, ...]


def appended(schema: TableSchema, records: Iterable[StoredRecord]) -> list[Change]:
    """Return a row for each record with a value. Raises LsqlcError as `TableSchema.reader`."""
    read = schema.reader()
    rows = (read(record)[1] for record in records)
    return [Change("insert", row) for row in rows if row is not None]


def current(schema: TableSchema, records: Iterable[StoredRecord]) -> list[Change]:
    """Return the newest row of each key, and the keys whose newest record has no value. A record whose key is null is
    no row. Raises LsqlcError as
    `TableSchema.reader`.
    """
    read, width = schema.reader(), len(schema.columns)
    newest: dict[Any, tuple[Key, tuple[Any, ...] | None]] = {}
    for record in records:
        if record.key is not None:
            key, row = read(record)
            newest[_hashable(key)] = key, row
    return [
        Change("delete", _padded(key, width)) if row is None else Change("upsert", row) for key, row in newest.values()
    ]


@dataclass(frozen=True, slots=True)
class LastVersion:
    """The newest version of a key in a table. `time`: of its last change, in epoch milliseconds; `is_current`: it began
    then, and has no end.
    """

    time: int
    is_current: bool


@dataclass(slots=True)
class _Version:
    """A version of a row. `row` None: the stored row does not change."""

    start: int
    row: tuple[Any, ...] | None
    is_stored: bool = False
    end: int | None = None


@dataclass(slots=True)
class _History:
    """The additions of a batch to a key. `time`: of its newest change."""

    key: Key
    time: int
    versions: list[_Version]

    @property
    def current(self) -> _Version | None:
        """The version without an end."""
        return self.versions[-1] if self.versions and self.versions[-1].end is None else None


def versions(
    schema: TableSchema, records: Iterable[StoredRecord], last: Iterable[tuple[Key, LastVersion]]
) -> tuple[list[Change], int]:
    """Return the changes that records make, and the number of those whose time is before that of their predecessor.

    `last`: the newest versions that the table has of their keys.

    A version is valid from the time of its record on, until that of the next one. A record with an earlier time than
    its predecessor counts from the predecessor's time on, so that versions have neither gaps nor overlaps. The last
    one of records with values and the same time counts. A row that is deleted at the time of its record has a version
    without a duration. A record whose key is null is no row. Raises LsqlcError as `TableSchema.reader`.
    """
    read, late = schema.reader(), 0
    stored = {_hashable(key): version for key, version in last}
    histories: dict[Any, _History] = {}
    for record in records:
        if record.key is None:
            continue
        key, row = read(record)
        id = _hashable(key)
        if id not in histories:
            histories[id] = _begun(key, stored.get(id))
        history = histories[id]
        version = history.current
        if version is None and row is None:
            # A table keeps nothing of a row that is deleted again.
            continue
        late += history.time > record.timestamp
        history.time = time = max(record.timestamp, history.time)
        if version is not None and version.start == time and row is not None:
            version.row = row
            continue
        if version is not None:
            version.end = time
        if row is not None:
            history.versions.append(_Version(time, row))
    return [change for history in histories.values() for change in _changes(schema, history)], late


def _begun(key: Key, last: LastVersion | None) -> _History:
    if last is None:
        return _History(key, _NEVER, [])
    return _History(key, last.time, [_Version(last.time, None, is_stored=True)] if last.is_current else [])


def _changes(schema: TableSchema, history: _History) -> Iterable[Change]:
    width = len(schema.columns)
    for version in history.versions:
        end = None if version.end is None else time_of(version.end)
        bounds = (time_of(version.start), end, version.end is None)
        if not version.is_stored:
            assert version.row is not None, "a new version has the row of its record"
            yield Change("insert", (*version.row, *bounds))
        elif version.row is not None:
            yield Change("replace", (*version.row, *bounds))
        elif version.end is not None:
            yield Change("close", (*_padded(history.key, width - len(bounds)), *bounds))


def _padded(key: Key, width: int) -> tuple[Any, ...]:
    return (*key, *(None,) * (width - len(key)))


def _hashable(value: Any) -> Any:
    """Return a key as a value of a dictionary: lists and structs have no hash."""
    match value:
        case tuple():
            return tuple(map(_hashable, value))
        case list():
            return ("list", *map(_hashable, value))
        case dict():
            return ("dict", *((name, _hashable(each)) for name, each in value.items()))
    return value
