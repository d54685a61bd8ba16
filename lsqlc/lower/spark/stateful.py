"""What keeps state: aggregates over STREAM and TABLE, joins of two tables on their keys, and rekeying.

Each gives rows in update mode: one upsert per key and batch, the newest. `below` is the piece with the rows of the
input.
"""

from __future__ import annotations

from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.aggregates import keeps_rows, keeps_values, over_changes, over_stream, summed, takes_several
from lsqlc.lower.spark.arrays_by_key import BATCH
from lsqlc.lower.spark.builder import GROWING, Builder
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.identity import identity
from lsqlc.lower.spark.merge_order import in_time, on_kafka, undated
from lsqlc.lower.spark.ranked_values import ALL_VALUES, SINCE, two_newest
from lsqlc.lower.spark.ranks import rank
from lsqlc.lower.spark.row_versions import newest_of_batch, succession
from lsqlc.lower.spark.rows import facets, live, timed
from lsqlc.lower.spark.values_left import counts_values
from lsqlc.plan import nodes
from lsqlc.plan.expression import Aggregation
from lsqlc.plan.identity import identity_type, may_be_tombstone
from lsqlc.plan.windows import Session, Window
from lsqlc.sql.spark import struct
from lsqlc.sql.writer import Select, listed
from lsqlc.types.record import LAST_BEFORE_RECORDS


def aggregate(node: nodes.Aggregate, below: str, build: Builder) -> str:
    """The groups that a batch touched."""
    groups = _table_aggregate if node.input.semantics == "TABLE" else _stream_aggregate
    return live(groups(node, below, build), build)


def once_closed(window: Window) -> bool:
    """Whether a window is written when it is closed and not before. Spark gives sessions in no other way."""
    return window.final or isinstance(window, Session)


def _stream_aggregate(node: nodes.Aggregate, below: str, build: Builder) -> str:
    members = _counted(node, below, build)
    if summed_columns(node):
        build.keep_hash_aggregation()
    if node.window is not None:
        return _windowed(node, node.window, members, build)
    grows = _growth(node, build)
    build.state.append(f"one row per group: {_group_text(node)}{grows}")
    return build.add(
        "groups",
        f"SELECT {build.lead}{_newest(node)} AS _ord, max(_ts) AS _ts, _group AS k0,\n  {_values(node, build)} AS v0\n"
        f"FROM {members} GROUP BY {build.lead}_group",
        "one row per group, from all its records",
    )


def _newest(node: nodes.Aggregate) -> str:
    """Return SQL of the ordinal of a group.

    The row before the first record and a row that is computed from such a row of the input must not have the same one.
    """
    if not node.total:
        return "max(_ord)"
    last = f"{LAST_BEFORE_RECORDS}L"
    if node.input.ordinal_width == 1:
        return f"max(_ord) + if(max(_ord) < {last}, 1L, 0L)"
    return f"if(array_max(max(_ord)) < {last}, transform(max(_ord), n -> n + 1L), max(_ord))"


def _growth(node: nodes.Aggregate, build: Builder) -> str:
    if any(map(keeps_values, node.aggregates)):
        return f", with all its values, of which the lists are made, {GROWING}"
    several = any(takes_several(call) for call in node.aggregates)
    return f", with {ALL_VALUES}" if several and build.server < SINCE else ""


def _values(node: nodes.Aggregate, build: Builder) -> str:
    calls = enumerate(node.aggregates)
    width = node.input.ordinal_width
    return struct(tuple((f"a{i}", over_stream(a, f"_x{i}", build.server, width)) for i, a in calls))


def _windowed(node: nodes.Aggregate, window: Window, members: str, build: Builder) -> str:
    """Groups by window too. Spark's windows start before the epoch, ours do not.

    Spark closes a session a gap behind its last record, so that much less is left of the grace.
    """
    delay = max(0, window.grace - window.gap) if isinstance(window, Session) else window.grace
    build.single_stateful_operator()
    sums = (f"_x{i}" for i, a in enumerate(node.aggregates) if summed(a))
    timely = timed(node.input, members, delay, build, "_group", *sums)
    if isinstance(window, Session):
        times = f"session_window(_at, '{window.gap} milliseconds')"
        bounds = (("start", "unix_millis(_window.start)"), ("end", "max(_ts)"))
        build.state.append(f"one row per open session of each group: {_group_text(node)}")
    else:
        times = f"window(_at, '{window.size} milliseconds', '{window.advance} milliseconds')"
        bounds = (("start", "unix_millis(_window.start)"), ("end", "unix_millis(_window.end)"))
        build.state.append(f"one row per open window of each group: {_group_text(node)}")
    windows = build.add(
        "windows",
        f"SELECT {build.lead}max(_ord) AS _ord, max(_ts) AS _ts,\n"
        f"  {struct((('key', '_group'), *bounds))} AS k0,\n  {_values(node, build)} AS v0\n"
        f"FROM (SELECT *, {times} AS _window FROM {timely})\nGROUP BY {build.lead}_group, _window",
        "one row per group and window",
    )
    return build.add("since", f"SELECT * FROM {windows} WHERE k0.start >= 0", "no window starts before the epoch")


