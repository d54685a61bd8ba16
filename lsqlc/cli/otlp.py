"""The metrics of a run as OTLP over HTTP, by the OpenTelemetry SDK."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import typer

from lsqlc import __version__
from lsqlc.diagnostics import Diagnostic, Severity
from lsqlc.diagnostics.extras import require
from lsqlc.report.metrics import metric_heads

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, Observation

    from lsqlc.cli.shell import Shell
    from lsqlc.report.metrics import Metric

# The module that sends metrics.
OTLP = "opentelemetry.exporter.otlp.proto.http.metric_exporter"
# Seconds. The SDK's own variables, OTEL_METRIC_EXPORT_INTERVAL and others, come first.
_TIMEOUT = 5.0


@contextmanager
def pushed(sh: Shell, metrics: Callable[[], tuple[Metric, ...]], endpoint: str) -> Iterator[None]:
    """Send what `metrics` gives to `endpoint`, such as `http://127.0.0.1:4318`, at intervals and at the end of the
    `with`. A backend that cannot be reached is reported once (LSQ779, a warning) and tried again.

    Raises BadParameter for an endpoint that is not a URL, LsqlcError LSQ099 without the SDK.
    """
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise typer.BadParameter(f"'{endpoint}' must be a URL such as http://127.0.0.1:4318", param_hint="--otlp")
    require(OTLP)
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricExportResult, PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource

    class Exporter(OTLPMetricExporter):
        """Reports the first failure."""

        reported = False

        def export(self, *args: Any, **keywords: Any) -> MetricExportResult:
            try:
                result = super().export(*args, **keywords)
            except Exception:
                result = MetricExportResult.FAILURE
            if result is not MetricExportResult.SUCCESS and not self.reported:
                type(self).reported = True
                sh.show([_unsent(endpoint)])
            return result

    # The SDK logs each failure with its traceback.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)
    path = "" if parts.path.endswith("/v1/metrics") else "/v1/metrics"
    exporter = Exporter(endpoint=endpoint.rstrip("/") + path, timeout=_TIMEOUT)
    resource = Resource.create({"service.name": "lsqlc", "service.version": __version__})
    provider = MeterProvider(
        metric_readers=[PeriodicExportingMetricReader(exporter)], resource=resource, shutdown_on_exit=False
    )
    meter = provider.get_meter("lsqlc", __version__)

    def observed(name: str) -> Callable[[CallbackOptions], Iterator[Observation]]:
        def observe(options: CallbackOptions) -> Iterator[Observation]:
            for metric in metrics():
                if metric.name == name:
                    yield from observations(metric)

        return observe

    for metric in metric_heads():
        # Prometheus adds the suffix of counters again when it receives them.
        name = metric.name.removesuffix("_total")
        create = meter.create_observable_counter if metric.kind == "counter" else meter.create_observable_gauge
        create(name, [observed(metric.name)], description=metric.help)
    try:
        yield
    finally:
        provider.shutdown(timeout_millis=_TIMEOUT * 1000)


def observations(metric: Metric) -> Iterator[Observation]:
    """Return the samples of a metric, with their labels as attributes."""
    from opentelemetry.metrics import Observation

    return (Observation(value, dict(labels)) for labels, value in metric.samples)


def _unsent(endpoint: str) -> Diagnostic:
    return Diagnostic(
        "LSQ779",
        f"cannot send metrics to '{endpoint}'",
        severity=Severity.WARNING,
        notes=("the run continues, and sends them again at the next interval; further failures are not reported",),
        help="check that an OTLP receiver listens there for HTTP with Protobuf",
    )
