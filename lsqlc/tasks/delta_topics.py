"""Topics of Delta tables: the versions that a topic lacks are appended to it, each once.

The topic is an ordinary one of the target, so that all commands and queries read it as any other. The segments of a
version have its number in their name, see `Transport.append_version`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, errors, listing
from lsqlc.diagnostics.extras import require
from lsqlc.golden.show import plural
from lsqlc.tables.delta.feed import DeltaFeed
from lsqlc.tables.delta.reader import DeltaReader
from lsqlc.tables.delta.source import DeltaSource
from lsqlc.tables.delta.store import STORE, DeltaSettings

if TYPE_CHECKING:
    from lsqlc.project.declared.declarations import TopicDeclaration
    from lsqlc.project.declared.target import Target
    from lsqlc.project.model import Project
    from lsqlc.tasks.run_target import RunTarget
    from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was appended to a topic. `versions`: how many versions of the table; `version`: the last one that was read,
    of this load or an earlier one; None: no version yet.
    """

    topic: str
    records: int
    versions: int
    version: int | None

    def __str__(self) -> str:
        if self.version is None:
            return f"'{self.topic}' begins with a later version of its Delta table"
        if not self.versions:
            return f"'{self.topic}' has version {self.version} of its Delta table already"
        records = plural(self.records, "record")
        return f"'{self.topic}' has {records} more, up to version {self.version} of its Delta table"


def reader_of(declaration: TopicDeclaration, root: Path, target: Callable[[], Target]) -> DeltaReader:
    """Return the reader of a topic's table. `root`: the folder of the project; `target`: gives the target whose stores
    the topic can name.

    Raises LsqlcError: LSQ099 for a missing package, LSQ561 for a store that the target does not have.
    """
    source, topic = declaration.delta, declaration.topic
    assert source is not None, "the topic is one of a Delta table"
    require(*STORE.packages)
    options: dict[str, str] = {}
    address = source.path
    if source.store is not None:
        settings = _store(source, target())
        address, options = f"{settings.path}/{source.path}", settings.options
    uri = address if "://" in address else str(root / address)
    return DeltaReader(uri, address, topic.name, options)


def _store(source: DeltaSource, target: Target) -> DeltaSettings:
    stores = {name: store.settings for name, store in target.stores.items() if store.kind is STORE}
    assert source.store is not None
    settings: DeltaSettings | None = stores.get(source.store)
    if settings is None:
        message = f"the target '{target.name}' has no store '{source.store}' of Delta tables"
        example = f"add `tables: {{{source.store}: {{delta: {{path: lake}}}}}}` to the target in profiles.yml"
        help = did_you_mean(source.store, stores) or (f"the stores are {listing(stores)}" if stores else example)
        raise LsqlcError([Diagnostic("LSQ561", message, source.span, help=help)])
    return settings


def delta_topics(declared: Iterable[TopicDeclaration], names: Collection[str] | None = None) -> list[TopicDeclaration]:
    """Return the topics of Delta tables with these names, in their order; None: all."""
    return [each for each in declared if each.delta is not None and (names is None or each.topic.name in names)]


def load_topics(
    declared: Iterable[TopicDeclaration],
    place: RunTarget,
    names: Collection[str] | None = None,
    *,
    say: Callable[[Loaded], None] = lambda loaded: None,
) -> None:
    """Append to each topic of a Delta table the versions that it lacks. `names`: of topics, others are left out; None:
    all. `say`: called for each topic.

    Topics that an environment reads from another target are left out. Raises LsqlcError: LSQ609 for a target that
    cannot take them, LSQ615 for a topic with other records, and as `DeltaFeed`.
    """
    for feed in open_feeds(declared, place, names):
        say(_load(feed, place))


def open_feeds(
    declared: Iterable[TopicDeclaration], place: RunTarget, names: Collection[str] | None = None
) -> Iterator[DeltaFeed]:
    """Yield the feed of each topic that `load_topics` appends to, of which nothing has been read. Raises LsqlcError
    LSQ609, and as `reader_of`.
    """
    for declaration in delta_topics(declared, names):
        if place.read_from(declaration.topic.name) is not None:
            continue
        if not place.capabilities.takes_versions:
            raise LsqlcError([refusal(declaration.topic, place)])
        assert declaration.delta is not None
        reader = reader_of(declaration, place.root, lambda: place.target)
        yield DeltaFeed(declaration.topic, declaration.delta, reader)


