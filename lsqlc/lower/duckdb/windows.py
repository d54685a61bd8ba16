"""Time windows in DuckDB: which windows each record belongs to, and which records come too late for theirs.

A record is late when the end of its window, with the grace behind it, is at or below the highest time that arrived
before it (LANGUAGE.md, "Order, time, tables"). What one record causes arrives together: its elements do not make each
other late.
"""

from __future__ import annotations

from lsqlc.lower.duckdb.query import Query, arrival
from lsqlc.plan.nodes import Node, Window


def windowed(window: Window, rows: str, source: Node, query: Query) -> str:
    """The rows of a source once per window, `_group` being the windowed key: a struct of `key`, `start` and `end`."""
    first = arrival("t._ord", source)
    earlier = "RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    before = f"max(t._ts) OVER (PARTITION BY t._case ORDER BY {first} {earlier})"
    reached = ""
    if query.advances:
        before = f"greatest({before}, a._ts)"
        reached = f" ASOF LEFT JOIN advances AS a ON a._case = t._case AND a._ord <= {first}"
    arrived = query.add("arrived", f"SELECT t.*, {before} AS seen\nFROM {rows} AS t{reached}")
    return _sessions(window, arrived, query) if window.kind == "SESSION" else _fixed(window, arrived, query)


_KEYED = "SELECT * EXCLUDE (_group, seen, start, stop), {'key': _group, 'start': start, 'end': stop} AS _group"


def _fixed(window: Window, arrived: str, query: Query) -> str:
    """Windows of one size, aligned to the epoch; none starts before it."""
    size, advance = window.size, window.advance
    first = f"CASE WHEN _ts < {size} THEN 0 ELSE ((_ts - {size}) // {advance} + 1) * {advance} END"
    spread = query.add(
        "spread", f"SELECT t.*, unnest(range({first}, _ts + 1, {advance})) AS start\nFROM {arrived} AS t"
    )
    late = f"coalesce(start + {size + window.grace} <= seen, FALSE)"
    query.counts.append(("late", f"SELECT _case FROM {spread} WHERE {late}"))
    return query.add("windows", f"{_KEYED}\nFROM (SELECT *, start + {size} AS stop FROM {spread} WHERE NOT {late})")


def _sessions(window: Window, arrived: str, query: Query) -> str:
    """Records of a group that are at most a gap apart. A session ends at its last record."""
    late = f"coalesce(_ts + {window.grace} <= seen, FALSE)"
    query.counts.append(("late", f"SELECT _case FROM {arrived} WHERE {late}"))
    group = "PARTITION BY _case, _group"
    gaps = query.add(
        "gaps",
        f"SELECT *, coalesce(_ts - lag(_ts) OVER ({group} ORDER BY _ts, _ord) > {window.size}, TRUE) AS opens\n"
        f"FROM {arrived} WHERE NOT {late}",
    )
    sessions = query.add(
        "sessions", f"SELECT *, count(*) FILTER (opens) OVER ({group} ORDER BY _ts, _ord) AS session FROM {gaps}"
    )
    bounds = f"min(_ts) OVER ({group}, session) AS start, max(_ts) OVER ({group}, session) AS stop"
    keyed = _KEYED.replace("seen,", "seen, opens, session,")
    return query.add("windows", f"{keyed}\nFROM (SELECT *, {bounds} FROM {sessions})")
