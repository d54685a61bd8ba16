"""The runbook of a model: the meaning of its alerts, commands, and the cost of a rebuild."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import listing
from lsqlc.lower.spark import lower, unsupported
from lsqlc.report.operation.alerts import Alert, duration_text, model_alerts, run_alerts

if TYPE_CHECKING:
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Model


def runbook(compilation: Compilation, model: Model) -> dict[str, Any] | None:
    """Return the runbook as JSON-ready data; None for a model that has errors or that Spark cannot run."""
    plan = compilation.plans.get(model.name)
    if plan is None or unsupported(plan):
        return None
    alerts = (*model_alerts(compilation, model), *run_alerts(compilation))
    return {
        "alerts": [_alert(alert) for alert in alerts],
        "bad": _bad_records(plan),
        "commands": [[command, what] for command, what in _commands(plan)],
        "refresh": _refresh(compilation, plan),
    }


def _alert(alert: Alert) -> dict[str, Any]:
    return {
        "name": alert.name,
        "query": alert.query,
        "severity": alert.severity,
        "wait": duration_text(alert.wait) if alert.wait else "",
        "expression": alert.expression,
        "meaning": alert.meaning,
        "steps": list(alert.steps),
    }


def _bad_records(plan: Plan) -> str:
    """Return the handling of records that cannot be read."""
    if plan.dead_letters is not None:
        return (
            f"A record that cannot be read is written to '{plan.dead_letters.name}' with the reason, and passed over."
        )
    if plan.policy == "continue":
        return "A record that cannot be read is counted and passed over."
    return "A record that cannot be read ends the run with LSQ667, until the record or the error policy is changed."


def _commands(plan: Plan) -> list[tuple[str, str]]:
    letters = plan.dead_letters
    return [
        ("lsqlc status", "each query: its batches, records, state, lag and last failure"),
        ("lsqlc status --checkpoints", "whether the next run continues from each checkpoint"),
        ("lsqlc plan", "what a run would change on the target, with the records that it reads again"),
        *((f"lsqlc show {topic.name} --tail", f"the last records of {topic.name}") for topic in plan.outputs
          if letters is None or topic.name != letters.name),
        *([(f"lsqlc letters list {letters.name}", "how many letters there are of each reason")] if letters else []),
        ("lsqlc stop", "ends the run in order; `lsqlc run --continuous` continues from the checkpoints"),
        ("lsqlc deploy status", "what is staged and kept by the last promotion"),
        ("lsqlc deploy rollback", "has the models of before the last promotion take over again, with their state"),
    ]  # fmt: skip


def _refresh(compilation: Compilation, plan: Plan) -> dict[str, Any]:
    """Return the command that recomputes the model, and its cost."""
    below = sorted(compilation.graph.below({plan.name}) - {plan.name})
    contents = [text for stage in lower(plan).stages for text in stage.state]
    inputs = listing([topic.name for topic in plan.inputs], 20)
    outputs = listing([topic.name for topic in plan.outputs], 20)
    state = f"The state is built again: {'; '.join(contents)}." if contents else "There is no state to build."
    again = f"All records of {inputs} that are still there are read again from the beginning."
    costs = [
        again if plan.inputs else "The records of its INSERT statements are written again.",
        f"The records of {outputs} are removed first. Until they are computed again, readers see a part.",
        state,
    ]
    if below:
        costs.append(f"{listing(below, 20)} read what it writes, and are recomputed with it.")
    costs.append("A TABLE can be rebuilt beside the live one instead: `lsqlc deploy stage`.")
    return {"command": f"lsqlc run --select {plan.name}{'+' if below else ''} --full-refresh", "costs": costs}
