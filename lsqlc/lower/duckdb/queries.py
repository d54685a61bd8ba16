"""A plan as DuckDB statements: one per topic that it writes, and one that counts the records which went nowhere."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.lower.duckdb.query import Query
from lsqlc.lower.duckdb.relations import lower_node
from lsqlc.plan.identity import compacted
from lsqlc.plan.nodes import Sink, scans
from lsqlc.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Statement:
    """`select` gives `_case`, `_ts`, `key`, `value`: a TABLE's live rows in any order, a STREAM's records by ordinal.

    `counts` gives `_case`, `reason`, `n`; None where nothing can be dropped.
    """

    topic: str
    select: str
    counts: str | None


def lower(plan: Plan) -> tuple[Statement, ...]:
    """The statements of a plan, in order of its sinks; the same text every time."""
    return tuple(_statement(sink) for sink in plan.sinks)


def plan_sql(plan: Plan) -> str:
    """All statements for people to read, each under the name of its topic."""
    return "\n".join(f"-- {s.topic}\n{s.select};\n" for s in lower(plan))


def _statement(sink: Sink) -> Statement:
    query = Query(lower_node)
    if sink.semantics == "TABLE":
        rows = query.relation(sink.inputs[0], final=True)
        select = f"SELECT _case, _ts, k0 AS key, v0 AS value FROM {rows}"
    else:
        order = "_ord" if sink.topic.ordinal_width == 1 else "CAST(_ord AS BIGINT[])"
        parts = []
        for number, node in enumerate(sink.inputs):
            name = query.relation(node, final=True)
            own = "[_ord]" if node.ordinal_width == 1 and sink.topic.ordinal_width > 1 else order
            parts.append(f"SELECT _case, _ts, k0 AS key, v0 AS value, {own} AS _ord, {number} AS _input FROM {name}")
        union = "\n  UNION ALL ".join(parts)
        # One record may cause several with one ordinal: see _may_tie, and two statements of one target.
        ties = "_input, key NULLS FIRST, value NULLS FIRST" if _may_tie(sink) else "_input"
        select = f"SELECT _case, _ts, key, value FROM (\n  {union}\n) ORDER BY _case, _ord, {ties}"
    return Statement(sink.topic.name, query.text(select), _counts(query))


def _may_tie(sink: Sink) -> bool:
    """Whether records of one statement can have one ordinal.

    Where a topic is read on both sides of a join, and among the changes of a TABLE, of which one record can cause
    several.
    """
    reads = [[scan.topic.name for scan in scans(node)] for node in sink.inputs]
    return any(len(set(names)) < len(names) for names in reads) or any(compacted(node) for node in sink.inputs)


def _counts(query: Query) -> str | None:
    if not query.counts:
        return None
    parts = [f"SELECT _case, '{reason}' AS reason FROM (\n  {body}\n)" for reason, body in query.counts]
    union = "\nUNION ALL ".join(parts)
    return query.text(f"SELECT _case, reason, count(*) AS n FROM (\n{union}\n) GROUP BY ALL ORDER BY ALL")
