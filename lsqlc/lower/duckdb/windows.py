"""Time windows in DuckDB: the windows of each record, and late records.

A record is late if the end of its window plus the grace is at or below the highest time that arrived before. All rows
of one record arrive together, so they do not make each other late.
"""

from __future__ import annotations

from lsqlc.lower.duckdb.query import Query, arrival
from lsqlc.plan.nodes import Node
from lsqlc.plan.windows import Hop, Session, Tumble, Window
from lsqlc.sql.writer import Join, Select, listed


def assign_windows(window: Window, rows: str, source: Node, query: Query, *, states: bool = False) -> str:
    """Return the rows of a source once per window. `_group` is the windowed key: a struct of `key`, `start` and `end`.

    `states`: once per version of a session instead, which lasts from the ordinal `moment` to the ordinal `until`. A
    record begins a version, and ends the versions of the sessions that it extends.
    """
    first = arrival("t._ord", source)
    earlier = "RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    before = f"max(t._ts) OVER (PARTITION BY t._case ORDER BY {first} {earlier})"
    advances = ""
    if query.advances:
        before = f"greatest({before}, a._ts)"
        advances = f" ASOF LEFT JOIN advances AS a ON a._case = t._case AND a._ord <= {first}"
    arrivals = query.add("arrived", f"SELECT t.*, {before} AS seen\nFROM {rows} AS t{advances}")
    if not isinstance(window, Session):
        return _fixed(window, arrivals, query)
    return _session_states(window, arrivals, query) if states else _sessions(window, arrivals, query)


def _keyed(rows: str, *helpers: str) -> Select:
    """Replace `_group`, `start` and `stop` by the windowed key, and drop helper columns."""
    others = f"* EXCLUDE ({listed(('_group', *helpers, 'start', 'stop'))})"
    return Select((others, "{'key': _group, 'start': start, 'end': stop} AS _group"), rows)


def _fixed(window: Tumble | Hop, arrivals: str, query: Query) -> str:
    """Return windows of a fixed size, aligned to the epoch; none starts before it."""
    size, advance = window.size, window.advance
    first = f"CASE WHEN _ts < {size} THEN 0 ELSE ((_ts - {size}) // {advance} + 1) * {advance} END"
    spread = query.add(
        "spread", f"SELECT t.*, unnest(range({first}, _ts + 1, {advance})) AS start\nFROM {arrivals} AS t"
    )
    late = f"coalesce(start + {size + window.grace} <= seen, FALSE)"
    query.counts.append(("late", f"SELECT _case FROM {spread} WHERE {late}"))
    timely = f"(SELECT *, start + {size} AS stop FROM {spread} WHERE NOT {late})"
    return query.add("windows", _keyed(timely, "seen"))


def _timely(window: Session, arrivals: str, query: Query) -> str:
    """Return the records that are not late for a session. The time of a record counts as the end of its session."""
    late = f"coalesce(_ts + {window.grace} <= seen, FALSE)"
    query.counts.append(("late", f"SELECT _case FROM {arrivals} WHERE {late}"))
    return query.add("timely", f"SELECT * FROM {arrivals} WHERE NOT {late}")


def _numbered(window: Session, rows: str, group: str, query: Query) -> str:
    """Return the rows of each group with a `session` number. Records at most a gap apart are in one session.

    A session that is closed before the next record arrives is not extended; the record begins another one. Any record
    within the gap that arrives before keeps the session open.
    """
    near = f"RANGE BETWEEN 1 FOLLOWING AND {window.gap} FOLLOWING"
    next_seen = f"min(coalesce(t.seen, -1)) OVER ({group} ORDER BY t._ts {near})"
    links = query.add(
        "links", f"SELECT *, coalesce({next_seen} < t._ts + {window.grace}, FALSE) AS goes_on\nFROM {rows} AS t"
    )
    order = f"{group} ORDER BY t._ts, t._ord"
    before = f"lag(t._ts) OVER ({order}) = t._ts OR lag(t.goes_on) OVER ({order})"
    gaps = query.add("gaps", f"SELECT *, NOT coalesce({before}, FALSE) AS opens\nFROM {links} AS t")
    return query.add("sessions", f"SELECT *, count(*) FILTER (t.opens) OVER ({order}) AS session\nFROM {gaps} AS t")


_NUMBERING = ("seen", "goes_on", "opens", "session")


def _sessions(window: Session, arrivals: str, query: Query) -> str:
    """Return the records with their sessions, each of which ends at its last record."""
    group = "PARTITION BY t._case, t._group"
    sessions = _numbered(window, _timely(window, arrivals, query), group, query)
    bounds = f"min(t._ts) OVER ({group}, t.session) AS start, max(t._ts) OVER ({group}, t.session) AS stop"
    return query.add("windows", _keyed(f"(SELECT *, {bounds} FROM {sessions} AS t)", *_NUMBERING))


def _session_states(window: Session, arrivals: str, query: Query) -> str:
    """Return the session of each record at its arrival: the records so far that no gap separates from it.

    This version ends with the next record in the same session.
    """
    timely = _timely(window, arrivals, query)
    not_later = ("t._case = e._case", "t._group = e._group", "t._ord <= e._ord")
    both = Join(f"{timely} AS e", "JOIN", f"{timely} AS t", (not_later,))
    until_then = query.add("until_then", Select(("t.*", "e._ord AS moment"), both))
    group = "PARTITION BY t._case, t._group, t.moment"
    sessions = _numbered(window, until_then, group, query)
    own = f"max(CASE WHEN t._ord = t.moment THEN t.session END) OVER ({group}) AS own"
    bounds = f"min(t._ts) OVER ({group}) AS start, max(t._ts) OVER ({group}) AS stop"
    members = query.add(
        "members", f"SELECT *, {bounds}\nFROM (SELECT *, {own} FROM {sessions} AS t) AS t WHERE t.session = t.own"
    )
    ends = query.add(
        "ends",
        "SELECT _case, _group, _ord AS moment, min(moment) FILTER (moment > _ord) AS until\n"
        f"FROM {members} GROUP BY _case, _group, _ord",
    )
    with_ends = f"(SELECT * FROM {members} JOIN {ends} USING (_case, _group, moment))"
    return query.add("windows", _keyed(with_ends, *_NUMBERING, "own"))
