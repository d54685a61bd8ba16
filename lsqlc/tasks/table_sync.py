"""Tables that follow topics are brought up to date.

A table has its own positions in the topic, and takes the records behind them, in batches of one transaction each. So it
follows any topic: of a query that runs anywhere, or of somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lsqlc.connectors.transport import LogPart, Positions, Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tables.changes import changes_of
from lsqlc.tables.columns import Changes, ColumnChanges, ColumnReader
from lsqlc.tables.record import Conflict, Noted, TableState
from lsqlc.tables.source import Source
from lsqlc.tasks.tables import FollowedTable, missing_columns, other_types, own_source, unfit
from lsqlc.types.record import StoredRecord

# About so many records are written in one transaction.
RECORDS_PER_BATCH = 100_000
# So often a batch is tried again after another writer has changed the table.
_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that was written. `records`: how many were read; `changes`: how many rows changed; `late`: how many
    records of a history had a time before that of their predecessor; `keyless`: how many have no key, and are no rows;
    `left`: about how many records are behind the batch.
    """

    records: int
    changes: int
    late: int
    keyless: int
    left: int


@dataclass(slots=True)
class TableWriter:
    """The writer of one table. `rebuild`: all rows of the table are removed first; `lose_rows`: also those whose
    records are no longer in the topic. `bounded`: only records are read that the topic has at the beginning.
    """

    table: FollowedTable
    log: Transport
    rebuild: bool = False
    lose_rows: bool = False
    bounded: bool = True
    most: int = RECORDS_PER_BATCH
    # The notes of the table; None before the first batch, and after an error.
    _noted: Noted | None = field(default=None, init=False)
    # The positions that have been read. They are behind those of the notes where the records between have no rows.
    _reached: Positions = field(default_factory=dict, init=False)
    _topic_id: str = field(default="", init=False)
    _reader: ColumnReader | None = field(default=None, init=False)
    _until: Positions | None = field(default=None, init=False)

    def write(self) -> Batch | None:
        """Write the next batch. None: the topic has no further record, or does not exist.

        Raises LsqlcError: LSQ562 for a table that cannot follow the topic, LSQ563 for a topic whose records behind the
        positions are gone, LSQ565 if other writers keep on changing the table, LSQ567 for a record that does not fit,
        and as the table and the log do. The writer may be called again.
        """
        try:
            return self._next()
        except LsqlcError:
            # Whether a transaction was committed is not known.
            self._noted = None
            raise

    def close(self) -> None:
        """Note the positions of records that have been read and made no rows. Raises LsqlcError as the table does."""
        if self._noted is None or self._reached == self._noted.positions:
            return
        try:
            self.table.table.apply(self.table.schema, (), self._reached, self._noted)
        except Conflict:
            # Another writer has newer positions.
            return
        self._noted = replace(self._noted, positions=self._reached)

    def _next(self) -> Batch | None:
        if self._noted is not None:
            self._check_topic()
        elif not self._begin():
            return None
        for _ in range(_ATTEMPTS):
            part = self._unread()
            if part is None:
                return None
            try:
                return self._write(*part)
            except Conflict:
                self._begin()
        message = f"other writers keep on changing the table '{self.table.shown}'"
        note = f"{_ATTEMPTS} attempts to write a batch have failed, and nothing of it was written"
        raise LsqlcError([Diagnostic("LSQ565", message, notes=(note,), help="end the other writers, or try again")])

    def _unread(self) -> tuple[LogPart, ColumnChanges | list[StoredRecord]] | None:
        """Return the next part of the log that has records, and their changes as Arrow data, or the records. Parts
        without any are passed over.
        """
        while True:
            part = self.log.behind(self.table.topic, self._reached, self.most, self._until)
            if part is None:
                return None
            changes = self._reader(part.lines) if self._reader is not None and part.lines else None
            if changes is not None:
                return part, changes
            records = list(part.records)
            if records:
                return part, records
            self._reached = part.positions

    def _write(self, part: LogPart, read: ColumnChanges | list[StoredRecord]) -> Batch:
        table, schema = self.table.table, self.table.schema
        changes: Changes
        if isinstance(read, ColumnChanges):
            changes, late, count, keyless = read, 0, read.records, read.keyless
        else:
            changes, late = changes_of(schema, read, lambda keys: table.last_versions(schema, keys))
            keyless = 0 if schema.keep == "all" else sum(record.key is None for record in read)
            count = len(read)
        assert self._noted is not None, "the table has been prepared"
        table.apply(schema, changes, part.positions, self._noted)
        self._noted = replace(self._noted, positions=part.positions)
        self._reached = part.positions
        return Batch(count, len(changes), late, keyless, part.left)

    def _begin(self) -> bool:
        """Read the positions of the table, which is created if it does not exist. False: the topic does not exist."""
        name = self.table.topic.name
        if not self.log.exists(name):
            return False
        source, self._reached = prepare(self.table, self.log, rebuild=self.rebuild, lose_rows=self.lose_rows)
        self.rebuild = False
        self._reader = self.table.store.kind.columns(self.table.schema)
        self._noted, self._topic_id = Noted(source.text, self._reached), source.id
        if self.bounded and self._until is None:
            self._until = self.log.ends(name)
        return True

    def _check_topic(self) -> None:
        """Raise LsqlcError if the topic is another one than before, or has lost records that were not read."""
        name = self.table.topic.name
        if self.log.topic_id(name) != self._topic_id:
            raise _cannot_follow(self.table, f"the topic '{name}' has been created again since")
        problem = self.log.lost_part(name, self._reached)
        if problem is not None:
            raise _lost(self.table, problem)


