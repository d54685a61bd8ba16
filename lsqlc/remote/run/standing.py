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
class Standing:
    """One query. `batches`, `rows`, `late_groups` and `counts` (of dropped records, by reason) are sums since the run
    began, however often the query was started, and so are `written`, the records that it wrote, `counted` of them by
    name, and `seconds`, which its batches took; the rest is of its last batch: rows read per second, `latency` in
    seconds from the batch's start to its end, rows and bytes of state after it, `lag`, the records of its topics in
    Kafka that were left, and `behind_since` (see `BatchProgress`). `failure`: what it was last started again after, by
    itself, or what it failed with, and `failed`: when, in seconds since 1970. `batch_at`: when its last batch ended,
    and `progressed`: when it was last seen to start, end a batch or find nothing to read, both in seconds since 1970, 0
    if nobody noted it. `letters`: it writes a dead-letter topic. `restarts`: how often it was restarted by itself, or
    was to be. `waits_for`: of one that is `waiting`, the failed queries that it reads from.

    Of a query that was left to the server `batches` is the number of those in its checkpoint, and there are no other
    sums; it has `failed`, with the `failure`, or is `lost` where the server does not know it any more.
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


Standings = Mapping[str, Standing]
# Of a run.
State = Literal["running", "restarting", "ended", "detached", "waiting"]


def after(before: Standings, event: Event) -> Standings:
    """The standings by query, in order of their first starts, once the event has happened."""
    old = before.get(event.query)
    match event:
        case Started():
            if old is None:
                new = Standing(
                    event.query, event.model, event.topic, resumed=event.resumed, letters=event.letters,
                    progressed=event.at,
                )  # fmt: skip
            else:
                new = replace(
                    old, state="running", starts=old.starts + 1, resumed=event.resumed, letters=event.letters,
                    progressed=event.at, waits_for=(),
                )  # fmt: skip
        case RestartingQuery():
            # One that never came up has not started.
            old = old or Standing(event.query, event.model, event.topic, starts=0)
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
            old = old or Standing(event.query, event.model, event.topic, starts=0)
            why = "; ".join(d.message for d in event.found)
            new = replace(old, state="failed", failure=why, failed=event.at)
        case Waiting():
            old = old or Standing(event.query, event.model, event.topic, starts=0)
            new = replace(old, state="waiting", waits_for=event.waits_for)
        case QuerySummary() if old is not None:
            new = replace(old, state="finished" if event.finished else "stopped")
        case _:
            # What is left to the server runs on.
            return before
    return {**before, event.query: new}


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run as another process sees it. `process`: its id; `began` and `updated`: seconds since 1970; `restarts` of the
    whole run so far, `trouble`: what went wrong before the last of them, and `failed`: when. `target`, `project`: the
    names of the run's target and project. `until`: when the next run begins, if it is `waiting` for that. `skips`: the
    records that no query reads (see `topics.skips`).
    """

    process: int
    began: float
    updated: float
    state: State
    restarts: int = 0
    trouble: str = ""
    queries: tuple[Standing, ...] = ()
    failed: float = 0.0
    target: str = ""
    until: float = 0.0
    project: str = ""
    skips: tuple[str, ...] = ()


def status_data(status: RunStatus) -> dict[str, Any]:
    """The status as JSON-ready data, with the version of its form."""
    return {"version": FORMAT, **asdict(status)}


def status_of(data: Any) -> RunStatus | None:
    """The status that `status_data` wrote; None for anything else, such as the data of another version. Members that
    this release does not know are left out.
    """
    if not isinstance(data, dict) or data.get("version") != FORMAT:
        return None
    try:
        queries = tuple(Standing(**_known(Standing, query)) for query in data["queries"])
        return RunStatus(**_known(RunStatus, data) | {"queries": queries, "skips": tuple(data.get("skips", ()))})
    except (TypeError, KeyError):
        return None


def _known(kind: type[RunStatus] | type[Standing], data: Mapping[str, Any]) -> dict[str, Any]:
    return {part.name: data[part.name] for part in fields(kind) if part.name in data}
