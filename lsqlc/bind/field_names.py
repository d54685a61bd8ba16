"""Names that one struct cannot have together: equal ones, and those that differ only in case."""

from __future__ import annotations


class Taken:
    """The names of a struct so far."""

    def __init__(self, *names: str) -> None:
        self._first = {name.casefold(): name for name in names}

    def add(self, name: str, what: str) -> str | None:
        """Add a name. Return the message if it conflicts with another one, else None. `what`: for example "columns"."""
        lower = name.casefold()
        other = self._first.get(lower)
        if other is None:
            self._first[lower] = name
            return None
        if other == name:
            return f"two {what} are named '{name}'"
        return f"the names '{other}' and '{name}' differ only in case"
