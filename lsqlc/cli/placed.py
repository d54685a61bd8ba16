"""The models that a verb is about and the target that they run on, which decide one another in an environment."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.cli import project
from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Project
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.environment_note import Environment
    from lsqlc.tasks.live_tests import LiveTests
    from lsqlc.tasks.run_target import RunTarget


@dataclass(frozen=True, slots=True)
class Placed:
    """`compilation`: of the models that run, without errors. On a target that defers to another one, `before` is what
    it has held until now, and `environment` what it holds once they run; None on other targets. `tests`: data tests
    that run beside them.
    """

    compilation: Compilation
    place: RunTarget
    tests: LiveTests
    before: Environment | None = None
    environment: Environment | None = None

    @property
    def whole(self) -> Compilation:
        """The models and the tests, as a run takes them."""
        from lsqlc.tasks.live_tests import with_tests

        return with_tests(self.compilation, self.tests)


def placed(
    sh: Shell,
    workspace: Workspace,
    target: str | None,
    select: Sequence[str] | None,
    exclude: Sequence[str] | None,
    *,
    state: str | None = None,
    tests: bool = False,
) -> Placed:
    """Return the selected models on a target.

    On a target that defers to another one, and without a selection: the models whose program is not live there, and
    their readers. `tests`: with the data tests of the topics that they read and write, see `beside`.

    Raises LsqlcError for models that do not compile, and as `open_target` and `beside` do.
    """
    from lsqlc.cli.spark import opened_store
    from lsqlc.cli.who import who
    from lsqlc.tasks.environment_note import read_environment
    from lsqlc.tasks.environments import changed_models, with_models
    from lsqlc.tasks.live_tests import NO_TESTS, beside
    from lsqlc.tasks.run_target import open_compiled, open_target
    from lsqlc.tasks.selection import sound_selection

    described_target = workspace.target(target)
    compilation = sound_selection(workspace, select, exclude, state=state)
    if described_target.defers is None:
        data_tests = beside(compilation, described_target) if tests else NO_TESTS
        return Placed(
            compilation, open_compiled(compilation, described_target, others=data_tests.plans.values()), data_tests
        )
    is_selection = bool(select or exclude)
    if not is_selection:
        base = open_compiled(compilation, described_target.defers)
        sh.say(f"comparing the models with those of the target '{base.target.name}'")
        with opened_store(sh, base) as store:
            compilation = compilation.only(changed_models(compilation, base, store))
    before = read_environment(open_target(workspace.root, described_target, project=workspace.project), workspace.name)
    data_tests = beside(compilation, described_target) if tests else NO_TESTS
    environment = with_models(compilation, before, added=is_selection, by=who(), at=time.time()).also(
        data_tests.written
    )
    place = open_compiled(
        compilation, replace(described_target, own=environment.topics), others=data_tests.plans.values()
    )
    return Placed(compilation, place, data_tests, before, environment)


def enter(sh: Shell, placement: Placed, *, full_refresh: bool) -> None:
    """Note what an environment holds from now on. Hold the lock and the lease of the project. `full_refresh`: the state
    of its models is removed. Raises LsqlcError LSQ788, and as the note does.
    """
    from lsqlc.cli.spark import opened_store
    from lsqlc.tasks.environment_note import write_environment
    from lsqlc.tasks.environments import check_cluster, check_inputs

    place, now = placement.place, placement.environment
    if now is None or place.target.defers is None:
        return
    base = place.target.defers.name
    check_cluster(place)
    if placement.before is not None and not full_refresh:
        with opened_store(sh, place) as store:
            check_inputs(placement.before, now, placement.compilation.plans, store, place.target)
    write_environment(place, placement.compilation.project.config.name, now)
    others = len(placement.compilation.project.models) - len(now.models)
    sh.say(f"the environment '{place.target.name}' runs {', '.join(placement.compilation.plans)}")
    sh.say(f"the topics of the other {others} models are read from '{base}'" if others > 1 else
           f"other topics are read from '{base}'")  # fmt: skip


def nothing_to_run(placement: Placed, loaded: Project) -> str:
    """Return the reason why there is no model to run."""
    if not loaded.models:
        return "the project has no models to run"
    base = placement.place.target.defers
    return f"no model differs from those of the target '{base.name}'" if base else "no model is selected"


def run_folder(root: Path, target: str | None) -> Path:
    """Return the folder with the status of runs on a target. A target that defers to another one has its own.

    Without a name, and without a default in profiles.yml, it is that of the project.
    """
    from lsqlc.project.declared.profiles import load_target
    from lsqlc.tasks.run_target import state_folder

    run_target, _ = load_target(root, target, dict(os.environ))
    return root / project.STATE_FOLDER if run_target is None else state_folder(root, run_target)
