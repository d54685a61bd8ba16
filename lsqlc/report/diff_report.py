"""What changed between two versions of a project, as text for a reviewer and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from lsqlc.golden.show import plural
from lsqlc.lower.spark.parts import Verdict
from lsqlc.plan.diff import NodeChange
from lsqlc.plan.topic_changes import CATEGORIES
from lsqlc.project.comparison import ModelChange

_SIGNS = {"added": "+", "removed": "-", "modified": "~"}
# Why a state does not continue, in lines.
_REASONS = 8


def diff_text(changes: Iterable[ModelChange], verdicts: Mapping[str, Verdict]) -> str:
    """A paragraph per model; empty if nothing changed."""
    return "\n\n".join("\n".join(_model(change, verdicts[change.name])) for change in changes)


def diff_data(changes: Iterable[ModelChange], verdicts: Mapping[str, Verdict]) -> list[dict[str, Any]]:
    """The same as JSON-ready data, an object per model."""
    return [
        {
            "name": model.name,
            "status": model.status,
            "category": model.category,
            "changes": [
                {"category": c.category, "rule": c.rule, "topic": c.topic, "message": c.text} for c in model.changes
            ],
            "plan": [_node_data(node) for node in model.plan] if model.plan else None,
            "state": {"verdict": verdicts[model.name].standing, "reasons": list(verdicts[model.name].reasons)},
            "downstream": list(model.downstream),
        }
        for model in changes
    ]


def diff_summary(changes: tuple[ModelChange, ...]) -> str:
    """One line: how many models changed, by category, the weightiest first."""
    if not changes:
        return "no model changed"
    count = Counter(change.category for change in changes)
    parts = [f"{count[category]:,} {category}" for category in reversed(CATEGORIES) if count[category]]
    return f"{plural(len(changes), 'model')} changed: {', '.join(parts)}"


def _model(model: ModelChange, verdict: Verdict) -> list[str]:
    lines = [f"{_SIGNS[model.status]} {model.name}: {model.category}"]
    for change in model.changes:
        about = f"{change.topic}: " if change.topic else ""
        lines.append(f"  {change.category:<10}  {about}{change.text}")
    if model.plan:
        lines += ["  plan", *(line for node in model.plan for line in _node(node))]
    lines.append(f"  state: {verdict.standing}")
    lines += [f"    {reason}" for reason in verdict.reasons[:_REASONS]]
    if len(verdict.reasons) > _REASONS:
        lines.append(f"    and {len(verdict.reasons) - _REASONS} more")
    if model.downstream:
        lines.append(f"  downstream: {', '.join(model.downstream)}")
    return lines


def _node(node: NodeChange) -> list[str]:
    indent = "  " * node.depth
    if node.kind == "same":
        return [f"      {indent}{node.after}"]
    if node.kind == "altered" and node.before == node.after:
        # Such as whether a literal's type is another: a plan's text leaves that out.
        return [f"    ~ {indent}{node.after}"]
    before = [f"    - {indent}{node.before}"] if node.before is not None else []
    return before + ([f"    + {indent}{node.after}"] if node.after is not None else [])


def _node_data(node: NodeChange) -> dict[str, Any]:
    return {"kind": node.kind, "depth": node.depth, "before": node.before, "after": node.after}
