"""Rows of staged models beside those of the live ones: equal, changed, or only on one side, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from lsqlc.project.declared.expectations import Expectation
from lsqlc.remote.run.proofs import Proof
from lsqlc.tasks.deploy.note import aside_place, live_place
from lsqlc.tasks.deploy.pairs import Pair, expecting, pairs_of
from lsqlc.tasks.deploy.staging import Deployer, catch_up, live_topics
from lsqlc.tasks.deploy.stream_proof import StreamProof
from lsqlc.tasks.deploy.table_proof import TableProof
from lsqlc.tasks.deployment import changes
from lsqlc.topics.transport import Transport

# What cannot be told in one round, since the live models go on, is compared so often.
_ROUNDS = 3


def prove(deployer: Deployer, expected: Mapping[str, Expectation] | None = None) -> tuple[Proof, ...]:
    """Bring the staged models up to date, and compare each of their topics with the live one. There must be a staged
    line. `expected`: which rows may differ, by topic; None: nobody has said. Raises LsqlcError as `catch_up` and
    `expecting` do, and for a topic that cannot be read.
    """
    lines = deployer.lines()
    line = lines.staged
    assert line is not None, "whoever asks has looked"
    place, compilation = live_place(deployer.place, lines), deployer.compiled(line.models)
    with deployer.stores() as store:
        why = changes(compilation, place, store)
        pairs = pairs_of(compilation.plans, line.models, live_topics(store, line.models), why)
    aside = aside_place(deployer.place, lines, line).log

    def bring() -> Collection[str]:
        positions = catch_up(deployer, lines, line)
        return [model for model, position in positions.items() if not position.is_exact]

    return proofs(expecting(pairs, expected), place.log, aside, bring)


def proofs(
    pairs: Iterable[Pair], live: Transport, aside: Transport, bring: Callable[[], Collection[str]]
) -> tuple[Proof, ...]:
    """The rows of TABLEs and the records of STREAMs on both sides, in the order of `pairs`. `bring`: has the models of
    `aside` read their input; gives those that have perhaps not read all that their live records were made of. Raises
    LsqlcError as that does, and for a topic that cannot be read.
    """
    known = [TableProof(pair) if pair.semantics == "TABLE" else StreamProof(pair) for pair in pairs]
    for _ in range(_ROUNDS):
        if all(each.is_settled for each in known):
            break
        looks = [None if each.is_settled else each.look(live) for each in known]
        inexact = bring()
        known = [
            each if look is None else look(aside, each.pair.model not in inexact)
            for each, look in zip(known, looks, strict=True)
        ]
    return tuple(each.proof() for each in known)
