"""An Iceberg table that follows a topic.

The positions are a property of the table, set in the transaction that writes the rows. A catalog refuses a transaction
that was begun on another snapshot than the current one, so that one of two writers fails. For that each transaction
makes a snapshot, and the library must not repeat a refused transaction upon the newer snapshot, which it does by
default. The library writes by copying: files with changed rows are written again.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NoReturn

from lsqlc.connectors.transport import Positions
from lsqlc.tables import arrow
from lsqlc.tables.columns import Changes, ColumnChanges
from lsqlc.tables.lake import LakeTable
from lsqlc.tables.record import Conflict, Noted, Row, TableState, unreachable
from lsqlc.tables.schema import IS_CURRENT, VALID_TO, TableColumn, TableSchema

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable
    from pyiceberg.catalog import Catalog
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.table import Table as LibraryTable

_SOURCE = "lsqlc.source"
_POSITIONS = "lsqlc.positions"
_NO_RETRIES = {"commit.retry.num-retries": "0"}


@dataclass(frozen=True, slots=True)
class IcebergTable(LakeTable["LibraryTable"]):
    """As `Table`. `address`: the namespace and the name; `catalog`: the properties of the catalog."""

    address: str
    catalog: dict[str, str] = field(repr=False)

    def state(self) -> TableState | None:
        """Implement `Table.state`."""
        table = self._opened()
        if table is None:
            return None
        columns = {f.name: arrow.type_text(f.type) for f in table.schema().as_arrow()}
        snapshot = table.current_snapshot()
        version = str(snapshot.snapshot_id) if snapshot else None
        return TableState(columns, table.properties.get(_SOURCE), _positions(table), version)

    def type_name(self, column: TableColumn) -> str:
        """Implement `Table.type_name`."""
        return arrow.type_text(arrow.arrow_type(column.type))

    def create(self, schema: TableSchema, source: str) -> None:
        """Implement `Table.create`."""
        try:
            catalog = self._loaded()
            catalog.create_namespace_if_not_exists(self.address.rpartition(".")[0])
            catalog.create_table(
                self.address,
                arrow.arrow_schema(schema.columns),
                properties={_SOURCE: source, _POSITIONS: "{}", **_NO_RETRIES},
            )
        except Exception as error:
            self._fail("created", error)

    def add_columns(self, columns: Sequence[TableColumn]) -> None:
        """Implement `Table.add_columns`."""
        try:
            with self._table().update_schema() as update:
                update.union_by_name(arrow.arrow_schema(columns))
        except Exception as error:
            self._fail("changed", error)

    def clear(self, schema: TableSchema, source: str) -> None:
        """Implement `Table.clear`. Where the columns have other types, the table is dropped and created."""
        table = self._table()
        expected_types = {column.name: self.type_name(column) for column in schema.columns}
        if {f.name: arrow.type_text(f.type) for f in table.schema().as_arrow()} != expected_types:
            try:
                self._loaded().drop_table(self.address)
            except Exception as error:
                self._fail("emptied", error)
            self.create(schema, source)
            return
        try:
            with table.transaction() as transaction:
                transaction.delete(_make("AlwaysTrue"))
                transaction.set_properties({_SOURCE: source, _POSITIONS: "{}"})
        except Exception as error:
            self._fail("emptied", error)

    def apply(self, schema: TableSchema, changes: Changes, positions: Positions, before: Noted) -> None:
        """Implement `Table.apply`: rows that change are deleted and written, in one transaction of two snapshots."""
        from pyiceberg.exceptions import CommitFailedException

        table = self._table()
        if Noted(table.properties.get(_SOURCE), _positions(table)) != before:
            raise Conflict
        if not table.properties.items() >= _NO_RETRIES.items():
            table = self._without_retries(table)
        try:
            with warnings.catch_warnings(), table.transaction() as transaction:
                # A key that is new has no row to delete.
                warnings.filterwarnings("ignore", message="Delete operation did not match any records")
                rows = self._new_rows(table, schema, changes)
                if schema.keep != "all":
                    changed = _changed_keys(schema, changes)
                    if changed and table.current_snapshot() is not None:
                        transaction.delete(_condition(schema, changed))
                # Also without rows: it makes the snapshot of the transaction.
                transaction.append(rows)
                transaction.set_properties({_POSITIONS: json.dumps(dict(positions))})
        except Exception as error:
            # The library has several errors for a table that has changed meanwhile.
            if isinstance(error, CommitFailedException) or self._table().metadata_location != table.metadata_location:
                raise Conflict from error
            self._fail("written", error)

    def maintain(self, retain_hours: int, now: datetime) -> str:
        """Implement `Table.maintain`: snapshots are expired."""
        table = self._table()
        before = len(table.snapshots())
        try:
            table.maintenance.expire_snapshots().older_than(now - timedelta(hours=retain_hours)).commit()
        except Exception as error:
            self._fail("maintained", error)
        return f"{before - len(self._table().snapshots()):,} of {before:,} snapshots expired"

    def _without_retries(self, table: LibraryTable) -> LibraryTable:
        try:
            with table.transaction() as transaction:
                transaction.set_properties(_NO_RETRIES)
        except Exception as error:
            self._fail("written", error)
        return self._table()

    def _new_rows(self, table: LibraryTable, schema: TableSchema, changes: Changes) -> ArrowTable:
        """Return the rows that are written: new ones, and those that are changed as a whole."""
        if isinstance(changes, ColumnChanges):
            return changes.rows.slice(0, sum(action != "delete" for action in changes.actions))
        rows = [change.row for change in changes if change.action in ("insert", "upsert", "replace")]
        closed = {repr(c.row[: len(schema.key)]): c.row for c in changes if c.action == "close"}
        if closed:
            width = len(schema.key)
            ends = {schema.names.index(name) for name in (VALID_TO, IS_CURRENT)}
            current = table.scan(_condition(schema, [row[:width] for row in closed.values()])).to_arrow()
            for row in arrow.rows_of(schema.columns, current):
                closing = closed[repr(row[:width])]
                rows.append(tuple(closing[i] if i in ends else value for i, value in enumerate(row)))
        return arrow.arrow_table(schema.columns, rows)

    def _scan(self, table: LibraryTable, names: Sequence[str]) -> ArrowTable:
        return table.scan(selected_fields=tuple(names)).to_arrow()

    def _opened(self) -> LibraryTable | None:
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        try:
            return self._loaded().load_table(self.address)
        except (NoSuchTableError, NoSuchNamespaceError):
            return None
        except Exception as error:
            self._fail("read", error)

    def _loaded(self) -> Catalog:
        from pyiceberg.catalog import load_catalog

        # Catalogs in databases keep tables by the name of the catalog; that of pyiceberg without settings is `default`.
        return load_catalog(**{"name": "default", **self.catalog})

    def _fail(self, doing: str, error: Exception) -> NoReturn:
        raise unreachable("Iceberg", self.address, doing, error) from error


def _changed_keys(schema: TableSchema, changes: Changes) -> list[Row]:
    """Return the keys of rows that are not new."""
    if isinstance(changes, ColumnChanges):
        return list(arrow.rows_of(schema.key, changes.rows))
    return [change.row[: len(schema.key)] for change in changes if change.action != "insert"]


def _positions(table: LibraryTable) -> dict[str, int]:
    positions: dict[str, int] = json.loads(table.properties.get(_POSITIONS, "{}"))
    return positions


def _condition(schema: TableSchema, keys: Sequence[Row]) -> BooleanExpression:
    """Return the condition for the rows of these keys, of a table with history those that are current."""
    same = _of_keys([column.name for column in schema.key], keys)
    return _make("And", same, _make("EqualTo", IS_CURRENT, True)) if schema.keep == "history" else same


def _of_keys(names: Sequence[str], keys: Sequence[Row]) -> BooleanExpression:
    if len(names) == 1:
        values = [key[0] for key in keys if key[0] is not None]
        parts = [_make("In", names[0], values)] if values else []
        if len(values) < len(keys):
            parts.append(_make("IsNull", names[0]))
        return _any_of(parts)
    # By the values of the first column, so that the expression is not as deep as there are keys.
    groups: dict[Any, list[Row]] = {}
    for key in keys:
        groups.setdefault(key[0], []).append(key[1:])
    return _any_of(
        [
            _make(
                "And",
                _make("IsNull", names[0]) if first is None else _make("EqualTo", names[0], first),
                _of_keys(names[1:], rest),
            )
            for first, rest in groups.items()
        ]
    )


def _make(kind: str, *operands: Any) -> BooleanExpression:
    """Return an expression of the library, whose annotations only describe the form that it reads from JSON."""
    from pyiceberg import expressions

    expression: BooleanExpression = getattr(expressions, kind)(*operands)
    return expression


def _any_of(parts: Sequence[BooleanExpression]) -> BooleanExpression:
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return _make("Or", _any_of(parts[:middle]), _any_of(parts[middle:]))
