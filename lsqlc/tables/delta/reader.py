"""A Delta table as a reader sees it: its versions, their commits, and the rows that a version has changed.

The library gives the rows that a version has changed, from the files that its commit names. That needs no change data
feed in the table. The rows of two versions are compared where the library cannot do so. These are files with deletion
vectors, with other names of columns, or with escaped characters in their paths, and a commit with a new schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.sql.duckdb import quoted
from lsqlc.tables import arrow
from lsqlc.tables.delta.commits import Commit, parse_commit
from lsqlc.tables.delta.source import TableColumns, table_columns
from lsqlc.tables.record import Row
from lsqlc.tables.schema import TableColumn
from lsqlc.types.data import Struct

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from deltalake.fs import DeltaStorageHandler
    from pyarrow import ChunkedArray
    from pyarrow import Table as ArrowTable

_MAPPING = "delta.columnMapping.mode"
_CHANGE = "_change_type"
# Words of the library about a file or a commit that is no longer there.
_ABSENT = re.compile("not found|no such file|found gap|end version", re.IGNORECASE)
_NEW = ("insert", "update_postimage")


@dataclass(frozen=True, slots=True)
class Change:
    """The rows of a version that differ from the version before: Arrow tables with the columns that were asked for.

    `new`: rows that were added, or changed; `old`: rows as they were. Rows of rewritten files that are the same are in
    both.
    """

    new: ArrowTable
    old: ArrowTable


# Without slots, which have no room for cached properties.
@dataclass(frozen=True)
class DeltaReader:
    """The newest version of a table at the moment of the first use. `address`: the table in messages; `topic`: the one
    that has its rows; `options`: of the object store.

    Every method raises LsqlcError: LSQ610 for a table that cannot be read, LSQ613 for a version of earlier that cannot.
    """

    uri: str
    address: str
    topic: str
    options: dict[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def table(self) -> DeltaTable:
        """The table."""
        from deltalake import DeltaTable

        try:
            if Path(self.uri).is_file() or not DeltaTable.is_deltatable(self.uri, self.options):
                raise LsqlcError([_no_table(self.address, self.topic)])
            return DeltaTable(self.uri, storage_options=self.options)
        except LsqlcError:
            raise
        except Exception as error:
            raise self._unreadable(None, error) from error

    @property
    def version(self) -> int:
        """The number of the newest version."""
        return self.table.version()

    @property
    def id(self) -> str:
        """The id of the table, which another table under the same path does not have."""
        return str(self.table.metadata().id)

    @cached_property
    def columns(self) -> TableColumns:
        """The columns of the newest version."""
        return self._columns(self.table)

    def columns_of(self, version: int) -> TableColumns:
        """Return the columns of a version."""
        return self._columns(self._at(version))

    def commit(self, version: int) -> Commit | None:
        """Return the commit of a version; None if the log no longer has it."""
        try:
            with self._files.open_input_file(f"_delta_log/{version:020}.json") as file:
                return parse_commit(version, file.read())
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._unreadable(version, error) from error

    @cached_property
    def _files(self) -> DeltaStorageHandler:
        """The files of the table. One client of an object store serves all commits."""
        from deltalake.fs import DeltaStorageHandler

        return DeltaStorageHandler(self.uri, self.options)

    def rows(self, columns: Struct) -> ArrowTable:
        """Return all rows of the newest version."""
        try:
            return _selected(_read(self.table), columns)
        except Exception as error:
            raise self._unreadable(None, error) from error

    def rows_in_range(self, version: int, columns: Struct, like: ArrowTable) -> ArrowTable:
        """Return some columns of the rows of a version, those at least whose values are between the least and the
        greatest one of each column of `like`. Files with other values only are not read.
        """
        try:
            predicate = " AND ".join(filter(None, (_range(name, like.column(name)) for name in like.column_names)))
            rows = _read(self._at(version), [f.name for f in columns.fields], predicate or None)
            return _selected(rows, columns)
        except LsqlcError:
            raise
        except Exception as error:
            raise self._unreadable(version, error) from error

    def change(self, commit: Commit, columns: Struct) -> Change:
        """Return the rows that a commit has changed."""
        try:
            if self._is_in_feed(commit):
                return self._of_feed(commit.version, columns)
            new = _selected(_read(self._at(commit.version)), columns)
            before = self._at(commit.version - 1) if commit.version else None
            old = new.slice(0, 0) if before is None else _selected(_read(before), columns)
        except LsqlcError:
            raise
        except Exception as error:
            raise self._unreadable(commit.version, error) from error
        return Change(new, old)

    def _is_in_feed(self, commit: Commit) -> bool:
        """Return whether the library reads the rows of a commit from the files that the commit names."""
        configuration = self.table.metadata().configuration
        if configuration.get(_MAPPING, "none") != "none" or commit.has_escapes:
            return False
        if commit.has_metadata and not commit.has_feed:
            return False
        features = self.table.protocol().reader_features or ()
        return commit.has_changes or not commit.removes or "deletionVectors" not in features

    def _of_feed(self, version: int, columns: Struct) -> Change:
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = _with_nulls(self.table, pa.table(self.table.load_cdf(version, version)))
        is_new = pc.is_in(rows.column(_CHANGE).cast(pa.string()), pa.array(_NEW))
        selected = _selected(rows, columns)
        return Change(selected.filter(is_new), selected.filter(pc.invert(is_new)))

    def _columns(self, table: DeltaTable) -> TableColumns:
        return table_columns(table.schema().to_json())

    def _at(self, version: int) -> DeltaTable:
        from deltalake import DeltaTable

        if version == self.version:
            return self.table
        try:
            return DeltaTable(self.uri, version=version, storage_options=self.options)
        except Exception as error:
            raise self._unreadable(version, error) from error

    def _unreadable(self, version: int | None, error: Exception) -> LsqlcError:
        lines = str(error).strip().splitlines()
        clause = lines[0][:300] if lines else type(error).__name__
        if version is not None and version < self.version and _ABSENT.search(str(error)):
            return LsqlcError([no_version(self.topic, self.address, version, clause)])
        message = f"the Delta table '{self.address}' of the topic '{self.topic}' cannot be read: {clause}"
        help = "correct `path` or `store` of the topic, or the options of the store in profiles.yml"
        return LsqlcError([Diagnostic("LSQ610", message, help=help)])


def no_version(topic: str, address: str, version: int, reason: str) -> Diagnostic:
    """Return LSQ613 for a version that cannot be read. `reason`: a clause."""
    return Diagnostic(
        "LSQ613",
        f"version {version} of the Delta table '{address}' of the topic '{topic}' cannot be read any more",
        notes=(reason,),
        help=f"read the table again: `lsqlc tables load {topic} --full-refresh`",
    )


def _no_table(address: str, topic: str) -> Diagnostic:
    message = f"there is no Delta table '{address}', which the topic '{topic}' reads"
    help = "correct `path` or `store` of the topic: a folder with `_delta_log` in it"
    return Diagnostic("LSQ610", message, help=help)


def _read(table: DeltaTable, columns: list[str] | None = None, predicate: str | None = None) -> ArrowTable:
    """Return the rows of a table. `columns`: None: all; `predicate`: a condition of SQL."""
    import pyarrow as pa

    return _with_nulls(table, pa.table(table.scan(columns, predicate)))


def _with_nulls(table: DeltaTable, rows: ArrowTable) -> ArrowTable:
    """Return rows of a table with nulls for empty partition values, which the protocol takes for null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = {"string": pa.string(), "binary": pa.binary()}
    partitions = set(table.metadata().partition_columns)
    for column in table.schema().fields:
        place = rows.schema.get_field_index(column.name)
        type = types.get(str(getattr(column.type, "type", "")))
        if column.name in partitions and place >= 0 and type is not None:
            values = rows.column(place).cast(type)
            empty = pc.equal(pc.binary_length(values), 0)
            rows = rows.set_column(place, column.name, pc.if_else(empty, pa.scalar(None, type), values))
    return rows


