"""A run as a value: its request, the values that its steps share, and the services that its caller provides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lsqlc.diagnostics import Diagnostic
from lsqlc.lower.spark import NEWEST, Version, lower
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.starts import Start
from lsqlc.remote.run.detached_run import DetachedRun
from lsqlc.remote.run.events import Event
from lsqlc.remote.run.query_status import QueryStatus, State
from lsqlc.remote.run.restarts import Clock
from lsqlc.remote.run.runner import Limit
from lsqlc.remote.run.supervisor import Restarting
from lsqlc.remote.server.home import installed_version
from lsqlc.remote.session.session import Address
from lsqlc.tasks.backlog import Fit
from lsqlc.tasks.real_time import Latencies, latencies
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.tasks.starts import Starts
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class RunRequest:
    """How the models are to be run. `continuous`: until stopped, else until all input is read. `files_per_batch`: files
    that make a batch; None: what each model declares, else as `QueryOptions` says. `threads`: queries that read
    side by side, at most. `restarts`: failures in a row after which nothing is started again. `fail_fast`: a model that
    fails ends the run; else the others continue that do not depend on it. `detach`: leave the
    queries to the server once they run, under a session with the ids of the target's address; `detached`: the run of
    earlier that is taken over. `limit`: how far queries read, else to the end of their input. `starts`: where new
    queries begin, by model and topic; `given`: the start among them that the command asked for. `accept_loss`: topics
    whose missing records queries pass over.
    """

    threads: int
    continuous: bool = False
    full_refresh: bool = False
    files_per_batch: int | None = None
    restarts: int = 5
    fail_fast: bool = True
    clock: Clock = field(default_factory=Clock)
    detach: bool = False
    detached: DetachedRun | None = None
    limit: Limit | None = None
    starts: Starts = field(default_factory=dict)
    given: Start | None = None
    accept_loss: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether the run waits for brokers that do not answer, without end."""
        return self.continuous and not self.detach and self.restarts > 0

    @property
    def in_real_time(self) -> bool:
        """Whether models that ask for it run in real time."""
        return self.continuous and not self.detach and self.limit is None


UnknownSchemas = frozenset[tuple[str, str, int]]
"""Ids of schemas that records have and the registry does not know, with topic and facet."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """The values that all steps of a run share, each computed once: see `run_context`.

    `place`: the target; `compilation`: the models and the data tests that run beside them, without errors;
    `latencies`: those of the models on the target; `spark_plans`: the streaming queries of each plan, for servers with
    the `version` of Spark.
    """

    place: RunTarget
    compilation: Compilation
    request: RunRequest
    latencies: Latencies
    spark_plans: Mapping[str, SparkPlan]
    version: Version

    @property
    def project(self) -> str:
        """The name of the project."""
        return self.compilation.project.config.name

    @property
    def real_time(self) -> frozenset[str]:
        """The models that this run executes in real time."""
        return self.latencies.models if self.request.in_real_time else frozenset()

    @property
    def compiled_plans(self) -> Mapping[str, SparkPlan]:
        """The queries that are those which `lsqlc compile` prints: of lines of JSON, for the newest Spark."""
        stores_lines = not self.place.capabilities.stores_bytes
        return self.spark_plans if stores_lines and self.version == NEWEST else {}

    def plans_for(self, version: Version) -> Mapping[str, SparkPlan]:
        """Return the queries for a server. They are lowered again only if its version is another one."""
        if version == self.version:
            return self.spark_plans
        return _spark_plans(self.place, self.compilation, self.real_time, version)

    def with_new_schemas(self, rejected: UnknownSchemas) -> RunContext:
        """Return the run with the schemas that the registry has now. Raises LsqlcError as the registry does."""
        old, topics = self.place, self.compilation.topics.values()
        place = open_target(old.root, old.target, old.plans, topics, self.compilation.project, rejected)
        place = place.under(old.overlay)
        plans = _spark_plans(place, self.compilation, self.real_time, self.version)
        return replace(self, place=place, spark_plans=plans)


def run_context(
    place: RunTarget, compilation: Compilation, request: RunRequest, model_latencies: Latencies | None = None
) -> RunContext:
    """Return the context of a run on a target. `compilation`: has no errors; `known`: its latencies, if they have been
    computed. Raises LsqlcError LSQ738 for topics that cannot be stored as bytes, and as the registry does.
    """
    embedded_version = installed_version() if place.target.type == "embedded" else None
    context = RunContext(
        place, compilation, request, model_latencies or latencies(compilation, place), {}, embedded_version or NEWEST
    )
    plans = _spark_plans(place, compilation, context.real_time, context.version)
    return replace(context, spark_plans=plans)


def _spark_plans(
    place: RunTarget, compilation: Compilation, real_time: Collection[str], version: Version
) -> dict[str, SparkPlan]:
    wires = place.wires
    return {
        name: lower(plan, server=version, wires=wires, real_time=name in real_time)
        for name, plan in compilation.plans.items()
    }


class Session(Protocol):
    """A session on a server. Only `remote` knows pyspark, and so the session's type."""

    @property
    def session(self) -> Any: ...
    @property
    def address(self) -> Address: ...
    @property
    def version(self) -> Version: ...


class Watch(Protocol):
    """Adds up what happens, for those who look at the run from elsewhere."""

    @property
    def standings(self) -> Mapping[str, QueryStatus]: ...
    @property
    def batches(self) -> int: ...
    def take(self, event: Event) -> None: ...
    def keep_up(self) -> None: ...
    def turn(self, state: State, trouble: str | None = None) -> None: ...
    def fail(self, trouble: str) -> None: ...
    def skips(self, records: tuple[str, ...]) -> None: ...


Attempt = AbstractContextManager[tuple[Session, Callable[[Event], None]]]
"""A session inside the `with`, and what its events are shown to."""


def _unshown() -> AbstractContextManager[Callable[[Event], None]]:
    return nullcontext(lambda event: None)


@dataclass(frozen=True, slots=True)
class Console:
    """The services that a run needs from its caller.

    `say`, `show`: print a line, or diagnostics. `opened`: opens a session for one attempt, and a function that shows
    its events; the server sees the files of these topics, and one of this machine suits the run. `restarting`: reports
    a restart. `stop`: whether the run is to stop. `wait`: pauses for so many seconds, and returns the same. `watch`:
    opened when the queries are to start. `shown`: shows the events of a run without a session. `back`: waits at least
    so many seconds until brokers answer again that failed with these diagnostics, and returns the same as `wait`; None:
    the run does not wait.
    """

    say: Callable[[str], None]
    show: Callable[[Iterable[Diagnostic]], None]
    opened: Callable[[tuple[Topic, ...], Callable[[], Fit]], Attempt]
    restarting: Callable[[Restarting], None]
    stop: Callable[[], bool]
    wait: Callable[[float], bool]
    watch: Callable[[], Watch]
    shown: Callable[[], AbstractContextManager[Callable[[Event], None]]] = _unshown
    back: Callable[[tuple[Diagnostic, ...], float], bool] | None = None