def table_problems(
    declared: Iterable[TopicDeclaration], place: RunTarget, names: Collection[str]
) -> tuple[Diagnostic, ...]:
    """Return the reasons why the tables of some topics cannot be loaded, as far as they are known without their rows.

    Raises LsqlcError as `open_feeds`.
    """
    problems: list[Diagnostic] = []
    for feed in open_feeds(declared, place, names):
        try:
            _ = feed.columns
            _position(feed, place)
        except LsqlcError as error:
            problems += error.diagnostics
    return tuple(problems)


def _load(feed: DeltaFeed, place: RunTarget) -> Loaded:
    log, topic, writer = place.log, feed.topic, feed.writer
    position = _position(feed, place)
    records = versions = 0
    for part in feed.parts(position):
        count = log.append_version(topic, part.records, writer=writer, version=part.version, previous=position)
        if count is None:
            # Another process was faster, and goes on.
            position = _position(feed, place)
            break
        position = part.version + 1
        records, versions = records + count, versions + 1
    return Loaded(topic.name, records, versions, None if position is None else position - 1)


def _position(feed: DeltaFeed, place: RunTarget) -> int | None:
    """Return the first version that the topic lacks, None for a topic without any. Raises LsqlcError LSQ615."""
    name = feed.topic.name
    positions = place.log.versions(name)
    position = positions.get(feed.writer)
    if positions.keys() - {feed.writer}:
        reason = "they are of another table, another key or other `rows`, or were appended by another command"
        raise LsqlcError([_other_records(name, feed.reader.address, reason)])
    if position is not None and position > feed.reader.version + 1:
        # Another process may have read versions that are newer than those of this reader.
        newest = replace(feed.reader).version
        if position > newest + 1:
            reason = f"version {position - 1} was read, and the newest one is {newest}"
            raise LsqlcError([_other_records(name, feed.reader.address, reason)])
    return position


def _other_records(topic: str, address: str, reason: str) -> Diagnostic:
    return Diagnostic(
        "LSQ615",
        f"the topic '{topic}' has records that are not of the Delta table '{address}' as it is declared",
        notes=(reason,),
        help=f"read the table again: `lsqlc tables load {topic} --full-refresh`",
    )


def refusal(topic: Topic, place: RunTarget) -> Diagnostic:
    """Return LSQ609 for a target whose topics cannot follow a table."""
    return Diagnostic(
        "LSQ609",
        f"the topic '{topic.name}' is a Delta table, which the target '{place.target.name}' cannot read",
        notes=(f"its topics are {place.connector.where}; compile, build and test support any",),
        help="run on a target with topics in folders, one without `kafka`",
    )


def named_topics(project: Project, names: Sequence[str]) -> list[TopicDeclaration]:
    """Return the topics of Delta tables that a command asks for; all without names.

    Raises LsqlcError: LSQ063 for an unknown name, and the errors of the project.
    """
    if problems := errors(project.diagnostics):
        raise LsqlcError(problems)
    topics = delta_topics(project.topics)
    options = [each.topic.name for each in topics]
    for name in names:
        if name not in options:
            help = did_you_mean(name, options) or (
                f"they are {listing(options)}" if options else "declare one: `connector: delta`"
            )
            raise LsqlcError([Diagnostic("LSQ063", f"no topic of a Delta table is called '{name}'", help=help)])
    return [each for each in topics if not names or each.topic.name in names]


# Seconds between two looks for new versions. Each look lists the log of the table.
_INTERVAL = 5.0
# What another look may change: a store that does not answer.
_PASSING = frozenset(("LSQ610",))


class TableWatch:
    """The looks for new versions during a continuous run. `load`: appends them; `monotonic`: a clock, in seconds;
    `show`: shows an outage of a store, once until it ends.
    """

    def __init__(
        self,
        load: Callable[[], None],
        monotonic: Callable[[], float],
        show: Callable[[Iterable[Diagnostic]], None],
    ) -> None:
        self._load = load
        self._monotonic = monotonic
        self._show = show
        self._due = monotonic() + _INTERVAL
        self._is_out = False

    def keep_up(self) -> None:
        """Look for new versions if it is time. Raises LsqlcError as `load_topics`, other than for an outage."""
        if self._monotonic() < self._due:
            return
        try:
            self._load()
            self._is_out = False
        except LsqlcError as error:
            if not {d.code for d in error.diagnostics} <= _PASSING:
                raise
            if not self._is_out:
                self._show(error.diagnostics)
            self._is_out = True
        finally:
            self._due = self._monotonic() + _INTERVAL
