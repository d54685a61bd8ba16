"""The constants of plans that decide which rows there are: literals in expressions, and lengths of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from lsqlc.plan import Plan
from lsqlc.plan.expression import Literal
from lsqlc.plan.nodes import Join
from lsqlc.plan.windows import Hop, Session, Tumble

# Longer times are bounds that no sequence of records reaches.
_LONGEST = 400 * 86_400_000


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of some plans, each once, in order.

    `literals`: Python values of literals, without nulls and booleans. `lengths`: sizes of windows, bounds of joins,
    grace and retention, in milliseconds, without 0. `own`: the literals that only one of the plans has.
    """

    literals: tuple[Any, ...]
    lengths: tuple[int, ...]
    own: tuple[Any, ...] = ()

    @property
    def changed(self) -> Constants:
        """The literals that only one of the plans has, alone."""
        return Constants(self.own, ())


def constants_of(old: Plan, new: Plan) -> Constants:
    """Return the constants of two versions of a plan."""
    one, other = _constants(old), _constants(new)
    literals = dict.fromkeys((*one.literals, *other.literals))
    own = tuple(each for each in literals if (each in one.literals) != (each in other.literals))
    return Constants(tuple(literals), tuple(dict.fromkeys((*one.lengths, *other.lengths))), own)


def _constants(plan: Plan) -> Constants:
    literals: dict[Any, None] = {}
    lengths: dict[int, None] = {}
    for part in _parts([sink.inputs for sink in plan.sinks], set()):
        match part:
            case Literal(value=value) if value is not None and not isinstance(value, bool):
                literals[value] = None
            case Tumble(size=size, grace=grace) | Session(gap=size, grace=grace):
                lengths |= dict.fromkeys((size, grace))
            case Hop(size=size, advance=advance, grace=grace):
                lengths |= dict.fromkeys((size, advance, grace))
            case Join(within=before, within_after=after, grace=grace, retention=retention):
                lengths |= dict.fromkeys(each for each in (before, after, grace, retention) if each is not None)
    return Constants(tuple(literals), tuple(length for length in lengths if 0 < length <= _LONGEST))


def _parts(part: Any, visited: set[int]) -> Iterator[Any]:
    """Yield the parts of a node: nodes, expressions and windows. A shared node occurs once."""
    if isinstance(part, tuple | list):
        for each in part:
            yield from _parts(each, visited)
    elif isinstance(part, msgspec.Struct) and id(part) not in visited:
        visited.add(id(part))
        yield part
        for name in part.__struct_fields__:
            yield from _parts(getattr(part, name), visited)
