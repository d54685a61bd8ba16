"""Nodes of a plan as DuckDB SQL: each is a common table expression over the whole event log.

Every row has `_case` (cases run in one statement), `_ord` (its ordinal: a BIGINT, or a list if a record is derived from
several) and `_ts` (epoch milliseconds), then two columns per relation, `k<n>` and `v<n>`.

- A STREAM has a row per record.
- A TABLE has a row per *version*: it is live from `_ord` until before `_end` (null: still live). `_id` identifies a row
  of the table. There are no tombstones: a deletion ends a version.
- If rows of a join can be unmatched (`may_be_unmatched`), versions have `_rank` and `_until` too. `_rank` orders rows
  that share a key: a row that lost its match begins a new version, with the rank of its own record. After `_until` a
  version is retracted: its row is unmatched, and its earlier matches are ignored.

So a join of tables is a join of overlapping versions. A join of a stream with a table finds the version that was live
when the record arrived. If only the last state of a table is needed (`final`), only live versions are kept.
"""

from __future__ import annotations

from lsqlc.connectors.timeless import NO_EVENT_TIME
from lsqlc.lower.duckdb.expressions import sql
from lsqlc.lower.duckdb.groups import aggregate_rows
from lsqlc.lower.duckdb.joins import join_rows
from lsqlc.lower.duckdb.query import Query, arrival, as_list, lasting, list_or_null, rank, renamed
from lsqlc.lower.duckdb.rekey import valid_rows
from lsqlc.lower.duckdb.sources import scan_columns, scan_ordinal, table_name
from lsqlc.plan import nodes
from lsqlc.plan.identity import direct_changes, may_be_tombstone, may_be_unmatched, passes_over_tombstones
from lsqlc.sql.writer import Select, nested
from lsqlc.types.record import LATEST


def lower_node(node: nodes.Node, query: Query, final: bool) -> str:
    """Write the rows of a node. Returns the name of their expression."""
    match node:
        case nodes.Scan():
            return _scan(node, query, final)
        case nodes.Reinterpret():
            return _table_of(node, query, final) if node.semantics == "TABLE" else _changes_of(node, query)
        case nodes.Repartition():
            return query.relation(node.input, final=final)
        case nodes.EventTime() | nodes.Filter() | nodes.Lateral() | nodes.Project():
            return _row_by_row(node, query, final)
        case nodes.Rekey():
            return valid_rows(node.input, query.relation(node.input, final=False), query, final)
        case nodes.Aggregate():
            return aggregate_rows(node, query, final)
        case nodes.Join():
            return join_rows(node, query, final)
        case nodes.Union():
            return _union(node, query)


# Scans and reinterpretations


def _scan(node: nodes.Scan, query: Query, final: bool) -> str:
    read = f"SELECT _case, {scan_ordinal(node)}, _ts, {scan_columns(node)}\nFROM {table_name(node.topic.name)} AS t"
    if node.semantics == "STREAM":
        return query.add("scan", read)
    if query.is_current:
        # A version without an end, which has the type of an ordinal.
        version = f"SELECT t.*, k0 AS _id, CASE WHEN FALSE THEN _ord END AS _end FROM {nested(read)} AS t"
        return query.add("scan", f"{version} WHERE k0 IS NOT NULL AND v0 IS NOT NULL")
    return _versions("scan", query.add("records", read), query, final)


def _table_of(node: nodes.Reinterpret, query: Query, final: bool) -> str:
    return _versions("table", query.relation(node.input, final=False), query, final)


def _versions(kind: str, records: str, query: Query, final: bool) -> str:
    """Return the versions of a table from the records of its changelog."""
    query.counts.append(("null key", f"SELECT _case FROM {records} WHERE k0 IS NULL"))
    versions = (
        "SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end\n"
        f"FROM {records} AS t WHERE k0 IS NOT NULL"
    )
    condition = "v0 IS NOT NULL" + (" AND _end IS NULL" if final else "")
    return query.add(kind, f"SELECT * FROM {nested(versions)} WHERE {condition}")


def _changes_of(node: nodes.Reinterpret, query: Query) -> str:
    """Return the changes of a TABLE as a STREAM.

    A deleted row gives a null value, unless the same record replaces it.
    """
    table = node.input
    if direct_changes(table):
        return _direct_changes(table, query)
    below = lasting(query.relation(table, final=False), table, query)
    begin, end = arrival("n._ord", table), arrival("t._end", table)
    ends = (
        "SELECT _case, _end AS _ord, _ts, k0, NULL AS v0\n"
        f"FROM {below} AS t WHERE _end IS NOT NULL AND NOT EXISTS (\n"
        f"  FROM {below} AS n WHERE n._case = t._case AND n._id = t._id AND {begin} = {end}\n)"
    )
    return query.add("changes", f"SELECT _case, _ord, _ts, k0, v0 FROM {below} AS t\nUNION ALL\n{ends}")