def summed_columns(node: nodes.Aggregate) -> tuple[str, ...]:
    """The columns that sums are made of."""
    return tuple(f"{column} AS _x{i}" for i, a in enumerate(node.aggregates) if (column := summed(a)))


def _key(node: nodes.Aggregate) -> str:
    keys = [sql(key) for key in node.keys]
    return struct(tuple(zip(node.key_names, keys, strict=True))) if node.key_names else keys[0]


def _group_text(node: nodes.Aggregate) -> str:
    return ", ".join(node.key_names) or str(node.group_type)


def _counted(node: nodes.Aggregate, below: str, build: Builder) -> str:
    """The records that belong to a group; those without value or group are counted."""
    present = "v0 IS NOT NULL" if may_be_tombstone(node.input) else "TRUE"
    columns = (*build.case, "_ord", "_ts", *facets(node.input), f"{_key(node)} AS _group", *summed_columns(node))
    build.add("grouped", Select(columns, below), "the group of each record")
    metrics = [("null group key", f"count_if({present} AND _group IS NULL)")]
    if present != "TRUE":
        metrics.insert(0, ("null value", "count_if(v0 IS NULL)"))
    counted = build.observe(build.view(), *metrics)
    return build.add(
        "members",
        f"SELECT * FROM {counted} WHERE {present} AND _group IS NOT NULL",
        "records without a group do not count",
    )


def _table_aggregate(node: nodes.Aggregate, below: str, build: Builder) -> str:
    """Groups of a TABLE, from the change of each row: the row as it was counts -1, the row as it is +1.

    An aggregate that can be computed from such weighted changes is one that the language allows on a TABLE.
    """
    build.disable_streaming_checks()
    arguments = tuple((f"argument{i}", sql(a.arguments[0])) for i, a in enumerate(node.aggregates) if a.arguments)
    content = struct((("group_key", _key(node)), *arguments))
    row = build.add(
        "rows",
        f"SELECT {build.lead}_ord, _ts, {_as_key(node.input)}, if(_live, {content}, NULL) AS content\nFROM {below}",
        "of each row only what the groups need",
    )
    lists = any(map(keeps_rows, node.aggregates))
    grows = f", with all its changes, of which the lists are made, {GROWING}" if lists else ""
    if not lists and any(map(counts_values, node.aggregates)):
        grows = f", with {'how often each value came and went' if build.server >= SINCE else ALL_VALUES}"
    changes = _each_change(node, row, build) if build.group_times else _net_changes(node, row, build, lists)
    build.state.append(f"one row per group: {_group_text(node)}{grows}")
    values = struct(
        tuple((f"a{i}", over_changes(a, f"content.argument{i}", build.server)) for i, a in enumerate(node.aggregates))
    )
    value = values if node.keeps_empty else f"if(sum(weight) = 0, NULL, {values})"
    return build.add(
        "groups",
        f"SELECT {build.lead}{_newest(node)} AS _ord, max(_ts) AS _ts, content.group_key AS k0,\n  {value} AS v0\n"
        f"FROM {changes} WHERE content.group_key IS NOT NULL GROUP BY {build.lead}content.group_key",
        f"the sums of the changes; a group without rows {'stays' if node.keeps_empty else 'is deleted'}",
    )


