"""Aggregates in DuckDB: the final groups, or all their versions."""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.lower.duckdb.aggregates import aggregate
from lsqlc.lower.duckdb.expressions import sql
from lsqlc.lower.duckdb.query import Query
from lsqlc.lower.duckdb.sort_order import identity_order
from lsqlc.lower.duckdb.sources import scan_ordinal, table_name
from lsqlc.lower.duckdb.windows import assign_windows
from lsqlc.plan import nodes
from lsqlc.plan.clocks import knows_departures
from lsqlc.plan.identity import may_be_tombstone
from lsqlc.plan.windows import Session
from lsqlc.sql.duckdb import struct
from lsqlc.sql.writer import Join, Select, Sql, listed, nested
from lsqlc.types.data import DOUBLE, FLOAT
from lsqlc.types.record import BEFORE_RECORDS


def aggregate_rows(node: nodes.Aggregate, query: Query, final: bool) -> str:
    """Return the name of the rows of an aggregate."""
    source = node.input
    table = source.semantics == "TABLE"
    below = query.relation(source, final=final and table and not node.keeps_empty)
    # Adding 0 removes the sign of zeros, as Spark does for group keys.
    keys = [f"({sql(key)} + 0)" if key.type in (FLOAT, DOUBLE) else sql(key) for key in node.keys]
    key = struct(zip(node.key_names, keys, strict=True)) if node.key_names else keys[0]
    from_clause = f"FROM {below} AS t"
    if may_be_tombstone(source):
        query.counts.append(("null value", f"SELECT _case {from_clause} WHERE v0 IS NULL"))
        from_clause += " WHERE v0 IS NOT NULL"
    members = query.add("members", f"SELECT t.*, {key} AS _group\n{from_clause}")
    query.counts.append(("null group key", f"SELECT _case FROM {members} WHERE _group IS NULL"))
    rows = query.add("rows", f"SELECT * FROM {members} WHERE _group IS NOT NULL")
    # A final window has only one version.
    final = final or (node.window is not None and node.window.final)
    states = not final and isinstance(node.window, Session)
    if node.window is not None:
        rows = assign_windows(node.window, rows, source, query, states=states)
    with_times = node in query.timed and knows_departures(node)
    if with_times:
        rows = _with_ends(rows, nodes.scans(source)[0], query)
    # Rows of a TABLE are aggregated in order of their keys, those of a STREAM in order of arrival.
    order = listed(identity_order("t._id", source)) if table else "t._ord"
    values = struct((f"a{i}", aggregate(a, order, table=table)) for i, a in enumerate(node.aggregates))
    if states:
        return query.add(
            "groups",
            "SELECT _case, moment AS _ord, max(t._ts) AS _ts, until AS _end, _group AS _id, _group AS k0,\n"
            f"  {values} AS v0\nFROM {rows} AS t GROUP BY _case, moment, until, _group",
        )
    if final:
        if with_times:
            latest = "max(_until) OVER (PARTITION BY _case, _group)"
            rows = query.add("latest", f"SELECT * REPLACE ({latest} AS _ts) FROM {rows}")
        live = query.add("live", f"SELECT * FROM {rows} WHERE _end IS NULL") if node.keeps_empty else rows
        groups = query.add(
            "groups",
            "SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,\n"
            f"  {values} AS v0\nFROM {live} AS t GROUP BY _case, _group",
        )
        if not (node.keeps_empty or node.total):
            return groups
        changes = f"SELECT _case, _group, {'_end' if table else '_ord'} AS moment, _ts FROM {rows}"
        if node.total:
            changes = f"{changes}\nUNION ALL SELECT {_before_records(node, key)}, 0 AS _ts FROM cases"
        every_group = (
            "SELECT _case, max(moment) AS _ord, max(_ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0\n"
            f"FROM {nested(changes)} AS t GROUP BY _case, _group"
        )
        return _with_empty(groups, every_group, values, rows, query)
    first = _before_records(node, key) if node.total else ""
    groups, spans = _group_versions(_Members(rows, source, first, with_times), values, query)
    if not (node.keeps_empty or node.total):
        return groups
    time = f"{'latest' if with_times else '0'} AS _ts"
    every = Select(("_case", "moment AS _ord", time, "until AS _end", "_group AS _id", "_group AS k0"), spans)
    return _with_empty(groups, every, values, rows, query)


