"""Nodes of a plan as DuckDB SQL: each a common table expression over the whole log of events.

Every row has `_case` (cases run side by side), `_ord` (its ordinal: a BIGINT, or a list where a record is derived from
several) and `_ts` (epoch milliseconds), then two columns per relation, `k<n>` and `v<n>`.

- A STREAM has a row per record.
- A TABLE has a row per *version*: it lives from `_ord` until before `_end` (null: it lives still), and `_id` is what
  tells the rows of the table apart. There are no tombstones: a deletion is the end of a version.

So a join of tables is a join of overlapping versions, and a join of a stream with a table finds the version that lived
when the record came. A table of which only the last state is wanted (`final`) keeps just the versions that live.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lsqlc.lower.duckdb.aggregates import aggregate
from lsqlc.lower.duckdb.expressions import sql
from lsqlc.lower.duckdb.sources import scan_columns, table_name
from lsqlc.plan import nodes
from lsqlc.plan.expression import Field, walk
from lsqlc.plan.identity import direct_changes, joins_keys, keyed_by_identity, may_be_tombstone


@dataclass(slots=True)
class Query:
    """The common table expressions written so far, in order, and what is counted of them.

    `counts`: a reason, and SQL that gives `_case` of each record that went nowhere for it.
    """

    parts: list[tuple[str, str]] = field(default_factory=list)
    counts: list[tuple[str, str]] = field(default_factory=list)
    known: dict[tuple[nodes.Node, str], str] = field(default_factory=dict)

    def add(self, kind: str, body: str) -> str:
        """Name a piece of SQL."""
        name = f"{kind}_{len(self.parts) + 1}"
        self.parts.append((name, body))
        return name

    def text(self, select: str) -> str:
        """The whole statement, one common table expression per paragraph."""
        if not self.parts:
            return select
        bodies = ",\n".join(f"{name} AS (\n{_indent(body)}\n)" for name, body in self.parts)
        return f"WITH {bodies}\n{select}"


def _indent(body: str) -> str:
    return "\n".join("  " + line for line in body.split("\n"))


def relation(node: nodes.Node, query: Query, *, final: bool) -> str:
    """The name of the expression that gives a node's rows; a node that stands twice is written once."""
    form = "stream" if node.semantics == "STREAM" else "final" if final else "versions"
    name = query.known.get((node, form))
    if name is None:
        name = query.known[node, form] = _lower(node, query, final)
    return name


def columns(node: nodes.Node, alias: str = "t", shift: int = 0) -> str:
    """The two columns of each relation, renumbered by `shift`."""
    return ", ".join(
        f"{alias}.{c}{i}" + (f" AS {c}{i + shift}" if shift else "")
        for i in range(len(node.relations))
        for c in ("k", "v")
    )


def _lower(node: nodes.Node, query: Query, final: bool) -> str:
    match node:
        case nodes.Scan():
            return _scan(node, query, final)
        case nodes.Reinterpret():
            return _table_of(node, query, final) if node.semantics == "TABLE" else _changes_of(node, query)
        case nodes.Repartition():
            return relation(node.input, query, final=final)
        case nodes.EventTime():
            below = relation(node.input, query, final=final)
            time = sql(node.time)
            bad = "error('EVENTTIME BY gives no time at or after 1970 for a record')"
            value = f"CASE WHEN v0 IS NULL THEN _ts WHEN coalesce({time}, -1) < 0 THEN {bad} ELSE {time} END"
            return query.add("at", f"SELECT * REPLACE ({value} AS _ts) FROM {below} AS t")
        case nodes.Filter():
            return _filter(node, query, final)
        case nodes.Lateral():
            return _lateral(node, query, final)
        case nodes.Project():
            return _project(node, query, final)
        case nodes.Rekey():
            below = relation(node.input, query, final=False)
            return _rekey(node.input, below, "t.k0", query, final)
        case nodes.Aggregate():
            return _aggregate(node, query, final)
        case nodes.Join():
            return _join(node, query, final)


# Scans and changes of meaning


def _scan(node: nodes.Scan, query: Query, final: bool) -> str:
    read = f"SELECT _case, _ord, _ts, {scan_columns(node)}\nFROM {table_name(node.topic.name)} AS t"
    if node.semantics == "STREAM":
        return query.add("scan", read)
    return _versions("scan", query.add("records", read), query, final)


