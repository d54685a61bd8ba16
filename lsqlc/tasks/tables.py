"""The tables that follow topics of a project in a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.diagnostics.extras import require
from lsqlc.tables.record import Store, StoreOpening, Table, TableState
from lsqlc.tables.schema import TableColumn, TableSchema
from lsqlc.tables.source import Source, parse_source, source_of
from lsqlc.tasks.run_target import open_compiled
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from lsqlc.project.build.followed import DeclaredTable
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.run_target import RunTarget


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
class TableStatus:
    """The progress of a table. `exists`: it was created; `left`: about how many records it has not read; `problem`: why
    it cannot follow its topic, in a clause.
    """

    exists: bool
    left: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The first step of `lsqlc tables sync` for a table.

    `action`: `wait`: the topic does not exist; `none`: the table fits; `rebuild`: it is written only with `--rebuild`;
    `refuse`: lsqlc did not create it. `details`: a clause each: the columns, or why it is not written.
    """

    action: Literal["wait", "create", "add columns", "none", "rebuild", "refuse"]
    details: tuple[str, ...] = ()

    @property
    def is_blocked(self) -> bool:
        """Whether `lsqlc tables sync` ends with an error."""
        return self.action in ("rebuild", "refuse")


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
            tables.append(_followed(declared, place))
        except LsqlcError as error:
            problems += error.diagnostics
    if problems:
        raise LsqlcError(problems)
    require(*dict.fromkeys(package for table in tables for package in table.store.kind.packages))
    return OpenTables(place.log, tuple(tables))


def table_status(table: FollowedTable, log: Transport) -> TableStatus:
    """Return the progress of a table. Raises LsqlcError as the table and the log do."""
    state = table.table.state()
    if state is None:
        return TableStatus(False, log.count_behind(table.topic.name, {}))
    problem = unfit(table, state, own_source(table, log)) or log.lost_part(table.topic.name, state.positions)
    left = 0 if problem is not None else log.count_behind(table.topic.name, state.positions)
    return TableStatus(True, left, problem)


def plan_table(table: FollowedTable, log: Transport) -> TablePlan:
    """Return the first step of a sync, which changes nothing here. Raises LsqlcError as the table and the log do."""
    if not log.exists(table.topic.name):
        return TablePlan("wait", (f"the topic '{table.topic.name}' does not exist",))
    state = table.table.state()
    if state is None:
        return TablePlan("create", _typed(table, table.schema.columns))
    problem = unfit(table, state, own_source(table, log))
    if state.source is None:
        return TablePlan("refuse", (problem or "",))
    problem = problem or log.lost_part(table.topic.name, state.positions)
    if problem is not None:
        return TablePlan("rebuild", (problem,))
    other = other_types(table, state)
    missing = missing_columns(table, state)
    if other:
        return TablePlan("rebuild", other)
    return TablePlan("add columns", _typed(table, missing)) if missing else TablePlan("none")


def missing_columns(table: FollowedTable, state: TableState) -> list[TableColumn]:
    """Return the columns that a table lacks."""
    return [column for column in table.schema.columns if column.name not in state.columns]


def other_types(table: FollowedTable, state: TableState) -> tuple[str, ...]:
    """Return a clause for each column that has another type than the schema gives it."""
    expected = {column.name: table.table.type_name(column) for column in table.schema.columns}
    return tuple(
        f"'{name}' is {state.columns[name]} in the table, and would be {type}"
        for name, type in expected.items()
        if state.columns.get(name, type) != type
    )


def _typed(table: FollowedTable, columns: Sequence[TableColumn]) -> tuple[str, ...]:
    return tuple(f"{column.name} {table.table.type_name(column)}" for column in columns)


def own_source(table: FollowedTable, log: Transport) -> Source:
    """Return the source that a table has which follows its topic as it is now."""
    name = table.topic.name
    return source_of(table.schema, log.external_name(name), log.topic_id(name))


def unfit(table: FollowedTable, state: TableState, source: Source) -> str | None:
    """Return why a table cannot follow `source`, in a clause; None if it can."""
    notes = parse_source(state.source) if state.source is not None else None
    return "lsqlc has not created it" if notes is None else source.difference(notes)


def maintain(table: FollowedTable, retain_hours: int, now: datetime) -> str | None:
    """Maintain a table, and return what was done, in words; None for a table that does not exist.

    Raises LsqlcError LSQ562 for a table that lsqlc has not created, and as the table does.
    """
    state = table.table.state()
    if state is None:
        return None
    if state.source is None or parse_source(state.source) is None:
        message = f"the table '{table.shown}' is not maintained: lsqlc has not created it"
        raise LsqlcError([Diagnostic("LSQ562", message, help="maintain it by the tools that have created it")])
    return table.table.maintain(retain_hours, now)


def _followed(declared: DeclaredTable, place: RunTarget) -> FollowedTable:
    stores, store = place.target.stores, place.target.stores.get(declared.declaration.store)
    if store is None:
        name, span = declared.declaration.store, declared.declaration.span
        message = f"the target '{place.target.name}' has no store '{name}' for tables"
        example = f"add `tables: {{{name}: {{delta: {{path: lake}}}}}}` to the target in profiles.yml"
        help = did_you_mean(name, stores) or (f"the stores are {listing(stores)}" if stores else example)
        raise LsqlcError([Diagnostic("LSQ561", message, span, help=help)])
    opening = StoreOpening(place.root, store.settings, declared.name)
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
