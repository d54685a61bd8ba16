"""The reading part of tables in lakes, which are read as Arrow data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from lsqlc.tables import arrow
from lsqlc.tables.changes import LastVersion
from lsqlc.tables.record import Row
from lsqlc.tables.schema import VALID_FROM, VALID_TO, TableSchema

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable

Opened = TypeVar("Opened")


class LakeTable(ABC, Generic[Opened]):
    """The part of `Table` that reads. `Opened`: the table of the store's library, as of one moment."""

    __slots__ = ()

    @abstractmethod
    def _opened(self) -> Opened | None:
        """Return the table as it is now; None where there is none."""

    @abstractmethod
    def _scan(self, table: Opened, names: Sequence[str]) -> ArrowTable:
        """Return all rows of some columns."""

    @abstractmethod
    def _fail(self, doing: str, error: Exception) -> NoReturn:
        """Raise LsqlcError for what the library raised while it was `doing` something with the table."""

    def last_versions(self, schema: TableSchema, keys: Sequence[Row]) -> Sequence[tuple[Row, LastVersion]]:
        """Implement `Table.last_versions`."""
        columns = [*schema.key, *(c for c in schema.columns if c.name in (VALID_FROM, VALID_TO))]
        return arrow.last_versions(columns, self._read([c.name for c in columns]), keys)

    def rows(self, schema: TableSchema) -> Iterator[Row]:
        """Implement `Table.rows`."""
        return arrow.rows_of(schema.columns, self._read(schema.names))

    def _read(self, names: Sequence[str]) -> ArrowTable:
        table = self._table()
        try:
            return self._scan(table, names)
        except Exception as error:
            self._fail("read", error)

    def _table(self) -> Opened:
        table = self._opened()
        if table is None:
            self._fail("read", FileNotFoundError("it does not exist any more"))
        return table
