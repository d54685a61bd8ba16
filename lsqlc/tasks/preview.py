"""`lsqlc preview`: what a model of the project gives over a sample of the topics of a target, before it is deployed.

A topic that is read as a STREAM has its last records in the sample, one that is read as a TABLE all its current rows. A
topic without records that a model of the project writes is computed by that model, over a sample of its own topics.
The rows of TABLEs come first, then records by their times. Nothing is written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsqlc.connectors.transport import Contents
from lsqlc.connectors.unreadable import Unreadable
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan import Plan, nodes
from lsqlc.plan.nodes import Semantics
from lsqlc.project.build.compile import Compilation
from lsqlc.project.workspace import Workspace
from lsqlc.report.answers import Answer
from lsqlc.tasks.delta_topics import load_topics
from lsqlc.tasks.query import columns_of
from lsqlc.tasks.samples import given
from lsqlc.types.record import Outcome, Record, StoredRecord, Topic

if TYPE_CHECKING:
    from lsqlc.tasks.run_target import RunTarget


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """The preview that a command asks for.

    `name`: a model, or a topic that one writes; `target`: a name of profiles.yml, None: its default; `sample`: the
    number of records of each STREAM, 0: all; `since`: epoch milliseconds, only records of that time and later; None:
    of all times. `upstream`: models above are computed also where their topics have records.
    """

    name: str
    target: str | None = None
    sample: int = 10_000
    since: int | None = None
    upstream: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """The rows of a model by topic. `read`: how many records of each topic were read; `computed`: the models above that
    were computed; `unreadable`: how many records cannot be read, by topic.
    """

    answers: tuple[tuple[str, Answer], ...]
    read: tuple[tuple[str, int], ...]
    computed: tuple[str, ...]
    unreadable: tuple[tuple[str, int], ...]


def preview(workspace: Workspace, request: PreviewRequest) -> Preview:
    """Return what a model gives over a sample.

    Raises LsqlcError: LSQ063 for an unknown name, LSQ623 for a topic that no model writes, the errors of the model and
    of those that are computed for it, and as the target, its topics and the engine do.
    """
    from lsqlc.tasks.run_target import open_compiled
    from lsqlc.tasks.selection import compile_selection
    from lsqlc.tasks.show import topics_named

    target = workspace.target(request.target)
    compilation = compile_selection(workspace)
    topics = topics_named(compilation, request.name)
    writer = compilation.graph.writers.get(topics[0].name)
    if writer is None:
        help = f"`lsqlc show {request.name}` shows its records"
        raise LsqlcError([Diagnostic("LSQ623", f"no model writes the topic '{request.name}'", help=help)])
    run = _Computation(compilation, open_compiled(compilation, target), request)
    plan, outcome = run.outcome(writer)
    # Bad records are passed over in a sample, so there are no letters about them.
    of_rows = [topic for topic in topics if topic != plan.dead_letters]
    answers = tuple((topic.name, _answer(topic, plan, outcome)) for topic in of_rows)
    computed = tuple(name for name in run.outcomes if name != writer)
    return Preview(answers, tuple(run.read.items()), computed, tuple(run.unreadable.items()))


@dataclass(slots=True)
class _Computation:
    """The models that have been computed, and the numbers of records by topic."""

    compilation: Compilation
    place: RunTarget
    request: PreviewRequest
    outcomes: dict[str, tuple[Plan, Outcome]] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)

    def outcome(self, model: str) -> tuple[Plan, Outcome]:
        """Return the plan of a model and its outcome. Raises LsqlcError."""
        from lsqlc.lower.duckdb import evaluate

        if model not in self.outcomes:
            plan = self.compilation.plans.get(model)
            if plan is None:
                raise LsqlcError(self._errors(model))
            kinds = _kinds(plan)
            records = {topic.name: tuple(self._records(topic, kinds[topic.name], plan)) for topic in plan.inputs}
            result = given(plan, records, kinds, evaluate)
            if result.outcome is None:
                raise LsqlcError(result.problems)
            self.outcomes[model] = plan, result.outcome
        return self.outcomes[model]

    def _errors(self, model: str) -> list[Diagnostic]:
        build = self.compilation.models.get(model)
        own = [d for d in build.diagnostics if d.is_error] if build is not None else []
        return own or [d for d in self.compilation.diagnostics if d.is_error]

    def _records(self, topic: Topic, kind: Semantics, plan: Plan) -> Iterable[Record]:
        """Return the sample of a topic: of the target, or of the model that writes it."""
        writer = self.compilation.graph.writers.get(topic.name)
        log = self.place.log
        if writer is not None and (self.request.upstream or log.is_empty(topic.name)):
            _, outcome = self.outcome(writer)
            return outcome.topics[topic.name]
        load_topics(self.compilation.project.topics, self.place, {topic.name})
        records = tuple(self._stored(topic, kind, plan.policy != "fail"))
        self.read[topic.name] = len(records)
        return records

    def _stored(self, topic: Topic, kind: Semantics, passes_over: bool) -> Iterator[Record]:
        """Yield the sample of a topic of the target. `passes_over`: records that cannot be read are only counted."""
        from lsqlc.remote.cases.outcomes import final_rows
        from lsqlc.tasks.show import records_of

        log, root, request = self.place.log, self.place.root, self.request
        bad: list[Unreadable] = []
        take = bad.append if passes_over else None
        if topic.files is not None:
            yield from _last(records_of(topic, log, root, rows=False), request)
        elif kind == "TABLE":
            yield from final_rows(topic, log.read(topic, by_time=False, bad=take))
        elif self._reads_ends and take is None:
            # Only the ends of the partitions are read.
            spans = {p: (max(first, end - request.sample), end) for p, (first, end) in log.offsets(topic.name).items()}
            ends = sorted(log.read_contents(topic, Contents(spans)), key=lambda record: record.timestamp)
            yield from _last(ends, request)
        else:
            yield from _last(log.read(topic, bad=take), request)
        if bad:
            self.unreadable[topic.name] = len(bad)

    @property
    def _reads_ends(self) -> bool:
        """Whether a part of each partition is sufficient for a sample."""
        request = self.request
        return self.place.capabilities.has_partitions and request.sample > 0 and request.since is None


def _last(records: Iterable[Record | StoredRecord], request: PreviewRequest) -> Iterator[Record]:
    """Return the last records of a topic, of a time and later."""
    since = request.since
    wanted = (record for record in records if since is None or record.timestamp >= since)
    for r in deque(wanted, maxlen=request.sample or None):
        yield Record(r.topic, r.key, r.value, r.timestamp, r.headers)


def _kinds(plan: Plan) -> dict[str, Semantics]:
    """Return how each topic is read. One that is read in both ways is a STREAM."""
    scans = [scan for sink in plan.sinks for node in sink.inputs for scan in nodes.scans(node)]
    kinds: dict[str, Semantics] = {topic.name: "TABLE" for topic in plan.inputs}
    return kinds | {scan.topic.name: "STREAM" for scan in scans if scan.semantics == "STREAM"}


def _answer(topic: Topic, plan: Plan, outcome: Outcome) -> Answer:
    records = outcome.topics[topic.name]
    if plan.semantics[topic.name] == "TABLE":
        records = tuple(record for record in records if record.value is not None)
    columns = tuple(columns_of(topic))
    return Answer(columns, tuple(tuple(c.value(record) for c in columns) for record in records), len(records))
