"""A STREAM joined with a TABLE.

Both are read as one stream of lines, so that the order in which their records came is kept. The events of a batch are
gathered per join key and replayed in order of their ordinals: each stream record sees the newest version of the table's
row before it. What stood before the batch comes from the state: the last table events of the key.

A record that finds no row may still meet the first one that appears (every join but the inner one): it stays in a
second state until then. Both states are ordered by ordinals and by a count of the key's batches, never by a clock;
the batch's `current_timestamp()` only tells its events from older ones.
"""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.expressions import sql, struct, text
from lsqlc.lower.spark.gather import gathered
from lsqlc.lower.spark.lines import read_columns, record_columns, time_of
from lsqlc.lower.spark.sides import chain, join_key
from lsqlc.plan import nodes
from lsqlc.plan.identity import may_be_tombstone

# Of how many batches of one key the unmatched records wait for its first table row. Beyond, the oldest stay unmatched:
# the state of a key that never gets a row must end somewhere.
BATCHES_WAITING = 256

# The time of the batch. Spark writes it as a number into the code that it generates, which would so be other code in
# every batch, compiled anew: half of a small batch's time. `zip_with` is one of the functions that it interprets.
_BATCH = "get(zip_with(array(0), array(0), (x, y) -> current_timestamp()), 0)"


def stream_table(node: nodes.Join, build: Builder) -> str:
    """Each record of the stream with the row of the table that it met."""
    build.uncheck()
    events = _events(node, build)
    settled = _settled(node, events, build)
    # Ordinals of a topic that joins wrote are arrays already.
    both = "concat({}, {})" if _wide(node) else "array({}, {})"
    if node.kind == "INNER":
        out = _inner(settled, both, build)
    elif node.retention is None:
        out = _at_once(node, settled, both, build)
    else:
        out = _with_late(node, settled, both, build)
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
    side.
    """
    left, right = chain(node.left), chain(node.right)
    scans = tuple(c[0] for c in (left, right))
    assert all(isinstance(s, nodes.Scan) for s in scans), "a stage reads topics"
    stream = 0 if node.style == "stream-table" else 1
    _read_both(scans, stream, build)  # type: ignore[arg-type]
    for side, nodes_above in ((0, left[1:]), (1, right[1:])):
        for above in nodes_above:
            _apply(above, side, is_stream=side == stream, build=build)
    s, t = (f"{{0}}{stream}", f"{{0}}{1 - stream}")
    key = f"if(_s, {join_key(node, stream, stream)}, {join_key(node, 1 - stream, 1 - stream)})"
    build.add(
        "events",
        f"SELECT {build.lead}{key} AS j, _ord AS o, NOT _s AS is_t, _ts AS at,\n"
        f"  if(_s, {struct((('k', s.format('k')), ('v', s.format('v'))))}, NULL) AS s,\n"
        f"  if(_live, {struct((('k', t.format('k')), ('v', t.format('v'))))}, NULL) AS t,\n"
        f"  _s AND {s.format('v')} IS NULL AS _empty\nFROM {build.last}",
        "the events of both sides, by what joins them",
    )
    metrics = [("null key", "count_if(is_t AND j IS NULL)")]
    if may_be_tombstone(node.left if stream == 0 else node.right):
        metrics.append(("null value", "count_if(_empty)"))
    counted = build.observe(build.view(), *metrics)
    kept = "NOT _empty" + (" AND j IS NOT NULL" if node.kind == "INNER" else " AND (NOT is_t OR j IS NOT NULL)")
    return build.add("met", f"SELECT * FROM {counted} WHERE {kept}", "a table has no row without a key")


def _read_both(scans: tuple[nodes.Scan, nodes.Scan], stream: int, build: Builder) -> str:
    """The lines of both topics: `_s` says which side a row belongs to, and its facets stand in that side's columns."""
    lines = build.source(*(s.topic.name for s in scans))
    names = [text(s.topic.name) for s in scans]
    if scans[0].topic.name == scans[1].topic.name:
        # One topic is both sides: each line is an event of either.
        rows = f"(SELECT *, explode(array(TRUE, FALSE)) AS _s FROM {lines})"
    else:
        rows = f"(SELECT *, _topic = {names[stream]} AS _s FROM {lines} WHERE _topic IN ({', '.join(names)}))"
    mine = ["_s", "NOT _s"] if stream == 0 else ["NOT _s", "_s"]
    parsed = [read_columns(scan, f"if({mine[i]}, _line, NULL)", i) for i, scan in enumerate(scans)]
    build.add(
        "parsed",
        f"SELECT {build.lead}_s,\n  {parsed[0]},\n  {parsed[1]}\nFROM {rows}",
        "the lines of both topics, in order of arrival",
    )
    width = max(s.ordinal_width for s in scans)
    orders = [f"_r{i}.ordinal" if s.ordinal_width == width else f"array(_r{i}.ordinal)" for i, s in enumerate(scans)]
    times = [time_of(s.topic, i) for i, s in enumerate(scans)]
    return build.add(
        "records",
        f"SELECT {build.lead}_s, if(_r0 IS NULL, {orders[1]}, {orders[0]}) AS _ord,\n"
        f"  if(_r0 IS NULL, {times[1]}, {times[0]}) AS _ts, NOT _s AND _r{1 - stream}.value IS NOT NULL AS _live,\n"
        f"  {record_columns(scans[0], 0)}, {record_columns(scans[1], 1)}\nFROM {build.last}",
        "one column for each facet of each side",
    )


