"""The record of a kind of store, and the table in it as a writer sees it.

A table follows a topic. Its positions in the topic are part of the transaction that writes the rows. So a batch is in
the table once, whenever a writer ends, and however often it is started again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lsqlc.connectors.transport import Positions
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tables.changes import LastVersion
from lsqlc.tables.columns import Changes, ColumnReader
from lsqlc.tables.schema import TableColumn, TableSchema

if TYPE_CHECKING:
    import msgspec

    from lsqlc.yaml.decode import Decoder
    from lsqlc.yaml.nodes import KeyPath

Row = tuple[Any, ...]
"""The values of the columns of a `TableSchema`, in their order."""


class Conflict(Exception):
    """Another writer has changed the table since it was read. Nothing was written."""


@dataclass(frozen=True, slots=True)
class TableState:
    """A table as it is. `columns`: name and type of each, as the store calls the type. `source`: the topic that the
    table follows, see `source_of`; None: lsqlc did not create it. `positions`: how far it has come. `version`: of the
    table, where the store has versions.
    """

    columns: Mapping[str, str]
    source: str | None = None
    positions: Positions = field(default_factory=dict)
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """The notes of a table as a writer has read them: its source, and its positions."""

    source: str | None
    positions: Positions


class Table(Protocol):
    """A table of a store. Each method raises LsqlcError for a store that cannot be reached or that refuses."""

    @property
    def address(self) -> str:
        """Return the table in messages: its path, or its name in a database. Without secrets."""
        ...

    def state(self) -> TableState | None:
        """Return the table as it is; None where there is none."""
        ...

    def type_name(self, column: TableColumn) -> str:
        """Return the type that the store has for a column, as `TableState.columns` calls it."""
        ...

    def create(self, schema: TableSchema, source: str) -> None:
        """Create the table, without rows and positions, with the source that it follows."""
        ...

    def add_columns(self, columns: Sequence[TableColumn]) -> None:
        """Add columns, which are null in the rows that are there."""
        ...

    def clear(self, schema: TableSchema, source: str) -> None:
        """Remove all rows and positions, and take this schema and source. A reader may see the table without rows."""
        ...

    def last_versions(self, schema: TableSchema, keys: Sequence[Row]) -> Sequence[tuple[Row, LastVersion]]:
        """Return the newest version of each key that has one. `keys`: the requested ones; more may be returned. Only
        tables with history have versions.
        """
        ...

    def apply(self, schema: TableSchema, changes: Changes, positions: Positions, before: Noted) -> None:
        """Write changes, of which there may be none, and the positions behind them, in one transaction. `before`: the
        notes that the table must still have. Raises Conflict if another writer was faster.
        """
        ...

    def rows(self, schema: TableSchema) -> Iterator[Row]:
        """Return all rows, as Python values in the form of records."""
        ...

    def maintain(self, retain_hours: int, now: datetime) -> str:
        """Compact files, and remove those that no version of the last `retain_hours` needs. Returns what was done, in
        words. `now`: with its zone.
        """
        ...


@dataclass(frozen=True, slots=True)
class StoreOpening:
    """How a table is opened. `root`: the folder of the project; `settings`: of the store; `name`: of the table, or
    several names with dots between them.
    """

    root: Path
    settings: Any
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """A kind of store, by its `key` in a target of profiles.yml. `title`: in messages.

    `file`: the type of its settings in the file, `description`: of the key; `read`: gives the settings of a mapping,
    and reports errors in it to the decoder. Its arguments are the decoder, the place of the mapping, the
    decoded mapping, and the mapping before variables of the environment were replaced. `packages`: the modules of
    Python that it needs. `open`: a table, which need not exist. `columns`: the reader of changes as Arrow data;
    None for a store that takes changes of records, and for a schema that needs them.
    """

    key: str
    title: str
    description: str
    file: type[msgspec.Struct]
    read: Callable[[Decoder, KeyPath, Any, Any], Any]
    packages: tuple[str, ...]
    open: Callable[[StoreOpening], Table]
    columns: Callable[[TableSchema], ColumnReader | None] = lambda schema: None


@dataclass(frozen=True, slots=True)
class Store:
    """A store of a target, by its name there."""

    name: str
    kind: StoreKind
    settings: Any


def unreachable(kind: str, address: str, doing: str, error: Exception) -> LsqlcError:
    """LSQ564: what the library of a store raised while it was `doing` something, with a table at `address`."""
    first = str(error).strip().splitlines()
    clause = first[0][:300] if first else type(error).__name__
    message = f"the {kind} table '{address}' cannot be {doing}: {clause}"
    help = "correct the settings of the store in profiles.yml, or try again"
    return LsqlcError([Diagnostic("LSQ564", message, help=help)])
