"""A fixed sample of the mutated programs; `make mutations` runs as many as one likes."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz import mutations as module
from tests.fuzz.mutations import Origin, attempt, fault_of, mangled, mutations

_SAMPLE = 250


def test_a_sample_keeps_what_is_promised() -> None:
    """No exception, a plan or errors, and fmt changes nothing that counts; some programs get through all of it."""
    report = mutations(range(_SAMPLE))
    assert not report.faults, "\n".join(map(str, report.faults))
    assert report.programs == _SAMPLE
    assert report.ends["compiled"] > _SAMPLE // 50 and report.ends["formatted"] > _SAMPLE // 10


def test_a_seed_is_a_program() -> None:
    """The same at any time, and of every dialect."""
    assert [mangled(seed) for seed in range(20)] == [mangled(seed) for seed in range(20)]
    assert {mangled(seed).dialect for seed in range(20)} == {"lenses", "ksql", "sql"}


def test_what_is_broken_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception, and a formatter that changes what it has written."""

    def fails(*_: object, **__: object) -> None:
        raise RecursionError("too deep")

    with monkeypatch.context() as patched:
        patched.setattr(module, "dialect", fails)
        fault, _, _ = attempt(3)
        assert fault is not None and "RecursionError: too deep" in fault.what and fault.seed == 3
    origin = Origin("lenses", "SELECT STREAM id FROM t", {})
    assert fault_of(origin, Counter()) is None
    monkeypatch.setattr(module, "_formatted", lambda text, _: text + "\n")
    found = fault_of(origin, Counter())
    assert found is not None and found.startswith("fmt changes what it has written")
