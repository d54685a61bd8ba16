"""Time windows in DuckDB: which windows each record belongs to, and which records come too late for theirs.

A record is late when the end of its window, with the grace behind it, is at or below the highest time that arrived
before it. What one record causes arrives together: its elements do not make each
other late.
"""

from __future__ import annotations

from lsqlc.lower.duckdb.query import Query, arrival
from lsqlc.plan.nodes import Node
from lsqlc.plan.windows import Hop, Session, Tumble, Window
from lsqlc.sql.writer import Join, Select, listed


def windowed(window: Window, rows: str, source: Node, query: Query, *, states: bool = False) -> str:
    """Return the rows of a source once per window, `_group` being the windowed key: a struct of `key`, `start` and
    `end`.

    `states`: once for each state of a session instead, which `moment` and `until` are the ordinals of the begin and the
    end of. A record begins one, and ends that of each session which it extends.
    """
    first = arrival("t._ord", source)
    earlier = "RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    before = f"max(t._ts) OVER (PARTITION BY t._case ORDER BY {first} {earlier})"
    reached = ""
    if query.advances:
        before = f"greatest({before}, a._ts)"
        reached = f" ASOF LEFT JOIN advances AS a ON a._case = t._case AND a._ord <= {first}"
    arrived = query.add("arrived", f"SELECT t.*, {before} AS seen\nFROM {rows} AS t{reached}")
    if not isinstance(window, Session):
        return _fixed(window, arrived, query)
    return _session_states(window, arrived, query) if states else _sessions(window, arrived, query)


def _keyed(rows: str, *helpers: str) -> Select:
    """Return rows with the windowed key in place of `_group`, `start` and `stop`, and without the columns of
    helpers.
    """
    others = f"* EXCLUDE ({listed(('_group', *helpers, 'start', 'stop'))})"
    return Select((others, "{'key': _group, 'start': start, 'end': stop} AS _group"), rows)


def _fixed(window: Tumble | Hop, arrived: str, query: Query) -> str:
    """Return windows of one size, aligned to the epoch; none starts before it."""
    size, advance = window.size, window.advance
    first = f"CASE WHEN _ts < {size} THEN 0 ELSE ((_ts - {size}) // {advance} + 1) * {advance} END"
    spread = query.add(
        "spread", f"SELECT t.*, unnest(range({first}, _ts + 1, {advance})) AS start\nFROM {arrived} AS t"
    )
    late = f"coalesce(start + {size + window.grace} <= seen, FALSE)"
    query.counts.append(("late", f"SELECT _case FROM {spread} WHERE {late}"))
    timely = f"(SELECT *, start + {size} AS stop FROM {spread} WHERE NOT {late})"
    return query.add("windows", _keyed(timely, "seen"))


def _timely(window: Session, arrived: str, query: Query) -> str:
    """Return the records that are not late for a session: the own time of each counts as the end of its session."""
    late = f"coalesce(_ts + {window.grace} <= seen, FALSE)"
    query.counts.append(("late", f"SELECT _case FROM {arrived} WHERE {late}"))
    return query.add("timely", f"SELECT * FROM {arrived} WHERE NOT {late}")


def _numbered(window: Session, rows: str, group: str, query: Query) -> str:
    """Return the rows of each group with the number of their `session`: records at most a gap apart are in one.

    A session that was closed when the next record came is not extended, so that one comes in another session. It was
    not closed where any later one within the gap came before that: each of those in between keeps it open too.
    """
    near = f"RANGE BETWEEN 1 FOLLOWING AND {window.gap} FOLLOWING"
    seen = f"min(coalesce(t.seen, -1)) OVER ({group} ORDER BY t._ts {near})"
    links = query.add(
        "links", f"SELECT *, coalesce({seen} < t._ts + {window.grace}, FALSE) AS goes_on\nFROM {rows} AS t"
    )
    order = f"{group} ORDER BY t._ts, t._ord"
    before = f"lag(t._ts) OVER ({order}) = t._ts OR lag(t.goes_on) OVER ({order})"
    gaps = query.add("gaps", f"SELECT *, NOT coalesce({before}, FALSE) AS opens\nFROM {links} AS t")
    return query.add("sessions", f"SELECT *, count(*) FILTER (t.opens) OVER ({order}) AS session\nFROM {gaps} AS t")


_NUMBERING = ("seen", "goes_on", "opens", "session")


def _sessions(window: Session, arrived: str, query: Query) -> str:
    """Return records in their sessions, each of which ends at its last record."""
    group = "PARTITION BY t._case, t._group"
    sessions = _numbered(window, _timely(window, arrived, query), group, query)
    bounds = f"min(t._ts) OVER ({group}, t.session) AS start, max(t._ts) OVER ({group}, t.session) AS stop"
    return query.add("windows", _keyed(f"(SELECT *, {bounds} FROM {sessions} AS t)", *_NUMBERING))


def _session_states(window: Session, arrived: str, query: Query) -> str:
    """For each record the session that it is in when it arrives: of the records until then those that gaps do not part
    from it. Its state ends with the next record in whose session it is.
    """
    timely = _timely(window, arrived, query)
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
    dated = f"(SELECT * FROM {members} JOIN {ends} USING (_case, _group, moment))"
    return query.add("windows", _keyed(dated, *_NUMBERING, "own"))
