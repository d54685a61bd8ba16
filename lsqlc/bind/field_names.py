"""Taken that one struct cannot hold beside each other: equal ones, and those that differ only in case."""

from __future__ import annotations


class Taken:
    """The names that a struct has so far."""

    def __init__(self, *names: str) -> None:
        self._first = {name.casefold(): name for name in names}

    def add(self, name: str, what: str) -> str | None:
        """Take one more. The message if another one leaves no place for it, else None. `what`: "columns", say."""
        folded = name.casefold()
        other = self._first.get(folded)
        if other is None:
            self._first[folded] = name
            return None
        if other == name:
            return f"two {what} are named '{name}'"
        return f"the names '{other}' and '{name}' differ only in case"