def _table_of(node: nodes.Reinterpret, query: Query, final: bool) -> str:
    return _versions("table", relation(node.input, query, final=False), query, final)


def _versions(kind: str, records: str, query: Query, final: bool) -> str:
    """The versions of a table from the records of its changelog."""
    query.counts.append(("null key", f"SELECT _case FROM {records} WHERE k0 IS NULL"))
    inner = (
        "SELECT t.*, k0 AS _id, lead(_ord) OVER (PARTITION BY _case, k0 ORDER BY _ord) AS _end\n"
        f"  FROM {records} AS t WHERE k0 IS NOT NULL"
    )
    condition = "v0 IS NOT NULL" + (" AND _end IS NULL" if final else "")
    return query.add(kind, f"SELECT * FROM (\n  {inner}\n) WHERE {condition}")


def _changes_of(node: nodes.Reinterpret, query: Query) -> str:
    """A TABLE read as a STREAM of its changes: a null value where a row ends."""
    table = node.input
    if direct_changes(table):
        return _direct_changes(table, query)
    below = relation(table, query, final=False)
    ends = (
        "SELECT _case, _end AS _ord, _ts, k0, NULL AS v0\n"
        f"FROM {below} AS t WHERE _end IS NOT NULL AND NOT EXISTS (\n"
        f"  FROM {below} AS n WHERE n._case = t._case AND n._id = t._id AND n._ord = t._end\n)"
    )
    return query.add("changes", f"SELECT _case, _ord, _ts, k0, v0 FROM {below} AS t\nUNION ALL\n{ends}")


def _direct_changes(table: nodes.Node, query: Query) -> str:
    """The records of a topic that only was projected and filtered, one change each."""
    match table:
        case nodes.Scan():
            read = f"SELECT _case, _ord, _ts, {scan_columns(table)}\nFROM {table_name(table.topic.name)} AS t"
            return query.add("changes", f"SELECT * FROM (\n{_indent(read)}\n) WHERE k0 IS NOT NULL")
        case nodes.Reinterpret():
            below = relation(table.input, query, final=False)
            return query.add("changes", f"SELECT * FROM {below} WHERE k0 IS NOT NULL")
        case nodes.Filter():
            below = _direct_changes(table.input, query)
            kept = f"CASE WHEN {sql(table.condition)} THEN v0 END AS v0"
            return query.add("changes", f"SELECT _case, _ord, _ts, k0, {kept}\nFROM {below} AS t")
        case nodes.Project():
            below = _direct_changes(table.input, query)
            value = f"CASE WHEN v0 IS NOT NULL THEN {sql(table.value)} END AS v0"
            return query.add("changes", f"SELECT _case, _ord, _ts, {sql(table.key)} AS k0, {value}\nFROM {below} AS t")
        case _:
            return _direct_changes(nodes.inputs(table)[0], query)


# One row to one row


def _filter(node: nodes.Filter, query: Query, final: bool) -> str:
    below = relation(node.input, query, final=final)
    condition = sql(node.condition)
    reads_value = any(isinstance(p, Field) and p.facet == "value" for p in walk(node.condition))
    if reads_value and may_be_tombstone(node.input):
        condition = f"v0 IS NOT NULL AND {condition}"
    return query.add("filter", f"SELECT * FROM {below} AS t\nWHERE {condition}")


def _project(node: nodes.Project, query: Query, final: bool) -> str:
    below = relation(node.input, query, final=final)
    value = sql(node.value)
    if node.semantics == "STREAM":
        if may_be_tombstone(node.input):
            value = f"CASE WHEN v0 IS NOT NULL THEN {value} END"
        return query.add(
            "project", f"SELECT _case, _ord, _ts,\n  {sql(node.key)} AS k0,\n  {value} AS v0\nFROM {below} AS t"
        )
    body = f"SELECT _case, _ord, _ts, _end, _id,\n  {sql(node.key)} AS k0,\n  {value} AS v0\nFROM {below} AS t"
    # A row whose whole value is null is deleted.
    return query.add("project", f"SELECT * FROM (\n{_indent(body)}\n) WHERE v0 IS NOT NULL")


