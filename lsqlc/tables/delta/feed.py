"""The rows of a Delta table as records of a topic: which versions are read, and what becomes of their rows.

The first part is the rows of the newest version, unless the topic begins with the commits from a version on. Each
further part is one version. The records of a part do not depend on when, or by whom, it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.sql.duckdb import quoted
from lsqlc.tables.delta.commits import Commit
from lsqlc.tables.delta.reader import DeltaReader, RowEngine, no_version, row_values
from lsqlc.tables.delta.source import DeltaSource, column_problems
from lsqlc.tables.record import Row
from lsqlc.types.data import Field, Struct
from lsqlc.types.record import Record, Topic

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable

_SEVERAL = "is the key of several rows"


@dataclass(frozen=True, slots=True)
class FeedPart:
    """The records of a version. `timestamp`: of its commit, and of its records, in epoch milliseconds."""

    version: int
    timestamp: int
    records: Iterator[Record]


# Without slots, which have no room for cached properties.
@dataclass(frozen=True)
class DeltaFeed:
    """The feed of a topic.

    Every method raises LsqlcError, as the reader does. LSQ611: a column does not fit. LSQ612: a topic of appended rows
    would lose rows. LSQ614: a key is null, or several rows have it. LSQ616: a value is out of range.
    """

    topic: Topic
    source: DeltaSource
    reader: DeltaReader

    @property
    def writer(self) -> str:
        """The name of the writer of the topic's segments."""
        return self.source.writer(self.reader.id)

    @cached_property
    def columns(self) -> Struct:
        """The columns of the topic, which the newest version has. Raises LsqlcError LSQ611."""
        value = self.topic.value.type
        assert isinstance(value, Struct), "the value of such a topic has columns"
        self._check(value, self.reader.version)
        return value

    @cached_property
    def _engine(self) -> RowEngine:
        return RowEngine()

    def parts(self, position: int | None) -> Iterator[FeedPart]:
        """Yield the parts after a position, in order; each must be read before the next. `position`: the first version
        that has not been read; None: nothing was read.
        """
        newest = self.reader.version
        if position is None and self.source.from_version is None:
            yield self._first(newest)
            return
        begin = self.source.from_version or 0 if position is None else position
        for version in range(begin, newest + 1):
            commit = self.reader.commit(version)
            if commit is None:
                raise LsqlcError(
                    [no_version(self.topic.name, self.reader.address, version, "the log has no commit of it")]
                )
            yield self._part(commit)

    def _first(self, version: int) -> FeedPart:
        """Return all rows of the newest version."""
        columns = self.columns
        commit = self.reader.commit(version)
        time = (commit.timestamp if commit else None) or 0
        rows = self.reader.rows(columns)
        if self.source.rows == "current":
            self._check_keys(rows, version)
        return FeedPart(version, time, self._records("SELECT * FROM new", {"new": rows}, time))

    def _part(self, commit: Commit) -> FeedPart:
        """Return the rows that a version has changed."""
        time, columns = commit.timestamp or 0, self.columns
        if commit.has_metadata:
            self._check(columns, commit.version)
        if not self._is_read(commit):
            return FeedPart(commit.version, time, iter(()))
        change = self.reader.change(commit, columns)
        tables = {"new": change.new, "old": change.old}
        if self.source.rows == "appended":
            return FeedPart(
                commit.version, time, self._records("SELECT * FROM new EXCEPT ALL SELECT * FROM old", tables, time)
            )
        self._check_keys(change.new, commit.version)
        self._check_new_keys(tables, commit.version)
        return FeedPart(commit.version, time, self._changes(tables, time))

    def _is_read(self, commit: Commit) -> bool:
        """Return whether a version has records. Raises LsqlcError LSQ612 for one that removes rows."""
        if self.source.rows == "current" or not commit.removes:
            return commit.adds or commit.removes
        if self.source.ignore == "changes" or (self.source.ignore == "deletes" and not commit.adds):
            return False
        raise LsqlcError([_removes(self.topic.name, self.source, self.reader.address, commit)])

    def _changes(self, tables: dict[str, ArrowTable], time: int) -> Iterator[Record]:
        """Yield a record of each row that differs, then one without a value of each key that is no longer there."""
        yield from self._records("SELECT * FROM new EXCEPT SELECT * FROM old", tables, time)
        removed, fields = f"SELECT DISTINCT {self._keys} FROM old ANTI JOIN new USING ({self._keys})", self._key_fields
        key_of = self._key_of(fields)
        for row in self._values(self._engine.rows(tables, removed, fields), fields):
            yield Record(self.topic.name, key_of(row), None, time)

    def _records(self, query: str, tables: dict[str, ArrowTable], time: int) -> Iterator[Record]:
        columns = self.columns
        names, key_of = [f.name for f in columns.fields], self._key_of(columns)
        event_time = self.topic.event_time
        first = [".".join(map(quoted, event_time.split(".")))] if event_time else []
        for row in self._values(self._engine.rows(tables, query, columns, first), columns):
            yield Record(self.topic.name, key_of(row), dict(zip(names, row, strict=True)), time)

    def _values(self, rows: ArrowTable, columns: Struct) -> Iterator[Row]:
        """Yield the values of rows. Raises LsqlcError LSQ616 for a value that no record can have."""
        try:
            yield from row_values(rows, columns)
        except (ValueError, OverflowError) as error:
            raise LsqlcError([_out_of_range(self.topic.name, self.reader.address, rows, columns, error)]) from error

    def _key_of(self, columns: Struct) -> Callable[[Sequence[Any]], Any]:
        """Return the function from a row with these columns to the key of its record."""
        names = [f.name for f in columns.fields]
        places = {name: names.index(name) for name in self.source.key}
        if len(places) > 1:
            return lambda row: {name: row[place] for name, place in places.items()}
        place = next(iter(places.values()), None)
        return lambda row: None if place is None else row[place]

    def _check(self, columns: Struct, version: int) -> None:
        newest = version == self.reader.version
        table = self.reader.columns if newest else self.reader.columns_of(version)
        problems = column_problems(self.topic.name, self.source.span, columns.fields, table, version, is_newest=newest)
        if diagnostics := list(problems):
            raise LsqlcError(diagnostics)

    def _check_keys(self, rows: ArrowTable, version: int) -> None:
        """Raise LsqlcError LSQ614 for rows whose key is null, or which have the same key."""
        keys = self._keys
        is_null = " OR ".join(f"{quoted(name)} IS NULL" for name in self.source.key)
        for what, query in (
            ("is null", f"SELECT DISTINCT {keys} FROM new WHERE {is_null}"),
            (_SEVERAL, f"SELECT {keys} FROM new GROUP BY {keys} HAVING count(*) > 1"),
        ):
            self._refuse_keys(what, self._engine.rows({"new": rows}, query, self._key_fields), version)

    def _check_new_keys(self, tables: dict[str, ArrowTable], version: int) -> None:
        """Raise LsqlcError LSQ614 for keys that a version adds, and that a row of an earlier version has still."""
        keys, fields = self._keys, self._key_fields
        query = f"SELECT {keys} FROM new ANTI JOIN old USING ({keys})"
        added = self._engine.rows(tables, query, fields)
        if not added.num_rows:
            return
        rows = self.reader.rows_in_range(version, fields, added)
        query = f"SELECT {keys} FROM rows SEMI JOIN added USING ({keys}) GROUP BY {keys} HAVING count(*) > 1"
        self._refuse_keys(_SEVERAL, self._engine.rows({"rows": rows, "added": added}, query, fields), version)

    def _refuse_keys(self, what: str, keys: ArrowTable, version: int) -> None:
        """Raise LsqlcError LSQ614 if there are keys."""
        row = next(row_values(keys, self._key_fields), None)
        if row is not None:
            key = dict(zip(self.source.key, row, strict=True))
            raise LsqlcError([self._bad_key(what, key, keys.num_rows, version)])

    @property
    def _keys(self) -> str:
        return ", ".join(map(quoted, self.source.key))

    @property
    def _key_fields(self) -> Struct:
        return Struct(tuple(f for name in self.source.key if (f := self.columns.field(name)) is not None))

    def _bad_key(self, what: str, key: dict[str, Any], count: int, version: int) -> Diagnostic:
        nulls = [name for name, value in key.items() if value is None]
        text = ", ".join(f"{name} {value}" for name, value in key.items())
        subject = f"the column {listing(nulls)} of the key" if nulls else f"the key {text}"
        return Diagnostic(
            "LSQ614",
            f"{subject} of the topic '{self.topic.name}' {what} in version {version} of the Delta table"
            f" '{self.reader.address}'",
            self.source.span,
            (f"there are {count:,} such keys",) if count > 1 else (),
            "name the columns that make a row unique in `key`, or read the rows as they are appended: `rows: appended`",
        )


