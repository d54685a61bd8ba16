"""Two STREAMs joined where a record without a match comes out at once, and again with each match that comes later.

Spark's own join tells that a record is unmatched when its time has passed, so this one remembers by itself. Both sides
are read as one stream. Times are cut into stretches that overlap by half and are so long that one of the two in which a
record falls has all records that it can match: there it is laid beside those that came before it. What a record gives
is settled when it comes, so every cut into batches gives the same.

A stretch is a time window of Spark's, which forgets it once the watermark has passed. The batch's `current_timestamp()`
only tells its records from older ones.
"""

from __future__ import annotations

from lsqlc.lower.spark.arrays_by_key import BATCH
from lsqlc.lower.spark.both_sides import both_sides
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.join_sides import join_key
from lsqlc.lower.spark.merge_order import is_merged, own
from lsqlc.lower.spark.rows import timed
from lsqlc.plan import nodes
from lsqlc.plan.identity import may_be_tombstone

# Shorter stretches would be more rows of state than they save.
_SHORTEST = 1_000


def eager(node: nodes.Join, build: Builder) -> str:
    """The pairs within the window, each when its later record comes, and the records that had none when they came."""
    build.keep_hash_aggregation()
    if is_merged(node, build):
        build.disable_streaming_checks()
    before, after = node.spread
    step = max(before + after, _SHORTEST)
    # A record matches what one side's time has not left behind by that much, and may itself be as old as its match.
    delay = before + after + node.grace + max(before, after)
    met = _met(node, build)
    timely = timed(node, met, delay, build, "_s", "j")
    build.state.append(
        f"the records of both sides of each join value by time, in stretches of {2 * step} ms that overlap by half, "
        f"for {delay} ms behind the newest"
    )
    history = build.add(
        "history",
        f"SELECT {build.lead}j, _window, collect_list(struct(bt, _ord AS o, _ts AS at, _s AS s,\n"
        "  if(_s, struct(k0 AS k, v0 AS v), NULL) AS l, if(_s, NULL, struct(k1 AS k, v1 AS v)) AS r)) AS es\n"
        f"FROM (SELECT *, {BATCH} AS bt, window(_at, '{2 * step} milliseconds', '{step} milliseconds') AS _window\n"
        f"  FROM {timely})\nGROUP BY {build.lead}j, _window",
        "the records of each stretch, with those from before this batch",
    )
    fresh = build.add(
        "fresh",
        f"SELECT *, filter(es, e -> e.bt = now AND start = {_own(step, before, after)}) AS fs\n"
        f"FROM (SELECT {build.lead}es, unix_millis(_window.start) AS start, {BATCH} AS now FROM {history})",
        "the records of this batch that are to be settled here",
    )
    # Of a record that is on both sides the left one comes first.
    earlier = "z.s <> e.s AND (z.bt <> now OR z.o < e.o OR (z.s AND z.o = e.o))"
    near = f"if(e.s, z.at BETWEEN e.at - {before} AND e.at + {after}, e.at BETWEEN z.at - {before} AND z.at + {after})"
    matched = build.add(
        "matched",
        f"SELECT {build.lead}transform(fs, e -> struct(e,\n"
        f"  filter(es, z -> {earlier}\n    AND {near}) AS zs)) AS ms\nFROM {fresh}",
        "each with the records before it that it matches",
    )
    one, other = (own(f"{event}.o", node, build) for event in ("m.e", "z"))
    preserved = {"LEFT": "m.e.s", "RIGHT": "NOT m.e.s", "OUTER": "TRUE", "INNER": "FALSE"}[node.kind]
    return build.add(
        "join",
        f"SELECT {build.lead}p.o AS _ord, p.at AS _ts, p.l.k AS k0, p.l.v AS v0, p.r.k AS k1, p.r.v AS v1\n"
        f"FROM (SELECT {build.lead}explode(flatten(transform(ms, m -> if(size(m.zs) = 0,\n"
        f"    if({preserved}, array(struct({one} AS o, m.e.at AS at, m.e.l AS l, m.e.r AS r)), array()),\n"
        f"    transform(m.zs, z -> struct(if(m.e.o > z.o, {one} || {other}, {other} || {one}) AS o,\n"
        "      greatest(m.e.at, z.at) AS at, coalesce(m.e.l, z.l) AS l, coalesce(m.e.r, z.r) AS r)))))) AS p\n"
        f"  FROM {matched})",
        "one record for each pair, and for each record that has none yet",
    )


def _met(node: nodes.Join, build: Builder) -> str:
    """The records of both sides by what joins them, `j`; `_s` is true for those of the left one."""
    below = both_sides(node, 0, build, identities=False)
    sides = (("_s", node.left), ("NOT _s", node.right))
    empty = [f"{mine} AND v{i} IS NULL" for i, (mine, side) in enumerate(sides) if may_be_tombstone(side)]
    if empty:
        below = build.observe(build.view(), ("null value", f"count_if({' OR '.join(empty)})"))
    order = "_ord" if max(node.left.ordinal_width, node.right.ordinal_width) > 1 else "array(_ord) AS _ord"
    # A null matches nothing, not even a null of the other side.
    keys = (f"named_struct('j', {key}, 'null_of', if({key} IS NULL, '{side}', ''))" for key, side in (
        (join_key(node, 0, 0), "left"), (join_key(node, 1, 1), "right")))  # fmt: skip
    return build.add(
        "met",
        f"SELECT {build.lead}{order}, _ts, _s, k0, v0, k1, v1,\n  if(_s, {', '.join(keys)}) AS j\nFROM {below}"
        + (f"\nWHERE NOT ({' OR '.join(empty)})" if empty else ""),
        "the records of both sides, by what joins them",
    )


def _own(step: int, before: int, after: int) -> str:
    """Where the stretch begins that has all that a record `e` can match."""
    ahead = str(before) if before == after else f"if(e.s, {before}, {after})"
    return f"e.at - e.at % {step} - if(e.at % {step} >= {ahead}, 0, {step})"