def _apply(node: nodes.Node, side: int, *, is_stream: bool, build: Builder) -> None:
    """A filter or projection of one side, which leaves the rows of the other as they are."""
    mine = "_s" if is_stream else "NOT _s"
    other = 1 - side
    match node:
        case nodes.Filter(condition=condition) if is_stream:
            build.add(
                "filter",
                f"SELECT * FROM {build.last}\nWHERE NOT _s OR (v{side} IS NOT NULL AND {sql(condition, side)})",
                "the records of the stream that satisfy the condition",
            )
        case nodes.Filter(condition=condition):
            build.add(
                "filter",
                f"SELECT {build.lead}_s, _ord, _ts, _live AND coalesce({sql(condition, side)}, FALSE) AS _live,\n"
                f"  k0, v0, k1, v1\nFROM {build.last}",
                "a row of the table that does not satisfy the condition is deleted",
            )
        case nodes.Project(key=key, value=value):
            computed = f"if({mine} AND v{side} IS NOT NULL, {sql(value, side)}, NULL)"
            living = "_live" if is_stream else f"_live AND {computed} IS NOT NULL"
            build.add(
                "project",
                f"SELECT {build.lead}_s, _ord, _ts, {living} AS _live, k{other}, v{other},\n"
                f"  if({mine}, {sql(key, side)}, NULL) AS k{side},\n  {computed} AS v{side}\nFROM {build.last}",
                f"the projections of the {'stream' if is_stream else 'table'}",
            )
        case nodes.Reinterpret() | nodes.Repartition():
            pass
        case _:
            raise AssertionError(f"{type(node).__name__} cannot stand below a join in one stage")


def _settled(node: nodes.Join, events: str, build: Builder) -> str:
    """Per key of the batch: `js`, each record with `m`, the table event before it, and `late`, the first row behind it
    (of which an inner join knows nothing).
    """
    lists = (("ss", "if(is_t, NULL, struct(o, at, s))"), ("ts", "if(is_t, struct(o, at, t), NULL)"))
    sides = gathered(
        build, events, "j", "o[0]" if _wide(node) else "o", "o, is_t", lists,
        "the records of the stream and the events of the table for each key in this batch, in order",
    )  # fmt: skip
    build.state.append("the table's events of each key in its two newest batches, and the stream's of the newest")
    kept = build.add(
        "kept",
        f"SELECT {build.lead}j, count(*) AS n,\n"
        "  max_by(struct(ss, bt), try_element_at(ss, -1).o) FILTER (WHERE size(ss) > 0) AS cs,\n"
        "  max_by(struct(ts, bt), try_element_at(ts, -1).o, 2) FILTER (WHERE size(ts) > 0) AS ct\n"
        f"FROM (SELECT *, {_BATCH} AS bt FROM {sides}) GROUP BY {build.lead}j",
        "with the table's last events from before this batch",
    )
    current = build.add(
        "current",
        f"SELECT {build.lead}j, n, if(coalesce(cs.bt = {_BATCH}, FALSE), cs.ss, array()) AS ss,\n"
        "  if(fresh, get(ct, 0).ts, array()) AS ts, try_element_at(if(fresh, get(ct, 1), get(ct, 0)).ts, -1) AS prev\n"
        f"FROM (SELECT *, coalesce(get(ct, 0).bt = {_BATCH}, FALSE) AS fresh FROM {kept})",
        "this batch's events, and the table's last one before",
    )
    late = "" if node.kind == "INNER" else ",\n  get(filter(ts, z -> z.o >= e.o AND z.t IS NOT NULL), 0) AS late"
    return build.add(
        "settled",
        f"SELECT {build.lead}j, n, prev, ts, transform(ss, e -> struct(e AS e,\n"
        f"  coalesce(try_element_at(filter(ts, z -> z.o < e.o), -1), prev) AS m{late})) AS js\nFROM {current}",
        "each record with the table event before it" + (", and the first row behind it" if late else ""),
    )


