"""The records of a topic, or the rows of a TABLE."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lsqlc.bind.condition import BoundCondition
    from lsqlc.bind.topic_schemas import FacetSchema
    from lsqlc.connectors.transport import Transport
    from lsqlc.connectors.unreadable import Unreadable
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.formats.schemas import Language
    from lsqlc.plan.nodes import Semantics
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.report.frames import Records
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.tasks.show_where import Matches
    from lsqlc.types.record import Record, StoredRecord, Topic

    Shown: TypeAlias = Record | StoredRecord | Unreadable


def internal_topic(compilation: Compilation, name: str, place: RunTarget) -> tuple[Topic, Semantics] | None:
    """Return the topic that a stage of a model writes for the next one, `_lsqlc.MODEL.NUMBER`, and its semantics; None
    if there is none of that name.
    """
    from lsqlc.lower.spark import internal_topics, unsupported
    from lsqlc.lower.spark.record_lines import INTERNAL

    plan = compilation.plans.get(name.removeprefix(INTERNAL).rpartition(".")[0]) if name.startswith(INTERNAL) else None
    if plan is None or unsupported(plan):
        return None
    return internal_topics(place.ordered(plan)).get(name)


def topics_named(compilation: Compilation, name: str) -> tuple[Topic, ...]:
    """Return the topic of that name, or all that the model of that name writes; also the topic of failed data tests.

    Raises LsqlcError LSQ063 for an unknown name, and the errors of the project for a topic or model with errors.
    """
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing, order

    topics = compilation.topics
    if name in topics:
        return (topics[name],)
    build = compilation.models.get(name)
    if build is not None and build.outputs:
        return build.outputs
    if build is None and name == compilation.project.config.live_tests.topic:
        from lsqlc.tasks.data_test_failures import failures_topic

        return (failures_topic(compilation, name),)
    if build is not None or name in compilation.project.broken_topics | compilation.project.broken_models:
        # It exists, but has errors, which are more useful than an unknown name.
        raise LsqlcError(order(d for d in compilation.diagnostics if d.is_error))
    names = {*topics, *compilation.models}
    help = did_you_mean(name, names) or (f"known are {listing(names)}" if names else "the project has none yet")
    raise LsqlcError([Diagnostic("LSQ063", f"unknown topic or model '{name}'", help=help)])


def records_of(topic: Topic, log: Transport | None, root: Path, *, rows: bool) -> Iterator[Record | StoredRecord]:
    """Return the records of a topic in order, or with `rows` the rows of a TABLE by key. `log` has the topics of the
    target.

    A topic of files needs no log: it is read below `root`. Raises LsqlcError for a topic or a record that cannot be
    read.
    """
    if topic.files:
        return _of_files(topic, root)
    assert log is not None, "only topics of files have no log"
    if rows:
        from lsqlc.remote.cases.outcomes import final_rows

        return iter(final_rows(topic, log.read(topic, by_time=False)))
    return iter(log.read(topic))


def every_record_of(topic: Topic, log: Transport, root: Path, *, rows: bool) -> Iterator[Shown]:
    """Return records as `records_of`. Those that cannot be read are in their places between the others, after rows."""
    from lsqlc.connectors.unreadable import among
    from lsqlc.remote.cases.outcomes import final_rows

    if topic.files:
        yield from _of_files(topic, root)
        return
    waiting: list[Unreadable] = []
    if rows:
        yield from final_rows(topic, log.read(topic, by_time=False, bad=waiting.append))
        yield from waiting
    else:
        yield from among(log.read(topic, bad=waiting.append), waiting)


def _of_files(topic: Topic, root: Path) -> Iterator[Record]:
    """Return the records of a topic of files, as a program with `SELECT STREAM *` reads them."""
    from lsqlc.dialects.lenses import DIALECT
    from lsqlc.lower.duckdb import Session

    program = DIALECT.parse(f"SELECT STREAM * FROM `{topic.name}`", "<show>").program
    assert program is not None
    plan = DIALECT.bind(program, {topic.name: topic}, name="show").plan
    assert plan is not None, "all records of a topic are requested"
    return iter(Session().evaluate_logs(plan, {}, root=root).topics["show"])


@dataclass(frozen=True, slots=True)
class Part:
    """Records of a topic, with those between them that cannot be read. `total` and `bad`: how many of each the topic
    has.
    """

    shown: tuple[Shown, ...]
    total: int
    bad: int

    @property
    def records(self) -> list[Record | StoredRecord]:
        """The records that can be read."""
        from lsqlc.connectors.unreadable import Unreadable

        return [record for record in self.shown if not isinstance(record, Unreadable)]

    @property
    def bad_left(self) -> int:
        """How many records cannot be read and are not in this part."""
        return self.bad - len(self.shown) + len(self.records)


def part(records: Iterable[Shown], limit: int, tail: bool) -> Part:
    """Return the first `limit` records or with `tail` the last ones; 0: all records.

    Records that cannot be read are not counted in the limit. They come with the others up to the last one, at most as
    many. All records are read and counted.
    """
    from lsqlc.connectors.unreadable import Unreadable

    # Each with its place among all.
    good: deque[tuple[int, Shown]] = deque(maxlen=limit if limit and tail else None)
    bad: deque[tuple[int, Shown]] = deque(maxlen=limit if limit and tail else None)
    counts = [0, 0]
    for number, record in enumerate(records):
        which = isinstance(record, Unreadable)
        counts[which] += 1
        records_kept = bad if which else good
        if not limit or tail or (counts[0] <= limit and len(records_kept) < limit):
            records_kept.append((number, record))
    total, failed = counts
    if limit and tail and total > limit:
        bad = deque(entry for entry in bad if entry[0] > good[0][0])
    if limit and not tail and total > limit:
        bad = deque(entry for entry in bad if entry[0] < good[-1][0])
    return Part(tuple(record for _, record in sorted([*good, *bad], key=itemgetter(0))), total, failed)


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """The records that a command asks for.

    `name`: a topic, or a model for what it writes; `target`: a name of profiles.yml, None: its default; `limit`: the
    number of records, 0: all; `tail`: the last ones; `changes`: the records of a TABLE instead of its rows; `rows`: the
    newest record of each key of any topic; `where`: a condition.
    """

    name: str
    target: str | None = None
    limit: int = 20
    tail: bool = False
    changes: bool = False
    rows: bool = False
    where: str | None = None


@dataclass(frozen=True, slots=True)
class OpenTopic:
    """A topic on a target. `has_rows`: it is shown as the rows of a TABLE; `condition`: for those that are shown."""

    topic: Topic
    has_rows: bool
    place: RunTarget
    request: ShowRequest
    condition: BoundCondition | None = None

    @property
    def matches(self) -> Matches | None:
        """The function that selects records; None without a condition. Raises LsqlcError for errors in it."""
        from lsqlc.tasks.show_where import matcher

        return None if self.condition is None else matcher(self.topic, self.condition)

    @property
    def has_times(self) -> bool:
        """Whether records are shown with their times."""
        return self.request.rows or not self.has_rows

    def read(self) -> Part:
        """Return the requested records, with those between them that cannot be read. Raises LsqlcError for a topic that
        cannot be read.
        """
        from lsqlc.tasks.show_where import filtered

        records = every_record_of(self.topic, self.place.log, self.place.root, rows=self.has_rows)
        return part(filtered(records, self.matches), self.request.limit, self.request.tail)

    def read_valid(self) -> Part:
        """Return the requested records. Raises LsqlcError also for a record that cannot be read."""
        records = records_of(self.topic, self.place.log, self.place.root, rows=self.has_rows)
        return part(records, self.request.limit, self.request.tail)


def open_topics(
    workspace: Workspace, request: ShowRequest, compilation: Compilation | None = None
) -> tuple[OpenTopic, ...]:
    """Return the topics of a name on a target, of which nothing has been read. `compilation`: of all models.

    Raises LsqlcError for an unknown topic or model (LSQ063), and for an unknown target.
    """
    from lsqlc.tasks.delta_topics import load_topics
    from lsqlc.tasks.run_target import open_compiled
    from lsqlc.tasks.selection import compile_selection
    from lsqlc.tasks.show_where import bound_condition

    target = workspace.target(request.target)
    if compilation is None:
        plans = _needs_plans(workspace, request.name) or target.capabilities.stores_bytes
        compilation = compile_selection(workspace, plans=plans)
    place = open_compiled(compilation, target)
    topics, kinds = _topics(compilation, request.name, place)
    load_topics(compilation.project.topics, place, {topic.name for topic in topics})
    where = request.where
    return tuple(
        OpenTopic(
            topic,
            request.rows or (kinds.get(topic.name) == "TABLE" and not request.changes),
            place,
            request,
            None if where is None else bound_condition(where, topic, compilation),
        )
        for topic in topics
    )


def _needs_plans(workspace: Workspace, name: str) -> bool:
    """Return whether the topics of a name are only known from plans, as those of stages and those that a program
    declares.
    """
    return name.startswith("_") or workspace.declares_topics


def _topics(compilation: Compilation, name: str, place: RunTarget) -> tuple[tuple[Topic, ...], Mapping[str, str]]:
    """Return the topics of a name, and the semantics of all topics."""
    internal = internal_topic(compilation, name, place)
    if internal is None:
        return topics_named(compilation, name), compilation.semantics
    return (internal[0],), {**compilation.semantics, name: internal[1]}


@dataclass(frozen=True, slots=True)
class TopicSchemas:
    """The schemas of topics, key before value. `unfit`: why facets have none in the language."""

    schemas: tuple[FacetSchema, ...]
    unfit: tuple[Diagnostic, ...]


def schemas_of(workspace: Workspace, name: str, language: Language) -> TopicSchemas:
    """Return the schemas of the topics of a name, which do not depend on a target. Raises LsqlcError LSQ063 for an
    unknown topic or model.
    """
    from lsqlc.bind.topic_schemas import topic_schemas
    from lsqlc.project.declared.target import Target
    from lsqlc.tasks.run_target import open_compiled

    compilation = workspace.compilation
    topics, _ = _topics(compilation, name, open_compiled(compilation, Target("embedded")))
    settings = {topic.name: dict(plan.settings) for plan in compilation.plans.values() for topic in plan.outputs}
    results = [topic_schemas(topic, language, settings.get(topic.name, {})) for topic in topics]
    return TopicSchemas(
        tuple(schema for schemas, _ in results for schema in schemas),
        tuple(diagnostic for _, diagnostics in results for diagnostic in diagnostics),
    )


def topic_records(workspace: Workspace, request: ShowRequest) -> Records:
    """Return records of a topic, or the rows of a TABLE by key. The models have no errors.

    Raises ValueError for a model that writes several topics. Raises LsqlcError as `open_topics`, and for records that
    cannot be read.
    """
    from lsqlc.report.frames import Records

    topics = open_topics(workspace, request, workspace.compilation)
    if len(topics) > 1:
        names = ", ".join(repr(each.topic.name) for each in topics)
        raise ValueError(f"the model '{request.name}' writes {names}; name one of them")
    (opened,) = topics
    selection = opened.read_valid()
    return Records(opened.topic, selection.records, times=opened.has_times, total=selection.total)
