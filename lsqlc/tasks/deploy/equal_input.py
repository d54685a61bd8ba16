"""Find moments at which the records of live models are those of a known input, while the models run.

A query is between two batches, or its newest batch is as a whole in its topic, for a part of the time: it is looked at
until that is so. A staged model that has read further than the live one waits for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from lsqlc.remote.run.deployments import Deployment, Deployments
from lsqlc.tasks.deploy.note import aside_place, live_place
from lsqlc.tasks.deploy.positions import Cut, Position, live_cuts, live_positions
from lsqlc.tasks.deploy.staging import Deployer
from lsqlc.tasks.real_time import latencies

# Seconds that a model is looked at, that one which reads nothing is waited for, and between two looks.
_PATIENCE = 30.0
_STANDING = 5.0
_PAUSE = 0.1


def live_cuts_of(
    deployer: Deployer, lines: Deployments, line: Deployment, models: Collection[str]
) -> Mapping[str, tuple[Cut, ...]]:
    """The cuts of some live models, for each of its chains, by model: up to these the staged models of `line` can read.
    A model is left out that runs in real time or reads files of other tools, that is not seen between two batches
    within half a minute, or that has read less than the staged one and does not go on.

    Raises LsqlcError LSQ793 for checkpoints that cannot be read, and as the topics do; KeyboardInterrupt where it was
    stopped.
    """
    live, aside = live_place(deployer.place, lines), aside_place(deployer.place, lines, line)
    compilation = deployer.compiled(line.models)
    real_time = latencies(compilation, deployer.place).models
    plans = compilation.plans
    found: dict[str, tuple[Cut, ...]] = {}
    with deployer.stores() as store:
        below = store.below(line.folder)
        for model in models:
            if model in real_time or any(topic.files is not None for topic in plans[model].inputs):
                continue
            staged = live_positions(aside, below, model)
            cuts = _reached(deployer, partial(live_cuts, live, store, model), staged)
            if cuts is not None:
                found[model] = cuts
    return found


def _reached(
    deployer: Deployer, look: partial[tuple[Cut, ...] | None], staged: Collection[Position]
) -> tuple[Cut, ...] | None:
    """The cuts, once they are not before what the staged queries have read; None if that does not come about."""
    now = deployer.request.clock.monotonic
    begun = moved = now()
    last: list[Position] = []
    while now() - begun < _PATIENCE:
        cuts = look()
        if cuts is not None:
            positions = [cut.position for cut in cuts]
            if all(_reaches(positions, each) for each in staged):
                return cuts
            if positions != last:
                last, moved = positions, now()
            elif now() - moved > _STANDING:
                return None
        if deployer.console.wait(_PAUSE):
            raise KeyboardInterrupt
    return None


def _reaches(live: Collection[Position], staged: Position) -> bool:
    same = [position for position in live if position.outputs & staged.outputs] or live
    return all(position.reaches(staged) for position in same)