def _lateral(node: nodes.Lateral, query: Query, final: bool) -> str:
    below = relation(node.input, query, final=final)
    number = len(node.input.relations)
    order = _as_list("t._ord", node.input)
    table = node.semantics == "TABLE"
    identity = (
        f", {_list_or_null('t._end', node.input)} AS _end, {{'row': t._id, 'index': u.i}} AS _id" if table else ""
    )
    return query.add(
        "lateral",
        f"SELECT t._case, list_append({order}, u.i - 1) AS _ord, t._ts{identity},\n"
        f"  {columns(node.input)}, NULL AS k{number}, u.e AS v{number}\n"
        f"FROM {below} AS t, unnest({sql(node.array)}) WITH ORDINALITY AS u(e, i)",
    )


# Rekeying


def _rekey(node: nodes.Node, below: str, key: str, query: Query, final: bool, condition: str = "TRUE") -> str:
    """One row per new key: the newest version ever mapped to it, for as long as that version lives."""
    query.counts.append(("null key", f"SELECT _case FROM {below} AS t WHERE {key} IS NULL"))
    moved = (
        f"SELECT t.* EXCLUDE (_id, _end), {key} AS _id,\n"
        f"  least(_end, lead(_ord) OVER (PARTITION BY _case, {key} ORDER BY _ord)) AS _end\n"
        f"FROM {below} AS t WHERE {key} IS NOT NULL AND {condition}"
    )
    name = query.add("rekey", moved)
    return query.add("live", f"SELECT * FROM {name} WHERE _end IS NULL") if final else name


# Aggregates


def _aggregate(node: nodes.Aggregate, query: Query, final: bool) -> str:
    source = node.input
    table = source.semantics == "TABLE"
    below = relation(source, query, final=final and table)
    keys = [sql(key) for key in node.keys]
    key = (
        "{"
        + ", ".join(f"'{n.replace(chr(39), chr(39) * 2)}': {k}" for n, k in zip(node.key_names, keys, strict=True))
        + "}"
        if node.key_names
        else keys[0]
    )
    skipped = "v0 IS NULL" if may_be_tombstone(source) else "FALSE"
    if may_be_tombstone(source):
        query.counts.append(("null value", f"SELECT _case FROM {below} AS t WHERE {skipped}"))
    query.counts.append(("null group key", f"SELECT _case FROM {below} AS t WHERE NOT ({skipped}) AND {key} IS NULL"))
    rows = query.add(
        "rows", f"SELECT t.*, {key} AS _group\nFROM {below} AS t WHERE NOT ({skipped}) AND {key} IS NOT NULL"
    )
    if node.window is not None:
        from lsqlc.lower.duckdb.windows import windowed

        rows = windowed(node.window, rows, query)
    # The rows of a TABLE come in order of their keys, those of a STREAM in order of arrival.
    order = "t._id" if table else "t._ord"
    values = ", ".join(f"'a{i}': {aggregate(a, order)}" for i, a in enumerate(node.aggregates))
    # A session is there once it is closed; before that its key is not known.
    if final or (node.window is not None and node.window.kind == "SESSION"):
        return query.add(
            "groups",
            "SELECT _case, max(t._ord) AS _ord, max(t._ts) AS _ts, NULL AS _end, _group AS _id, _group AS k0,\n"
            f"  {{{values}}} AS v0\nFROM {rows} AS t GROUP BY _case, _group",
        )
    return _group_versions(rows, values, table, query)


def _group_versions(rows: str, values: str, table: bool, query: Query) -> str:
    """Every state that each group went through: at each of its events, an aggregate over the rows that lived then."""
    events = f"SELECT _case, _group, _ord AS moment FROM {rows}"
    if table:
        events += f"\nUNION SELECT _case, _group, _end FROM {rows} WHERE _end IS NOT NULL"
    spans = query.add(
        "events",
        f"SELECT *, lead(moment) OVER (PARTITION BY _case, _group ORDER BY moment) AS until FROM (\n{_indent(events)}\n)",
    )
    lived = "t._ord <= e.moment" + (" AND (t._end IS NULL OR t._end > e.moment)" if table else "")
    return query.add(
        "groups",
        "SELECT e._case AS _case, e.moment AS _ord, max(t._ts) AS _ts, e.until AS _end, e._group AS _id, e._group AS k0,\n"
        f"  {{{values}}} AS v0\n"
        f"FROM {spans} AS e JOIN {rows} AS t ON e._case = t._case AND e._group = t._group AND {lived}\n"
        "GROUP BY e._case, e._group, e.moment, e.until",
    )


