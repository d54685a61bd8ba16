"""The nearest known name to a wrong one, for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The most similar of `known`, letter case aside; None if none is similar."""
    spelled = {k.casefold(): k for k in known}
    found = get_close_matches(name.casefold(), list(spelled), n=1, cutoff=0.6)
    return spelled[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A help line, or None."""
    found = nearest(name, known)
    return f"did you mean '{found}'?" if found else None


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Names in quotes and in order, the rest of a long list counted."""
    names = sorted(names)
    shown = ", ".join(f"'{n}'" for n in names[:limit])
    more = len(names) - limit
    return f"{shown} and {more} more" if more > 0 else shown
