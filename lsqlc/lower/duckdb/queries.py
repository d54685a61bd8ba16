"""A plan as DuckDB statements, one per output topic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lsqlc.lower.duckdb.query import Query
from lsqlc.lower.duckdb.relations import lower_node
from lsqlc.lower.duckdb.sort_order import value_order
from lsqlc.plan.clocks import timed_groups
from lsqlc.plan.headers import keeps_headers
from lsqlc.plan.identity import compacted
from lsqlc.plan.nodes import LateralOfAll, Node, Sink, inputs, scans
from lsqlc.plan.plan import Plan
from lsqlc.sql.duckdb import text
from lsqlc.sql.writer import Cte, Union, listed, nested, remark, with_ctes


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The rows that are read of a result: the first `count` by ORDER BY terms over `_ts`, `key` and `value`."""

    order: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of an output topic.

    `rows` has `_case`, `_ts`, `key`, `value`, and the columns of `order`, by which the records of a STREAM are sorted;
    a TABLE has no order. `dropped` has `_case` and `reason` of each dropped record; None if nothing can be dropped.
    Both read the common table expressions `parts`, which read the topics `reads`. Topics in `placed` have `_offset`,
    topics in `headed` have `_headers`. `width`: of the ordinals of a STREAM. `keepers`: the numbers of inputs whose
    records keep the headers of their source records.
    """

    topic: str
    reads: tuple[str, ...]
    placed: frozenset[str]
    headed: frozenset[str]
    parts: tuple[Cte, ...]
    rows: str
    order: str
    dropped: str | None
    width: int = 1
    keepers: frozenset[int] = frozenset()

    @property
    def select(self) -> str:
        """The SQL of the rows only: `_case`, `_ts`, `key`, `value`."""
        if not self.order:
            return with_ctes(self.parts, self.rows)
        ordered = f"SELECT _case, _ts, key, value FROM {nested(self.rows)} ORDER BY {self.order}"
        return with_ctes(self.parts, ordered)

    def with_counts(
        self, sources: Iterable[tuple[str, str]], *, with_cause: bool = False, first: FirstRows | None = None
    ) -> str:
        """Return SQL of the rows and the numbers of dropped records, over tables with the SQL `sources`.

        Columns: `_case`, `_ts`, `key`, `value`, `_reason`. A row with a reason has the number of dropped records in
        `_ts`. With `with_cause` also `_input`, the number of the row's input, and `_cause`, the first number of its
        ordinal, which identifies its source record. `first`: only these rows are read; None: all.
        """
        rows = nested(self.rows)
        if first is not None:
            rows = nested(f"SELECT * FROM {rows} ORDER BY {listed(first.order)} LIMIT {first.count}")
        parts = [f"SELECT *, CAST(NULL AS VARCHAR) AS _reason FROM {rows}"]
        if self.dropped:
            parts.append(f"SELECT _case, count(*) AS _ts, reason AS _reason FROM {nested(self.dropped)} GROUP BY ALL")
        order = f" ORDER BY {self.order}" if self.order else ""
        cause = "_ord" if self.width == 1 else "_ord[1]"
        more = f", _input, {cause} AS _cause" if with_cause else ""
        select = f"SELECT _case, _ts, key, value, _reason{more} FROM {nested(Union(tuple(parts), by_name=True))}{order}"
        return with_ctes((*(Cte(name, body) for name, body in sources), *self.parts), select)


def lower(plan: Plan, *, advances: bool = False, is_current: bool = False) -> tuple[Statement, ...]:
    """Return the statements of a plan, in order of its sinks. The text is deterministic. `is_current`: see `Query`.

    With `advances` they also read the table `advances`: `_case`, `_ord` (of the next record) and `_ts`, the highest
    time so far.
    """
    return tuple(_statement(sink, advances, is_current) for sink in plan.sinks)


def plan_sql(plan: Plan) -> str:
    """Return all statements for people to read, with the names of their topics."""
    return "\n".join(f"{remark(s.topic)}\n{s.select};\n" for s in lower(plan))


def _statement(sink: Sink, advances: bool, is_current: bool) -> Statement:
    query = Query(lower_node, advances, tuple(a for node in sink.inputs for a in timed_groups(node)), is_current)
    if sink.semantics == "TABLE":
        rows = f"SELECT _case, _ts, k0 AS key, v0 AS value FROM {query.relation(sink.inputs[0], final=True)}"
        order = ""
    else:
        ordinal = "_ord" if sink.topic.ordinal_width == 1 else "CAST(_ord AS BIGINT[])"
        parts = []
        for number, node in enumerate(sink.inputs):
            name = query.relation(node, final=True)
            own = "[_ord]" if node.ordinal_width == 1 and sink.topic.ordinal_width > 1 else ordinal
            parts.append(f"SELECT _case, _ts, k0 AS key, v0 AS value, {own} AS _ord, {number} AS _input FROM {name}")
        rows = "\nUNION ALL ".join(parts)
        # Records with equal ordinals come from several statements of one target, or from one record, see _may_tie.
        ties = ["_input"]
        if _may_tie(sink):
            ties += value_order("key", sink.topic.key.type) + value_order("value", sink.topic.value.type)
        order = listed(("_case", "_ord", *ties))
    read = [scan for node in sink.inputs for scan in scans(node)]
    reads = tuple(dict.fromkeys(scan.topic.name for scan in read))
    with_offsets = frozenset(scan.topic.name for scan in read if scan.places)
    with_headers = frozenset(scan.topic.name for scan in read if scan.headers)
    width = sink.topic.ordinal_width
    stream = sink.semantics == "STREAM"
    keepers = frozenset(number for number, node in enumerate(sink.inputs) if stream and keeps_headers(node))
    ctes = tuple(query.parts)
    return Statement(
        sink.topic.name, reads, with_offsets, with_headers, ctes, rows, order, _dropped(query), width, keepers
    )


def _may_tie(sink: Sink) -> bool:
    """Return whether records of one statement can have equal ordinals.

    This happens if a topic is on both sides of a join, or if one record causes several changes of a TABLE. It also
    happens if a record fails several tests.
    """
    reads = [[scan.topic.name for scan in scans(node)] for node in sink.inputs]
    several = any(map(_fails_often, sink.inputs))
    return several or any(len(set(names)) < len(names) for names in reads) or any(map(compacted, sink.inputs))


def _fails_often(node: Node) -> bool:
    """Return whether the elements of a record share its ordinal."""
    return isinstance(node, LateralOfAll) or any(map(_fails_often, inputs(node)))


def _dropped(query: Query) -> str | None:
    parts = [f"SELECT _case, {text(reason)} AS reason FROM {nested(body)}" for reason, body in query.counts]
    return "\nUNION ALL ".join(parts) if parts else None