# Joins


def _join(node: nodes.Join, query: Query, final: bool) -> str:
    match node.style:
        case "stream-stream":
            return _stream_stream(node, query)
        case "table-table":
            return _table_table(node, query, final)
        case "stream-table":
            return _stream_table(node, query, node.left, node.right, 0)
        case "table-stream":
            return _stream_table(node, query, node.right, node.left, 1)


def _join_key(node: nodes.Join, side: int) -> str:
    """The equated values of a side as one value, null if one of them is: it then matches nothing."""
    parts = [sql(pair[side]) for pair in node.equalities]
    whole = parts[0]
    condition = node.left_condition if side == 0 else node.right_condition
    tests = [f"{p} IS NOT NULL" for p in parts] if len(parts) > 1 else []
    if condition is not None:
        tests.append(sql(condition))
    if len(parts) > 1:
        whole = "{" + ", ".join(f"'j{i}': {p}" for i, p in enumerate(parts)) + "}"
    return f"CASE WHEN {' AND '.join(tests)} THEN {whole} END" if tests else whole


def _side(node: nodes.Join, side: int, query: Query, final: bool) -> str:
    """The rows of a side with their join key as `j`; records of a stream without value are skipped."""
    source = node.left if side == 0 else node.right
    below = relation(source, query, final=final)
    where = ""
    if may_be_tombstone(source):
        query.counts.append(("null value", f"SELECT _case FROM {below} WHERE v0 IS NULL"))
        where = "\nWHERE v0 IS NOT NULL"
    return query.add(
        "left" if side == 0 else "right", f"SELECT t.*, {_join_key(node, side)} AS j\nFROM {below} AS t{where}"
    )


def _as_list(expression: str, node: nodes.Node) -> str:
    return f"[{expression}]" if node.ordinal_width == 1 else expression


def _list_or_null(expression: str, node: nodes.Node) -> str:
    """An ordinal that may be null, as a list."""
    return f"CASE WHEN {expression} IS NOT NULL THEN [{expression}] END" if node.ordinal_width == 1 else expression


def _later_first(node: nodes.Join) -> str:
    """The ordinal of a pair: that of the later record, then the other's."""
    left, right = _as_list("l._ord", node.left), _as_list("r._ord", node.right)
    return f"CASE WHEN {left} > {right} THEN {left} || {right} ELSE {right} || {left} END"


def _nulls(node: nodes.Node, shift: int = 0) -> str:
    return ", ".join(f"NULL AS {c}{i + shift}" for i in range(len(node.relations)) for c in ("k", "v"))


def _both(node: nodes.Join, left: str | None, right: str | None) -> str:
    """The columns of both sides, nulls for one that is not there."""
    width = len(node.left.relations)
    one = columns(node.left, left) if left else _nulls(node.left)
    other = columns(node.right, right, width) if right else _nulls(node.right, width)
    return f"{one}, {other}"


def _stream_stream(node: nodes.Join, query: Query) -> str:
    """Pairs within the window; what never met comes out alone, at its own ordinal."""
    assert node.within is not None
    sides = [_on_time(node, _side(node, side, query, False), side, query) for side in (0, 1)]
    left, right = sides
    pairs = query.add(
        "pairs",
        f"SELECT l._case AS _case, {_later_first(node)} AS _ord, greatest(l._ts, r._ts) AS _ts,\n"
        f"  {_both(node, 'l', 'r')}, l._ord AS l_ord, r._ord AS r_ord\n"
        f"FROM {left} AS l JOIN {right} AS r\n"
        f"  ON l._case = r._case AND l.j = r.j AND r._ts BETWEEN l._ts - {node.within} AND l._ts + {node.within}",
    )
    parts = [f"SELECT * EXCLUDE (l_ord, r_ord) FROM {pairs}"]
    for side, (name, alias) in enumerate(((left, "l"), (right, "r"))):
        if node.kind not in (("LEFT", "OUTER") if side == 0 else ("RIGHT", "OUTER")):
            continue
        source = node.left if side == 0 else node.right
        both = _both(node, "l", None) if side == 0 else _both(node, None, "r")
        parts.append(
            f"SELECT {alias}._case, {_as_list(f'{alias}._ord', source)} AS _ord, {alias}._ts, {both}\n"
            f"FROM {name} AS {alias} ANTI JOIN {pairs} AS p ON p._case = {alias}._case AND p.{alias}_ord = {alias}._ord"
        )
    return query.add("join", "\nUNION ALL BY NAME\n".join(parts))


