"""A STREAM joined with a TABLE.

Both are read as one stream of lines, so that the order in which their records came is kept. The events of a batch are
gathered per join key and replayed in order of their ordinals: each stream record sees the newest version of the table's
row before it. What stood before the batch comes from the state: the last table events of the key.

A record that finds no row may still meet the first one that appears (every join but the inner one): it stays in a
second state until then. Both states are ordered by ordinals and by a count of the key's batches, never by a clock;
the batch's `current_timestamp()` only tells its events from older ones.
"""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.lower.spark.arrays_by_key import BATCH, gathered
from lsqlc.lower.spark.both_sides import both_sides
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.join_sides import join_key
from lsqlc.lower.spark.merge_order import before, in_time, is_merged, own, stretch
from lsqlc.lower.spark.ranked_values import ALL_VALUES, SINCE, by_parity, ranked
from lsqlc.lower.spark.row_versions import succession
from lsqlc.plan import nodes
from lsqlc.plan.identity import keyed_by_identity, may_be_tombstone, whole_key
from lsqlc.sql.spark import struct

# Of how many batches of one key the unmatched records wait for its first table row. Beyond, the oldest stay unmatched:
# the state of a key that never gets a row must end somewhere.
BATCHES_WAITING = 256
# Into how many groups the records of a batch fall on their way past an operator that they have no part in.
_BUCKETS = 32


def meets_key(node: nodes.Join) -> bool:
    """Whether a join of a stream and a table equates the table's whole key and nothing else."""
    side, table = (1, node.right) if node.style == "stream-table" else (0, node.left)
    return len(node.equalities) == 1 and whole_key(node.equalities[0][side]) and keyed_by_identity(table)


def stream_table(node: nodes.Join, build: Builder) -> str:
    """Each record of the stream with the row of the table that it met."""
    build.disable_streaming_checks()
    events = _events(node, build)
    settled = _settled(node, events, build)
    if node.kind == "INNER":
        out = _inner(node, settled, build)
    elif node.retention is None:
        out = _at_once(node, settled, build)
    else:
        out = _with_late(node, settled, build)
    stream, table = ("k0, o.s.v AS v0", "k1, o.t.v AS v1")
    if node.style == "table-stream":
        stream, table = ("k1, o.s.v AS v1", "k0, o.t.v AS v0")
    return build.add(
        "join",
        f"SELECT {build.lead}o.o AS _ord, o.at AS _ts, o.s.k AS {stream}, o.t.k AS {table}\n"
        f"FROM (SELECT {build.lead}explode(out) AS o FROM {out})",
        "one record for each",
    )


def _events(node: nodes.Join, build: Builder) -> str:
    """The records of both sides by join key: `o` ordinal, `is_t` of the table, `at` time, `s` and `t` the row of each
    side; `x`, where the rows of the table move between keys, the ordinal at which the row ended.
    """
    stream = 0 if node.style == "stream-table" else 1
    moves = not meets_key(node)
    identity = f", _i{1 - stream} AS _id" if moves else ""
    below = both_sides(node, stream, build, identities=moves)
    s, t = (f"{{0}}{stream}", f"{{0}}{1 - stream}")
    of_table = join_key(node, 1 - stream, 1 - stream)
    key = f"if(_s, {join_key(node, stream, stream)}, {f'if(_live, {of_table}, NULL)' if moves else of_table})"
    build.add(
        "events",
        f"SELECT {build.lead}{key} AS j, _ord AS o, NOT _s AS is_t, _ts AS at,\n"
        f"  if(_s, {struct((('k', s.format('k')), ('v', s.format('v'))))}, NULL) AS s,\n"
        f"  if(_live, {struct((('k', t.format('k')), ('v', t.format('v'))))}, NULL) AS t,\n"
        f"  _s AND {s.format('v')} IS NULL AS _empty{identity}\nFROM {below}",
        "the events of both sides, by what joins them",
    )
    lacks_key = "(_id IS NULL OR (t IS NOT NULL AND j IS NULL))" if moves else "j IS NULL"
    metrics = [("null key", f"count_if(is_t AND {lacks_key})")]
    if may_be_tombstone(node.left if stream == 0 else node.right):
        metrics.append(("null value", "count_if(_empty)"))
    counted = build.observe(build.view(), *metrics)
    kept = "if(is_t, _id IS NOT NULL, TRUE)" if moves else "(NOT is_t OR j IS NOT NULL)"
    if node.kind == "INNER":
        kept = "if(is_t, _id IS NOT NULL, j IS NOT NULL)" if moves else "j IS NOT NULL"
    kept = f"NOT _empty AND {kept}"
    met = build.add("met", f"SELECT * FROM {counted} WHERE {kept}", "a table has no row without a key")
    return _moved(node, met, build) if moves else met


