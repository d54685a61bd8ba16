"""The changes that the records of a batch make in a table: pure functions, which all stores share.

The result does not depend on where the records are cut into batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class LastVersion:
    """The newest version of a key in a table. `time`: of its last change, in epoch milliseconds; `is_current`: it began
    then, and has no end.
    """

    time: int
    is_current: bool


LastVersions = Callable[[Sequence[Key]], Iterable[tuple[Key, LastVersion]]]
"""Returns the newest versions that a table has of some keys, which differ."""


def changes_of(
    schema: TableSchema, records: Iterable[StoredRecord], last_versions: LastVersions
) -> tuple[list[Change], int]:
    """Return the changes that records make in a table, and how many records of a history have a time before that of
    their predecessor. Raises LsqlcError as `TableSchema.reader`.
    """
    if schema.keep == "history":
        return versions(schema, records, last_versions)
    return (appended if schema.keep == "all" else current)(schema, records), 0


def appended(schema: TableSchema, records: Iterable[StoredRecord]) -> list[Change]:
    """Return a row for each record with a value. Raises LsqlcError as `TableSchema.reader`."""
    read = schema.reader()
    rows = (read(record)[1] for record in records)
    return [Change("insert", row) for row in rows if row is not None]


def current(schema: TableSchema, records: Iterable[StoredRecord]) -> list[Change]:
    """Return the newest row of each key, and the keys whose newest record has no value.

    A record whose key is null is no row. Raises LsqlcError as `TableSchema.reader`.
    """
    read, width = schema.reader(), len(schema.columns)
    newest: dict[Any, tuple[Key, tuple[Any, ...] | None]] = {}
    for record in records:
        if record.key is not None:
            key, row = read(record)
            newest[comparable(key)] = key, row
    return [
        Change("delete", _padded(key, width)) if row is None else Change("upsert", row) for key, row in newest.values()
    ]


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
    schema: TableSchema, records: Iterable[StoredRecord], last_versions: LastVersions
) -> tuple[list[Change], int]:
    """Return the changes that records make, and the number of those whose time is before that of their predecessor.

    A version is valid from the time of its record on, until that of the next one. A record with an earlier time than
    its predecessor counts from the predecessor's time on, so that versions have neither gaps nor overlaps. The last
    one of records with values and the same time counts. A row that is deleted at the time of its record has a version
    without a duration. A record whose key is null is no row. Raises LsqlcError as `TableSchema.reader`.
    """
    read = schema.reader()
    by_key: dict[Any, tuple[Key, list[tuple[int, tuple[Any, ...] | None]]]] = {}
    for record in records:
        if record.key is not None:
            key, row = read(record)
            by_key.setdefault(comparable(key), (key, []))[1].append((record.timestamp, row))
    stored = {comparable(key): version for key, version in last_versions([key for key, _ in by_key.values()])}
    changes: list[Change] = []
    late = 0
    for id, (key, rows) in by_key.items():
        history = _begun(key, stored.get(id))
        late += sum(_add(history, time, row) for time, row in rows)
        changes += _changes(schema, history)
    return changes, late


def comparable(value: Any) -> Any:
    """Return a value of a dictionary's key, which is equal for equal values: the order of entries does not count, and
    NaN is equal to itself. Lists and structs have no hash of their own.
    """
    match value:
        case tuple() | list():
            return tuple(map(comparable, value))
        case dict():
            return frozenset((name, comparable(each)) for name, each in value.items())
        case float() if value != value:
            return "NaN"
    return value


def _begun(key: Key, last: LastVersion | None) -> _History:
    if last is None:
        return _History(key, _NEVER, [])
    return _History(key, last.time, [_Version(last.time, None, is_stored=True)] if last.is_current else [])


def _add(history: _History, time: int, row: tuple[Any, ...] | None) -> bool:
    """Add a row, or a deletion, to a history. Returns whether its time is before that of the newest change."""
    version = history.current
    if version is None and row is None:
        # A table keeps nothing of a row that is deleted again.
        return False
    is_late = history.time > time
    history.time = time = max(time, history.time)
    if version is not None and version.start == time and row is not None:
        version.row = row
        return is_late
    if version is not None:
        version.end = time
    if row is not None:
        history.versions.append(_Version(time, row))
    return is_late


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
