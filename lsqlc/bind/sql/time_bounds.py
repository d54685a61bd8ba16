"""The time bound of a join of two streams: the maximum distance of the times of two matching records.

`b._timestamp BETWEEN a._timestamp - INTERVAL 5 MINUTES AND a._timestamp + INTERVAL 1 HOUR`, or the same by comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.sql.conjuncts import conjunction, conjuncts
from lsqlc.bind.sql.intervals import is_interval, milliseconds, written
from lsqlc.bind.sql.scope import TIME
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.syntax.walk import walk

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Bound:
    """The time of the right record minus that of the left one, in milliseconds: at least `low`, at most `high`.

    None if there is no bound.
    """

    low: int | None
    high: int | None


def split_time(on: tree.Expression, left: Sequence[str], right: Sequence[str]) -> tuple[tree.Expression | None, Bound]:
    """Return ON without the conditions on the times of both sides, and the bound in these.

    `left`, `right`: labels of the sides.
    """
    rest: list[tree.Expression] = []
    low: int | None = None
    high: int | None = None
    for part in conjuncts(on):
        limits = _limits(part, left, right)
        if limits is None:
            rest.append(part)
            continue
        for operator, value in limits:
            if operator in (">", ">="):
                value += operator == ">"
                low = value if low is None else max(low, value)
            else:
                value -= operator == "<"
                high = value if high is None else min(high, value)
    return conjunction(rest), Bound(low, high)


def with_time_bounds(select: sql.Select, kinds: Sequence[str]) -> sql.Select:
    """Return the SELECT with time bounds of WHERE in the ON of inner joins of two streams, which is equivalent.

    `kinds`: those of the rows of its sources.
    """
    where = list(conjuncts(select.where))
    joins = list(select.joins)
    for number, join in enumerate(joins):
        if join.kind != "INNER" or (join.on is None and not join.using) or set(kinds[: number + 2]) != {"STREAM"}:
            continue
        left = [source.label.casefold() for source in select.sources[: number + 1]]
        right = [join.source.label.casefold()]
        bounds = [part for part in where if _limits(part, left, right) is not None]
        where = [part for part in where if part not in bounds]
        joins[number] = replace(join, on=conjunction((*conjuncts(join.on), *bounds)))
    return replace(select, joins=tuple(joins), where=conjunction(where))


def other_times(on: tree.Expression) -> list[str]:
    """Return the columns that ON compares by an INTERVAL, except the times of the records, sorted."""
    interval_conditions = [part for part in conjuncts(on) if any(is_interval(each) for each in walk(part))]
    names = {
        ".".join(each.parts) for part in interval_conditions for each in walk(part) if isinstance(each, tree.Reference)
    }
    return sorted(name for name in names if name.rpartition(".")[2].casefold() != TIME)


def has_other_form(on: tree.Expression, left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether a condition of ON has the times of records of both sides in any form. `left`, `right`: labels."""
    for part in conjuncts(on):
        times = [_time(each) for each in walk(part) if isinstance(each, tree.Reference)]
        labels = {time[0] for time in times if time is not None}
        if not labels.isdisjoint(left) and not labels.isdisjoint(right):
            return True
    return False


def _limits(part: tree.Expression, left: Sequence[str], right: Sequence[str]) -> list[tuple[str, int]] | None:
    """Return the bounds in a condition on the right time minus the left one; None for a condition on anything else."""
    match part:
        case tree.Between(operand, low, high, False):
            pairs = [(operand, ">=", low), (operand, "<=", high)]
        case tree.Binary(operator, one, other) if operator in _FLIPPED:
            pairs = [(one, operator, other)]
        case _:
            return None
    bounds = []
    for one, operator, other in pairs:
        a, b = _time(one), _time(other)
        if a is None or b is None:
            return None
        if a[0] in right and b[0] in left:
            bounds.append((operator, b[1] - a[1]))
        elif a[0] in left and b[0] in right:
            bounds.append((_FLIPPED[operator], a[1] - b[1]))
        else:
            return None
    return bounds


def _time(side: tree.Expression) -> tuple[str, int] | None:
    """Return the label of `label._timestamp`, in lower case, and the milliseconds that are added to it."""
    match side:
        case tree.Binary("+" | "-" as operator, inner, interval) if is_interval(interval):
            time, length = _time(inner), milliseconds(written(interval))
            if time is None or length is None:
                return None
            return time[0], time[1] + (length if operator == "+" else -length)
        case tree.Reference((*label, name)) if label and name.casefold() == TIME:
            return ".".join(label).casefold(), 0
    return None