def _moved(node: nodes.Join, events: str, build: Builder) -> str:
    """The same events where rows of the table move between the values that join them: each version of a row is an event
    of its value, and one more once it has ended, with the ordinal `x` of its end.

    The stream's records go through the same operator, since Spark would read a source again that a query used twice.
    """
    spread = build.add(
        "spread",
        f"SELECT {build.lead}o, at, j, s, t,\n"
        f"  struct(if(is_t, _id, NULL) AS id, if(is_t, NULL, pmod(hash(j), {_BUCKETS})) AS bucket) AS g\nFROM {events}",
        "the events of the table by row, those of the stream as they fall",
    )
    parts = ("o", "at", "j", "s", "t")
    ordinal = stretch("o") if is_merged(node, build) else "o[0]" if _wide(node) else "o"
    versions = succession(build, spread, "g", ordinal, parts, alone="g.bucket IS NOT NULL")
    build.state.append(
        "the versions of each row of the table in its two newest batches, and the stream's records of two"
    )
    return build.add(
        "moved",
        f"SELECT * FROM (SELECT {build.lead}inline(transform(vs, (v, i) -> struct(\n"
        "    v.j AS j, v.o AS o, g.bucket IS NULL AS is_t, v.at AS at, v.s AS s, v.t AS t,\n"
        f"    if(g.bucket IS NULL, get(vs, i + 1).o, NULL) AS x)))\n  FROM {versions})\n"
        "WHERE NOT is_t OR (j IS NOT NULL AND t IS NOT NULL)",
        "each version of a row by what joins it, with its end",
    )


def _settled(node: nodes.Join, events: str, build: Builder) -> str:
    """Per key of the batch: `js`, each record with `m`, the table event before it, and `late`, the first row behind it
    (of which an inner join knows nothing).
    """
    moves = not meets_key(node)
    lists = (
        ("ss", "if(is_t, NULL, struct(o, at, s))"),
        ("ts", f"if(is_t, struct(o, at, t{', x' if moves else ''}), NULL)"),
    )
    newest = "try_element_at(ts, -1)"
    newest = f"struct({newest}.o, {newest}.x IS NOT NULL)" if moves else f"{newest}.o"
    ordinal = stretch("o", earlier=moves) if is_merged(node, build) else "o[0]" if _wide(node) else "o"
    sides = gathered(
        build, events, "j", ordinal, "o, is_t", lists,
        "the records of the stream and the events of the table for each key in this batch, in order",
    )  # fmt: skip
    build.state.append("the table's events of each key in its two newest batches, and the stream's of the newest")
    kept = _kept(sides, newest, build)
    ss = f"if(coalesce(cs.bt = {BATCH}, FALSE), cs.ss, array())"
    ss = in_time(
        ss, "greatest(try_element_at(cs.ss, -1).o, try_element_at(get(ct, 0).ts, -1).o)", dated=is_merged(node, build)
    )
    current = build.add(
        "current",
        f"SELECT {build.lead}j, n, {ss} AS ss,\n"
        "  if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev\n"
        f"FROM (SELECT *, coalesce(get(ct, 0).bt = {BATCH}, FALSE) AS fresh FROM {kept})",
        "this batch's events, and the table's last one before",
    )
    if moves:
        current = _dated(current, build)
    stream, table = _stream_and_table(node)
    came = before("z.o", "e.o", table, stream, merged=is_merged(node, build))
    after = came.replace(" < ", " >= ", 1) if " AND " not in came else f"NOT ({came})"
    late = "" if node.kind == "INNER" else f",\n  get(filter(ts, z -> {after} AND z.t IS NOT NULL), 0) AS late"
    return build.add(
        "settled",
        f"SELECT {build.lead}j, n, prev, ts, transform(ss, e -> struct(e AS e,\n"
        f"  coalesce(try_element_at(filter(ts, z -> {came}), -1), prev) AS m{late})) AS js\nFROM {current}",
        "each record with the table event before it" + (", and the first row behind it" if late else ""),
    )


