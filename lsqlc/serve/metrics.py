"""The metrics of a service, by the conventions of `report.metrics`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsqlc.report.metrics import Labels, Metric, exposition
from lsqlc.serve.follower import Freshness
from lsqlc.serve.service import Service


def service_metrics(service: Service, requests: Mapping[int, int], seconds: float) -> str:
    """Return the metrics as text. `requests`: their numbers by status, since the start; `seconds`: that they took."""
    common = (("project", service.project), ("target", service.target))
    return exposition(_metrics(service, common, requests, seconds))


def _metrics(service: Service, common: Labels, requests: Mapping[int, int], seconds: float) -> Iterator[Metric]:
    freshness = {name: service.follower.freshness(name) for name in service.tables}

    def of_tables(values: Mapping[str, float | None]) -> tuple[tuple[Labels, float], ...]:
        return tuple(((*common, ("topic", name)), float(v)) for name, v in values.items() if v is not None)

    def each(value: str) -> Mapping[str, float | None]:
        return {name: _value(fresh, value) for name, fresh in freshness.items()}

    rows = {name: float(service.count(name)) for name in service.tables}
    yield Metric("lsqlc_serve_rows", "gauge", "Rows of a table.", of_tables(rows))
    yield Metric("lsqlc_serve_loaded", "gauge", "Whether the topic of a table has been read once.",
                 of_tables(each("is_loaded")))  # fmt: skip
    yield Metric("lsqlc_serve_failing", "gauge", "Whether the topic of a table cannot be read now.",
                 of_tables(each("problem")))  # fmt: skip
    yield Metric("lsqlc_serve_lag_records", "gauge", "Records of a topic that were not read at the last look.",
                 of_tables(each("lag_records")))  # fmt: skip
    yield Metric("lsqlc_serve_lag_seconds", "gauge", "Time since all records of a topic had been read.",
                 of_tables(each("lag_seconds")))  # fmt: skip
    yield Metric("lsqlc_serve_records_read_total", "counter", "Records of a topic that were read.",
                 of_tables(each("read")))  # fmt: skip
    yield Metric("lsqlc_serve_records_skipped_total", "counter", "Records of a topic that cannot be read.",
                 of_tables(each("skipped")))  # fmt: skip
    by_status = tuple(((*common, ("status", str(status))), float(count)) for status, count in sorted(requests.items()))
    yield Metric("lsqlc_serve_requests_total", "counter", "Requests that were answered, by status.", by_status)
    yield Metric("lsqlc_serve_request_duration_seconds_total", "counter", "Time that requests took, without streams.",
                 ((common, seconds),))  # fmt: skip


def _value(freshness: Freshness, name: str) -> float | None:
    if name == "problem":
        return float(freshness.problem is not None)
    value = getattr(freshness, name)
    return None if value is None else float(value)
