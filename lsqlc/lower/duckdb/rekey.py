"""A TABLE under new keys."""

from __future__ import annotations

from lsqlc.lower.duckdb.query import Query
from lsqlc.plan import nodes


def rekeyed(node: nodes.Node, below: str, key: str, query: Query, final: bool, condition: str = "TRUE") -> str:
    """One row per new key: the newest version ever mapped to it, for as long as that version lives."""
    query.counts.append(("null key", f"SELECT _case FROM {below} AS t WHERE {key} IS NULL"))
    moved = (
        f"SELECT t.* EXCLUDE (_id, _end), {key} AS _id,\n"
        f"  least(_end, lead(_ord) OVER (PARTITION BY _case, {key} ORDER BY _ord)) AS _end\n"
        f"FROM {below} AS t WHERE {key} IS NOT NULL AND {condition}"
    )
    name = query.add("rekey", moved)
    return query.add("live", f"SELECT * FROM {name} WHERE _end IS NULL") if final else name
