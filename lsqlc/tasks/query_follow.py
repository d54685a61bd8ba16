"""A query as topics grow: its rows by now, then each new record of a STREAM, and each change of a TABLE's rows.

The query is evaluated again over all records that have been seen. What differs from the rows before is new. Looks are
the rarer the longer an evaluation takes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan import Plan, nodes
from lsqlc.plan.windows import Session as SessionWindow
from lsqlc.report.answers import Answer, AnswerColumn
from lsqlc.tasks.query import Query, rows_of
from lsqlc.types import codec, data
from lsqlc.types.record import Record

if TYPE_CHECKING:
    from lsqlc.tasks.run_target import RunTarget

Kind = Literal["insert", "update", "delete"]
# Seconds between two looks, and how much longer than an evaluation they are at least.
_LOOK = 0.5
_SHARE = 4


class Screen(Protocol):
    """Where rows are shown."""

    def show(self, rows: Answer) -> None:
        """Show further rows. Those of a TABLE have the kind of their change in a first column."""
        ...

    def begin_anew(self) -> None:
        """A topic was removed, and all topics are read from their beginnings."""
        ...

    def report(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Show that a Delta table cannot be read for now."""
        ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """The clock of a query that is followed: `now` in seconds, and `pause`, which waits for so many seconds and returns
    whether to stop.
    """

    now: Callable[[], float]
    pause: Callable[[float], bool]


def follow_query(query: Query, place: RunTarget, screen: Screen, waiting: Waiting, limit: int | None = None) -> None:
    """Show the rows of a query and their changes, until `waiting.pause` returns True, or `limit` rows have been shown;
    None: without end. The LIMIT of the query counts as well.

    New versions of Delta tables are taken every few seconds. A removed row is shown as it was. Raises LsqlcError LSQ620
    for a query, and LSQ811 for a target, that cannot be followed; also for records that cannot be read, as
    `load_topics`, and as the engine does.
    """
    from lsqlc.lower.duckdb import Session
    from lsqlc.tasks.delta_topics import TableWatch, load_topics
    from lsqlc.tasks.growing_lines import GrowingLines

    _check(query.plan, place)
    plan = place.ordered(query.plan)
    rows = _Rows(query, plan.semantics[query.topic.name] == "TABLE")
    left = min((count for count in (limit, query.limit) if count is not None), default=None)
    tables = TableWatch(lambda: load_topics(query.tables, place), waiting.now, screen.report) if query.tables else None
    with tempfile.TemporaryDirectory(prefix="lsqlc-query-") as folder:
        lines = GrowingLines(plan, place, Path(folder))
        took = 0.0
        while left is None or left > 0:
            if tables is not None:
                tables.keep_up()
            news = lines.look()
            if news is None:
                rows.begin_anew()
                screen.begin_anew()
            if news is not False:
                began = waiting.now()
                outcome = Session().evaluate_logs(plan, lines.segments, root=place.root)
                changes = rows.take(rows_of(query, outcome), left)
                took = waiting.now() - began
                if len(changes):
                    screen.show(changes)
                left = None if left is None else left - len(changes)
            if left != 0 and waiting.pause(max(_LOOK, _SHARE * took)):
                return


@dataclass(slots=True)
class _Rows:
    """The rows that have been shown: the number of a STREAM's, those of a TABLE by the text of their key."""

    query: Query
    is_table: bool
    count: int = 0
    live: dict[bytes, Record] = field(default_factory=dict)

    def begin_anew(self) -> None:
        """Take the next records of a STREAM as new. Rows of a TABLE stay, and are removed or changed."""
        self.count = 0

    def take(self, records: Sequence[Record], limit: int | None) -> Answer:
        """Return the first new rows among those of an evaluation. `limit`: at most so many; None: all."""
        columns = self.query.shown
        if self.is_table:
            changes = self._changes(records)[:limit]
            rows = [(kind, *(column.value(record) for column in columns)) for kind, record in changes]
            # No column of the query has this name.
            names = {column.name for column in columns}
            name = "_change"
            while name in names:
                name = f"_{name}"
            columns = (AnswerColumn(name, data.STRING, "value", None), *columns)
        else:
            fresh = records[self.count :][:limit]
            self.count += len(fresh)
            rows = [tuple(column.value(record) for column in columns) for record in fresh]
        return Answer(columns, tuple(rows), len(rows))

    def _changes(self, records: Sequence[Record]) -> list[tuple[Kind, Record]]:
        """Return the changes: removed rows first, whose columns another row may have now, each in order of keys."""
        topic = self.query.topic
        encode_key, encode_value = codec.encoder(topic.key.type), codec.encoder(topic.value.type)
        current = {encode_key(record.key): record for record in records}
        changes: list[tuple[Kind, Record]] = []
        for key, record in current.items():
            before = self.live.get(key)
            if before is None:
                changes.append(("insert", record))
            elif encode_value(before.value) != encode_value(record.value):
                changes.append(("update", record))
        changes += (("delete", record) for key, record in self.live.items() if key not in current)
        self.live = current
        changes.sort(key=lambda change: codec.sort_key(topic.key.type, change[1].key))
        # Sorting is stable.
        return sorted(changes, key=lambda change: change[0] != "delete")


def _check(plan: Plan, place: RunTarget) -> None:
    """Raise LsqlcError for a query or a target that cannot be followed."""
    if not place.capabilities.can_follow:
        message = f"the topics of the target '{place.target.name}' cannot be followed"
        help = "without --follow and EMIT CHANGES the answer ends with the records that the topics have now"
        raise LsqlcError([Diagnostic("LSQ811", message, help=help)])
    files = next((topic.name for topic in plan.inputs if topic.files is not None), None)
    reason = None if files is None else f"'{files}' is a folder of files"
    reason = reason or next((r for sink in plan.sinks for node in sink.inputs if (r := _waits(node))), None)
    if reason is not None:
        help = "ask for its rows by now with --no-follow, or write a model, which `lsqlc run` keeps up to date"
        raise LsqlcError([Diagnostic("LSQ620", f"the query cannot be followed, since {reason}", help=help)])


def _waits(node: nodes.Node) -> str | None:
    """Return why results of a node wait for time to pass, as a clause; None if no result does."""
    if isinstance(node, nodes.Aggregate) and node.window is not None:
        if node.window.final:
            return "EMIT FINAL waits for the end of each window"
        if isinstance(node.window, SessionWindow):
            return "a session is written once it has ended"
    if isinstance(node, nodes.Join) and node.style == "stream-stream" and node.kind != "INNER" and not node.eager:
        return f"a {node.kind} JOIN of streams waits for records that may still match"
    return next((reason for part in nodes.inputs(node) if (reason := _waits(part)) is not None), None)
