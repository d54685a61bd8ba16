"""Joins in DuckDB, over records and versions of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsqlc.lower.duckdb.expressions import sql
from lsqlc.lower.duckdb.query import Query, arrival, as_list, facets, lasting, list_or_null, renamed
from lsqlc.lower.duckdb.rekey import newest_rows
from lsqlc.plan import nodes
from lsqlc.plan.identity import joins_keys, keyed_by_identity, may_be_tombstone, may_be_unmatched
from lsqlc.sql.duckdb import struct
from lsqlc.sql.writer import Join, Select, Union, listed, nested

# Watermark advances without a record. They follow all effects of the record before them.
_ADVANCES = "SELECT _case, [_ord - 1, 9223372036854775807] AS _ord, _ts FROM advances"


def join_rows(node: nodes.Join, query: Query, final: bool) -> str:
    """Return the name of the rows of a join."""
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
    """Return the equated values of a side as one value. It is null, and matches nothing, if one of them is."""
    parts = [sql(pair[side]) for pair in node.equalities]
    whole = parts[0]
    condition = node.left_condition if side == 0 else node.right_condition
    tests = [f"{p} IS NOT NULL" for p in parts] if len(parts) > 1 else []
    if condition is not None:
        tests.append(sql(condition))
    if len(parts) > 1:
        whole = struct((f"j{i}", p) for i, p in enumerate(parts))
    return f"CASE WHEN {' AND '.join(tests)} THEN {whole} END" if tests else whole


def _side(node: nodes.Join, side: int, query: Query, final: bool) -> str:
    """Return the rows of a side with the join key `j`. Stream records without a value are skipped."""
    source = node.left if side == 0 else node.right
    below = query.relation(source, final=final)
    present: tuple[str, ...] = ()
    if may_be_tombstone(source):
        query.counts.append(("null value", f"SELECT _case FROM {below} WHERE v0 IS NULL"))
        present = ("v0 IS NOT NULL",)
    select = Select(("t.*", f"{_join_key(node, side)} AS j"), f"{below} AS t", present)
    return query.add("left" if side == 0 else "right", select)


def _later_first(node: nodes.Join) -> str:
    """Return the ordinal of a pair: that of the later record, then the other."""
    return _in_order(node, as_list("l._ord", node.left), as_list("r._ord", node.right))


def _in_order(node: nodes.Join, left: str, right: str) -> str:
    """Return two ordinals, the higher one first, as the ordinal of a pair."""
    first, second = f"{left} || {right}{_later(node, 0)}", f"{right} || {left}{_later(node, 1)}"
    return f"CASE WHEN {left} > {right} THEN {first} ELSE {second} END"


def _later(node: nodes.Join, side: int) -> str:
    """Return the suffix of the ordinal of a pair whose later record is on `side`."""
    return f" || [{side}]" if node.meets_itself else ""


def _lone(node: nodes.Join, ordinal: str, side: int) -> str:
    """Return the ordinal of an unmatched row: before those of pairs, and the left side first."""
    apart = node.meets_itself and node.kind == "OUTER"
    return f"({ordinal}) || [{side - 2}]" if apart else ordinal


def _both(node: nodes.Join, left: str | None, right: str | None) -> tuple[str, ...]:
    """Return the columns of both sides, with nulls for a missing side."""
    return (*_one(node.left, left, 0), *_one(node.right, right, len(node.left.relations)))


def _one(node: nodes.Node, alias: str | None, shift: int) -> tuple[str, ...]:
    return renamed(node, alias, shift) if alias else tuple(f"NULL AS {name}" for name in facets(node, shift))


def _stream_stream(node: nodes.Join, query: Query) -> str:
    """Return the pairs within the window, and unmatched records at their own ordinals.

    With `eager`, records that were unmatched on arrival are also output.
    """
    before, after = node.spread
    plain = [_side(node, side, query, False) for side in (0, 1)]
    if node.expires:
        left, right = (_timed(node, plain, side, query) for side in (0, 1))
    else:
        left, right = (_on_time(node, plain[side], side, query) for side in (0, 1))
    helpers = ("l._ord AS l_ord", "r._ord AS r_ord", "l._ts AS l_ts", "r._ts AS r_ts", "l.j AS j")
    near = ("l._case = r._case", "l.j = r.j", f"r._ts BETWEEN l._ts - {before} AND l._ts + {after}")
    in_state = (_remembered(node),) if node.expires else ()
    pairs = query.add(
        "pairs",
        Select(
            (*_of_pair(node), (*_both(node, "l", "r"), *helpers)),
            Join(f"{left} AS l", "JOIN", f"{right} AS r", (near, in_state)),
        ),
    )
    parts: list[str | Select] = [f"SELECT * EXCLUDE (l_ord, r_ord, l_ts, r_ts, j) FROM {pairs}"]
    for side, (name, alias) in enumerate(((left, "l"), (right, "r"))):
        if node.kind not in (("LEFT", "OUTER") if side == 0 else ("RIGHT", "OUTER")):
            continue
        source = node.left if side == 0 else node.right
        both = _both(node, "l", None) if side == 0 else _both(node, None, "r")
        # Pairs of a topic with itself can have equal ordinals. The join key distinguishes them.
        match = [f"p._case = {alias}._case", f"p.{alias}_ord = {alias}._ord", f"p.{alias}_ts = {alias}._ts"]
        match.append(f"p.j = {alias}.j")
        other, that = (node.right, "r") if side == 0 else (node.left, "l")
        # If one record is on both sides, the left one comes first.
        than = "<" if side == 0 else "<="
        earlier = f"{as_list(f'p.{that}_ord', other)} {than} {as_list(f'{alias}._ord', source)}"
        if node.eager:
            match.append(earlier)
        elif node.expires:
            # A record whose matches are all in the past does not wait.
            match.append(f"({earlier} OR {alias}._ts + {node.spread[1 if side == 0 else 0]} >= {alias}.now)")
        unmatched = Join(f"{name} AS {alias}", "ANTI JOIN", f"{pairs} AS p", tuple(match))
        ordinal = _lone(node, as_list(f"{alias}._ord", source), side)
        parts.append(Select((f"{alias}._case", f"{ordinal} AS _ord", f"{alias}._ts", *both), unmatched))
    return query.add("join", Union(tuple(parts), by_name=True))


def _of_pair(node: nodes.Join) -> tuple[str, ...]:
    """Return the case, the ordinal and the time of a pair of `l` and `r`."""
    return ("l._case AS _case", f"{_later_first(node)} AS _ord", "greatest(l._ts, r._ts) AS _ts")


def _timed(node: nodes.Join, sides: Sequence[str], side: int, query: Query) -> str:
    """Return a side with two times per record, as of its arrival.

    `seen`: the highest time of earlier records of the other side. `now`: the highest time of all records so far.
    """
    sources = (node.left, node.right)
    own, other = sides[side], sides[1 - side]
    running = "max(_ts) OVER (PARTITION BY _case ORDER BY _ord)"
    ordinal = as_list("_ord", sources[1 - side])
    if query.advances:
        other = f"(SELECT _case, {ordinal} AS _ord, _ts FROM {other} UNION ALL {_ADVANCES})"
        ordinal = "_ord"
    clock = query.add("clock", f"SELECT _case, {ordinal} AS _ord, {running} AS seen FROM {other}")
    return query.add(
        "timed",
        "SELECT t.*, c.seen AS seen, greatest(t.mine, c.seen) AS now\n"
        f"FROM (SELECT *, {running} AS mine FROM {own}) AS t\n"
        f"ASOF LEFT JOIN {clock} AS c ON c._case = t._case AND c._ord < {as_list('t._ord', sources[side])}",
    )


def _remembered(node: nodes.Join) -> str:
    """Return whether the earlier record of a pair is still in the state when the later one arrives."""
    keep = sum(node.spread) + node.grace
    first = f"{as_list('l._ord', node.left)} <= {as_list('r._ord', node.right)}"
    # Nothing was seen before the first record of a topic that is on both sides.
    in_state = f"CASE WHEN {first} THEN l._ts > r.seen - {keep} ELSE r._ts > l.seen - {keep} END"
    return f"coalesce({in_state}, TRUE)"


def _on_time(node: nodes.Join, name: str, side: int, query: Query) -> str:
    """Return a side without late records: their time, plus WITHIN and grace, had passed on arrival."""
    clock = query.known.get((node, "clock"))
    if clock is None:
        parts = [
            f"SELECT _case, {arrival('_ord', source)} AS _at, _ts FROM {query.relation(source, final=False)}"
            for source in (node.left, node.right)
        ]
        if query.advances:
            parts.append("SELECT _case, _ord - 1, _ts FROM advances")
        highest = "max(max(_ts)) OVER (PARTITION BY _case ORDER BY _at)"
        arrivals = nested(Union(tuple(parts)))
        clock = query.add("clock", f"SELECT _case, _at, {highest} AS seen FROM {arrivals} GROUP BY _case, _at")
        query.known[node, "clock"] = clock
    source = node.left if side == 0 else node.right
    join = f"ASOF LEFT JOIN {clock} AS c ON c._case = t._case AND c._at < {arrival('t._ord', source)}"
    # The longest wait for a match: a left record waits for later ones, a right record for earlier ones.
    wait = node.spread[1 if side == 0 else 0] + node.grace
    late = f"coalesce(t._ts + {wait} <= c.seen, FALSE)"
    query.counts.append(("late", f"SELECT t._case FROM {name} AS t {join} WHERE {late}"))
    return query.add("on_time", f"SELECT t.* FROM {name} AS t {join}\nWHERE NOT {late}")


def _stream_table(node: nodes.Join, query: Query, stream: nodes.Node, table: nodes.Node, stream_side: int) -> str:
    """Return each record with the table row at its arrival. An unmatched record is output again with its first row.

    If one record is on both sides, its stream part joins the table as it was before the record, and so do its elements.
    """
    records = _side(node, stream_side, query, False)
    versions = lasting(_side(node, 1 - stream_side, query, False), table, query)
    if not (joins_keys(node) and keyed_by_identity(table)):
        versions = newest_rows(table, versions, "t.j", query, False)
    s, t = ("l", "r") if stream_side == 0 else ("r", "l")
    came = f"[{arrival(f'{s}._ord', stream)}]"
    started = f"(SELECT *, {as_list('_ord', table)} AS start FROM {versions})"
    before = (f"{s}._case = {t}._case", f"{s}.j = {t}.j", f"{t}.start < {came}")
    # Both sides number their relations from 0. Those of the table are moved to higher numbers.
    beside = max(100, len(stream.relations))
    matches = query.add(
        "found",
        Select(
            (f"{s}.*", *renamed(table, t, beside), f"{t}._ord AS t_ord"),
            Join(f"{records} AS {s}", "ASOF LEFT JOIN", f"{started} AS {t}", (before,)),
            (f"{t}.j IS NULL OR {t}._end IS NULL\n  OR {list_or_null(f'{t}._end', table)} >= {came}",),
        ),
    )
    own = as_list("t._ord", stream)
    table_ordinal = as_list("t.t_ord", table)
    stream_shift, table_shift = (0, len(stream.relations)) if stream_side == 0 else (len(table.relations), 0)
    values = (*renamed(stream, "t", stream_shift), *renamed(table, "t", table_shift, beside))
    matched = (
        f"SELECT t._case, {own} || {table_ordinal}{_later(node, stream_side)} AS _ord, t._ts, {listed(values)}\n"
        f"FROM {matches} AS t WHERE t.t_ord IS NOT NULL"
    )
    if node.kind == "INNER":
        return query.add("join", matched)
    alone = query.add(
        "alone",
        f"SELECT t.* FROM {records} AS t ANTI JOIN {matches} AS f\n"
        "  ON f._case = t._case AND f._ord = t._ord AND f.j = t.j AND f.t_ord IS NOT NULL",
    )
    both = _both(node, "t", None) if stream_side == 0 else _both(node, None, "t")
    parts: list[str | Select] = [matched, Select(("t._case", f"{own} AS _ord", "t._ts", *both), f"{alone} AS t")]
    if node.retention is not None:
        late_both = _both(node, "a", "n") if stream_side == 0 else _both(node, "n", "a")
        late_first = f"{as_list('n._ord', table)} || {as_list('a._ord', stream)}"
        ordinal = f"{late_first}{_later(node, 1 - stream_side)} AS _ord"
        behind = ("a._case = n._case", "a.j = n.j", f"n.start >= [{arrival('a._ord', stream)}]")
        late = Select(
            ("a._case", ordinal, ("greatest(a._ts, n._ts) AS _ts", *late_both)),
            Join(f"{alone} AS a", "ASOF JOIN", f"{started} AS n", (behind,)),
            (f"n._ts - a._ts <= {node.retention}",),
        )
        parts.append(late)
    return query.add("join", Union(tuple(parts), by_name=True))


def _table_table(node: nodes.Join, query: Query, final: bool) -> str:
    """Return pairs of versions with overlapping lifetimes, and unmatched versions for the times without a match."""
    left, right = (_side(node, side, query, final) for side in (0, 1))
    l_end, r_end = list_or_null("l._end", node.left), list_or_null("r._end", node.right)
    l_ord, r_ord = as_list("l._ord", node.left), as_list("r._ord", node.right)
    overlap = f"({l_end} IS NULL OR {r_ord} < {l_end}) AND ({r_end} IS NULL OR {l_ord} < {r_end})"
    preserved = [side for side, kinds in enumerate((("LEFT", "OUTER"), ("RIGHT", "OUTER"))) if node.kind in kinds]
    gaps_by_side = {side: _gaps(node, (left, right), side, query) for side in preserved}
    helpers = (f"{l_end} AS l_end", f"{r_end} AS r_end", "l.j AS j") if preserved else ()
    version = (f"least({l_end}, {r_end}) AS _end", _identity(node, "l._id", "r._id"), *_pair_rank(node))
    pairs = Select(
        (*_of_pair(node), (*version, *_both(node, "l", "r"), *helpers)),
        Join(f"{left} AS l", "JOIN", f"{right} AS r", ("l._case = r._case", "l.j = r.j", overlap)),
    )
    parts: list[str | Select] = [
        _forgotten(pairs, {side: gaps for side, (_, gaps) in gaps_by_side.items()}, query) if preserved else pairs
    ]
    parts += [_alone(node, (left, right), side, gaps_by_side[side]) for side in preserved]
    rows = query.add("join", Union(tuple(parts), by_name=True))
    # An unmatched row may have been matched later.
    return query.add("live", f"SELECT * FROM {rows} WHERE _end IS NULL") if final and len(parts) > 1 else rows


def _identity(node: nodes.Join, left: str, right: str) -> str:
    """Return the identity of a joined row: those of both sides, or their common key. `NULL`: the side has no row."""
    if joins_keys(node) and keyed_by_identity(node):
        return f"{right if left == 'NULL' else left} AS _id"
    return f"{{'l': {left}, 'r': {right}}} AS _id"


def _rank(node: nodes.Node, alias: str) -> str:
    """Return the rank of a side's row."""
    return f"{alias}._rank" if may_be_unmatched(node) else as_list(f"{alias}._ord", node)


