"""The join of two STREAMs: Spark's own join, with a watermark on each side."""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.join_sides import join_key, later, lone
from lsqlc.lower.spark.rows import columns
from lsqlc.plan import nodes
from lsqlc.plan.identity import may_be_tombstone


def stream_side(node: nodes.Join, side: int, below: str, build: Builder) -> str:
    """Return one side of a join of two streams, as a view: its records by `join_value`; `_at` carries the watermark."""
    source = node.left if side == 0 else node.right
    where = " WHERE v0 IS NOT NULL" if may_be_tombstone(source) else ""
    key = join_key(node, side)
    if node.kind != "INNER":
        # Spark loses unmatched rows of an outer join with a null key, so a null becomes a value of its side only.
        key = (
            f"named_struct('join_value', {key}, 'null_of', if({key} IS NULL, '{'left' if side == 0 else 'right'}', ''))"
        )
    build.add(
        "left" if side == 0 else "right",
        f"SELECT {build.lead}_at, _ord, _ts, {columns(source)},\n  {key} AS join_value\nFROM {below}{where}",
        f"the records of the {'left' if side == 0 else 'right'} side, by what joins them",
    )
    return build.view()


def stream_stream(node: nodes.Join, sides: tuple[str, str], build: Builder) -> str:
    """Return the pairs with times within the window; outer nulls are emitted when the watermark has passed."""
    left, right = sides
    word = {"INNER": "JOIN", "LEFT": "LEFT JOIN", "RIGHT": "RIGHT JOIN", "OUTER": "FULL JOIN"}[node.kind]
    build.settings["spark.sql.streaming.multipleWatermarkPolicy"] = "max"
    build.single_stateful_operator()
    build.state.append(f"the records of both sides, for {max(node.spread) + node.grace} ms behind the newest")
    case = "coalesce(l._case, r._case) AS _case, " if build.cases else ""
    ordinals = [o if n.ordinal_width > 1 else f"array({o})" for o, n in (("l._ord", node.left), ("r._ord", node.right))]
    alone = [lone(node, ordinal, side) for side, ordinal in enumerate(ordinals)]
    width = len(node.left.relations)
    before, after = (f"INTERVAL {time} MILLISECONDS" for time in node.spread)
    return build.add(
        "join",
        f"SELECT {case}CASE WHEN r._ord IS NULL THEN {alone[0]} WHEN l._ord IS NULL THEN {alone[1]}\n"
        f"    WHEN {ordinals[0]} > {ordinals[1]} THEN {ordinals[0]} || {ordinals[1]}{later(node, 0)}\n"
        f"    ELSE {ordinals[1]} || {ordinals[0]}{later(node, 1)} END AS _ord,\n"
        f"  greatest(l._ts, r._ts) AS _ts, {columns(node.left, 'l')}, {columns(node.right, 'r', width)}\n"
        f"FROM {left} l {word} {right} r\n"
        f"  ON {build.same_case('l', 'r')}l.join_value = r.join_value\n"
        f"  AND r._at BETWEEN l._at - {before} AND l._at + {after}",
        "the pairs within the window",
    )