def _wide(node: nodes.Join) -> bool:
    """Whether ordinals of the events are arrays."""
    return max(node.left.ordinal_width, node.right.ordinal_width) > 1


def _inner(settled: str, both: str, build: Builder) -> str:
    return build.add(
        "matched",
        f"SELECT {build.lead}transform(filter(js, x -> x.m.t IS NOT NULL),\n"
        f"  x -> struct({both.format('x.e.o', 'x.m.o')} AS o, x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out\n"
        f"FROM {settled}",
        "the records that met a row",
    )


def _at_once(node: nodes.Join, settled: str, both: str, build: Builder) -> str:
    """Every record, with the row that it met or with none; no record waits for one."""
    alone = "x.e.o" if _wide(node) else "array(x.e.o)"
    return build.add(
        "matched",
        f"SELECT {build.lead}transform(js, x -> struct(\n"
        f"  if(x.m.t IS NULL, {alone}, {both.format('x.e.o', 'x.m.o')}) AS o,\n"
        f"  x.e.at AS at, x.e.s AS s, x.m.t AS t)) AS out\nFROM {settled}",
        "the records with the row that they met, if they met one",
    )


def _with_late(node: nodes.Join, settled: str, both: str, build: Builder) -> str:
    """The records that met a row, those that did not, and those whose row appears now."""
    alone = "x.e.o" if _wide(node) else "array(x.e.o)"
    now = build.add(
        "now",
        f"SELECT {build.lead}j, n, struct(concat(\n"
        "  transform(js, x -> struct(\n"
        f"    if(x.m.t IS NULL, {alone}, {both.format('x.e.o', 'x.m.o')}) AS o,\n"
        "    x.e.at AS at, x.e.s AS s, x.m.t AS t)),\n"
        "  transform(\n"
        f"    filter(js, x -> x.m.t IS NULL AND x.late IS NOT NULL AND x.late.at - x.e.at <= {node.retention}),\n"
        f"    x -> struct({both.format('x.late.o', 'x.e.o')} AS o, greatest(x.late.at, x.e.at) AS at,\n"
        "      x.e.s AS s, x.late.t AS t))) AS out,\n"
        "  if(prev.t IS NULL, get(filter(ts, z -> z.t IS NOT NULL), 0), NULL) AS appeared) AS cur,\n"
        "  prev.t IS NOT NULL OR exists(ts, z -> z.t IS NOT NULL) AS present,\n"
        "  if(j IS NULL, array(), transform(filter(js, x -> x.m.t IS NULL AND x.late IS NULL),\n"
        f"    x -> struct(x.e.o AS o, x.e.at AS at, x.e.s AS s))) AS pend\nFROM {settled}",
        "what this batch settles, and what it leaves unmatched",
    )
    build.state.append(f"the unmatched records of each key, from its {BATCHES_WAITING} newest batches that left some")
    waiting = build.add(
        "waiting",
        f"SELECT {build.lead}j, max(n) AS n, max_by(cur, n) AS cur,\n"
        "  max_by(n, n, 2) FILTER (WHERE present) AS pres,\n"
        f"  max_by(struct(n, pend), n, {BATCHES_WAITING}) FILTER (WHERE size(pend) > 0) AS pends\n"
        f"FROM {now} GROUP BY {build.lead}j",
        "with the records that have waited since the table last had a row",
    )
    return build.add(
        "matched",
        f"SELECT {build.lead}concat(cur.out, if(cur.appeared IS NULL OR pends IS NULL, array(),\n"
        "  transform(filter(flatten(transform(\n"
        "      filter(pends, p -> p.n < n AND (gone IS NULL OR p.n >= gone)), p -> p.pend)),\n"
        f"      p -> cur.appeared.at - p.at <= {node.retention}),\n"
        f"    p -> struct({both.format('cur.appeared.o', 'p.o')} AS o, greatest(cur.appeared.at, p.at) AS at,\n"
        "      p.s AS s, cur.appeared.t AS t)))) AS out\n"
        f"FROM (SELECT *, get(filter(pres, p -> p < n), 0) AS gone FROM {waiting})",
        "the first row of a key goes to the records that waited for it",
    )
