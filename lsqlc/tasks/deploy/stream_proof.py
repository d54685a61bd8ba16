"""Records of a staged STREAM beside those of the live one, of the same input.

The records of both sides are those of the same input, where the live ones could be read between two of their batches.
Else the live records are read before the staged model reads its input, and those that have come since after it. All
that the first are made of is input that the staged model then reads: one that is missing is missing for good. One that
has come since may be of later input, and only serves to find the staged ones that are not live.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from lsqlc.connectors.transport import Transport
from lsqlc.golden.canonical import canonical_text
from lsqlc.remote.run.proofs import Difference, Proof
from lsqlc.tasks.deploy.pairs import SHOWN, Pair
from lsqlc.tasks.deploy.positions import Cut
from lsqlc.types.data import DataType
from lsqlc.types.record import Record, StoredRecord

# The text of a key, and a time.
_Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class StreamProof:
    """What is known of a topic after some rounds. `found`: the last comparison; None before the first round."""

    pair: Pair
    found: Proof | None = None
    is_settled: bool = False

    def look(self, live: Transport, cut: Cut | None = None) -> Callable[[Transport, bool], StreamProof]:
        """Read the live records, those of `cut` if there is one. Return a function to call once the staged model has
        read its input: it takes the staged topics, and whether the model has read all input of the live records, and
        returns the state of the proof. Both raise LsqlcError for a topic that cannot be read.
        """
        if cut is not None:
            records = _own(self.pair, cut.records(live, self.pair.live))

            def at_cut(aside: Transport, _: bool) -> StreamProof:
                staged = _plain(aside.tail(self.pair.staged, by_time=False)().records)
                return StreamProof(self.pair, compared(self.pair, records, (), staged, exact=True), is_settled=True)

            return at_cut
        tail = live.tail(self.pair.live, by_time=False)
        before = _own(self.pair, tail().records)

        def after(aside: Transport, exact: bool) -> StreamProof:
            news = tail()
            later = _own(self.pair, news.records)
            staged = _plain(aside.tail(self.pair.staged, by_time=False)().records)
            if news.anew:
                # The live topic was emptied meanwhile: what it had is not to be compared.
                return StreamProof(self.pair, compared(self.pair, (), later, staged))
            return StreamProof(self.pair, compared(self.pair, before, later, staged, exact=exact), exact)

        return after

    def proof(self) -> Proof:
        """The records in numbers, and the first that differ."""
        assert self.found is not None, "there was a round"
        return self.found


def compared(
    pair: Pair, live: Iterable[Record], later: Iterable[Record], staged: Iterable[Record], *, exact: bool = False
) -> Proof:
    """Records of one topic, in pairs of one key and time. `live`: those that were there before the staged model read;
    `later`: those that have come since; `exact`: whether it has read all that the first were made of.
    """
    columns: Counter[str] = Counter()
    differences: list[Difference] = []
    equal = changed = new = gone = late = unjudged = unexpected = 0

    def differ(key: str, one: Record | None, other: Record | None, names: tuple[str, ...] = ()) -> None:
        nonlocal unexpected
        if not pair.is_expected(one, other):
            unexpected += 1
            if len(differences) < SHOWN:
                differences.append(Difference(key, pair.live_text(one), pair.staged_text(other), names))

    before, since = _by_place(pair.live.key.type, live), _by_place(pair.live.key.type, later)
    aside = _by_place(pair.staged.key.type, staged)
    for place in dict.fromkeys((*aside, *before, *since)):
        mine, come, others = ([*side.get(place, ())] for side in (before, since, aside))
        equal += _remove_equal(pair, (mine, come), others)
        partners = [*mine, *come]
        for one, other in zip(partners, others, strict=False):
            names = pair.columns(one, other)
            columns.update(names)
            changed += 1
            differ(place[0], one, other, names)
        for other in others[len(partners) :]:
            new += 1
            differ(place[0], None, other)
        for one in mine[len(others) :] if exact else ():
            gone += 1
            differ(place[0], one, None)
        unpaired = len(mine) - len(others)
        unjudged += max(0, 0 if exact else unpaired)
        late += max(0, len(partners) - max(len(others), len(mine) if exact else 0))
    counts = _count(before) + _count(since), _count(aside)
    return Proof(
        pair.model, pair.name, *counts, equal, changed, new, gone, late, dict(sorted(columns.items())),
        tuple(differences), "STREAM", None if pair.expected is None else unexpected, pair.changes,
        unjudged,
    )  # fmt: skip


def _own(pair: Pair, records: Iterable[StoredRecord]) -> list[Record]:
    return [record for record in _plain(records) if pair.is_own(record)]


def _plain(records: Iterable[StoredRecord]) -> list[Record]:
    return [Record(r.topic, r.key, r.value, r.timestamp) for r in records]


def _remove_equal(pair: Pair, live: Iterable[list[Record]], staged: list[Record]) -> int:
    """Take the records that both sides have out of their lists; gives how many there were."""
    equal = 0
    for record in list(staged):
        for records in live:
            same = next((number for number, each in enumerate(records) if pair.same(each, record)), None)
            if same is not None:
                del records[same]
                staged.remove(record)
                equal += 1
                break
    return equal


def _by_place(key: DataType, records: Iterable[Record]) -> dict[_Place, list[Record]]:
    """Records by the text of the key, and the time."""
    places: dict[_Place, list[Record]] = {}
    for record in records:
        places.setdefault((canonical_text(key, record.key), record.timestamp), []).append(record)
    return places


def _count(places: Mapping[_Place, list[Record]]) -> int:
    return sum(map(len, places.values()))
