"""`lsqlc plan`: what a run would change on a target."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import shell

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.project.build.compile import Compilation
    from lsqlc.remote.run.target_steps import Running
    from lsqlc.tasks.run_target import RunTarget


def command(
    select: options.Select = None,
    exclude: options.Exclude = None,
    state: options.State = None,
    target: options.Target = None,
    since: options.From = None,
    fail_on: Annotated[
        Literal["change", "rebuild"] | None,
        typer.Option("--fail-on", help="Exit with 1 if a model is changed, or if one has to be rebuilt."),
    ] = None,
    tests: options.Tests = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show what a run would change on a target: which models continue from their checkpoints, start, or have to be
    rebuilt, why, and how many records that replays; which topics are created; and the commands to run. Changes nothing.
    """
    with shell("plan", output, quiet) as sh:
        from lsqlc.cli.given import given_start
        from lsqlc.cli.placed import placed
        from lsqlc.cli.spark import opened_store
        from lsqlc.remote.run.target_steps import ACTIONS, commands, refreshed
        from lsqlc.report.json_report import diagnostic_data
        from lsqlc.report.plan_report import data_of_tests, plan_text, tests_plan_text
        from lsqlc.tasks.deploy.staging import stageable
        from lsqlc.tasks.deployment import steps, steps_of_tests
        from lsqlc.tasks.growing import growing
        from lsqlc.tasks.native_writers import deliveries, guarantee
        from lsqlc.tasks.real_time import latencies, latency_text
        from lsqlc.tasks.run import check_plans
        from lsqlc.tasks.starts import check_times, starts_at

        start = given_start(since)
        workspace = project.opened(sh, project_dir, vars)
        loaded = workspace.project
        with_tests = loaded.config.live_tests.run if tests is None else tests
        placement = placed(sh, workspace, target, select, exclude, state=state, tests=with_tests)
        compilation, place = placement.compilation, placement.place
        check_plans(placement.whole, place)
        created, wrong = _topics(placement.whole, place)
        starts, now = starts_at(compilation, place, start), time.time()
        check_times(starts, now)
        with opened_store(sh, place) as store:
            planned_steps = steps(compilation, place, store, starts, now)
            tested = steps_of_tests(placement.tests, place, store)
        aside = stageable(planned_steps, compilation)
        model_latencies = latencies(compilation, place)
        notes = (*model_latencies.found, *growing(compilation, place))
        delivered = deliveries(compilation, place.capabilities, model_latencies.models)
        sentence = guarantee(delivered)
        running, status_text = _running(place, loaded.config.name)
        next = commands(planned_steps, target, running)
        gate = ACTIONS.index(fail_on) if fail_on else len(ACTIONS)
        failed = any(d.is_error for d in wrong)
        ok = not failed and all(ACTIONS.index(step.action) < gate for step in planned_steps)
        if sh.json:
            sh.document(
                {
                    "version": 1,
                    "command": "plan",
                    "ok": ok,
                    "target": place.target.name,
                    "fail_on": fail_on,
                    "models": [step.to_json() for step in planned_steps],
                    "tests": [data_of_tests(step) for step in tested],
                    "creates": list(created),
                    "delivers": dict(delivered),
                    "real_time": sorted(model_latencies.models),
                    "running": running,
                    "commands": list(next),
                    "diagnostics": [diagnostic_data(d) for d in (*notes, *wrong)],
                }
            )
        else:
            sh.result(plan_text(planned_steps, width=sh.width))
            if tested:
                sh.result("\n" + tests_plan_text(tested, width=sh.width))
        if created:
            sh.say(f"creates the topics {', '.join(created)}")
        if said_latency := latency_text(model_latencies):
            sh.say(said_latency)
        if sentence:
            sh.say(sentence)
        if running:
            sh.say(f"now: {status_text}")
        if planned_steps and not failed:
            rebuilt = refreshed(planned_steps)
            if rebuilt:
                sh.say("a rebuild removes the state and the results of its models, and computes them again")
            if aside:
                deploy = f"lsqlc deploy stage{f' --target {target}' if target else ''}"
                sh.say(f"`{deploy}` runs {', '.join(aside)} beside what is live, to be compared and promoted")
            sh.say("next:" + "".join(f"\n  {line}" for line in next))
        sh.show((*notes, *wrong))
        if not ok:
            raise typer.Exit(1)


def _topics(compilation: Compilation, place: RunTarget) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """Return the names of the topics that a run would create, and the problems of those that exist."""
    from lsqlc.remote.connectors.record import NeededTopics
    from lsqlc.tasks.run import own_writers

    requirements = NeededTopics(compilation.plans, own_writers(place, compilation))
    return place.spark_connector.planned_topics(requirements, place.target.connection)


def _running(place: RunTarget, project: str) -> tuple[Running | None, str]:
    """Return the run that is active on the target as data and as text: one of this machine, or a detached one."""
    from lsqlc.remote.run.locks import holder
    from lsqlc.tasks.detached import read_detached

    process = holder(place.state)
    if process is not None:
        return "process", f"process {process} runs the project"
    detached = None if place.target.type == "embedded" else read_detached(place, project)
    return ("detached", f"a detached run continues on the server '{detached.server}'") if detached else (None, "")
