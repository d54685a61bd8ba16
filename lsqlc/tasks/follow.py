"""A topic as it grows: the records that come, or the rows of a TABLE as they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lsqlc.connectors.transport import NewRecords
from lsqlc.connectors.unreadable import Unreadable, among
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.show import part
from lsqlc.tasks.show_where import Matches, filtered
from lsqlc.types import codec
from lsqlc.types.record import Record, StoredRecord, Topic

# Records of a long topic that are looked at together.
_CHUNK = 5_000


def followed(topics: Sequence[Topic], place: RunTarget) -> Topic:
    """Return the topic to follow. Raises LsqlcError LSQ684 for several topics and for one of files, and LSQ811 for a
    target whose topics cannot be followed.
    """
    topic = topics[0]
    if len(topics) > 1:
        names = ", ".join(f"'{t.name}'" for t in topics)
        message = f"only one topic can be followed, and the model writes {names}"
        raise LsqlcError([Diagnostic("LSQ684", message, help=f"name the topic: `lsqlc show {topic.name} --follow`")])
    if topic.files is not None:
        message = f"'{topic.name}' cannot be followed, since it is a folder of files"
        raise LsqlcError([Diagnostic("LSQ684", message, help="follow a topic that a model writes from it")])
    if not place.capabilities.can_follow:
        message = f"the topics of the target '{place.target.name}' cannot be followed"
        help = f"`lsqlc show {topic.name}` shows the records that the topic has now"
        raise LsqlcError([Diagnostic("LSQ811", message, help=help)])
    return topic


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


def follow_records(
    tail: Callable[[], NewRecords],
    screen: Screen,
    matches: Matches | None,
    limit: int,
    wait: Callable[[], bool],
    bad: list[Unreadable],
) -> None:
    """Show the last `limit` records (0: all), then those that come, until `wait` says that it is enough: it pauses
    before each further look. `bad`: to which the tail adds records that cannot be read.
    """
    last = part(filtered(among(tail().records, bad), matches), limit, True).shown
    screen.show([record for record in last if not isinstance(record, Record)])
    while not wait():
        news = tail()
        if news.anew:
            screen.begin_anew()
        for chunk in _chunks(filtered(among(news.records, bad), matches)):
            screen.show(chunk)


def follow_rows(
    topic: Topic,
    tail: Callable[[], NewRecords],
    screen: Screen,
    matches: Matches | None,
    wait: Callable[[], bool],
    bad: list[Unreadable],
) -> None:
    """Show the rows of a TABLE, then each change of one, until `wait` says that it is enough. Several changes of a row
    between two looks are one; a row for which the condition holds no longer goes. `bad`: as of `follow_records`, shown
    behind the changes.
    """
    rows = _Rows(topic, matches)
    screen.show([*rows.take(tail().records), *bad])
    bad.clear()
    while not wait():
        news = tail()
        if news.anew:
            rows = _Rows(topic, matches)
            screen.begin_anew()
        changed = rows.take(news.records)
        if changed or bad:
            screen.show([*changed, *bad])
            bad.clear()


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
