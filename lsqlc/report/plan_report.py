"""The changes that a run would make on a target, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsqlc.plan.tested import tested_topic
from lsqlc.report.tables import Column, table_lines

if TYPE_CHECKING:
    from lsqlc.remote.run.target_steps import Step


def plan_text(steps: Sequence[Step], *, width: int) -> str:
    """Return a table of the models, and the reasons of their changes, rebuilds or removals."""
    if not steps:
        return "no model is selected"
    columns = [
        Column("model", tuple(step.model for step in steps)),
        Column("action", tuple(step.action for step in steps)),
        Column("replays", tuple(_replay(step) for step in steps), right=True),
        Column("writes", tuple(", ".join(step.topics) for step in steps)),
    ]
    lines = list(table_lines(columns, width))
    for step in steps:
        lines += [f"{step.model}: {start}" for start in step.starts]
        # A new model has no reason but that it is new.
        lines += [f"{step.model}: {reason}" for reason in step.reasons if step.action != "start"]
    return "\n".join(lines)


def tests_plan_text(steps: Sequence[Step], *, width: int) -> str:
    """Return a table of the topics with live data tests, and the effect of changed tests."""
    columns = [
        Column("data tests of", tuple(tested_topic(step.model) or "" for step in steps)),
        Column("action", tuple(step.action for step in steps)),
        Column("replays", tuple(_replay(step) for step in steps), right=True),
        Column("failures go to", tuple(", ".join(step.topics) for step in steps)),
    ]
    changed = [f"{tested_topic(step.model)}: records that come from now on are tested by the changed tests"
               for step in steps if step.action == "change"]  # fmt: skip
    return "\n".join((*table_lines(columns, width), *changed))


def data_of_tests(step: Step) -> dict[str, Any]:
    """Return the change of a topic's tests as JSON-ready data."""
    data = step.to_json()
    return {"topic": tested_topic(step.model), **{name: data[name] for name in ("action", "reasons", "replay")},
            "failures": step.topics[0]}  # fmt: skip


def _replay(step: Step) -> str:
    if step.action not in ("start", "rebuild"):
        return ""
    return "unknown" if step.replay is None else f"{step.replay:,}"
