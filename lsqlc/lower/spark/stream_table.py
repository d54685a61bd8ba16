"""A STREAM joined with a TABLE.

Both topics are read as one stream, so that their records keep their order of arrival. The events of a batch are
aggregated into arrays per join key, and replayed in order of their ordinals. Each stream record is joined with the
latest version of the table's row before it. A first state has the last table events of a key before the batch.

In all joins except INNER, a record without a row may still be joined with the first row of its key. A second state
keeps such records until then. Both states are ordered by ordinals and by the number of the key's batches, not by a
clock. The batch's `current_timestamp()` only distinguishes its events from older ones.
"""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.lower.spark.arrays_by_key import BATCH, gathered
from lsqlc.lower.spark.both_sides import both_sides
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.join_sides import join_key, later
from lsqlc.lower.spark.merge_order import before, in_time, is_merged, own
from lsqlc.lower.spark.ranked_values import ALL_VALUES, SINCE, by_parity, ranked
from lsqlc.lower.spark.row_versions import succession
from lsqlc.plan import nodes
from lsqlc.plan.identity import keyed_by_identity, may_be_tombstone, whole_key
from lsqlc.sql.spark import struct

# The number of batches of a key whose unmatched records wait for its first table row. The records of older batches stay
# unmatched, because the state of a key that never gets a row must be bounded.
BATCHES_WAITING = 256
# The number of groups for the stream records of a batch, which pass an operator that only aggregates table rows.
_BUCKETS = 32


def meets_key(node: nodes.Join) -> bool:
    """Return whether the only condition of a join is equality with the table's whole key."""
    side, table = (1, node.right) if node.style == "stream-table" else (0, node.left)
    return len(node.equalities) == 1 and whole_key(node.equalities[0][side]) and keyed_by_identity(table)


def stream_table(node: nodes.Join, build: Builder) -> str:
    """Return the view of each stream record with its table row: `_ord`, `_ts`, and the columns of both sides."""
    build.disable_streaming_checks()
    events = _events(node, build)
    records = _records_with_rows(node, events, build)
    if node.kind == "INNER":
        results = _inner(node, records, build)
    elif node.retention is None:
        results = _without_waiting(node, records, build)
    else:
        results = _with_waiting(node, records, build)
    stream, table = (0, 1) if node.style == "stream-table" else (1, 0)
    return build.add(
        "join",
        f"SELECT {build.lead}result.ordinal AS _ord, result.event_time AS _ts,\n"
        f"  result.stream_row.row_key AS k{stream}, result.stream_row.row_value AS v{stream},\n"
        f"  result.table_row.row_key AS k{table}, result.table_row.row_value AS v{table}\n"
        f"FROM (SELECT {build.lead}explode(results) AS result FROM {results})",
        "one record for each",
    )


def _events(node: nodes.Join, build: Builder) -> str:
    """Return the view of the events of both sides.

    The columns are `join_value`, `ordinal`, `of_table`, `event_time`, and `stream_row` or `table_row`. If rows of the
    table can change their `join_value`, they also have `end_ordinal`, the ordinal at which a version of a row ended.
    """
    stream = 0 if node.style == "stream-table" else 1
    has_moves = not meets_key(node)
    identity = f", _i{1 - stream} AS _id" if has_moves else ""
    rows = both_sides(node, stream, build, identities=has_moves)
    stream_row, table_row = (struct((("row_key", f"k{i}"), ("row_value", f"v{i}"))) for i in (stream, 1 - stream))
    table_value = join_key(node, 1 - stream, 1 - stream)
    key = f"if(_s, {join_key(node, stream, stream)}, {f'if(_live, {table_value}, NULL)' if has_moves else table_value})"
    build.add(
        "events",
        f"SELECT {build.lead}{key} AS join_value, _ord AS ordinal, NOT _s AS of_table, _ts AS event_time,\n"
        f"  if(_s, {stream_row}, NULL) AS stream_row,\n"
        f"  if(_live, {table_row}, NULL) AS table_row,\n"
        f"  _s AND v{stream} IS NULL AS _empty{identity}\nFROM {rows}",
        "the events of both sides, by what joins them",
    )
    lacks_key = "(_id IS NULL OR (table_row IS NOT NULL AND join_value IS NULL))" if has_moves else "join_value IS NULL"
    metrics = [("null key", f"count_if(of_table AND {lacks_key})")]
    if may_be_tombstone(node.left if stream == 0 else node.right):
        metrics.append(("null value", "count_if(_empty)"))
    view = build.observe(build.view(), *metrics)
    condition = "if(of_table, _id IS NOT NULL, TRUE)" if has_moves else "(NOT of_table OR join_value IS NOT NULL)"
    if node.kind == "INNER":
        condition = "if(of_table, _id IS NOT NULL, join_value IS NOT NULL)" if has_moves else "join_value IS NOT NULL"
    condition = f"NOT _empty AND {condition}"
    events = build.add("met", f"SELECT * FROM {view} WHERE {condition}", "a table has no row without a key")
    return _with_ends(node, events, build) if has_moves else events


