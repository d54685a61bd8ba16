"""The records of a topic, or the rows of a TABLE."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lsqlc.connectors.transport import Transport
    from lsqlc.connectors.unreadable import Unreadable
    from lsqlc.plan.nodes import Semantics
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.report.frames import Records
    from lsqlc.tasks.run_target import RunTarget
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


def topic_records(
    workspace: Workspace,
    name: str,
    *,
    target: str | None = None,
    limit: int = 20,
    tail: bool = False,
    changes: bool = False,
) -> Records:
    """Return records of a topic, or the rows of a TABLE by key. Its arguments are those of `lsqlc.Project.show`.

    Raises ValueError for a model that writes several topics. Raises LsqlcError for an unknown topic or model (LSQ063),
    for an unknown target, and for records that cannot be read.
    """
    from lsqlc.report.frames import Records
    from lsqlc.tasks.run_target import open_compiled

    compilation, described_target = workspace.compilation, workspace.target(target)
    topics = topics_named(compilation, name)
    if len(topics) > 1:
        raise ValueError(f"the model '{name}' writes {', '.join(repr(t.name) for t in topics)}; name one of them")
    (topic,) = topics
    kinds = {t: kind for plan in compilation.plans.values() for t, kind in plan.semantics.items()}
    rows = kinds.get(topic.name) == "TABLE" and not changes
    place = open_compiled(compilation, described_target)
    selection = part(records_of(topic, place.log, workspace.root, rows=rows), limit, tail)
    return Records(topic, selection.records, times=not rows, total=selection.total)