def _on_time(node: nodes.Join, name: str, side: int, query: Query) -> str:
    """The side without its late records: those whose time, with WITHIN and grace, had already passed on arrival."""
    assert node.within is not None
    clock = query.known.get((node, "clock"))
    if clock is None:
        parts = [
            f"SELECT _case, {_as_list('_ord', source)} AS _ord, _ts FROM {relation(source, query, final=False)}"
            for source in (node.left, node.right)
        ]
        before = "max(_ts) OVER (PARTITION BY _case ORDER BY _ord ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
        union = "\nUNION ALL\n".join(parts)
        clock = query.add("clock", f"SELECT *, {before} AS seen FROM (\n{_indent(union)}\n)")
        query.known[node, "clock"] = clock
    source = node.left if side == 0 else node.right
    join = f"ASOF LEFT JOIN {clock} AS c ON c._case = t._case AND c._ord <= {_as_list('t._ord', source)}"
    late = f"coalesce(t._ts + {node.within + node.grace} <= c.seen, FALSE)"
    query.counts.append(("late", f"SELECT t._case FROM {name} AS t {join} WHERE {late}"))
    return query.add("on_time", f"SELECT t.* FROM {name} AS t {join}\nWHERE NOT {late}")


def _stream_table(node: nodes.Join, query: Query, stream: nodes.Node, table: nodes.Node, stream_side: int) -> str:
    """Each record with the version that lived when it came; an unmatched one again when its first row appears."""
    records = _side(node, stream_side, query, False)
    versions = _side(node, 1 - stream_side, query, False)
    if not (joins_keys(node) and keyed_by_identity(table)):
        versions = _rekey(table, versions, "t.j", query, False)
    s, t = ("l", "r") if stream_side == 0 else ("r", "l")
    found = query.add(
        "found",
        f"SELECT {s}.*, {columns(table, t, 100)}, {t}._ord AS t_ord\n"
        f"FROM {records} AS {s} ASOF LEFT JOIN (SELECT *, {_as_list('_ord', table)} AS start FROM {versions}) AS {t}\n"
        f"  ON {s}._case = {t}._case AND {s}.j = {t}.j AND {t}.start < {_as_list(f'{s}._ord', stream)}\n"
        f"WHERE {t}.j IS NULL OR {t}._end IS NULL OR {_list_or_null(f'{t}._end', table)} >= {_as_list(f'{s}._ord', stream)}",
    )
    own = _as_list("t._ord", stream)
    joined = _as_list("t.t_ord", table)
    stream_columns = columns(stream, "t", 0 if stream_side == 0 else len(table.relations))
    table_shift = len(stream.relations) if stream_side == 0 else 0
    table_columns = ", ".join(
        f"t.{c}{i + 100} AS {c}{i + table_shift}" for i in range(len(table.relations)) for c in ("k", "v")
    )
    matched = (
        f"SELECT t._case, {own} || {joined} AS _ord, t._ts, {stream_columns}, {table_columns}\n"
        f"FROM {found} AS t WHERE t.t_ord IS NOT NULL"
    )
    if node.kind == "INNER":
        return query.add("join", matched)
    alone = query.add(
        "alone",
        f"SELECT t.* FROM {records} AS t ANTI JOIN {found} AS f\n"
        "  ON f._case = t._case AND f._ord = t._ord AND f.t_ord IS NOT NULL",
    )
    both = _both(node, "t", None) if stream_side == 0 else _both(node, None, "t")
    unmatched = f"SELECT t._case, {own} AS _ord, t._ts, {both}\nFROM {alone} AS t"
    late_both = _both(node, "a", "n") if stream_side == 0 else _both(node, "n", "a")
    late = (
        f"SELECT a._case, {_as_list('n._ord', table)} || {_as_list('a._ord', stream)} AS _ord,\n"
        f"  greatest(a._ts, n._ts) AS _ts, {late_both}\n"
        f"FROM {alone} AS a ASOF JOIN (SELECT *, {_as_list('_ord', table)} AS start FROM {versions}) AS n\n"
        f"  ON a._case = n._case AND a.j = n.j AND n.start >= {_as_list('a._ord', stream)}\n"
        f"WHERE n._ts - a._ts <= {node.retention}"
    )
    return query.add("join", f"{matched}\nUNION ALL BY NAME\n{unmatched}\nUNION ALL BY NAME\n{late}")


