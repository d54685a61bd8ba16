"""Names that one struct cannot hold beside each other: equal ones, and those that differ only in case."""

from __future__ import annotations

from collections.abc import Iterable


def clash(name: str, others: Iterable[str], what: str) -> str | None:
    """The message for a name that another one leaves no place for, None if there is none. `what`: "columns", say."""
    other = next((o for o in others if o.casefold() == name.casefold()), None)
    if other is None:
        return None
    if other == name:
        return f"two {what} are named '{name}'"
    return f"the names '{other}' and '{name}' differ only in case"