def _kept(sides: str, newest: str, build: Builder) -> str:
    """Per key: `cs` and `ct`, what a batch had of the stream and of the table, of the newest batch and of the newest
    two, and `n`, the number of batches so far. `newest`: the order of the table's.
    """
    reason = "with the table's last events from before this batch"
    stream = "max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs"
    present = "FILTER (WHERE size(ts) > 0)"
    timed = f"(SELECT *, {BATCH} AS bt FROM {sides}) GROUP BY {build.lead}j"
    if build.server >= SINCE:
        table = ranked(build.server, "max_by", "struct(ts, bt)", newest, 2, present)
        kept = f"SELECT {build.lead}j, count(*) AS n,\n  {stream},\n  {table} AS ct\nFROM {timed}"
        return build.add("kept", kept, reason)
    touched = build.add(
        "touched",
        f"SELECT {build.lead}j, count(*) AS n, count_if(size(ts) > 0) AS m,\n  {stream},\n"
        f"  max_by(struct(ts, bt), {newest}) {present} AS t\nFROM {timed}",
        "the newest of both sides, and how many batches had one",
    )
    build.state.append("the newest of each alone, and how many batches had one")
    return build.add(
        "kept",
        f"SELECT {build.lead}j, max(n) AS n, max_by(cs, n) AS cs,\n  {by_parity('t')} AS ct\n"
        f"FROM {touched} GROUP BY {build.lead}j",
        reason,
    )


def _dated(current: str, build: Builder) -> str:
    """The table's events of a join value as its row comes and goes: of several rows the newest counts, and where that
    one ends there is none, even if older ones live on.
    """
    newer = build.add(
        "newer",
        f"SELECT {build.lead}j, n, ss, prev, filter(ts, z -> prev IS NULL OR z.o >= prev.o) AS ts FROM {current}",
        "an end of what was not the newest row means nothing",
    )
    return build.add(
        "dated",
        f"SELECT {build.lead}j, n, ss, flatten(transform(ts, (z, i) -> if(z.x IS NULL OR get(ts, i + 1).o <= z.x,\n"
        "    array(struct(z.o AS o, z.at AS at, z.t AS t)),\n"
        "    array(struct(z.o AS o, z.at AS at, z.t AS t),\n"
        "      struct(z.x AS o, z.at AS at, if(FALSE, z.t, NULL) AS t))))) AS ts,\n"
        f"  struct(prev.o AS o, prev.at AS at, if(prev.x IS NULL, prev.t, NULL) AS t) AS prev\nFROM {newer}",
        "the rows as they come and go",
    )


def _wide(node: nodes.Join) -> bool:
    """Whether ordinals of the events are arrays: those of a topic that joins wrote are already."""
    return max(node.left.ordinal_width, node.right.ordinal_width) > 1


def _ordinals(node: nodes.Join, build: Builder) -> tuple[Callable[[str, str], str], Callable[[str, str], str]]:
    """From the ordinals of a record and of a row to that of both, where the record is the later one, and where the row
    is.
    """
    form = "concat({}, {})" if _wide(node) else "array({}, {})"

    def both(record: str, row: str) -> str:
        return form.format(own(record, node, build), own(row, node, build))

    return both, lambda record, row: both(row, record)


