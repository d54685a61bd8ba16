"""The alerts of a project as a Prometheus rules file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import yaml

from lsqlc.report.operation.alerts import (
    Alert,
    alert_settings,
    duration_text,
    model_alerts,
    run_alerts,
    runbook_address,
)
from lsqlc.report.operation.data_test_alerts import data_test_alerts

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation

_HEAD = "# Written by `lsqlc docs alerts`: thresholds are in `alerts:` of lsqlc.yml and of the models.\n"


def rules_text(compilation: Compilation, *, target: str | None = None) -> str:
    """Return the rules file: a group for the run, and one per model that compiles, sorted by name.

    The text is deterministic. `target`: None for any.
    """
    project = compilation.project.config.name
    groups = [_group(f"lsqlc {project}", [_rule(a, project) for a in run_alerts(compilation, target)])]
    tests = [_rule(a, project) for a in data_test_alerts(compilation, target)]
    groups.append(_group(f"lsqlc {project}: data tests", tests))
    for model in compilation.project.models:
        address = runbook_address(alert_settings(compilation, model), model.name)
        about = {"owner": model.owner} if model.owner else {}
        rules = [_rule(a, project, about, address) for a in model_alerts(compilation, model, target)]
        groups.append(_group(f"lsqlc {project}: {model.name}", rules))
    document = {"groups": [group for group in groups if group["rules"]]}
    return _HEAD + yaml.safe_dump(document, sort_keys=False, width=10_000, allow_unicode=True)


def _group(name: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": name, "rules": rules}


def _rule(alert: Alert, project: str, labels: Mapping[str, str] | None = None, runbook: str | None = None) -> Any:
    more = {"runbook_url": runbook} if runbook else {}
    return {
        "alert": alert.name,
        "expr": alert.expression,
        **({"for": duration_text(alert.wait)} if alert.wait else {}),
        # Labels of the series are repeated, because promtool requires different labels for rules with one name.
        "labels": {
            "severity": alert.severity,
            "project": project,
            **({"model": alert.model} if alert.model else {}),
            **({"query": alert.query} if alert.query else {}),
            **_templated(labels or {}),
        },
        "annotations": {"summary": alert.summary, "description": alert.description, **more},
    }


def _templated(labels: Mapping[str, str]) -> dict[str, str]:
    """Escape templates of Prometheus in texts of the project."""
    return {name: value.replace("{{", '{{ "{{" }}') for name, value in labels.items()}