def _with_ends(node: nodes.Join, events: str, build: Builder) -> str:
    """Return the view of the events for a table whose rows can change their `join_value`.

    Each version of a row is an event of its `join_value`. When the version ends, it becomes a second event with the
    `end_ordinal`. The stream records pass the same operator, because Spark reads a source twice if a query uses it
    twice.
    """
    spread = build.add(
        "spread",
        f"SELECT {build.lead}ordinal, event_time, join_value, stream_row, table_row,\n"
        "  struct(if(of_table, _id, NULL) AS table_id,\n"
        f"    if(of_table, NULL, pmod(hash(join_value), {_BUCKETS})) AS bucket) AS row_or_bucket\nFROM {events}",
        "the events of the table by row, those of the stream as they fall",
    )
    parts = ("ordinal", "event_time", "join_value", "stream_row", "table_row")
    wide = is_merged(node, build) or _wide(node)
    stream = "row_or_bucket.bucket IS NOT NULL"
    versions = succession(build, spread, "row_or_bucket", parts, wide=wide, unversioned=stream)
    build.state.append(
        "the versions of each row of the table in its two newest batches, and the stream's records of two"
    )
    return build.add(
        "moved",
        f"SELECT * FROM (SELECT {build.lead}inline(transform(versions, (v, i) -> struct(\n"
        "    v.join_value AS join_value, v.ordinal AS ordinal, row_or_bucket.bucket IS NULL AS of_table,\n"
        "    v.event_time AS event_time, v.stream_row AS stream_row, v.table_row AS table_row,\n"
        "    if(row_or_bucket.bucket IS NULL, get(versions, i + 1).ordinal, NULL) AS end_ordinal,\n"
        "    row_or_bucket.table_id AS table_id)))\n"
        f"  FROM {versions})\nWHERE NOT of_table OR (join_value IS NOT NULL AND table_row IS NOT NULL)",
        "each version of a row by what joins it, with its end",
    )


