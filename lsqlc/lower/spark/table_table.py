"""A join of two TABLEs on any condition, where a row may have several matches. The result rows are pairs of rows.

Both topics are read as one stream. `succession` finds the end of each version of a row. The versions are aggregated per
join key, and the state has all versions of each key. When a batch has changes of a key, its current versions, and those
that ended in this batch, are compared. Two versions whose periods overlap are a pair. The pair starts when the later
version starts, and ends when the first of them ends. On a preserved side (the left one of a LEFT JOIN, for example), a
row is unmatched while the other side has no row. So the query finds each pair that existed at any time, independent of
the batches.

Rows with a null key have no match. Each is in a group of its own.

When a row loses its last match, it becomes unmatched with the ordinal of that change, but keeps its rank. If a join
above gives new keys to the result rows, the ordinal has both: the ordinal of the change, -1, and the rank.

Under new keys, the earlier pairs of a row are retracted when the row becomes unmatched. A join above reads that in a
record of the pair. The record's ordinal is the first number of the ordinal that caused it, -3, and the rank of the
pair. The join then retracts its own rows in the same way. Such a record is no version of the row. It only removes one.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.lower.spark.both_sides import both_sides
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.join_sides import in_order, join_key, lone
from lsqlc.lower.spark.meetings import VersionOptions, by_side, reads_forgotten
from lsqlc.lower.spark.merge_order import is_merged, parts_of_record, undated
from lsqlc.lower.spark.ranks import COUNTS_NO_MORE, of_other_stage, rank
from lsqlc.lower.spark.row_versions import succession
from lsqlc.plan import nodes

# The lambda variables for the versions of a pair, the condition that their periods overlap, and the time of the pair.
_L, _R = "left_version", "right_version"
_OVERLAP = (
    f"({_R}.end_ordinal IS NULL OR {_L}.ordinal < {_R}.end_ordinal)\n"
    f"      AND ({_L}.end_ordinal IS NULL OR {_R}.ordinal < {_L}.end_ordinal)"
)
_LATER_TIME = f"greatest({_L}.event_time, {_R}.event_time)"
# Whether the left and the right side of a join preserve unmatched rows.
_PRESERVED = {"INNER": (False, False), "LEFT": (True, False), "RIGHT": (False, True), "OUTER": (True, True)}
# The key and the value of both rows of a pair.
_FACETS = "left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1"


def pairs(node: nodes.Join, build: Builder) -> str:
    """Return the view of the changes of pairs and unmatched rows.

    The columns are `_id`, `_ord`, `_ts`, `_live` (false when the row ends), and the columns of both sides.
    """
    build.disable_streaming_checks()
    width = parts_of_record(node, build)
    ranks = build.versions in ("ranked", "counted")
    retracts = build.versions == "counted" and (node.kind != "INNER" or reads_forgotten(node, build))
    options = VersionOptions(retracts, only_new=node.kind == "INNER" and not retracts)
    versions = by_side(node, _versions(node, build), build, options)
    if retracts:
        current_or_new = "version -> version.end_ordinal IS NULL OR version.ended_now"
        versions = build.add(
            "lasting",
            f"SELECT {build.lead}meeting, left_versions AS left_ever, right_versions AS right_ever,\n"
            f"  filter(left_versions, {current_or_new}) AS left_versions,\n"
            f"  filter(right_versions, {current_or_new}) AS right_versions\nFROM {versions}",
            "the versions that live, or have ended just now, beside all that ever were",
        )
    kinds, gaps = [_pairs(node, ranks=ranks)], []
    if node.kind in ("LEFT", "OUTER"):
        kinds.append(_unmatched(node, 0, ranks=ranks))
        gaps.append(f"{_closed_gaps('right_versions', width)} AS right_gaps")
    if node.kind in ("RIGHT", "OUTER"):
        kinds.append(_unmatched(node, 1, ranks=ranks))
        gaps.append(f"{_closed_gaps('left_versions', width)} AS left_gaps")
    if retracts:
        kinds += _retractions(node, reads_retractions=reads_forgotten(node, build))
    if gaps:
        columns = ",\n  ".join(gaps)
        versions = build.add(
            "gaps", f"SELECT *,\n  {columns}\nFROM {versions}", "the times in which a side has no row to meet"
        )
    arrays = ",\n  ".join(kinds)
    changes = build.add(
        "changes",
        f"SELECT {build.lead}inline(filter(concat(\n  {arrays}), c -> c IS NOT NULL))\nFROM {versions}",
        "the pairs that come and go" + (", and the rows without a match" if gaps else ""),
    )
    if gaps:
        window = f"PARTITION BY {build.lead}row_id, ordinal ORDER BY live DESC"
        changes = build.add(
            "settled",
            f"SELECT * FROM (SELECT *, row_number() OVER ({window}) AS nth FROM {changes}) WHERE nth = 1",
            "a row that one record both ends and begins goes on",
        )
    return build.add(
        "join",
        f"SELECT {build.lead}row_id AS _id, ordinal AS _ord, event_time AS _ts, live AS _live,\n  {_FACETS}\n"
        f"FROM {changes}",
        "one row for each",
    )


def entries(node: nodes.Join, build: Builder, *, history: bool) -> str:
    """Return the view of the entries whose state has changed in the batch, for a join whose rows get new keys.

    An entry is a pair or an unmatched row, one of several candidates for the row of a new key. `_ord` is a struct of
    `last_change` (the ordinal of the newest change), `row_id`, `row_rank`, and `lives`: whether the entry still exists.
    `lives` is null if the entry is removed. The other columns are those of `pairs`.

    Without `history`, the entries are the pairs and rows that exist. With it, they include those that have ended,
    except the pairs of a row that has become unmatched since. An unmatched row has the rank of its own record. Versions
    that the join of a side has retracted are in no entry.
    """
    build.disable_streaming_checks()
    reads_retractions = reads_forgotten(node, build)
    width = parts_of_record(node, build)
    versions = by_side(node, _versions(node, build), build, VersionOptions(history, ranks=True))
    ordinals = " || ".join(
        f"transform({side}, v -> array(v.ordinal, v.end_ordinal))" for side in ("left_versions", "right_versions")
    )
    before = build.add(
        "before",
        f"SELECT *, {_before('left_versions', reads_retractions)} AS left_before,\n"
        f"  {_before('right_versions', reads_retractions)} AS right_before,\n"
        f"  array_max(flatten({ordinals})) AS last_change\n"
        f"FROM {versions}",
        "the versions as they were before this batch",
    )
    gaps = build.add(
        "gaps",
        f"SELECT *,\n  {_gaps('left_versions', width)} AS left_gaps,\n"
        f"  {_gaps('right_versions', width)} AS right_gaps,\n"
        f"  {_gaps('left_before', width)} AS left_gaps_before,\n"
        f"  {_gaps('right_before', width)} AS right_gaps_before\nFROM {before}",
        "the times in which a side has no row to meet",
    )
    now = _entry_array(node, "left_versions", "right_versions", "left_gaps", "right_gaps", history, reads_retractions)
    then = _entry_array(
        node, "left_before", "right_before", "left_gaps_before", "right_gaps_before", history, reads_retractions
    )
    both = build.add(
        "counting",
        f"SELECT {build.lead}last_change, is_now, inline(if(is_now,\n  {now},\n  {then}))\n"
        f"FROM (SELECT *, explode(array(TRUE, FALSE)) AS is_now FROM {gaps})",
        "what counts now, and what counted before this batch",
    )
    entry = f"PARTITION BY {build.lead}row_id, row_rank"
    changed = build.add(
        "changed",
        f"SELECT * FROM (\n  SELECT *, row_number() OVER ({entry} ORDER BY is_now DESC) AS nth,\n"
        f"    max(if(is_now, lives, NULL)) OVER ({entry}) AS lives_now,\n"
        f"    max(if(is_now, NULL, lives)) OVER ({entry}) AS lived_before\n"
        f"  FROM {both}\n) WHERE nth = 1 AND NOT lives_now <=> lived_before",
        "what of it has changed",
    )
    return build.add(
        "join",
        f"SELECT {build.lead}row_id AS _id, struct(last_change, row_id, row_rank, lives_now AS lives) AS _ord,\n"
        f"  event_time AS _ts, TRUE AS _live,\n  {_FACETS}\nFROM {changed}",
        "one row for each",
    )


def _before(versions: str, reads_retractions: bool) -> str:
    """Return the SQL of the versions of a side as they were before this batch."""
    retracted = ", v.forgotten_before AS forgotten" if reads_retractions else ""
    return (
        f"transform(filter({versions}, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,\n"
        "    v.row_rank AS row_rank, v.event_time AS event_time,\n"
        "    if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,\n"
        f"    v.ended_now AS ended_now, v.content AS content{retracted}))"
    )


def _gaps(versions: str, width: int) -> str:
    """Return the SQL of the gaps of a side, the periods without a version.

    They are structs of `opens` and `closes`, the ordinals of the start and of the end. `opens` is null for the gap
    before the first version, `closes` for a gap that has not ended.
    """
    return _gaps_until(versions, width, "closes", "version.ordinal")


def _closed_gaps(versions: str, width: int) -> str:
    """Return the SQL of the gaps as `_gaps`, but with `closed_by` in place of `closes`.

    It is a struct of the `ordinal` and the `began_now` of the version that ends the gap.
    """
    closing = "struct(version.ordinal AS ordinal, version.began_now AS began_now)"
    return _gaps_until(versions, width, "closed_by", closing, ".ordinal")


def _gaps_until(versions: str, width: int, name: str, closing: str, ordinal: str = "") -> str:
    """Return the SQL of the gaps of a side, structs of `opens` and a field `name`.

    `closing`: SQL of that field, from the `version` that ends the gap. `ordinal`: the path to the ordinal in it. A gap
    that starts and ends by the same record is left out. The first `width` numbers of an ordinal identify the record.
    """

    def end(after: str) -> str:
        later = f"filter({versions}, version -> version.ordinal > {after})" if after else versions
        return f"array_min(transform({later}, version -> {closing}))"

    def record(ordinal: str) -> str:
        return f"get({ordinal}, 0)" if width == 1 else f"slice({ordinal}, 1, {width})"

    ended = f"filter({versions}, version -> version.end_ordinal IS NOT NULL)"
    opened = (
        f"filter(array_distinct(transform({ended}, version -> version.end_ordinal)),\n"
        f"      opens -> NOT exists({versions},\n"
        "        version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens)))"
    )
    closes = f"gap.{name}"
    return (
        f"filter(concat(\n    array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, {end('')} AS {name})),\n"
        f"    transform({opened},\n      opens -> struct(opens AS opens, {end('opens')} AS {name}))),\n"
        f"    gap -> gap.opens IS NULL OR {closes} IS NULL OR {record('gap.opens')} < {record(closes + ordinal)})"
    )


def _entry_array(
    node: nodes.Join, left: str, right: str, left_gaps: str, right_gaps: str, history: bool, reads_retractions: bool
) -> str:
    """Return the SQL of the array of entries: `row_id`, `row_rank`, `lives`, `event_time` and both rows.

    The first arguments are the columns with the versions and gaps of both sides. `history`: as for `entries`.
    `reads_retractions`: versions have `forgotten`, whether they are retracted.
    """
    keeps_left, keeps_right = _PRESERVED[node.kind]
    order = in_order(node, f"{_L}.row_rank", f"{_R}.row_rank")
    living = f"{_L}.end_ordinal IS NULL AND {_R}.end_ordinal IS NULL"
    conditions = [living]
    if history:
        end = f"least({_L}.end_ordinal, {_R}.end_ordinal)"
        unmatched = [
            f"exists({gaps}, gap -> {_is_unmatched_after(version, end)})"
            for is_preserved, gaps, version in ((keeps_left, right_gaps, _L), (keeps_right, left_gaps, _R))
            if is_preserved
        ]
        conditions.append(" AND ".join(f"NOT {test}" for test in unmatched) or "TRUE")
    not_retracted = f"\n      AND NOT {_L}.forgotten AND NOT {_R}.forgotten" if reads_retractions else ""
    arrays = [
        f"flatten(transform({left}, {_L} -> transform(\n"
        f"    filter({right}, {_R} -> {_OVERLAP} AND ({' OR '.join(f'({c})' for c in conditions)}){not_retracted}),\n"
        f"    {_R} -> struct({_pair_id(_L, _R)} AS row_id, {order} AS row_rank, {living} AS lives,\n"
        f"      {_LATER_TIME} AS event_time, {_L}.content AS left_row, {_R}.content AS right_row))))"
    ]
    for side, is_preserved in enumerate((keeps_left, keeps_right)):
        if not is_preserved:
            continue
        own, gaps = ((left, right_gaps), (right, left_gaps))[side]
        # `get` with an index out of bounds is a null of the type of the row.
        pair = ("lone", f"get({right}, -1)") if side == 0 else (f"get({left}, -1)", "lone")
        lives = f"lone.end_ordinal IS NULL AND exists({gaps}, gap -> gap.closes IS NULL)"
        existed = (
            f"exists({gaps}, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)\n"
            "      AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))"
        )
        is_entry = (existed if history else lives) + (" AND NOT lone.forgotten" if reads_retractions else "")
        arrays.append(
            f"transform(filter({own}, lone -> {is_entry}), lone -> struct(\n"
            f"      {_pair_id(*pair)} AS row_id, {lone(node, 'lone.row_rank', side)} AS row_rank, {lives} AS lives,\n"
            f"      lone.event_time AS event_time, {pair[0]}.content AS left_row, {pair[1]}.content AS right_row))"
        )
    return "concat(\n    " + ",\n    ".join(arrays) + ")"


def _is_unmatched_after(version: str, end: str) -> str:
    """Return the SQL condition that a version is unmatched in a `gap` of the other side after a pair has ended.

    `end`: SQL of the ordinal at which the pair of the version has ended.
    """
    return (
        f"gap.opens IS NOT NULL AND gap.opens >= {end}\n"
        f"      AND ({version}.end_ordinal IS NULL OR gap.opens < {version}.end_ordinal)"
    )


def _versions(node: nodes.Join, build: Builder) -> str:
    """Return the view of the versions of the rows of both sides that start or end in the batch.

    The columns are `meeting` (the join key), `row_id`, `ordinal`, `event_time`, `end_ordinal`, and `left_row` or
    `right_row`. The rows are null for a version of an earlier batch, which only ends in this one.
    """
    both_sides(node, 0, build, identities=True)
    view = build.observe(build.view(), ("null key", "count_if(if(_s, _i0 IS NULL, _i1 IS NULL))"))
    wide = max(node.left.ordinal_width, node.right.ordinal_width) > 1
    reads_retractions = reads_forgotten(node, build)
    # A record that retracts a version is no version. Its `row_id` gets the flag of the other side, where it has no ID.
    retracts = f"coalesce(get(_ord, {2 if is_merged(node, build) else 1}) = {COUNTS_NO_MORE}, FALSE)"
    is_left, own = ("_s", "row_id") if not reads_retractions else (f"_s <> {retracts}", "own_id")
    own_id = ", struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS own_id" if reads_retractions else ""
    joins = f"if(_s, {join_key(node, 0, 0)}, {join_key(node, 1, 1)})"
    preserved = {"INNER": "FALSE", "LEFT": "_s", "RIGHT": "NOT _s", "OUTER": "TRUE"}[node.kind]
    inputs = build.add(
        "met",
        f"SELECT {build.lead}struct({is_left} AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id{own_id},\n"
        f"  {'_ord' if wide else 'array(_ord)'} AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,\n"
        f"  {joins} AS join_value, {preserved} AS preserved\n"
        f"FROM {view} WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)",
        "the rows of both sides, by what joins them",
    )
    rows = build.add(
        "rows",
        f"SELECT {build.lead}row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(\n"
        f"    struct(join_value, if(join_value IS NULL, {own}, NULL) AS row_id) AS meeting,\n"
        "    if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,\n"
        "    if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content\n"
        f"FROM {inputs}",
        "a null joins nothing, and a side that the join does not preserve has no such row",
    )
    versions = succession(build, rows, "row_id", ("ordinal", "event_time", "content"), wide=True)
    build.state.append("the versions of each row of both sides in its two newest batches")
    if reads_retractions:
        return _versions_with_retractions(versions, build, dated=is_merged(node, build))
    return build.add(
        "versions",
        f"SELECT * FROM (SELECT {build.lead}row_id, inline(transform(versions, (v, number) -> struct(\n"
        "    v.content.meeting AS meeting, v.ordinal AS ordinal, v.event_time AS event_time,\n"
        "    get(versions, number + 1).ordinal AS end_ordinal,\n"
        "    if(number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,\n"
        "    if(number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))\n"
        f"  FROM {versions})\nWHERE meeting IS NOT NULL",
        "each version with its end",
    )


def _versions_with_retractions(versions: str, build: Builder, *, dated: bool) -> str:
    """Return the view of `_versions` for sides whose records may retract versions.

    It has a row for each such record too, with the `ordinal` of that record. `dated`: ordinals begin with the time
    that `merge_order.in_batch` has added.
    """
    flagged = build.add(
        "told",
        "SELECT *, row_id.is_left AND row_id.left_id IS NULL OR NOT row_id.is_left AND row_id.right_id IS NULL"
        f" AS forgotten\nFROM {versions}",
        "what says of a version that it counts no more",
    )
    ordinal = of_other_stage(undated("v.ordinal")) if dated else "v.ordinal"
    return build.add(
        "versions",
        f"SELECT * FROM (SELECT {build.lead}struct(row_id.is_left <> forgotten AS is_left,\n"
        "  row_id.left_id AS left_id, row_id.right_id AS right_id) AS row_id,\n"
        "  inline(transform(versions, (v, number) -> struct(\n"
        "    if(forgotten AND number < size(versions) - new_count, NULL, v.content.meeting) AS meeting,\n"
        f"    if(forgotten, {ordinal}, v.ordinal) AS ordinal, v.event_time AS event_time,\n"
        "    if(forgotten, NULL, get(versions, number + 1).ordinal) AS end_ordinal,\n"
        "    if(NOT forgotten AND number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,\n"
        "    if(NOT forgotten AND number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))\n"
        f"  FROM {flagged})\nWHERE meeting IS NOT NULL",
        "each version with its end, and what counts no more",
    )


def _pair_ordinal(node: nodes.Join, *, ranks: bool) -> str:
    """Return the SQL of the ordinal at which a pair starts. `ranks`: as for `_pairs`."""
    left, right = f"{_L}.ordinal", f"{_R}.ordinal"
    ordinal = in_order(node, left, right)
    if not ranks:
        return ordinal
    both = f"greatest({left}, {right}) || array(-1L) || {in_order(node, rank(left), rank(right))}"
    return f"if(array_contains({left} || {right}, -1L), {both}, {ordinal})"


def _retractions(node: nodes.Join, *, reads_retractions: bool) -> list[str]:
    """Return the SQL of arrays with the retractions of the batch.

    The pairs of a row that becomes unmatched are retracted. `reads_retractions`: so are the pairs and unmatched rows
    with a version that the join of a side has retracted.
    """

    def retraction(left: str, right: str, ordinal: str, event_time: str, causes: Sequence[str]) -> str:
        # The lambdas keep long expressions from being repeated in the SQL.
        pair_rank = f"get(transform(array({ordinal}), whole -> {rank('whole')}), 0)"
        own_ordinal = f"array(cause, {COUNTS_NO_MORE}) || {pair_rank}"
        change = _change(left, right, own_ordinal, "TRUE", event_time, "cause IS NOT NULL")
        return f"get(transform(array(coalesce({', '.join(causes)}, NULL)), cause -> {change}), 0)"

    def input_cause(version: str) -> str:
        return f"if({version}.forgotten AND NOT {version}.forgotten_before, {version}.forgotten_cause, NULL)"

    end = f"least({_L}.end_ordinal, {_R}.end_ordinal)"
    sides = zip(_PRESERVED[node.kind], (_L, _R), ("right_gaps", "left_gaps"), strict=True)
    causes = [
        f"array_min(transform(filter({gaps}, gap -> {_is_unmatched_after(version, end)}), gap -> gap.opens[0]))"
        for is_preserved, version, gaps in sides
        if is_preserved
    ]
    if reads_retractions:
        causes += [input_cause(_L), input_cause(_R)]
    pair = retraction(_L, _R, _pair_ordinal(node, ranks=True), _LATER_TIME, causes)
    arrays = [
        f"flatten(transform(left_ever, {_L} -> transform(\n"
        f"    filter(right_ever, {_R} -> {_OVERLAP}), {_R} -> {pair})))"
    ]
    if not reads_retractions:
        return arrays
    for side, own, (left, right), is_preserved in zip(
        (0, 1),
        ("left_ever", "right_ever"),
        (("lone", "get(right_ever, -1)"), ("get(left_ever, -1)", "lone")),
        _PRESERVED[node.kind],
        strict=True,
    ):
        change = retraction(left, right, lone(node, "lone.ordinal", side), "lone.event_time", [input_cause("lone")])
        arrays += [f"transform({own}, lone -> {change})"] if is_preserved else []
    return arrays


def _pairs(node: nodes.Join, *, ranks: bool) -> str:
    """Return the SQL of the array with the starts and ends of pairs in the batch. `ranks`: ordinals include ranks."""
    ordinal = _pair_ordinal(node, ranks=ranks)
    ended = f"{_L}.end_ordinal IS NOT NULL OR {_R}.end_ordinal IS NOT NULL"
    begin = _change(_L, _R, ordinal, "TRUE", _LATER_TIME, f"{_L}.began_now OR {_R}.began_now")
    end = _change(_L, _R, f"least({_L}.end_ordinal, {_R}.end_ordinal)", "FALSE", _LATER_TIME, ended)
    return (
        f"flatten(transform(left_versions, {_L} -> flatten(transform(\n"
        f"    filter(right_versions, {_R} -> {_OVERLAP}),\n    {_R} -> array({begin},\n      {end})))))"
    )


def _unmatched(node: nodes.Join, side: int, *, ranks: bool) -> str:
    """Return the SQL of the array with the starts and ends of the unmatched rows of a side in the batch.

    A row is unmatched in the gaps of the other side. `side`: 0 for left, 1 for right. `ranks`: as for `_pairs`.
    """
    own, gaps = ("left_versions", "right_gaps") if side == 0 else ("right_versions", "left_gaps")
    # `get` with an index out of bounds is a null of the type of the row.
    pair = ("lone", "get(right_versions, -1)") if side == 0 else ("get(left_versions, -1)", "lone")
    again = f"gap.opens || array(-1L) || {rank('lone.ordinal')}" if ranks else "gap.opens || lone.ordinal"
    ordinal = lone(node, f"if(gap.opens > lone.ordinal, {again}, lone.ordinal)", side)
    begins = "lone.began_now OR coalesce(gap.opens > lone.ordinal, FALSE)"
    begin = _change(*pair, ordinal, "TRUE", "lone.event_time", begins)
    ends = (
        "coalesce(lone.end_ordinal <= gap.closed_by.ordinal, lone.end_ordinal IS NOT NULL)"
        " OR coalesce(gap.closed_by.began_now, FALSE)"
    )
    end = _change(*pair, "least(lone.end_ordinal, gap.closed_by.ordinal)", "FALSE", "lone.event_time", ends)
    overlap = (
        "(gap.closed_by IS NULL OR lone.ordinal < gap.closed_by.ordinal)\n"
        "      AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal)"
    )
    return (
        f"flatten(transform({own}, lone -> flatten(transform(\n"
        f"    filter({gaps}, gap -> {overlap}),\n    gap -> array({begin},\n      {end})))))"
    )


def _change(left: str, right: str, ordinal: str, live: str, event_time: str, condition: str) -> str:
    """Return the SQL of the start or the end of a pair at `ordinal`, or null if the condition does not hold."""
    return (
        f"if({condition},\n      struct({_pair_id(left, right)} AS row_id, {ordinal} AS ordinal, {live} AS live,\n"
        f"      {event_time} AS event_time, {left}.content AS left_row, {right}.content AS right_row), NULL)"
    )


def _pair_id(left: str, right: str) -> str:
    """Return the SQL of the identity of a pair, of the type of `identity_type`."""
    return f"struct({left}.row_id AS l, {right}.row_id AS r)"
