"""A deployment of a project on a target, step by step: stage, prove, promote, roll back, remove.

Each step holds the locks that it needs, and the steps read from the target what is deployed there.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.expectations import Expectation
from lsqlc.project.workspace import Workspace, sound
from lsqlc.remote.run.deployments import Deployment, Deployments
from lsqlc.remote.run.locks import run_lock
from lsqlc.remote.run.proofs import Proof
from lsqlc.remote.run.restarts import Clock
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.deploy.note import check_no_promotion, live_place, read_lines
from lsqlc.tasks.deploy.promotion import Promoted, abort, forget_kept, nothing, promote, rollback
from lsqlc.tasks.deploy.proof import prove
from lsqlc.tasks.deploy.staging import Deployer, stage, worth_staging
from lsqlc.tasks.deployment import steps
from lsqlc.tasks.detached import check_detached
from lsqlc.tasks.run import check_plans
from lsqlc.tasks.run_context import Console, RunRequest
from lsqlc.tasks.run_target import RunTarget, open_compiled
from lsqlc.tasks.selection import ModelSelection, compile_selection

# Models that run at the same time, at most.
_MOST_THREADS = 4


@dataclass(frozen=True, slots=True)
class DeployServices:
    """The services of a command that deploys.

    `stores`: opens the checkpoints of a target; `console`: the terminal of the runs of staged models, which calls the
    function that it is given to check the lease; `say`: prints a line; `user`: who deploys; `time`: seconds since 1970.
    """

    stores: Callable[[RunTarget], AbstractContextManager[CheckpointStore]]
    console: Callable[[RunTarget, Callable[[], None]], AbstractContextManager[Console]]
    say: Callable[[str], None]
    user: str
    time: Callable[[], float]


@dataclass(frozen=True, slots=True)
class DeployTarget:
    """A project without errors, and the target that it is deployed to."""

    workspace: Workspace
    compilation: Compilation
    place: RunTarget

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.workspace.name

    def lines(self) -> Deployments:
        """Return the models that are staged on the target, and those that are kept for a rollback."""
        return read_lines(self.place, self.name)


def open_deployment(workspace: Workspace, target: str | None) -> DeployTarget:
    """Return the project on a target; None: the default of profiles.yml. Raises ProjectError for errors in the models,
    and LsqlcError for models that cannot run there.
    """
    compilation = sound(workspace.compilation)
    place = open_compiled(compilation, workspace.target(target))
    check_plans(compilation, place)
    return DeployTarget(workspace, compilation, place)


def stage_models(opened: DeployTarget, services: DeployServices, selection: ModelSelection) -> tuple[str, ...]:
    """Run the selected models aside until all input is read, and return their names.

    Without a selection they are those that are staged already. If none is, they are those that a run would rebuild, and
    TABLEs with old rows that would stay. Raises LsqlcError as `stage`.
    """
    models = _models(opened, services, selection)
    if models:
        services.say(f"staging {', '.join(models)}")
        with _beside(opened, services) as deployer:
            stage(deployer, models, id=_new_id(), by=services.user, at=services.time())
    return models


def _models(opened: DeployTarget, services: DeployServices, selection: ModelSelection) -> tuple[str, ...]:
    lines = opened.lines()
    if not selection.is_whole:
        return tuple(compile_selection(opened.workspace, selection).plans)
    if lines.staged is not None:
        return tuple(lines.staged.models)
    with services.stores(opened.place) as store:
        next_steps = steps(opened.compilation, live_place(opened.place, lines), store)
    return worth_staging(next_steps, opened.compilation)


def prove_staged(
    opened: DeployTarget, services: DeployServices, expectations: Mapping[str, Expectation] | None, share: float
) -> tuple[Proof, ...]:
    """Compare the rows of the staged models with the live ones.

    `expectations`: the differences that are meant, by topic; `share`: the part of the rows that must be compared, from
    0 to 1. Raises LsqlcError if nothing is staged, or if a promotion has begun, and as `prove`.
    """
    lines = opened.lines()
    if lines.staged is None:
        raise LsqlcError([nothing("staged", "`lsqlc deploy stage` stages the models that have changed")])
    check_no_promotion(lines)
    with _beside(opened, services) as deployer:
        return prove(deployer, expectations, share)


def promote_staged(opened: DeployTarget, services: DeployServices) -> tuple[Promoted, ...]:
    """Replace the live models by those that are staged. Raises LsqlcError as `promote`, and while a model runs."""
    with _exclusive(opened, services) as deployer:
        return promote(deployer)


def roll_back(opened: DeployTarget, services: DeployServices) -> tuple[Promoted, ...]:
    """Replace the live models by those of before the last promotion. Raises LsqlcError as `rollback`, and while a model
    runs.
    """
    with _exclusive(opened, services) as deployer:
        return rollback(deployer, id=_new_id(), by=services.user, at=services.time())


def remove_staged(opened: DeployTarget, services: DeployServices) -> Deployment:
    """Remove the staged models with their topics and checkpoints, and return what they were."""
    with _beside(opened, services) as deployer:
        return abort(deployer)


def remove_kept(opened: DeployTarget, services: DeployServices) -> Deployment | None:
    """Remove the models that are kept for a rollback, and return what they were; None if there are none."""
    with _beside(opened, services) as deployer:
        return forget_kept(deployer)


@contextmanager
def _beside(opened: DeployTarget, services: DeployServices) -> Iterator[Deployer]:
    """Return the deployer, while nobody else deploys. The models may run meanwhile."""
    with _locked(opened) as check_lease, _deployer(opened, services, check_lease) as deployer:
        yield deployer


@contextmanager
def _exclusive(opened: DeployTarget, services: DeployServices) -> Iterator[Deployer]:
    """Return the deployer, while neither a model runs nor anybody else deploys."""
    place = opened.place
    with run_lock(place.state), place.lease(opened.name) as check_lease, _locked(opened):
        check_detached(place, opened.name, takes_over=False)
        with _deployer(opened, services, check_lease) as deployer:
            yield deployer


@contextmanager
def _locked(opened: DeployTarget) -> Iterator[Callable[[], None]]:
    """Keep others from deploying, and return a function that raises LsqlcError once that lease is lost."""
    place = opened.place
    with run_lock(place.state / "deploy", "deployed"), place.lease(opened.name, "deployed") as check_lease:
        yield check_lease


@contextmanager
def _deployer(opened: DeployTarget, services: DeployServices, check_lease: Callable[[], None]) -> Iterator[Deployer]:
    place = opened.place
    with services.console(place, check_lease) as console:
        request = RunRequest(min(_MOST_THREADS, os.cpu_count() or 1), clock=Clock(wall=services.time))
        yield Deployer(place, opened.compilation, partial(services.stores, place), request, console)


def _new_id() -> str:
    return uuid.uuid4().hex[:6]