def _net_changes(node: nodes.Aggregate, row: str, build: Builder, lists: bool) -> str:
    """What a batch changed of each row, as contents with a `weight`; `lists`: with what identifies rows."""
    newest = _each_version(node, row, build) if build.real_time else _newest_of_batch(node, row, build)
    kept = ("_ord", "_ts", "content", "groups") if node.keeps_empty else ("_ord", "_ts", "content")
    reason = "each row as it is now, and as it was before this batch"
    versions = two_newest(build, newest, "k0", f"struct({listed(kept)})", "_ord", "versions", reason)
    build.state.append(f"the two newest versions of each row, by key {identity_type(node.input)}")
    weighted = (
        "array(\n    struct(row_now.content AS content, 1L AS weight),\n"
        "    struct(row_before.content AS content, -1L AS weight))"
    )
    changed = "\nWHERE NOT (row_now.content <=> row_before.content)"
    if node.keeps_empty:
        nulls = ((f"argument{i}", _null(a)) for i, a in enumerate(node.aggregates) if a.arguments)
        weightless = (
            "transform(row_now.groups,\n"
            f"    group_key -> struct({struct((('group_key', 'group_key'), *nulls))} AS content, 0L AS weight))"
        )
        weighted, changed = f"concat({weighted}, {weightless})", ""
    first = in_time("get(versions, 0)", "get(versions, 0)._ord", dated=on_kafka(build) and node.input.ordinal_width > 1)
    row_lead, key_lead = ("k0 AS _row, ", "k0, ") if lists else ("", "")
    return build.add(
        "changes",
        f"SELECT {build.lead}{row_lead}row_now._ord AS _ord, row_now._ts AS _ts, inline({weighted})\n"
        f"FROM (SELECT {build.lead}{key_lead}{first} AS row_now, get(versions, 1) AS row_before\n"
        f"  FROM {versions}){changed}",
        "a row that changed leaves its old group and enters its new one",
    )


def _newest_of_batch(node: nodes.Aggregate, row: str, build: Builder) -> str:
    # A group that a row only passed through within the batch is one that stays, without rows.
    passed = (
        (f"collect_set(content.group_key) OVER (PARTITION BY {build.lead}k0) AS groups",) if node.keeps_empty else ()
    )
    return newest_of_batch(build, row, "k0", "the newest version of each row in this batch", *passed)


def _each_version(node: nodes.Aggregate, row: str, build: Builder) -> str:
    """In real time each version of a row meets the state by itself, so that none has to be the newest of several."""
    if not node.keeps_empty:
        return row
    groups = "if(content.group_key IS NULL, array(), array(content.group_key)) AS groups"
    return build.add("versioned", f"SELECT *, {groups} FROM {row}", "each version, with the group that it is in")


def _each_change(node: nodes.Aggregate, row: str, build: Builder) -> str:
    """All versions of each row as contents with a `weight`, with the time at which each came and went: a group that one
    only passed through within the batch has its time.
    """
    versions = succession(build, row, "k0", ("_ord", "_ts", "content"), wide=node.ordinal_width > 1)
    build.state.append(f"the versions of each row in its two newest batches, by key {identity_type(node.input)}")
    came, went = _change("v", "1L"), _change("get(versions, i + 1)", "-1L")
    return build.add(
        "changes",
        f"SELECT {build.lead}k0 AS _row, inline(flatten(transform(versions, (v, i) -> concat(\n"
        f"  if(i >= size(versions) - new_count, {came}, array()),\n"
        f"  if(i + 1 < size(versions), {went}, array())))))\nFROM {versions}",
        "each version enters its group, and leaves it when the next one comes",
    )


def _change(cause: str, weight: str) -> str:
    """The content of a version `v` as a change that the version `cause` makes."""
    return f"array(struct({cause}._ord AS _ord, {cause}._ts AS _ts, v.content AS content, {weight} AS weight))"


def _null(call: Aggregation) -> str:
    """The argument of an aggregate where there is no row."""
    return f"CAST(NULL AS {type_text('spark', call.arguments[0].type)})"


def _as_key(node: nodes.Node) -> str:
    """What identifies a node's rows, as their key."""
    return "k0" if identity(node) == "k0" else f"{identity(node)} AS k0"


def table_side(node: nodes.Join, number: int, below: str, build: Builder) -> str:
    """One side of a join of two tables, as a view: its rows under the key `join_value`, in `left_change` or
    `right_change`.

    The row of a side that has none (any more) is a struct that holds a null; the other side's is null itself.
    """
    source = node.left if number == 0 else node.right
    condition = node.left_condition if number == 0 else node.right_condition
    order = "array(_ord)" if source.ordinal_width == 1 else "_ord"
    matches = "TRUE" if condition is None else f"coalesce({sql(condition)}, FALSE)"
    held = [f"CAST(NULL AS {_side_type(s)})" for s in (node.left, node.right)]
    row = struct((("row_key", "k0"), ("row_value", "v0"), ("event_time", "_ts"), ("matches", matches)))
    held[number] = f"CAST(named_struct('row', if(_live, {row}, NULL)) AS {_side_type(source)})"
    build.add(
        "left" if number == 0 else "right",
        f"SELECT {build.lead}{order} AS _ord, _ts, {sql(node.equalities[0][number])} AS join_value,\n"
        f"  {held[0]} AS left_change,\n  {held[1]} AS right_change\nFROM {below}",
        f"the rows of the {'left' if number == 0 else 'right'} side",
    )
    return build.view()


