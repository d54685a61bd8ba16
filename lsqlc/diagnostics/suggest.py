"""The nearest known name to a wrong one, for "did you mean"."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

# Comparing two names takes the product of their lengths, and a program can have as many errors as names.
_LONGEST_NAME = 200
_MOST_NAMES = 10_000
_MOST_COMPARED = 200


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar of `known`, letter case aside; None if none is similar.

    Only the first 10,000 names are candidates, and no name of more than 200 characters is. Of many candidates those are
    compared whose beginning or end is most like that of the name.
    """
    if len(name) > _LONGEST_NAME:
        return None
    wrong = name.casefold()
    spelled, by_beginning, by_end = _index(tuple(islice(known, _MOST_NAMES)))
    candidates: Iterable[str] = spelled
    if len(spelled) > _MOST_COMPARED:
        candidates = {*_around(wrong, by_beginning), *(k[::-1] for k in _around(wrong[::-1], by_end))}
    found = get_close_matches(wrong, sorted(candidates), n=1, cutoff=0.65)
    return spelled[found[0]] if found else None


@lru_cache(maxsize=4)
def _index(known: tuple[str, ...]) -> tuple[Mapping[str, str], list[str], list[str]]:
    """Return names by their form without letter case; these forms in order, and in order of their reversed texts."""
    spelled = {k.casefold(): k for k in known if len(k) <= _LONGEST_NAME}
    return spelled, sorted(spelled), sorted(k[::-1] for k in spelled)


def _around(name: str, known: list[str]) -> list[str]:
    at = bisect_left(known, name)
    return known[max(at - _MOST_COMPARED // 4, 0) : at + _MOST_COMPARED // 4]


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a help line, or None."""
    found = nearest(name, known)
    return f"did you mean '{found}'?" if found else None


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Return names in quotes and in order, the rest of a long list counted."""
    names = sorted(names)
    shown = ", ".join(f"'{n}'" for n in names[:limit])
    more = len(names) - limit
    return f"{shown} and {more} more" if more > 0 else shown
