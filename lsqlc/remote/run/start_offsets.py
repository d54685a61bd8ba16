"""The start offsets of queries without a checkpoint of Spark.

A start such as `30d` is resolved to offsets of each topic. This happens once for all queries of a run. The offsets are
stored next to the checkpoint, so a query that is killed before its first batch uses them again. A comparison of results
can see from which records they were computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lsqlc.connectors.transport import Offsets
from lsqlc.project.declared.starts import Begun, Start


@dataclass(frozen=True, slots=True)
class StartOffsets:
    """The start of a new query in each topic. A topic without one is read from its first record.

    `find`: resolves a start to offsets. The offsets of another query (`Begun`) are used unchanged.
    """

    starts: Mapping[str, Start | Begun] = field(default_factory=dict)
    find: Callable[[str, Start], Begun] | None = None

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the starts, such as `30d`."""
        return {topic: start.text for topic, start in self.starts.items()}

    def of(self, topics: tuple[str, ...]) -> StartOffsets:
        """Return the start of a query that reads these topics."""
        return StartOffsets({t: start for t, start in self.starts.items() if t in topics}, self.find)

    def resolve(self) -> dict[str, Begun]:
        """Return the start offsets by topic. Raises LsqlcError as the topics do."""
        return {topic: self._resolve(topic, start) for topic, start in self.starts.items()}

    def _resolve(self, topic: str, start: Start | Begun) -> Begun:
        if isinstance(start, Begun):
            # Another query has read the history already, but this one has not.
            return replace(start, is_read=False)
        assert self.find is not None, "starts are resolved by `find`"
        return self.find(topic, start)


WHOLE = StartOffsets()


class OffsetFinder:
    """A function that resolves each start of a topic once.

    `place`: `lsqlc.connectors.transport.Transport.place`; `now`: the current time, in epoch milliseconds; `check`:
    raises LsqlcError for offsets at which a query cannot start.
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


def begun_data(offsets: Mapping[str, Begun]) -> dict[str, Any]:
    """Return start offsets as JSON-ready data, to be stored next to a checkpoint."""
    return {topic: _data(each) for topic, each in offsets.items()}


def begun_from(data: Mapping[str, Any]) -> dict[str, Begun]:
    """Parse the data of `begun_data`. Raises KeyError, TypeError, ValueError or AttributeError for other data."""
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


def _data(offsets: Begun) -> dict[str, Any]:
    places = {str(p): place for p, place in offsets.places}
    data: dict[str, Any] = {"start": offsets.text, "time": offsets.time, "places": places}
    return {**data, "history": offsets.history, "is read": offsets.is_read} if offsets.history else data