def table_join(node: nodes.Join, sides: tuple[str, str], build: Builder) -> str:
    """Two tables on their keys: the newest row of each side, whatever the order in which they came."""
    both = build.add(
        "both", f"SELECT * FROM {sides[0]} UNION ALL SELECT * FROM {sides[1]}", "the changes of both sides"
    )
    build.state.append(f"the newest row of each side, by key {node.equalities[0][0].type}")
    newest = build.add(
        "newest",
        f"SELECT {build.lead}join_value, max(_ord) AS _ord, max(_ts) AS _ts,\n"
        "  max_by(left_change, _ord) FILTER (WHERE left_change IS NOT NULL).row AS left_row,\n"
        "  max_by(right_change, _ord) FILTER (WHERE right_change IS NOT NULL).row AS right_row\n"
        f"FROM {both} WHERE join_value IS NOT NULL GROUP BY {build.lead}join_value",
        "the newest row of each side",
    )
    dated = on_kafka(build) and min(node.left.ordinal_width, node.right.ordinal_width) > 1
    order = f"{in_time('_ord', '_ord', dated=True)} AS _ord" if dated else "_ord"
    # Only a side that the join preserves can have a condition left: its row then has no match.
    met = build.add(
        "met",
        f"SELECT {build.lead}join_value, {order}, _ts,\n"
        f"  {'if(right_row.matches, left_row, NULL)' if node.kind == 'RIGHT' else 'left_row'} AS left_row,\n"
        f"  {'if(left_row.matches, right_row, NULL)' if node.kind == 'LEFT' else 'right_row'} AS right_row\n"
        f"FROM {newest}",
        "a row that the condition keeps from matching has no match",
    )
    there = {
        "INNER": "left_row IS NOT NULL AND right_row IS NOT NULL",
        "LEFT": "left_row IS NOT NULL",
        "RIGHT": "right_row IS NOT NULL",
        "OUTER": "left_row IS NOT NULL OR right_row IS NOT NULL",
    }[node.kind]
    # A deleted row has lost both sides, and still has its key.
    return build.add(
        "join",
        f"SELECT {build.lead}_ord, coalesce(greatest(left_row.event_time, right_row.event_time), _ts) AS _ts,\n"
        f"  {there} AS _live,\n"
        f"  if({there}, left_row.row_key, join_value) AS k0, left_row.row_value AS v0,\n"
        f"  if({there}, right_row.row_key, join_value) AS k1, right_row.row_value AS v1\nFROM {met}",
        f"a row where {node.kind} asks for one",
    )


def _side_type(node: nodes.Node) -> str:
    relation = node.relations[0]
    key, value = (type_text("spark", facet.type) for facet in (relation.key, relation.value))
    return f"STRUCT<row: STRUCT<row_key: {key}, row_value: {value}, event_time: BIGINT, matches: BOOLEAN>>"


def settled(node: nodes.Rekey, entries: str, build: Builder) -> str:
    """One row per new key: of the rows that count the one with the highest rank, if it lives. `entries`: what counts,
    and counts no more, since this batch (see `table_table.entries`).
    """
    project = node.input
    assert isinstance(project, nodes.Project), "what is rekeyed is a projection"
    build.disable_streaming_checks()
    key, value = sql(project.key), sql(project.value)
    there = "_live AND new_key IS NOT NULL" + (" AND new_value IS NOT NULL" if project.value.nullable else "")
    moved = build.add(
        "moved",
        f"SELECT {build.lead}new_key, _ord, _ts, new_value FROM (\n"
        f"  SELECT {build.lead}_ord, _ts, _live, {key} AS new_key, {value} AS new_value FROM {entries}\n"
        f") WHERE {there}",
        "each with its new key",
    )
    return live(_newest_counting(moved, build), build)


def newest_living(node: nodes.Rekey, below: str, build: Builder) -> str:
    """One row per new key, the newest that lives, of a TABLE whose history is not known."""
    ended = _ended(node, below, build, "k0, ")
    own = undated("_ord") if on_kafka(build) else "_ord"
    order = "_ord" if node.ordinal_width == 1 else rank(own)
    moved = build.add(
        "counting",
        f"SELECT {build.lead}content.new_key AS new_key, _ts,\n"
        f"  struct(last_change, k0 AS row_id, {order} AS row_rank, if(ended, NULL, TRUE) AS lives) AS _ord,\n"
        f"  content.new_value AS new_value\nFROM {ended} WHERE content.new_key IS NOT NULL",
        "what lives under each new key, and what has left",
    )
    return live(_newest_counting(moved, build), build)


