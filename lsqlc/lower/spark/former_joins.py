"""How 0.1.0 wrote what stands above the state of a join of TABLEs in pairs.

It found the ends of versions, and gathered the versions of each side, by window functions, where it is arrays that are
sorted now; and a pair that does not satisfy a condition was deleted, where it is left out now. Neither is kept. So for
checkpoints that are known by their SQL (see `rewrites`) what follows reads the state, and a filter is its condition.
Texts are as they were written here; names of views are those of today.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_VIEW = "the view '{}'"
_ENDS = re.compile(r"the view 'ends(?P<number>(?: \d+)?)'")
_OF_STATE = re.compile(r"\bFROM (?P<state>history(?: \d+)?)\b")
# The views of now, in their order.
_OF_NOW = ("entries", "touched", "in_order", "ends", "living", "sides")
_READS = re.compile(r"\bFROM (?P<below>[a-z_]+(?: \d+)?)\b(?!\()")
_FILTERS = (
    re.compile(
        r"SELECT\s.*_live AND coalesce\((?P<condition>.*), FALSE\) AS _live,\s.*\sFROM (?P<rows>join(?: \d+)?)", re.S
    ),
    re.compile(r"SELECT \* FROM (?P<rows>join(?: \d+)?)\sWHERE (?P<condition>.*)", re.S),
)


def without_sides(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Texts without the views between the state of such a join and its changes, which read the state then."""
    for number in [found["number"] for name in texts if (found := _ENDS.fullmatch(name))]:
        texts = _without_sides(texts, number)
    return texts


def with_conditions(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Texts with one form of the filters of joined rows."""
    return {name: _condition(text) if name.startswith("the view 'filter") else text for name, text in texts.items()}


def _without_sides(texts: Mapping[str, str], number: str) -> Mapping[str, str]:
    """Texts without the views that tell the versions of both sides, and with the state where these were read."""
    first = _VIEW.format(f"entries{number}")
    state = _OF_STATE.search(texts[first if first in texts else _VIEW.format(f"ends{number}")])
    if state is None:
        return texts
    left_out = [f"{kind}{number}" for kind in _OF_NOW if _VIEW.format(f"{kind}{number}") in texts]
    if first not in texts:
        left_out += _reading(texts, f"living{number}")
    last = re.compile(rf"(?<![\w'`]){re.escape(left_out[-1])}(?![\w'`]| \d)")
    gone = {_VIEW.format(name) for name in left_out}
    kept = ((name, text) for name, text in texts.items() if name not in gone)
    return {name: last.sub(state["state"], text) if name.startswith("the view") else text for name, text in kept}


def _reading(texts: Mapping[str, str], below: str) -> list[str]:
    """The two views that gathered the rows of a view, the second one out of the first."""
    found = []
    for kind in ("stretches", "batch"):
        for name, text in texts.items():
            read = [match["below"] for match in _READS.finditer(text)]
            if name.startswith(f"the view '{kind}") and read[-1:] == [below]:
                below = name.removeprefix("the view '").removesuffix("'")
                found.append(below)
                break
    return found


def _condition(text: str) -> str:
    for form in _FILTERS:
        if found := form.fullmatch(text):
            return f"of {found['rows']} what satisfies {found['condition']}"
    return text
