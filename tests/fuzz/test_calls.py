"""A fixed sample of the calls with arguments at their limits; `make calls` runs as many as one likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

import lsqlc
from lsqlc.dialects import NAMES
from lsqlc.functions import catalogue
from lsqlc.plan import Plan
from lsqlc.types.record import Record
from tests.fuzz.calls import calls, drawn

_SAMPLE = 1000


def test_a_sample_gives_values_or_findings() -> None:
    """No exception and no value of another type; most of the calls are evaluated."""
    report = calls(range(_SAMPLE))
    assert not report.faults, "\n".join(map(str, report.faults))
    assert report.calls == _SAMPLE and report.ends["values"] > _SAMPLE // 2


def test_the_sample_calls_every_function() -> None:
    """Each function of each dialect, aggregates too."""
    sample = [drawn(seed) for seed in range(_SAMPLE)]
    called = {(call.dialect, call.text.split("(")[0]) for call in sample}
    for dialect in NAMES:
        names = {f.name for f in catalogue.functions(dialect)} | {a.name for a in catalogue.aggregates(dialect)}
        assert {name for name in names if (dialect, name) not in called} <= {"AS_NON_NULLABLE"}


def test_a_call_that_fails_is_found_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report names the one call of a program whose evaluation raises."""

    def evaluate(plan: Plan, records: Sequence[Record], *, now: int) -> Mapping[str, Sequence[Record]]:
        if "ABS" in str(plan):
            raise RuntimeError("no such thing")
        return original(plan, records, now=now)

    original = lsqlc.evaluate
    monkeypatch.setattr(lsqlc, "evaluate", evaluate)
    seeds = [seed for seed in range(_SAMPLE) if drawn(seed).dialect == "lenses" and "CASE" not in drawn(seed).text]
    report = calls(seeds[:80])
    assert report.faults
    assert all(f.call.text.startswith("ABS(") and "RuntimeError in evaluate: no such thing" in f.what
               for f in report.faults)  # fmt: skip
