"""JSON paths: `$`, then `.name`, `['name']` or `[0]`, and last perhaps `[*]` for all elements of an array."""

from __future__ import annotations

import re
from functools import cache

_STEP = re.compile(r"""\.([^.\[\]'"\\*?@()$\s]+)|\['([^'"\\]*)'\]|\["([^'"\\]*)"\]|\[([0-9]{1,9})\]|(\[\*\]\Z)""")

Step = str | int


class PathFault(ValueError):
    """Why a text is not a path, as a clause."""


@cache
def steps(path: str) -> tuple[tuple[Step, ...], bool]:
    """The names and indexes of a path, and whether it ends in `[*]`. Raises PathFault."""
    if not path.startswith("$"):
        raise PathFault("a JSON path starts with '$'")
    found: list[Step] = []
    place = 1
    while place < len(path):
        step = _STEP.match(path, place)
        if not step:
            raise PathFault(
                f"'{path[place:]}' of the JSON path is not carried to both engines; there are .name, ['name'], [0],"
                " and [*] as the last step"
            )
        if step[5]:
            return tuple(found), True
        found.append(int(step[4]) if step[4] else next(name for name in step.groups() if name is not None))
        place = step.end()
    return tuple(found), False


def fault(path: str) -> str | None:
    """Why a path cannot be used, as a clause, or None."""
    try:
        steps(path)
    except PathFault as wrong:
        return str(wrong)
    return None
