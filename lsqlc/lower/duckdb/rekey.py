"""A TABLE under new keys."""

from __future__ import annotations

from lsqlc.lower.duckdb.query import Query, as_list, list_or_null
from lsqlc.plan import nodes
from lsqlc.plan.identity import keeps_history, may_be_unmatched
from lsqlc.sql.writer import listed


def settled(node: nodes.Node, below: str, query: Query, final: bool) -> str:
    """One row per key `k0`: of the versions that count the one with the highest rank, for as long as it lives.

    Every version counts that ever was, but those of a row that stands alone (`_until`). Of a TABLE that does not keep
    its history only what lives does.
    """
    history, alone = keeps_history(node), may_be_unmatched(node)
    if history and not alone:
        return rekeyed(below, "t.k0", query, final)
    query.counts.append(("null key", f"SELECT _case FROM {below} AS t WHERE k0 IS NULL"))
    own = "t._rank" if alone else as_list("t._ord", node)
    until = list_or_null("t._end", node) if not history else "t._until"
    versions = query.add(
        "mapped",
        f"SELECT t.*, {own} AS place, {as_list('t._ord', node)} AS start, {list_or_null('t._end', node)} AS stop,\n"
        f"  {until} AS until\nFROM {below} AS t WHERE k0 IS NOT NULL",
    )
    helpers = ("_id", "_end", "place", "start", "stop", "until", *(("_rank", "_until") if alone else ()))
    if final:
        newest = "row_number() OVER (PARTITION BY _case, k0 ORDER BY place DESC, start DESC) = 1"
        counts = query.add("newest", f"SELECT * FROM {versions} WHERE until IS NULL QUALIFY {newest}")
        kept = f"* EXCLUDE ({listed(helpers)}), k0 AS _id, NULL AS _end"
        return query.add("rekey", f"SELECT {kept} FROM {counts} WHERE stop IS NULL")
    moments = " UNION ".join(
        f"SELECT _case, k0, {moment} AS moment FROM {versions} WHERE {moment} IS NOT NULL"
        for moment in ("start", "stop", "until")
    )
    spans = query.add(
        "spans",
        f"SELECT *, lead(moment) OVER (PARTITION BY _case, k0 ORDER BY moment) AS following FROM ({moments})",
    )
    # Of each span the row that counts then; spans of one row that follow each other are one.
    counts = query.add(
        "counts",
        f"SELECT s.moment, s.following, v.*\n"
        f"FROM {spans} AS s JOIN {versions} AS v ON s._case = v._case AND s.k0 = v.k0\n"
        "  AND v.start <= s.moment AND (v.until IS NULL OR s.moment < v.until)\n"
        "QUALIFY row_number() OVER (PARTITION BY s._case, s.k0, s.moment ORDER BY v.place DESC, v.start DESC) = 1",
    )
    group = "PARTITION BY _case, k0 ORDER BY moment"
    living = query.add(
        "living",
        f"SELECT *, lag(following) OVER ({group}) IS NOT DISTINCT FROM moment AND lag(place) OVER ({group}) = place\n"
        f"  AND lag(start) OVER ({group}) = start AS goes_on\n"
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


def rekeyed(below: str, key: str, query: Query, final: bool) -> str:
    """One row per new key: the newest version ever mapped to it, for as long as that version lives."""
    query.counts.append(("null key", f"SELECT _case FROM {below} AS t WHERE {key} IS NULL"))
    moved = (
        f"SELECT t.* EXCLUDE (_id, _end), {key} AS _id,\n"
        f"  least(_end, lead(_ord) OVER (PARTITION BY _case, {key} ORDER BY _ord)) AS _end\n"
        f"FROM {below} AS t WHERE {key} IS NOT NULL"
    )
    name = query.add("rekey", moved)
    return query.add("live", f"SELECT * FROM {name} WHERE _end IS NULL") if final else name
