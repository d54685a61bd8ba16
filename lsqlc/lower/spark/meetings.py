"""The versions of the rows of two joined TABLEs by side, for each join key with changes in a batch.

The state has an entry for the start of each version, with its row, and another one for an end in a later batch. Most
versions have no second entry. So the entries of a join key are sorted as an array, in which an end follows its start.
Window functions would have to move and sort the entries as rows. A join of bids and auctions takes 20% less processor
time with arrays (docs/internals/spark-notes.md). If records also retract versions, several entries belong together, and
window functions find them.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.lower.spark.arrays_by_key import BATCH, gathered
from lsqlc.lower.spark.builder import GROWING, Builder
from lsqlc.lower.spark.merge_order import is_merged, undated
from lsqlc.lower.spark.ranks import COUNTS_NO_MORE, of_other_stage, rank
from lsqlc.plan import nodes

_REASON = "the versions of both sides that may meet"
# The reasons of the piece without versions that ended in earlier batches, and with them.
_LIVING = ("the versions that live, or have ended just now", "the versions of each side")


def reads_forgotten(node: nodes.Join, build: Builder) -> bool:
    """Return whether records of a side retract versions."""
    return any(scan.topic.name in build.forgetting for scan in nodes.scans(node))


@dataclass(frozen=True, slots=True)
class VersionOptions:
    """The versions to return, and their columns.

    `ended`: also versions that ended in earlier batches; `ranks`: with the column `row_rank`; `only_new`: without
    versions that neither start nor end in this batch, and that have no such version to join.
    """

    ended: bool
    ranks: bool = False
    only_new: bool = False


def by_side(node: nodes.Join, versions: str, build: Builder, options: VersionOptions) -> str:
    """Add a piece with the versions of both sides for each join key with changes in a batch, `meeting`.

    Its columns `left_versions` and `right_versions` are arrays. A version has `began_now` and `ended_now`: whether it
    starts or ends in this batch. If a side retracts versions, a version also has `forgotten` and `forgotten_before`:
    whether it is retracted, and whether it was before this batch. `forgotten_cause` is the first number of the ordinal
    that has retracted it.
    """
    joined = ", ".join(str(a.type) for a, _ in node.equalities)
    build.state.append(f"all versions of the rows of both sides, by what joins them: {joined}, {GROWING}")
    history = build.add(
        "history",
        f"SELECT {build.lead}meeting,\n"
        "  collect_list(struct(\n"
        "    batch_time, row_id, ordinal, event_time, end_ordinal, left_row, right_row)) AS all_versions\n"
        f"FROM (SELECT *, {BATCH} AS batch_time FROM {versions}) GROUP BY {build.lead}meeting",
        "with all versions from before this batch",
    )
    dated = is_merged(node, build)
    if reads_forgotten(node, build):
        return _gathered(history, build, options, dated=dated)
    entries = build.add("entries", f"SELECT *, {BATCH} AS now FROM {history}", "with the time of this batch")
    if options.only_new:
        entries = _only_new(entries, build)
    return _sorted(entries, build, options, dated=dated)


def _own_rank(ordinal: str, *, dated: bool, ranks: bool) -> str:
    """Return SQL of the column of a version's rank, or nothing. `dated`: the ordinal begins with its batch's time."""
    return f"{rank(undated(ordinal) if dated else ordinal)} AS row_rank, " if ranks else ""


def _only_new(entries: str, build: Builder) -> str:
    """Select the entries of an INNER join that this batch may change.

    These are the entries of this batch. The older entries of a side are included if the other side has new ones, or if
    a version of their own side ends. Entries of the right side, and those that end a version, have no left row.
    """
    has = "exists(all_versions, e -> {})".format
    has_both = f"{has('e.row_id.is_left')} AND {has('NOT e.row_id.is_left')}"
    old_left, old_right = (has(f"e.batch_time = now AND e.{side}_row IS NULL") for side in ("left", "right"))
    relevant = "e.batch_time = now OR if(e.row_id.is_left, old_left, old_right)"
    return build.add(
        "touched",
        f"SELECT {build.lead}meeting, now, filter(all_versions, e -> {relevant}) AS all_versions FROM (\n"
        f"  SELECT *, {old_left} AS old_left,\n    {old_right} AS old_right\n  FROM {entries} WHERE {has_both}\n)",
        "what is new, and what it may meet",
    )


def _sorted(entries: str, build: Builder, options: VersionOptions, *, dated: bool) -> str:
    """Find the versions in the sorted entries of each join key. `place`: the index of an entry in `all_versions`."""
    ended, ranks = options.ended, options.ranks
    parts = "e.row_id AS row_id, e.ordinal AS ordinal, e.end_ordinal AS end_ordinal, e.batch_time AS batch_time"
    in_order = build.add(
        "in_order",
        f"SELECT *, sort_array(transform(all_versions, (e, place) -> struct(\n  {parts}, place))) AS sorted\n"
        f"FROM {entries}",
        "an end of a later batch follows its start",
    )
    own_end = "e.end_ordinal AS end_ordinal, e.end_ordinal IS NOT NULL AND e.batch_time = now AS ended_now"
    later_end = "after.end_ordinal AS end_ordinal, after.batch_time = now AS ended_now"
    # A lambda evaluates each lookup once.
    ends = build.add(
        "ends",
        f"SELECT {build.lead}meeting, now, all_versions, transform(sorted, (e, number) -> get(transform(\n"
        "    array(get(sorted, number + 1)), after -> if(after.row_id <=> e.row_id AND after.ordinal <=> e.ordinal,\n"
        f"      struct(e.place AS place, {later_end}),\n      struct(e.place AS place, {own_end}))), 0)) AS ends\n"
        f"FROM {in_order}",
        "each version with the end that it has had by now",
    )
    version = "get(all_versions, e.place)"
    lives = "" if ended else "(e.end_ordinal IS NULL OR e.ended_now)\n    AND "
    living = build.add(
        "living",
        f"SELECT {build.lead}meeting, now, all_versions, filter(ends, e -> {lives}({version}.left_row IS NOT NULL\n"
        f"    OR {version}.right_row IS NOT NULL)) AS ends\nFROM {ends}",
        _LIVING[ended],
    )
    own = _own_rank("v.ordinal", dated=dated, ranks=ranks)

    def of_side(side: str, condition: str) -> str:
        columns = (
            f"v.row_id.{side}_id AS row_id, v.ordinal AS ordinal, {own}v.event_time AS event_time,\n"
            "        e.end_ordinal AS end_ordinal, v.batch_time = now AS began_now, e.ended_now AS ended_now,\n"
            f"        v.{side}_row AS content"
        )
        return (
            f"transform(filter(ends, e -> {condition}),\n"
            f"    e -> get(transform(array({version}), v -> struct(\n        {columns})), 0)) AS {side}_versions"
        )

    left, right = of_side("left", f"{version}.row_id.is_left"), of_side("right", f"NOT {version}.row_id.is_left")
    return build.add("sides", f"SELECT {build.lead}meeting,\n  {left},\n  {right}\nFROM {living}", _REASON)


def _gathered(history: str, build: Builder, options: VersionOptions, *, dated: bool) -> str:
    """Find the versions if a side retracts versions."""
    ended, ranks = options.ended, options.ranks
    version = f"PARTITION BY {build.lead}meeting, row_id, ordinal"
    by_rank = f"PARTITION BY {build.lead}meeting, row_id, said_rank"
    marks = f"get(ordinal, 1) <=> {COUNTS_NO_MORE}"
    retraction = f"min(if({marks}, struct(batch_time, ordinal[0] AS cause), NULL)) OVER ({by_rank})"
    row_rank = of_other_stage(rank(undated("ordinal"))) if dated else rank("ordinal")
    row_rank = f"if({marks}, slice(ordinal, 3, size(ordinal)), {row_rank})"
    ends = build.add(
        "ends",
        f"SELECT {build.lead}meeting, row_id, ordinal, event_time, left_row, right_row,\n  {retraction} AS forgotten,\n"
        f"  batch_time = {BATCH} AS began_now, max(end_ordinal) OVER ({version}) AS end_ordinal,\n"
        f"  coalesce(max(if(end_ordinal IS NULL, NULL, batch_time = {BATCH})) OVER ({version}), FALSE) AS ended_now\n"
        f"FROM (SELECT *, {row_rank} AS said_rank FROM (\n"
        f"  SELECT {build.lead}meeting, inline(all_versions) FROM {history}))",
        "each version with the end that it has had by now",
    )
    living = build.add(
        "living",
        f"SELECT * FROM {ends} WHERE (left_row IS NOT NULL OR right_row IS NOT NULL)"
        f"{'' if ended else ' AND (end_ordinal IS NULL OR ended_now)'}",
        _LIVING[ended],
    )
    own = _own_rank("ordinal", dated=dated, ranks=ranks)
    before = f"coalesce(forgotten.batch_time < {BATCH}, FALSE)"
    columns = (
        f"ordinal, {own}event_time, end_ordinal, began_now, ended_now, forgotten IS NOT NULL AS forgotten, "
        f"{before} AS forgotten_before, forgotten.cause AS forgotten_cause"
    )
    lists = (
        (
            "left_versions",
            f"if(row_id.is_left, struct(row_id.left_id AS row_id, {columns}, left_row AS content), NULL)",
        ),
        (
            "right_versions",
            f"if(row_id.is_left, NULL, struct(row_id.right_id AS row_id, {columns}, right_row AS content))",
        ),
    )
    return gathered(build, living, "meeting", "ordinal", lists, _REASON, together=True)
