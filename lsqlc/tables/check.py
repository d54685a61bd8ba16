"""Whether a table has the rows that its topic gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lsqlc.connectors.transport import Transport
from lsqlc.tables.changes import changes_of, comparable
from lsqlc.tables.record import Row, Table
from lsqlc.tables.schema import TableSchema

# So many rows of each kind are shown.
SHOWN = 5


@dataclass(frozen=True, slots=True)
class TableCheck:
    """A comparison of a table with its topic. `rows`: of the table; `missing` and `extra`: how many rows it lacks, and
    how many the topic does not give; `older`: how many rows may be of records that the topic no longer has;
    `examples`: the first of both, by column, with the problem.
    """

    rows: int
    missing: int
    extra: int
    older: int
    examples: tuple[tuple[str, dict[str, Any]], ...]

    @property
    def ok(self) -> bool:
        """Whether they are equal."""
        return not self.missing and not self.extra


def check(table: Table, schema: TableSchema, log: Transport) -> TableCheck | None:
    """Compare a table with the records of its topic up to the table's positions; None for a table that does not exist.
    All rows are held in memory. Raises LsqlcError as the table and the log do.
    """
    state = table.state()
    if state is None:
        return None
    records = log.up_to(schema.topic, state.positions)
    changes, _ = changes_of(schema, records, lambda keys: ())
    expected = _counted(change.row for change in changes if change.action in ("insert", "upsert"))
    actual = _counted(table.rows(schema))
    missing, extra = _minus(expected, actual), _minus(actual, expected)
    older = 0
    if not log.is_whole(schema.topic.name):
        older, extra = _total(extra), {}
    examples = [
        (clause, dict(zip(schema.names, row, strict=True)))
        for clause, side in (("missing", missing), ("extra", extra))
        for row in islice((row for row, _ in side.values()), SHOWN)
    ]
    return TableCheck(_total(actual), _total(missing), _total(extra), older, tuple(examples))


_Counted = dict[Any, tuple[Row, int]]


def _counted(rows: Iterable[Row]) -> _Counted:
    """Rows by their value, with how often each is there."""
    by_value: dict[Any, Row] = {}
    counts: Counter[Any] = Counter()
    for row in rows:
        id = comparable(row)
        by_value.setdefault(id, row)
        counts[id] += 1
    return {id: (row, counts[id]) for id, row in by_value.items()}


def _total(rows: _Counted) -> int:
    return sum(count for _, count in rows.values())


def _minus(one: _Counted, other: _Counted) -> _Counted:
    left = {id: (row, count - (other[id][1] if id in other else 0)) for id, (row, count) in one.items()}
    return {id: (row, count) for id, (row, count) in left.items() if count > 0}
