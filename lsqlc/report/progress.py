"""Running queries as text: a line per start, a line per batch, and a table at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lsqlc.diagnostics import listing
from lsqlc.golden.show import plural
from lsqlc.report.tables import Column, table_lines
from lsqlc.report.tests_report import failed_lines, failure_count
from lsqlc.report.text import duration_text

if TYPE_CHECKING:
    from lsqlc.remote.run.events import Failed, QuerySummary, RestartingQuery, Started
    from lsqlc.remote.run.progress import BatchProgress
    from lsqlc.remote.run.query_status import QueryStatus
    from lsqlc.remote.run.supervisor import Restarting

# The state of a query that found no new records.
_NOTHING = "nothing to read"


def started_line(event: Started) -> str:
    """Return a line such as `late: writes 'late', resumed from its checkpoint`."""
    how = "resumed from its checkpoint" if event.resumed else "from the beginning"
    if event.begun and not event.resumed:
        how = "from " + ", ".join(f"{start.shown} of '{topic}'" for topic, start in event.begun.items())
    return f"{event.query}: writes '{event.topic}', {how}"


def batch_line(event: BatchProgress) -> str:
    """Return a line such as `late: batch 3, 12,000 rows, 4,000 rows/s, 128 state rows`, with dropped records."""
    parts = [f"batch {event.batch}", plural(event.rows, "row"), f"{rate_text(event.rows_per_second)} rows/s"]
    if event.state_rows:
        parts.append(plural(event.state_rows, "state row"))
    parts += failure_count(event.counted)
    return f"{event.query}: " + ", ".join([*parts, *dropped(event.counts, event.late_groups)])


def dropped(counts: Mapping[str, int], late_groups: int = 0) -> list[str]:
    """Return the numbers of dropped records by reason; empty if there are none."""
    reasons = [f"{count:,} for {reason}" for reason, count in sorted(counts.items()) if count]
    if late_groups:
        reasons.append(plural(late_groups, "late group"))
    return [f"dropped {' and '.join(reasons)}"] if reasons else []


def summary_text(summaries: Sequence[QuerySummary], *, width: int, seconds: float | None = None) -> str:
    """Return the results of each query as a table. `width`: cells of a line. `seconds`: the duration of the run."""
    if not summaries:
        return "no query ran"
    columns = [
        Column("query", tuple(s.query for s in summaries)),
        Column("topic", tuple(s.topic for s in summaries)),
        Column("batches", tuple(f"{s.batches:,}" for s in summaries), right=True),
        Column("rows", tuple(f"{s.rows:,}" for s in summaries), right=True),
        Column("rows/s", tuple(rate_text(s.rows_per_second) for s in summaries), right=True),
        Column("state rows", tuple(state_rows_text(s) for s in summaries), right=True),
        Column("time", tuple(duration_text(s.seconds) for s in summaries), right=True),
        Column("", tuple(_ending(s) for s in summaries)),
    ]
    lines = list(table_lines(columns, width))
    for summary in summaries:
        lines += [f"{summary.query}: {d.message}" for d in summary.failure]
        lines += [f"{summary.query}: {line}" for line in dropped(summary.counts, summary.late_groups)]
        lines += [f"{summary.query}: {line}" for line in failed_lines(summary.counted)]
    rows = sum(s.rows for s in summaries)
    took = f" in {duration_text(seconds)}" if seconds is not None else ""
    queries = "1 query" if len(summaries) == 1 else f"{len(summaries):,} queries"
    lines.append(f"{queries} read {plural(rows, 'row')}{took}")
    return "\n".join(lines)


def standings_text(standings: Sequence[QueryStatus], *, width: int) -> str:
    """Return the status of queries as a table. `width`: cells of a line."""
    behind = any(s.lag is not None for s in standings)
    columns = [
        Column("query", tuple(s.query for s in standings)),
        Column("topic", tuple(s.topic for s in standings)),
        Column("batches", tuple(f"{s.batches:,}" for s in standings), right=True),
        Column("rows", tuple(f"{s.rows:,}" for s in standings), right=True),
        Column("rows/s", tuple(rate_text(s.rows_per_second) for s in standings), right=True),
        Column("batch", tuple(duration_text(s.latency) for s in standings), right=True),
        Column("state rows", tuple(state_rows_text(s) for s in standings), right=True),
        *([Column("lag", tuple(map(lag_text, standings)), right=True)] if behind else []),
        Column("", tuple(map(_standing, standings))),
    ]
    return "\n".join(table_lines(columns, width))


def _standing(standing: QueryStatus) -> str:
    """Return the status of a query, such as `running, 3 failures, dropped 2 for null key`."""
    drops = dropped(standing.counts, standing.late_groups)
    if standing.state == "waiting":
        state = waits_text(standing.waits_for)
    else:
        state = _NOTHING if standing.state == "finished" and not standing.batches else standing.state
    return ", ".join([state, *failure_count(standing.counted), *drops])


def detached_text(standings: Sequence[QueryStatus], *, width: int) -> str:
    """Return the status of detached queries as a table, as the server reports their last batches."""
    if not standings:
        return "it was interrupted before it had left its queries: stop it, or run again"
    behind = any(s.lag is not None for s in standings)
    columns = [
        Column("query", tuple(s.query for s in standings)),
        Column("topic", tuple(s.topic for s in standings)),
        Column("batches", tuple(f"{s.batches:,}" for s in standings), right=True),
        Column("rows/s", tuple(rate_text(s.rows_per_second) for s in standings), right=True),
        Column("batch", tuple(duration_text(s.latency) for s in standings), right=True),
        Column("state rows", tuple(state_rows_text(s) for s in standings), right=True),
        *([Column("lag", tuple(map(lag_text, standings)), right=True)] if behind else []),
        Column("", tuple(s.state for s in standings)),
    ]
    return "\n".join(table_lines(columns, width))


def state_rows_text(query: QuerySummary | QueryStatus) -> str:
    """Return the number of state rows; empty before the first batch, because Spark reports it per batch."""
    return f"{query.state_rows:,}" if query.batches else ""


def lag_text(standing: QueryStatus) -> str:
    """Return the lag of a query, such as `1,200 (3 s)`; empty if its source has none.

    It has the number of unread records, and the time to read them at the rate of the last batch.
    """
    if standing.lag is None:
        return ""
    rate = standing.rows_per_second
    return f"{standing.lag:,} ({duration_text(standing.lag / rate)})" if standing.lag and rate else f"{standing.lag:,}"


def restarting_line(event: Restarting) -> str:
    """Return a line about a restart of the server, such as `restarting in 2 s, failure 2 of at most 5 in a row: ...`.

    If the server does not respond: `retrying in 8 s: nothing listens at ...`.
    """
    why = "; ".join(d.message for d in event.found)
    if event.away:
        return f"retrying in {event.pause:g} s: {why}"
    many = f"failure {event.failures} of at most {event.limit} in a row"
    return f"restarting in {event.pause:g} s, {many}: {why}"


def restarting_query_line(event: RestartingQuery) -> str:
    """Return a line such as `late: failed at 2026-11-22T10:58:23Z and restarts in 4 s, failure 2 in a row: ...`."""
    why = "; ".join(d.message for d in event.found)
    if event.failures == 0:
        return f"{event.query}: starts in {event.pause:.0f} s: {why}"
    when = f"{datetime.fromtimestamp(event.at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    many = f"failure {event.failures} in a row"
    return f"{event.query}: failed at {when} and restarts in {event.pause:.0f} s, {many}: {why}"


def failed_line(event: Failed) -> str:
    """Return a line such as `late: failed, the queries that do not read from it continue: ...`."""
    why = "; ".join(d.message for d in event.found)
    return f"{event.query}: failed, the queries that do not read from it continue: {why}"


def waits_text(queries: Sequence[str]) -> str:
    """Return a text such as `waits for 'late'`."""
    return f"waits for {listing(queries)}"


def failures_text(standings: Sequence[QueryStatus], now: float) -> str:
    """Return the last failures of queries, a line each: `late: 3 starts, the last failure 12 s ago: ...`.

    `now`: seconds since 1970.
    """
    return "\n".join(
        f"{s.query}: {plural(s.starts, 'start')}, the last failure {duration_text(max(0.0, now - s.failed))} ago: "
        f"{s.failure}"
        for s in standings
        if s.failure
    )


def rate_text(rate: float) -> str:
    """Return rows per second: an integer, or one decimal below ten."""
    return f"{rate:,.0f}" if rate >= 10 or rate == 0 else f"{rate:.1f}"


def _ending(summary: QuerySummary) -> str:
    if summary.failure:
        return "failed"
    if summary.waits_for:
        return waits_text(summary.waits_for)
    state = "stopped" if not summary.finished else "finished" if summary.batches else _NOTHING
    return f"{state}, resumed" if summary.resumed else state
