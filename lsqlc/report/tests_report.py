"""Data tests as text and as JSON-ready data: the declared tests, and the failures of live ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lsqlc.golden.show import plural
from lsqlc.plan.tested import named_test
from lsqlc.report.tables import Column, table_lines

if TYPE_CHECKING:
    from lsqlc.project.declared.data_tests import DataTest


def tests_table(tests: Sequence[tuple[str, DataTest]], width: int) -> str:
    """Return the tests of a project with their topics as a table."""
    columns = [
        Column("topic", tuple(topic for topic, _ in tests)),
        Column("data test", tuple(test.text for _, test in tests)),
        Column("severity", tuple(test.severity for _, test in tests)),
        Column("place", tuple(f"{test.span.path}:{test.span.line}" for _, test in tests)),
    ]
    return "\n".join(table_lines(columns, width))


def tests_data(tests: Sequence[tuple[str, DataTest]]) -> list[dict[str, Any]]:
    """Return the tests as JSON-ready data."""
    return [
        {"topic": topic, "test": test.kind, "text": test.text, "severity": test.severity, "live": test.live,
         "place": f"{test.span.path}:{test.span.line}:{test.span.column}"}
        for topic, test in tests
    ]  # fmt: skip


def failed_lines(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield a line such as `2 failures of not_null station` for each failed test. `counts`: by `NamedTest.text`."""
    for text, count in counts.items():
        if count:
            name = named_test(text)
            warning = " (warn)" if name.severity == "warn" else ""
            yield f"{plural(count, 'failure')} of {name.test}{warning}"


def failed_data(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the numbers of failures of all tests as JSON-ready data."""
    tests = ((named_test(text), count) for text, count in counts.items())
    return [{"topic": n.topic, "test": n.test, "severity": n.severity, "failed": count} for n, count in tests]


def failure_count(counts: Mapping[str, int]) -> list[str]:
    """Return the total number of failures; empty if there are none."""
    total = sum(counts.values())
    return [plural(total, "failure")] if total else []
