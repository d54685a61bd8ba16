"""A Delta table that follows a topic.

The position of each part of the topic is the version of an application transaction. It is in the commit that writes
the rows. The log refuses a commit while another one has the same transaction, so that one of two writers
fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn

from lsqlc.connectors.transport import Positions
from lsqlc.sql.duckdb import quoted
from lsqlc.tables import arrow
from lsqlc.tables.columns import Changes, changes_table
from lsqlc.tables.lake import LakeTable
from lsqlc.tables.record import Conflict, Noted, TableState, unreachable
from lsqlc.tables.schema import IS_CURRENT, VALID_TO, TableColumn, TableSchema

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable
    from pyarrow import Table as ArrowTable

# Members of the table's configuration: the topic that it follows, and the parts of the topic that have a position.
_SOURCE = "lsqlc.source"
_PARTS = "lsqlc.parts"
# The column of the source of a merge that says what to do.
_ACTION = "_lsqlc_action"


@dataclass(frozen=True, slots=True)
class DeltaLakeTable(LakeTable["DeltaTable"]):
    """As `Table`. `uri`: of the table, which messages call `address`; `options`: of the object store."""

    uri: str
    address: str
    options: dict[str, str] = field(default_factory=dict, repr=False)

    def state(self) -> TableState | None:
        """Implement `Table.state`."""
        table = self._opened()
        if table is None:
            return None
        columns = {f.name: arrow.type_text(f.type) for f in arrow.fields_of(table.schema())}
        source = table.metadata().configuration.get(_SOURCE)
        return TableState(columns, source, _positions(table), str(table.version()))

    def type_name(self, column: TableColumn) -> str:
        """Implement `Table.type_name`."""
        return arrow.type_text(arrow.arrow_type(column.type, has_time=False))

    def create(self, schema: TableSchema, source: str) -> None:
        """Implement `Table.create`."""
        from deltalake import DeltaTable

        try:
            DeltaTable.create(
                self.uri,
                arrow.arrow_schema(schema.columns, has_time=False),
                configuration={_SOURCE: source},
                storage_options=self.options,
                raise_if_key_not_exists=False,
            )
        except Exception as error:
            self._fail("created", error)

    def add_columns(self, columns: Sequence[TableColumn]) -> None:
        """Implement `Table.add_columns`."""
        from deltalake import Field, Schema

        try:
            added = Schema.from_arrow(arrow.arrow_schema(columns, has_time=False))
            self._table().alter.add_columns([Field(f.name, f.type, nullable=True) for f in added.fields])
        except Exception as error:
            self._fail("changed", error)

    def clear(self, schema: TableSchema, source: str) -> None:
        """Implement `Table.clear`."""
        from deltalake import write_deltalake

        table = self._table()
        try:
            write_deltalake(
                table,
                arrow.arrow_table(schema.columns, [], has_time=False),
                mode="overwrite",
                schema_mode="overwrite",
                commit_properties=_transactions(table, dict.fromkeys(_positions(table), 0)),
            )
            # Behind the rows: with another source before that, the old positions would count for the new topic.
            properties = {_SOURCE: source, _PARTS: ""}
            self._table().alter.set_table_properties(properties, raise_if_not_exists=False)
        except Exception as error:
            self._fail("emptied", error)

    def apply(self, schema: TableSchema, changes: Changes, positions: Positions, before: Noted) -> None:
        """Implement `Table.apply`: appended rows, or one merge."""
        table = self._table()
        if Noted(table.metadata().configuration.get(_SOURCE), _positions(table)) != before:
            raise Conflict
        try:
            if not positions.keys() <= _parts(table):
                parts = ",".join(sorted(positions.keys() | _parts(table)))
                table.alter.set_table_properties({_PARTS: parts}, raise_if_not_exists=False)
            if schema.keep == "all" or not changes:
                # An append without rows notes positions.
                self._append(table, schema, changes, positions)
            else:
                self._merge(table, schema, changes, positions)
        except Exception as error:
            if type(error).__name__ == "CommitFailedError":
                raise Conflict from error
            self._fail("written", error)

    def maintain(self, retain_hours: int, now: datetime) -> str:
        """Implement `Table.maintain`."""
        table = self._table()
        try:
            compacted = table.optimize.compact()
            removed = table.vacuum(retention_hours=retain_hours, dry_run=False)
            table.cleanup_metadata()
        except Exception as error:
            self._fail("maintained", error)
        before, after = compacted["numFilesRemoved"], compacted["numFilesAdded"]
        return f"{before:,} files compacted to {after:,}, {len(removed):,} old files removed"

    def _append(self, table: DeltaTable, schema: TableSchema, changes: Changes, positions: Positions) -> None:
        from deltalake import write_deltalake

        rows, _ = changes_table(schema, changes, has_time=False)
        # Columns that the topic no longer has are null.
        write_deltalake(
            table, rows, mode="append", schema_mode="merge", commit_properties=_transactions(table, positions)
        )

    def _merge(self, table: DeltaTable, schema: TableSchema, changes: Changes, positions: Positions) -> None:
        keys = [
            # Without parentheses the library takes the AND behind it for a part of the second operand.
            f"(t.{quoted(c.name)} {'IS NOT DISTINCT FROM' if c.nullable else '='} s.{quoted(c.name)})"
            for c in schema.key
        ]
        same_row = [f"s.{_ACTION} <> 'insert'", *keys]
        if schema.keep == "history":
            same_row.append(f"t.{quoted(IS_CURRENT)}")
        everything = {quoted(name): f"s.{quoted(name)}" for name in schema.names}
        # Columns that the topic no longer has are null.
        former = [f.name for f in arrow.fields_of(table.schema()) if f.name not in schema.names]
        changed = everything | {quoted(name): "NULL" for name in former}
        ends = {quoted(name): f"s.{quoted(name)}" for name in (VALID_TO, IS_CURRENT)}
        merger = table.merge(
            _source(schema, changes),
            " AND ".join(same_row),
            source_alias="s",
            target_alias="t",
            commit_properties=_transactions(table, positions),
        )
        if schema.keep == "history":
            merger = merger.when_matched_update(ends, f"s.{_ACTION} = 'close'")
        merger = merger.when_matched_update(changed, f"s.{_ACTION} IN ('upsert', 'replace')")
        merger = merger.when_matched_delete(f"s.{_ACTION} = 'delete'")
        metrics = merger.when_not_matched_insert(everything, f"s.{_ACTION} IN ('insert', 'upsert')").execute()
        counts = ("num_target_rows_inserted", "num_target_rows_updated", "num_target_rows_deleted")
        if not any(metrics[count] for count in counts):
            # The library commits nothing, and the positions neither.
            self._append(table, schema, (), positions)

    def _scan(self, table: DeltaTable, names: Sequence[str]) -> ArrowTable:
        # By the engine of deltalake. pyarrow reads its files by Python code, and a thread of pyarrow that still does so
        # when Python ends aborts the process, or blocks it.
        import pyarrow as pa
        from deltalake import QueryBuilder

        columns = ", ".join(map(quoted, names))
        return pa.table(QueryBuilder().register("t", table).execute(f"SELECT {columns} FROM t"))

    def _opened(self) -> DeltaTable | None:
        from deltalake import DeltaTable

        try:
            if not DeltaTable.is_deltatable(self.uri, self.options):
                return None
            return DeltaTable(self.uri, storage_options=self.options)
        except Exception as error:
            self._fail("read", error)

    def _fail(self, doing: str, error: Exception) -> NoReturn:
        raise unreachable("Delta", self.address, doing, error) from error


def _parts(table: DeltaTable) -> frozenset[str]:
    parts = table.metadata().configuration.get(_PARTS)
    return frozenset(parts.split(",")) if parts is not None else frozenset()


def _positions(table: DeltaTable) -> dict[str, int]:
    versions = {part: table.transaction_version(_application(table, part)) for part in _parts(table)}
    # A table that was emptied has the version 0 of each.
    return {part: version for part, version in versions.items() if version}


def _transactions(table: DeltaTable, positions: Positions) -> CommitProperties:
    from deltalake import CommitProperties, Transaction

    parts = sorted(positions.items())
    return CommitProperties(
        app_transactions=[Transaction(_application(table, part), position) for part, position in parts]
    )


def _application(table: DeltaTable, part: str) -> str:
    """Return the application whose transactions have the position of a part. The table's own id is in it, so that the
    name of the project does not matter.
    """
    return f"lsqlc/{table.metadata().id}/{part}"


def _source(schema: TableSchema, changes: Changes) -> ArrowTable:
    import pyarrow as pa

    rows, actions = changes_table(schema, changes, has_time=False)
    return rows.append_column(_ACTION, pa.array(actions, pa.string()))
