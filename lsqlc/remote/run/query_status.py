"""The status of the queries of a run: the sum of its events, over all restarts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from lsqlc.remote.run.events import Event, Failed, Idle, QuerySummary, RestartingQuery, Started, Waiting
from lsqlc.remote.run.progress import BatchProgress, added

FORMAT = 1


@dataclass(frozen=True, slots=True)
class QueryStatus:
    """The status of a query.

    Sums since the start of the run, including all restarts of the query:

    - `batches`, `rows`, `late_groups`, `seconds` (of its batches), and `written` (records of its output).
    - `counts`: dropped records by reason. `counted`: counts of its output by name.

    Values of its last batch:

    - `rows_per_second`, and `latency`: seconds from the start of the batch to its end.
    - `state_rows`, `state_bytes`: of its state after the batch.
    - `lag`, `behind_since`, `newest`: see `BatchProgress`.

    Times, in seconds since 1970, 0 without a clock:

    - `batch_at`: the end of its last batch.
    - `progressed`: its last start, end of a batch, or report that there is nothing to read.
    - `failed`: its last failure. `failure`: the message of that failure.

    Others:

    - `letters`: whether it writes a dead-letter topic.
    - `restarts`: how often it was started again without a restart of the run.
    - `waits_for`: the failed queries that a `waiting` query reads from.

    For a query of a detached run, `batches` is the number of batches in its checkpoint, and the other sums are 0. It is
    `failed`, with the `failure`, or `lost` if the server has no data about it.
    """

    query: str
    model: str
    topic: str
    state: Literal["running", "restarting", "finished", "stopped", "failed", "waiting", "lost"] = "running"
    resumed: bool = False
    starts: int = 1
    batches: int = 0
    rows: int = 0
    rows_per_second: float = 0.0
    latency: float = 0.0
    state_rows: int = 0
    state_bytes: int = 0
    late_groups: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
    failed: float = 0.0
    lag: int | None = None
    written: int = 0
    seconds: float = 0.0
    behind_since: float | None = None
    batch_at: float = 0.0
    progressed: float = 0.0
    letters: bool = False
    restarts: int = 0
    counted: Mapping[str, int] = field(default_factory=dict)
    newest: int = 0
    waits_for: tuple[str, ...] = ()


QueryStatuses = Mapping[str, QueryStatus]
# The state of a run.
State = Literal["running", "restarting", "ended", "detached", "waiting"]


def after(before: QueryStatuses, event: Event) -> QueryStatuses:
    """Return the status of each query after an event. Queries are in the order of their first starts."""
    old = before.get(event.query)
    match event:
        case Started():
            if old is None:
                new = QueryStatus(
                    event.query, event.model, event.topic, resumed=event.resumed, letters=event.letters,
                    progressed=event.at,
                )  # fmt: skip
            else:
                new = replace(
                    old, state="running", starts=old.starts + 1, resumed=event.resumed, letters=event.letters,
                    progressed=event.at, waits_for=(),
                )  # fmt: skip
        case RestartingQuery():
            # A query whose first start failed has no status yet.
            old = old or QueryStatus(event.query, event.model, event.topic, starts=0)
            why = "; ".join(d.message for d in event.found)
            new = replace(old, state="restarting", failure=why)
            if event.failures:
                new = replace(new, failed=event.at, restarts=old.restarts + 1)
        case BatchProgress() if old is not None:
            new = replace(
                old,
                batches=old.batches + 1,
                rows=old.rows + event.rows,
                rows_per_second=event.rows_per_second,
                latency=event.seconds,
                state_rows=event.state_rows,
                state_bytes=event.state_bytes,
                late_groups=old.late_groups + event.late_groups,
                lag=event.lag,
                written=old.written + (event.written or 0),
                seconds=old.seconds + event.seconds,
                behind_since=event.behind_since,
                batch_at=event.at,
                progressed=event.at,
                counts=dict(Counter(old.counts) + Counter(event.counts)),
                counted=added(old.counted, event.counted),
                newest=max(old.newest, event.newest),
            )
        case Idle() if old is not None:
            new = replace(old, progressed=event.at)
        case Failed():
            old = old or QueryStatus(event.query, event.model, event.topic, starts=0)
            why = "; ".join(d.message for d in event.found)
            new = replace(old, state="failed", failure=why, failed=event.at)
        case Waiting():
            old = old or QueryStatus(event.query, event.model, event.topic, starts=0)
            new = replace(old, state="waiting", waits_for=event.waits_for)
        case QuerySummary() if old is not None:
            new = replace(old, state="finished" if event.finished else "stopped")
        case _:
            # A detached query continues on the server.
            return before
    return {**before, event.query: new}


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The status of a run, for other processes. All times are in seconds since 1970.

    - `process`: its process id.
    - `began`, `updated`: the start of the run, and the time of this status.
    - `restarts`: of the whole run. `trouble`: the error before the last restart, and `failed`: its time.
    - `target`, `project`: their names.
    - `until`: the start of the next run, if this one is `waiting` for it.
    - `skips`: the records that no query reads (see `connectors.skips`).
    """

    process: int
    began: float
    updated: float
    state: State
    restarts: int = 0
    trouble: str = ""
    queries: tuple[QueryStatus, ...] = ()
    failed: float = 0.0
    target: str = ""
    until: float = 0.0
    project: str = ""
    skips: tuple[str, ...] = ()


def status_data(status: RunStatus) -> dict[str, Any]:
    """Return the status as JSON-ready data, with the version of the format."""
    return {"version": FORMAT, **asdict(status)}


def status_of(data: Any) -> RunStatus | None:
    """Parse the data of `status_data`. Return None for other data, such as another version. Ignore unknown members."""
    if not isinstance(data, dict) or data.get("version") != FORMAT:
        return None
    try:
        queries = tuple(QueryStatus(**_known(QueryStatus, query)) for query in data["queries"])
        return RunStatus(**_known(RunStatus, data) | {"queries": queries, "skips": tuple(data.get("skips", ()))})
    except (TypeError, KeyError):
        return None


def _known(kind: type[RunStatus] | type[QueryStatus], data: Mapping[str, Any]) -> dict[str, Any]:
    return {part.name: data[part.name] for part in fields(kind) if part.name in data}
