"""What happens in a run, as frozen data: handed to whoever shows it or adds it up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.declared.starts import Begun
from lsqlc.remote.run.detached_run import DetachedQuery
from lsqlc.remote.run.progress import BatchProgress


@dataclass(frozen=True, slots=True)
class Started:
    """A query has started; `resumed` from a checkpoint, or from the beginning. `changes`: how it differs from the query
    that made the checkpoint; what that one wrote stays as it was. `letters`: it writes a dead-letter topic. `at`: when,
    in seconds since 1970. `begun`: where it has begun to read some topics, when it had no checkpoint.
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
    """What one query did in this run. `seconds`: from its start to its end. `counts` and `late_groups` are sums over
    its batches, and so is `counted`, of what it wrote, by name; `state_rows` is of the last one. `finished`: it read
    all its input; else it was stopped before. `reads`: its topics, with where it has begun to read them, if not at the
    first record. `failure`: what the query failed with for good; `waits_for`: the failed queries that it reads from,
    directly or not, and that it was stopped or not started for.
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
    """A query has lost its worker and is started again in `pause` seconds, while the others run on. `failures`: how
    many in a row, 0 if it has not failed and waits for the server's clock; `at`: when it failed, in seconds since 1970.
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
    """A query had nothing to read; `at`: when Spark said so, in seconds since 1970. Every ten seconds, about."""

    query: str
    at: float


@dataclass(frozen=True, slots=True)
class Failed:
    """A query has failed in a way that no further start mends. `at`: seconds since 1970; `ends_run`: the run ends with
    it; else it continues with the queries that do not read from this one.
    """

    query: str
    model: str
    topic: str
    at: float
    found: tuple[Diagnostic, ...]
    ends_run: bool = True


@dataclass(frozen=True, slots=True)
class Waiting:
    """A query is stopped, or not started, in this run, since queries failed that it reads from, directly or not:
    `waits_for`. `at`: seconds since 1970.
    """

    query: str
    model: str
    topic: str
    at: float
    waits_for: tuple[str, ...]


Event = Started | BatchProgress | Idle | QuerySummary | RestartingQuery | Failed | Waiting | DetachedQuery
