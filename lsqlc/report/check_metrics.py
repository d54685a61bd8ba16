"""Results of `lsqlc check` as metrics, for the textfile collector of a node exporter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from lsqlc.report.metrics import Kind, Labels, Metric, exposition

if TYPE_CHECKING:
    from lsqlc.project.declared.data_tests import DataTest


class Result(Protocol):
    """The result of a data test."""

    @property
    def topic(self) -> str: ...
    @property
    def test(self) -> DataTest: ...
    @property
    def records(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def passed(self) -> bool: ...


def check_metrics(results: Sequence[Result], *, project: str, target: str, now: float) -> str:
    """Return the results in the exposition format. `now`: the time of the check, in seconds since 1970."""
    common: Labels = (("project", project), ("target", target))

    def of_tests(name: str, help: str, value: Callable[[Result], float]) -> Metric:
        # A test that is declared twice is one series.
        samples = {(*common, *_labels(result)): float(value(result)) for result in results}
        return Metric(f"lsqlc_check_{name}", "gauge", help, tuple(samples.items()))

    gauge: Kind = "gauge"
    return exposition((
        Metric("lsqlc_check_timestamp_seconds", gauge, "When the data tests were last checked.", ((common, now),)),
        of_tests("failed", "Whether the data test has failed.", lambda r: not r.passed),
        of_tests("records", "Records or rows that were tested.", lambda r: r.records),
        of_tests("failed_records", "Records or rows that failed.", lambda r: r.failed),
    ))  # fmt: skip


def _labels(result: Result) -> Labels:
    return (("topic", result.topic), ("test", result.test.text), ("severity", result.test.severity))