def _out_of_range(topic: str, address: str, rows: ArrowTable, columns: Struct, error: Exception) -> Diagnostic:
    names = [field.name for field in columns.fields if not _is_in_range(rows, field)]
    message = f"a value of {listing(names)} in the Delta table '{address}' of the topic '{topic}' is out of range"
    help = "correct the rows in the table, or declare the other columns alone: `value: id BIGINT, name STRING`"
    return Diagnostic("LSQ616", message, notes=(str(error),), help=help)


def _is_in_range(rows: ArrowTable, field: Field) -> bool:
    columns = Struct((field,))
    try:
        for _ in row_values(rows.select([field.name]), columns):
            continue
    except (ValueError, OverflowError):
        return False
    return True


def _removes(topic: str, source: DeltaSource, address: str, commit: Commit) -> Diagnostic:
    effect = "changes or rewrites" if commit.adds else "removes"
    ignore = "changes" if commit.adds else "deletes"
    is_part = commit.adds and source.ignore == "deletes"
    whole = ("`ignore: deletes` passes over versions that only remove whole files",) if is_part else ()
    return Diagnostic(
        "LSQ612",
        f"version {commit.version} of the Delta table '{address}' {effect} rows, and the topic '{topic}' has appended"
        " rows",
        source.span,
        (
            *whole,
            f"`ignore: {ignore}` passes over such versions",
            f"`lsqlc tables load {topic} --full-refresh` starts with the current rows of the table",
        ),
        "read the current rows by their key: `rows: current` and `key: id`",
    )
