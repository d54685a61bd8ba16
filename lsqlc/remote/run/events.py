"""The events of a run, as frozen data. Consumers print them, or add them up to the status of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.declared.starts import Begun
from lsqlc.remote.run.detached_run import DetachedQuery
from lsqlc.remote.run.progress import BatchProgress


@dataclass(frozen=True, slots=True)
class Started:
    """A query has started.

    `resumed`: whether it continues from a checkpoint; `changes`: its differences from the query that wrote the
    checkpoint, whose output stays as it is; `letters`: whether it writes a dead-letter topic; `at`: the time, in
    seconds since 1970; `begun`: the start offsets of some topics, for a query that started without a checkpoint.
    """

    query: str
    model: str
    topic: str
    resumed: bool
    changes: tuple[str, ...] = ()
    letters: bool = False
    at: float = 0.0
    begun: Mapping[str, Begun] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuerySummary:
    """The result of a query in this run.

    - `seconds`: from its start to its end.
    - `counts`: dropped records by reason, and `counted`: counts of its output by name. Like `late_groups`, they are
      sums over its batches. `state_rows` is of the last batch.
    - `finished`: whether it has read all its input.
    - `reads`: its topics, with the start offsets, or None if it started at the first record.
    - `failure`: the errors that ended the query.
    - `waits_for`: the failed queries that it reads from, directly or not. It was stopped, or not started, because of
      them.
    """

    query: str
    model: str
    topic: str
    batches: int = 0
    rows: int = 0
    seconds: float = 0.0
    state_rows: int = 0
    late_groups: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    resumed: bool = False
    finished: bool = False
    counted: Mapping[str, int] = field(default_factory=dict)
    reads: Mapping[str, Begun | None] = field(default_factory=dict)
    failure: tuple[Diagnostic, ...] = ()
    waits_for: tuple[str, ...] = ()

    @property
    def rows_per_second(self) -> float:
        """Rows read per second between start and end."""
        return self.rows / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class RestartingQuery:
    """A query is started again in `pause` seconds, while the other queries run.

    `failures`: the number of failures in a row; 0 if it has not failed and waits for the server's clock. `at`: the time
    of the failure, in seconds since 1970; `found`: its diagnostics.
    """

    query: str
    model: str
    topic: str
    failures: int
    pause: float
    at: float
    found: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Idle:
    """A query had nothing to read. `at`: the time of Spark's report, about every ten seconds, in seconds since 1970."""

    query: str
    at: float


@dataclass(frozen=True, slots=True)
class Failed:
    """A query has failed, and another start would fail too.

    `at`: seconds since 1970; `found`: the diagnostics; `ends_run`: whether the run ends. Otherwise it continues with
    the queries that do not read from this one.
    """

    query: str
    model: str
    topic: str
    at: float
    found: tuple[Diagnostic, ...]
    ends_run: bool = True


@dataclass(frozen=True, slots=True)
class Waiting:
    """A query is stopped, or not started, in this run, because queries have failed that it reads from.

    `waits_for`: the failed queries, which it reads from directly or not; `at`: seconds since 1970.
    """

    query: str
    model: str
    topic: str
    at: float
    waits_for: tuple[str, ...]


Event = Started | BatchProgress | Idle | QuerySummary | RestartingQuery | Failed | Waiting | DetachedQuery