def sync_round(
    writers: Sequence[TableWriter], stopped: Callable[[], bool]
) -> Iterator[tuple[FollowedTable, Batch | LsqlcError | None]]:
    """Write one batch into each table, and yield it, the error if it cannot be written, or None if its topic has no
    further records. One table that fails does not keep the others from being written.
    """
    for writer in writers:
        if stopped():
            return
        try:
            batch = writer.write()
        except LsqlcError as error:
            yield writer.table, error
            continue
        yield writer.table, batch


def sync_tables(
    writers: Sequence[TableWriter],
    stopped: Callable[[], bool],
    report: Callable[[FollowedTable, Batch | LsqlcError], object],
    pause: Callable[[], object] | None = None,
) -> tuple[LsqlcError, ...]:
    """Write batches until no topic has further records, and return why tables could not be written, an error for each.
    A table that fails is left out from then on.

    `stopped`: whether to end before the next batch. `report`: is given each batch, and each error that is another one
    than the last of its table. `pause`: is called when no topic has further records. With it the writers go on until
    they are stopped, and tables that fail are tried again.
    """
    failures: dict[str, LsqlcError] = {}
    open = list(writers)
    while open and not stopped():
        is_idle = True
        for table, result in sync_round(open, stopped):
            before = failures.pop(table.shown, None)
            if isinstance(result, LsqlcError):
                failures[table.shown] = result
            is_idle = is_idle and not isinstance(result, Batch)
            if result is not None and str(before) != str(result):
                report(table, result)
        if pause is None:
            open = [writer for writer in open if writer.table.shown not in failures]
            if is_idle:
                break
        elif is_idle:
            pause()
    for writer in open:
        try:
            writer.close()
        except LsqlcError as error:
            report(writer.table, error)
            failures[writer.table.shown] = error
    return tuple(failures.values())


def prepare(
    table: FollowedTable, log: Transport, *, rebuild: bool = False, lose_rows: bool = False
) -> tuple[Source, Positions]:
    """Create a table that does not exist, add columns that it lacks, and return its source and its positions.
    `rebuild`: all its rows are removed, and it starts from the beginning; `lose_rows`: also if the topic no longer has
    all of their records.

    Raises LsqlcError LSQ562 for a table that cannot follow the topic. Raises LSQ563 for a topic whose records behind
    the positions are gone, and for a table whose rows would be lost.
    """
    source = own_source(table, log)
    state = table.table.state() or _created(table, source.text)
    if state is None:
        return source, {}
    problem = unfit(table, state, source)
    if state.source is None:
        message = f"the table '{table.shown}' exists, and {problem}"
        note = f"it is {table.table.address}"
        raise LsqlcError([Diagnostic("LSQ562", message, notes=(note,), help="give another `name`, or remove it")])
    if rebuild:
        if state.positions and not lose_rows and not log.is_whole(table.topic.name):
            raise _would_lose_rows(table)
        table.table.clear(table.schema, source.text)
        return source, {}
    if problem is not None:
        raise _cannot_follow(table, problem)
    gap = log.lost_part(table.topic.name, state.positions)
    if gap is not None:
        raise _lost(table, gap)
    _fit_columns(table, state)
    return source, state.positions


def _created(table: FollowedTable, source: str) -> TableState | None:
    """Create a table. Returns its state if another writer was faster."""
    try:
        table.table.create(table.schema, source)
    except LsqlcError:
        state = table.table.state()
        if state is None:
            raise
        return state
    return None


def _fit_columns(table: FollowedTable, state: TableState) -> None:
    """Add the columns that a table lacks. Raises LsqlcError LSQ562 for columns of another type."""
    missing, notes = missing_columns(table, state), other_types(table, state)
    if notes:
        message = f"the table '{table.shown}' has columns of other types than '{table.topic.name}'"
        raise LsqlcError([Diagnostic("LSQ562", message, notes=notes, help=_rebuild(table))])
    if not missing:
        return
    try:
        table.table.add_columns(missing)
    except LsqlcError:
        # Another writer may have added them meanwhile.
        state = table.table.state() or state
        if missing_columns(table, state):
            raise


def _cannot_follow(table: FollowedTable, problem: str) -> LsqlcError:
    message = f"the table '{table.shown}' cannot follow '{table.topic.name}': {problem}"
    return LsqlcError([Diagnostic("LSQ562", message, help=_rebuild(table))])


def _lost(table: FollowedTable, problem: str) -> LsqlcError:
    message = f"records of '{table.topic.name}' that the table '{table.shown}' has not read are gone: {problem}"
    return LsqlcError([Diagnostic("LSQ563", message, help=_rebuild(table))])


def _would_lose_rows(table: FollowedTable) -> LsqlcError:
    message = f"the table '{table.shown}' has rows whose records are no longer in '{table.topic.name}'"
    note = "a table that is rebuilt has the rows of the records that the topic still has"
    help = "`--lose-rows` rebuilds it nevertheless"
    return LsqlcError([Diagnostic("LSQ563", message, notes=(note,), help=help)])


def _rebuild(table: FollowedTable) -> str:
    return f"`lsqlc tables sync {table.shown} --rebuild` writes it again"