def _direct_changes(table: nodes.Node, query: Query) -> str:
    """Return the records of a topic that is only projected and filtered, one per change."""
    match table:
        case nodes.Scan():
            facets = f"{scan_ordinal(table)}, _ts, {scan_columns(table)}"
            read = f"SELECT _case, {facets}\nFROM {table_name(table.topic.name)} AS t"
            return query.add("changes", f"SELECT * FROM {nested(read)} WHERE k0 IS NOT NULL")
        case nodes.Reinterpret():
            below = query.relation(table.input, final=False)
            return query.add("changes", f"SELECT * FROM {below} WHERE k0 IS NOT NULL")
        case nodes.EventTime():
            return _event_time(table, _direct_changes(table.input, query), query)
        case nodes.Filter():
            below = _direct_changes(table.input, query)
            remaining = f"CASE WHEN {sql(table.condition)} THEN v0 END AS v0"
            return query.add("changes", f"SELECT _case, _ord, _ts, k0, {remaining}\nFROM {below} AS t")
        case nodes.Project():
            below = _direct_changes(table.input, query)
            value = f"CASE WHEN v0 IS NOT NULL THEN {sql(table.value)} END AS v0"
            return query.add("changes", f"SELECT _case, _ord, _ts, {sql(table.key)} AS k0, {value}\nFROM {below} AS t")
        case _:
            return _direct_changes(nodes.inputs(table)[0], query)


def _union(node: nodes.Union, query: Query) -> str:
    """Return the records of several streams. Records with equal ordinals are ordered by input."""
    parts = []
    for number, part in enumerate(node.inputs):
        ordinal = "_ord" if part.ordinal_width == node.ordinal_width else as_list("_ord", part)
        if node.repeats:
            ordinal = f"list_append({ordinal}, {number})"
        below = query.relation(part, final=False)
        parts.append(f"SELECT _case, {ordinal} AS _ord, _ts, k0, v0 FROM {below}")
    return query.add("records", "\nUNION ALL\n".join(parts))


# Nodes that process rows one by one


def _row_by_row(node: nodes.EventTime | nodes.Filter | nodes.Lateral | nodes.Project, query: Query, final: bool) -> str:
    match node:
        case nodes.EventTime():
            return _event_time(node, query.relation(node.input, final=final), query)
        case nodes.Filter():
            return _filter(node, query, final)
        case nodes.Lateral():
            return _lateral(node, query, final)
        case nodes.Project():
            return _project(node, query, final)


def _event_time(node: nodes.EventTime, below: str, query: Query) -> str:
    """Return the rows with the time of an expression. A tombstone keeps its own time."""
    time = sql(node.time)
    bad = f"error('{NO_EVENT_TIME}')"
    timely = f"coalesce({time} BETWEEN 0 AND {LATEST}, FALSE)"
    timeless = f"v0 IS NOT NULL AND NOT {timely}"
    if node.skips:
        query.counts.append(("bad record", f"SELECT _case FROM {below} AS t WHERE {timeless}"))
        below, bad = f"(SELECT * FROM {below} AS t WHERE NOT ({timeless}))", "NULL"
    value = f"CASE WHEN v0 IS NULL THEN _ts WHEN {timely} THEN {time} ELSE {bad} END"
    return query.add("at", f"SELECT * REPLACE ({value} AS _ts) FROM {below} AS t")


def _filter(node: nodes.Filter, query: Query, final: bool) -> str:
    below = query.relation(node.input, final=final)
    condition = sql(node.condition)
    if passes_over_tombstones(node):
        condition = f"v0 IS NOT NULL AND {condition}"
    return query.add("filter", f"SELECT * FROM {below} AS t\nWHERE {condition}")


def _project(node: nodes.Project, query: Query, final: bool) -> str:
    below = query.relation(node.input, final=final)
    value = sql(node.value)
    if node.semantics == "STREAM" and may_be_tombstone(node.input):
        value = f"CASE WHEN v0 IS NOT NULL THEN {value} END"
    key_and_value = ((f"{sql(node.key)} AS k0",), (f"{value} AS v0",))
    if node.semantics == "STREAM":
        return query.add("project", Select(("_case", "_ord", "_ts", *key_and_value), f"{below} AS t"))
    versions = Select(("_case", "_ord", "_ts", "_end", "_id", *rank(node, "t"), *key_and_value), f"{below} AS t")
    # A row with a null value is deleted.
    return query.add("project", f"SELECT * FROM {nested(versions)} WHERE v0 IS NOT NULL")


def _lateral(node: nodes.Lateral, query: Query, final: bool) -> str:
    below = query.relation(node.input, final=final)
    number = len(node.input.relations)
    own = isinstance(node, nodes.LateralOfAll)
    order = "t._ord" if own else f"list_append({as_list('t._ord', node.input)}, t.i)"
    version: tuple[str, ...] = ()
    if node.semantics == "TABLE":
        version = (f"{list_or_null('t._end', node.input)} AS _end", "{'row': t._id, 'index': t.i} AS _id")
        if may_be_unmatched(node):
            version = (*version, "list_append(t._rank, t.i) AS _rank", "t._until")
    array = sql(node.array)
    if may_be_tombstone(node.input) and not own:
        query.counts.append(("null value", f"SELECT _case FROM {below} WHERE v0 IS NULL"))
        below = f"(SELECT * FROM {below} WHERE v0 IS NOT NULL)"
    # Unnested in the SELECT list, because DuckDB would plan a joined unnest as a correlated subquery.
    spread = query.add(
        "spread", f"SELECT t.*, unnest({array}) AS e, unnest(range(len({array}))) AS i\nFROM {below} AS t"
    )
    return query.add(
        "lateral",
        Select(
            (
                ("t._case", f"{order} AS _ord", "t._ts", *version),
                (*renamed(node.input, "t", 0), f"NULL AS k{number}", f"t.e AS v{number}"),
            ),
            f"{spread} AS t",
        ),
    )
