"""Rows of staged models beside those of the live ones: equal, changed, or only on one side, cell by cell.

Both sides read topics that grow. A row that differs counts only if it stands still: the live rows are read before the
staged models read what has come, and again after it, and a row that changed in between is compared once more in the
next round.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lsqlc.golden.canonical import canonical_text
from lsqlc.project.declared.expectations import Expectation
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.run.proofs import Difference, Proof
from lsqlc.tasks.deploy.note import aside_place, live_place
from lsqlc.tasks.deploy.pairs import SHOWN, Pair, expecting, pairs_of
from lsqlc.tasks.deploy.staging import Deployer, catch_up, live_topics
from lsqlc.tasks.deploy.stream_proof import stream_proofs
from lsqlc.tasks.deployment import changes
from lsqlc.topics.log import FileLog
from lsqlc.topics.transport import Transport
from lsqlc.types import codec
from lsqlc.types.record import ABSENT, Record, Topic

# Rows that change while they are compared are compared so often.
_ROUNDS = 3

Rows = Mapping[str, Record]


def prove(deployer: Deployer, expected: Mapping[str, Expectation] | None = None) -> tuple[Proof, ...]:
    """Bring the staged models up to date, and compare each of their topics with the live one. There must be a staged
    line; STREAMs are compared as `stream_proofs` says. `expected`: which rows may differ, by topic; None: nobody has
    said. Raises LsqlcError as `catch_up` and `expecting` do, and for a topic that cannot be read.
    """
    lines = deployer.lines()
    line = lines.staged
    assert line is not None, "whoever asks has looked"
    place, compilation = live_place(deployer.place, lines), deployer.compiled(line.models)
    with deployer.stores() as store:
        why = changes(compilation, place, store)
        pairs = pairs_of(compilation.plans, line.models, live_topics(store, line.models), why)
    pairs = expecting(pairs, expected)
    live, aside = place.log, aside_place(deployer.place, lines, line).log
    tables = [pair for pair in pairs if pair.semantics == "TABLE"]
    proofs = compared_tables(tables, live, aside, lambda: catch_up(deployer, lines, line))
    streams = stream_proofs(deployer, [pair for pair in pairs if pair.semantics == "STREAM"])
    return (*proofs, *streams)


def compared_tables(
    pairs: Iterable[Pair], live: Transport, aside: Transport, bring: Callable[[], object]
) -> tuple[Proof, ...]:
    """The rows of TABLEs on both sides. `bring`: has those of `aside` read what has come. Raises LsqlcError as that
    does, and for a topic that cannot be read.
    """
    compared = {pair.name: _Compared(pair) for pair in pairs}
    for _ in range(_ROUNDS):
        left = [each for each in compared.values() if not each.is_settled]
        if not left:
            break
        before = {each.pair.name: table_rows(live, each.pair.live) for each in left}
        bring()
        for each in left:
            rows = partial(table_rows, live, each.pair.live)
            compared[each.pair.name] = each.after(before[each.pair.name], rows, table_rows(aside, each.pair.staged))
    return tuple(each.proof() for each in compared.values())


def table_rows(log: Transport, topic: Topic) -> dict[str, Record]:
    """The rows of a TABLE by the text of their keys."""
    rows = final_rows(topic, log.read(topic, by_time=False))
    return {canonical_text(topic.key.type, row.key): row for row in rows}


def written_keys(log: Transport, topic: Topic) -> dict[str, Any]:
    """The keys of all records of a topic by their text, whatever columns the values have."""
    if isinstance(log, FileLog):
        decode = codec.decoder(topic.key.type)
        lines = (line for segment in log.segments(topic.name) for line in segment.read_bytes().splitlines())
        found = (json.loads(line)["key"] for line in lines)
        keys = [decode(json.dumps(key).encode()) for key in found if key is not None]
    else:
        keys = [record.key for record in log.read(replace(topic, value=ABSENT), by_time=False)]
    return {canonical_text(topic.key.type, key): key for key in keys if key is not None}


@dataclass(frozen=True, slots=True)
class _Compared:
    """What is known of a topic after some rounds. `moving`: keys to look at again; None before the first round."""

    pair: Pair
    live: Rows = field(default_factory=dict)
    staged: Rows = field(default_factory=dict)
    differing: tuple[str, ...] = ()
    moving: frozenset[str] | None = None

    @property
    def is_settled(self) -> bool:
        return self.moving == frozenset()

    def after(self, before: Rows, again: Callable[[], Rows], staged: Rows) -> _Compared:
        """One more round. `before`: the live rows before the staged models were brought up to date."""
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
        return _Compared(self.pair, live, staged, differing, moving)

    def proof(self) -> Proof:
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
            dict(sorted(columns.items())), tuple(differences),
            unexpected=None if self.pair.expected is None else unexpected,
            changes=self.pair.changes,
        )  # fmt: skip