def _alone(node: nodes.Join, build: Builder) -> str:
    """The ordinal of a record that meets no row."""
    return own("x.e.o", node, build) if _wide(node) else "array(x.e.o)"


def _stream_and_table(node: nodes.Join) -> tuple[nodes.Node, nodes.Node]:
    return (node.left, node.right) if node.style == "stream-table" else (node.right, node.left)


def _inner(node: nodes.Join, settled: str, build: Builder) -> str:
    both, _ = _ordinals(node, build)
    return build.add(
        "matched",
        f"SELECT {build.lead}transform(filter(js, x -> x.m.t IS NOT NULL),\n"
        f"  x -> struct({both('x.e.o', 'x.m.o')} AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out\n"
        f"FROM {settled}",
        "the records that met a row",
    )


def _at_once(node: nodes.Join, settled: str, build: Builder) -> str:
    """Every record, with the row that it met or with none; no record waits for one."""
    both, _ = _ordinals(node, build)
    alone = _alone(node, build)
    return build.add(
        "matched",
        f"SELECT {build.lead}transform(js, x -> struct(\n"
        f"  if(x.m.t IS NULL, {alone}, {both('x.e.o', 'x.m.o')}) AS o,\n"
        f"  x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out\nFROM {settled}",
        "the records with the row that they met, if they met one",
    )


def _with_late(node: nodes.Join, settled: str, build: Builder) -> str:
    """The records that met a row, those that did not, and those whose row appears now."""
    both, late = _ordinals(node, build)
    alone = _alone(node, build)
    now = build.add(
        "now",
        f"SELECT {build.lead}j, n, struct(concat(\n"
        "  transform(js, x -> struct(\n"
        f"    if(x.m.t IS NULL, {alone}, {both('x.e.o', 'x.m.o')}) AS o,\n"
        "    x.e.at AS at, x.e.s AS s, x.m.t AS t)),\n"
        "  transform(\n"
        f"    filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= {node.retention}),\n"
        f"    x -> struct({late('x.e.o', 'x.late.o')} AS o, greatest(x.late.at, x.e.at) AS at,\n"
        "      x.e.s AS s, x.late.t AS t))) AS out,\n"
        "  if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,\n"
        "  prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,\n"
        "  if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),\n"
        f"    x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend\nFROM {settled}",
        "what this batch settles, and what it leaves unmatched",
    )
    bound = (
        f"from its {BATCHES_WAITING} newest batches that left some" if build.server >= SINCE else f"with {ALL_VALUES}"
    )
    build.state.append(f"the unmatched records of each key, {bound}")
    present = ranked(build.server, "max_by", "n", "n", 2, "FILTER (WHERE present)")
    left = "FILTER (WHERE size(pend) > 0)"
    pends = ranked(build.server, "max_by", "struct(n, pend)", "n", BATCHES_WAITING, left)
    waiting = build.add(
        "waiting",
        f"SELECT {build.lead}j, max(n) AS n, max_by(cur, n) AS cur,\n"
        f"  {present} AS pres,\n  {pends} AS pends\n"
        f"FROM {now} GROUP BY {build.lead}j",
        "with the records that have waited since the table last had a row",
    )
    return build.add(
        "matched",
        f"SELECT {build.lead}concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),\n"
        "  transform(filter(flatten(transform(\n"
        "      filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),\n"
        f"      p -> cur.appeared.at - p.at <= {node.retention}),\n"
        f"    p -> struct({late('p.o', 'cur.appeared.o')} AS o, greatest(cur.appeared.at, p.at) AS at,\n"
        "      p.s AS s, cur.appeared.t AS t)))) AS out\n"
        f"FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM {waiting})",
        "the first row of a key goes to the records that waited for it",
    )
