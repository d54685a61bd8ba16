"""The join of two STREAMs with immediate results: for a record without a match, and again for each later match.

Spark's own join reports a record as unmatched when its time has passed, so this one keeps records itself. Both sides
are read as one stream. Times are divided into stretches that overlap by half. They are so long that one of the two
stretches of a record contains all records that it can match: there it is compared with the earlier ones. The result of
a record is determined on arrival, so every division into batches has the same results.

A stretch is a time window of Spark's, which removes it once the watermark has passed. The batch's `current_timestamp()`
only distinguishes its records from older ones.
"""

from __future__ import annotations

from lsqlc.lower.spark.arrays_by_key import BATCH
from lsqlc.lower.spark.both_sides import both_sides
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.join_sides import join_key, lone
from lsqlc.lower.spark.merge_order import is_merged, own
from lsqlc.lower.spark.rows import timed
from lsqlc.plan import nodes
from lsqlc.plan.identity import may_be_tombstone

# Shorter stretches would be more rows of state than they save.
_SHORTEST = 1_000


def eager(node: nodes.Join, build: Builder) -> str:
    """Return the pairs within the window, each when its later record arrives, and the records without a match on
    arrival.
    """
    build.keep_hash_aggregation()
    if is_merged(node, build):
        build.disable_streaming_checks()
    before, after = node.spread
    step = max(before + after, _SHORTEST)
    # A record matches within that distance of one side's time, and may itself be as old as its match.
    delay = before + after + node.grace + max(before, after)
    matches = _met(node, build)
    timely = timed(node, matches, delay, build, "_s", "join_value")
    build.state.append(
        f"the records of both sides of each join value by time, in stretches of {2 * step} ms that overlap by half, "
        f"for {delay} ms behind the newest"
    )
    history = build.add(
        "history",
        f"SELECT {build.lead}join_value, _window, collect_list(struct(\n"
        "  batch_time, _ord AS ordinal, _ts AS event_time, _s AS is_left,\n"
        "  if(_s, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,\n"
        "  if(_s, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row)) AS events\n"
        f"FROM (SELECT *, {BATCH} AS batch_time,\n"
        f"    window(_at, '{2 * step} milliseconds', '{step} milliseconds') AS _window\n"
        f"  FROM {timely})\nGROUP BY {build.lead}join_value, _window",
        "the records of each stretch, with those from before this batch",
    )
    fresh = build.add(
        "fresh",
        "SELECT *, filter(events, event ->\n"
        f"  event.batch_time = this_batch AND start = {_own_stretch(step, before, after)}) AS new_events\n"
        f"FROM (SELECT {build.lead}events, unix_millis(_window.start) AS start, {BATCH} AS this_batch FROM {history})",
        "the records of this batch that are to be settled here",
    )
    # For a record on both sides, the left one is the first.
    earlier = (
        "other.is_left <> event.is_left AND (other.batch_time <> this_batch OR other.ordinal < event.ordinal\n"
        "      OR (other.is_left AND other.ordinal = event.ordinal))"
    )
    near = (
        f"if(event.is_left, other.event_time BETWEEN event.event_time - {before} AND event.event_time + {after},\n"
        f"      event.event_time BETWEEN other.event_time - {before} AND other.event_time + {after})"
    )
    matched = build.add(
        "matched",
        f"SELECT {build.lead}transform(new_events, event -> struct(event,\n"
        f"  filter(events, other -> {earlier}\n    AND {near}) AS partners)) AS with_partners\nFROM {fresh}",
        "each with the records before it that it matches",
    )
    event, partner = (own(f"{side}.ordinal", node, build) for side in ("m.event", "partner"))
    preserved = {"LEFT": "m.event.is_left", "RIGHT": "NOT m.event.is_left", "OUTER": "TRUE", "INNER": "FALSE"}[
        node.kind
    ]
    alone, first, second = event, f"{event} || {partner}", f"{partner} || {event}"
    if node.meets_itself:
        alone = f"if(m.event.is_left, {lone(node, event, 0)}, {lone(node, event, 1)})"
        first += " || array(if(m.event.is_left, 0L, 1L))"
        second += " || array(if(m.event.is_left, 1L, 0L))"
    return build.add(
        "join",
        f"SELECT {build.lead}pair.ordinal AS _ord, pair.event_time AS _ts,\n"
        "  pair.left_row.row_key AS k0, pair.left_row.row_value AS v0,\n"
        "  pair.right_row.row_key AS k1, pair.right_row.row_value AS v1\n"
        f"FROM (SELECT {build.lead}explode(flatten(transform(with_partners, m -> if(size(m.partners) = 0,\n"
        f"    if({preserved}, array(struct({alone} AS ordinal, m.event.event_time AS event_time,\n"
        "      m.event.left_row AS left_row, m.event.right_row AS right_row)), array()),\n"
        "    transform(m.partners, partner -> struct(\n"
        f"      if(m.event.ordinal > partner.ordinal, {first}, {second}) AS ordinal,\n"
        "      greatest(m.event.event_time, partner.event_time) AS event_time,\n"
        "      coalesce(m.event.left_row, partner.left_row) AS left_row,\n"
        "      coalesce(m.event.right_row, partner.right_row) AS right_row)))))) AS pair\n"
        f"  FROM {matched})",
        "one record for each pair, and for each record that has none yet",
    )


def _met(node: nodes.Join, build: Builder) -> str:
    """Return the records of both sides by `join_value`; `_s` is true for those of the left one."""
    below = both_sides(node, 0, build, identities=False)
    sides = (("_s", node.left), ("NOT _s", node.right))
    empty = [f"{mine} AND v{i} IS NULL" for i, (mine, side) in enumerate(sides) if may_be_tombstone(side)]
    if empty:
        below = build.observe(build.view(), ("null value", f"count_if({' OR '.join(empty)})"))
    order = "_ord" if max(node.left.ordinal_width, node.right.ordinal_width) > 1 else "array(_ord) AS _ord"
    # A null matches nothing, not even a null of the other side.
    keys = (f"named_struct('join_value', {key}, 'null_of', if({key} IS NULL, '{side}', ''))" for key, side in (
        (join_key(node, 0, 0), "left"), (join_key(node, 1, 1), "right")))  # fmt: skip
    return build.add(
        "met",
        f"SELECT {build.lead}{order}, _ts, _s, k0, v0, k1, v1,\n  if(_s, {', '.join(keys)}) AS join_value\nFROM {below}"
        + (f"\nWHERE NOT ({' OR '.join(empty)})" if empty else ""),
        "the records of both sides, by what joins them",
    )


def _own_stretch(step: int, before: int, after: int) -> str:
    """Return the begin of the stretch that has all possible matches of an `event`."""
    ahead = str(before) if before == after else f"if(event.is_left, {before}, {after})"
    time = "event.event_time"
    return f"{time} - {time} % {step} - if({time} % {step} >= {ahead}, 0, {step})"
