"""A topic as it grows: the records that come, or the rows of a TABLE as they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lsqlc.connectors.transport import NewRecords
from lsqlc.connectors.unreadable import Unreadable, among
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tasks.show import OpenTopic, part
from lsqlc.tasks.show_where import Matches, filtered
from lsqlc.types import codec
from lsqlc.types.record import Record, StoredRecord, Topic

# Records of a long topic that are looked at together.
_CHUNK = 5_000


def followed(topics: Sequence[OpenTopic]) -> OpenTopic:
    """Return the topic to follow. Raises LsqlcError LSQ684 for several topics and for one of files, and LSQ811 for a
    target whose topics cannot be followed.
    """
    opened = topics[0]
    topic, place = opened.topic, opened.place
    if len(topics) > 1:
        names = ", ".join(f"'{each.topic.name}'" for each in topics)
        message = f"only one topic can be followed, and the model writes {names}"
        raise LsqlcError([Diagnostic("LSQ684", message, help=f"name the topic: `lsqlc show {topic.name} --follow`")])
    if topic.files is not None:
        message = f"'{topic.name}' cannot be followed, since it is a folder of files"
        raise LsqlcError([Diagnostic("LSQ684", message, help="follow a topic that a model writes from it")])
    if not place.capabilities.can_follow:
        message = f"the topics of the target '{place.target.name}' cannot be followed"
        help = f"`lsqlc show {topic.name}` shows the records that the topic has now"
        raise LsqlcError([Diagnostic("LSQ811", message, help=help)])
    return opened


class Screen(Protocol):
    """Where what happens is shown."""

    def show(self, records: Sequence[StoredRecord | Unreadable]) -> None:
        """Further records of a STREAM, or changes of a TABLE's rows: a value of None is a row that went. Also records
        that cannot be read.
        """
        ...

    def begin_anew(self) -> None:
        """Clear the rows of a topic that was removed."""
        ...


@dataclass(frozen=True, slots=True)
class Feed:
    """The records of a topic as they come. `tail`: returns those since its last call, and adds records that cannot be
    read to `unreadable`; `matches`: selects records, None: all.
    """

    tail: Callable[[], NewRecords]
    matches: Matches | None = None
    unreadable: list[Unreadable] = field(default_factory=list)


def open_feed(opened: OpenTopic) -> Feed:
    """Return the records of a topic as they come. Raises LsqlcError for errors in the condition."""
    unreadable: list[Unreadable] = []
    matches = opened.matches
    tail = opened.place.log.tail(opened.topic, by_time=not opened.has_rows, bad=unreadable.append)
    return Feed(tail, matches, unreadable)


def follow(opened: OpenTopic, feed: Feed, screen: Screen, wait: Callable[[], bool]) -> None:
    """Show the records of a topic or the rows of a TABLE, then each change, until `wait` returns True: it pauses before
    each further look.
    """
    if opened.has_rows:
        follow_rows(opened.topic, feed, screen, wait)
    else:
        follow_records(feed, screen, opened.request.limit, wait)


def follow_records(feed: Feed, screen: Screen, limit: int, wait: Callable[[], bool]) -> None:
    """Show the last `limit` records (0: all), then those that come, until `wait` returns True."""
    last = part(filtered(among(feed.tail().records, feed.unreadable), feed.matches), limit, True).shown
    screen.show([record for record in last if not isinstance(record, Record)])
    while not wait():
        news = feed.tail()
        if news.anew:
            screen.begin_anew()
        for chunk in _chunks(filtered(among(news.records, feed.unreadable), feed.matches)):
            screen.show(chunk)


def follow_rows(topic: Topic, feed: Feed, screen: Screen, wait: Callable[[], bool]) -> None:
    """Show the rows of a TABLE, then each change of one, until `wait` returns True.

    Several changes of a row between two looks are one. A row for which the condition no longer holds is removed.
    Records that cannot be read come last.
    """
    rows = _Rows(topic, feed.matches)
    screen.show([*rows.take(feed.tail().records), *feed.unreadable])
    feed.unreadable.clear()
    while not wait():
        news = feed.tail()
        if news.anew:
            rows = _Rows(topic, feed.matches)
            screen.begin_anew()
        changes = rows.take(news.records)
        if changes or feed.unreadable:
            screen.show([*changes, *feed.unreadable])
            feed.unreadable.clear()


@dataclass(slots=True)
class _Rows:
    """The rows of a TABLE for which a condition holds, by the text of their key. The newest record of a key counts."""

    topic: Topic
    matches: Matches | None
    live: dict[bytes, StoredRecord] = field(default_factory=dict)
    newest: dict[bytes, tuple[int, ...]] = field(default_factory=dict)

    def take(self, records: Iterator[StoredRecord]) -> list[StoredRecord]:
        """Return the changes in order of keys: new and changed rows, and removed ones with the value None."""
        encode = codec.encoder(self.topic.key.type)
        fresh: dict[bytes, StoredRecord] = {}
        for record in records:
            # A null key does not make a row.
            if record.key is None:
                continue
            key = encode(record.key)
            if self.newest.get(key, ()) <= record.ordinal:
                self.newest[key] = record.ordinal
                fresh[key] = record
        live = [record for record in fresh.values() if record.value is not None]
        holds = dict(zip(map(id, live), self.matches(live), strict=True)) if self.matches else {}
        changed = []
        for key, record in fresh.items():
            if record.value is not None and holds.get(id(record), True):
                before = self.live.get(key)
                self.live[key] = record
                if before is None or before.value != record.value:
                    changed.append(record)
            elif self.live.pop(key, None) is not None:
                changed.append(StoredRecord(record.topic, record.key, None, record.timestamp, record.ordinal))
        return sorted(changed, key=lambda r: codec.sort_key(self.topic.key.type, r.key))


def _chunks(records: Iterator[StoredRecord | Unreadable]) -> Iterator[list[StoredRecord | Unreadable]]:
    chunk: list[StoredRecord | Unreadable] = []
    for record in records:
        chunk.append(record)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
