"""Rows of staged models beside those of the live ones: equal, changed, or only on one side, cell by cell.

Both sides read topics that grow. A row that differs counts only if it stands still: the live rows are read before the
staged models read what has come, and again after it, and a row that changed in between is compared once more in the
next round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lsqlc.golden.canonical import canonical_text
from lsqlc.plan.plan import Plan
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.run.proofs import Difference, Proof
from lsqlc.tasks.deploy.note import aside_place, live_place
from lsqlc.tasks.deploy.staging import Deployer, catch_up
from lsqlc.topics.transport import Transport
from lsqlc.types import codec
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Record, Topic

# How many rows of a topic are shown.
SHOWN = 5
# Rows that change while they are compared are compared so often.
_ROUNDS = 3

Rows = Mapping[str, Record]


def prove(deployer: Deployer) -> tuple[Proof, ...]:
    """Bring the staged models up to date, and compare each of their topics with the live one. There must be a staged
    line. Raises LsqlcError as `catch_up` does, and for a topic that cannot be read.
    """
    lines = deployer.lines()
    line = lines.staged
    assert line is not None, "whoever asks has looked"
    live, aside = live_place(deployer.place, lines).log, aside_place(deployer.place, lines, line).log
    topics = tables(deployer.compilation.plans, line.models)
    compared: dict[str, _Compared] = {topic.name: _Compared() for _, topic in topics}
    for _ in range(_ROUNDS):
        left = [topic for _, topic in topics if not compared[topic.name].is_settled]
        if not left:
            break
        before = {topic.name: table_rows(live, topic) for topic in left}
        catch_up(deployer, lines, line)
        for topic in left:
            compared[topic.name] = compared[topic.name].after(topic, before[topic.name], lambda t: table_rows(live, t),
                                                              table_rows(aside, topic))  # fmt: skip
    return tuple(compared[topic.name].proof(model, topic) for model, topic in topics)


def tables(plans: Mapping[str, Plan], models: Iterable[str]) -> tuple[tuple[str, Topic], ...]:
    """The topics of rows that models write, with the model."""
    return tuple((model, topic) for model in plans if model in set(models) for topic in plans[model].outputs)


def table_rows(log: Transport, topic: Topic) -> dict[str, Record]:
    """The rows of a TABLE by the text of their keys."""
    rows = final_rows(topic, log.read(topic, by_time=False))
    return {canonical_text(topic.key.type, row.key): row for row in rows}


def same_value(topic: Topic, one: Record, other: Record) -> bool:
    """Whether two rows have the same value."""
    return codec.equal(topic.value.type, one.value, other.value)


@dataclass(frozen=True, slots=True)
class _Compared:
    """What is known of a topic after some rounds. `moving`: keys to look at again; None before the first round."""

    live: Mapping[str, Record] | None = None
    staged: Mapping[str, Record] | None = None
    differing: tuple[str, ...] = ()
    moving: frozenset[str] | None = None

    @property
    def is_settled(self) -> bool:
        return self.moving == frozenset()

    def after(self, topic: Topic, before: Rows, again: Callable[[Topic], Rows], staged: Rows) -> _Compared:
        """One more round. `before`: the live rows before the staged models were brought up to date."""
        suspects = [key for key in {**before, **staged} if not _equal(topic, before.get(key), staged.get(key))]
        if self.moving is not None:
            # What stood still in an earlier round is known.
            suspects = [key for key in suspects if key in self.moving or key in self.differing]
        live = again(topic) if suspects else before
        moved = frozenset(key for key in suspects if not _equal(topic, before.get(key), live.get(key)))
        differing = tuple(key for key in suspects if key not in moved)
        moved -= frozenset(key for key in moved if _equal(topic, live.get(key), staged.get(key)))
        return _Compared(live, staged, differing, moved)

    def proof(self, model: str, topic: Topic) -> Proof:
        assert self.live is not None and self.staged is not None and self.moving is not None, "there was a round"
        columns: Counter[str] = Counter()
        differences: list[Difference] = []
        changed = new = gone = 0
        for key in self.differing:
            live, staged = self.live.get(key), self.staged.get(key)
            names: tuple[str, ...] = ()
            if live is None:
                new += 1
            elif staged is None:
                gone += 1
            else:
                changed += 1
                names = changed_columns(topic.value.type, live.value, staged.value)
                columns.update(names)
            if len(differences) < SHOWN:
                differences.append(Difference(key, _text(topic, live), _text(topic, staged), names))
        equal = len({*self.live, *self.staged}) - len(self.differing) - len(self.moving)
        return Proof(
            model, topic.name, len(self.live), len(self.staged), equal, changed, new, gone, len(self.moving),
            dict(sorted(columns.items())), tuple(differences),
        )  # fmt: skip


def changed_columns(type: DataType, live: Any, staged: Any) -> tuple[str, ...]:
    """The columns of a value that differ; none of a value without columns."""
    if not isinstance(type, Struct) or live is None or staged is None:
        return ()
    return tuple(f.name for f in type.fields if not codec.equal(f.type, live[f.name], staged[f.name]))


def _text(topic: Topic, row: Record | None) -> str | None:
    return None if row is None else canonical_text(topic.value.type, row.value)


def _equal(topic: Topic, one: Record | None, other: Record | None) -> bool:
    return one is other if one is None or other is None else same_value(topic, one, other)
