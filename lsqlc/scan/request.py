"""From a SELECT list to what is asked of each column: names merged, with the members and elements that are wanted.

A path is one entry of the list: `("a", "b")` is `a.b`, `("a", 1)` is `a[1]`, `("a", None)` is `a.*`, and the empty path
is the wildcard. Rules: names match letter case aside and the first spelling and place stay; paths merge per root, and
below it level by level; the root by itself asks for all of it, wherever it stands, and what the list names of it is
known all the same; of an array's indexes only those of the first dimension are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

Path = tuple[str | int | None, ...]


class Requested(msgspec.Struct, frozen=True):
    """A column or member that is asked for, spelled as where it is first named.

    `named`: the members that are named, in order, each with its own members, dimensions and mentions. `is_whole`: all
    members are wanted, named or not. `dimensions`: the most indexes that follow the name, 0 where none does.
    `indexes`: the elements, in order; None: all of them. `is_struct`: members are spoken of, by name or as `a.*`.
    `mentions`: how many entries name it.
    """

    name: str
    named: tuple[Requested, ...] = ()
    is_whole: bool = True
    dimensions: int = 0
    indexes: tuple[int, ...] | None = None
    is_struct: bool = False
    mentions: int = 1

    @property
    def members(self) -> tuple[Requested, ...] | None:
        """The members that are wanted; None: all of them."""
        return None if self.is_whole else self.named

    @property
    def is_plain(self) -> bool:
        """Whether it is only ever named by itself, as neither a struct nor an array."""
        return not self.is_struct and not self.dimensions


class Request(msgspec.Struct, frozen=True):
    """A SELECT list: `entries` is its length, `wildcard` how many of `columns` stand before the `*` (None: no `*`)."""

    columns: tuple[Requested, ...]
    wildcard: int | None
    entries: int

    @property
    def kind(self) -> Literal["all", "some", "none"]:
        if self.wildcard is not None:
            return "all"
        return "some" if self.columns else "none"


def fold(name: str) -> str:
    """A name as it is compared over files."""
    return name.lower()


def exactly(name: str) -> str:
    """A name as it is compared over topics."""
    return name


def request(select: Sequence[Path] | None, same: Callable[[str], str] = fold) -> Request:
    """What a SELECT list asks for; no list at all is a wildcard that nobody wrote. `same`: how names compare."""
    if select is None:
        return Request((), 0, 0)
    first_star = next((place for place, path in enumerate(select) if not path), None)
    columns = _merge([path for path in select if path], same)
    if first_star is None:
        return Request(columns, None, len(select))
    before = {same(str(path[0])) for path in select[:first_star]}
    return Request(columns, len(before), len(select))


def _merge(paths: Sequence[Path], same: Callable[[str], str]) -> tuple[Requested, ...]:
    """One entry per root; no path is empty."""
    roots: dict[str, tuple[str, list[Path]]] = {}
    for path in paths:
        name = str(path[0])
        roots.setdefault(same(name), (name, []))[1].append(path[1:])
    return tuple(_root(name, tails, same) for name, tails in roots.values())


def _root(name: str, tails: Sequence[Path], same: Callable[[str], str]) -> Requested:
    split = [_split(tail) for tail in tails]
    below = [members for _, members in split if members and members[0] is not None]
    every_member = any(members[:1] == (None,) for _, members in split)
    bare = any(not tail for tail in tails)
    # A whole element that is asked for before any member stays whole; after members it adds none (Drill's order).
    whole = bare or every_member or not split[0][1]
    dimensions = max(len(indexes) for indexes, _ in split)
    every = bare or not dimensions or any(not indexes for indexes, _ in split)
    return Requested(
        name,
        named=_merge(below, same),
        is_whole=whole,
        dimensions=dimensions,
        indexes=None if every else tuple(sorted({indexes[0] for indexes, _ in split})),
        is_struct=bool(below) or every_member,
        mentions=len(tails),
    )


def _split(tail: Path) -> tuple[tuple[int, ...], Path]:
    """The indexes that follow a name, and the members behind them."""
    indexes: list[int] = []
    for step in tail:
        if not isinstance(step, int):
            break
        indexes.append(step)
    return tuple(indexes), tail[len(indexes) :]
