"""Tables that follow topics: which ones a project has in a target, and how they are brought up to date.

A table has its own positions in the topic, and takes records from there on, in batches of one transaction each. So it
follows any topic: of a query that runs anywhere, or of somebody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.connectors.transport import LogPart, Positions, Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.diagnostics.extras import require
from lsqlc.tables import changes
from lsqlc.tables.changes import Change
from lsqlc.tables.record import Conflict, Store, StoreOpening, Table, TableState
from lsqlc.tables.schema import TableSchema
from lsqlc.tables.source import parse_source, source_of
from lsqlc.tasks.run_target import open_compiled
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from lsqlc.project.build.followed import DeclaredTable
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.run_target import RunTarget

# About so many records are written in one transaction.
RECORDS_PER_BATCH = 100_000
# So often a batch is tried again after another writer has changed the table.
_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class FollowedTable:
    """A table of a target, and the topic that it follows. `name`: in the store."""

    store: Store
    name: str
    schema: TableSchema
    table: Table

    @property
    def topic(self) -> Topic:
        """The topic."""
        return self.schema.topic

    @property
    def shown(self) -> str:
        """The table in messages: its store and its name."""
        return f"{self.store.name}.{self.name}"


@dataclass(frozen=True, slots=True)
class Synced:
    """The effect of a batch on a table. `records`: the number of those that were read; `changes`: of rows; `late`: of
    records of a history whose time was before that of their predecessor. `left`: about how many records are behind the
    batch.
    """

    records: int
    changes: int
    late: int
    left: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The progress of a table. `state` None: it does not exist. `left`: about how many records it has not read."""

    state: TableState | None
    left: int


@dataclass(frozen=True, slots=True)
class OpenTables:
    """The tables of a target, in order of their stores and names, and the log with their topics."""

    log: Transport
    tables: tuple[FollowedTable, ...]


def open_tables(workspace: Workspace, target: str | None = None, names: Sequence[str] = ()) -> OpenTables:
    """Open the tables that follow topics of a project. `target`: a name of profiles.yml; None: its default. `names`:
    those that are asked for, by the name of a table, of its topic, or of store and table; all without any.

    Raises LsqlcError: LSQ560 for declarations that do not fit, LSQ561 for a store that the target does not have, or a
    name that no table has; LSQ099 for a missing package; and as `open_target` does.
    """
    compilation = workspace.compilation
    unfit = [d for d in compilation.diagnostics if d.code == "LSQ560"]
    if unfit:
        raise LsqlcError(unfit)
    place = open_compiled(compilation, workspace.target(target))
    require(*place.connector.packages)
    tables: list[FollowedTable] = []
    problems: list[Diagnostic] = []
    for declared in _named(compilation.tables, names) if names else compilation.tables:
        try:
            tables.append(_followed(declared, place, workspace.name))
        except LsqlcError as error:
            problems += error.diagnostics
    if problems:
        raise LsqlcError(problems)
    require(*dict.fromkeys(package for table in tables for package in table.store.kind.packages))
    return OpenTables(place.log, tuple(tables))


def standing(table: FollowedTable, log: Transport) -> Standing:
    """Return how a table stands. Raises LsqlcError as the table and the log do."""
    state = table.table.state()
    return Standing(state, _left(log, table.topic, state.positions if state else {}))


def prepare(table: FollowedTable, log: Transport, *, rebuild: bool) -> Positions | None:
    """Create a table that does not exist, add columns that it lacks, and return the positions that it has; None, and
    nothing happens, while the topic does not exist. `rebuild`: all rows of the table are removed, and it begins anew.

    Raises LsqlcError: LSQ562 for a table that cannot follow the topic, LSQ563 for a topic whose records behind the
    positions are gone.
    """
    if not log.exists(table.topic.name):
        return None
    state = table.table.state()
    own = source_of(table.schema, log.external_name(table.topic.name), log.topic_id(table.topic.name))
    if state is None:
        try:
            table.table.create(table.schema, own.text)
        except LsqlcError:
            # Somebody else may have created it meanwhile.
            state = table.table.state()
            if state is None:
                raise
        else:
            return {}
    source = parse_source(state.source) if state.source is not None else None
    if source is None:
        message = f"the table '{table.shown}' exists, and lsqlc has not created it"
        note = f"it is {table.table.address}"
        raise LsqlcError([Diagnostic("LSQ562", message, notes=(note,), help="give another `name`, or remove it")])
    if rebuild:
        table.table.clear(table.schema, own.text)
        return {}
    difference = own.difference(source)
    help = f"`lsqlc tables sync {table.shown} --rebuild` writes it anew"
    if difference is not None:
        message = f"the table '{table.shown}' cannot follow '{table.topic.name}': {difference}"
        raise LsqlcError([Diagnostic("LSQ562", message, help=help)])
    problem = log.lost_part(table.topic.name, state.positions)
    if problem is not None:
        message = f"the table '{table.shown}' has lost its place in '{table.topic.name}': {problem}"
        raise LsqlcError([Diagnostic("LSQ563", message, help=help)])
    _fit_columns(table, state, help)
    return state.positions