def _pair_rank(node: nodes.Join) -> tuple[str, ...]:
    """Return the rank of a pair, and the time until which it is valid; nothing if rows have no rank."""
    if not may_be_unmatched(node):
        return ()
    left, right = _rank(node.left, "l"), _rank(node.right, "r")
    sides = ((node.left, "l"), (node.right, "r"))
    untils = [f"{alias}._until" for side, alias in sides if may_be_unmatched(side)]
    until = f"least({', '.join(untils)})" if len(untils) > 1 else "".join(untils) or "NULL"
    return (f"{_in_order(node, left, right)} AS _rank", f"{until} AS _until")


def _forgotten(pairs: Select, gaps: Mapping[int, str], query: Query) -> str:
    """Return the pairs, valid until one of their rows becomes unmatched."""
    name = query.add("pairs", pairs)
    untils, joins = ["p._until"], []
    for side, gap in gaps.items():
        end = f"p.{'lr'[side]}_end"
        joins.append(
            f"ASOF LEFT JOIN (SELECT * FROM {gap} WHERE moment IS NOT NULL) AS g{side}\n"
            f"  ON g{side}._case = p._case AND g{side}.j = p.j AND g{side}.moment >= p._end"
        )
        untils.append(f"CASE WHEN {end} IS NULL OR g{side}.moment < {end} THEN g{side}.moment END")
    return (
        f"SELECT p.* EXCLUDE (l_end, r_end, j) REPLACE (least({', '.join(untils)}) AS _until)\n"
        f"FROM {name} AS p {' '.join(joins)}"
    )