def _records_with_rows(node: nodes.Join, events: str, build: Builder) -> str:
    """Return the view of the stream records of the batch with their table events, one row per `join_value`.

    The columns are `join_value`, `batch_number`, `table_events`, `previous` (the last table event before the batch) and
    `records`. These are structs of `event`, the stream record, and `met`, the last table event before it. In joins
    except INNER they also have `late`, the first table event with a row after the record.
    """
    has_moves = not meets_key(node)
    lists = (
        ("stream_events", "if(of_table, NULL, struct(ordinal, event_time, stream_row))"),
        (
            "table_events",
            f"if(of_table, struct(ordinal, event_time, table_row{', end_ordinal' if has_moves else ''}), NULL)",
        ),
    )
    newest = "try_element_at(table_events, -1)"
    newest = f"struct({newest}.ordinal, {newest}.end_ordinal IS NOT NULL)" if has_moves else f"{newest}.ordinal"
    # One record can update several groups, whose rows have the same ordinal.
    order = "ordinal, of_table, table_id" if has_moves else "ordinal, of_table"
    sides = gathered(
        build, events, "join_value", order, lists,
        "the records of the stream and the events of the table for each key in this batch, in order",
    )  # fmt: skip
    build.state.append("the table's events of each key in its two newest batches, and the stream's of the newest")
    state = _state(sides, newest, build)
    stream_events = in_time(
        f"if(coalesce(stream_batch.batch_time = {BATCH}, FALSE), stream_batch.stream_events, array())",
        "greatest(try_element_at(stream_batch.stream_events, -1).ordinal,\n"
        "    try_element_at(get(table_batches, 0).table_events, -1).ordinal)",
        dated=is_merged(node, build),
    )
    current = build.add(
        "current",
        f"SELECT {build.lead}join_value, batch_number,\n  {stream_events} AS stream_events,\n"
        "  if(fresh, get(table_batches, 0).table_events, array()) AS table_events,\n"
        "  try_element_at(if(fresh, get(table_batches, 1), get(table_batches, 0)).table_events, -1) AS previous\n"
        f"FROM (SELECT *, coalesce(get(table_batches, 0).batch_time = {BATCH}, FALSE) AS fresh FROM {state})",
        "this batch's events, and the table's last one before",
    )
    if has_moves:
        current = _with_row_ends(current, build)
    stream, table = _stream_and_table(node)
    earlier, later = before("table_event.ordinal", "event.ordinal", table, stream, build, merged=is_merged(node, build))
    late = f",\n  get(filter(table_events, table_event -> {later} AND table_event.table_row IS NOT NULL), 0) AS late"
    late = "" if node.kind == "INNER" else late
    return build.add(
        "settled",
        f"SELECT {build.lead}join_value, batch_number, previous, table_events,\n"
        "  transform(stream_events, event -> struct(event AS event, coalesce(\n"
        f"    try_element_at(filter(table_events, table_event -> {earlier}), -1), previous) AS met{late})) AS records\n"
        f"FROM {current}",
        "each record with the table event before it" + (", and the first row behind it" if late else ""),
    )


def _state(sides: str, newest: str, build: Builder) -> str:
    """Return the view of the newest batches of each `join_value`, which are the state of the query.

    The columns are `stream_batch`, the stream events of the newest batch; `table_batches`, the table events of the
    newest two batches; and `batch_number`, the number of batches so far. `newest`: SQL of the order of table batches.
    """
    comment = "with the table's last events from before this batch"
    stream = (
        "max_by(struct(stream_events, batch_time), try_element_at(stream_events, -1).ordinal)\n"
        "    FILTER (WHERE size(stream_events) > 0) AS stream_batch"
    )
    present = "FILTER (WHERE size(table_events) > 0)"
    batches = f"(SELECT *, {BATCH} AS batch_time FROM {sides}) GROUP BY {build.lead}join_value"
    batch = "struct(table_events, batch_time)"
    if build.server >= SINCE:
        table = ranked(build.server, "max_by", batch, newest, 2, present)
        columns = f"count(*) AS batch_number,\n  {stream},\n  {table} AS table_batches"
        return build.add("kept", f"SELECT {build.lead}join_value, {columns}\nFROM {batches}", comment)
    newest_batches = build.add(
        "touched",
        f"SELECT {build.lead}join_value, count(*) AS batch_number, count_if(size(table_events) > 0) AS batches,\n"
        f"  {stream},\n  max_by({batch}, {newest}) {present} AS table_batch\nFROM {batches}",
        "the newest of both sides, and how many batches had one",
    )
    build.state.append("the newest of each alone, and how many batches had one")
    return build.add(
        "kept",
        f"SELECT {build.lead}join_value, max(batch_number) AS batch_number,\n"
        f"  max_by(stream_batch, batch_number) AS stream_batch,\n  {by_parity('table_batch')} AS table_batches\n"
        f"FROM {newest_batches} GROUP BY {build.lead}join_value",
        comment,
    )


