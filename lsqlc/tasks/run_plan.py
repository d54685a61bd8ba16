"""`lsqlc plan`: the changes that a run would make on a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.declared.starts import Start
from lsqlc.remote.connectors.record import NeededTopics
from lsqlc.remote.run.locks import holder
from lsqlc.remote.run.target_steps import ACTIONS, Action, Running, Step, commands, refreshed
from lsqlc.tasks.delta_topics import table_problems
from lsqlc.tasks.deploy.staging import stageable
from lsqlc.tasks.deployment import steps, steps_of_tests
from lsqlc.tasks.detached import read_detached
from lsqlc.tasks.growing import growing
from lsqlc.tasks.native_writers import Delivery, deliveries
from lsqlc.tasks.placement import Placement, Services
from lsqlc.tasks.real_time import Latencies
from lsqlc.tasks.run import check_plans, own_writers
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.starts import check_times, starts_at


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The changes that a run would make. Nothing has been changed.

    `steps`: one for each model; `tests`: one for each topic with data tests; `created_topics`: those that do not exist;
    `stageable_models`: those that `lsqlc deploy stage` could run beside the live ones; `deliveries`: how often a record
    reaches each topic; `running`: the active run, with a sentence; `commands`: to run next; `notes`, `problems`:
    diagnostics of the models, and of the topics.
    """

    steps: tuple[Step, ...]
    tests: tuple[Step, ...]
    created_topics: tuple[str, ...]
    stageable_models: tuple[str, ...]
    latencies: Latencies
    deliveries: Mapping[str, Delivery]
    running: Running | None
    running_text: str
    commands: tuple[str, ...]
    notes: tuple[Diagnostic, ...]
    problems: tuple[Diagnostic, ...]

    @property
    def is_possible(self) -> bool:
        """Whether the topics that exist fit the models."""
        return not any(d.is_error for d in self.problems)

    @property
    def rebuilt_models(self) -> tuple[str, ...]:
        """The models whose state and results are computed again."""
        return refreshed(self.steps)

    def passes(self, gate: Action | None) -> bool:
        """Return whether the run is possible, and no model has this action or a more severe one; None: any is fine."""
        limit = len(ACTIONS) if gate is None else ACTIONS.index(gate)
        return self.is_possible and all(ACTIONS.index(step.action) < limit for step in self.steps)


def plan_run(placement: Placement, services: Services, *, start: Start | None, target_name: str | None) -> RunPlan:
    """Return the plan of a run. `start`: where new queries begin to read; `target_name`: the option of the command.

    Raises LsqlcError as `check_plans`, LSQ750 for a start in the future, and as the target does.
    """
    compilation, place, now = placement.compilation, placement.place, services.now
    latencies = check_plans(placement.whole, place)
    requirements = NeededTopics(placement.whole.plans, own_writers(place, placement.whole))
    created, problems = place.spark_connector.planned_topics(requirements, place.target.connection)
    starts = starts_at(compilation, place, start)
    check_times(starts, now)
    with services.stores(place) as store:
        model_steps = steps(compilation, place, store, starts, now)
        test_steps = steps_of_tests(placement.tests, place, store)
    running, text = _running(place, compilation.project.config.name)
    inputs = {topic.name for plan in compilation.plans.values() for topic in plan.inputs}
    return RunPlan(
        model_steps,
        test_steps,
        created,
        stageable(model_steps, compilation),
        latencies,
        deliveries(compilation, place.capabilities, latencies.models),
        running,
        text,
        commands(model_steps, target_name, running),
        (*latencies.found, *growing(compilation, place)),
        (*problems, *table_problems(compilation.project.topics, place, inputs)),
    )


def _running(place: RunTarget, project: str) -> tuple[Running | None, str]:
    """Return the run that is active on the target as data and as text: one of this machine, or a detached one."""
    process = holder(place.state)
    if process is not None:
        return "process", f"process {process} runs the project"
    detached = None if place.target.type == "embedded" else read_detached(place, project)
    return ("detached", f"a detached run continues on the server '{detached.server}'") if detached else (None, "")