def _gaps(node: nodes.Join, sides: tuple[str, str], side: int, query: Query) -> tuple[str, str]:
    """Return the changes of the other side's row count per join key, and the times when it had no row."""
    other, others = (node.right, sides[1]) if side == 0 else (node.left, sides[0])
    start, end = as_list("_ord", other), list_or_null("_end", other)
    steps = query.add(
        "steps",
        f"SELECT _case, j, moment, sum(sum(step)) OVER (PARTITION BY _case, j ORDER BY moment) AS live,\n"
        "  lead(moment) OVER (PARTITION BY _case, j ORDER BY moment) AS until\n"
        f"FROM (\n  SELECT _case, j, {start} AS moment, 1 AS step FROM {others} WHERE j IS NOT NULL\n"
        f"  UNION ALL SELECT _case, j, {end}, -1 FROM {others} WHERE j IS NOT NULL AND _end IS NOT NULL\n"
        ") GROUP BY _case, j, moment",
    )
    # A gap that one record opens and closes is a replaced row.
    gaps = query.add(
        "gaps",
        f"SELECT _case, j, moment, until FROM {steps} WHERE live = 0 AND (until IS NULL OR moment[1] < until[1])\n"
        f"UNION ALL SELECT _case, j, NULL, min(moment) FROM {steps} GROUP BY _case, j",
    )
    return steps, gaps


