"""The positions of the nodes of a graph: in columns by how far they are from a source, with few crossings, part by
part.

Parts that no edge joins are laid out by themselves and put beside and below each other, the largest first. The same for
the same graph: names decide where nothing else does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

# From one node to the next, in the units of the drawing; GAP is between parts.
COLUMN = 300
ROW = 56
GAP = 56
_SWEEPS = 6
# Width by height that parts are put together to.
_ASPECT = 1.6
# How much wider than their area asks for parts may be put together.
_WIDER = (1.0, 1.2, 1.4, 1.7, 2.0)


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of each node's upper left corner, and how large the drawing is."""

    places: Mapping[str, tuple[int, int]]
    width: int
    height: int


def layout(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> Layout:
    """Places for the nodes of a graph without cycles; an edge that closes one is left out of account. `edges` are pairs
    of nodes, from source to reader.
    """
    below: dict[str, set[str]] = {name: set() for name in sorted(nodes)}
    above: dict[str, set[str]] = {name: set() for name in below}
    for source, reader in edges:
        if source != reader and source in below and reader in below:
            below[source].add(reader)
            above[reader].add(source)
    ranks = _ranks(above, below)
    parts = [_part(names, ranks, above, below) for names in _parts(above, below)]
    parts.sort(key=lambda part: (-len(part.places), min(part.places)))
    return _packed(parts)


def _parts(above: Mapping[str, set[str]], below: Mapping[str, set[str]]) -> list[list[str]]:
    """The nodes, by what edges join."""
    seen: set[str] = set()
    found: list[list[str]] = []
    for start in below:
        if start in seen:
            continue
        seen.add(start)
        part, queue = [start], deque([start])
        while queue:
            here = queue.popleft()
            for other in sorted(above[here] | below[here]):
                if other not in seen:
                    seen.add(other)
                    part.append(other)
                    queue.append(other)
        found.append(part)
    return found


def _ranks(above: Mapping[str, set[str]], below: Mapping[str, set[str]]) -> dict[str, int]:
    """How many edges the longest way to each node has; a node on a cycle follows those of its sources that have one."""
    waiting = {name: len(sources) for name, sources in above.items()}
    ready = deque(name for name, count in waiting.items() if not count)
    ranks: dict[str, int] = {}
    while len(ranks) < len(above):
        if not ready:
            ready.append(min(name for name in above if name not in ranks))
        name = ready.popleft()
        if name in ranks:
            continue
        ranks[name] = max((ranks[source] + 1 for source in above[name] if source in ranks), default=0)
        for reader in sorted(below[name]):
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    return ranks


def _part(
    names: Sequence[str], ranks: Mapping[str, int], above: Mapping[str, set[str]], below: Mapping[str, set[str]]
) -> Layout:
    """One part by itself, from 0, 0."""
    columns: list[list[str]] = [[] for _ in range(max(ranks[name] for name in names) + 1)]
    for name in sorted(names):
        columns[ranks[name]].append(name)
    rows = {name: float(row) for column in columns for row, name in enumerate(column)}
    for sweep in range(_SWEEPS):
        near = above if sweep % 2 == 0 else below
        for column in columns if sweep % 2 == 0 else reversed(columns):
            _settle(column, rows, near)
    top = min(rows.values())
    places = {name: (ranks[name] * COLUMN, round((rows[name] - top) * ROW)) for name in names}
    height = max(y for _, y in places.values()) + ROW
    return Layout(places, len(columns) * COLUMN, height)


def _settle(column: list[str], rows: dict[str, float], near: Mapping[str, set[str]]) -> None:
    """Order a column by the middle of each node's neighbours, and put it as near to them as its order lets it."""

    def wanted(name: str) -> float:
        return sum(rows[other] for other in near[name]) / len(near[name]) if near[name] else rows[name]

    goal = {name: wanted(name) for name in column}
    column.sort(key=lambda name: (goal[name], name))
    at = goal[column[0]]
    for name in column:
        rows[name] = at = max(goal[name], at)
        at += 1
    # What was pushed down by those before it pulls them up again by half.
    shift = sum(rows[name] - goal[name] for name in column) / len(column)
    for name in column:
        rows[name] -= shift


def _packed(parts: Sequence[Layout]) -> Layout:
    """Parts put together to the width that makes the drawing largest on a screen."""
    widest = max((part.width for part in parts), default=0)
    area = sum((part.width + GAP) * (part.height + GAP) for part in parts)
    tried = (_shelved(parts, max(widest, round(sqrt(area * _ASPECT) * more))) for more in _WIDER)
    return min(tried, key=lambda one: max(one.width / _ASPECT, one.height))


def _shelved(parts: Sequence[Layout], limit: int) -> Layout:
    """Parts on shelves, one after the other, each shelf at most `limit` wide."""
    places: dict[str, tuple[int, int]] = {}
    x = y = shelf = width = 0
    for part in parts:
        if x and x + part.width > limit:
            x, y, shelf = 0, y + shelf + GAP, 0
        for name, (left, top) in part.places.items():
            places[name] = (x + left, y + top)
        x += part.width + GAP
        shelf = max(shelf, part.height)
        width = max(width, x - GAP)
    return Layout(places, width, y + shelf)