def _newest_counting(moved: str, build: Builder) -> str:
    """The newest of what counts of each key, as updates. What counts is an entry (see `table_table.entries`).

    One record can update several groups, whose entries have the same rank: of these the greatest identity decides.
    """
    build.state.append(f"what is or was mapped to each new key, {GROWING}")
    mapped = build.add(
        "mapped",
        f"SELECT {build.lead}new_key,\n"
        "  collect_list(struct(batch_time, _ord AS entry, _ts AS event_time, new_value)) AS entries\n"
        f"FROM (SELECT *, {BATCH} AS batch_time FROM {moved}) GROUP BY {build.lead}new_key",
        "all that was ever mapped to a key",
    )
    each = build.add(
        "each", f"SELECT {build.lead}new_key, inline(entries) FROM {mapped}", "one row for each change of it"
    )
    latest = build.add(
        "latest",
        f"SELECT * FROM (\n  SELECT *, max(entry.last_change) OVER (PARTITION BY {build.lead}new_key) AS last_change,\n"
        f"    row_number() OVER (PARTITION BY {build.lead}new_key, entry.row_id, entry.row_rank\n"
        f"      ORDER BY batch_time DESC, entry.last_change DESC) AS nth FROM {each}\n"
        ") WHERE nth = 1",
        "how each stands now",
    )
    newest = build.add(
        "newest",
        "SELECT * FROM (\n"
        f"  SELECT *, row_number() OVER (PARTITION BY {build.lead}new_key\n"
        "    ORDER BY entry.lives IS NULL, entry.row_rank DESC, entry.row_id DESC) AS choice\n"
        f"  FROM {latest}\n) WHERE choice = 1",
        "of those that count the one with the highest rank",
    )
    return build.add(
        "rekeyed",
        f"SELECT {build.lead}last_change AS _ord, event_time AS _ts, new_key AS k0,\n"
        f"  if(entry.lives, new_value, NULL) AS v0 FROM {newest}",
        "a key whose newest row has left is deleted",
    )


def rekey(node: nodes.Rekey, below: str, build: Builder) -> str:
    """One row per new key, the newest that was ever mapped to it; a tombstone once that row has left.

    The rows of a batch are replayed per old key, behind the one that stood before: each version that a later one ends
    is marked as left. Only the newest version of a new key then decides, so every cut into batches gives the same.
    """
    ended = _ended(node, below, build)
    build.state.append("the newest version of each new key")
    newest = build.add(
        "keys",
        f"SELECT {build.lead}max(last_change) AS _ord, content.new_key AS k0,\n"
        "  max_by(struct(content.new_value AS new_value, _ts AS event_time, ended), struct(_ord, ended)) AS row\n"
        f"FROM {ended} WHERE content.new_key IS NOT NULL GROUP BY {build.lead}content.new_key",
        "the newest version ever mapped to a key decides",
    )
    updates = build.add(
        "rekeyed",
        f"SELECT {build.lead}_ord, row.event_time AS _ts, k0, if(row.ended, NULL, row.new_value) AS v0 FROM {newest}",
        "a key whose newest version has left is deleted",
    )
    return live(updates, build)


def _ended(node: nodes.Rekey, below: str, build: Builder, row_id: str = "") -> str:
    """Each version of a row with its new key and value in `content`, whether a later one `ended` it, and the ordinal of
    the last one, `last_change`. `row_id`: the column that identifies rows, to be kept as well.
    """
    assert isinstance(node.input, nodes.Project), "what is rekeyed is a projection"
    project = node.input
    build.disable_streaming_checks()
    value = sql(project.value)
    moved = struct((("new_key", sql(project.key)), ("new_value", value)))
    # Without a value there is no row, under no key.
    there = f"_live AND {value} IS NOT NULL" if project.value.nullable else "_live"
    row = build.add(
        "moved",
        f"SELECT {build.lead}_ord, _ts, {_as_key(project.input)}, if({there}, {moved}, NULL) AS content\nFROM {below}",
        "each row with its new key",
    )
    versions = succession(build, row, "k0", ("_ord", "_ts", "content"), wide=node.ordinal_width > 1)
    build.state.append("the versions of each row in its two newest batches, by old key")
    return build.add(
        "ended",
        f"SELECT {build.lead}{row_id}inline(transform(versions, (v, i) -> struct(\n"
        "  v._ord AS _ord, v._ts AS _ts, v.content AS content,\n"
        f"  i + 1 < size(versions) AS ended, element_at(versions, -1)._ord AS last_change)))\nFROM {versions}",
        "each version, and whether a later one ended it",
    )
