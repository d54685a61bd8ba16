"""Rows of staged models beside those of the live ones: equal, changed, or only on one side, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from lsqlc.connectors.transport import Transport
from lsqlc.project.declared.expectations import Expectation
from lsqlc.remote.run.deployments import Deployment, Deployments
from lsqlc.remote.run.proofs import Proof
from lsqlc.tasks.deploy.equal_input import live_cuts_of
from lsqlc.tasks.deploy.note import aside_place, live_place
from lsqlc.tasks.deploy.pairs import Pair, expecting, pairs_of
from lsqlc.tasks.deploy.positions import Cut
from lsqlc.tasks.deploy.staging import Deployer, catch_up, live_topics
from lsqlc.tasks.deploy.stream_proof import StreamProof
from lsqlc.tasks.deploy.table_proof import TableProof
from lsqlc.tasks.deployment import changes

# What cannot be told in one round, since the live models go on, is compared so often.
_ROUNDS = 3

Cuts = Mapping[str, tuple[Cut, ...]]
"""The cuts of all chains of a live model, by model."""


def prove(
    deployer: Deployer, expected: Mapping[str, Expectation] | None = None, required: float = 1.0
) -> tuple[Proof, ...]:
    """Bring the staged models up to date, and compare each of their topics with the live one. There must be a staged
    line. `expected`: which rows may differ, by topic; None: nobody has said; `required`: the share of the rows of each
    topic that must be compared, from 0 to 1. Raises LsqlcError as `catch_up` and `expecting` do, and for a topic that
    cannot be read.
    """
    lines = deployer.lines()
    line = lines.staged
    assert line is not None, "whoever asks has looked"
    place, compilation = live_place(deployer.place, lines), deployer.compiled(line.models)
    with deployer.stores() as store:
        why = changes(compilation, place, store)
        pairs = pairs_of(compilation.plans, line.models, live_topics(store, line.models), why)
    aside = aside_place(deployer.place, lines, line).log
    found = proofs(
        expecting(pairs, expected),
        place.log,
        aside,
        lambda cuts: _bring(deployer, lines, line, cuts),
        lambda models: live_cuts_of(deployer, lines, line, models),
    )
    return tuple(replace(proof, required=required) for proof in found)


def proofs(
    pairs: Iterable[Pair],
    live: Transport,
    aside: Transport,
    bring: Callable[[Cuts], Collection[str]],
    cuts_of: Callable[[Collection[str]], Cuts] = lambda models: {},
) -> tuple[Proof, ...]:
    """The rows of TABLEs and the records of STREAMs on both sides, in the order of `pairs`. `bring`: has the models of
    `aside` read their input, those with cuts up to these; gives those that have perhaps not read all that their live
    records were made of; `cuts_of`: the cuts of those of some live models that can be compared at equal input. Raises
    LsqlcError as these do, and for a topic that cannot be read.
    """
    known = [TableProof(pair) if pair.semantics == "TABLE" else StreamProof(pair) for pair in pairs]
    for _ in range(_ROUNDS):
        if all(each.is_settled for each in known):
            break
        cuts = cuts_of({each.pair.model for each in known if not each.is_settled})
        looks = [None if each.is_settled else each.look(live, _cut_of(each.pair, cuts)) for each in known]
        inexact = bring(cuts)
        known = [
            each if look is None else look(aside, each.pair.model not in inexact)
            for each, look in zip(known, looks, strict=True)
        ]
    return tuple(each.proof() for each in known)


def _cut_of(pair: Pair, cuts: Cuts) -> Cut | None:
    return next((cut for cut in cuts.get(pair.model, ()) if pair.name in cut.contents), None)


def _bring(deployer: Deployer, lines: Deployments, line: Deployment, cuts: Cuts) -> Collection[str]:
    up_to = {model: [cut.position for cut in found] for model, found in cuts.items()}
    positions = catch_up(deployer, lines, line, up_to=up_to)
    return [model for model, found in positions.items() if not all(position.is_exact for position in found)]
