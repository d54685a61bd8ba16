"""Where a query begins to read its topics when it has no checkpoint of Spark to go on from.

A start such as `30d` means a place in each topic. The place is looked up once for all queries of a run, and noted
beside the checkpoint: a query that is killed before its first batch begins there again, and who compares the results
knows which records they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lsqlc.connectors.transport import Offsets
from lsqlc.project.declared.starts import Begun, Start


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where a new query begins, by topic; a topic that is not there is read from its first record on. A start is looked
    up with `find`, what has begun elsewhere is taken as it is.
    """

    starts: Mapping[str, Start | Begun] = field(default_factory=dict)
    find: Callable[[str, Start], Begun] | None = None

    @property
    def texts(self) -> Mapping[str, str]:
        """The starts as they are written."""
        return {topic: start.text for topic, start in self.starts.items()}

    def of(self, topics: tuple[str, ...]) -> Beginning:
        """The beginning of a query that reads these topics."""
        return Beginning({t: start for t, start in self.starts.items() if t in topics}, self.find)

    def begun(self) -> dict[str, Begun]:
        """The places. Raises LsqlcError as the topics do."""
        return {topic: self._begun(topic, start) for topic, start in self.starts.items()}

    def _begun(self, topic: str, start: Start | Begun) -> Begun:
        if isinstance(start, Begun):
            # What others have read of a history, this one has still to read.
            return replace(start, is_read=False)
        assert self.find is not None, "a start is looked up in a topic"
        return self.find(topic, start)


WHOLE = Beginning()


class Finder:
    """Looks up each start of a topic once. `place`: as `lsqlc.connectors.transport.Transport.place`; `now`: the current
    time, in epoch milliseconds; `check`: raises LsqlcError for places that cannot be begun at.
    """

    def __init__(
        self,
        place: Callable[[str, int | None], Offsets],
        now: int,
        check: Callable[[str, Start, Offsets], None] = lambda topic, start, places: None,
    ) -> None:
        self._place, self._now, self._check = place, now, check
        self._found: dict[tuple[str, str], Begun] = {}

    def __call__(self, topic: str, start: Start) -> Begun:
        if (topic, start.text) not in self._found:
            time = start.time(self._now)
            places = self._place(topic, time)
            self._check(topic, start, places)
            self._found[topic, start.text] = Begun(start.text, time, tuple(sorted(places.items())), start.history)
        return self._found[topic, start.text]


def begun_data(begun: Mapping[str, Begun]) -> dict[str, Any]:
    """What is noted beside a checkpoint, as JSON-ready data."""
    return {topic: _data(each) for topic, each in begun.items()}


def begun_from(data: Mapping[str, Any]) -> dict[str, Begun]:
    """What `begun_data` wrote. Raises KeyError, TypeError, ValueError or AttributeError for anything else."""
    return {
        topic: Begun(
            str(each["start"]),
            None if each["time"] is None else int(each["time"]),
            tuple((int(p), int(place)) for p, place in each["places"].items()),
            str(each.get("history", "")),
            bool(each.get("is read", False)),
        )
        for topic, each in data.items()
    }


def _data(begun: Begun) -> dict[str, Any]:
    places = {str(p): place for p, place in begun.places}
    data: dict[str, Any] = {"start": begun.text, "time": begun.time, "places": places}
    return {**data, "history": begun.history, "is read": begun.is_read} if begun.history else data
