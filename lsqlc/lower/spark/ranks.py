"""Ranks, as the ordinals of joined rows say them (see `table_table`)."""

from __future__ import annotations

# What the ordinal of a record has behind its first number that says of a version that it counts no more.
COUNTS_NO_MORE = "-3L"


def rank(ordinal: str) -> str:
    """The rank that an ordinal says, an array."""
    behind = f"CAST(size({ordinal}) - array_position(reverse({ordinal}), -1L) + 2 AS INT)"
    return f"if(array_contains({ordinal}, -1L), slice({ordinal}, {behind}, size({ordinal})), {ordinal})"


def of_other_stage(ordinal: str) -> str:
    """An ordinal that another stage wrote, without what says its turn (see `merge_order.in_turn`)."""
    return f"slice({ordinal}, 1, size({ordinal}) - 2)"