def _before_records(node: nodes.Aggregate, key: str) -> str:
    """Return the columns `_case`, `_group` and `moment` of the one group of all rows before the first one."""
    width = node.ordinal_width
    ordinal = str(BEFORE_RECORDS) if width == 1 else f"[{listed(str(BEFORE_RECORDS) for _ in range(width))}]"
    return f"_case, {key} AS _group, {ordinal} AS moment"


def _with_empty(groups: str, all: Sql, values: str, rows: str, query: Query) -> str:
    """Return the groups including those without rows, which have the aggregates of no row."""
    none = f"(SELECT {values} FROM {rows} AS t WHERE FALSE)"
    empty = (
        f"SELECT a._case, a._ord, a._ts, a._end, a._id, a.k0, {none} AS v0\n"
        f"FROM ({all}) AS a ANTI JOIN {groups} AS g\n"
        "  ON g._case = a._case AND g._id = a._id AND g._end IS NOT DISTINCT FROM a._end"
    )
    return query.add("with_empty", f"SELECT * FROM {groups}\nUNION ALL BY NAME\n{empty}")


def _with_ends(rows: str, scan: nodes.Scan, query: Query) -> str:
    """Return the rows with `_until`: the later time of the record that began the row and the record that ended it."""
    records = query.add("times", f"SELECT _case, {scan_ordinal(scan)}, _ts FROM {table_name(scan.topic.name)}")
    return query.add(
        "ends",
        f"SELECT t.*, greatest(t._ts, r._ts) AS _until\nFROM {rows} AS t\n"
        f"LEFT JOIN {records} AS r ON r._case = t._case AND r._ord = t._end",
    )


@dataclass(frozen=True, slots=True)
class _Members:
    """The rows of groups, which are those of the node `source`.

    `first`: the columns of the group that exists before the first row (see `_before_records`); empty: none does.
    `with_times`: the time of a group is the latest one of its changes.
    """

    rows: str
    source: nodes.Node
    first: str
    with_times: bool


def _group_versions(members: _Members, values: str, query: Query) -> tuple[str, str]:
    """Return the versions of each group, and the name of the spans between its events.

    A version is the aggregate over the rows that are live at an event. All changes of one record belong to one event,
    the last. With times, spans have the `latest` time of the group so far.
    """
    rows, source, with_times = members.rows, members.source, members.with_times
    table = source.semantics == "TABLE"
    begins = ("_ord AS moment", "_ts AS latest") if with_times else ("_ord AS moment",)
    ends = ("_end", "_until") if with_times else ("_end",)
    newest = ("max(moment) AS moment", "max(latest) AS latest") if with_times else ("max(moment) AS moment",)
    events = f"SELECT _case, _group, {listed(begins)} FROM {rows}"
    if table:
        events = f"{events}\nUNION SELECT _case, _group, {listed(ends)} FROM {rows} WHERE _end IS NOT NULL"
    if members.first:
        events = f"{events}\nUNION SELECT {members.first}{', 0 AS latest' if with_times else ''} FROM cases"
    if with_times:
        running = "max(max(latest)) OVER (PARTITION BY _case, _group ORDER BY moment) AS latest"
        events = f"SELECT _case, _group, moment, {running} FROM {nested(events)} GROUP BY _case, _group, moment"
    if source.ordinal_width > 1:
        events = f"SELECT _case, _group, {listed(newest)} FROM {nested(events)} GROUP BY _case, _group, moment[1]"
    until = "lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until"
    spans = query.add("events", Select(("*", until), nested(events)))
    time = f"max({'e.latest' if with_times else 't._ts'}) AS _ts"
    is_live = ("t._ord <= e.moment", "(t._end IS NULL OR t._end > e.moment)") if table else ("t._ord <= e.moment",)
    groups = query.add(
        "groups",
        Select(
            (
                ("e._case AS _case", "e.moment AS _ord", time, "e.until AS _end"),
                ("e._group AS _id", "e._group AS k0"),
                (f"{values} AS v0",),
            ),
            Join(f"{spans} AS e", "JOIN", f"{rows} AS t", ("e._case = t._case", "e._group = t._group", *is_live)),
            group=("e._case", "e._group", "e.moment", "e.until"),
        ),
    )
    return groups, spans
