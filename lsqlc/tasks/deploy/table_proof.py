"""Rows of a staged TABLE beside those of the live one.

The rows of both sides are those of the same input, where the live ones could be read between two of their batches. Else
both sides read topics that grow, and a row that differs counts only if it has not changed meanwhile: the live rows are
read before the staged model reads what has come, and again after it, and a row that changed in between is compared once
more in the next round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lsqlc.connectors.transport import Transport
from lsqlc.golden.canonical import canonical_text
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.run.proofs import Difference, Proof
from lsqlc.tasks.deploy.pairs import SHOWN, Pair
from lsqlc.tasks.deploy.positions import Cut
from lsqlc.types.record import Record, StoredRecord, Topic

Rows = Mapping[str, Record]


def table_rows(log: Transport, topic: Topic) -> dict[str, Record]:
    """The rows of a TABLE by the text of their keys."""
    return _rows(topic, log.read(topic, by_time=False))


def _rows(topic: Topic, records: Iterable[StoredRecord]) -> dict[str, Record]:
    return {canonical_text(topic.key.type, row.key): row for row in final_rows(topic, records)}


def written_keys(log: Transport, topic: Topic) -> dict[str, Any]:
    """The keys of all records of a topic by their text, whatever columns the values have."""
    return {canonical_text(topic.key.type, key): key for key in log.written_keys(topic)}


@dataclass(frozen=True, slots=True)
class TableProof:
    """What is known of a topic after some rounds. `moving`: keys to look at again; None before the first round."""

    pair: Pair
    live: Rows = field(default_factory=dict)
    staged: Rows = field(default_factory=dict)
    differing: tuple[str, ...] = ()
    moving: frozenset[str] | None = None

    @property
    def is_settled(self) -> bool:
        """Whether a further round says no more."""
        return self.moving == frozenset()

    def look(self, live: Transport, cut: Cut | None = None) -> Callable[[Transport, bool], TableProof]:
        """Read the live rows, those of `cut` if there is one. Return a function to call once the staged model has read
        the same input, or without a cut all input: it takes the staged topics, and returns the state of the proof. Both
        raise LsqlcError for a topic that cannot be read.
        """
        if cut is not None:
            rows = _rows(self.pair.live, cut.records(live, self.pair.live))
            return lambda aside, _: TableProof(self.pair).after(rows, lambda: rows, table_rows(aside, self.pair.staged))
        before = table_rows(live, self.pair.live)

        def after(aside: Transport, _: bool) -> TableProof:
            return self.after(before, lambda: table_rows(live, self.pair.live), table_rows(aside, self.pair.staged))

        return after

    def after(self, before: Rows, again: Callable[[], Rows], staged: Rows) -> TableProof:
        """One more round. `before`: the live rows before the staged model was brought up to date."""
        same = self.pair.same
        suspects = [key for key in {**before, **staged} if not same(before.get(key), staged.get(key))]
        if self.moving is not None:
            # What was equal in an earlier round is known.
            suspects = [key for key in suspects if key in self.moving or key in self.differing]
        live = again() if suspects else before
        stood = self.pair.stood
        moved = {key for key in suspects if not stood(before.get(key), live.get(key))}
        differing = tuple(key for key in suspects if key not in moved)
        moving = frozenset(key for key in moved if not same(live.get(key), staged.get(key)))
        return TableProof(self.pair, live, staged, differing, moving)

    def proof(self) -> Proof:
        """The rows in numbers, and the first that differ."""
        columns: Counter[str] = Counter()
        differences: list[Difference] = []
        changed = new = gone = unexpected = 0
        for key in self.differing:
            live, staged = self.live.get(key), self.staged.get(key)
            names: tuple[str, ...] = ()
            if live is None:
                new += 1
            elif staged is None:
                gone += 1
            else:
                changed += 1
                names = self.pair.columns(live, staged)
                columns.update(names)
            expected = self.pair.is_expected(live, staged)
            unexpected += not expected
            if not expected and len(differences) < SHOWN:
                sides = self.pair.live_text(live), self.pair.staged_text(staged)
                differences.append(Difference(key, *sides, names))
        moving = len(self.moving or ())
        equal = len({*self.live, *self.staged}) - len(self.differing) - moving
        return Proof(
            self.pair.model, self.pair.name, len(self.live), len(self.staged), equal, changed, new, gone, moving,
            dict(sorted(columns.items())), tuple(differences), uncompared=moving,
            unexpected=None if self.pair.expected is None else unexpected,
            changes=self.pair.changes,
        )  # fmt: skip
