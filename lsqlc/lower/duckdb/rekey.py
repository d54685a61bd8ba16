"""A TABLE with new keys."""

from __future__ import annotations

from lsqlc.lower.duckdb.query import Query, as_list, list_or_null
from lsqlc.lower.duckdb.sort_order import identity_order
from lsqlc.plan import nodes
from lsqlc.plan.identity import keeps_history, may_be_unmatched
from lsqlc.sql.writer import listed


def valid_rows(node: nodes.Node, below: str, query: Query, final: bool) -> str:
    """Return one row per key `k0`: the valid version with the highest rank, while it is live.

    All versions so far are valid, except unmatched rows after `_until`. If a TABLE does not keep its history, only live
    versions are valid. One record can update several groups, whose versions have the same rank: of these the greatest
    identity decides.
    """
    history, alone = keeps_history(node), may_be_unmatched(node)
    if history and not alone:
        return newest_rows(node, below, "t.k0", query, final)
    query.counts.append(("null key", f"SELECT _case FROM {below} AS t WHERE k0 IS NULL"))
    own = "t._rank" if alone else as_list("t._ord", node)
    until = list_or_null("t._end", node) if not history else "t._until"
    versions = query.add(
        "mapped",
        f"SELECT t.*, {own} AS place, {as_list('t._ord', node)} AS start, {list_or_null('t._end', node)} AS stop,\n"
        f"  {until} AS until\nFROM {below} AS t WHERE k0 IS NOT NULL",
    )
    helpers = ("_id", "_end", "place", "start", "stop", "until", *(("_rank", "_until") if alone else ()))
    by_rank = ("place DESC", "start DESC", *identity_order("_id", node, descending=True))
    if final:
        newest = f"row_number() OVER (PARTITION BY _case, k0 ORDER BY {listed(by_rank)}) = 1"
        counts = query.add("newest", f"SELECT * FROM {versions} WHERE until IS NULL QUALIFY {newest}")
        columns = f"* EXCLUDE ({listed(helpers)}), k0 AS _id, NULL AS _end"
        return query.add("rekey", f"SELECT {columns} FROM {counts} WHERE stop IS NULL")
    moments = " UNION ".join(
        f"SELECT _case, k0, {moment} AS moment FROM {versions} WHERE {moment} IS NOT NULL"
        for moment in ("start", "stop", "until")
    )
    spans = query.add(
        "spans",
        f"SELECT *, lead(moment) OVER (PARTITION BY _case, k0 ORDER BY moment) AS following FROM ({moments})",
    )
    # Select the valid row of each span. Consecutive spans of one row are merged.
    counts = query.add(
        "counts",
        f"SELECT s.moment, s.following, v.*\n"
        f"FROM {spans} AS s JOIN {versions} AS v ON s._case = v._case AND s.k0 = v.k0\n"
        "  AND v.start <= s.moment AND (v.until IS NULL OR s.moment < v.until)\n"
        f"QUALIFY row_number() OVER (PARTITION BY s._case, s.k0, s.moment ORDER BY {listed(by_rank)}) = 1",
    )
    group = "PARTITION BY _case, k0 ORDER BY moment"
    living = query.add(
        "living",
        f"SELECT *, lag(following) OVER ({group}) IS NOT DISTINCT FROM moment AND lag(place) OVER ({group}) = place\n"
        f"  AND lag(start) OVER ({group}) = start AND lag(_id) OVER ({group}) IS NOT DISTINCT FROM _id AS goes_on\n"
        f"FROM {counts} WHERE stop IS NULL OR moment < stop",
    )
    stays = query.add(
        "stays", f"SELECT *, count(*) FILTER (NOT coalesce(goes_on, FALSE)) OVER ({group}) AS stay FROM {living}"
    )
    whole = "PARTITION BY _case, k0, stay"
    first = "[1]" if node.ordinal_width == 1 else ""
    numbering = ("_ord", "moment", "following", "goes_on", "stay")
    return query.add(
        "rekey",
        f"SELECT * EXCLUDE ({listed((*helpers, *numbering))}), k0 AS _id, moment{first} AS _ord,\n"
        f"  (last_value(following) OVER ({whole} ORDER BY moment\n"
        f"    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)){first} AS _end\n"
        f"FROM {stays} QUALIFY row_number() OVER ({whole} ORDER BY moment) = 1",
    )


def newest_rows(node: nodes.Node, below: str, key: str, query: Query, final: bool) -> str:
    """Return one row per new key: the newest version that was ever mapped to it, while that version is live.

    `below`: the rows of `node`. The newest of several versions with one ordinal is that with the greatest identity.
    """
    query.counts.append(("null key", f"SELECT _case FROM {below} AS t WHERE {key} IS NULL"))
    may_tie = not keeps_history(node)
    order = listed(("_ord", *(identity_order("t._id", node) if may_tie else ())))
    versions = (
        f"SELECT t.* EXCLUDE (_id, _end), {key} AS _id,\n"
        f"  least(_end, lead(_ord) OVER (PARTITION BY _case, {key} ORDER BY {order})) AS _end\n"
        f"FROM {below} AS t WHERE {key} IS NOT NULL"
    )
    if may_tie:
        versions = f"SELECT * FROM (\n{versions}\n) WHERE _end IS NULL OR _ord < _end"
    name = query.add("rekey", versions)
    return query.add("live", f"SELECT * FROM {name} WHERE _end IS NULL") if final else name
