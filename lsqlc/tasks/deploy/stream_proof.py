"""Records of staged STREAMs beside those of the live ones, of the same input.

A staged STREAM has read what the live one had read a moment ago. While the live one runs on, records that only it has
may be of later input: they count only if it has stood still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lsqlc.golden.canonical import canonical_text
from lsqlc.remote.run.proofs import Difference, Proof
from lsqlc.tasks.deploy.handover import live_position
from lsqlc.tasks.deploy.note import aside_place, live_place
from lsqlc.tasks.deploy.pairs import SHOWN, Pair
from lsqlc.tasks.deploy.staging import Deployer, catch_up
from lsqlc.topics.transport import Transport
from lsqlc.types.data import DataType
from lsqlc.types.record import Record, Topic

# While the live STREAMs run on, they are compared so often.
_ROUNDS = 3


def stream_proofs(deployer: Deployer, pairs: Sequence[Pair]) -> tuple[Proof, ...]:
    """Bring the staged models up to where the live ones are, and compare the records of STREAMs. Raises LsqlcError as
    `catch_up` does, and for a topic that cannot be read.
    """
    if not pairs:
        return ()
    lines = deployer.lines()
    line = lines.staged
    assert line is not None, "whoever asks has looked"
    live = live_place(deployer.place, lines)
    found: tuple[Proof, ...] = ()
    aside = aside_place(deployer.place, lines, line).log
    for _ in range(_ROUNDS):
        before = catch_up(deployer, lines, line)
        records = [(pair, stream_records(live.log, pair.live), stream_records(aside, pair.staged)) for pair in pairs]
        with deployer.stores() as store:
            after = {model: live_position(live, store, model) for model in before}
        stood = {model: before[model] == after[model] and after[model].is_exact for model in before}
        found = tuple(compared(pair, one, other, stood=stood[pair.model]) for pair, one, other in records)
        if not any(proof.moving for proof in found):
            break
    return found


def compared(pair: Pair, live: Iterable[Record], staged: Iterable[Record], *, stood: bool) -> Proof:
    """Records of one topic, in pairs of one key and time. `stood`: what is only live is of the same input."""
    left, right = _by_place(pair.live.key.type, live), _by_place(pair.staged.key.type, staged)
    columns: Counter[str] = Counter()
    differences: list[Difference] = []
    equal = changed = new = gone = unexpected = 0

    def differ(key: str, one: Record | None, other: Record | None, names: tuple[str, ...] = ()) -> None:
        nonlocal unexpected
        if not pair.is_expected(one, other):
            unexpected += 1
            differences.append(Difference(key, pair.live_text(one), pair.staged_text(other), names))

    for place in dict.fromkeys((*right, *left)):
        mine, others = list(left.get(place, ())), list(right.get(place, ()))
        for record in list(others):
            same = next((each for each in mine if pair.same(each, record)), None)
            if same is not None:
                mine.remove(same)
                others.remove(record)
                equal += 1
        both = min(len(mine), len(others))
        for one, other in zip(mine, others, strict=False):
            names = pair.columns(one, other)
            columns.update(names)
            differ(place[0], one, other, names)
        changed += both
        new += len(others) - both
        gone += len(mine) - both
        for other in others[both:]:
            differ(place[0], None, other)
        for one in mine[both:] if stood else ():
            differ(place[0], one, None)
        del differences[SHOWN:]
    counts = sum(map(len, left.values())), sum(map(len, right.values()))
    return Proof(
        pair.model, pair.name, *counts, equal, changed, new, gone if stood else 0, 0 if stood else gone,
        dict(sorted(columns.items())), tuple(differences), "STREAM", None if pair.expected is None else unexpected,
        pair.changes,
    )  # fmt: skip


def stream_records(log: Transport, topic: Topic) -> list[Record]:
    """The records of a STREAM."""
    return [Record(r.topic, r.key, r.value, r.timestamp) for r in log.read(topic)]


def _by_place(key: DataType, records: Iterable[Record]) -> dict[tuple[str, int], list[Record]]:
    """Records by the text of the key, and the time."""
    found: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        found.setdefault((canonical_text(key, record.key), record.timestamp), []).append(record)
    return found
