"""Two TABLEs joined where one row may meet several, on any expression: the rows are pairs.

Both sides are read as one stream. Each version of a row is known with its end (see `succession`) and goes to the value
that it is joined by; the state holds all versions of each such value. When a batch touches a value, the versions that
live, and those that have ended just now, are compared: two whose times overlap are a pair, which comes when the later
one does and goes with the first that ends. A row of a side that the join preserves is unmatched for as long as no row
of the other side lives. So every pair that ever was is seen, however the records are cut into batches.

Null values join nothing: such a row has a group of its own.

A row that loses its last match comes again with the ordinal of that change, and its rank is still its own. Where new
keys are made of the rows of another join, further up, its ordinal says both: that of the change, -1, and the rank.

A pair that a row was in counts no more under a new key once this row has stood alone: it is as though they had never
met. A join further up learns it from a record of the pair whose ordinal is the first number of what caused it, -3, and
the rank of the pair, and says it of its own rows in the same way. Such a record is no version of the row: all that it
does is to leave one out.
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

# The versions that make a pair, the times that they have in common, and the time of the pair.
_L, _R = "left_version", "right_version"
_OVERLAP = (
    f"({_R}.end_ordinal IS NULL OR {_L}.ordinal < {_R}.end_ordinal)\n"
    f"      AND ({_L}.end_ordinal IS NULL OR {_R}.ordinal < {_L}.end_ordinal)"
)
_LATER_TIME = f"greatest({_L}.event_time, {_R}.event_time)"
# Which sides of a join keep rows without a match.
_PRESERVED = {"INNER": (False, False), "LEFT": (True, False), "RIGHT": (False, True), "OUTER": (True, True)}
# The rows of a pair as facets.
_FACETS = "left_row.row_key AS k0, left_row.row_value AS v0, right_row.row_key AS k1, right_row.row_value AS v1"


def pairs(node: nodes.Join, build: Builder) -> str:
    """The pairs and unmatched rows as they come and go."""
    build.disable_streaming_checks()
    width = parts_of_record(node, build)
    ranks = build.versions in ("ranked", "counted")
    forgets = build.versions == "counted" and (node.kind != "INNER" or reads_forgotten(node, build))
    options = VersionOptions(forgets, only_new=node.kind == "INNER" and not forgets)
    versions = by_side(node, _versions(node, build), build, options)
    if forgets:
        lasting = "version -> version.end_ordinal IS NULL OR version.ended_now"
        versions = build.add(
            "lasting",
            f"SELECT {build.lead}meeting, left_versions AS left_ever, right_versions AS right_ever,\n"
            f"  filter(left_versions, {lasting}) AS left_versions,\n"
            f"  filter(right_versions, {lasting}) AS right_versions\nFROM {versions}",
            "the versions that live, or have ended just now, beside all that ever were",
        )
    kinds, gaps = [_pairs(node, ranks=ranks)], []
    if node.kind in ("LEFT", "OUTER"):
        kinds.append(_unmatched(node, 0, ranks=ranks))
        gaps.append(f"{_closed_gaps('right_versions', width)} AS right_gaps")
    if node.kind in ("RIGHT", "OUTER"):
        kinds.append(_unmatched(node, 1, ranks=ranks))
        gaps.append(f"{_closed_gaps('left_versions', width)} AS left_gaps")
    if forgets:
        kinds += _forgotten(node, has_forgotten=reads_forgotten(node, build))
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
        whole = f"PARTITION BY {build.lead}row_id, ordinal ORDER BY live DESC"
        changes = build.add(
            "settled",
            f"SELECT * FROM (SELECT *, row_number() OVER ({whole}) AS nth FROM {changes}) WHERE nth = 1",
            "a row that one record both ends and begins goes on",
        )
    return build.add(
        "join",
        f"SELECT {build.lead}row_id AS _id, ordinal AS _ord, event_time AS _ts, live AS _live,\n  {_FACETS}\n"
        f"FROM {changes}",
        "one row for each",
    )


def entries(node: nodes.Join, build: Builder, *, history: bool) -> str:
    """What counts of the pairs and unmatched rows where several have one new key, when that changes: a row each, whose
    `_ord` is a struct of `last_change`, the ordinal of the newest change, `row_id` of the pair, its rank `row_rank`,
    and whether it `lives`, null where it counts no more.

    Without `history` of both sides only what lives counts. With it all counts that ever was, but the pairs of a row
    that has no match now: it is as though it had never had one. An unmatched row has the rank of its own record. What
    a side's join says to count no more is in nothing that counts.
    """
    build.disable_streaming_checks()
    has_forgotten = reads_forgotten(node, build)
    width = parts_of_record(node, build)
    versions = by_side(node, _versions(node, build), build, VersionOptions(history, ranks=True))
    ordinals = " || ".join(
        f"transform({side}, v -> array(v.ordinal, v.end_ordinal))" for side in ("left_versions", "right_versions")
    )
    before = build.add(
        "before",
        f"SELECT *, {_before('left_versions', has_forgotten)} AS left_before,\n"
        f"  {_before('right_versions', has_forgotten)} AS right_before,\n"
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
    now = _counting(node, "left_versions", "right_versions", "left_gaps", "right_gaps", history, has_forgotten)
    then = _counting(
        node, "left_before", "right_before", "left_gaps_before", "right_gaps_before", history, has_forgotten
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


def _before(versions: str, has_forgotten: bool) -> str:
    """The versions of a side as they were before this batch."""
    forgotten = ", v.forgotten_before AS forgotten" if has_forgotten else ""
    return (
        f"transform(filter({versions}, v -> NOT v.began_now), v -> struct(v.row_id AS row_id, v.ordinal AS ordinal,\n"
        "    v.row_rank AS row_rank, v.event_time AS event_time,\n"
        "    if(v.ended_now, NULL, v.end_ordinal) AS end_ordinal, v.began_now AS began_now,\n"
        f"    v.ended_now AS ended_now, v.content AS content{forgotten}))"
    )


def _gaps(versions: str, width: int) -> str:
    """The times in which no version of a side lives: structs of `opens`, the ordinal at the begin, null for that of all
    time, and `closes`, the ordinal at the end, null for none.
    """
    return _gaps_until(versions, width, "closes", "version.ordinal")


def _closed_gaps(versions: str, width: int) -> str:
    """The same with `closed_by` for `closes`: the `ordinal` and `began_now` of the version that ends the gap."""
    closing = "struct(version.ordinal AS ordinal, version.began_now AS began_now)"
    return _gaps_until(versions, width, "closed_by", closing, ".ordinal")


def _gaps_until(versions: str, width: int, name: str, closing: str, ordinal: str = "") -> str:
    """The gaps of a side. `closing`: what one has under `name` of the `version` that ends it; `ordinal`: the path to
    the ordinal in there. A gap that one record both opens and closes is left out: `width` numbers of an ordinal tell
    records apart.
    """

    def until(after: str) -> str:
        later = f"filter({versions}, version -> version.ordinal > {after})" if after else versions
        return f"array_min(transform({later}, version -> {closing}))"

    def cause(of: str) -> str:
        return f"get({of}, 0)" if width == 1 else f"slice({of}, 1, {width})"

    ended = f"filter({versions}, version -> version.end_ordinal IS NOT NULL)"
    opened = (
        f"filter(array_distinct(transform({ended}, version -> version.end_ordinal)),\n"
        f"      opens -> NOT exists({versions},\n"
        "        version -> version.ordinal <= opens AND (version.end_ordinal IS NULL OR version.end_ordinal > opens)))"
    )
    closes = f"gap.{name}"
    return (
        f"filter(concat(\n    array(struct(CAST(NULL AS ARRAY<BIGINT>) AS opens, {until('')} AS {name})),\n"
        f"    transform({opened},\n      opens -> struct(opens AS opens, {until('opens')} AS {name}))),\n"
        f"    gap -> gap.opens IS NULL OR {closes} IS NULL OR {cause('gap.opens')} < {cause(closes + ordinal)})"
    )


def _counting(
    node: nodes.Join, left: str, right: str, left_gaps: str, right_gaps: str, history: bool, has_forgotten: bool
) -> str:
    """An array of what counts: the pair `row_id`, its rank, whether it lives, its time and its rows.
    `has_forgotten`: of versions that are not `forgotten`.
    """
    keeps_left, keeps_right = _PRESERVED[node.kind]
    order = in_order(node, f"{_L}.row_rank", f"{_R}.row_rank")
    living = f"{_L}.end_ordinal IS NULL AND {_R}.end_ordinal IS NULL"
    counts = [living]
    if history:
        end = f"least({_L}.end_ordinal, {_R}.end_ordinal)"
        unmatched = [
            f"exists({gaps}, gap -> {_stands_alone(version, end)})"
            for kept, gaps, version in ((keeps_left, right_gaps, _L), (keeps_right, left_gaps, _R))
            if kept
        ]
        counts.append(" AND ".join(f"NOT {test}" for test in unmatched) or "TRUE")
    known = f"\n      AND NOT {_L}.forgotten AND NOT {_R}.forgotten" if has_forgotten else ""
    arrays = [
        f"flatten(transform({left}, {_L} -> transform(\n"
        f"    filter({right}, {_R} -> {_OVERLAP} AND ({' OR '.join(f'({test})' for test in counts)}){known}),\n"
        f"    {_R} -> struct({_pair_id(_L, _R)} AS row_id, {order} AS row_rank, {living} AS lives,\n"
        f"      {_LATER_TIME} AS event_time, {_L}.content AS left_row, {_R}.content AS right_row))))"
    ]
    for side, kept in enumerate((keeps_left, keeps_right)):
        if not kept:
            continue
        own, gaps = ((left, right_gaps), (right, left_gaps))[side]
        # Out of bounds there is no row, of the right type.
        pair = ("lone", f"get({right}, -1)") if side == 0 else (f"get({left}, -1)", "lone")
        lives = f"lone.end_ordinal IS NULL AND exists({gaps}, gap -> gap.closes IS NULL)"
        lived = (
            f"exists({gaps}, gap -> (gap.closes IS NULL OR lone.ordinal < gap.closes)\n"
            "      AND (gap.opens IS NULL OR lone.end_ordinal IS NULL OR gap.opens < lone.end_ordinal))"
        )
        counts_alone = (lived if history else lives) + (" AND NOT lone.forgotten" if has_forgotten else "")
        arrays.append(
            f"transform(filter({own}, lone -> {counts_alone}), lone -> struct(\n"
            f"      {_pair_id(*pair)} AS row_id, {lone(node, 'lone.row_rank', side)} AS row_rank, {lives} AS lives,\n"
            f"      lone.event_time AS event_time, {pair[0]}.content AS left_row, {pair[1]}.content AS right_row))"
        )
    return "concat(\n    " + ",\n    ".join(arrays) + ")"


def _stands_alone(version: str, end: str) -> str:
    """Whether a version stands alone in a `gap` of the other side, behind the `end` of a pair that it was in."""
    return (
        f"gap.opens IS NOT NULL AND gap.opens >= {end}\n"
        f"      AND ({version}.end_ordinal IS NULL OR gap.opens < {version}.end_ordinal)"
    )


def _versions(node: nodes.Join, build: Builder) -> str:
    """The versions of the rows of both sides: `meeting` what joins them, `row_id` the row, `ordinal` and `end_ordinal`,
    `left_row` or `right_row` the row itself, which a version that only ends now has no more.
    """
    both_sides(node, 0, build, identities=True)
    counted = build.observe(build.view(), ("null key", "count_if(if(_s, _i0 IS NULL, _i1 IS NULL))"))
    wide = max(node.left.ordinal_width, node.right.ordinal_width) > 1
    has_forgotten = reads_forgotten(node, build)
    # What says that a version counts no more is no version: its `row_id` is of the other side, without a row.
    forgotten = f"coalesce(get(_ord, {2 if is_merged(node, build) else 1}) = {COUNTS_NO_MORE}, FALSE)"
    is_left, own = ("_s", "row_id") if not has_forgotten else (f"_s <> {forgotten}", "own_id")
    own_id = ", struct(_s AS is_left, _i0 AS left_id, _i1 AS right_id) AS own_id" if has_forgotten else ""
    joins = f"if(_s, {join_key(node, 0, 0)}, {join_key(node, 1, 1)})"
    preserved = {"INNER": "FALSE", "LEFT": "_s", "RIGHT": "NOT _s", "OUTER": "TRUE"}[node.kind]
    met = build.add(
        "met",
        f"SELECT {build.lead}struct({is_left} AS is_left, _i0 AS left_id, _i1 AS right_id) AS row_id{own_id},\n"
        f"  {'_ord' if wide else 'array(_ord)'} AS ordinal, _ts AS event_time, _live, k0, v0, k1, v1,\n"
        f"  {joins} AS join_value, {preserved} AS preserved\n"
        f"FROM {counted} WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)",
        "the rows of both sides, by what joins them",
    )
    rows = build.add(
        "rows",
        f"SELECT {build.lead}row_id, ordinal, event_time, if(_live AND (join_value IS NOT NULL OR preserved), struct(\n"
        f"    struct(join_value, if(join_value IS NULL, {own}, NULL) AS row_id) AS meeting,\n"
        "    if(row_id.is_left, struct(k0 AS row_key, v0 AS row_value), NULL) AS left_row,\n"
        "    if(row_id.is_left, NULL, struct(k1 AS row_key, v1 AS row_value)) AS right_row), NULL) AS content\n"
        f"FROM {met}",
        "a null joins nothing, and a side that the join does not preserve has no such row",
    )
    versions = succession(build, rows, "row_id", ("ordinal", "event_time", "content"), wide=True)
    build.state.append("the versions of each row of both sides in its two newest batches")
    if has_forgotten:
        return _versions_with_forgotten(versions, build, dated=is_merged(node, build))
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


def _versions_with_forgotten(versions: str, build: Builder, *, dated: bool) -> str:
    """The same where records of a side say which versions count no more: a row for each such record as well, whose
    `ordinal` is as that record has it.
    """
    marked = build.add(
        "told",
        "SELECT *, row_id.is_left AND row_id.left_id IS NULL OR NOT row_id.is_left AND row_id.right_id IS NULL"
        f" AS forgotten\nFROM {versions}",
        "what says of a version that it counts no more",
    )
    mark = of_other_stage(undated("v.ordinal")) if dated else "v.ordinal"
    return build.add(
        "versions",
        f"SELECT * FROM (SELECT {build.lead}struct(row_id.is_left <> forgotten AS is_left,\n"
        "  row_id.left_id AS left_id, row_id.right_id AS right_id) AS row_id,\n"
        "  inline(transform(versions, (v, number) -> struct(\n"
        "    if(forgotten AND number < size(versions) - new_count, NULL, v.content.meeting) AS meeting,\n"
        f"    if(forgotten, {mark}, v.ordinal) AS ordinal, v.event_time AS event_time,\n"
        "    if(forgotten, NULL, get(versions, number + 1).ordinal) AS end_ordinal,\n"
        "    if(NOT forgotten AND number >= size(versions) - new_count, v.content.left_row, NULL) AS left_row,\n"
        "    if(NOT forgotten AND number >= size(versions) - new_count, v.content.right_row, NULL) AS right_row)))\n"
        f"  FROM {marked})\nWHERE meeting IS NOT NULL",
        "each version with its end, and what counts no more",
    )


def _pair_ordinal(node: nodes.Join, *, ranks: bool) -> str:
    """The ordinal with which a pair comes. `ranks`: as for `_pairs`."""
    left, right = f"{_L}.ordinal", f"{_R}.ordinal"
    ordinal = in_order(node, left, right)
    if not ranks:
        return ordinal
    both = f"greatest({left}, {right}) || array(-1L) || {in_order(node, rank(left), rank(right))}"
    return f"if(array_contains({left} || {right}, -1L), {both}, {ordinal})"


def _forgotten(node: nodes.Join, *, has_forgotten: bool) -> list[str]:
    """The pairs that no longer count since this batch: those of a row that now has no match. `has_forgotten`:
    also those with a version that a side reports as no longer counting.
    """

    def mark(left: str, right: str, ordinal: str, event_time: str, causes: Sequence[str]) -> str:
        # Lambdas have what is long written once.
        ranked = f"get(transform(array({ordinal}), whole -> {rank('whole')}), 0)"
        marked = f"array(cause, {COUNTS_NO_MORE}) || {ranked}"
        change = _change(left, right, marked, "TRUE", event_time, "cause IS NOT NULL")
        return f"get(transform(array(coalesce({', '.join(causes)}, NULL)), cause -> {change}), 0)"

    def said(version: str) -> str:
        return f"if({version}.forgotten AND NOT {version}.forgotten_before, {version}.forgotten_cause, NULL)"

    end = f"least({_L}.end_ordinal, {_R}.end_ordinal)"
    sides = zip(_PRESERVED[node.kind], (_L, _R), ("right_gaps", "left_gaps"), strict=True)
    causes = [
        f"array_min(transform(filter({gaps}, gap -> {_stands_alone(version, end)}), gap -> gap.opens[0]))"
        for kept, version, gaps in sides
        if kept
    ]
    if has_forgotten:
        causes += [said(_L), said(_R)]
    pair = mark(_L, _R, _pair_ordinal(node, ranks=True), _LATER_TIME, causes)
    arrays = [
        f"flatten(transform(left_ever, {_L} -> transform(\n"
        f"    filter(right_ever, {_R} -> {_OVERLAP}), {_R} -> {pair})))"
    ]
    if not has_forgotten:
        return arrays
    for side, own, (left, right), kept in zip(
        (0, 1),
        ("left_ever", "right_ever"),
        (("lone", "get(right_ever, -1)"), ("get(left_ever, -1)", "lone")),
        _PRESERVED[node.kind],
        strict=True,
    ):
        change = mark(left, right, lone(node, "lone.ordinal", side), "lone.event_time", [said("lone")])
        arrays += [f"transform({own}, lone -> {change})"] if kept else []
    return arrays


def _pairs(node: nodes.Join, *, ranks: bool) -> str:
    """Pairs of versions whose times overlap. `ranks`: ordinals say ranks."""
    ordinal = _pair_ordinal(node, ranks=ranks)
    ended = f"{_L}.end_ordinal IS NOT NULL OR {_R}.end_ordinal IS NOT NULL"
    begin = _change(_L, _R, ordinal, "TRUE", _LATER_TIME, f"{_L}.began_now OR {_R}.began_now")
    end = _change(_L, _R, f"least({_L}.end_ordinal, {_R}.end_ordinal)", "FALSE", _LATER_TIME, ended)
    return (
        f"flatten(transform(left_versions, {_L} -> flatten(transform(\n"
        f"    filter(right_versions, {_R} -> {_OVERLAP}),\n    {_R} -> array({begin},\n      {end})))))"
    )


def _unmatched(node: nodes.Join, side: int, *, ranks: bool) -> str:
    """The versions of a side, cut down to the gaps of the other one. `ranks`: as for `_pairs`."""
    own, gaps = ("left_versions", "right_gaps") if side == 0 else ("right_versions", "left_gaps")
    # Out of bounds there is no row, of the right type.
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
    """A row that comes or goes at `ordinal`, if the condition holds."""
    return (
        f"if({condition},\n      struct({_pair_id(left, right)} AS row_id, {ordinal} AS ordinal, {live} AS live,\n"
        f"      {event_time} AS event_time, {left}.content AS left_row, {right}.content AS right_row), NULL)"
    )


def _pair_id(left: str, right: str) -> str:
    """What identifies a pair, as `identity_type` has it."""
    return f"struct({left}.row_id AS l, {right}.row_id AS r)"