def _with_row_ends(current: str, build: Builder) -> str:
    """Return the view in which the end of a row is a table event without a `table_row`.

    If several rows have the same `join_value`, only the newest one is joined. When it ends, no row is joined, even if
    older ones still exist. Only the last one of several rows with the same ordinal is joined.
    """
    newer = build.add(
        "newer",
        f"SELECT {build.lead}join_value, batch_number, stream_events, previous,\n"
        "  filter(table_events, table_event -> previous IS NULL\n"
        "    OR table_event.ordinal >= previous.ordinal) AS table_events\n"
        f"FROM {current}",
        "an end of what was not the newest row means nothing",
    )
    event = (
        "struct(table_event.ordinal AS ordinal, table_event.event_time AS event_time,\n"
        "        table_event.table_row AS table_row)"
    )
    return build.add(
        "dated",
        f"SELECT {build.lead}join_value, batch_number, stream_events,\n"
        "  flatten(transform(table_events, (table_event, i) ->\n"
        "    CASE WHEN get(table_events, i + 1).ordinal <= table_event.ordinal THEN array()\n"
        "      WHEN table_event.end_ordinal IS NULL OR get(table_events, i + 1).ordinal <= table_event.end_ordinal\n"
        f"      THEN array({event})\n      ELSE array({event},\n"
        "        struct(table_event.end_ordinal AS ordinal, table_event.event_time AS event_time,\n"
        "          if(FALSE, table_event.table_row, NULL) AS table_row)) END)) AS table_events,\n"
        "  struct(previous.ordinal AS ordinal, previous.event_time AS event_time,\n"
        "    if(previous.end_ordinal IS NULL, previous.table_row, NULL) AS table_row) AS previous\n"
        f"FROM {newer}",
        "the rows as they come and go",
    )


def _wide(node: nodes.Join) -> bool:
    """Return whether the ordinals of the events are arrays, as in topics that are the output of a join."""
    return max(node.left.ordinal_width, node.right.ordinal_width) > 1


def _ordinals(node: nodes.Join, build: Builder) -> tuple[Callable[[str, str], str], Callable[[str, str], str]]:
    """Return two functions from the ordinals of a record and of a row to the ordinal of the joined record.

    In the first one the record is later than the row, in the second one the row is later.
    """
    form = "concat({}, {})" if _wide(node) else "array({}, {})"
    stream = 0 if node.style == "stream-table" else 1

    def both(first: str, second: str, side: int) -> str:
        return form.format(own(first, node, build), own(second, node, build)) + later(node, side)

    return lambda record, row: both(record, row, stream), lambda record, row: both(row, record, 1 - stream)


def _matched(node: nodes.Join, build: Builder) -> str:
    """Return the SQL of the ordinal of a `record` joined with its row."""
    both, _ = _ordinals(node, build)
    return both("record.event.ordinal", "record.met.ordinal")


def _unmatched(node: nodes.Join, build: Builder) -> str:
    """Return the SQL of the ordinal of a `record` without a row."""
    return own("record.event.ordinal", node, build) if _wide(node) else "array(record.event.ordinal)"


def _result(ordinal: str) -> str:
    """Return the SQL of the result for a `record` with its row, or with null."""
    return (
        f"struct({ordinal} AS ordinal, record.event.event_time AS event_time,\n"
        "    record.event.stream_row AS stream_row, record.met.table_row AS table_row)"
    )


def _at_arrival(node: nodes.Join, build: Builder) -> str:
    """Return the SQL of the results of all records, with their row or with null."""
    ordinal = f"if(record.met.table_row IS NULL, {_unmatched(node, build)}, {_matched(node, build)})"
    return f"transform(records, record -> {_result(ordinal)})"


def _stream_and_table(node: nodes.Join) -> tuple[nodes.Node, nodes.Node]:
    return (node.left, node.right) if node.style == "stream-table" else (node.right, node.left)


def _inner(node: nodes.Join, records: str, build: Builder) -> str:
    """Return the view of the `results` of an INNER join: the records with a row."""
    return build.add(
        "matched",
        f"SELECT {build.lead}transform(filter(records, record -> record.met.table_row IS NOT NULL),\n"
        f"  record -> {_result(_matched(node, build))}) AS results\nFROM {records}",
        "the records that met a row",
    )


