"""The alerts of data tests: of live tests, and of those that `lsqlc check` runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsqlc.plan.tested import name_of_tests
from lsqlc.project.build.tested_topics import declared_tests
from lsqlc.report.operation.alerts import Alert, selector

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.alerting import Severity
    from lsqlc.project.declared.data_tests import DataTest


def data_test_alerts(compilation: Compilation, target: str | None = None) -> tuple[Alert, ...]:
    """Return the alerts of a project's data tests; none without tests. `target`: None for any."""
    config = compilation.project.config
    base = {"project": config.name, **({"target": target} if target else {})}
    tests = tuple(declared_tests(compilation))
    alerts: list[Alert] = []
    for declared in ("error", "warn"):
        if any(test.severity == declared for _, test in tests):
            alerts += _of_severity(declared, _severity(compilation, declared), base, config.live_tests.topic)
    for topic, test in tests:
        if test.kind == "freshness" and test.live:
            alerts.append(_freshness(topic, test, _severity(compilation, test.severity), base))
    return tuple(alerts)


def _severity(compilation: Compilation, declared: str) -> Severity:
    # Tests with the severity `warn` give informational alerts.
    return compilation.project.config.alerts.severity if declared == "error" else "info"


def _of_severity(declared: str, severity: Severity, base: dict[str, str], failures: str) -> Iterator[Alert]:
    labels = selector({**base, "severity": declared})
    # `increase` misses the first sample of a counter if it is not 0.
    failures_total = f"lsqlc_test_failures_total{labels}"
    came = f"({failures_total} unless {failures_total} offset 15m or increase({failures_total}[15m])) > 0"
    of_test = "the data test {{ $labels.test }} of the topic {{ $labels.topic }}"
    yield Alert(
        "LsqlcDataTest", "", "", came, 0, severity,
        "records of the topic {{ $labels.topic }} fail a data test",
        f"By {of_test} records fail: {{{{ $value | printf \"%.0f\" }}}} within 15 minutes.",
        "Records have come that do not have what a test of the project says of them.",
        (f"`lsqlc show {failures} --tail` has the records", "correct them at their source, or the test"),
    )  # fmt: skip
    yield Alert(
        "LsqlcDataCheck", "", "", f"lsqlc_check_failed{labels} == 1", 0, severity,
        "a data test of the topic {{ $labels.topic }} has failed", f"In the last check {of_test} has failed.",
        "`lsqlc check` has found records that fail, or none that is new enough.",
        ("`lsqlc check TOPIC` shows the first of them, with their places",),
    )  # fmt: skip


def _freshness(topic: str, test: DataTest, severity: Severity, base: dict[str, str]) -> Alert:
    newest = f"lsqlc_topic_newest_record_timestamp_seconds{selector({**base, 'topic': topic})}"
    # A run that has just started has not read the existing records.
    since = f"max by (project, target) ({newest} or lsqlc_run_start_timestamp_seconds{selector(base)})"
    # Without a query of data tests the newest record is unknown.
    tested = f"lsqlc_query_running{selector({**base, 'query': name_of_tests(topic)})}"
    return Alert(
        "LsqlcFreshness", "", name_of_tests(topic),
        f"time() - {since} > {test.within / 1000:g} and on (project, target) {tested} == 1", 0, severity,
        f"the topic {topic} has no new records",
        f"The newest record of {topic} is {{{{ $value | humanizeDuration }}}} old, and {test.given} is allowed.",
        "No record has come for longer than a test of the project allows, by the times of the records.",
        ("look whether its producers run", f"`lsqlc show {topic} --tail` has the newest records"),
    )  # fmt: skip
