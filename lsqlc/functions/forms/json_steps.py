"""JSON paths: `$`, then `.name`, `['name']` or `[0]`, and optionally a final `[*]` for all elements of an array."""

from __future__ import annotations

import re
from functools import cache

_STEP = re.compile(r"""\.([^.\[\]'"\\*?@()$\s]+)|\['([^'"\\]*)'\]|\["([^'"\\]*)"\]|\[([0-9]{1,9})\]|(\[\*\]\Z)""")

Step = str | int


class PathFault(ValueError):
    """A text that is not a path. The message is a clause."""


@cache
def steps(path: str) -> tuple[tuple[Step, ...], bool]:
    """Return the names and indexes of a path, and whether it ends in `[*]`.

    Raises PathFault.
    """
    if not path.startswith("$"):
        raise PathFault("a JSON path starts with '$'")
    path_steps: list[Step] = []
    position = 1
    while position < len(path):
        step = _STEP.match(path, position)
        if not step:
            raise PathFault(
                f"'{path[position:]}' of the JSON path is not carried to both engines; there are .name, ['name'], [0],"
                " and [*] as the last step"
            )
        if step[5]:
            return tuple(path_steps), True
        path_steps.append(int(step[4]) if step[4] else next(name for name in step.groups() if name is not None))
        position = step.end()
    return tuple(path_steps), False


def fault(path: str) -> str | None:
    """Return the reason why a path cannot be used, as a clause, or None."""
    try:
        steps(path)
    except PathFault as error:
        return str(error)
    return None