def _without_waiting(node: nodes.Join, records: str, build: Builder) -> str:
    """Return the view of the `results` of a join in which no record waits for a row: all records."""
    return build.add(
        "matched",
        f"SELECT {build.lead}{_at_arrival(node, build)} AS results\nFROM {records}",
        "the records with the row that they met, if they met one",
    )


def _with_waiting(node: nodes.Join, records: str, build: Builder) -> str:
    """Return the view of the `results` of a join in which records wait for the first row of their key.

    They are all records of the batch with their row or with null, and the waiting records whose row appears in the
    batch.
    """
    _, late = _ordinals(node, build)
    row = "table_event -> table_event.table_row IS NOT NULL"
    now = build.add(
        "now",
        f"SELECT {build.lead}join_value, batch_number, struct(concat(\n"
        f"  {_at_arrival(node, build)},\n"
        "  transform(\n"
        "    filter(records, record -> record.met.table_row IS NULL AND record.late IS NOT NULL\n"
        f"      AND record.late.event_time - record.event.event_time <= {node.retention}),\n"
        f"    record -> struct({late('record.event.ordinal', 'record.late.ordinal')} AS ordinal,\n"
        "      greatest(record.late.event_time, record.event.event_time) AS event_time,\n"
        "      record.event.stream_row AS stream_row, record.late.table_row AS table_row))) AS results,\n"
        f"  if(previous.table_row IS NULL, get(filter(table_events, {row}), 0), NULL) AS appeared) AS outcome,\n"
        f"  previous.table_row IS NOT NULL OR exists(table_events, {row}) AS has_row,\n"
        "  if(join_value IS NULL, array(),\n"
        "    transform(filter(records, record -> record.met.table_row IS NULL AND record.late IS NULL),\n"
        "    record -> struct(record.event.ordinal AS ordinal, record.event.event_time AS event_time,\n"
        f"      record.event.stream_row AS stream_row))) AS unmatched\nFROM {records}",
        "what this batch settles, and what it leaves unmatched",
    )
    bound = (
        f"from its {BATCHES_WAITING} newest batches that left some" if build.server >= SINCE else f"with {ALL_VALUES}"
    )
    build.state.append(f"the unmatched records of each key, {bound}")
    number, has_unmatched = "batch_number", "FILTER (WHERE size(unmatched) > 0)"
    having_row = ranked(build.server, "max_by", number, number, 2, "FILTER (WHERE has_row)")
    unmatched = ranked(
        build.server, "max_by", "struct(batch_number, unmatched)", number, BATCHES_WAITING, has_unmatched
    )
    waiting = build.add(
        "waiting",
        f"SELECT {build.lead}join_value, max(batch_number) AS batch_number, max_by(outcome, batch_number) AS outcome,\n"
        f"  {having_row} AS batches_having_row,\n  {unmatched} AS unmatched_batches\n"
        f"FROM {now} GROUP BY {build.lead}join_value",
        "with the records that have waited since the table last had a row",
    )
    return build.add(
        "matched",
        f"SELECT {build.lead}concat(outcome.results,\n"
        "  if(outcome.appeared IS NULL OR unmatched_batches IS NULL, array(),\n"
        "  transform(filter(flatten(transform(\n"
        "      filter(unmatched_batches, batch -> batch.batch_number < batch_number\n"
        "        AND (last_having_row IS NULL OR batch.batch_number >= last_having_row)), batch -> batch.unmatched)),\n"
        f"      waiting -> outcome.appeared.event_time - waiting.event_time <= {node.retention}),\n"
        f"    waiting -> struct({late('waiting.ordinal', 'outcome.appeared.ordinal')} AS ordinal,\n"
        "      greatest(outcome.appeared.event_time, waiting.event_time) AS event_time,\n"
        "      waiting.stream_row AS stream_row, outcome.appeared.table_row AS table_row)))) AS results\n"
        "FROM (SELECT *, get(filter(batches_having_row, batch -> batch < batch_number), 0) AS last_having_row\n"
        f"  FROM {waiting})",
        "the first row of a key goes to the records that waited for it",
    )
