"""The smallest subset that fails has nothing that can be left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lsqlc.search.subsets import smallest_subset


@pytest.mark.parametrize("needed", [{0}, {99}, {3, 4}, {0, 50, 99}, set(range(20))])
def test_only_what_is_needed_is_kept(needed: set[int]) -> None:
    calls = 0

    def fails(subsets: Sequence[tuple[int, ...]]) -> list[bool]:
        nonlocal calls
        calls += 1
        return [needed <= set(subset) for subset in subsets]

    assert smallest_subset(100, fails) == tuple(sorted(needed))
    assert calls < 250


def test_nothing_is_needed() -> None:
    assert smallest_subset(0, lambda subsets: [True] * len(subsets)) == ()
    assert smallest_subset(5, lambda subsets: [True] * len(subsets)) == ()
