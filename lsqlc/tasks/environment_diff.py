"""Rows of an environment beside those of the target that it defers to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.expectations import Expectation
from lsqlc.remote.run.proofs import Proof
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.deploy.pairs import Pair, expecting, pairs_of
from lsqlc.tasks.deploy.proof import proofs
from lsqlc.tasks.deploy.staging import live_topics
from lsqlc.tasks.deployment import changes
from lsqlc.tasks.run_target import RunTarget


def pairs_at(
    compilation: Compilation, base: RunTarget, store: CheckpointStore, expected: Mapping[str, Expectation] | None
) -> tuple[Pair, ...]:
    """Return the topics of the models of an environment that the other target has too, as both write them. `base`: the
    other target, and `store` its checkpoints; `expected`: as in `expecting`, which says what is raised.
    """
    live = live_topics(store, compilation.plans)
    pairs = pairs_of(compilation.plans, compilation.plans, live, changes(compilation, base, store))
    return expecting((pair for pair in pairs if pair.name in live), expected)


def environment_proofs(
    base: RunTarget, place: RunTarget, pairs: Sequence[Pair], bring: Callable[[], object]
) -> tuple[Proof, ...]:
    """Compare the rows of TABLEs and the records of STREAMs on both sides, `base` first. `bring`: has the models of the
    environment read all new records. Raises LsqlcError as that does, and for a topic that cannot be read.
    """

    def bring_all(_: object) -> Collection[str]:
        bring()
        return ()

    return proofs(pairs, base.log, place.log, bring_all)
