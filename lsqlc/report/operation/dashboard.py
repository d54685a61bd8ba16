"""A Grafana dashboard for a project: the metrics of its run by query, as JSON to import."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from lsqlc.report.operation.alerts import alert_settings, selector

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation

# The schema version of Grafana 10. Later versions read it too.
_SCHEMA = 38
_WIDTH, _HEIGHT = 12, 8
_SOURCE = {"type": "prometheus", "uid": "${source}"}


@dataclass(frozen=True, slots=True)
class _Panel:
    """A panel. `query`: PromQL over `{labels}`. `legend`: a template of Grafana. `unit`: one of Grafana's units."""

    title: str
    query: str
    unit: str
    legend: str = "{{query}}"
    kind: str = "timeseries"
    limit: float | None = None


def dashboard_text(compilation: Compilation) -> str:
    """Return the dashboard. The text is deterministic, and importing it replaces an earlier version."""
    config = compilation.project.config
    labels = selector({"project": config.name})[:-1] + ',target=~"$target",model=~"$model"}'
    of_run = selector({"project": config.name})[:-1] + ',target=~"$target"}'
    settings = [alert_settings(compilation, model) for model in compilation.project.models]
    lags = [each.lag for each in settings if each.lag is not None]
    panels = [
        _panel(number, panel) for number, panel in enumerate(_panels(labels, of_run, min(lags, default=None)), start=1)
    ]
    document = {
        "uid": "lsqlc-" + blake2b(config.name.encode("utf-8"), digest_size=12).hexdigest(),
        "title": f"lsqlc: {config.name}",
        "tags": ["lsqlc"],
        "schemaVersion": _SCHEMA,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [
                {"name": "source", "label": "Data source", "type": "datasource", "query": "prometheus"},
                _variable("target", config.name),
                _variable("model", config.name),
            ]
        },
        "panels": panels,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _panels(labels: str, of_run: str, lag: int | None) -> Iterator[_Panel]:
    def metric(name: str) -> str:
        return f"lsqlc_query_{name}{labels}"

    def rate(name: str) -> str:
        return f"rate({metric(name)}[$__rate_interval])"

    yield _Panel("Run", f"lsqlc_run_up{of_run}", "none", "{{target}}", kind="stat")
    yield _Panel("Queries that have failed", f"sum(lsqlc_query_failed{labels})", "none", "failed", kind="stat", limit=1)
    yield _Panel("Lag in time", metric("lag_seconds"), "s", limit=lag)
    yield _Panel("Lag in records", metric("lag_records"), "short")
    yield _Panel("Records read per second", rate("rows_read_total"), "ops")
    yield _Panel("Records written per second", rate("rows_written_total"), "ops")
    yield _Panel("Duration of batches", f"{rate('batch_duration_seconds_total')} / {rate('batches_total')}", "s")
    yield _Panel("Time since the last progress", f"time() - {metric('last_progress_timestamp_seconds')}", "s")
    yield _Panel("Rows of state", metric("state_rows"), "short")
    yield _Panel("Bytes of state", metric("state_bytes"), "bytes")
    yield _Panel("Letters in 15 minutes", f"increase({metric('letters_total')}[15m])", "short")
    yield _Panel(
        "Dropped records in 15 minutes", f"increase({metric('rows_dropped_total')}[15m])", "short",
        "{{query}}: {{reason}}",
    )  # fmt: skip
    yield _Panel("Late groups in 15 minutes", f"increase({metric('late_groups_total')}[15m])", "short")
    yield _Panel("Failures of data tests in 15 minutes", f"increase(lsqlc_test_failures_total{of_run}[15m])", "short",
                 "{{topic}}: {{test}}")  # fmt: skip
    yield _Panel("Restarts in an hour", f"increase({metric('restarts_total')}[1h])", "short")


def _panel(number: int, panel: _Panel) -> dict[str, Any]:
    row, column = divmod(number - 1, 2)
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if panel.limit is not None:
        steps.append({"color": "red", "value": panel.limit})
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "datasource": _SOURCE,
        "gridPos": {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "min": 0, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
        "targets": [
            {"refId": "A", "datasource": _SOURCE, "expr": panel.query, "legendFormat": panel.legend},
        ],
    }


def _variable(label: str, project: str) -> dict[str, Any]:
    query = f"label_values(lsqlc_query_running{selector({'project': project})}, {label})"
    return {
        "name": label,
        "label": label.capitalize(),
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": query, "refId": label},
        "refresh": 2,
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
    }