def sync(
    table: FollowedTable, log: Transport, positions: Positions, most: int = RECORDS_PER_BATCH
) -> tuple[Synced, Positions] | None:
    """Write one batch of about `most` records behind some positions, which the table has; None if there are none. The
    positions that it has then.

    Raises LsqlcError: LSQ565 if other writers keep on changing the table, LSQ567 for a record that does not fit, and as
    the table and the log do.
    """
    before = positions
    for _ in range(_ATTEMPTS):
        part = log.behind(table.topic, before, most)
        if part is None:
            return None
        try:
            return _write(table, part, before, log)
        except Conflict:
            state = table.table.state()
            before = state.positions if state is not None else {}
    message = f"other writers keep on changing the table '{table.shown}'"
    note = f"{_ATTEMPTS} attempts to write a batch have failed, and nothing of it was written"
    raise LsqlcError([Diagnostic("LSQ565", message, notes=(note,), help="end the other writers, or try again")])


def _write(table: FollowedTable, part: LogPart, before: Positions, log: Transport) -> tuple[Synced, Positions]:
    records = list(part.records)
    schema, late = table.schema, 0
    rows: Sequence[Change]
    if schema.keep == "all":
        rows = changes.appended(schema, records)
    elif schema.keep == "current":
        rows = changes.current(schema, records)
    else:
        read = schema.reader()
        last = table.table.last_versions(schema, [read(record)[0] for record in records])
        rows, late = changes.versions(schema, records, last)
    # Positions without rows are noted with those of a later batch.
    if rows:
        table.table.apply(schema, rows, part.positions, before)
    left = _left(log, table.topic, part.positions)
    return Synced(len(records), len(rows), late, left), part.positions if rows else {**before, **part.positions}


def _followed(declared: DeclaredTable, place: RunTarget, project: str) -> FollowedTable:
    stores, store = place.target.stores, place.target.stores.get(declared.declaration.store)
    if store is None:
        name, span = declared.declaration.store, declared.declaration.span
        message = f"the target '{place.target.name}' has no store '{name}' for tables"
        example = f"add `tables: {{{name}: {{delta: {{path: lake}}}}}}` to the target in profiles.yml"
        help = did_you_mean(name, stores) or (f"the stores are {listing(stores)}" if stores else example)
        raise LsqlcError([Diagnostic("LSQ561", message, span, help=help)])
    topic = declared.schema.topic
    opening = StoreOpening(place.root, store.settings, declared.name, project, topic.name)
    return FollowedTable(store, declared.name, declared.schema, store.kind.open(opening))


def _named(tables: Sequence[DeclaredTable], names: Sequence[str]) -> list[DeclaredTable]:
    selection: list[DeclaredTable] = []
    for name in names:
        same = [table for table in tables if name in (table.shown, table.name, table.schema.topic.name)]
        if not same:
            options = [table.shown for table in tables]
            help = did_you_mean(name, options) or (
                f"the tables are {listing(options)}" if options else "declare `tables:`"
            )
            raise LsqlcError([Diagnostic("LSQ561", f"no table is called '{name}'", help=help)])
        selection += [table for table in same if table not in selection]
    return selection


def _fit_columns(table: FollowedTable, state: TableState, help: str) -> None:
    """Add the columns that a table lacks. Raises LsqlcError LSQ562 for columns of another type."""
    missing = [column for column in table.schema.columns if column.name not in state.columns]
    expected: Mapping[str, str] = {column.name: table.table.type_name(column) for column in table.schema.columns}
    notes = tuple(
        f"'{name}' is {state.columns[name]} in the table, and would be {type}"
        for name, type in expected.items()
        if state.columns.get(name, type) != type
    )
    if notes:
        message = f"the table '{table.shown}' has columns of other types than '{table.topic.name}'"
        raise LsqlcError([Diagnostic("LSQ562", message, notes=notes, help=help)])
    if missing:
        table.table.add_columns(missing)


def _left(log: Transport, topic: Topic, positions: Positions) -> int:
    return log.count_behind(topic.name, positions)
