"""The models of a command and the target that they run on. In an environment each decides the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from lsqlc.project.build.compile import Compilation
from lsqlc.project.workspace import Workspace
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.environment_note import Environment, read_environment, write_environment
from lsqlc.tasks.environments import changed_models, check_cluster, check_inputs, with_models
from lsqlc.tasks.live_tests import NO_TESTS, LiveTests, beside, with_tests
from lsqlc.tasks.run_target import RunTarget, open_compiled, open_target
from lsqlc.tasks.selection import ModelSelection, sound_selection


@dataclass(frozen=True, slots=True)
class PlacementRequest:
    """The models and the target that a command asks for.

    `target`: a name of profiles.yml, None: its default; `select`, `exclude`, `state`: see `compile_selection`; `tests`:
    with the data tests of the topics that the models read and write, see `beside`.
    """

    target: str | None = None
    select: Sequence[str] = ()
    exclude: Sequence[str] = ()
    state: str | None = None
    tests: bool = False


@dataclass(frozen=True, slots=True)
class Services:
    """The services of a command. `stores`: opens the checkpoints of a target; `say`: prints a line; `user`: who calls
    the command; `now`: in seconds since 1970.
    """

    stores: Callable[[RunTarget], AbstractContextManager[CheckpointStore]]
    say: Callable[[str], None]
    user: str
    now: float


@dataclass(frozen=True, slots=True)
class Placement:
    """The models that run, without errors, and their target.

    On a target that defers to another one, `before` is its former content, and `environment` the content once the
    models run; None on other targets. `tests`: data tests that run beside the models.
    """

    compilation: Compilation
    place: RunTarget
    tests: LiveTests = field(default=NO_TESTS)
    before: Environment | None = None
    environment: Environment | None = None

    @property
    def whole(self) -> Compilation:
        """The models and the tests, as a run takes them."""
        return with_tests(self.compilation, self.tests)


def place_models(workspace: Workspace, request: PlacementRequest, services: Services) -> Placement:
    """Return the selected models on a target.

    On a target that defers to another one, and without a selection: the models whose program is not live there, and
    their readers. Raises LsqlcError for models that do not compile, and as `open_target` and `beside` do.
    """
    target = workspace.target(request.target)
    selection = ModelSelection(request.select, request.exclude, request.state)
    compilation = sound_selection(workspace, selection)
    if target.defers is None:
        tests = beside(compilation, target) if request.tests else NO_TESTS
        return Placement(compilation, open_compiled(compilation, target, others=tests.plans.values()), tests)
    if selection.is_whole:
        base = open_compiled(compilation, target.defers)
        services.say(f"comparing the models with those of the target '{base.target.name}'")
        with services.stores(base) as store:
            compilation = compilation.only(changed_models(compilation, base, store))
    before = read_environment(open_target(workspace.root, target, project=workspace.project), workspace.name)
    tests = beside(compilation, target) if request.tests else NO_TESTS
    environment = with_models(compilation, before, added=not selection.is_whole, by=services.user, at=services.now)
    environment = environment.also(tests.written)
    place = open_compiled(compilation, replace(target, own=environment.topics), others=tests.plans.values())
    return Placement(compilation, place, tests, before, environment)


def enter_environment(placement: Placement, services: Services, *, full_refresh: bool) -> None:
    """Note the content of an environment from now on. Hold the lock and the lease of the project.

    `full_refresh`: the state of its models is removed. Raises LsqlcError LSQ788, and as the note does.
    """
    place, environment = placement.place, placement.environment
    if environment is None or place.target.defers is None:
        return
    base = place.target.defers.name
    check_cluster(place)
    if placement.before is not None and not full_refresh:
        with services.stores(place) as store:
            check_inputs(placement.before, environment, placement.compilation.plans, store, place.target)
    project = placement.compilation.project
    write_environment(place, project.config.name, environment)
    others = len(project.models) - len(environment.models)
    services.say(f"the environment '{place.target.name}' runs {', '.join(placement.compilation.plans)}")
    services.say(
        f"the topics of the other {others} models are read from '{base}'"
        if others > 1
        else f"other topics are read from '{base}'"
    )


def why_nothing_runs(placement: Placement) -> str:
    """Return the reason why there is no model to run."""
    if not placement.compilation.project.models:
        return "the project has no models to run"
    base = placement.place.target.defers
    return f"no model differs from those of the target '{base.name}'" if base else "no model is selected"
