"""Where the cases of a project run through Kafka, and the run of one: over topics and checkpoints of its own, with what
Spark writes there, and what DuckDB gives for the records in the order that they have in Kafka.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from lsqlc.connectors.kafka.connector import settings_of
from lsqlc.diagnostics import LsqlcError
from lsqlc.golden.cases import LoadedCase, cut
from lsqlc.golden.compare import TopicDifference, compare
from lsqlc.golden.snapshot import golden_text, read_golden
from lsqlc.lower import duckdb
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.target import Target
from lsqlc.remote.cases.cases import SETTINGS
from lsqlc.remote.cases.kafka import Passed, Topics, through_kafka
from lsqlc.remote.cases.kafka_limits import lacking_outcome
from lsqlc.remote.cases.kafka_records import arranged, orders
from lsqlc.remote.connectors.record import NeededTopics
from lsqlc.remote.run.runner import RunResources
from lsqlc.remote.session.session import connect
from lsqlc.tasks.run_context import Session
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.types.record import Case, Outcome

# Of topics that declare no number, in a model none of whose topics does.
_PARTITIONS = 3
# Of a case that does not say how it is cut: each batch is another start of a query, which takes seconds.
_BATCHES = 1
# Records of a case are one batch of its queries.
_OFFSETS_PER_BATCH = 1_000_000


@dataclass(frozen=True, slots=True)
class Bench:
    """Where cases run. `spark`: a session on a server that has the connector; `target`: has the cluster; `checkpoints`:
    a folder of the command's own that an embedded server sees, or an address that the server reaches; `workers`: cases
    that run at a time.
    """

    spark: Session
    target: Target
    checkpoints: Path | str
    workers: int


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a case. `expected`: what DuckDB gives for the order of Kafka, if that is not what it gives for the
    order of the case.
    """

    outcome: Outcome = field(default_factory=lambda: Outcome({}))
    expected: Outcome | None = None
    skipped: str | None = None
    error: LsqlcError | None = None


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs cases, in several threads at a time."""

    compilation: Compilation
    bench: Bench
    sessions: SimpleQueue[Any]
    stopped: Callable[[], bool]
    lowered: dict[str, SparkPlan] = field(default_factory=dict)

    def tried(self, plan: Plan, loaded: LoadedCase) -> Tried:
        """Run a case. Raises LsqlcError LSQ663 for a lost server; any other one is part of the result."""
        case = loaded.case if loaded.batched else cut(loaded.case, _BATCHES)
        session = self.sessions.get()
        try:
            return self._tried(plan, case, session)
        except LsqlcError as error:
            if any(d.code == "LSQ663" for d in error.diagnostics):
                raise
            return Tried(error=error)
        finally:
            self.sessions.put(session)

    def _tried(self, plan: Plan, case: Case, session: Any) -> Tried:
        (arrived,) = duckdb.evaluate(plan, [case])
        why = lacking_outcome(arrived)
        if why is not None:
            return Tried(skipped=why)
        passed = self._passed(plan, case, session)
        if self.stopped():
            return Tried(skipped="it was stopped")
        cases = [replace(case, batches=(records,)) for records in orders(plan, passed.batches)]
        of_kafka, *others = duckdb.evaluate(plan, cases)
        if any(differences(plan, of_kafka, other) for other in others):
            return Tried(skipped="it takes its records in two orders: by time, and as their partitions have them")
        expected = of_kafka if differences(plan, arrived, of_kafka) else None
        return Tried(arranged(plan, expected or arrived, passed.outcome), expected)

    def _passed(self, plan: Plan, case: Case, session: Any) -> Passed:
        bench = self.bench
        with self._place(plan, session) as place:
            if plan.name not in self.lowered:
                self.lowered[plan.name] = lower(plan, server=bench.spark.version, wires=place.wires)
            resources = RunResources(session, bench.spark.address, place.streams(), place.checkpoints)
            topics = Topics(place.log, resources)
            return through_kafka(topics, plan, self.lowered[plan.name], case.batches, self.stopped)

    @contextmanager
    def _place(self, plan: Plan, session: Any) -> Iterator[RunTarget]:
        """Topics and checkpoints of one case inside the `with`; they are removed after it."""
        target, own = self.bench.target, uuid.uuid4().hex[:12]
        settings = settings_of(target)
        assert settings is not None, "the cases run on a target with topics in Kafka"
        declared = [t.partitions for t in (*plan.inputs, *plan.outputs) if t.partitions is not None]
        kafka = replace(
            settings,
            prefix=f"{settings.prefix}lsqlc-test-{own}.",
            partitions=max(declared, default=_PARTITIONS),
            offsets_per_batch=_OFFSETS_PER_BATCH,
        )
        own_target = replace(target, connection=kafka, checkpoints=f"{self.bench.checkpoints}/{own}")
        project = self.compilation.project
        place = open_target(project.root, own_target, [plan], (), project)
        try:
            _create(place, plan)
            yield place
        finally:
            for name in place.log.names():
                place.log.delete(name)
            place.log.delete_notes()
            if isinstance(place.checkpoints, Path):
                shutil.rmtree(place.checkpoints, ignore_errors=True)
            else:
                store = place.store(session)
                for name in store.described():
                    store.remove(name)


def _create(place: RunTarget, plan: Plan) -> None:
    for topic in plan.inputs:
        place.log.prepare(topic)
    needed = NeededTopics({plan.name: plan}, ())
    for _ in place.spark_connector.create_topics(needed, place.target.connection):
        pass


@contextmanager
def sessions_on(bench: Bench) -> Iterator[SimpleQueue[Any]]:
    """A session for each worker: in one, queries of several cases would have the same names. Its settings are those of
    cases on Spark, for few rows: one shuffle partition, and no compiled code.
    """
    sessions: SimpleQueue[Any] = SimpleQueue()
    opened = [connect(bench.spark.address.text, settings=dict(SETTINGS)) for _ in range(bench.workers)]
    for session in opened:
        sessions.put(session)
    yield sessions
    # Not after an error: the server may be lost, and any other one closes the sessions by itself.
    for session in opened:
        session.stop()


def differences(plan: Plan, expected: Outcome, outcome: Outcome) -> tuple[TopicDifference, ...]:
    """Where an outcome differs from the expected one beyond what Kafka promises."""
    rows = read_golden(golden_text(plan, expected), "", plan).rows
    return compare(plan, rows, arranged(plan, expected, outcome), ordered=False)
