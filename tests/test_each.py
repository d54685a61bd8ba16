"""A folded test: it fails with every case that does, and for nothing else."""

from __future__ import annotations

import pytest

from tests.each import each


def test_all_that_fail_are_listed() -> None:
    """Whatever a case raises; the others run all the same."""
    seen = []

    @each(("a", "b"), [(1, 1), (1, 2), (0, 0), (3, 4)])
    def folded(a: int, b: int) -> None:
        seen.append(a)
        assert a // a == 1
        assert a == b

    with pytest.raises(pytest.fail.Exception) as failed:
        folded()
    text = str(failed.value)
    assert seen == [1, 1, 0, 3] and text.startswith("3 of 4 cases fail")
    assert "1, 2: AssertionError" in text and "0, 0: ZeroDivisionError" in text and "3, 4: AssertionError" in text


def test_no_case_is_a_failure() -> None:
    """What nothing is left of tests nothing."""
    with pytest.raises(AssertionError, match="no cases"):
        each("a", [])(lambda a: None)()