def _range(name: str, values: ChunkedArray) -> str | None:
    """Return the condition of SQL that a column is in the range of some values, none of which is null. None for a type
    whose values are not compared.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_integer(values.type) or pa.types.is_string(values.type)):
        return None
    bounds = (pc.min(values).as_py(), pc.max(values).as_py())
    least, greatest = ("'" + b.replace("'", "''") + "'" if isinstance(b, str) else str(b) for b in bounds)
    return f"{quoted(name)} BETWEEN {least} AND {greatest}"


def _selected(rows: ArrowTable, columns: Struct) -> ArrowTable:
    """Return some columns, in their order, with the types of topics. A column that the rows lack is null."""
    import pyarrow as pa

    schema = arrow.arrow_schema(_table_columns(columns), has_time=False)
    present = set(rows.column_names)
    arrays = [
        rows.column(f.name).cast(f.type) if f.name in present else pa.nulls(rows.num_rows, f.type) for f in schema
    ]
    return pa.table(arrays, schema=schema)


def _table_columns(columns: Struct) -> list[TableColumn]:
    return [TableColumn(f.name, f.type, True, "value", (f.name,)) for f in columns.fields]


class RowEngine:
    """A connection to DuckDB, for queries over Arrow tables. To open one takes longer than a query over a few rows."""

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")

    def rows(
        self, tables: Mapping[str, ArrowTable], query: str, columns: Struct, first: Sequence[str] = ()
    ) -> ArrowTable:
        """Return the rows of a query over some tables, in a stable order: by the expressions `first`, then by all
        columns. `columns`: those that the query gives.
        """
        order = ", ".join(f"{part} NULLS FIRST" for part in (*first, *(quoted(f.name) for f in columns.fields)))
        for name, table in tables.items():
            self._connection.register(name, table)
        try:
            return self._connection.sql(f"SELECT * FROM ({query}) ORDER BY {order}").to_arrow_table()
        finally:
            for name in tables:
                self._connection.unregister(name)


def row_values(rows: ArrowTable, columns: Struct, at_once: int = 10_000) -> Iterator[Row]:
    """Yield rows as Python values in the form of records. `at_once`: how many rows are converted together."""
    import pyarrow as pa

    names = _table_columns(columns)
    for batch in rows.to_batches(max_chunksize=at_once):
        yield from arrow.rows_of(names, pa.Table.from_batches([batch]))
