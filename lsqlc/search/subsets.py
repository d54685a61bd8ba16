"""The smallest part of a sequence that still shows a failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Subset = tuple[int, ...]

# The number of subsets that are tried together, and of rounds.
_AT_ONCE, _MOST_ROUNDS = 40, 200


def smallest_subset(count: int, fails: Callable[[Sequence[Subset]], Sequence[bool]]) -> Subset:
    """Return numbers below `count`, in order, of which none can be left out.

    `fails`: returns for each subset whether it shows the failure. All numbers together show it.
    """
    remaining, step = tuple(range(count)), max(count // 2, 1)
    for _ in range(_MOST_ROUNDS):
        smaller = _first_failing(remaining, step, fails)
        if smaller is not None:
            remaining = smaller
        elif step > 1:
            step //= 2
        else:
            break
    return remaining


def _first_failing(remaining: Subset, step: int, fails: Callable[[Sequence[Subset]], Sequence[bool]]) -> Subset | None:
    """Return a subset without `step` numbers that shows the failure; None if there is none."""
    candidates = [remaining[:place] + remaining[place + step :] for place in range(0, len(remaining), step)]
    for first in range(0, len(candidates), _AT_ONCE):
        some = candidates[first : first + _AT_ONCE]
        for candidate, is_failing in zip(some, fails(some), strict=True):
            if is_failing:
                return candidate
    return None
