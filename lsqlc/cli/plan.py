"""`lsqlc plan`: what a run would change on a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.tasks.run_plan import RunPlan


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The options of `lsqlc plan`."""

    target: options.Target = None
    since: options.From = None
    fail_on: Annotated[
        Literal["change", "rebuild"] | None,
        typer.Option("--fail-on", help="Exit with 1 if a model is changed, or if one has to be rebuilt."),
    ] = None
    tests: options.Tests = None


def command(selected: options.SelectedByState, own: PlanOptions, common: options.Common) -> None:
    """Show what a run would change on a target: which models continue from their checkpoints, start, or have to be
    rebuilt, why, and how many records that replays; which topics are created; and the commands to run. Changes nothing.
    """
    with shell("plan", common.output, common.quiet) as sh:
        from lsqlc.cli.arguments import parsed_start
        from lsqlc.cli.placed import placed, services
        from lsqlc.tasks.placement import PlacementRequest
        from lsqlc.tasks.run_plan import plan_run

        start = parsed_start(own.since)
        workspace = project.opened(sh, common.project_dir, common.vars)
        with_tests = workspace.project.config.live_tests.run if own.tests is None else own.tests
        request = PlacementRequest(
            own.target, selected.select or (), selected.exclude or (), selected.state, with_tests
        )
        placement = placed(sh, workspace, request)
        plan = plan_run(placement, services(sh), start=start, target_name=own.target)
        ok = plan.passes(own.fail_on)
        if sh.json:
            sh.document(_data(plan, ok=ok, target=placement.place.target.name, fail_on=own.fail_on))
        else:
            _show(sh, plan)
        _say(sh, plan, own.target)
        sh.show((*plan.notes, *plan.problems))
        if not ok:
            raise typer.Exit(1)


def _data(plan: RunPlan, *, ok: bool, target: str, fail_on: str | None) -> dict[str, Any]:
    from lsqlc.report.json_report import diagnostic_data
    from lsqlc.report.plan_report import data_of_tests

    return {
        "version": 1,
        "command": "plan",
        "ok": ok,
        "target": target,
        "fail_on": fail_on,
        "models": [step.to_json() for step in plan.steps],
        "tests": [data_of_tests(step) for step in plan.tests],
        "creates": list(plan.created_topics),
        "delivers": dict(plan.deliveries),
        "real_time": sorted(plan.latencies.models),
        "running": plan.running,
        "commands": list(plan.commands),
        "diagnostics": [diagnostic_data(d) for d in (*plan.notes, *plan.problems)],
    }


def _show(sh: Shell, plan: RunPlan) -> None:
    """Print the steps as tables."""
    from lsqlc.report.plan_report import plan_text, tests_plan_text

    sh.result(plan_text(plan.steps, width=sh.width))
    if plan.tests:
        sh.result("\n" + tests_plan_text(plan.tests, width=sh.width))


def _say(sh: Shell, plan: RunPlan, target: str | None) -> None:
    """Print the effects of the run in sentences, and the next commands."""
    from lsqlc.tasks.native_writers import guarantee
    from lsqlc.tasks.real_time import latency_text

    if plan.created_topics:
        sh.say(f"creates the topics {', '.join(plan.created_topics)}")
    for sentence in (latency_text(plan.latencies), guarantee(plan.deliveries)):
        if sentence:
            sh.say(sentence)
    if plan.running:
        sh.say(f"now: {plan.running_text}")
    if plan.steps and plan.is_possible:
        if plan.rebuilt_models:
            sh.say("a rebuild removes the state and the results of its models, and computes them again")
        if plan.stageable_models:
            deploy = f"lsqlc deploy stage{f' --target {target}' if target else ''}"
            sh.say(
                f"`{deploy}` runs {', '.join(plan.stageable_models)} beside what is live, to be compared and promoted"
            )
        sh.say("next:" + "".join(f"\n  {line}" for line in plan.commands))
