"""Rows of an environment beside those of the target that it defers to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.expectations import Expectation
from lsqlc.remote.run.proofs import Proof
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.deploy.pairs import Pair, expecting, pairs_of
from lsqlc.tasks.deploy.proof import compared_tables
from lsqlc.tasks.deploy.staging import live_topics
from lsqlc.tasks.deploy.stream_proof import compared, stream_records
from lsqlc.tasks.deployment import changes
from lsqlc.tasks.places import Place
from lsqlc.topics.transport import Transport


def pairs_at(
    compilation: Compilation, base: Place, store: CheckpointStore, expected: Mapping[str, Expectation] | None
) -> tuple[Pair, ...]:
    """The topics of the models of an environment that the other target has too, as both write them. `base`: the other
    target, and `store` its checkpoints; `expected`: as in `expecting`, which says what is raised.
    """
    live = live_topics(store, compilation.plans)
    pairs = pairs_of(compilation.plans, compilation.plans, live, changes(compilation, base, store))
    return expecting((pair for pair in pairs if pair.name in live), expected)


def environment_proofs(
    base: Place, place: Place, pairs: Sequence[Pair], bring: Callable[[], object]
) -> tuple[Proof, ...]:
    """The rows of TABLEs and the records of STREAMs on both sides, `base` first. `bring`: has the models of the
    environment read what has come. Raises LsqlcError as that does, and for a topic that cannot be read.

    Records of a STREAM that only `base` has are not counted while it runs on: they may be of later input.
    """
    streams = [pair for pair in pairs if pair.semantics == "STREAM"]
    ends = {pair.name: base.log.end(pair.live) for pair in streams}
    tables = compared_tables([pair for pair in pairs if pair.semantics == "TABLE"], base.log, place.log, bring)
    if streams and not tables:
        bring()
    found = [_streams(base.log, place.log, pair, ends[pair.name]) for pair in streams]
    return (*tables, *found)


def _streams(base: Transport, own: Transport, pair: Pair, end: tuple[int, ...] | None) -> Proof:
    mine = stream_records(own, pair.staged)
    live = stream_records(base, pair.live)
    return compared(pair, live, mine, stood=base.end(pair.live) == end)