def _alone(node: nodes.Join, sides: tuple[str, str], side: int, gap_names: tuple[str, str]) -> Select:
    """Return the versions of one side, limited to the times when the other side had no row for their key."""
    own, name, (steps, gaps) = node.left if side == 0 else node.right, sides[side], gap_names
    a = "l" if side == 0 else "r"
    a_start, a_end = as_list(f"{a}._ord", own), list_or_null(f"{a}._end", own)
    both = _both(node, "l", None) if side == 0 else _both(node, None, "r")
    identity = _identity(node, "l._id", "NULL") if side == 0 else _identity(node, "NULL", "r._id")
    ordinal = _lone(node, f"CASE WHEN g.moment > {a_start} THEN g.moment || {a_start} ELSE {a_start} END", side)
    until = f"{a}._until" if may_be_unmatched(own) else "NULL"
    return Select(
        (
            (f"{a}._case", f"{ordinal} AS _ord"),
            (f"{a}._ts", f"least({a_end}, g.until) AS _end", identity, f"{_lone(node, _rank(own, a), side)} AS _rank"),
            (f"{until} AS _until", *both),
        ),
        Join(f"{name} AS {a}", "LEFT JOIN", f"{gaps} AS g", (f"g._case = {a}._case", f"g.j = {a}.j")),
        (
            f"(g._case IS NOT NULL AND (g.until IS NULL OR {a_start} < g.until)\n"
            f"    AND (g.moment IS NULL OR {a_end} IS NULL OR g.moment < {a_end}))\n"
            f"  OR NOT EXISTS (FROM {steps} AS s WHERE s._case = {a}._case AND s.j = {a}.j)",
        ),
    )
