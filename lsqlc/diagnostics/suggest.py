"""The most similar name to a misspelled one, for "did you mean"."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

# The time to compare two names grows with the product of their lengths, and a program can have many errors.
_LONGEST_NAME = 200
_MOST_NAMES = 10_000
_MOST_COMPARED = 200


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar of `names`, ignoring case; None if none is similar.

    Only the first 10,000 names of at most 200 characters are candidates. If there are many, only those with the most
    similar beginning or end are compared.
    """
    if len(name) > _LONGEST_NAME:
        return None
    wrong = name.casefold()
    by_folded, by_beginning, by_end = _index(tuple(islice(names, _MOST_NAMES)))
    candidates: Iterable[str] = by_folded
    if len(by_folded) > _MOST_COMPARED:
        candidates = {*_around(wrong, by_beginning), *(k[::-1] for k in _around(wrong[::-1], by_end))}
    matches = get_close_matches(wrong, sorted(candidates), n=1, cutoff=0.65)
    return by_folded[matches[0]] if matches else None


@lru_cache(maxsize=4)
def _index(names: tuple[str, ...]) -> tuple[Mapping[str, str], list[str], list[str]]:
    """Return the names by case-folded form, the sorted forms, and the sorted reversed forms."""
    by_folded = {k.casefold(): k for k in names if len(k) <= _LONGEST_NAME}
    return by_folded, sorted(by_folded), sorted(k[::-1] for k in by_folded)


def _around(name: str, names: list[str]) -> list[str]:
    at = bisect_left(names, name)
    return names[max(at - _MOST_COMPARED // 4, 0) : at + _MOST_COMPARED // 4]


def did_you_mean(name: str, names: Iterable[str]) -> str | None:
    """Return a help with the most similar name, or None."""
    candidate = nearest(name, names)
    return f"did you mean '{candidate}'?" if candidate else None


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Return names quoted and sorted. Names beyond `limit` are only counted."""
    names = sorted(names)
    text = ", ".join(f"'{n}'" for n in names[:limit])
    more = len(names) - limit
    return f"{text} and {more} more" if more > 0 else text