def _table_table(node: nodes.Join, query: Query, final: bool) -> str:
    """Pairs of versions that lived at the same time; a side alone for the times when the other had no row."""
    left, right = (_side(node, side, query, final) for side in (0, 1))
    identity = "l._id AS _id" if joins_keys(node) and keyed_by_identity(node) else "{'l': l._id, 'r': r._id} AS _id"
    l_end, r_end = _list_or_null("l._end", node.left), _list_or_null("r._end", node.right)
    l_ord, r_ord = _as_list("l._ord", node.left), _as_list("r._ord", node.right)
    overlap = f"({l_end} IS NULL OR {r_ord} < {l_end}) AND ({r_end} IS NULL OR {l_ord} < {r_end})"
    parts = [
        f"SELECT l._case AS _case, {_later_first(node)} AS _ord, greatest(l._ts, r._ts) AS _ts,\n"
        f"  least({l_end}, {r_end}) AS _end, {identity}, {_both(node, 'l', 'r')}\n"
        f"FROM {left} AS l JOIN {right} AS r ON l._case = r._case AND l.j = r.j AND {overlap}"
    ]
    for side, kinds in ((0, ("LEFT", "OUTER")), (1, ("RIGHT", "OUTER"))):
        if node.kind in kinds:
            parts.append(_alone(node, (left, right), side, identity, query))
    joined = query.add("join", "\nUNION ALL BY NAME\n".join(parts))
    # A side alone may be one that has met the other since.
    return query.add("live", f"SELECT * FROM {joined} WHERE _end IS NULL") if final and len(parts) > 1 else joined


def _alone(node: nodes.Join, sides: tuple[str, str], side: int, identity: str, query: Query) -> str:
    """The versions of one side, cut down to the times when the other side had no row for their join key."""
    own, other = (node.left, node.right) if side == 0 else (node.right, node.left)
    name, others = sides[side], sides[1 - side]
    start, end = _as_list("_ord", other), _list_or_null("_end", other)
    steps = query.add(
        "steps",
        f"SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,\n"
        "  lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until\n"
        f"FROM (\n  SELECT _case, j, {start} AS moment, 1 AS step FROM {others} WHERE j IS NOT NULL\n"
        f"  UNION ALL SELECT _case, j, {end}, -1 FROM {others} WHERE j IS NOT NULL AND _end IS NOT NULL\n"
        ") GROUP BY _case, j, moment",
    )
    # A gap that one record both opens and closes is none: its row was replaced.
    gaps = query.add(
        "gaps",
        f"SELECT _case, j, moment, until FROM {steps} WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])\n"
        f"UNION ALL SELECT _case, j, NULL, min(moment) FROM {steps} GROUP BY _case, j",
    )
    a = "l" if side == 0 else "r"
    a_start, a_end = _as_list(f"{a}._ord", own), _list_or_null(f"{a}._end", own)
    both = _both(node, "l", None) if side == 0 else _both(node, None, "r")
    own_identity = "l._id" if side == 0 else "r._id"
    padded = (
        f"{own_identity} AS _id"
        if identity == "l._id AS _id"
        else (f"{{'l': {'l._id' if side == 0 else 'NULL'}, 'r': {'r._id' if side == 1 else 'NULL'}}} AS _id")
    )
    return (
        f"SELECT {a}._case, CASE WHEN g.moment > {a_start} THEN g.moment || {a_start} ELSE {a_start} END AS _ord, {a}._ts,\n"
        f"  least({a_end}, g.until) AS _end, {padded}, {both}\n"
        f"FROM {name} AS {a} LEFT JOIN {gaps} AS g ON g._case = {a}._case AND g.j = {a}.j\n"
        f"WHERE (g._case IS NOT NULL AND (g.until IS NULL OR {a_start} < g.until) AND (g.moment IS NULL OR {a_end} IS NULL OR g.moment < {a_end}))\n"
        f"  OR NOT EXISTS (FROM {steps} AS s WHERE s._case = {a}._case AND s.j = {a}.j)"
    )
